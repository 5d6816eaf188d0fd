//! Packets of the high-level multiplayer API.

#[cfg(feature = "alloc")]
mod authority;
mod hostile;
#[cfg(feature = "alloc")]
mod levels;
#[cfg(feature = "alloc")]
mod many;
#[cfg(feature = "alloc")]
mod named;
mod recorded;
#[cfg(feature = "alloc")]
mod session;
mod shown;
#[cfg(feature = "alloc")]
mod spawns;
#[cfg(feature = "alloc")]
mod unannounced;
mod written;

use crate::common::{hex, lines};
use gdwire::Dialect;
use gdwire::json::Spelling;
use gdwire::multiplayer::{
    ArgumentBytes, Context, Methods, MultiplayerProtocol, Names, Packet, PeerId, parse, write_json,
};
use serde::Deserialize;
use serde_json::Value;

/// A packet that an engine sent.
#[derive(Deserialize)]
struct Recorded {
    from: String,
    to: String,
    hex: String,
}

/// A line of the ground truth: something that a game sent.
#[derive(Deserialize)]
struct Sent {
    from: String,
    kind: String,
    path: Option<String>,
    method: Option<String>,
    args_hex: Vec<String>,
    #[serde(default)]
    delivered: bool,
}

const GODOT_3: (MultiplayerProtocol, Dialect) = (MultiplayerProtocol::Godot3, Dialect::GODOT_3);
const GODOT_4: (MultiplayerProtocol, Dialect) = (MultiplayerProtocol::Godot4, Dialect::GODOT_4);

fn engines() -> [(&'static str, (MultiplayerProtocol, Dialect)); 3] {
    [("godot3", GODOT_3), ("godot4", GODOT_4), ("godot4-three", GODOT_4)]
}

fn recorded(name: &str) -> Vec<Recorded> {
    let packets = lines::<Recorded>(&format!("multiplayer/{name}.ndjson"));
    assert!(packets.len() > 100);
    packets
}

/// The methods of the nodes in the recordings.
fn names() -> Names {
    let text = "
        **: take_hit sync_state snapshot set_score respawn move many load_chunk
        **: input_frame, emote, chat, any_unreliable, any
    ";
    Methods::parse(&text.trim().replace("\n        **:", " ")).unwrap().into()
}

/// A number for an end of a recorded connection.
fn end(name: &str) -> PeerId {
    match name {
        "server" => PeerId::SERVER,
        "client" => PeerId::new(2),
        _ => PeerId::new(3),
    }
}

fn read((protocol, dialect): (MultiplayerProtocol, Dialect), bytes: &[u8]) -> Packet<'_> {
    parse(protocol, dialect, bytes).unwrap_or_else(|error| panic!("{}: {error}", hex(bytes)))
}

fn to_json(packet: &Packet<'_>, context: Context<'_>, bytes: ArgumentBytes) -> Value {
    let mut json = Vec::new();
    write_json(packet, context, Spelling::Native, bytes, &mut json).unwrap();
    // Godot writes an infinite float as 1e99999, which serde_json does not read.
    let json = String::from_utf8(json).unwrap().replace("1e99999", "1e308");
    serde_json::from_str(&json).unwrap()
}
