//! A client without a screen for the game of the example `game_server`. It says hello, moves, and prints
//! what the server tells it.
//!
//! ```sh
//! cargo run --features peer --example game_bot 127.0.0.1:7777
//! ```

use gdwire::Dialect;
use gdwire::math::Vector2;
use gdwire::multiplayer::session::{SessionEvent, SessionOptions};
use gdwire::multiplayer::{Methods, Names, PeerId};
use gdwire::peer::{EnetOptions, EnetPeer};
use std::error::Error;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

const METHODS: &str = "Main/World: move, said, say";
const WORLD: &str = "Main/World";
const FRAME: Duration = Duration::from_millis(50);

fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or("127.0.0.1:7777".to_owned());
    let names = Arc::new(Names::from(Methods::parse(METHODS)?));
    // Each client chooses its id, as the engine does. The server refuses one that is taken.
    let id = PeerId::new(std::process::id().cast_signed().max(2));
    // The bot has no scene, so it knows nodes only from what the server says.
    let session =
        SessionOptions::client(Dialect::GODOT_4, id).with_names(names).with_unknown_nodes();
    let mut peer = EnetPeer::connect(address.parse()?, session, EnetOptions::default())?;
    let mut is_playing = false;
    loop {
        while let Some(event) = peer.poll()? {
            match event {
                SessionEvent::PeerConnected { peer: PeerId::SERVER } => {
                    is_playing = true;
                    peer.session().call(PeerId::SERVER, WORLD, "say", ("hello",))?;
                }
                SessionEvent::Call(call) => {
                    println!("{}({})", call.method.as_deref().unwrap_or("?"), call.arguments());
                }
                SessionEvent::Spawned(spawned) => {
                    if let Some(spawn) = spawned.spawn() {
                        println!("spawned {} at {}", spawn.name, spawn.state);
                    }
                }
                SessionEvent::Despawned { name, .. } => println!("despawned {name}"),
                SessionEvent::States(states) => {
                    for state in states.states() {
                        println!("moved to {}", state.values);
                    }
                }
                SessionEvent::Refused { reason, .. } => eprintln!("{reason}"),
                _ => {}
            }
        }
        if peer.is_closed() {
            return Err("the server is gone, or there is none".into());
        }
        if is_playing {
            peer.session().call(PeerId::SERVER, WORLD, "move", (Vector2::new(1.0, 0.5),))?;
        }
        sleep(FRAME);
    }
}
