//! An engine is the server or the client of a session of this crate, and does not notice.

use crate::common::{Godot, hex, unhex};
use crate::engine::multiplayer::{Call, Printed};
use crate::engine::transport_name;
use gdwire::multiplayer::session::{ReceivedCall, SessionEvent, SessionOptions};
use gdwire::multiplayer::{Methods, Names, PeerId};
use gdwire::peer::{
    EnetCompression, EnetOptions, EnetPeer, GamePeer, ServerAddress, WebSocketOptions,
    WebSocketPeer,
};
use gdwire::project::TransferMode;
use gdwire::{Dialect, Variant, parse};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest time for everything.
const TIMEOUT: Duration = Duration::from_secs(90);

/// The remote methods of Godot 4's nodes: the calls have numbers.
const METHODS: &str = "Game/**: aim, finish, load_chunk, move, respawn, say, state";

/// The call that this end received, in the form in which the engine prints its own calls.
fn note(event: &SessionEvent, dialect: Dialect) -> Option<Call> {
    let encoded = |call: &ReceivedCall| -> Vec<String> {
        let encode = |argument| gdwire::encode(dialect, &argument).unwrap();
        call.arguments().iter().map(|argument| hex(&encode(argument))).collect()
    };
    let (kind, path, method, args_hex) = match event {
        SessionEvent::Call(call) => ("rpc", &*call.path, call.method.clone()?, encoded(call)),
        SessionEvent::Set(set) => ("rset", &*set.path, set.method.clone()?, encoded(set)),
        SessionEvent::Bytes { bytes, .. } => {
            let bytes = gdwire::encode(dialect, &Variant::PackedByteArray(bytes.clone())).unwrap();
            ("bytes", "", String::new(), vec![hex(&bytes)])
        }
        _ => return None,
    };
    let path = if path.is_empty() { String::new() } else { format!("/root/{path}") };
    Some(Call { kind: kind.to_owned(), mode: String::new(), path, method, args_hex })
}

/// Makes this call at the engine.
fn make(peer: &mut GamePeer, other: PeerId, call: &Call, dialect: Dialect) {
    let path = call.path.trim_start_matches("/root/");
    let bytes: Vec<_> = call.args_hex.iter().map(|it| unhex(it)).collect();
    let values: Vec<Variant> =
        bytes.iter().map(|it| Variant::from(parse(dialect, it).unwrap())).collect();
    let session = peer.session();
    match &*call.kind {
        "rpc" => session.call(other, path, &call.method, &values[..]).unwrap(),
        "rset" => {
            session.set(other, path, &call.method, &values[0], TransferMode::Reliable).unwrap()
        }
        _ => {
            let bytes = values[0].as_byte_array().unwrap();
            session.send_bytes(other, bytes, TransferMode::Reliable, 0).unwrap();
        }
    }
}

/// Collects what the engine calls, and makes the same calls at the engine. Both have to get all
/// reliable ones, in order.
fn talk(mut peer: GamePeer, engine: &mut Printed, godot: &Godot, compression: &str) {
    let dialect = godot.dialect();
    let start = Instant::now();
    let (mut got, mut made, mut other) = (Vec::new(), Vec::new(), None);
    let is_finish = |call: &Call| call.method == "finish";
    while !engine.got.iter().any(is_finish) {
        assert!(start.elapsed() < TIMEOUT, "{other:?} {got:?} {:?}", engine.got);
        while let Some(event) = peer.poll().unwrap() {
            assert!(!matches!(event, SessionEvent::Refused { .. }), "{event:?}");
            if let SessionEvent::PeerConnected { peer } = event {
                other = Some(peer);
            }
            if let (Some(call), Some(other)) = (note(&event, dialect), other) {
                make(&mut peer, other, &call, dialect);
                made.push(call.clone());
                got.push(call);
            }
        }
        engine.take();
        sleep(Duration::from_millis(5));
    }
    // Only unreliable calls of the engine may be missing.
    let sent: Vec<_> = engine.sent.iter().map(Call::without_mode).collect();
    let mut left = got.iter().peekable();
    for (call, of_engine) in sent.iter().zip(&engine.sent) {
        let is_next = left.peek().is_some_and(|next| *next == call);
        assert!(is_next || !of_engine.is_reliable(), "{call:?} {:?}", left.peek());
        if is_next {
            left.next();
        }
    }
    assert_eq!(left.next(), None);
    // This end only makes reliable ones.
    assert_eq!(engine.got.len(), made.len());
    assert!(engine.got == made, "the engine gets every call as it was made");
    // The other end of the connection may be a server between both.
    let ends = [other.unwrap(), PeerId::SERVER];
    assert!(ends.into_iter().find_map(|id| peer.round_trip_time(id)).unwrap() < TIMEOUT);
    let over = transport_name(compression);
    godot.checked(&format!("calls to a session, {over}"), got.len());
    godot.checked(&format!("calls of a session, {over}"), made.len());
}

/// The name for WebSocket, in place of a compression of ENet.
const WEBSOCKET: &str = "websocket";

fn options(compression: &str) -> EnetOptions {
    let compression = EnetCompression::ALL.iter().find(|it| it.name() == compression);
    EnetOptions::default().with_compression(compression.copied().unwrap_or_default())
}

fn websocket_options() -> WebSocketOptions {
    WebSocketOptions::default().with_pings(Duration::from_millis(20))
}

/// The script and the dialect of an engine, and options with the names of its methods.
fn session(godot: &Godot, id: PeerId) -> (&'static str, SessionOptions) {
    let options = SessionOptions::client(godot.dialect(), id);
    if godot.dialect() == Dialect::GODOT_3 {
        return ("multiplayer.gd", options);
    }
    let names = Names::from(Methods::parse(METHODS).unwrap());
    ("multiplayer4.gd", options.with_names(Arc::new(names)))
}

fn join(godot: &Godot, compression: &str) {
    let (script, session) = session(godot, PeerId::new(4242));
    let Some(mut engine) = Printed::start(godot, script, &[compression, "server"]) else { return };
    let peer = connect(session, compression, engine.port());
    talk(peer, &mut engine, godot, compression);
}

fn connect(session: SessionOptions, compression: &str, port: u16) -> GamePeer {
    let scheme = if compression == WEBSOCKET { "ws" } else { "enet" };
    let server = ServerAddress::resolve(&format!("{scheme}://127.0.0.1:{port}")).unwrap();
    let websocket = websocket_options();
    GamePeer::connect(&server, session, options(compression), &websocket).unwrap()
}

/// A server of ours, and its port.
fn listen(session: SessionOptions, compression: &str) -> (GamePeer, u16) {
    let address = ([127, 0, 0, 1], 0).into();
    if compression == WEBSOCKET {
        let peer = WebSocketPeer::listen(address, session, websocket_options()).unwrap();
        let port = peer.address().port();
        return (peer.into(), port);
    }
    let peer = EnetPeer::listen(address, session, options(compression)).unwrap();
    let port = peer.address().port();
    (peer.into(), port)
}

fn serve(godot: &Godot, compression: &str) {
    if godot.find().is_none() {
        return;
    }
    let (script, session) = session(godot, PeerId::SERVER);
    let (peer, port) = listen(session, compression);
    let port = port.to_string();
    let arguments = [compression, "client", &port];
    let Some(mut engine) = Printed::start(godot, script, &arguments) else { return };
    talk(peer, &mut engine, godot, compression);
}

/// Two clients of Godot 3 call each other. The calls pass through our server.
fn relay(godot: &Godot, compression: &str) {
    if godot.find().is_none() {
        return;
    }
    let (mut peer, port) = listen(session(godot, PeerId::SERVER).1, compression);
    let port = port.to_string();
    let start = || Printed::start(godot, "multiplayer.gd", &[compression, "guest", &port]).unwrap();
    let mut engines = [start(), start()];
    let start = Instant::now();
    let is_finish = |call: &Call| call.method == "finish";
    while !engines.iter().all(|engine| engine.got.iter().any(is_finish)) {
        assert!(start.elapsed() < TIMEOUT, "{:?}", engines.map(|engine| engine.got));
        while let Some(event) = peer.poll().unwrap() {
            // The calls are for one client, so the server gets none of them.
            assert!(matches!(event, SessionEvent::PeerConnected { .. }), "{event:?}");
        }
        engines.iter_mut().for_each(Printed::take);
        sleep(Duration::from_millis(5));
    }
    for (from, to) in [(0, 1), (1, 0)] {
        let mut got = engines[to].got.iter().peekable();
        for call in &engines[from].sent {
            let is_next = got.next_if_eq(&&call.without_mode()).is_some();
            assert!(is_next || !call.is_reliable(), "{call:?} {:?}", got.peek());
        }
        assert_eq!(got.next(), None);
        assert!(engines[to].got.len() > 50);
    }
}

/// Our client and one of Godot 3 call each other through a server of Godot 3.
fn be_relayed(godot: &Godot, compression: &str) {
    let server = Printed::start(godot, "multiplayer.gd", &[compression, "relay"]);
    let Some(mut server) = server else { return };
    let port = server.port();
    let (_, session) = session(godot, PeerId::new(4242));
    let mut peer = connect(session, compression, port);
    let start = Instant::now();
    while peer.session().peers().len() == 0 {
        assert!(start.elapsed() < TIMEOUT);
        peer.poll().unwrap();
        sleep(Duration::from_millis(5));
    }
    let port = port.to_string();
    let engine = Printed::start(godot, "multiplayer.gd", &[compression, "guest", &port]);
    talk(peer, &mut engine.unwrap(), godot, compression);
}

/// The compressions of Godot 3 and of Godot 4, and WebSocket.
const OLD: [&str; 3] = ["none", "range", WEBSOCKET];
const NEW: [&str; 6] = ["none", "range", "fastlz", "zlib", "zstd", WEBSOCKET];

#[test]
fn a_session_joins_godot_3() {
    for compression in OLD {
        join(&Godot::V3, compression);
        join(&Godot::V3_6, compression);
    }
}

#[test]
fn godot_3_joins_a_session() {
    for compression in OLD {
        serve(&Godot::V3, compression);
        serve(&Godot::V3_6, compression);
    }
}

#[test]
fn a_session_joins_godot_4() {
    NEW.iter().for_each(|compression| join(&Godot::V4, compression));
}

#[test]
fn godot_4_joins_a_session() {
    NEW.iter().for_each(|compression| serve(&Godot::V4, compression));
}

#[test]
fn clients_of_godot_3_play_through_a_session() {
    for compression in OLD {
        relay(&Godot::V3, compression);
        relay(&Godot::V3_6, compression);
    }
}

#[test]
fn a_session_plays_with_a_client_through_godot_3() {
    for compression in OLD {
        be_relayed(&Godot::V3, compression);
        be_relayed(&Godot::V3_6, compression);
    }
}
