//! A server for a Godot 4 game, without the engine. Players join, chat and move. The server says who is
//! there, spawns a node for each player, decides where it may go, and tells everyone.
//!
//! In the game, the node `Main/World` has the remote methods `move(Vector2)` and `say(String)`, which
//! clients call, and `said(int, String)`, which the server calls. `Main/Spawner` spawns the scene of a
//! player, whose `MultiplayerSynchronizer` synchronizes `position`.
//!
//! ```sh
//! cargo run --features peer --example game_server 127.0.0.1:7777
//! ```

use gdwire::math::Vector2;
use gdwire::multiplayer::session::{
    NewNode, ReceivedCall, SessionEvent, SessionOptions, SpawnedHere, SyncConfig,
};
use gdwire::multiplayer::{Methods, Names, PeerId};
use gdwire::peer::{EnetOptions, EnetPeer};
use gdwire::{Dialect, Variant};
use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

/// The remote methods of the game: calls have only their numbers.
const METHODS: &str = "Main/World: move, said, say";
const WORLD: &str = "Main/World";
const FRAME: Duration = Duration::from_millis(16);

/// How far a player may go with one call.
const STEP: f32 = 10.0;

struct Player {
    node: SpawnedHere,
    position: Vector2<f32>,
}

struct Game {
    peer: EnetPeer,
    players: HashMap<PeerId, Player>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or("127.0.0.1:7777".to_owned());
    let names = Arc::new(Names::from(Methods::parse(METHODS)?));
    let session = SessionOptions::server(Dialect::GODOT_4).with_names(names);
    let peer = EnetPeer::listen(address.parse()?, session, EnetOptions::default())?;
    println!("listening on {}", peer.address());
    let mut game = Game { peer, players: HashMap::new() };
    loop {
        while let Some(event) = game.peer.poll()? {
            // An error of one player does not affect the others.
            if let Err(error) = game.handle(&event) {
                eprintln!("{error}");
            }
        }
        sleep(FRAME);
    }
}

impl Game {
    fn handle(&mut self, event: &SessionEvent) -> Result<(), Box<dyn Error>> {
        match event {
            SessionEvent::PeerConnected { peer } => self.join(*peer)?,
            SessionEvent::PeerDisconnected { peer } => {
                if let Some(player) = self.players.remove(peer) {
                    self.peer.session().despawn(player.node.net_id)?;
                }
            }
            SessionEvent::Call(call) => self.called(call)?,
            SessionEvent::Refused { from, reason } => {
                return Err(format!("{from}: {reason}").into());
            }
            _ => {}
        }
        Ok(())
    }

    fn join(&mut self, peer: PeerId) -> Result<(), Box<dyn Error>> {
        let position = Vector2::new(0.0, 0.0);
        let config = SyncConfig::new().with_spawn(["position"]).with_sync(["position"]);
        let node = NewNode::of_scene(0, &peer.to_string()).with_synchronizer(config);
        let values = [("position", Variant::from(position))];
        let node = self.peer.session().spawn("Main/Spawner", node, &values)?;
        self.players.insert(peer, Player { node, position });
        let welcome = format!("{} players are here", self.players.len());
        self.peer.session().call(peer, WORLD, "said", (PeerId::SERVER.get(), welcome))?;
        Ok(())
    }

    fn called(&mut self, call: &ReceivedCall) -> Result<(), Box<dyn Error>> {
        let argument = call.arguments().iter().next().map(Variant::from).unwrap_or_default();
        match (call.method.as_deref(), &argument) {
            (Some("say"), Variant::String(text)) => {
                let said = (call.from().get(), &**text);
                self.peer.session().call(PeerId::EVERYONE, WORLD, "said", said)?;
            }
            (Some("move"), Variant::Vector2(by)) => {
                let player = self.players.get_mut(&call.from()).ok_or("no such player")?;
                let by = by.to::<f32>();
                player.position.x += by.x.clamp(-STEP, STEP);
                player.position.y += by.y.clamp(-STEP, STEP);
                let synchronizer = player.node.synchronizers[0];
                self.peer.session().set_property(synchronizer, "position", &player.position)?;
            }
            _ => return Err(format!("{} may not call this: {call:?}", call.from()).into()),
        }
        Ok(())
    }
}
