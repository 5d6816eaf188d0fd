//! Captures of Pandemonium's multiplayer API, whose packets are framed like those of Godot 3 but
//! have other command numbers.

use crate::common::{lines, unhex};
use crate::messages::read::{Given, Reading, canonical, recorded};
use gdwire::Dialect;
use gdwire::follow::{Options, Transport};
use gdwire::net::enet::Mode;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The captures and the dialect of the engine that made them.
pub(crate) const CALLS: [(&str, Dialect); 3] = [
    ("pandemonium4-rpc", Dialect::PANDEMONIUM_4),
    ("pandemonium5-rpc", Dialect::PANDEMONIUM_5),
    ("pandemonium5-rpc-compressed", Dialect::PANDEMONIUM_5),
];

const SERVER: u16 = 7777;

/// A line of the ground truth: a remote call or raw bytes, as the game's script made it.
#[derive(Deserialize)]
struct Sent {
    from: String,
    kind: String,
    /// Raw bytes have no mode: the engine sends them reliably.
    mode: Option<String>,
    path: String,
    method: String,
    args_hex: Vec<String>,
}

/// The path of the node, the called method and the arguments.
type Call = (String, String, Vec<Vec<u8>>);

impl Sent {
    fn lane(&self) -> (&str, Mode) {
        let mode = match self.mode.as_deref() {
            None | Some("reliable") => Mode::Reliable,
            Some("unreliable") => Mode::Unsequenced,
            Some(mode) => panic!("{mode}"),
        };
        (&self.from, mode)
    }

    fn call(&self, dialect: Dialect) -> (&str, Call) {
        let args = self.args_hex.iter().map(|hex| unhex(hex));
        let args = match &*self.kind {
            "bytes" => args.collect(),
            _ => args.map(|bytes| canonical(dialect, &bytes)).collect(),
        };
        (&self.kind, (self.path.clone(), self.method.clone(), args))
    }
}

fn lane(given: &Given) -> (&'static str, Mode) {
    let from = if given.src.port() == SERVER { "server" } else { "client" };
    (from, given.mode.unwrap())
}

/// The call or the raw bytes in a message; `None` if the packet is the engine's own.
fn call(given: &Given) -> Option<(&'static str, Call)> {
    let packet = given.packet.as_ref().unwrap();
    let name = |name: &Option<String>| name.clone().unwrap_or_default();
    match packet.command {
        "call" => Some(("call", (name(&packet.path), name(&packet.method), packet.args.clone()))),
        "raw" => Some(("bytes", (String::new(), String::new(), vec![given.bytes[1..].to_vec()]))),
        "simplify_path" | "confirm_path" => None,
        command => panic!("{command}"),
    }
}

fn every_call_is_found(name: &str, dialect: Dialect, reading: &Reading) {
    assert!(reading.is_whole(), "{name} {:?} {:?}", reading.lost, reading.other);
    let sent: Vec<Sent> = lines(&format!("captures/{name}.ndjson"));
    assert_eq!(sent.len(), 120, "{name}");
    let mut expected: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for sent in &sent {
        expected.entry(format!("{:?}", sent.lane())).or_default().push(sent.call(dialect));
    }
    let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for given in &reading.given {
        assert_eq!((given.transport, given.dialect), (Transport::Enet, dialect), "{name}");
        if let Some(call) = call(given) {
            found.entry(format!("{:?}", lane(given))).or_default().push(call);
        }
    }
    assert_eq!(expected.keys().collect::<Vec<_>>(), found.keys().collect::<Vec<_>>(), "{name}");
    for (lane, expected) in expected {
        let found = &found[&lane];
        assert_eq!(found.len(), expected.len(), "{name} {lane}");
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!(*found, expected, "{name} {lane}");
        }
    }
}

#[test]
fn every_call_is_found_with_its_node_method_arguments_and_mode() {
    for (name, dialect) in CALLS {
        let file = recorded(&format!("{name}.pcapng"));
        every_call_is_found(name, dialect, &Reading::of(&file));
        every_call_is_found(
            name,
            dialect,
            &Reading::with(&file, Options::new().with_dialect(dialect)),
        );
        let reading = Reading::of(&file);
        let [flow] = &reading.closed[..] else { panic!("{:?}", reading.closed) };
        assert_eq!((flow.dialect(), flow.is_multiplayer()), (Some(dialect), true), "{name}");
    }
}

#[test]
fn every_announced_path_is_confirmed() {
    for (name, _) in CALLS {
        let reading = Reading::of(&recorded(&format!("{name}.pcapng")));
        let mut announced: BTreeMap<u16, Vec<String>> = BTreeMap::new();
        let mut confirmed = announced.clone();
        for given in &reading.given {
            let packet = given.packet.as_ref().unwrap();
            let path = || packet.json["path"].as_str().unwrap().to_string();
            match packet.command {
                "simplify_path" => announced.entry(given.src.port()).or_default().push(path()),
                "confirm_path" => confirmed.entry(given.dst.port()).or_default().push(path()),
                _ => {}
            }
        }
        // Each end announces each of the four nodes.
        assert!(announced.values().all(|paths| paths.len() == 4), "{name} {announced:?}");
        assert_eq!((announced.len(), &announced), (2, &confirmed), "{name}");
    }
}
