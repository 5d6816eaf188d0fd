//! Captures of the high-level multiplayer API: every call and every raw packet is decoded, for
//! every peer that receives it, directly or through a relay.

use crate::common::{lines, unhex};
use crate::messages::read::{Contents, Given, Reading, canonical, recorded};
use crate::messages::values::dialect_of;
use gdwire::Dialect;
use gdwire::follow::{Peers, Transport};
use gdwire::net::enet::Mode;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const CALLS: [&str; 6] = [
    "godot3-rpc",
    "godot3-rpc-compressed",
    "godot3-rpc-three",
    "godot4-rpc",
    "godot4-rpc-compressed",
    "godot4-rpc-three",
];

const SERVER: u16 = 7777;
const CLIENT: u16 = 7778;
/// A second client, which sends nothing of its own.
const LISTENER: u16 = 7779;

/// A line of the ground truth: something that a game sent.
#[derive(Deserialize)]
pub(crate) struct Sent {
    pub(crate) n: usize,
    pub(crate) from: String,
    pub(crate) kind: String,
    #[serde(default)]
    mode: String,
    channel: Option<u8>,
    pub(crate) target: Option<i32>,
    pub(crate) path: String,
    #[serde(default)]
    method: String,
    pub(crate) args_hex: Vec<String>,
    #[serde(default)]
    delivered: bool,
    // Over WebSocket.
    pub(crate) source: Option<i32>,
}

/// A call, a change of a property or raw bytes: its kind, its target and its values.
pub(crate) type Done = (String, String, String, Vec<Vec<u8>>);

impl Sent {
    pub(crate) fn done(&self, dialect: Dialect) -> Done {
        let args = self.args_hex.iter().map(|hex| canonical(dialect, &unhex(hex))).collect();
        let path = self.path.strip_prefix("/root/").unwrap_or(&self.path);
        (self.kind.clone(), path.to_string(), self.method.clone(), args)
    }

    fn channel(&self) -> u8 {
        let is_reliable = self.mode == "reliable";
        match self.channel {
            None => 1 + u8::from(!is_reliable),
            Some(0) => (!is_reliable).into(),
            Some(channel) => channel + 1,
        }
    }

    fn mode(&self, is_big: bool) -> Mode {
        match &*self.mode {
            "reliable" => Mode::Reliable,
            // Godot 3 leaves large messages to ENet, which sends their fragments reliably.
            _ if is_big && self.channel.is_none() => Mode::Reliable,
            "unreliable" if !is_big => Mode::Unsequenced,
            _ => Mode::Unreliable,
        }
    }
}

/// The effect of a message, its sender and all its receivers.
fn done(given: &Given, ids: &BTreeMap<u16, i32>) -> Option<(i32, BTreeSet<i32>, Done)> {
    let contents = given.packet.as_ref()?;
    let kind = match contents.relay.map_or(contents.command, |(_, command)| command) {
        "call" => "rpc",
        "set" => "rset",
        "raw" => "bytes",
        _ => return None,
    };
    let name = |name: &Option<String>| name.clone().unwrap_or_default();
    let done =
        (kind.to_string(), name(&contents.path), name(&contents.method), contents.args.clone());
    let (mut source, mut target) =
        (given.peers.source.unwrap().get(), given.peers.target.unwrap().get());
    match contents.relay {
        Some((peer, _)) if given.src.port() == SERVER => source = peer.get(),
        Some((peer, _)) => target = peer.get(),
        None => {}
    }
    let all: BTreeSet<i32> = ids.values().copied().filter(|id| *id != source).collect();
    let targets = match target {
        0 => all,
        target if target < 0 => all.into_iter().filter(|id| *id != -target).collect(),
        target => [target].into(),
    };
    Some((source, targets, done))
}

/// Whether a packet is the engine's own, or synchronizes a node.
fn is_own(contents: &Contents) -> bool {
    let command = contents.relay.map_or(contents.command, |(_, command)| command);
    let names = ["simplify_path", "confirm_path", "peer_added", "peer_removed"];
    names.contains(&command) || ["spawn", "despawn", "sync", "delta"].contains(&command)
}

/// The peer id of each port.
fn ids(given: &[Given]) -> BTreeMap<u16, i32> {
    let mut ids = BTreeMap::new();
    for given in given {
        let Peers { source: Some(source), target: Some(target), .. } = given.peers else {
            panic!("{given:?}")
        };
        let (source, target) = (source.get(), target.get());
        if given.src.port() != SERVER {
            assert_eq!(*ids.entry(given.src.port()).or_insert(source), source);
        }
        assert!(source > 0 && target >= 0);
    }
    ids.insert(SERVER, 1);
    ids
}

#[test]
fn every_call_is_decoded_for_every_receiver() {
    for name in CALLS {
        let reading = Reading::of(&recorded(&format!("{name}.pcapng")));
        assert!(reading.is_whole(), "{name} {:?} {:?}", reading.lost, reading.other);
        let dialect = dialect_of(name);
        let ids = ids(&reading.given);
        let has_listener = name.ends_with("three");
        assert_eq!(ids.len(), if has_listener { 3 } else { 2 }, "{name}");
        let sent: Vec<Sent> = lines(&format!("captures/{name}.ndjson"));
        let is_call = |sent: &&Sent| matches!(&*sent.kind, "rpc" | "rset" | "bytes");
        // Calls that a receiver refused were on the wire nevertheless.
        let sent: Vec<_> =
            sent.iter().filter(is_call).filter(|sent| sent.delivered || has_listener).collect();
        assert!(sent.len() > 90, "{name}");
        for given in &reading.given {
            assert_eq!((given.transport, given.dialect), (Transport::Enet, dialect), "{name}");
            assert!(given.packet.is_some(), "{name}");
        }
        let mut compared = BTreeSet::new();
        let hops = [
            ("client", CLIENT, SERVER, SERVER),
            ("client", CLIENT, SERVER, LISTENER),
            ("client", SERVER, LISTENER, LISTENER),
            ("server", SERVER, CLIENT, CLIENT),
            ("server", SERVER, LISTENER, LISTENER),
        ];
        for (from, src, dst, to) in hops {
            let Some(&to) = ids.get(&to) else { continue };
            let source = if from == "server" { 1 } else { ids[&CLIENT] };
            let hop = reading.given.iter();
            let hop = hop.filter(|it| (it.src.port(), it.dst.port()) == (src, dst));
            let mut channels: BTreeMap<u8, Vec<_>> = BTreeMap::new();
            for given in hop {
                if let Some((by, targets, done)) = done(given, &ids)
                    && by == source
                    && targets.contains(&to)
                {
                    channels.entry(given.channel.unwrap()).or_default().push((given, done));
                }
            }
            let mut expected: BTreeMap<u8, Vec<_>> = BTreeMap::new();
            for sent in &sent {
                if sent.from == from && [0, to].contains(&sent.target.unwrap()) {
                    expected.entry(sent.channel()).or_default().push(*sent);
                }
            }
            let numbers = |channels: &BTreeMap<u8, Vec<_>>| {
                channels.iter().map(|(at, it)| (*at, it.len())).collect::<Vec<_>>()
            };
            let expected_numbers: Vec<_> =
                expected.iter().map(|(at, it)| (*at, it.len())).collect();
            assert_eq!(numbers(&channels), expected_numbers, "{name} {from} {src} {dst} {to}");
            for (channel, given) in channels {
                for ((given, done), sent) in given.into_iter().zip(&expected[&channel]) {
                    assert_eq!(done, sent.done(dialect), "{name} {given:?}");
                    // A packet that does not fit into one datagram.
                    let front = if sent.channel.is_none() { 8 } else { 0 };
                    let most = if sent.channel.is_none() { 1_372 } else { 1_364 };
                    let is_big = given.bytes.len() + front > most;
                    assert_eq!(given.mode, Some(sent.mode(is_big)), "{name} {given:?}");
                    compared.insert((given.frame, given.src, given.offset));
                }
            }
        }
        let least = if has_listener { 150 } else { 90 };
        assert!(compared.len() >= least, "{name} {}", compared.len());
        // All other messages are the engine's own.
        for given in &reading.given {
            let is_compared = compared.contains(&(given.frame, given.src, given.offset));
            assert_eq!(is_compared, done(given, &ids).is_some(), "{name} {given:?}");
            assert_eq!(is_compared, !is_own(given.packet.as_ref().unwrap()), "{name} {given:?}");
        }
    }
}
