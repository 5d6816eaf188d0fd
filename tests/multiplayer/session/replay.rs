//! Recorded games: a session in place of one end answers and calls as the recorded engine did.

use crate::common::{corpus, hex, unhex};
use crate::multiplayer::{GODOT_3, GODOT_4, Recorded, recorded};
use gdwire::capture::Messages;
use gdwire::follow::{Content, Event, Message};
use gdwire::multiplayer::session::{Session, SessionEvent, SessionOptions};
use gdwire::multiplayer::{
    Call, Context, Method, Methods, MultiplayerProtocol, Names, Node, Packet, Paths, PeerId, parse,
};
use gdwire::net::enet::godot::PeerHeader;
use gdwire::project::TransferMode;
use std::collections::BTreeMap;
use std::sync::Arc;

fn peer(name: &str) -> PeerId {
    // The ids in the recording.
    PeerId::new(match name {
        "server" => 1,
        "client" => 0x092c_0e4a,
        _ => 0x5838_069c,
    })
}

/// Whether the server sends such a packet on its own, as an answer to others.
fn is_answer(packet: &Packet<'_>) -> bool {
    matches!(packet, Packet::ConfirmPath(_) | Packet::Relay(_) | Packet::PeerAdded { .. })
}

/// The packets of recorded clients go to a server. Its answers are those of the recorded one.
#[test]
fn a_server_answers_as_the_recorded_one() {
    for (name, (protocol, dialect)) in
        [("godot3", GODOT_3), ("godot4", GODOT_4), ("godot4-three", GODOT_4)]
    {
        let mut server = Session::new(SessionOptions::server(dialect).with_unknown_nodes());
        let (mut expected, mut found) = (BTreeMap::new(), BTreeMap::new());
        let mut calls = (0, 0);
        for Recorded { from, to, hex: bytes } in recorded(name) {
            let (from, to, bytes) = (peer(&from), peer(&to), unhex(&bytes));
            let client = if from == PeerId::SERVER { to } else { from };
            if !server.peers().any(|other| other == client) {
                server.connected(client).unwrap();
            }
            let packet = parse(protocol, dialect, &bytes).unwrap();
            if from == PeerId::SERVER {
                if is_answer(&packet) {
                    expected.entry(to).or_insert_with(Vec::new).push(hex(&bytes));
                }
            } else {
                calls.0 += usize::from(matches!(packet, Packet::Call(_)));
                let mode = TransferMode::Reliable;
                if protocol == MultiplayerProtocol::Godot4 {
                    server.receive(from, &bytes, mode, 0);
                } else {
                    let header = PeerHeader { source: from, target: to };
                    server.receive(from, &[&header.to_bytes()[..], &bytes].concat(), mode, 1);
                }
            }
            while let Some(sent) = server.poll_transmit() {
                let bytes = match protocol {
                    MultiplayerProtocol::Godot4 => &sent.bytes,
                    _ => PeerHeader::split(&sent.bytes).unwrap().1,
                };
                found.entry(sent.to).or_insert_with(Vec::new).push(hex(bytes));
            }
            while let Some(event) = server.poll_event() {
                match event {
                    SessionEvent::Call(_) => calls.1 += 1,
                    // The recorded server has announced them.
                    SessionEvent::Refused { reason, .. } => assert_eq!(
                        reason.to_string(),
                        "the packet confirms a path that was not announced"
                    ),
                    _ => {}
                }
            }
        }
        assert_eq!(found, expected, "{name}");
        assert!(calls.0 > 30 && calls.0 == calls.1, "{calls:?}");
        assert!(expected.values().all(|answers| answers.len() > 4), "{name}");
    }
}

/// The same, with the headers that Godot 3 and Pandemonium put before packets over ENet.
#[test]
fn a_server_relays_as_the_recorded_one() {
    for name in ["godot3-rpc", "godot3-rpc-three", "pandemonium4-rpc", "pandemonium5-rpc"] {
        let file = std::fs::read(corpus("captures").join(format!("{name}.pcapng"))).unwrap();
        let each = |hand: &mut dyn FnMut(Message<'_>)| {
            let mut messages = Messages::new(&file[..]).unwrap();
            while let Some(event) = messages.next_event() {
                if let Event::Message(message) = event {
                    hand(message);
                }
            }
        };
        // The ids of the clients by their ports, and the ports in the order of the connections.
        let (mut ids, mut ports, mut dialect) = (BTreeMap::new(), Vec::new(), None);
        each(&mut |message| {
            dialect = Some(message.dialect);
            let (src, dst) = (message.origin.src().port(), message.origin.dst().port());
            let port = if src == 7777 { dst } else { src };
            if !ports.contains(&port) {
                ports.push(port);
            }
            if src != 7777 {
                ids.insert(src, message.peers.source.unwrap());
            }
        });
        let options = SessionOptions::server(dialect.unwrap());
        let mut server = Session::new(options);
        for port in &ports {
            server.connected(ids[port]).unwrap();
        }
        let (mut expected, mut found) = (BTreeMap::new(), BTreeMap::new());
        each(&mut |message| {
            let (src, dst) = (message.origin.src().port(), message.origin.dst().port());
            let Content::Packet(packet) = &message.content else { return };
            let header = message.peers.source.zip(message.peers.target);
            let header = header.map(|(source, target)| PeerHeader { source, target }.to_bytes());
            let is_notice = matches!(packet, Packet::PeerAdded { .. });
            let header = header.filter(|_| !is_notice).into_iter().flatten();
            let bytes: Vec<u8> = header.chain(message.bytes.iter().copied()).collect();
            let channel = message.delivery.channel.unwrap();
            if src == 7777 {
                let is_relayed = message.peers.source.is_some_and(|id| id != PeerId::SERVER);
                if is_relayed || is_answer(packet) {
                    let sent = (channel, hex(&bytes));
                    expected.entry(ids[&dst]).or_insert_with(Vec::new).push(sent);
                }
                return;
            }
            server.receive(ids[&src], &bytes, TransferMode::Reliable, channel);
            assert!(dst == 7777);
        });
        while let Some(sent) = server.poll_transmit() {
            let line = (sent.channel, hex(&sent.bytes));
            found.entry(sent.to).or_insert_with(Vec::new).push(line);
        }
        // Packets of different channels overtake each other.
        expected.values_mut().for_each(|answers| answers.sort());
        found.values_mut().for_each(|answers| answers.sort());
        assert_eq!(found, expected, "{name}");
        assert!(expected.values().map(Vec::len).sum::<usize>() >= 4, "{name}");
    }
}

/// The parts of a call that have to be the same in two calls: everything if they have the path of
/// the node, and otherwise everything but its id, which counts the paths that a server has
/// announced.
fn normal(call: &Call<'_>, paths: &Paths, bytes: &[u8]) -> (String, String, String) {
    match call.node {
        Node::Path(path) => (path.to_string(), hex(bytes), String::new()),
        Node::Id(id) => {
            let path = paths.path(PeerId::SERVER, id).unwrap();
            let method = format!("{:?}", call.method);
            (path.to_string(), method, format!("{:02x} {}", bytes[0], call.arguments))
        }
        other => panic!("{other:?}"),
    }
}

/// A server makes the calls of the recorded one, and gets the same confirmations. It sends the same
/// packets.
#[test]
fn a_server_calls_as_the_recorded_one() {
    let list = "**/World: any any_unreliable chat emote input_frame load_chunk many move respawn \
                set_score snapshot sync_state take_hit";
    let list = format!("{list}\n{}", list.replace("World", "*"));
    for (name, (protocol, dialect)) in [("godot3", GODOT_3), ("godot4", GODOT_4)] {
        let names = Arc::new(Names::from(Methods::parse(&list).unwrap()));
        let options = SessionOptions::server(dialect).with_names(names.clone());
        let mut server = Session::new(options.with_unknown_nodes());
        let client = peer("client");
        server.connected(client).unwrap();
        let new_paths = || Paths::new().with_names(names.clone());
        let (mut theirs, mut ours) = (new_paths(), new_paths());
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        for Recorded { from, hex: bytes, .. } in recorded(name) {
            let bytes = unhex(&bytes);
            let packet = parse(protocol, dialect, &bytes).unwrap();
            let is_new = protocol == MultiplayerProtocol::Godot4;
            match packet {
                Packet::SimplifyPath(_) if from == "server" => {
                    theirs.note(PeerId::SERVER, &packet);
                }
                Packet::Call(call) if from == "server" => {
                    expected.push(normal(&call, &theirs, &bytes));
                    let context = Context::new().with_paths(&theirs, PeerId::SERVER);
                    let callee = packet.callee(context).unwrap();
                    let Method::Name(method) = callee.method else { panic!("{callee:?}") };
                    let path = callee.path.unwrap();
                    server.call(client, path, method, call.arguments).unwrap();
                }
                Packet::ConfirmPath(confirm) if from != "server" => {
                    // The ids of the two servers differ.
                    let path = match confirm.node {
                        Node::Path(path) => path.to_string(),
                        Node::Id(id) => theirs.path(PeerId::SERVER, id).unwrap().to_string(),
                        other => panic!("{other:?}"),
                    };
                    let id = (0..100).find(|id| ours.path(PeerId::SERVER, *id) == Some(&*path));
                    if let Some(id) = id.filter(|_| is_new) {
                        let confirm = [&[2, 1][..], &u32::to_le_bytes(id)].concat();
                        server.receive(client, &confirm, TransferMode::Reliable, 0);
                    } else if !is_new {
                        let header = PeerHeader { source: client, target: PeerId::SERVER };
                        let packet = [&header.to_bytes()[..], &bytes].concat();
                        server.receive(client, &packet, TransferMode::Reliable, 1);
                    }
                }
                _ => {}
            }
            while let Some(sent) = server.poll_transmit() {
                let bytes = match protocol {
                    MultiplayerProtocol::Godot4 => &sent.bytes,
                    _ => PeerHeader::split(&sent.bytes).unwrap().1,
                };
                let packet = parse(protocol, dialect, bytes).unwrap();
                ours.note(PeerId::SERVER, &packet);
                if let Packet::Call(call) = packet {
                    found.push(normal(&call, &ours, bytes));
                }
            }
        }
        assert!(expected.len() > 40, "{}", expected.len());
        assert_eq!(found, expected, "{name}");
    }
}
