//! WebSocket: what peers say to each other, TLS, and what is refused.

use super::{TIMEOUT, poll_until, poll_until_closed};
use crate::common::{AUTHORITY, tls_in_front_of};
use gdwire::Dialect;
use gdwire::multiplayer::session::{Refusal, SessionEvent, SessionOptions};
use gdwire::multiplayer::{Methods, MultiplayerProtocol, Names, PacketEncoder, PeerId};
use gdwire::peer::{
    EnetOptions, GamePeer, ServerAddress, TrafficContent, WebSocketOptions, WebSocketPeer,
};
use gdwire::project::TransferMode;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const CHAT: &str = "Main/Chat";
/// How a client begins.
const REQUEST: &str = "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                       Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
const DIALECTS: [Dialect; 2] = [Dialect::GODOT_3, Dialect::GODOT_4];

fn named(options: SessionOptions) -> SessionOptions {
    let methods = Methods::parse("Main/Chat: said, say").unwrap();
    options.with_names(Arc::new(Names::from(methods)))
}

fn listen(dialect: Dialect, options: WebSocketOptions) -> (GamePeer, SocketAddr) {
    let session = named(SessionOptions::server(dialect));
    let peer = WebSocketPeer::listen(([127, 0, 0, 1], 0).into(), session, options).unwrap();
    let address = peer.address();
    (peer.into(), address)
}

fn connect(url: &str, dialect: Dialect, options: &WebSocketOptions) -> GamePeer {
    // The server chooses another id.
    let session = named(SessionOptions::client(dialect, PeerId::new(2)));
    let server = ServerAddress::resolve(url).unwrap();
    GamePeer::connect(&server, session, EnetOptions::default(), options).unwrap()
}

fn connected(events: &[SessionEvent]) -> Vec<PeerId> {
    let ids = events.iter().filter_map(|event| match event {
        SessionEvent::PeerConnected { peer } => Some(*peer),
        _ => None,
    });
    ids.collect()
}

fn calls(events: &[SessionEvent]) -> Vec<String> {
    let calls = events.iter().filter_map(|event| match event {
        SessionEvent::Call(call) => {
            Some(format!("{}: {}({})", call.from(), call.method.as_deref()?, call.arguments()))
        }
        _ => None,
    });
    calls.collect()
}

#[test]
fn peers_join_call_and_leave() {
    for dialect in DIALECTS {
        let (mut server, address) = listen(dialect, WebSocketOptions::default());
        let url = format!("ws://localhost:{}/game?room=1", address.port());
        let options = WebSocketOptions::default().with_pings(Duration::from_millis(1));
        let mut first = connect(&url, dialect, &options);
        let mut second = connect(&url, dialect, &options);
        let mut peers = [&mut server, &mut first, &mut second];
        let events = poll_until(&mut peers, |events| {
            events.iter().all(|events| connected(events).len() == 2)
        });
        let [first_id, second_id] = [first.session().id(), second.session().id()];
        assert_eq!(connected(&events[1]), [PeerId::SERVER, second_id]);
        assert_eq!(connected(&events[2]), [PeerId::SERVER, first_id]);

        // To the server, to the other client, and to all.
        first.session().call(PeerId::SERVER, CHAT, "say", ("to you",)).unwrap();
        first.session().call(second_id, CHAT, "say", ("to the other",)).unwrap();
        server.session().call(PeerId::EVERYONE, CHAT, "said", (1, vec![0_u8; 30_000])).unwrap();
        let mut peers = [&mut server, &mut first, &mut second];
        let events = poll_until(&mut peers, |events| {
            [1, 1, 2].iter().zip(events).all(|(count, events)| calls(events).len() == *count)
        });
        assert_eq!(calls(&events[0]), [format!("{first_id}: say(\"to you\")")]);
        assert!(calls(&events[2]).contains(&format!("{first_id}: say(\"to the other\")")));
        assert!(calls(&events[1])[0].starts_with("1: said(1, "));
        poll_until(&mut [&mut server, &mut first], |_| true);
        assert!(first.round_trip_time(PeerId::SERVER).is_some_and(|time| time < TIMEOUT));

        assert_eq!(second.peer_address(PeerId::SERVER).map(|it| it.port()), Some(address.port()));
        assert_eq!(second.peer_address(first_id), None);
        let ports = [first_id, second_id].map(|id| server.peer_address(id).unwrap().port());
        assert!(ports[0] != ports[1] && !ports.contains(&address.port()));

        // A client leaves, and the server closes the connection of the other one.
        drop(first);
        let gone = |events: &[SessionEvent], id: PeerId| {
            let is_gone = |event: &SessionEvent| matches!(event, SessionEvent::PeerDisconnected { peer } if *peer == id);
            events.iter().any(is_gone)
        };
        poll_until(&mut [&mut server, &mut second], |events| {
            events.iter().all(|events| gone(events, first_id))
        });
        server.disconnect(second_id);
        poll_until(&mut [&mut server, &mut second], |events| {
            gone(&events[0], second_id) && gone(&events[1], PeerId::SERVER)
        });
        assert_eq!(server.peer_address(second_id), None);
        assert!(second.close_reason().unwrap().starts_with("closed"));
    }
}

#[test]
fn what_sockets_send_is_shown() {
    let (mut server, address) = listen(Dialect::GODOT_4, WebSocketOptions::default());
    let url = format!("ws://{address}");
    let mut client = connect(&url, Dialect::GODOT_4, &WebSocketOptions::default());
    let shown = Arc::new(Mutex::new([Vec::new(), Vec::new()]));
    for (at, peer) in [&mut server, &mut client].into_iter().enumerate() {
        let shown = Arc::clone(&shown);
        peer.watch(move |traffic| {
            let content = match traffic.content {
                TrafficContent::Bytes(bytes) => bytes.to_vec(),
                content => format!("{content:?}").into_bytes(),
            };
            let is_to_server = traffic.dst == address;
            assert_eq!(traffic.is_sent, is_to_server == (at == 1));
            shown.lock().unwrap()[at].push((is_to_server, content));
        });
    }
    poll_until(&mut [&mut server, &mut client], |events| {
        events.iter().all(|events| connected(events).len() == 1)
    });
    let shown = shown.lock().unwrap();
    for shown in &*shown {
        assert_eq!(shown[0], (true, b"Opened".to_vec()));
        let way = |to_server: bool| -> Vec<u8> {
            let parts = shown[1..].iter().filter(|(it, _)| *it == to_server);
            parts.flat_map(|(_, bytes)| bytes.clone()).collect()
        };
        assert!(way(true).starts_with(b"GET / HTTP/1.1\r\n"));
        let answer = way(false);
        assert!(answer.starts_with(b"HTTP/1.1 101"));
        // The id: a binary message of four bytes.
        let id = client.session().id().get().to_le_bytes();
        assert!(answer.ends_with(&[&[0x82, 4][..], &id].concat()), "{answer:?}");
    }
}

#[test]
fn clients_connect_with_tls() {
    let (mut server, address) = listen(Dialect::GODOT_4, WebSocketOptions::default());
    let port = tls_in_front_of(address);
    let trusting = WebSocketOptions::default().with_certificates(AUTHORITY).unwrap();
    for host in ["localhost", "127.0.0.1"] {
        let url = format!("wss://{host}:{port}");
        let mut client = connect(&url, Dialect::GODOT_4, &trusting);
        let mut peers = [&mut server, &mut client];
        // The server may tell it of the client before, if that has not left yet.
        let is_connected = |events: &[Vec<_>]| !connected(&events[1]).is_empty();
        poll_until(&mut peers, is_connected);
        client.session().call(PeerId::SERVER, CHAT, "say", ("secret",)).unwrap();
        let events =
            poll_until(&mut [&mut server, &mut client], |events| !calls(&events[0]).is_empty());
        assert_eq!(calls(&events[0]), [format!("{}: say(\"secret\")", client.session().id())]);
    }
    // The system does not know who signed the certificate.
    let mut client =
        connect(&format!("wss://localhost:{port}"), Dialect::GODOT_4, &WebSocketOptions::default());
    let reason = poll_until_closed(&mut client, &mut []);
    assert!(reason.contains("certificate"), "{reason}");
    assert!(WebSocketOptions::default().with_certificates(b"none").is_err());
}

#[test]
fn clients_say_why_there_is_no_connection() {
    // Nobody listens.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = ServerAddress::resolve(&format!("ws://127.0.0.1:{port}")).unwrap();
    let session = SessionOptions::client(Dialect::GODOT_4, PeerId::new(2));
    let options = WebSocketOptions::default();
    let enet = EnetOptions::default();
    let reason = match GamePeer::connect(&server, session.clone(), enet, &options) {
        Ok(mut peer) => poll_until_closed(&mut peer, &mut []),
        Err(error) => error.to_string(),
    };
    assert!(reason.contains("refused"), "{reason}");

    // Servers of something else.
    for (answer, problem) in [
        ("HTTP/1.1 404 Not Found\r\n\r\n".to_owned(), "404"),
        (format!("HTTP/1.1 101 OK\r\na: {}", "b".repeat(100_000)), "have no end"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for client in listener.incoming() {
                // The client may leave before the end.
                let _ = client.unwrap().write_all(answer.as_bytes());
            }
        });
        let mut client = connect(&format!("ws://{address}"), Dialect::GODOT_4, &options);
        let reason = poll_until_closed(&mut client, &mut []);
        assert!(reason.contains(problem), "{reason}");
    }

    // A server that is full.
    let (mut server, address) = listen(Dialect::GODOT_3, options.clone().with_clients(1));
    let url = format!("ws://{address}");
    let mut first = connect(&url, Dialect::GODOT_3, &options);
    poll_until(&mut [&mut server, &mut first], |events| connected(&events[1]).len() == 1);
    let mut second = connect(&url, Dialect::GODOT_3, &options);
    poll_until_closed(&mut second, &mut [&mut server]);

    for (wrong, problem) in [
        ("127.0.0.1:80", "no scheme"),
        ("http://127.0.0.1", "no transport 'http'"),
        ("enet://127.0.0.1", "no port"),
        ("enet://127.0.0.1:x", "not a port"),
        ("ws://:80", "no host"),
    ] {
        let error = ServerAddress::resolve(wrong).unwrap_err().to_string();
        assert!(error.contains(problem) && error.contains("ws://"), "{error}");
    }
    let local = ServerAddress::resolve("ws://[::1]:8080/a:b").unwrap();
    assert_eq!((local.socket().port(), local.is_local()), (8080, true));
    assert!(!ServerAddress::resolve("wss://192.0.2.1").unwrap().is_local());
}

#[test]
fn a_server_goes_on_after_hostile_clients() {
    let options = WebSocketOptions::default().with_message_limit(1_000).with_unsent_limit(100_000);
    for dialect in DIALECTS {
        let (mut server, address) = listen(dialect, options.clone());
        // Not HTTP at all, an endless header, silence.
        let hostile: [&[u8]; 3] = [b"\x16\x03\x01\x02\x00\x01", &[b'a'; 100_000], b""];
        let hostile = hostile.map(|bytes| {
            let mut stream = TcpStream::connect(address).unwrap();
            // The server may have closed it.
            let _ = stream.write_all(bytes);
            stream
        });
        // A message that is too long ends the connection; a wrong one is refused.
        let url = format!("ws://{address}");
        let mut client = connect(&url, dialect, &WebSocketOptions::default());
        poll_until(&mut [&mut server, &mut client], |events| connected(&events[1]).len() == 1);
        client.session().send_bytes(PeerId::SERVER, &[0; 900], TransferMode::Reliable, 0).unwrap();
        let events = poll_until(&mut [&mut server, &mut client], |events| {
            events[0].iter().any(|event| matches!(event, SessionEvent::Bytes { .. }))
        });
        assert!(!events[0].iter().any(|event| matches!(event, SessionEvent::Refused { .. })));
        client
            .session()
            .send_bytes(PeerId::SERVER, &[0; 1_000], TransferMode::Reliable, 0)
            .unwrap();
        poll_until(&mut [&mut server, &mut client], |events| {
            let is_gone = |event: &_| matches!(event, SessionEvent::PeerDisconnected { .. });
            events[0].iter().any(is_gone) && events[1].iter().any(is_gone)
        });
        drop(hostile);
    }
    // A message without the header of Godot 3 is refused.
    let (mut server, address) = listen(Dialect::GODOT_3, WebSocketOptions::default());
    let url = format!("ws://{address}");
    let mut client = connect(&url, Dialect::GODOT_4, &WebSocketOptions::default());
    poll_until(&mut [&mut server, &mut client], |events| !connected(&events[0]).is_empty());
    client.session().send_bytes(PeerId::SERVER, b"x", TransferMode::Reliable, 0).unwrap();
    let refused = |event: &SessionEvent| {
        matches!(event, SessionEvent::Refused { reason: Refusal::Header, .. })
    };
    poll_until(&mut [&mut server, &mut client], |events| events[0].iter().any(refused));
}

/// A binary message of a client, whose mask is zero.
fn message(payload: &[u8]) -> Vec<u8> {
    let len = u8::try_from(payload.len()).unwrap();
    [&[0x82, 0x80 | len, 0, 0, 0, 0], payload].concat()
}

/// A client that was refused does not answer the end of its connection, and guesses on.
#[test]
fn a_refused_client_is_not_heard_any_more() {
    let session = SessionOptions::server(Dialect::GODOT_4).with_authentication(TIMEOUT);
    let server = WebSocketPeer::listen(([127, 0, 0, 1], 0).into(), session, Default::default());
    let server = server.unwrap();
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let mut server = GamePeer::from(server);
    stream.write_all(REQUEST.as_bytes()).unwrap();
    let encoder = PacketEncoder::new(MultiplayerProtocol::Godot4, Dialect::GODOT_4);
    let auth = |data: &[u8]| message(&encoder.auth(data, Vec::new()).unwrap());
    poll_until(&mut [&mut server], |events| !events[0].is_empty());
    stream.write_all(&auth(b"wrong")).unwrap();
    let events = poll_until(&mut [&mut server], |events| !events[0].is_empty());
    let SessionEvent::Auth { peer, .. } = events[0][0] else { panic!("{events:?}") };
    server.disconnect(peer);
    stream.write_all(&[auth(b"right"), auth(b""), message(&[3, 1])].concat()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let events = poll_until(&mut [&mut server], |events| !events[0].is_empty());
    assert!(matches!(events[0][0], SessionEvent::AuthenticationFailed { .. }), "{events:?}");
}

/// The payload of the first ping in what a server has sent: its answer to the request, the id of the client,
/// and pings.
fn first_ping(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = vec![0; 1 << 16];
    let len = stream.read(&mut bytes).unwrap();
    let head = bytes[..len].windows(4).position(|it| it == b"\r\n\r\n").unwrap();
    let [0x89, len, rest @ ..] = &bytes[head + 4 + 6..] else { panic!("{bytes:?}") };
    rest[..usize::from(*len)].to_vec()
}

/// A server, and a client that has joined it and does nothing by itself.
fn joined_by_hand(options: WebSocketOptions) -> (GamePeer, TcpStream, PeerId) {
    let (mut server, address) = listen(Dialect::GODOT_4, options);
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(REQUEST.as_bytes()).unwrap();
    let events = poll_until(&mut [&mut server], |events| !connected(&events[0]).is_empty());
    (server, stream, connected(&events[0])[0])
}

/// A browser takes a connection without the answer for broken (code 1006).
#[test]
fn the_end_of_a_connection_is_answered() {
    let (mut server, mut stream, _) = joined_by_hand(WebSocketOptions::default());
    stream.write_all(&[0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]).unwrap();
    poll_until(&mut [&mut server], |events| !events[0].is_empty());
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    assert!(bytes.ends_with(&[0x88, 2, 0x03, 0xe8]), "{bytes:?}");
}

/// A round trip may take longer than the time between two pings.
#[test]
fn late_answers_to_pings_count() {
    let (mut server, mut stream, id) =
        joined_by_hand(WebSocketOptions::default().with_pings(Duration::from_millis(10)));
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(200) {
        assert!(server.poll().unwrap().is_none());
        thread::sleep(Duration::from_millis(5));
    }
    let ping = first_ping(&mut stream);
    let len = 0x80 | u8::try_from(ping.len()).unwrap();
    stream.write_all(&[&[0x8a, len, 0, 0, 0, 0], &*ping].concat()).unwrap();
    let round_trip = loop {
        assert!(server.poll().unwrap().is_none());
        assert!(start.elapsed() < TIMEOUT);
        if let Some(time) = server.round_trip_time(id) {
            break time;
        }
        thread::sleep(Duration::from_millis(1));
    };
    assert!(round_trip > Duration::from_millis(150), "{round_trip:?}");
}

/// The network between may be cut, so that nobody closes the connection.
#[test]
fn a_client_that_answers_no_pings_has_left() {
    let (mut server, _stream, _) =
        joined_by_hand(WebSocketOptions::default().with_pings(Duration::from_secs(1)));
    let start = Instant::now();
    loop {
        match server.poll().unwrap() {
            Some(SessionEvent::PeerDisconnected { .. }) => break,
            event => assert!(event.is_none(), "{event:?}"),
        }
        assert!(start.elapsed() < 2 * TIMEOUT);
        thread::sleep(Duration::from_millis(10));
    }
    assert!(start.elapsed() > Duration::from_secs(29), "{:?}", start.elapsed());
}

/// A client that sends tiny messages without a pause does not hold the loop of a server, which gets all.
#[test]
fn a_flood_of_messages_is_read_in_turns() {
    const MESSAGES: usize = 50_000;
    let (mut server, mut stream, _) = joined_by_hand(WebSocketOptions::default());
    let flood = thread::spawn(move || {
        stream.write_all(&message(&[3, 1]).repeat(MESSAGES)).unwrap();
        stream
    });
    let (mut all, mut longest) = (0, 0);
    while all < MESSAGES {
        let mut turn = 0;
        while let Some(event) = server.poll().unwrap() {
            assert!(matches!(event, SessionEvent::Bytes { .. }), "{event:?}");
            turn += 1;
        }
        (all, longest) = (all + turn, longest.max(turn));
    }
    assert!(longest <= 1_024, "{longest}");
    drop(flood.join().unwrap());
}

/// An end that sends pings faster than they are read does not keep a server from the other ends.
#[test]
fn a_flood_of_pings_is_read_in_turns() {
    const PINGS: usize = 100_000;
    let session = SessionOptions::server(Dialect::GODOT_4);
    let options = WebSocketOptions::default();
    let mut server = WebSocketPeer::listen(([127, 0, 0, 1], 0).into(), session, options).unwrap();
    let received = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&received);
    server.watch(move |traffic| match traffic.content {
        TrafficContent::Bytes(bytes) if !traffic.is_sent => *counted.lock().unwrap() += bytes.len(),
        _ => {}
    });
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let mut answers = stream.try_clone().unwrap();
    // The server gives up an end that does not read its answers.
    let connected = thread::spawn(move || io::copy(&mut answers, &mut io::sink()));
    stream.write_all(REQUEST.as_bytes()).unwrap();
    let flood = thread::spawn(move || {
        stream.write_all(&[0x89, 0x80, 0, 0, 0, 0].repeat(PINGS)).unwrap();
        stream
    });
    let (mut all, mut longest) = (0, 0);
    while all < REQUEST.len() + PINGS * 6 && !connected.is_finished() {
        server.poll().unwrap();
        let turn = std::mem::take(&mut *received.lock().unwrap());
        (all, longest) = (all + turn, longest.max(turn));
    }
    assert_eq!(all, REQUEST.len() + PINGS * 6);
    assert!(longest <= REQUEST.len() + (260 << 10), "{longest}");
    drop(flood.join().unwrap());
}

/// Runs a test again in a process that may open only `count` files. Returns true inside of that process.
#[cfg(unix)]
fn may_open_files(count: u32, test: &str) -> bool {
    const LIMITED: &str = "GDWIRE_TEST_FILES";
    if std::env::var_os(LIMITED).is_some() {
        return true;
    }
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", &format!("ulimit -n {count} && exec \"$0\" \"$@\"")]);
    let test = format!("peer::websocket::{test}");
    limited.arg(std::env::current_exe().unwrap()).args(["--exact", &test]).env(LIMITED, "1");
    let output = limited.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    false
}

/// How long a new client may take to join while others connect and say nothing: they are given up after
/// 10 seconds.
#[cfg(unix)]
fn joins_at_once(server: &mut GamePeer, address: SocketAddr) {
    let mut client =
        connect(&format!("ws://{address}"), Dialect::GODOT_4, &WebSocketOptions::default());
    let start = Instant::now();
    poll_until(&mut [server, &mut client], |events| connected(&events[0]).len() == 1);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

/// Clients that connect and say nothing take all files that a process may open.
#[cfg(unix)]
#[test]
fn a_server_goes_on_when_there_are_too_many_open_files() {
    if !may_open_files(64, "a_server_goes_on_when_there_are_too_many_open_files") {
        return;
    }
    let (mut server, address) = listen(Dialect::GODOT_4, WebSocketOptions::default());
    let mut silent = Vec::new();
    while let Ok(client) = TcpStream::connect(address) {
        silent.push(client);
    }
    silent.truncate(silent.len() - 5);
    // There is room for five of them.
    for _ in 0..100 {
        assert!(server.poll().unwrap().is_none());
    }
    // A file for the client.
    silent.pop();
    joins_at_once(&mut server, address);
}

/// Clients that connect and say nothing take all places of connections that are being opened.
#[cfg(target_os = "linux")]
#[test]
fn silent_clients_make_room_for_others() {
    use socket2::{Domain, Socket, Type};
    if !may_open_files(3_000, "silent_clients_make_room_for_others") {
        return;
    }
    let (mut server, address) = listen(Dialect::GODOT_4, WebSocketOptions::default());
    // A client of another address is slow.
    let slow = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    slow.bind(&SocketAddr::from(([127, 0, 0, 2], 0)).into()).unwrap();
    slow.connect(&address.into()).unwrap();
    let mut slow = TcpStream::from(slow);
    let mut silent = Vec::new();
    for _ in 0..1_200 {
        silent.push(TcpStream::connect(address).unwrap());
        server.poll().unwrap();
    }
    joins_at_once(&mut server, address);
    slow.write_all(REQUEST.as_bytes()).unwrap();
    poll_until(&mut [&mut server], |events| connected(&events[0]).len() == 1);
}
