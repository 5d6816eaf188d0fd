//! ENet: what hostile clients send, and limits.

use super::{TIMEOUT, is_joined, poll_until, poll_until_closed};
use gdwire::Dialect;
use gdwire::multiplayer::PeerId;
use gdwire::multiplayer::session::{SessionError, SessionEvent, SessionOptions};
use gdwire::peer::{EnetOptions, EnetPeer, GamePeer};
use gdwire::project::TransferMode;
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

fn connect(server: SocketAddr, id: i32) -> GamePeer {
    let session = SessionOptions::client(Dialect::GODOT_4, PeerId::new(id));
    EnetPeer::connect(server, session, EnetOptions::default()).unwrap().into()
}

/// The first bytes that were received, and their number.
fn bytes(events: &[SessionEvent]) -> Vec<(u8, usize)> {
    let bytes = events.iter().filter_map(|event| match event {
        SessionEvent::Bytes { bytes, .. } => Some((bytes[0], bytes.len())),
        _ => None,
    });
    bytes.collect()
}

/// A server on all addresses, also those of IPv6, returns the address of a client as others know
/// it.
#[test]
fn an_address_of_ipv4_is_told_as_such() {
    let session = || SessionOptions::server(Dialect::GODOT_4).without_relay();
    let listen = |ip: &str| {
        EnetPeer::listen(format!("{ip}:0").parse().unwrap(), session(), EnetOptions::default())
    };
    let Ok(server) = listen("[::]") else {
        eprintln!("skipped: this system has no IPv6");
        return;
    };
    let address = ([127, 0, 0, 1], server.address().port()).into();
    let (mut server, mut client) = (GamePeer::from(server), connect(address, 2));
    poll_until(&mut [&mut server, &mut client], |events| {
        events.iter().all(|events| is_joined(events))
    });
    assert_eq!(server.peer_address(PeerId::new(2)).unwrap().ip(), address.ip());
}

#[test]
fn a_server_goes_on_after_hostile_clients() {
    let session = SessionOptions::server(Dialect::GODOT_4).without_relay();
    let options = EnetOptions::default().with_clients(2).with_message_limit(10_000);
    let server = EnetPeer::listen(([127, 0, 0, 1], 0).into(), session, options).unwrap();
    let address = server.address();
    let mut server: GamePeer = server.into();
    // Datagrams of nobody.
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for at in 0..2_000_usize {
        let datagram: Vec<u8> = (0..at % 90).map(|place| (at * 31 + place * place) as u8).collect();
        socket.send_to(&datagram, address).unwrap();
        if at % 100 == 0 {
            assert!(server.poll().unwrap().is_none());
        }
    }
    let (mut first, mut second) = (connect(address, 2), connect(address, 3));
    poll_until(&mut [&mut server, &mut first, &mut second], |events| {
        events.iter().all(|events| is_joined(events))
    });
    // The other end has this address. Clients that are known only through the server have none.
    assert_eq!(first.peer_address(PeerId::SERVER), Some(address));
    let addresses = [2, 3, 4].map(|id| server.peer_address(PeerId::new(id)));
    let [Some(of_first), Some(of_second), None] = addresses else { panic!("{addresses:?}") };
    assert!(of_first.ip() == address.ip() && of_first.port() != of_second.port());
    // There is no room for another one.
    let mut third = connect(address, 4);
    let send = |peer: &mut GamePeer, value: u8, count: usize| {
        let bytes = vec![value; count];
        peer.session().send_bytes(PeerId::SERVER, &bytes, TransferMode::Reliable, 0).unwrap();
    };
    // A packet that is too long does not arrive. The packets of others do.
    send(&mut second, 7, 20_000);
    for round in 0..5 {
        send(&mut first, round, 9_000);
        let mut peers = [&mut server, &mut first, &mut second, &mut third];
        let events = poll_until(&mut peers, |events| !bytes(&events[0]).is_empty());
        assert_eq!(bytes(&events[0]), [(round, 9_000)]);
        assert!(!is_joined(&events[3]));
    }
}

/// A client that acknowledges nothing more is disconnected before much waits for it, and one that does
/// gets everything, even if that is many times the limit.
#[test]
fn what_waits_for_a_slow_client_is_limited() {
    let session = SessionOptions::server(Dialect::GODOT_4).without_relay();
    let options = EnetOptions::default().with_unsent_limit(100_000);
    let server = EnetPeer::listen(([127, 0, 0, 1], 0).into(), session, options).unwrap();
    let address = server.address();
    let mut server: GamePeer = server.into();
    let mut client = connect(address, 2);
    poll_until(&mut [&mut server, &mut client], |events| events.iter().all(|it| is_joined(it)));
    let send = |server: &mut GamePeer, value: u8| {
        let bytes = vec![value; 40_000];
        server.session().send_bytes(PeerId::new(2), &bytes, TransferMode::Reliable, 0).is_ok()
    };
    for round in 0..20 {
        assert!(send(&mut server, round));
        let events =
            poll_until(&mut [&mut server, &mut client], |events| !bytes(&events[1]).is_empty());
        assert_eq!(bytes(&events[1]), [(round, 40_000)]);
    }
    // The client reads no more.
    let mut sent = 0;
    let is_gone = |event: &SessionEvent| matches!(event, SessionEvent::PeerDisconnected { .. });
    while sent < 100 && send(&mut server, 0) {
        sent += 1;
        if server.poll().unwrap().is_some_and(|event| is_gone(&event)) {
            break;
        }
    }
    assert!((3..=5).contains(&sent), "{sent}");
}

/// A client whose connection hangs joins again with its id. The end of the old connection is not that of the
/// new one.
#[test]
fn the_end_of_an_old_connection_is_not_that_of_a_new_one() {
    let timeout = Duration::from_millis(200);
    let session = SessionOptions::server(Dialect::GODOT_4).with_authentication(timeout);
    let server = EnetPeer::listen(([127, 0, 0, 1], 0).into(), session, EnetOptions::default());
    let server = server.unwrap();
    let address = server.address();
    let mut server: GamePeer = server.into();
    let connect = || {
        let session = SessionOptions::client(Dialect::GODOT_4, PeerId::new(77));
        let session = session.with_authentication(TIMEOUT);
        let peer = EnetPeer::connect(address, session, EnetOptions::default()).unwrap();
        GamePeer::from(peer)
    };
    let is_given_up = |event: &_| matches!(event, SessionEvent::AuthenticationFailed { .. });
    let mut old = connect();
    poll_until(&mut [&mut server, &mut old], |events| !events[0].is_empty());
    // The old end hears nothing from now on.
    poll_until(&mut [&mut server], |events| events[0].iter().any(is_given_up));
    let mut new = connect();
    poll_until(&mut [&mut new, &mut server], |events| !events[0].is_empty());
    server.session().complete_auth(PeerId::new(77)).unwrap();
    new.session().complete_auth(PeerId::SERVER).unwrap();
    poll_until(&mut [&mut server, &mut new], |events| events.iter().all(|it| is_joined(it)));
    // It says that the old connection has ended.
    let reason = poll_until_closed(&mut old, &mut []);
    assert!(reason.starts_with("the server has closed"), "{reason}");
    for round in 0..3 {
        new.session().send_bytes(PeerId::SERVER, &[round], TransferMode::Reliable, 0).unwrap();
        let events = poll_until(&mut [&mut server, &mut new, &mut old], |it| !it[0].is_empty());
        assert_eq!((bytes(&events[0]), events[0].len()), (vec![(round, 1)], 1), "{events:?}");
    }
}

/// A packet that ENet cannot send is an error. It is not lost silently.
#[test]
fn what_does_not_fit_is_not_sent() {
    let session = SessionOptions::server(Dialect::GODOT_4);
    let options = EnetOptions::default().with_message_limit(1_000);
    let server = EnetPeer::listen(([127, 0, 0, 1], 0).into(), session, options).unwrap();
    let session = SessionOptions::client(Dialect::GODOT_4, PeerId::new(2));
    let client = EnetPeer::connect(server.address(), session, options).unwrap();
    let (mut server, mut client) = (GamePeer::from(server), GamePeer::from(client));
    poll_until(&mut [&mut server, &mut client], |events| events.iter().all(|it| is_joined(it)));
    let client_id = PeerId::new(2);
    for (from, to) in [(&mut server, client_id), (&mut client, PeerId::SERVER)] {
        let mut send = |len: usize, channel| {
            from.session().send_bytes(to, &vec![7; len], TransferMode::Reliable, channel)
        };
        let too_long = SessionError::PacketTooLong { len: 1_001, limit: 1_000 };
        assert_eq!(send(1_000, 0), Err(too_long));
        for channel in [254, 255] {
            let error = SessionError::NoSuchChannel { channel, highest: 253 };
            assert_eq!(send(1, channel), Err(error));
        }
        assert_eq!((send(999, 0), send(998, 253)), (Ok(()), Ok(())));
    }
    let events = poll_until(&mut [&mut server, &mut client], |events| {
        events.iter().all(|events| bytes(events).len() == 2)
    });
    for events in events {
        let mut all = bytes(&events);
        all.sort_unstable();
        assert_eq!(all, [(7, 998), (7, 999)]);
    }
}
