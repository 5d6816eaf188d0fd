//! `gdwire bot`, with servers of this crate in threads of the tests.

use crate::cli::run::{Run, directory, gdwire};
use crate::cli::running::{Running, TIMEOUT};
use crate::common::{AUTHORITY, tls_in_front_of};
use gdwire::capture::Capture;
use gdwire::multiplayer::session::{ReceivedCall, SessionEvent, SessionOptions};
use gdwire::multiplayer::{Methods, Names, PeerId};
use gdwire::peer::{
    EnetCompression, EnetOptions, EnetPeer, GamePeer, WebSocketOptions, WebSocketPeer,
};
use gdwire::project::Project;
use gdwire::{Dialect, Variant};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

const WORLD: &str = "Main/World";
const METHODS: &str = "Main/World: move, said, say";

/// The events that a server received.
#[derive(Default)]
struct Got {
    joined: Vec<PeerId>,
    left: Vec<PeerId>,
    /// The sender, the method and the arguments of each call.
    calls: Vec<(PeerId, String, String)>,
}

impl Got {
    fn counts(&self) -> BTreeMap<&str, u64> {
        let mut counts = BTreeMap::new();
        for (_, method, _) in &self.calls {
            *counts.entry(&**method).or_default() += 1;
        }
        counts
    }

    fn arguments(&self, method: &str) -> Vec<&str> {
        let calls = self.calls.iter().filter(|(_, name, _)| name == method);
        calls.map(|(_, _, arguments)| &**arguments).collect()
    }
}

/// A server in a thread.
struct Server {
    url: String,
    is_over: Arc<AtomicBool>,
    got: Arc<Mutex<Got>>,
    thread: Option<JoinHandle<()>>,
}

fn names(methods: &str) -> Arc<Names> {
    Arc::new(Names::from(Methods::parse(methods).unwrap()))
}

fn session(methods: &str) -> SessionOptions {
    SessionOptions::server(Dialect::GODOT_4).with_names(names(methods))
}

type React = dyn FnMut(&mut GamePeer, &SessionEvent) + Send;

impl Server {
    /// Answers `say` by `said`.
    fn answering(peer: impl Into<GamePeer>, url: String) -> Server {
        Server::start(peer, url, |peer, event| {
            if let SessionEvent::Call(call) = event
                && call.method.as_deref() == Some("say")
            {
                let argument = call.arguments().iter().next().map(Variant::from).unwrap();
                peer.session().call(call.from(), WORLD, "said", &(argument,)).unwrap();
            }
        })
    }

    fn start(
        peer: impl Into<GamePeer>,
        url: String,
        react: impl FnMut(&mut GamePeer, &SessionEvent) + Send + 'static,
    ) -> Server {
        let (is_over, got) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::default()));
        let (peer, react) = (peer.into(), Box::new(react));
        let run = { (Arc::clone(&is_over), Arc::clone(&got)) };
        let thread = Some(thread::spawn(move || serve(peer, react, &run.0, &run.1)));
        Server { url, is_over, got, thread }
    }

    fn enet(session: SessionOptions, compression: EnetCompression) -> (EnetPeer, String) {
        let options = EnetOptions::default().with_clients(200).with_compression(compression);
        let peer = EnetPeer::listen(([127, 0, 0, 1], 0).into(), session, options).unwrap();
        let url = format!("enet://{}", peer.address());
        (peer, url)
    }

    fn game() -> Server {
        let (peer, url) = Server::enet(session(METHODS), EnetCompression::None);
        Server::answering(peer, url)
    }

    /// Ends the server, and returns what it got.
    fn end(mut self) -> Got {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
        std::mem::take(&mut self.got.lock().unwrap())
    }
}

fn serve(mut peer: GamePeer, mut react: Box<React>, is_over: &AtomicBool, got: &Mutex<Got>) {
    let arguments = |call: &ReceivedCall| {
        let arguments = call.arguments();
        let shown: Vec<_> = arguments.iter().map(|it| Variant::from(it).to_string()).collect();
        shown.join(", ")
    };
    while !is_over.load(Ordering::Relaxed) {
        while let Some(event) = peer.poll().unwrap() {
            let mut got = got.lock().unwrap();
            match &event {
                SessionEvent::PeerConnected { peer } => got.joined.push(*peer),
                SessionEvent::PeerDisconnected { peer } => got.left.push(*peer),
                SessionEvent::Call(call) => {
                    let method = call.method.clone().unwrap_or_default();
                    got.calls.push((call.from(), method, arguments(call)));
                }
                _ => {}
            }
            drop(got);
            react(&mut peer, &event);
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// A file with the list of methods.
fn methods_file() -> String {
    static FILE: LazyLock<String> = LazyLock::new(|| {
        let path = directory("bot-methods").join("game.methods");
        fs::write(&path, METHODS).unwrap();
        path.to_str().unwrap().to_owned()
    });
    FILE.clone()
}

/// Runs bots, and returns the last line.
fn bots(url: &str, options: &[&str]) -> (Run, Json) {
    let run = gdwire(&[&["bot", url, "--format", "ndjson"], options].concat(), b"");
    let last = run.lines().last().map(|line| serde_json::from_str(line).unwrap());
    (run.clone(), last.unwrap_or_else(|| panic!("{}", run.stderr)))
}

#[test]
fn bots_join_call_and_count() {
    let (server, methods) = (Server::game(), methods_file());
    let (run, last) = bots(
        &server.url,
        &[
            "--methods",
            &methods,
            "-n",
            "5",
            "--ramp",
            "50/s",
            "--for",
            "2s",
            "--call",
            "Main/World.move(Vector2($random(-1, 1), $i)) 20/s",
            "--call",
            "Main/World.say(\"I am $i\")",
        ],
    );
    assert_eq!((run.code, &*run.stderr), (0, ""));
    let got = server.end();
    // Lines of the seconds before the end have the same fields.
    let first: Json = serde_json::from_str(run.lines()[0]).unwrap();
    assert!(first["sent"].as_u64().unwrap() < last["sent"].as_u64().unwrap());
    for (field, expected) in
        [("joined", 5), ("refused", 0), ("dropped", 0), ("failed", 0), ("received", 5)]
    {
        assert_eq!(last[field], expected, "{field} {last}");
    }
    assert_eq!((got.joined.len(), got.left.len()), (5, 5));
    // The server got what the bots count.
    assert_eq!(last["sent"], got.calls.len());
    assert_eq!(last["methods"]["move"]["sent"], got.counts()["move"]);
    assert_eq!(last["methods"]["said"]["received"], 5);
    // 20 calls a second of each bot, of which the last began after 80 ms.
    let moves = got.counts()["move"];
    assert!((10..=205).contains(&moves), "{moves}");
    let mut said = got.arguments("say");
    said.sort_unstable();
    assert_eq!(said, [1, 2, 3, 4, 5].map(|number| format!("\"I am {number}\"")));
    for share in ["p50", "p95", "p99"] {
        assert!(last["rtt_ms"][share].as_f64().unwrap() > 0.0, "{last}");
    }
    assert!(last["bytes_sent"].as_u64().unwrap() > 1_000, "{last}");
    assert!(last["bytes_received"].as_u64().unwrap() > 1_000, "{last}");
}

#[test]
fn the_report_for_people_has_the_same_numbers() {
    let (server, methods) = (Server::game(), methods_file());
    let call = "Main/World.say(\"hi\")";
    let run = gdwire(
        &["bot", &server.url, "--methods", &methods, "-n", "3", "--for", "1500ms", "--call", call],
        b"",
    );
    assert_eq!((run.code, &*run.stderr), (0, ""));
    let text = run.text();
    assert!(text.contains(" s  3 playing, 0 refused, 0 dropped; "), "{text}");
    assert!(text.contains("\n3 bots: 3 joined, 0 refused, 0 dropped, in "), "{text}");
    assert!(text.contains("\n  said       0         3\n  say        3         0\n"), "{text}");
}

#[test]
fn scripts_call_at_their_times_with_the_same_random_numbers() {
    let methods = methods_file();
    let script = directory("bot-script").join("walk.calls");
    let lines = "\u{feff}# A walk.\n0s Main/World.say(\"hello\")\n\n\
                 100ms-400ms Main/World.move($randi(1, 1000)) 50/s\n500ms Main/World.say($time)\n";
    fs::write(&script, lines).unwrap();
    let play = |seed: &str| {
        let server = Server::game();
        let options = ["--methods", &methods, "--for", "2s", "--calls", script.to_str().unwrap()];
        let (run, last) = bots(&server.url, &[&options[..], &["--seed", seed]].concat());
        assert_eq!((run.code, &*run.stderr), (0, ""));
        let got = server.end();
        assert_eq!(last["sent"], got.calls.len());
        let order: Vec<_> = got.calls.iter().map(|(_, method, _)| &**method).collect();
        let moves = ["move"; 15];
        assert_eq!(order, [&["say"][..], &moves, &["say"]].concat());
        let time: f64 = got.arguments("say")[1].parse().unwrap();
        assert!(time >= 0.5, "{time}");
        got.arguments("move").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let first = play("7");
    assert_eq!(first, play("7"));
    assert_ne!(first, play("8"));
}

#[test]
fn calls_after_the_end_are_reported() {
    let (methods, script) = (methods_file(), directory("bot-late").join("late.calls"));
    let lines = "0s Main/World.say(1)\n10s Main/World.say(2)\n1m Main/World.move(3) 2/s\n";
    fs::write(&script, lines).unwrap();
    let server = Server::game();
    let options = ["--methods", &methods, "--for", "1s", "--calls", script.to_str().unwrap()];
    let (run, last) = bots(&server.url, &options);
    assert_eq!((run.code, &last["sent"]), (0, &1.into()), "{}", run.stderr);
    let note = "late.calls: the bots leave (--for) before they make 2 calls, such as Main/World.say at 10s";
    assert!(run.stderr.contains(note), "{}", run.stderr);
    server.end();
}

#[test]
fn bots_with_other_methods_are_refused() {
    let (peer, url) =
        Server::enet(session("Main/World: move, said, say, added"), EnetCompression::None);
    let server = Server::answering(peer, url);
    let methods = methods_file();
    let options = ["--methods", &methods, "-n", "2", "--for", "1s", "--call"];
    let (run, last) = bots(&server.url, &[&options[..], &["Main/World.say(1)"]].concat());
    assert_eq!((run.code, &last["refused"], &last["dropped"]), (1, &2.into(), &0.into()));
    let reason = "refused: the server has other methods for the node Main/World";
    assert_eq!(last["reasons"][reason], 2, "{last}");
    assert!(run.stderr.contains("such as 'Main/Chat: say, +wave'"), "{}", run.stderr);
}

#[test]
fn bots_are_authenticated() {
    for (given, is_right) in [("secret", true), ("guess", false)] {
        let options = session(METHODS).with_authentication(Duration::from_secs(3));
        let (peer, url) = Server::enet(options, EnetCompression::None);
        let server = Server::start(peer, url, asks);
        let options = ["-n", "2", "--for", "1s", "--auth", given];
        let (run, last) = bots(&server.url, &options);
        let (joined, refused) = if is_right { (2, 0) } else { (0, 2) };
        assert_eq!((&last["joined"], &last["refused"]), (&joined.into(), &refused.into()));
        assert_eq!((&last["dropped"], &last["unaccepted"]), (&0.into(), &0.into()), "{last}");
        assert_eq!(run.code, i32::from(!is_right), "{}", run.stderr);
        assert_eq!(server.end().joined.len(), usize::from(is_right) * 2);
    }
}

/// A server that asks each client for a secret.
fn asks(peer: &mut GamePeer, event: &SessionEvent) {
    match event {
        SessionEvent::Authenticating { peer: id } => {
            // The client may have sent everything already.
            peer.session().send_auth(*id, b"who are you?").ok();
        }
        SessionEvent::Auth { peer: id, bytes } if bytes == b"secret" => {
            peer.session().complete_auth(*id).unwrap();
        }
        SessionEvent::Auth { peer: id, .. } => peer.disconnect(*id),
        _ => {}
    }
}

#[test]
fn bots_without_authentication_are_refused_by_a_server_that_asks_for_it() {
    let options = session(METHODS).with_authentication(Duration::from_secs(3));
    let (peer, url) = Server::enet(options, EnetCompression::None);
    let server = Server::start(peer, url, asks);
    let (run, last) = bots(&server.url, &["-n", "2", "--for", "1s"]);
    assert_eq!((run.code, &last["refused"], &last["dropped"]), (1, &2.into(), &0.into()), "{last}");
    assert_eq!(last["reasons"]["refused: the server authenticates; see --auth"], 2, "{last}");
    assert_eq!(server.end().joined, []);
}

#[test]
fn calls_of_a_node_that_the_server_does_not_have_are_failures() {
    let server = Server::game();
    let methods = directory("bot-unconfirmed").join("game.methods");
    fs::write(&methods, format!("{METHODS}\nMain/Players/*: say")).unwrap();
    let methods = methods.to_str().unwrap();
    let options = ["--methods", methods, "-n", "2", "--for", "1s"];
    let calls = ["--call", "Main/World.say(1)", "--call", "Main/Players/5.say(1)"];
    let (run, last) = bots(&server.url, &[&options[..], &calls].concat());
    let got = server.end();
    assert_eq!((run.code, &last["unconfirmed"], &last["dropped"]), (1, &2.into(), &0.into()));
    let reason = "not confirmed: the server has no node Main/Players/5, or is another engine";
    assert_eq!(last["reasons"][reason], 2, "{last}");
    assert_eq!(got.calls.len(), 2);
}

/// A server that hangs does not answer the ping after the calls.
#[test]
fn what_a_hanging_server_has_not_acknowledged_is_a_failure() {
    let address = ([127, 0, 0, 1], 0).into();
    let peer = WebSocketPeer::listen(address, session(METHODS), WebSocketOptions::default());
    let peer = peer.unwrap();
    let url = format!("ws://{}", peer.address());
    let is_over = Arc::new(AtomicBool::new(false));
    let waits = Arc::clone(&is_over);
    let server = Server::start(peer, url, move |_, event| {
        while matches!(event, SessionEvent::Call(_)) && !waits.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(10));
        }
    });
    let methods = methods_file();
    let options = ["--methods", &methods, "--for", "1s", "--call", "Main/World.say(1) 10/s"];
    let (run, last) = bots(&server.url, &options);
    is_over.store(true, Ordering::Relaxed);
    server.end();
    assert_eq!((run.code, &last["joined"], &last["dropped"]), (1, &1.into(), &1.into()), "{last}");
    let reason = "dropped: the server has not acknowledged everything";
    assert_eq!(last["reasons"][reason], 1, "{last}");
}

#[test]
fn dropped_bots_are_counted_with_the_reason() {
    let (peer, url) = Server::enet(session(METHODS), EnetCompression::None);
    let server = Server::start(peer, url, |peer, event| {
        if let SessionEvent::Call(call) = event {
            peer.disconnect(call.from());
        }
    });
    let methods = methods_file();
    let options = ["--methods", &methods, "-n", "3", "--for", "20s", "--call"];
    let (run, last) = bots(&server.url, &[&options[..], &["Main/World.say(1)"]].concat());
    // Nobody is left, so the run ends before its time.
    assert!(last["time"].as_f64().unwrap() < 15.0);
    assert_eq!((run.code, &last["joined"], &last["dropped"]), (1, &3.into(), &3.into()));
    let reason = "dropped: the server has closed the connection, or is gone";
    assert_eq!(last["reasons"][reason], 3, "{last}");
}

#[test]
fn bots_speak_every_compression_and_engine() {
    let methods = methods_file();
    for compression in EnetCompression::ALL {
        for (dialect, name) in [(Dialect::GODOT_3, "godot3"), (Dialect::GODOT_4, "godot4")] {
            let options = SessionOptions::server(dialect).with_names(names(METHODS));
            let (peer, url) = Server::enet(options, *compression);
            let server = Server::answering(peer, url);
            let text = "a".repeat(300);
            let call = format!("Main/World.say(\"{text}\") 20/s");
            let options = ["--dialect", name, "--compress", compression.name(), "--for", "500ms"];
            let options = [&options[..], &["--methods", &methods, "-n", "2"]].concat();
            let (run, last) = bots(&server.url, &[&options[..], &["--call", &call]].concat());
            assert_eq!((run.code, &*run.stderr), (0, ""), "{name} {compression} {last}");
            let got = server.end();
            assert_eq!(last["sent"], got.calls.len(), "{name} {compression}");
            assert_eq!(last["sent"], last["received"], "{name} {compression}");
            let bytes = last["bytes_sent"].as_u64().unwrap();
            let is_smaller = bytes < got.calls.len() as u64 * 300;
            assert_eq!(is_smaller, *compression != EnetCompression::None, "{compression} {bytes}");
            assert!(last["rtt_ms"]["p50"].as_f64().is_some(), "{last}");
        }
    }
}

#[test]
fn bots_join_over_websocket_and_are_recorded() {
    let methods = methods_file();
    for dialect in [Dialect::GODOT_3, Dialect::GODOT_4] {
        let session = SessionOptions::server(dialect).with_names(names(METHODS));
        let address = ([127, 0, 0, 1], 0).into();
        let peer = WebSocketPeer::listen(address, session, WebSocketOptions::default()).unwrap();
        let url = format!("ws://{}", peer.address());
        let server = Server::answering(peer, url);
        let recording = directory("bot-websocket").join(format!("{dialect}.pcapng"));
        let recording = recording.to_str().unwrap();
        let options = ["--methods", &methods, "--dialect", dialect.name(), "-n", "3"];
        let more = ["--for", "1500ms", "--write", recording, "--call", "Main/World.say($i) 10/s"];
        let (run, last) = bots(&server.url, &[&options[..], &more].concat());
        assert_eq!((run.code, &*run.stderr), (0, ""), "{last}");
        let got = server.end();
        assert_eq!((&last["sent"], &last["received"]), (&got.calls.len().into(), &last["sent"]));
        assert!(last["rtt_ms"]["p50"].as_f64().is_some(), "{last}");
        assert_recorded(recording, &methods, &last);
    }
}

#[test]
fn bots_join_with_tls() {
    let address = ([127, 0, 0, 1], 0).into();
    let peer = WebSocketPeer::listen(address, session(METHODS), WebSocketOptions::default());
    let peer = peer.unwrap();
    let url = format!("wss://localhost:{}", tls_in_front_of(peer.address()));
    let server = Server::answering(peer, url);
    let authority = directory("bot-tls").join("ca.pem");
    fs::write(&authority, AUTHORITY).unwrap();
    let methods = methods_file();
    let options = ["--methods", &methods, "-n", "2", "--for", "2s"];
    let call = ["--call", "Main/World.say($i)"];
    let trusting = ["--certificates", authority.to_str().unwrap()];
    let (run, last) = bots(&server.url, &[&options[..], &call, &trusting].concat());
    assert_eq!((run.code, &*run.stderr), (0, ""), "{last}");
    assert_eq!((&last["sent"], &last["received"]), (&2.into(), &2.into()));
    // The system does not know who signed the certificate.
    let (run, last) = bots(&server.url, &options);
    assert_eq!((run.code, &last["refused"]), (1, &2.into()), "{last}");
    let reasons = last["reasons"].as_object().unwrap();
    assert!(reasons.keys().all(|reason| reason.contains("certificate")), "{last}");
}

/// Checks that a recording has the calls that were counted.
fn assert_recorded(recording: &str, methods: &str, last: &Json) {
    let run = gdwire(
        &["decode", "--format", "ndjson", "--methods", methods, "--command", "call", recording],
        b"",
    );
    assert_eq!((run.code, &*run.stderr), (0, ""));
    let is_said = |line: &&&str| line.contains("\"said\"");
    let lines = run.lines();
    let said = lines.iter().filter(is_said).count();
    assert_eq!((&last["received"], &last["sent"]), (&said.into(), &(lines.len() - said).into()));
}

#[test]
fn what_happens_over_enet_is_recorded() {
    let (server, methods) = (Server::game(), methods_file());
    let recording = directory("bot-enet").join("game.pcapng");
    let recording = recording.to_str().unwrap();
    let options = ["--methods", &methods, "-n", "3", "--for", "700ms", "--write", recording];
    let call = ["--call", "Main/World.say($i) 20/s"];
    let (run, last) = bots(&server.url, &[&options[..], &call].concat());
    assert_eq!((run.code, &*run.stderr), (0, ""));
    assert_recorded(recording, &methods, &last);
    let again = gdwire(&["bot", &server.url, "--write", recording], b"");
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("game.pcapng: the file exists, "), "{}", again.stderr);
}

/// The number of packets in a file that is not complete yet.
fn recorded_so_far(path: &str) -> usize {
    let file = fs::read(path).unwrap();
    Capture::new(&file).unwrap().map_while(Result::ok).count()
}

#[test]
fn what_is_recorded_is_there_when_the_program_is_killed() {
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    let url = format!("enet://{}", server.local_addr().unwrap());
    let recording = directory("bot-killed").join("game.pcapng");
    let recording = recording.to_str().unwrap();
    let run = Running::start(&["bot", &url, "--format", "ndjson", "--write", recording]);
    // Before the second report, what was sent in the first second is written.
    let lines = [run.line(), run.line()];
    run.signal("-KILL");
    assert_eq!(run.end().0, None, "{lines:?}");
    assert!(recorded_so_far(recording) > 0);
}

#[test]
fn what_is_recorded_is_there_after_the_second_interrupt() {
    let (call, called) = mpsc::channel();
    let (end, ended) = mpsc::channel::<()>();
    let (peer, url) = Server::enet(session(METHODS), EnetCompression::None);
    // The bots wait for a server that acknowledges nothing any more.
    let server = Server::start(peer, url, move |_, event| {
        if let SessionEvent::Call(_) = event {
            call.send(()).ok();
            ended.recv().ok();
        }
    });
    let recording = directory("bot-interrupted").join("game.pcapng");
    let recording = recording.to_str().unwrap();
    let methods = methods_file();
    let options = ["bot", &server.url, "--write", recording, "--methods", &methods];
    let call = ["--call", "Main/World.say(1) 20/s"];
    let mut run = Running::start(&[&options[..], &call].concat());
    called.recv_timeout(TIMEOUT).unwrap();
    while run.child.try_wait().unwrap().is_none() {
        run.signal("-INT");
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(run.end().0, Some(130));
    assert!(recorded_so_far(recording) > 0);
    drop(end);
    server.end();
}

/// The error of bots if the server sends nothing.
fn no_answer(url: &str, compression: &str) -> String {
    if url.starts_with("ws") {
        return format!("gdwire: {url}: the server does not answer; is it running there?\n");
    }
    format!(
        "gdwire: {url}: the server does not answer the bots; is it running there, and does it \
         compress as they do (--compress {compression})?\n"
    )
}

/// The error of bots if the server answers but does not admit them.
fn not_admitted(url: &str, compression: &str) -> String {
    format!(
        "gdwire: {url}: the server answers, but has not admitted the bots; does it compress as they \
         do (--compress {compression}), or does it wait for --auth?\n"
    )
}

#[test]
fn a_server_that_compresses_otherwise_is_reported() {
    // ENet ignores what it cannot unpack, and answers what is not compressed.
    for (server, options, is_answering) in [
        (EnetCompression::None, ["--dialect", "godot3", "range"], false),
        (EnetCompression::RangeCoder, ["--dialect", "godot4", "none"], true),
    ] {
        let [option, dialect, compression] = options;
        let (peer, url) = Server::enet(SessionOptions::server(Dialect::GODOT_4), server);
        let server = Server::answering(peer, url);
        let expected = if is_answering { not_admitted } else { no_answer };
        let expected = expected(&server.url, compression);
        let wait = ["--join-timeout", "1s", "--for", "20s"];
        let (run, last) = bots(&server.url, &[&[option, dialect][..], &wait].concat());
        assert_eq!((run.code, run.stderr), (2, expected.clone()), "{last}");
        // They end before they have waited long enough.
        let (run, last) = bots(&server.url, &[option, dialect, "--for", "1s"]);
        assert_eq!((run.code, run.stderr), (if is_answering { 1 } else { 2 }, expected), "{last}");
    }
}

#[test]
fn a_server_that_is_not_there_is_an_error() {
    for url in ["enet://127.0.0.1:9", "ws://127.0.0.1:9"] {
        let options = ["-n", "3", "--ramp", "1/s", "--join-timeout", "1s"];
        let (run, last) = bots(url, &options);
        let expected = no_answer(url, "none");
        assert_eq!((run.code, run.stderr), (2, expected));
        assert_eq!((&last["joined"], &last["dropped"]), (&0.into(), &0.into()));
        assert!(last["refused"].as_u64().unwrap() > 0);
    }
}

#[test]
fn bots_that_have_not_joined_at_the_end_are_counted() {
    // Both take what is sent, and answer nothing.
    let deaf = UdpSocket::bind("127.0.0.1:0").unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let urls = [
        format!("enet://{}", deaf.local_addr().unwrap()),
        format!("ws://{}", silent.local_addr().unwrap()),
    ];
    for url in urls {
        let (run, last) = bots(&url, &["-n", "3", "--for", "1s"]);
        let expected = no_answer(&url, "none");
        assert_eq!((run.code, run.stderr), (2, expected));
        for (field, expected) in [("started", 3), ("joined", 0), ("not_joined", 3), ("refused", 0)]
        {
            assert_eq!(last[field], expected, "{field} {last}");
        }
        let run = gdwire(&["bot", &url, "-n", "3", "--for", "1500ms"], b"");
        let text = run.text();
        assert!(text.contains("0 playing, 3 joining, 0 refused"), "{text}");
        assert!(text.contains("3 bots: 0 joined, 3 did not join, 0 refused"), "{text}");
        // Those that give up are refused.
        let (run, last) = bots(&url, &["-n", "3", "--join-timeout", "500ms", "--for", "20s"]);
        assert_eq!((run.code, &last["joined"]), (2, &0.into()), "{last}");
        assert!(last["unanswered"].as_u64().unwrap() > 0, "{last}");
    }
}

#[test]
fn a_server_that_admits_only_some_is_a_failure() {
    let options = EnetOptions::default().with_clients(2);
    let peer = EnetPeer::listen(([127, 0, 0, 1], 0).into(), session(METHODS), options).unwrap();
    let url = format!("enet://{}", peer.address());
    let server = Server::answering(peer, url);
    let (run, last) = bots(&server.url, &["-n", "5", "--for", "1500ms"]);
    assert_eq!((run.code, &*run.stderr), (1, ""), "{last}");
    assert_eq!((&last["joined"], &last["not_joined"]), (&2.into(), &3.into()), "{last}");
    server.end();
}

#[test]
fn a_recording_with_other_methods_asks_for_its_project() {
    let recorded = crate::common::corpus("captures").join("godot4-rpc.pcapng");
    let other = directory("bot-other").join("other.methods");
    fs::write(&other, "Game/World: one, two").unwrap();
    let session = SessionOptions::server(Dialect::GODOT_4).with_unknown_nodes();
    let (peer, url) = Server::enet(session, EnetCompression::None);
    let server = Server::start(peer, url, |_, _| {});
    let options = ["--replay", recorded.to_str().unwrap(), "--methods", other.to_str().unwrap()];
    let (run, last) = bots(&server.url, &options);
    server.end();
    assert_eq!(run.code, 1, "{last}");
    assert!(run.stderr.contains("name its project with --project"), "{} {last}", run.stderr);
    let mut reasons = last["reasons"].as_object().unwrap().keys();
    assert!(reasons.any(|it| it.contains("has no remote method \"#")), "{last}");
}

#[test]
fn wrong_options_are_explained() {
    let methods = methods_file();
    let values = crate::common::corpus("captures").join("godot4-udp.pcapng");
    let call =
        |call: &'static str| vec!["enet://127.0.0.1:9", "--methods", &methods, "--call", call];
    for (options, expected) in [
        (
            vec!["enet://192.0.2.1:7777"],
            "enet://192.0.2.1:7777 is on another computer; --remote says",
        ),
        (vec!["http://127.0.0.1"], "there is no transport 'http'"),
        (call("Main/World.say(Vector2(1))"), "column 16: Vector2 needs 2 components, but has 1"),
        (
            call("Main/World.sya(1)"),
            "the node Main/World has no remote method sya; it has say, said, move",
        ),
        (
            call("Main/Wrld.say(1)"),
            "the node Main/Wrld has no known remote methods; listed: Main/World",
        ),
        (
            vec!["enet://127.0.0.1:9", "--call", "World.say(1)"],
            "which come from the game's project or from a list of methods: see --project and --methods",
        ),
        (
            vec!["ws://127.0.0.1:9", "--compress", "zstd"],
            "--compress needs an address that begins with enet://",
        ),
        (
            vec!["enet://127.0.0.1:9", "--replay", values.to_str().unwrap()],
            "no client sent packets of the multiplayer API there",
        ),
        (vec!["enet://127.0.0.1:9", "--ramp", "20"], "expected a rate, such as 20/s or 6/min"),
        (vec!["enet://127.0.0.1:9", "--dialect", "godot3", "--auth", "x"], "--auth needs Godot 4"),
    ] {
        let run = gdwire(&[&["bot"], &options[..]].concat(), b"");
        assert_eq!(run.code, 2, "{options:?}");
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
}

/// The commands of the page about bots, with a server of the test in place of the one that it names, and
/// for a shorter time.
#[test]
fn the_commands_of_the_page_run() {
    let page = include_str!("../../src/docs/bots.rs");
    let lines: Vec<_> = page.lines().filter_map(|line| line.strip_prefix("//! ")).collect();
    let folder = directory("bot-page");
    let script = lines.iter().skip_while(|line| !line.contains("# walk.calls"));
    symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"), folder.join("corpus")).unwrap();
    let script: Vec<_> = script.take_while(|line| **line != "```").copied().collect();
    fs::write(folder.join("walk.calls"), script.join("\n")).unwrap();
    fs::write(folder.join("game.methods"), METHODS).unwrap();
    let mut count = 0;
    for line in lines.iter().filter(|line| line.starts_with("gdwire bot ")) {
        let is_old = line.contains("godot3");
        let dialect = if is_old { Dialect::GODOT_3 } else { Dialect::GODOT_4 };
        let usual = if is_old { EnetCompression::RangeCoder } else { EnetCompression::None };
        let session = SessionOptions::server(dialect).with_names(names(METHODS));
        let (peer, url) = Server::enet(session, usual);
        let server = Server::answering(peer, url);
        let (before, time) = line.split_once("--for ").unwrap();
        let after = time.trim_start_matches(|it: char| it != ' ');
        let run = format!("{before}--for 3s{after}")
            .replace("enet://127.0.0.1:7777", &server.url)
            .replace("--project mygame", "--methods game.methods")
            .replace("gdwire", env!("CARGO_BIN_EXE_gdwire"));
        let output = Command::new("bash").args(["-c", &run]).current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{run}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!server.end().calls.is_empty(), "{run}");
        count += 1;
    }
    assert_eq!(count, 6);
    let last = fs::read_to_string(folder.join("bots.ndjson")).unwrap();
    let last: Json = serde_json::from_str(last.lines().last().unwrap()).unwrap();
    assert_eq!((&last["joined"], &last["dropped"]), (&20.into(), &0.into()));
    // The page names each field.
    for field in last.as_object().unwrap().keys() {
        assert!(page.contains(&format!("`{field}`")), "{field}");
    }
}

/// The address of the server in a capture.
fn server_of(capture: &str) -> String {
    let run = gdwire(&["decode", "--format", "ndjson", capture], b"");
    let mut lines = run.lines().into_iter().map(|line| serde_json::from_str(line).unwrap());
    let from_server = lines.find(|line: &Json| line["peer"]["source"] == 1);
    from_server.unwrap()["src"].as_str().unwrap().to_owned()
}

/// The calls, changes of properties and states that clients sent to a server in a capture, sorted: names of
/// nodes and methods, and values, without ids of this session.
fn sent_by_clients(capture: &str, server: &str) -> Vec<String> {
    let run = gdwire(&["decode", "--format", "ndjson", "--values", "native", capture], b"");
    assert_eq!(run.code, 0, "{capture}: {}", run.stderr);
    let mut sent = Vec::new();
    let lines = run.lines().into_iter().map(|line| serde_json::from_str(line).unwrap());
    // The server also forwards what clients send to each other.
    for line in lines.filter(|line: &Json| line["dst"] == server) {
        let mut rpc = &line["rpc"];
        let is_relayed = rpc["command"] == "relay";
        if is_relayed {
            rpc = &rpc["packet"];
        }
        let command = rpc["command"].as_str().unwrap_or_default();
        let states = rpc["states"].as_array().map(|states| {
            let state = |state: &Json| (state["path"].clone(), state["args"].clone());
            states.iter().map(state).collect::<Vec<_>>()
        });
        match command {
            "call" | "set" | "raw" => sent.push(format!(
                "{is_relayed} {} {command} {} {} {} {} {}",
                line["mode"],
                rpc["path"],
                rpc["method"],
                rpc["property"],
                rpc["args"],
                rpc["bytes"]
            )),
            "delta" => sent.push(format!("{command} {states:?}")),
            _ => {}
        }
    }
    sent.sort_unstable();
    sent
}

#[test]
fn a_recording_is_sent_again() {
    for (name, compression) in [
        ("godot3-rpc", Some(EnetCompression::None)),
        ("godot3-rpc-compressed", Some(EnetCompression::RangeCoder)),
        ("godot3-rpc-three", Some(EnetCompression::None)),
        ("godot3-websocket-rpc", None),
        ("pandemonium5-rpc", Some(EnetCompression::None)),
        ("godot4-rpc", Some(EnetCompression::None)),
        ("godot4-rpc-three", Some(EnetCompression::None)),
        ("godot4-game-enet-zstd", Some(EnetCompression::Zstandard)),
        ("godot4-game-websocket", None),
    ] {
        let recorded = crate::common::corpus("captures").join(format!("{name}.pcapng"));
        let recorded = recorded.to_str().unwrap();
        let dialect = match &name[..name.find('-').unwrap()] {
            "godot3" => Dialect::GODOT_3,
            "godot4" => Dialect::GODOT_4,
            _ => Dialect::PANDEMONIUM_5,
        };
        let session = SessionOptions::server(dialect).with_unknown_nodes();
        let (peer, url): (GamePeer, _) = if let Some(compression) = compression {
            let (peer, url) = Server::enet(session, compression);
            (peer.into(), url)
        } else {
            let (address, options) = (([127, 0, 0, 1], 0).into(), WebSocketOptions::default());
            let peer = WebSocketPeer::listen(address, session, options).unwrap();
            let url = format!("ws://{}", peer.address());
            (peer.into(), url)
        };
        let server = Server::start(peer, url, |_, _| {});
        let again = directory("bot-replay").join(format!("{name}.pcapng"));
        let again = again.to_str().unwrap();
        let mut options = vec!["--replay", recorded, "--write", again, "--speed", "8"];
        if let Some(compression) = compression {
            options.extend(["--compress", compression.name()]);
        }
        let url = server.url.clone();
        let (run, last) = bots(&url, &options);
        let got = server.end();
        assert_eq!((run.code, &*run.stderr), (0, ""), "{name} {last}");
        assert_eq!(last["joined"], got.joined.len(), "{name}");
        let mut expected = sent_by_clients(recorded, &server_of(recorded));
        let mut sent = sent_by_clients(again, url.rsplit_once('/').unwrap().1);
        if name.ends_with("-three") {
            // Until all peers have confirmed a path, each of them gets a packet of its own.
            expected.dedup();
            sent.dedup();
        }
        assert!(expected.len() >= 5, "{name}");
        for call in &sent {
            let place = expected.iter().position(|other| other == call);
            expected.remove(place.unwrap_or_else(|| panic!("{name} has no {call}")));
        }
        // ENet drops some unreliable messages when round trips become longer.
        let reliable: Vec<_> = expected.iter().filter(|it| !it.contains("unreliable")).collect();
        assert!(reliable.is_empty(), "{name}: {reliable:?}");
    }
}

/// A script of this game makes a method remote at run time, which only the digest in the recording shows.
#[test]
fn a_recording_is_sent_again_with_its_project() {
    let recorded = crate::common::corpus("captures").join("godot4-game-enet.pcapng");
    let recorded = recorded.to_str().unwrap();
    let project = crate::common::corpus("project").join("arena");
    let methods = Methods::parse("Main/Chat: fire, respawn, +wave").unwrap();
    let names = Names::new().with_methods(methods);
    let names = names.with_project(Project::open(&project).unwrap());
    let session = SessionOptions::server(Dialect::GODOT_4).with_unknown_nodes();
    let (peer, url) = Server::enet(session.with_names(names.into()), EnetCompression::None);
    let server = Server::start(peer, url, |_, event| {
        assert!(!matches!(event, SessionEvent::Mismatch { .. }), "{event:?}");
    });
    let project = project.to_str().unwrap();
    let (run, last) =
        bots(&server.url, &["--replay", recorded, "--project", project, "--speed", "8"]);
    let got = server.end();
    assert_eq!((run.code, &*run.stderr), (0, ""), "{last}");
    let run = gdwire(&["stats", "--format", "json", "--project", project, recorded], b"");
    let stats: Json = serde_json::from_str(run.text()).unwrap();
    let calls = stats["calls"].as_array().unwrap().iter();
    let calls = calls.filter(|call| call["path"] == "Main/Chat");
    let sent = calls.map(|call| {
        (call["method"].as_str().unwrap(), call["from_clients"]["count"].as_u64().unwrap())
    });
    let sent: BTreeMap<_, _> = sent.filter(|(_, count)| *count > 0).collect();
    assert_eq!(sent.keys().copied().collect::<Vec<_>>(), ["fire", "respawn", "wave"]);
    for (method, count) in sent {
        assert_eq!(got.counts()[method], count, "{method}");
    }
}

#[test]
fn one_client_of_a_recording_is_sent_again_at_its_times() {
    let recorded = crate::common::corpus("captures").join("godot3-rpc-three.pcapng");
    let recorded = recorded.to_str().unwrap();
    let all = sent_by_clients(recorded, &server_of(recorded));
    for (end, code) in [("client 1", 0), ("127.0.0.1:7778", 0), ("client 3", 2), ("server", 2)] {
        let session = SessionOptions::server(Dialect::GODOT_3).with_unknown_nodes();
        let (peer, url) = Server::enet(session, EnetCompression::None);
        let server = Server::start(peer, url, |_, _| {});
        let options =
            ["--replay", recorded, "--end", end, "--compress", "none", "--format", "ndjson"];
        let run = gdwire(&[&["bot", &server.url], &options[..]].concat(), b"");
        let got = server.end();
        if code == 2 {
            assert_eq!((run.code, got.joined.len()), (2, 0), "{end}: {}", run.stderr);
            continue;
        }
        let last: Json = serde_json::from_str(run.lines().last().unwrap()).unwrap();
        assert_eq!(last["joined"], 1, "{end} {last}");
        // The other client is not there, so what was sent to it alone is reported.
        let sent = last["sent"].as_u64().unwrap() + last["failed"].as_u64().unwrap();
        assert!(sent > 5 && sent <= all.len() as u64, "{end} {last}");
        assert_eq!(run.code, i32::from(last["failed"] != 0), "{end} {last}");
    }
}
