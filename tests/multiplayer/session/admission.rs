//! Peers that connect, are authenticated, and leave.

use crate::multiplayer::session::{DIALECTS, Game, events, names};
use gdwire::Dialect;
use gdwire::multiplayer::session::{Session, SessionError, SessionLimits, SessionOptions};
use gdwire::multiplayer::{MultiplayerProtocol, PacketEncoder, PeerId, parse};
use gdwire::project::TransferMode;
use std::time::Duration;

#[test]
fn clients_learn_of_each_other() {
    for dialect in DIALECTS {
        let mut game = Game::new(dialect, 3);
        let expected = [
            "1: +11", "1: +12", "1: +13", "11: +1", "11: +12", "11: +13", "12: +1", "12: +11",
            "12: +13", "13: +1", "13: +11", "13: +12",
        ];
        assert_eq!(game.events(), expected, "{dialect}");
        game.server.disconnected(PeerId::new(12));
        game.client(PeerId::new(12)).disconnected(PeerId::SERVER);
        game.exchange();
        assert_eq!(game.events(), ["1: -12", "11: -12", "12: -1", "13: -12"], "{dialect}");
        let peers: Vec<_> = game.server.peers().map(PeerId::get).collect();
        assert_eq!(peers, [11, 13]);
        assert_eq!(game.client(PeerId::new(12)).peers().len(), 0);
        // A client may come back.
        game.server.connected(PeerId::new(12)).unwrap();
        assert_eq!(game.events(), ["1: +12"]);
    }
}

#[test]
fn without_relay_clients_know_only_the_server() {
    for dialect in DIALECTS {
        let options = |it: SessionOptions| it.without_relay().with_names(names(super::METHODS));
        let mut game = Game::with(dialect, 2, options);
        assert_eq!(game.events(), ["1: +11", "1: +12", "11: +1", "12: +1"], "{dialect}");
        let other = PeerId::new(12);
        let error = game.clients[0].call(other, "Main/World", "respawn", ()).unwrap_err();
        assert_eq!(error, SessionError::UnknownPeer { peer: other });
    }
}

#[test]
fn ids_are_unique_and_possible() {
    let limits = gdwire::multiplayer::session::SessionLimits::default().with_peers(2);
    let options = SessionOptions::server(Dialect::GODOT_4).with_limits(limits);
    let mut server = Session::new(options);
    for id in [-2, 0, 1] {
        let peer = PeerId::new(id);
        assert_eq!(server.connected(peer), Err(SessionError::InvalidPeer { peer }));
    }
    let peer = PeerId::new(2);
    server.connected(peer).unwrap();
    assert_eq!(server.connected(peer), Err(SessionError::InvalidPeer { peer }));
    server.connected(PeerId::new(3)).unwrap();
    let error = server.connected(PeerId::new(4)).unwrap_err();
    assert_eq!(error.to_string(), "there are 2 peers already");
    let mut client = Session::new(SessionOptions::client(Dialect::GODOT_4, peer));
    assert_eq!(client.connected(peer), Err(SessionError::InvalidPeer { peer }));
    client.connected(PeerId::SERVER).unwrap();
}

fn authenticated(options: SessionOptions) -> SessionOptions {
    options.with_authentication(Duration::from_secs(3)).with_names(names(super::METHODS))
}

#[test]
fn a_peer_is_admitted_after_its_authentication() {
    let mut game = Game::with(Dialect::GODOT_4, 1, authenticated);
    let id = PeerId::new(11);
    assert_eq!(game.events(), ["1: authenticating 11", "11: authenticating 1"]);
    let error = game.server.call(id, "Main/World", "respawn", ()).unwrap_err();
    assert_eq!(error, SessionError::UnknownPeer { peer: id });
    game.clients[0].send_auth(PeerId::SERVER, b"key").unwrap();
    game.exchange();
    assert_eq!(game.events(), ["1: auth 11 [107, 101, 121]"]);
    assert!(matches!(game.server.send_auth(id, b""), Err(SessionError::Encode(_))));
    game.server.complete_auth(id).unwrap();
    assert_eq!(game.server.complete_auth(id), Err(SessionError::NotAuthenticating { peer: id }));
    game.exchange();
    assert_eq!(game.events(), [""; 0]);
    // The other end has completed it, so it takes no more data.
    let error = game.clients[0].send_auth(PeerId::SERVER, b"more").unwrap_err();
    assert_eq!(error, SessionError::NotAuthenticating { peer: PeerId::SERVER });
    game.clients[0].complete_auth(PeerId::SERVER).unwrap();
    game.exchange();
    assert_eq!(game.events(), ["1: +11", "11: +1"]);
    game.server.call(id, "Main/World", "respawn", ()).unwrap();
    game.exchange();
    assert_eq!(game.events(), ["11: 1 calls Main/World.respawn()"]);
}

/// A server that greets each client with data of its own has not admitted it by that.
#[test]
fn data_for_an_authentication_does_not_end_it() {
    let mut game = Game::with(Dialect::GODOT_4, 1, authenticated);
    let id = PeerId::new(11);
    game.events();
    game.server.send_auth(id, b"ask").unwrap();
    game.clients[0].send_auth(PeerId::SERVER, b"key").unwrap();
    game.clients[0].complete_auth(PeerId::SERVER).unwrap();
    game.exchange();
    assert_eq!(game.events(), ["1: auth 11 [107, 101, 121]", "11: auth 1 [97, 115, 107]"]);
    let error = game.clients[0].call(PeerId::SERVER, "Main/World", "respawn", ()).unwrap_err();
    assert_eq!(error, SessionError::UnknownPeer { peer: PeerId::SERVER });
    game.server.complete_auth(id).unwrap();
    game.exchange();
    assert_eq!(game.events(), ["1: +11", "11: +1"]);
}

#[test]
fn data_for_an_authentication_is_refused_if_there_is_none() {
    let mut game = Game::new(Dialect::GODOT_4, 1);
    game.events();
    game.clients[0].receive(PeerId::SERVER, &[5, 6, 7], TransferMode::Reliable, 0);
    let encoder = PacketEncoder::new(MultiplayerProtocol::Godot4, Dialect::GODOT_4);
    let packet = encoder.auth(b"ask", Vec::new()).unwrap();
    game.clients[0].receive(PeerId::SERVER, &packet, TransferMode::Reliable, 0);
    let refused = "11: 1 refused: the sender wants an authentication, and this peer has none now";
    assert_eq!(game.events().last().map(String::as_str), Some(refused));
}

#[test]
fn a_peer_that_is_not_authenticated_in_time_is_dropped() {
    let id = PeerId::new(7);
    let mut server = Session::new(authenticated(SessionOptions::server(Dialect::GODOT_4)));
    server.handle_time(Duration::from_secs(10));
    assert_eq!(server.next_timeout(), None);
    server.connected(id).unwrap();
    assert_eq!(server.next_timeout(), Some(Duration::from_secs(13)));
    server.receive(id, &[3, 1], TransferMode::Reliable, 0);
    server.handle_time(Duration::from_millis(12_999));
    assert_eq!(
        events(&mut server),
        ["1: authenticating 7", "1: 7 refused: the sender is not authenticated"]
    );
    server.handle_time(Duration::from_secs(13));
    server.receive(id, &[7, 0], TransferMode::Reliable, 0);
    assert_eq!(events(&mut server), ["1: failed 7", "1: 7 refused: the sender is not connected"]);
    server.handle_time(Duration::from_secs(14));
    assert_eq!((server.next_timeout(), events(&mut server)), (None, Vec::new()));
    // A peer that leaves before the end of its authentication has failed, too.
    server.connected(id).unwrap();
    server.disconnected(id);
    assert_eq!(events(&mut server), ["1: authenticating 7", "1: failed 7"]);
    assert!(server.poll_transmit().is_none());
}

#[test]
fn limits_are_those_of_the_documentation() {
    let limits = SessionLimits::default();
    assert_eq!((limits.peers, limits.announcements, limits.path_bytes), (4_096, 4_096, 1_024));
    // No longer path is accepted, whatever the limit.
    let path_of = |len: usize| format!("Main/{}", "x".repeat(len - 5));
    for (limit, longest) in [(8, 8), (1_023, 1_023), (1_024, 1_024), (1_025, 1_024)] {
        let options = SessionOptions::server(Dialect::GODOT_4).with_unknown_nodes();
        let mut server = Session::new(options.with_limits(limits.with_path_bytes(limit)));
        let id = PeerId::new(7);
        server.connected(id).unwrap();
        let encoder = PacketEncoder::new(MultiplayerProtocol::Godot4, Dialect::GODOT_4);
        for (number, len) in [(1, longest), (2, longest + 1)] {
            let md5 = "d41d8cd98f00b204e9800998ecf8427e";
            let path = path_of(len);
            let packet = encoder.simplify_path(number, &path, Some(md5), Vec::new()).unwrap();
            server.receive(id, &packet, TransferMode::Reliable, 0);
        }
        let refused = "1: 7 refused: the sender has announced too many or too long names";
        assert_eq!(events(&mut server), ["1: +7", refused], "{limit}");
    }
}

/// A session keeps the names that a peer announced until its user takes the event that the peer has left.
#[test]
fn names_are_forgotten_when_it_is_noticed_that_a_peer_has_left() {
    let mut game = Game::new(Dialect::GODOT_4, 2);
    let id = PeerId::new(11);
    game.server.call(id, "Main/World", "respawn", ()).unwrap();
    game.clients[1].call(id, "Main/Chat", "say", ("hi",)).unwrap();
    game.exchange();
    game.events();
    let mut client = game.clients.swap_remove(0);
    // A call of the first method of the first node that each has announced.
    let packet = parse(MultiplayerProtocol::Godot4, Dialect::GODOT_4, &[0x80, 1, 0]).unwrap();
    let shown = |session: &Session, peers: [i32; 2]| {
        peers.map(|from| packet.display(session.context(PeerId::new(from))).to_string())
    };
    let known = ["Main/World.respawn()", "Main/Chat.say()"];
    assert_eq!(shown(&client, [1, 12]), known);
    client.disconnected(PeerId::SERVER);
    assert_eq!(shown(&client, [1, 12]), known);
    assert_eq!(events(&mut client), ["11: -1"]);
    assert_eq!(shown(&client, [1, 12]), ["#1.#0()", "#1.#0()"]);
    // A server forgets only the one that has left.
    let mut game = Game::new(Dialect::GODOT_4, 2);
    for client in &mut game.clients {
        client.call(PeerId::SERVER, "Main/World", "respawn", ()).unwrap();
    }
    game.exchange();
    game.events();
    game.server.disconnected(id);
    assert_eq!(shown(&game.server, [11, 12]), ["Main/World.respawn()", "Main/World.respawn()"]);
    assert_eq!(events(&mut game.server), ["1: -11"]);
    assert_eq!(shown(&game.server, [11, 12]), ["#1.#0()", "Main/World.respawn()"]);
}

/// A client that has left and comes back knows no nodes, so they are announced to it again.
#[test]
fn nodes_are_announced_again_to_a_peer_that_comes_back() {
    for dialect in DIALECTS {
        let mut game = Game::new(dialect, 1);
        let id = PeerId::new(11);
        for _ in 0..2 {
            game.events();
            for _ in 0..2 {
                game.server.call(id, "Main/World", "respawn", ()).unwrap();
                game.exchange();
            }
            assert_eq!(game.events(), ["11: 1 calls Main/World.respawn()"; 2], "{dialect}");
            game.server.disconnected(id);
            game.clients = Game::new(dialect, 1).clients;
            game.server.connected(id).unwrap();
            game.exchange();
        }
    }
}
