//! Packets that a peer should not send are refused, and change nothing.

use crate::common::unhex;
use crate::multiplayer::session::{Game, METHODS, events, names};
use crate::multiplayer::{engines, recorded};
use gdwire::Dialect;
use gdwire::multiplayer::PeerId;
use gdwire::multiplayer::session::{Session, SessionLimits, SessionOptions};
use gdwire::project::TransferMode;
use proptest::prelude::*;
use std::sync::LazyLock;
use std::time::Duration;

/// The reasons for which a server refuses a packet from client 11.
fn to_server(game: &mut Game, channel: u8, packet: &[u8]) -> Vec<String> {
    game.server.receive(PeerId::new(11), packet, TransferMode::Reliable, channel);
    let said = events(&mut game.server);
    let refused = said.iter().map(|line| line.strip_prefix("1: 11 refused: "));
    refused.map(|line| line.unwrap_or_else(|| panic!("{said:?}")).to_string()).collect()
}

#[test]
fn wrong_packets_are_refused_with_the_reason() {
    let mut game = Game::new(Dialect::GODOT_4, 2);
    game.events();
    let digest = "00000000000000000000000000000000";
    let simplify = |id: u8, path: &str| {
        [&[1][..], digest.as_bytes(), &[0, id, 0, 0, 0], path.as_bytes(), &[0]].concat()
    };
    assert!(events(&mut game.server).is_empty());
    game.server.receive(PeerId::new(11), &simplify(1, "Main/Chat"), TransferMode::Reliable, 0);
    assert_eq!(events(&mut game.server), ["1: mismatch 11 Main/Chat"]);
    assert!(game.server.poll_transmit().is_some());
    for (packet, reason) in [
        (
            vec![],
            "the packet cannot be read: byte 0: the command ends too early: 1 byte is needed, 0 are left",
        ),
        (
            vec![9],
            "the packet cannot be read: byte 0: the command has the bits 0x08, which no engine sets",
        ),
        (simplify(1, "Main/World"), "the sender has announced the id 1 twice"),
        (simplify(2, "Main/Nobody"), "the node is not known"),
        (simplify(3, &"x".repeat(2_000)), "the node is not known"),
        (vec![2, 1, 9, 0, 0, 0], "the packet confirms a path that was not announced"),
        (vec![0x80, 9, 0], "the sender has announced no path with the id 9"),
        (vec![0x80, 1, 7], "the node has no such method"),
        (vec![5, 1, 0, 0, 0], "the sender has spawned no node with the number 1"),
        (
            vec![4, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, b'a', 0],
            "the sender is not the authority of the node",
        ),
        (vec![7, 1, 99, 0, 0, 0], "the sender may not send such a packet"),
        (vec![7, 2, 12, 0, 0, 0], "the sender may not send such a packet"),
        (vec![7, 0, 1], "the sender wants an authentication, and this peer has none now"),
        (vec![7, 3, 77, 0, 0, 0, 3, 1], "there is no peer 77"),
        (vec![7, 3, 1, 0, 0, 0, 3, 1], "there is no peer 1"),
    ] {
        assert_eq!(to_server(&mut game, 0, &packet), [reason], "{packet:02x?}");
        assert!(game.server.poll_transmit().is_none());
    }
    let before: Vec<_> = game.server.peers().map(PeerId::get).collect();
    assert_eq!(before, [11, 12]);
    // A stranger is refused whatever it sends.
    game.server.receive(PeerId::new(99), &[3, 1], TransferMode::Reliable, 0);
    assert_eq!(events(&mut game.server), ["1: 99 refused: the sender is not connected"]);
    // A client takes news about peers only from the server, and only possible ones.
    for packet in
        [[7, 1, 12, 0, 0, 0], [7, 1, 1, 0, 0, 0], [7, 1, 11, 0, 0, 0], [7, 2, 77, 0, 0, 0]]
    {
        let client = &mut game.clients[0];
        client.receive(PeerId::SERVER, &packet, TransferMode::Reliable, 0);
        let refused = format!("11: 1 refused: there is no peer {}", packet[2]);
        assert_eq!(events(client), [refused]);
    }
}

#[test]
fn a_client_is_not_told_that_the_server_comes_or_goes() {
    let mut game = Game::new(Dialect::GODOT_4, 1);
    game.events();
    for notice in [1, 2] {
        let packet = [7, notice, 1, 0, 0, 0];
        game.clients[0].receive(PeerId::SERVER, &packet, TransferMode::Reliable, 0);
    }
    assert_eq!(game.events(), ["11: 1 refused: there is no peer 1"; 2]);
}

#[test]
fn wrong_headers_of_godot_3_are_refused() {
    let mut game = Game::new(Dialect::GODOT_3, 2);
    game.events();
    let header = |source: i32, target: i32| {
        [&source.to_le_bytes()[..], &target.to_le_bytes(), &[4, 1]].concat()
    };
    for (channel, packet, reason) in [
        (1, vec![1, 2, 3], "the packet has no valid header"),
        (1, header(12, 1), "the packet claims to come from peer 12"),
        (1, header(1, 1), "the packet claims to come from peer 1"),
        (1, header(11, 77), "there is no peer 77"),
        (0, header(0, 1), "the packet has no valid header"),
        (0, vec![0, 0, 0, 0, 99, 0, 0, 0], "the sender may not send such a packet"),
        (0, vec![7, 0, 0, 0, 99, 0, 0, 0], "the packet has no valid header"),
    ] {
        assert_eq!(to_server(&mut game, channel, &packet), [reason], "{packet:02x?}");
        assert!(game.server.poll_transmit().is_none());
    }
    let client = &mut game.clients[0];
    client.receive(PeerId::SERVER, &header(77, 11), TransferMode::Reliable, 1);
    assert_eq!(events(client), ["11: 77 refused: there is no peer 77"]);
}

#[test]
fn a_peer_can_announce_only_as_much_as_the_limits_allow() {
    for dialect in [Dialect::GODOT_3, Dialect::GODOT_4] {
        let limits = SessionLimits::default().with_announcements(3).with_path_bytes(10);
        let options = SessionOptions::server(dialect).with_names(names(METHODS));
        let mut server = Session::new(options.with_unknown_nodes().with_limits(limits));
        let mut clients = Vec::new();
        for id in [11, 12] {
            let id = PeerId::new(id);
            server.connected(id).unwrap();
            let list = "**: hi";
            let options = SessionOptions::client(dialect, id).with_names(names(list));
            let mut client = Session::new(options.without_relay());
            client.connected(PeerId::SERVER).unwrap();
            clients.push(client);
        }
        events(&mut server);
        let mut call = |client: usize, path: &str| {
            let (client, mut calls) = (&mut clients[client], Vec::new());
            client.call(PeerId::SERVER, path, "hi", ()).unwrap();
            while let Some(sent) = client.poll_transmit() {
                server.receive(client.id(), &sent.bytes, sent.mode, sent.channel);
                calls.extend(events(&mut server));
            }
            calls.len()
        };
        // Only the call is reported.
        assert_eq!([call(0, "a"), call(0, "b"), call(0, "c")], [1; 3], "{dialect}");
        // The announcement is refused, and the call has the path.
        assert_eq!(call(0, "d"), 2, "{dialect}");
        // Both are refused.
        assert_eq!(call(1, "a path that is too long"), 2);
        assert_eq!(call(1, "e"), 1);
    }
}

/// Recorded packets, changed at any place, do no harm to a session.
#[test]
fn changed_packets_do_no_harm() {
    let mut refused = 0;
    for (name, (_, dialect)) in engines() {
        let options = SessionOptions::server(dialect).with_unknown_nodes();
        let mut server = Session::new(options);
        let id = PeerId::new(11);
        server.connected(id).unwrap();
        for (round, packet) in recorded(name).iter().enumerate() {
            let mut bytes = unhex(&packet.hex);
            let place = round * 7 % bytes.len().min(40);
            bytes[place] ^= 1 << (round % 8);
            if dialect == Dialect::GODOT_3 {
                bytes.splice(0..0, [11, 0, 0, 0, (round % 3) as u8, 0, 0, 0]);
            }
            server.receive(id, &bytes, TransferMode::Reliable, 1);
            while let Some(sent) = server.poll_transmit() {
                assert_eq!(sent.to, id);
            }
            refused += events(&mut server).iter().filter(|line| line.contains("refused")).count();
        }
    }
    assert!(refused > 100, "{refused}");
}

/// A packet of a recording, changed at a place, and how it arrives.
type Changed = (u8, prop::sample::Index, prop::sample::Index, u8);

proptest! {
    /// Whatever a session gets, in whatever order, it stays within its limits.
    #[test]
    fn any_packets_in_any_order_do_no_harm(
        is_server in any::<bool>(),
        accepts in any::<bool>(),
        changes in prop::collection::vec(any::<Changed>(), 1..60),
    ) {
        let packets = packets();
        for dialect in [Dialect::GODOT_3, Dialect::GODOT_4, Dialect::PANDEMONIUM_5] {
            let options = match is_server {
                true => SessionOptions::server(dialect),
                false => SessionOptions::client(dialect, PeerId::new(2)),
            };
            let limits = SessionLimits::default().with_peers(4).with_announcements(8).with_path_bytes(64);
            let options = options.with_names(names(METHODS)).with_limits(limits);
            let mut session = Session::new(match accepts {
                true => options.with_unknown_nodes().with_authentication(Duration::from_millis(9)),
                false => options,
            });
            for (time, (how, packet, place, value)) in (0..).zip(&changes) {
                let from = PeerId::new(if is_server { 3 + i32::from(how & 1) } else { 1 });
                let _ = session.connected(from);
                let mut bytes = packet.get(packets).clone();
                let place = place.index(bytes.len().min(24));
                bytes[place] = *value;
                if dialect != Dialect::GODOT_4 {
                    bytes.splice(0..0, [from.get() as u8, 0, 0, 0, how >> 6, 0, 0, 0]);
                }
                session.receive(from, &bytes, TransferMode::Reliable, how >> 2 & 3);
                if how & 16 != 0 {
                    let _ = session.complete_auth(from);
                    let _ = session.call(PeerId::EVERYONE, "Main/World", "take_hit", (1,));
                }
                if how & 32 != 0 && how & 8 != 0 {
                    session.disconnected(from);
                }
                session.handle_time(Duration::from_millis(time));
                prop_assert!(session.peers().len() <= 4);
                let mut sent = 0;
                while session.poll_transmit().is_some() {
                    sent += 1;
                }
                prop_assert!(sent < 20, "{sent}");
                events(&mut session);
            }
        }
    }
}

/// Recorded packets that are short.
fn packets() -> &'static [Vec<u8>] {
    static PACKETS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
        let all = engines().into_iter().flat_map(|(name, _)| recorded(name));
        all.map(|packet| unhex(&packet.hex)).filter(|bytes| bytes.len() < 200).collect()
    });
    &PACKETS
}
