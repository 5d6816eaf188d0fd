//! The examples work as documented. Those that talk to games are tested with a Godot 3 engine.

use crate::common;
use crate::common::{Godot, Sent, lines, unhex};
use gdwire::math::Vector3;
use gdwire::{Dialect, Variant, encode, variant};
use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The path of an example that Cargo has built with the tests.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap().join("examples");
    let program = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(
        program.exists(),
        "{} is not there: `cargo test` alone builds the examples, but `cargo test --test sources` \
         does not; run `cargo build --examples` with the same features before it",
        program.display()
    );
    program
}

/// A running example that listens on an address. It ends with the test.
struct Server(Child, SocketAddr);

impl Server {
    fn start(name: &str, arguments: &[&str]) -> Server {
        let (server, mut printed) = Server::with_output(name, arguments);
        // Otherwise the example would block once the pipe of its output is full.
        std::thread::spawn(move || printed.read_to_end(&mut Vec::new()));
        server
    }

    /// Starts an example, and returns its output after the first line.
    fn with_output(name: &str, arguments: &[&str]) -> (Server, impl BufRead + use<>) {
        let mut command = Command::new(example(name));
        command.arg("127.0.0.1:0").args(arguments).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut printed = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        printed.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap().parse().unwrap();
        (Server(child, address), printed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Checks that the engine received all values that it sent to a server.
fn assert_engine_gets_all_back(server: &Server, protocol: &str) {
    let port = server.1.port().to_string();
    let Some(engine) = Godot::V3.start_script("client.gd", &[protocol, &port]) else { return };
    let printed = engine.wait();
    let same = printed.lines().filter(|line| *line == "same").count();
    assert_eq!(same, 11, "{printed}");
}

#[test]
fn udp_echo_sends_back_what_a_game_sends() {
    assert_engine_gets_all_back(&Server::start("udp_echo", &[]), "udp");
}

#[cfg(feature = "codec")]
#[test]
fn tcp_server_sends_back_what_a_game_sends() {
    assert_engine_gets_all_back(&Server::start("tcp_server", &[]), "tcp");
}

#[cfg(feature = "codec")]
#[test]
fn tcp_server_closes_connections_that_send_invalid_values() {
    use std::io::Write;
    use std::net::TcpStream;

    let server = Server::start("tcp_server", &[]);
    let mut good = TcpStream::connect(server.1).unwrap();
    let mut bad = TcpStream::connect(server.1).unwrap();
    for stream in [&good, &bad] {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    }
    // A type number that does not exist.
    bad.write_all(&[4, 0, 0, 0, 99, 0, 0, 0]).unwrap();
    assert_eq!(bad.read(&mut [0; 16]).unwrap(), 0);
    let hello = [8, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0];
    good.write_all(&hello).unwrap();
    let mut back = [0; 12];
    good.read_exact(&mut back).unwrap();
    assert_eq!(back, hello);
}

#[test]
fn udp_echo_continues_after_an_invalid_datagram() {
    let server = Server::start("udp_echo", &[]);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let hello = [2, 0, 0, 0, 7, 0, 0, 0];
    for datagram in [&[99, 0, 0, 0][..], &[], &hello] {
        socket.send_to(datagram, server.1).unwrap();
    }
    let mut back = [0; 16];
    assert_eq!(socket.recv(&mut back).unwrap(), 8);
    assert_eq!(back[..8], hello);
}

#[test]
fn udp_state_prints_fields_and_says_what_is_wrong_with_bad_packets() {
    let (server, mut printed) = Server::with_output("udp_state", &[]);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut output_for = |packet: &[u8]| {
        socket.send_to(packet, server.1).unwrap();
        let mut line = String::new();
        printed.read_line(&mut line).unwrap();
        let (_, text) = line.trim().split_once(": ").unwrap();
        text.to_owned()
    };
    let packet = |value: Variant| encode(Dialect::GODOT_4, &value).unwrap();
    let state = |position: Variant, items: Variant| {
        packet(variant!({
            "name": "Zoë",
            "stats": { "hp": 87 },
            "position": position,
            "items": items,
        }))
    };
    let position = || Variant::from(Vector3::new(1.5_f32, 2.0, -3.0));
    let good = state(position(), variant!([{ "name": "sword" }, { "name": "arrow", "count": 20 }]));
    assert_eq!(output_for(&good), "Zoë has 87 hp at (1.5, 2, -3), 1 × sword, 20 × arrow");
    assert_eq!(
        output_for(&state(variant!([1.5, 2, -3]), variant!([]))),
        "Zoë has 87 hp at (1.5, 2, -3)"
    );
    for (position, problem) in [
        (variant!("(1, 2, 3)"), "/position: expected a Vector3, found a String at byte 92"),
        (variant!([1, 2]), "/position: expected 3 elements, found 2 in the Array at byte 92"),
        (variant!([1, "2", 3]), "/position/1: expected a float, found a String at byte 108"),
    ] {
        assert_eq!(output_for(&state(position, variant!([]))), format!("bad packet: {problem}"));
    }
    assert_eq!(
        output_for(&state(
            position(),
            variant!([{ "name": "sword" }, { "name": "arrow", "count": "many" }])
        )),
        "bad packet: /items/1/count: expected an int, found a String at byte 220"
    );
    assert_eq!(
        output_for(&packet(variant!({ "name": "Zoë", "stats": [87] }))),
        "bad packet: /stats/hp: the Array at byte 48 has no element hp"
    );
    assert_eq!(
        output_for(&packet(variant!({ "name": "Zoë", "stats": { "hp": -1 } }))),
        "bad packet: /stats/hp: the int -1 at byte 68 does not fit in u16"
    );
    assert_eq!(
        output_for(&good[..good.len() - 4]),
        "bad packet: /items/1/count: byte 224: the input ends inside the number of an int: 4 bytes are needed, 0 are left"
    );
    assert_eq!(
        output_for(&[99, 0, 0, 0]),
        "bad packet: byte 0: the header of a value has type 99, which the dialect does not know"
    );
    assert_eq!(output_for(&good), "Zoë has 87 hp at (1.5, 2, -3), 1 × sword, 20 × arrow");
}

#[test]
fn udp_proxy_changes_one_field_and_counts() {
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    let game = UdpSocket::bind("127.0.0.1:0").unwrap();
    for socket in [&server, &game] {
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    }
    let (proxy, printed) =
        Server::with_output("udp_proxy", &[&server.local_addr().unwrap().to_string()]);
    let state = |hp: i64| {
        encode(Dialect::GODOT_4, &variant!({ "player": { "hp": hp, "name": "Zoë" } })).unwrap()
    };
    let mut buffer = [0; 256];
    let mut pass = |sent: &[u8]| {
        game.send_to(sent, proxy.1).unwrap();
        let (length, from) = server.recv_from(&mut buffer).unwrap();
        assert_eq!(from, proxy.1);
        buffer[..length].to_vec()
    };
    assert_eq!(pass(&state(7)), state(100));
    assert_eq!(pass(&state(1 << 40)), state(1 << 40));
    assert_eq!(pass(b"no value"), b"no value");
    // A smaller number that takes more bytes than its place has.
    assert_eq!(pass(&state(-(1 << 40))), state(100));
    server.send_to(b"answer", proxy.1).unwrap();
    let mut buffer = [0; 256];
    assert_eq!(game.recv(&mut buffer).unwrap(), 6);
    // It prints once a second, after a packet.
    std::thread::sleep(Duration::from_millis(1100));
    server.send_to(b"answer", proxy.1).unwrap();
    // On a slow machine, it has already printed earlier counts.
    let last = "2 packets changed, 2 unchanged, 2 answers";
    assert!(printed.lines().any(|line| line.unwrap() == last));
}

#[test]
fn recorder_writes_what_it_receives() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recorded.dat");
    let _ = std::fs::remove_file(&path);
    let server = Server::start("recorder", &[path.to_str().unwrap()]);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut expected = Vec::new();
    for sent in lines::<Sent>("captures/godot3-file.ndjson") {
        let value = unhex(&sent.hex);
        if value.len() > 10_000 {
            continue;
        }
        socket.send_to(&value, server.1).unwrap();
        expected.extend((value.len() as u32).to_le_bytes());
        expected.extend(value);
        // One value at a time, because the socket's buffer is small.
        let waited = Instant::now();
        while std::fs::metadata(&path).unwrap().len() < expected.len() as u64 {
            assert!(waited.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    assert!(expected.len() > 1000);
    assert_eq!(std::fs::read(&path).unwrap(), expected);
}

#[cfg(feature = "capture")]
#[test]
fn capture_summary_counts_what_was_sent() {
    let mut command = Command::new(example("capture_summary"));
    let output = command.arg(common::corpus("captures/godot3-udp.pcapng")).output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let sent = lines::<Sent>("captures/godot3-udp.ndjson");
    for (name, flow) in [
        ("client", "127.0.0.1:7778 -> 127.0.0.1:7777"),
        ("server", "127.0.0.1:7777 -> 127.0.0.1:7778"),
    ] {
        let count = sent.iter().filter(|sent| sent.delivered && sent.from == name).count();
        let line = format!("{flow}: {count} packets, {count} values");
        assert!(count > 20 && output.lines().any(|printed| printed == line), "{line}\n{output}");
    }
    let vectors = sent.iter().filter(|sent| sent.delivered && sent.kind == "vector3").count();
    let counted = output.lines().filter_map(|line| line.trim().strip_suffix(" Vector3"));
    assert_eq!(counted.map(|count| count.parse::<usize>().unwrap()).sum::<usize>(), vectors);
}

/// A call, as the scripts of the engines print it.
#[cfg(feature = "capture")]
#[derive(serde::Deserialize)]
struct Call {
    kind: String,
    mode: String,
    path: String,
    method: String,
}

/// Two engines call each other through the relay.
#[cfg(feature = "capture")]
#[test]
fn live_rpc_prints_the_calls_between_two_engines() {
    let lines = |output| BufReader::new(output).lines().map_while(Result::ok);
    let start = |arguments: &[&str]| Godot::V3.start_script("multiplayer.gd", arguments);
    let Some(mut server) = start(&["none", "server"]) else { return };
    let mut of_server = lines(server.output());
    let port = of_server.find_map(|line| Some(line.strip_prefix("listening ")?.trim().to_owned()));
    let server_address = format!("127.0.0.1:{}", port.unwrap());
    let (relay, printed) = Server::with_output("live_rpc", &[&server_address]);
    let port = relay.1.port().to_string();
    let Some(mut client) = start(&["none", "client", &port]) else { return };
    let of_client = lines(client.output());
    let sent = [
        std::thread::spawn(move || of_client.collect::<Vec<_>>()),
        std::thread::spawn(move || of_server.collect::<Vec<_>>()),
    ];

    // The last call of each engine is `finish`.
    let mut left = 2;
    let mut seen = Vec::new();
    for line in printed.lines().map_while(Result::ok) {
        left -= usize::from(line.ends_with(".finish()"));
        seen.push(line);
        if left == 0 {
            break;
        }
    }
    drop([client, server]);
    for (sent, is_to_server) in sent.into_iter().zip([true, false]) {
        let calls: Vec<Call> = sent
            .join()
            .unwrap()
            .iter()
            .filter_map(|line| serde_json::from_str(line.strip_prefix("sent ")?).ok())
            .filter(|call: &Call| call.kind == "rpc")
            .collect();
        assert!(calls.len() > 10);
        let is_from_there =
            |line: &&String| line.contains(&format!("→ {server_address}  ")) == is_to_server;
        for Call { path, method, .. } in &calls {
            let text = format!("  {}.{method}(", path.trim_start_matches("/root/"));
            let shown = seen.iter().filter(is_from_there).filter(|line| line.contains(&text));
            let shown = shown.count();
            let same = || calls.iter().filter(|it| (&it.path, &it.method) == (path, method));
            let reliable = same().filter(|call| call.mode == "reliable").count();
            // ENet may drop unreliable calls instead of sending them.
            assert!((reliable..=same().count()).contains(&shown), "{text}: {shown} lines");
        }
    }
}

#[cfg(feature = "peer")]
#[test]
fn bots_of_a_game_see_each_other() {
    let (server, _printed) = Server::with_output("game_server", &[]);
    let bot = || {
        let mut command = Command::new(example("game_bot"));
        let mut child = command.arg(server.1.to_string()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        (Server(child, server.1), lines)
    };
    let (first, mut seen) = bot();
    assert!(seen.any(|line| line == format!("said({}, \"hello\")", first.0.id())));
    let (second, mut seen_by_second) = bot();
    let [id, other] = [&first, &second].map(|bot| bot.0.id());
    for (lines, other) in [(&mut seen, other), (&mut seen_by_second, id)] {
        let spawned = format!("spawned {other} at Vector2(");
        assert!(lines.any(|line| line.starts_with(&spawned)));
        assert!(lines.any(|line| line.starts_with("moved to Vector2(")));
    }
    // While their output is still read.
    drop((first, second));
}

#[cfg(feature = "peer")]
#[test]
fn a_bridge_prints_calls_and_answers_some() {
    let (server, _printed) = Server::with_output("game_server", &[]);
    let start = |name: &str, address: String| {
        let mut command = Command::new(example(name));
        let mut child = command.arg(address).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        (Server(child, server.1), lines)
    };
    let (bridge, mut printed) = start("bridge", format!("enet://{}", server.1));
    assert!(printed.any(|line| line == "1 has joined"));
    let (bot, mut seen) = start("game_bot", server.1.to_string());
    let [bridge_id, bot_id] = [&bridge, &bot].map(|program| program.0.id());
    for expected in [
        format!("{bot_id} has joined"),
        format!("1: Main/Spawner spawns {bot_id}"),
        format!("1: Main/World.said({bot_id}, \"hello\")"),
        format!("1: Main/World.said({bridge_id}, \"welcome, {bot_id}\")"),
    ] {
        assert!(printed.any(|line| line == expected), "{expected}");
    }
    assert!(printed.any(|line| line.starts_with("1: a node is at Vector2(")));
    assert!(seen.any(|line| line == format!("said({bridge_id}, \"welcome, {bot_id}\")")));
    // While their output is still read.
    drop((bridge, bot));
}
