//! A server to try `gdwire bot` with: up to 4,000 clients call it, it answers what they say, and it prints
//! how many calls it gets in a second. The clients do not hear of each other.
//!
//! ```sh
//! cargo run --release --features peer --example bot_server 127.0.0.1:7777
//! echo 'Main/World: move, said, say' > game.methods
//! gdwire bot enet://127.0.0.1:7777 --methods game.methods -n 1000 --for 30s --call 'Main/World.move(Vector2(1, 2)) 10/s'
//! ```

use gdwire::multiplayer::session::{SessionEvent, SessionOptions};
use gdwire::multiplayer::{Methods, Names};
use gdwire::peer::{EnetOptions, EnetPeer};
use gdwire::{Dialect, Variant};
use std::error::Error;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

const METHODS: &str = "Main/World: move, said, say";
const WORLD: &str = "Main/World";
const FRAME: Duration = Duration::from_millis(16);

fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or("127.0.0.1:7777".to_owned());
    let names = Arc::new(Names::from(Methods::parse(METHODS)?));
    let session = SessionOptions::server(Dialect::GODOT_4).with_names(names).without_relay();
    let options = EnetOptions::default().with_clients(4_000);
    let mut peer = EnetPeer::listen(address.parse()?, session, options)?;
    println!("listening on {}", peer.address());
    let (mut since, mut calls) = (Instant::now(), 0_u64);
    loop {
        while let Some(event) = peer.poll()? {
            let SessionEvent::Call(call) = event else { continue };
            calls += 1;
            if call.method.as_deref() == Some("say") {
                let text = call.arguments().iter().next().map(Variant::from);
                let answer = (text.unwrap_or_default(),);
                // The client may have left.
                peer.session().call(call.from(), WORLD, "said", answer).ok();
            }
        }
        if since.elapsed() >= Duration::from_secs(1) {
            println!("{} clients, {calls} calls", peer.session().peers().len());
            (since, calls) = (Instant::now(), 0);
        }
        sleep(FRAME);
    }
}
