//! `gdwire proxy`: what it forwards, loses, delays, records and shows.

use crate::cli::run::{self, directory, gdwire};
use crate::cli::running::{Running, TIMEOUT};
use gdwire::capture::PacketReader;
use gdwire::{Dialect, encode, variant};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The dialect is named, so that each message is shown at once.
const KNOWN: [&str; 4] = ["--dialect", "godot4", "--format", "ndjson"];

/// A proxy in front of a server.
struct Proxied {
    run: Running,
    proxy: SocketAddr,
    server: UdpSocket,
}

impl Proxied {
    fn start(options: &[&str]) -> Proxied {
        let server = UdpSocket::bind("127.0.0.1:0").unwrap();
        server.set_read_timeout(Some(TIMEOUT)).unwrap();
        let to = server.local_addr().unwrap();
        let (run, proxy) = start(to, options);
        Proxied { run, proxy, server }
    }

    fn client(&self) -> UdpSocket {
        let client = UdpSocket::bind("127.0.0.1:0").unwrap();
        client.connect(self.proxy).unwrap();
        client.set_read_timeout(Some(TIMEOUT)).unwrap();
        client
    }

    fn receive(&self) -> (Vec<u8>, SocketAddr) {
        let mut bytes = vec![0; 1 << 16];
        let (len, from) = self.server.recv_from(&mut bytes).unwrap();
        bytes.truncate(len);
        (bytes, from)
    }

    /// Ends the proxy. Returns the lines that were not read, and the notes.
    fn end(self) -> (Vec<String>, String) {
        self.run.signal("-INT");
        let (code, lines, errors) = self.run.end();
        assert_eq!(code, Some(0), "{errors:?}");
        (lines, errors.join("\n"))
    }
}

fn start(to: SocketAddr, options: &[&str]) -> (Running, SocketAddr) {
    let to = to.to_string();
    let fixed = ["proxy", "--listen", "127.0.0.1:0", "--to", &to];
    let run = Running::start(&[&fixed[..], &KNOWN, options].concat());
    let first = run.error();
    let proxy = first.strip_prefix("gdwire: forwarding ").expect(&first);
    let proxy = proxy.split(' ').next().unwrap().parse().unwrap();
    (run, proxy)
}

fn packet(number: i64) -> Vec<u8> {
    encode(Dialect::GODOT_4, &variant!({ "number": number })).unwrap()
}

/// The numbers in lines of ndjson.
fn numbers(lines: &[String]) -> Vec<i64> {
    let number = |line: &String| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["value"]["number"].as_i64().unwrap()
    };
    lines.iter().map(number).collect()
}

/// The most that may wait in a socket on Linux, in bytes.
fn allowed_to_wait() -> Option<u64> {
    let allowed = std::fs::read_to_string("/proc/sys/net/core/rmem_max").ok()?;
    allowed.trim().parse().ok()
}

#[test]
fn a_proxy_that_was_stopped_for_a_while_loses_nothing() {
    if !cfg!(target_os = "linux") || std::env::var_os("GDWIRE_COMMAND").is_some() {
        eprintln!("skipped: only programs for Linux can be stopped and continued");
        return;
    }
    if allowed_to_wait() < Some(4 << 20) {
        eprintln!("skipped: too little may wait in sockets (sysctl net.core.rmem_max=4194304)");
        return;
    }
    let proxied = Proxied::start(&[]);
    let client = proxied.client();
    proxied.run.signal("-STOP");
    for number in 0..1_000 {
        client.send(&packet(number)).unwrap();
    }
    proxied.run.signal("-CONT");
    let lines: Vec<_> = (0..1_000).map(|_| proxied.run.line()).collect();
    assert_eq!(numbers(&lines), Vec::from_iter(0..1_000));
    proxied.end();
}

#[test]
fn datagrams_are_forwarded_shown_and_recorded() {
    let prefix = directory("proxied").join("game");
    let proxied = Proxied::start(&["--write", prefix.to_str().unwrap()]);
    let clients = [proxied.client(), proxied.client()];
    let mut sockets = Vec::new();
    for (client, number) in clients.iter().zip(0..) {
        client.send(&packet(number)).unwrap();
        let (bytes, from) = proxied.receive();
        assert_eq!(bytes, packet(number));
        proxied.server.send_to(&packet(number + 10), from).unwrap();
        let mut answer = [0; 100];
        let len = client.recv(&mut answer).unwrap();
        assert_eq!(answer[..len], packet(number + 10));
        sockets.push(from);
    }
    assert_ne!(sockets[0], sockets[1], "the server sees two clients");
    let shown: Vec<_> = (0..4).map(|_| proxied.run.line()).collect();
    assert_eq!(numbers(&shown), [0, 10, 1, 11]);
    let (rest, notes) = proxied.end();
    assert_eq!(rest, [""; 0]);
    assert!(notes.contains("2 datagrams to the server\n"), "{notes}");
    assert!(notes.contains("2 datagrams to the clients\n"), "{notes}");
    for side in ["client", "server"] {
        let path = format!("{}-{side}.pcapng", prefix.display());
        let run = gdwire(&[&["decode"], &KNOWN[..], &[&path]].concat(), b"");
        let lines: Vec<_> = run.lines().into_iter().map(str::to_owned).collect();
        assert_eq!(numbers(&lines), [0, 10, 1, 11], "{side}");
        // The addresses are those of this side.
        let other = sockets[0].port().to_string();
        assert_eq!(lines[0].contains(&other), side == "server", "{}", lines[0]);
    }
}

#[test]
fn a_recording_replaces_no_file() {
    let folder = directory("kept");
    let prefix = folder.join("game");
    std::fs::write(folder.join("game-client.pcapng"), "mine").unwrap();
    let prefix = prefix.to_str().unwrap();
    let run = gdwire(&["proxy", "--listen", "127.0.0.1:0", "--to", "1", "--write", prefix], b"");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("game-client.pcapng: the file exists, "), "{}", run.stderr);
    assert_eq!(std::fs::read(folder.join("game-client.pcapng")).unwrap(), b"mine");
}

#[test]
fn each_way_takes_as_long_as_asked() {
    let proxied = Proxied::start(&["--delay", "60ms", "--down", "delay=90ms"]);
    let client = proxied.client();
    let sent = Instant::now();
    client.send(&packet(1)).unwrap();
    let (_, from) = proxied.receive();
    assert!(sent.elapsed() >= Duration::from_millis(60));
    let answered = Instant::now();
    proxied.server.send_to(&packet(2), from).unwrap();
    client.recv(&mut [0; 100]).unwrap();
    assert!(answered.elapsed() >= Duration::from_millis(90));
    let (_, notes) = proxied.end();
    assert!(notes.contains("the proxy's own delay: at most "), "{notes}");
}

/// When the packets of a recording were captured, in nanoseconds.
fn times(recording: &str) -> Vec<i64> {
    let file = std::fs::read(recording).unwrap();
    let mut packets = PacketReader::new(&file[..]);
    let mut times = Vec::new();
    while let Some(packet) = packets.next_packet().unwrap() {
        times.push(packet.time.unwrap().as_nanos());
    }
    times
}

#[test]
fn recordings_have_the_delay_of_datagrams_that_waited_for_the_proxy() {
    let prefix = directory("waited").join("game");
    let prefix = prefix.to_str().unwrap();
    let proxied = Proxied::start(&["--delay", "20ms", "--write", prefix]);
    let client = proxied.client();
    for _ in 0..5 {
        // The buffer of a socket has room for 200 datagrams, and the proxy needs longer to record them.
        for number in 0..200 {
            client.send(&packet(number)).unwrap();
        }
        (0..200).for_each(|_| drop(proxied.receive()));
    }
    proxied.end();
    let sent = times(&format!("{prefix}-client.pcapng"));
    let arrived = times(&format!("{prefix}-server.pcapng"));
    assert_eq!((sent.len(), arrived.len()), (1_000, 1_000));
    assert!(sent.is_sorted() && arrived.is_sorted());
    let shortest = arrived.iter().zip(sent).map(|(arrived, sent)| arrived - sent).min();
    assert!(shortest >= Some(20_000_000), "{shortest:?}");
}

/// The numbers of those of 300 datagrams that arrive.
fn arriving(options: &[&str]) -> Vec<i64> {
    let proxied = Proxied::start(options);
    let client = proxied.client();
    for number in 0..300 {
        client.send(&packet(number)).unwrap();
        // The proxy shows what it has received.
        proxied.run.line();
    }
    // Nothing is on its way for longer.
    proxied.server.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    let mut arrived = Vec::new();
    let mut bytes = [0; 100];
    while let Ok(len) = proxied.server.recv(&mut bytes) {
        let value = gdwire::parse(Dialect::GODOT_4, &bytes[..len]).unwrap();
        arrived.push(value.get("number").unwrap().as_i64().unwrap());
    }
    let (_, notes) = proxied.end();
    assert!(notes.contains(&format!("{} lost", 300 - arrived.len())), "{notes}");
    arrived
}

#[test]
fn the_same_seed_loses_the_same_datagrams() {
    let first = arriving(&["--loss", "20%", "--burst", "3", "--seed", "7"]);
    assert!((150..290).contains(&first.len()), "{}", first.len());
    assert_eq!(first, arriving(&["--up", "loss=20%,burst=3", "--seed", "7", "--delay", "5ms"]));
    assert_ne!(first, arriving(&["--loss", "20%", "--burst", "3", "--seed", "8"]));
}

#[test]
fn datagrams_are_dropped_and_delayed_by_their_messages() {
    let proxied = Proxied::start(&[
        "--drop-where",
        ".value.number >= 3",
        "--delay-where",
        ".value.number == 1",
        "--delay-by",
        "200ms",
        "--times",
        "3",
    ]);
    let client = proxied.client();
    for number in 0..6 {
        client.send(&packet(number)).unwrap();
        proxied.run.line();
    }
    // 1 is late, 3 and 4 are dropped, and 5 would be the fourth.
    let arrived: Vec<_> = (0..4).map(|_| proxied.receive().0).collect();
    assert_eq!(arrived, [0, 2, 5, 1].map(packet));
    let (_, notes) = proxied.end();
    let expected = "6 datagrams to the server, 2 dropped because of --drop-where, 1 delayed because \
                    of --delay-where\n";
    assert!(notes.contains(expected), "{notes}");
}

/// Datagrams that are not ENet have no messages then, so nothing is dropped or shown.
#[test]
fn messages_are_those_of_the_named_transport() {
    let proxied = Proxied::start(&["--transport", "enet", "--drop-where", "true"]);
    proxied.client().send(&packet(0)).unwrap();
    assert_eq!(proxied.receive().0, packet(0));
    proxied.end();
}

#[test]
fn other_clients_are_not_affected() {
    let proxied = Proxied::start(&["--loss", "100%", "--client", "1"]);
    let clients = [proxied.client(), proxied.client()];
    for (client, number) in clients.iter().zip(0..) {
        client.send(&packet(number)).unwrap();
        proxied.run.line();
    }
    assert_eq!(proxied.receive().0, packet(1));
    proxied.end();
}

#[test]
fn streams_are_forwarded_shown_and_recorded() {
    let prefix = directory("streams").join("game");
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = server.local_addr().unwrap();
    let options = ["--write", prefix.to_str().unwrap(), "--delay", "50ms"];
    let (run, proxy) = start(to, &options);
    let framed = |number| {
        let packet = packet(number);
        [&u32::try_from(packet.len()).unwrap().to_le_bytes()[..], &packet].concat()
    };
    let echo = thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        let mut bytes = vec![0; framed(0).len()];
        for _ in 0..20 {
            stream.read_exact(&mut bytes).unwrap();
            stream.write_all(&bytes).unwrap();
        }
    });
    let mut client = TcpStream::connect(proxy).unwrap();
    client.set_read_timeout(Some(TIMEOUT)).unwrap();
    let sent = Instant::now();
    for number in 0..20 {
        client.write_all(&framed(number)).unwrap();
    }
    let expected: Vec<_> = (0..20).flat_map(framed).collect();
    let mut received = vec![0; expected.len()];
    client.read_exact(&mut received).unwrap();
    assert!(sent.elapsed() >= Duration::from_millis(100));
    assert_eq!(received, expected);
    // The server closes the connection, and so does the proxy.
    echo.join().unwrap();
    assert_eq!(client.read(&mut [0]).unwrap(), 0);
    let shown: Vec<_> = (0..40).map(|_| run.line()).collect();
    run.signal("-INT");
    let (code, rest, errors) = run.end();
    assert_eq!((code, rest.len()), (Some(0), 0), "{errors:?}");
    let bytes = expected.len();
    let ways = ["to the server", "to the clients"];
    let counts = ways.map(|way| format!("gdwire: {bytes} bytes {way} over TCP"));
    assert!(errors.ends_with(&counts), "{errors:?}");
    let sorted = |lines: &[String]| {
        let mut numbers = numbers(lines);
        numbers.sort_unstable();
        numbers
    };
    let twice: Vec<_> = (0..20).flat_map(|number| [number; 2]).collect();
    assert_eq!(sorted(&shown), twice);
    for side in ["client", "server"] {
        let path = format!("{}-{side}.pcapng", prefix.display());
        let run = gdwire(&[&["decode"], &KNOWN[..], &[&path]].concat(), b"");
        assert_eq!(run.code, 0, "{}", run.stderr);
        let lines: Vec<_> = run.lines().into_iter().map(str::to_owned).collect();
        assert_eq!(sorted(&lines), twice, "{side}");
    }
}

#[test]
fn a_server_that_is_not_there_is_reported_once() {
    // The port is in use for the other protocol only.
    for is_tcp in [false, true] {
        let (held, listener);
        let to = if is_tcp {
            held = UdpSocket::bind("127.0.0.1:0").unwrap();
            held.local_addr().unwrap()
        } else {
            listener = TcpListener::bind("127.0.0.1:0").unwrap();
            listener.local_addr().unwrap()
        };
        let (run, proxy) = start(to, &[]);
        if is_tcp {
            for _ in 0..2 {
                let mut client = TcpStream::connect(proxy).unwrap();
                client.set_read_timeout(Some(TIMEOUT)).unwrap();
                assert_eq!(client.read(&mut [0]).unwrap(), 0);
            }
        } else {
            let client = UdpSocket::bind("127.0.0.1:0").unwrap();
            for number in 0..3 {
                client.send_to(&packet(number), proxy).unwrap();
                run.line();
            }
        }
        let expected = format!("gdwire: {to} does not answer; is the server running there?");
        assert_eq!(run.error(), expected);
        run.signal("-INT");
        let (_, _, errors) = run.end();
        let notes = errors.join("\n");
        assert!(!notes.contains("does not answer"), "{notes}");
        let counted = notes.contains("2 connections over TCP did not reach the server");
        assert_eq!(counted, is_tcp, "{notes}");
    }
}

/// A client can open many connections and send next to nothing.
#[cfg(target_os = "linux")]
#[test]
fn idle_connections_take_little_memory() {
    /// How many connections there are, and how many bytes each may take.
    const MANY: u64 = 100;
    const EACH: u64 = 256 << 10;
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let (run, proxy) = start(server.local_addr().unwrap(), &[]);
    let memory = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", run.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
    };
    let connect = || {
        let mut client = TcpStream::connect(proxy).unwrap();
        let (mut at_server, _) = server.accept().unwrap();
        client.write_all(b"G").unwrap();
        at_server.read_exact(&mut [0]).unwrap();
        (client, at_server)
    };
    let first = connect();
    let before = memory();
    let others: Vec<_> = (0..MANY).map(|_| connect()).collect();
    let each = memory().saturating_sub(before) / MANY;
    assert!(each < EACH, "{each}");
    drop((first, others));
}

/// Without sockets for more connections, the server is not to blame.
#[cfg(unix)]
#[test]
fn a_connection_without_sockets_is_reported_once() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = server.local_addr().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 24; exec \"$@\"", "sh"]).arg(run::command(&[]).get_program());
    command.args(["proxy", "--listen", "127.0.0.1:0", "--to", &to.to_string()]);
    let run = Running::of(command);
    let first = run.error();
    let proxy = first.strip_prefix("gdwire: forwarding ").unwrap().split(' ').next().unwrap();
    let clients: Vec<_> = (0..12).map(|_| TcpStream::connect(proxy).unwrap()).collect();
    let expected = format!(
        "gdwire: a connection could not be forwarded to {to}: Too many open files; allow more with \
         'ulimit -n'"
    );
    assert_eq!(run.error(), expected);
    drop(clients);
    run.signal("-INT");
    let (_, _, errors) = run.end();
    let notes = errors.join("\n");
    assert!(!notes.contains("does not answer") && !notes.contains("Too many"), "{notes}");
}

/// The address that this computer has in its network, if it is in one.
fn own_address() -> Option<std::net::IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    // Nothing is sent.
    socket.connect("192.0.2.1:9").ok()?;
    Some(socket.local_addr().unwrap().ip())
}

#[test]
fn a_proxy_does_not_forward_to_itself() {
    let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let own = own_address().map(|ip| format!("{ip}:{port}"));
    let (bare, any) = (port.to_string(), format!("0.0.0.0:{port}"));
    let [local, other, mapped, sixth, any_sixth] =
        ["127.0.0.1", "127.0.0.2", "[::ffff:127.0.0.1]", "[::1]", "[::]"]
            .map(|ip| format!("{ip}:{port}"));
    let mut same = vec![
        (&bare, &bare),
        (&local, &bare),
        (&any, &local),
        (&any, &other),
        (&any, &mapped),
        (&local, &mapped),
        (&local, &any),
        (&any_sixth, &sixth),
        (&any_sixth, &local),
        (&any_sixth, &any_sixth),
    ];
    same.extend(own.iter().map(|own| (&any, own)));
    for (listen, to) in same {
        let run = gdwire(&["proxy", "--for", "100ms", "--listen", listen, "--to", to], b"");
        assert_eq!((run.code, run.stdout.len()), (2, 0), "{listen} {to}");
        assert!(run.stderr.contains("cannot forward to itself"), "{listen} {to}: {}", run.stderr);
    }
    let far = format!("192.0.2.1:{port}");
    for (listen, to) in [(&any, &far), (&local, &far), (&local, &other), (&any, &sixth)] {
        let run = gdwire(&["proxy", "--for", "100ms", "--listen", listen, "--to", to], b"");
        assert_eq!(run.code, 0, "{listen} {to}: {}", run.stderr);
    }
}

#[test]
fn forwarding_goes_on_when_the_output_is_closed() {
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    server.set_read_timeout(Some(TIMEOUT)).unwrap();
    let to = server.local_addr().unwrap().to_string();
    let fixed = ["proxy", "--listen", "127.0.0.1:0", "--to", &to];
    let mut command = Command::new(env!("CARGO_BIN_EXE_gdwire"));
    command.args(fixed).args(KNOWN).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = errors.next().unwrap().unwrap();
    let proxy = first.strip_prefix("gdwire: forwarding ").unwrap().split(' ').next().unwrap();
    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    client.send_to(&packet(0), proxy).unwrap();
    server.recv(&mut [0; 100]).unwrap();
    let next = errors.next().unwrap().unwrap();
    assert!(next.contains("the output is closed, so nothing more is shown"), "{next}");
    for number in 1..4 {
        client.send_to(&packet(number), proxy).unwrap();
        let mut bytes = [0; 100];
        let len = server.recv(&mut bytes).unwrap();
        assert_eq!(bytes[..len], packet(number));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let notes: Vec<_> = errors.map(Result::unwrap).collect();
    assert!(notes.iter().any(|it| it.ends_with("4 datagrams to the server")), "{notes:?}");
}

#[test]
fn wrong_options_are_explained() {
    for (options, expected) in [
        (&["--loss", "2"][..], "expected a share from 0% to 100%, such as 2% or 0.5%"),
        (&["--up", "lag=2ms"], "there is no condition 'lag'"),
        (&["--rate", "fast"], "such as 500kbit or 1Mbit"),
        (&["--drop-where", ".rpc.("], "invalid value '.rpc.('"),
        (&["--plain", "--format", "ndjson"], "--plain needs --format text"),
        // They would have no effect.
        (&["--delay-by", "1s", "--drop-where", "true"], "--delay-where <EXPRESSION>"),
        (&["--chance", "50%"], "--drop-where <EXPRESSION>|--delay-where <EXPRESSION>"),
        (&["--times", "3"], "--drop-where <EXPRESSION>|--delay-where <EXPRESSION>"),
        (&["--burst", "3"], "burst needs loss"),
        (&["--queue", "1s", "--loss", "2%"], "queue needs rate"),
        (&["--up", "burst=3", "--down", "loss=2%"], "--up: burst needs loss"),
    ] {
        let fixed = ["proxy", "--listen", "0", "--to", "127.0.0.1:1"];
        let run = gdwire(&[&fixed[..], options].concat(), b"");
        assert_eq!(run.code, 2, "{options:?}");
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
}
