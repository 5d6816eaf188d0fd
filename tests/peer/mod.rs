//! Peers over sockets of this computer.

mod enet;
mod websocket;

use gdwire::Dialect;
use gdwire::multiplayer::PeerId;
use gdwire::multiplayer::session::{SessionEvent, SessionOptions};
use gdwire::peer::{
    EnetOptions, EnetPeer, GamePeer, ServerAddress, WebSocketOptions, WebSocketPeer,
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

/// What a client sends without a pause does not hold the loop of a server.
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
