//! Peers over sockets of this computer.

mod enet;
mod websocket;

use gdwire::Dialect;
use gdwire::multiplayer::PeerId;
use gdwire::multiplayer::session::{NewNode, SessionEvent, SessionOptions, SyncConfig};
use gdwire::peer::{
    BotOptions, Bots, EnetOptions, EnetPeer, GamePeer, ServerAddress, WebSocketOptions,
    WebSocketPeer,
};
use gdwire::project::TransferMode;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest time to wait for anything.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Polls peers until their events fulfil a condition, and returns the events of each.
fn poll_until(
    peers: &mut [&mut GamePeer],
    is_done: impl Fn(&[Vec<SessionEvent>]) -> bool,
) -> Vec<Vec<SessionEvent>> {
    let start = Instant::now();
    let mut events: Vec<_> = peers.iter().map(|_| Vec::new()).collect();
    while !is_done(&events) {
        assert!(start.elapsed() < TIMEOUT, "{events:?} {peers:?}");
        for (peer, events) in peers.iter_mut().zip(&mut events) {
            while let Some(event) = peer.poll().unwrap() {
                events.push(event);
            }
        }
        sleep(Duration::from_millis(1));
    }
    events
}

/// A server over each transport, and its address.
fn servers(session: &SessionOptions) -> [(GamePeer, ServerAddress); 2] {
    let any = ([127, 0, 0, 1], 0).into();
    let enet = EnetPeer::listen(any, session.clone(), EnetOptions::default()).unwrap();
    let websocket =
        WebSocketPeer::listen(any, session.clone(), WebSocketOptions::default()).unwrap();
    let urls = [format!("enet://{}", enet.address()), format!("ws://{}", websocket.address())];
    let [first, second] = urls.map(|url| ServerAddress::resolve(&url).unwrap());
    [(enet.into(), first), (websocket.into(), second)]
}

fn client(server: &ServerAddress, session: SessionOptions) -> GamePeer {
    let (enet, websocket) = (EnetOptions::default(), WebSocketOptions::default());
    GamePeer::connect(server, session, enet, &websocket).unwrap()
}

fn is_joined(events: &[SessionEvent]) -> bool {
    events.iter().any(|event| matches!(event, SessionEvent::PeerConnected { .. }))
}

/// A program that gives those of the other by mistake finds out at once.
#[test]
fn a_server_and_a_client_need_their_options() {
    let (any, session) = (([127, 0, 0, 1], 0).into(), SessionOptions::client);
    let session = session(Dialect::GODOT_4, PeerId::new(7));
    let enet = EnetPeer::listen(any, session.clone(), EnetOptions::default());
    let websocket = WebSocketPeer::listen(any, session, WebSocketOptions::default());
    for error in [enet.unwrap_err(), websocket.unwrap_err()] {
        assert_eq!(error.to_string(), "a server needs SessionOptions::server");
    }
    for url in ["enet://127.0.0.1:7777", "ws://127.0.0.1:7777"] {
        let address = ServerAddress::resolve(url).unwrap();
        for id in [i32::MIN, -7, 0, 1] {
            let session = SessionOptions::client(Dialect::GODOT_4, PeerId::new(id));
            let (enet, websocket) = (EnetOptions::default(), WebSocketOptions::default());
            let error = GamePeer::connect(&address, session, enet, &websocket).unwrap_err();
            assert_eq!(
                error.to_string(),
                "a client needs SessionOptions::client with an id above 1"
            );
        }
    }
}

/// A client that sends without a pause does not hold up the loop of a server.
#[test]
fn a_peer_receives_once_between_two_times_when_it_returns_nothing() {
    for (mut server, address) in servers(&SessionOptions::server(Dialect::GODOT_4)) {
        let session = SessionOptions::client(Dialect::GODOT_4, PeerId::new(7));
        let mut client = client(&address, session);
        poll_until(&mut [&mut server, &mut client], |events| events.iter().all(|it| is_joined(it)));
        let send = |client: &mut GamePeer| {
            client.session().send_bytes(PeerId::SERVER, b"x", TransferMode::Reliable, 0).unwrap();
            assert!(client.poll().unwrap().is_none());
        };
        let start = Instant::now();
        for _ in 0..3 {
            send(&mut client);
            while server.poll().unwrap().is_none() {
                assert!(start.elapsed() < TIMEOUT);
                assert!(client.poll().unwrap().is_none());
                sleep(Duration::from_millis(1));
            }
            // It arrives at once, and waits for the next turn.
            send(&mut client);
            sleep(Duration::from_millis(10));
            assert!(server.poll().unwrap().is_none(), "{address}");
            poll_until(&mut [&mut server, &mut client], |events| events[0].len() == 1);
        }
    }
}

/// A client that guesses all passwords at once has one guess.
#[test]
fn what_a_disconnected_peer_has_sent_is_dropped() {
    let options = |it: SessionOptions| it.with_authentication(TIMEOUT);
    for (mut server, address) in servers(&options(SessionOptions::server(Dialect::GODOT_4))) {
        let session = SessionOptions::client(Dialect::GODOT_4, PeerId::new(7));
        let mut client = client(&address, options(session));
        poll_until(&mut [&mut client, &mut server], |events| !events[0].is_empty());
        for guess in [b"one", b"two", b"abc"] {
            client.session().send_auth(PeerId::SERVER, guess).unwrap();
        }
        client.session().complete_auth(PeerId::SERVER).unwrap();
        let mut shown = Vec::new();
        let start = Instant::now();
        while !shown.last().is_some_and(|last: &String| last.starts_with("AuthenticationFailed")) {
            assert!(start.elapsed() < TIMEOUT, "{shown:?}");
            while client.poll().unwrap().is_some() {}
            while let Some(event) = server.poll().unwrap() {
                if let SessionEvent::Auth { peer, .. } = &event {
                    server.disconnect(*peer);
                }
                shown.push(format!("{event:?}"));
            }
            sleep(Duration::from_millis(1));
        }
        let kinds: Vec<_> = shown.iter().map(|it| it.split(' ').next().unwrap()).collect();
        let after = kinds.iter().filter(|kind| **kind != "Authenticating");
        assert_eq!(
            after.copied().collect::<Vec<_>>(),
            ["Auth", "AuthenticationFailed"],
            "{shown:?}"
        );
    }
}

/// A client that is gone, or does not answer on purpose, does not stay in the game.
#[test]
fn a_disconnected_peer_has_left_at_once() {
    let options = SessionOptions::server(Dialect::GODOT_4).with_unknown_nodes();
    for (mut server, address) in servers(&options) {
        let connect = |id| {
            let session = SessionOptions::client(Dialect::GODOT_4, PeerId::new(id));
            client(&address, session)
        };
        let (mut gone, mut other) = (connect(7), connect(9));
        poll_until(&mut [&mut server, &mut gone, &mut other], |events| {
            events[1..].iter().all(|events| events.len() == 2)
        });
        let (id, other_id) = (gone.session().id(), other.session().id());
        // The server ignores everything that the client sends from then on.
        server.session().set_authority("Main/Spawner", id);
        gone.session().set_authority("Main/Spawner", id);
        gone.session().send_bytes(PeerId::SERVER, b"x", TransferMode::Reliable, 0).unwrap();
        let config = SyncConfig::new().with_sync(["hp"]);
        let node = NewNode::of_scene(0, "node").with_synchronizer(config);
        gone.session().spawn("Main/Spawner", node, &[]).unwrap();
        while gone.poll().unwrap().is_some() {}
        sleep(Duration::from_millis(50));

        assert!(matches!(server.poll().unwrap(), Some(SessionEvent::Bytes { .. })));
        server.session().send_bytes(id, b"why", TransferMode::Reliable, 0).unwrap();
        server.disconnect(id);
        assert_eq!(server.session().peers().collect::<Vec<_>>(), [other_id]);
        let is_gone = |it: &SessionEvent| matches!(it, SessionEvent::PeerDisconnected { peer } if *peer == id);
        let events = poll_until(&mut [&mut server, &mut other], |events| {
            events.iter().all(|events| events.iter().any(is_gone))
        });
        assert_eq!(events[0].len(), 1, "{address:?}: {events:?}");
        // The client still receives what the server sent before.
        let events = poll_until(&mut [&mut gone, &mut server], |events| events[0].len() > 1);
        assert!(matches!(&events[0][0], SessionEvent::Bytes { bytes, .. } if bytes == b"why"));
    }
}

#[test]
fn a_client_that_leaves_does_not_blame_the_server() {
    for (mut server, address) in servers(&SessionOptions::server(Dialect::GODOT_4)) {
        let session = SessionOptions::client(Dialect::GODOT_4, PeerId::new(7));
        let mut client = client(&address, session);
        poll_until(&mut [&mut server, &mut client], |events| events.iter().all(|it| is_joined(it)));
        client.disconnect(PeerId::SERVER);
        let reason = poll_until_closed(&mut client, &mut [&mut server]);
        assert_eq!(reason, "this end has closed the connection", "{address}");
    }
}

/// Scripts say which client is the authority of a node, and bots do not run them.
#[test]
fn bots_do_not_take_states_of_other_clients_for_wrong() {
    for (mut server, address) in servers(&SessionOptions::server(Dialect::GODOT_4)) {
        let session = SessionOptions::client(Dialect::GODOT_4, PeerId::new(7));
        let mut player = client(&address, session.clone());
        poll_until(&mut [&mut server, &mut player], |events| events.iter().all(|it| is_joined(it)));
        let id = player.session().id();
        player.session().set_authority("Main/Players/7/Input", id);
        let config = SyncConfig::new().with_sync(["aim"]);
        player.session().add_synchronizer("Main/Players/7/Input/Sync", &config).unwrap();
        let mut bots = Bots::new(BotOptions::new(address, session).with_count(2, Duration::ZERO));
        let start = Instant::now();
        while bots.counts().bytes_received < 5_000 {
            assert!(start.elapsed() < TIMEOUT, "{:?}", bots.counts());
            bots.advance().unwrap();
            while server.poll().unwrap().is_some() || player.poll().unwrap().is_some() {}
            sleep(Duration::from_millis(1));
        }
        let counts = bots.counts();
        assert_eq!((counts.playing, counts.unaccepted), (2, 0), "{counts:?}");
    }
}

/// Polls peers until this one is closed, and returns the reason.
fn poll_until_closed(peer: &mut GamePeer, others: &mut [&mut GamePeer]) -> String {
    let start = Instant::now();
    while !peer.is_closed() {
        assert!(start.elapsed() < TIMEOUT, "{peer:?}");
        while peer.poll().unwrap().is_some() {}
        for other in &mut *others {
            while other.poll().unwrap().is_some() {}
        }
        sleep(Duration::from_millis(1));
    }
    peer.close_reason().unwrap().to_owned()
}
