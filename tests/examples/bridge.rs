//! A bridge from a running game to another program: it joins as one more client, prints what the server
//! calls, spawns and synchronizes, and answers a part of it. This one greets whoever says hello in the
//! game of the example `game_server`.
//!
//! ```sh
//! cargo run --features peer --example bridge enet://127.0.0.1:7777
//! ```
//!
//! With the folder of a Godot 4 project as a second argument, it prints the calls of that game, with
//! the names of its methods and properties.

use gdwire::multiplayer::session::{ReceivedCall, SessionEvent, SessionOptions};
use gdwire::multiplayer::{Methods, Names, PeerId};
use gdwire::peer::{EnetOptions, GamePeer, ServerAddress, WebSocketOptions};
use gdwire::project::Project;
use gdwire::{Dialect, Variant};
use std::error::Error;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

const METHODS: &str = "Main/World: move, said, say";
const FRAME: Duration = Duration::from_millis(16);

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let server = arguments.next().unwrap_or("enet://127.0.0.1:7777".to_owned());
    let names = match arguments.next() {
        Some(folder) => Names::new().with_project(Project::open(folder)?),
        None => Names::from(Methods::parse(METHODS)?),
    };
    let id = PeerId::new(std::process::id().cast_signed().max(2));
    let session = SessionOptions::client(Dialect::GODOT_4, id).with_names(Arc::new(names));
    let mut peer = GamePeer::connect(
        &ServerAddress::resolve(&server)?,
        // Calls of nodes without names are printed, too.
        session.with_unknown_nodes(),
        EnetOptions::default(),
        &WebSocketOptions::default(),
    )?;
    while !peer.is_closed() {
        while let Some(event) = peer.poll()? {
            print(&mut peer, &event);
            if let SessionEvent::Call(call) = &event {
                answer(&mut peer, call)?;
            }
        }
        sleep(FRAME);
    }
    Err(peer.close_reason().unwrap_or("the server is gone").into())
}

fn print(peer: &mut GamePeer, event: &SessionEvent) {
    match event {
        SessionEvent::PeerConnected { peer } => println!("{peer} has joined"),
        SessionEvent::PeerDisconnected { peer } => println!("{peer} has left"),
        SessionEvent::Call(call) => {
            let method = call.method.as_deref().unwrap_or("?");
            println!("{}: {}.{method}({})", call.from(), call.path, call.arguments());
        }
        SessionEvent::Spawned(spawned) => {
            if let Some(spawn) = spawned.spawn() {
                println!("{}: {} spawns {}", spawned.packet.from(), spawned.spawner, spawn.name);
            }
        }
        SessionEvent::Despawned { from, name, .. } => println!("{from}: removes {name}"),
        SessionEvent::States(states) => {
            let from = states.packet.from();
            let context = peer.session().context(from);
            for state in states.states() {
                match context.synchronizer_path(state.synchronizer) {
                    Some(path) => println!("{from}: {path} is at {}", state.values),
                    None => println!("{from}: a node is at {}", state.values),
                }
            }
        }
        SessionEvent::Refused { from, reason } => eprintln!("{from}: {reason}"),
        _ => {}
    }
}

/// Greets whoever says hello.
fn answer(peer: &mut GamePeer, call: &ReceivedCall) -> Result<(), Box<dyn Error>> {
    let arguments: Vec<Variant> = call.arguments().iter().map(Variant::from).collect();
    if let (Some("said"), [Variant::Int(who), Variant::String(text)]) =
        (call.method.as_deref(), &arguments[..])
        && text == "hello"
        && *who != i64::from(peer.session().id().get())
    {
        let greeting = format!("welcome, {who}");
        peer.session().call(PeerId::SERVER, &call.path, "say", (greeting,))?;
    }
    Ok(())
}
