//! Measures the command with live traffic: `cargo bench --features cli --bench live`.
//!
//! First it sends a capture to the command through a pipe, message by message as a game does, and
//! prints how long each message takes from the pipe to its line. Then it sends datagrams over the
//! loopback interface, and prints how much processor time the command needs to capture and show
//! them, and how many it loses. At last it sends datagrams through the proxy, and prints what that
//! costs, and how late they are. The last two parts need Linux, and the second one the permission to
//! capture.
//!
//! `SOAK=3600 cargo bench --features cli --bench live` runs for 3600 seconds, and shows whether programs
//! that are attached to a game for long lose packets or take more and more memory. The bench sends 10,000
//! datagrams a second through the proxy. `decode` and `top` capture them from the interface, and another
//! `decode` follows a growing file: tcpdump writes it, and it grows by 45 MB a minute. After each minute,
//! the bench prints how many datagrams are missing and the memory of each program. It needs tcpdump and
//! the program `script`.

mod common;

use common::traffic::{Session, Traffic};
use common::{Types, game_state};
use gdwire::follow::Transport;
use socket2::SockRef;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, UdpSocket};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

/// How many messages are sent over each transport.
const MESSAGES: usize = 500;
/// The time between two of them.
const PAUSE: Duration = Duration::from_millis(10);
/// How many messages come before those that show the delay on a connection that is known.
const BEFORE: usize = 100;

/// The datagrams per second that are sent over the loopback interface, and for how many seconds.
const RATES: [u64; 3] = [1_000, 10_000, 100_000];
const SECONDS: u64 = 10;
/// The clients that send them, in turn.
const CLIENTS: usize = 16;

fn main() {
    if let Some(seconds) = env::var_os("SOAK") {
        print_soak(
            seconds.to_str().and_then(|it| it.parse().ok()).expect("SOAK is a number of seconds"),
        );
        return;
    }
    print_delays();
    println!();
    print_load();
    println!();
    print_proxied();
}

fn print_delays() {
    println!("| messages over | delay of the first | of later ones, on average | at most |");
    println!("|---|---|---|---|");
    for transport in Transport::ALL {
        let delays = delays(*transport);
        let (first, later) = (delays[0], &delays[BEFORE..]);
        let average = later.iter().sum::<Duration>() / u32::try_from(later.len()).unwrap();
        let [first, average, most] =
            [first, average, *later.iter().max().unwrap()].map(|delay| delay.as_secs_f64() * 1e3);
        println!("| {transport} | {first:.1} ms | {average:.2} ms | {most:.2} ms |");
    }
}

/// The delay of each message.
fn delays(transport: Transport) -> Vec<Duration> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gdwire"))
        .args(["decode", "--format", "ndjson", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(command.stdout.take().unwrap()).lines();
    let (sender, receiver) = mpsc::channel();
    let reader = spawn(move || {
        for line in lines {
            line.unwrap();
            sender.send(Instant::now()).unwrap();
        }
    });
    let mut pipe = command.stdin.take().unwrap();
    let state = game_state(&Types::GODOT_4);
    let mut traffic = Traffic::new();
    let mut session = Session::begin(&mut traffic, transport, 40_000);
    let mut sent = Vec::new();
    for _ in 0..MESSAGES {
        session.send(&mut traffic, &state);
        // A stream does not wait until a packet is full.
        session.end(&mut traffic);
        sent.push(Instant::now());
        pipe.write_all(&traffic.file).unwrap();
        traffic.file.clear();
        sleep(PAUSE);
    }
    drop(pipe);
    assert!(command.wait().unwrap().success());
    reader.join().unwrap();
    let shown: Vec<Instant> = receiver.iter().collect();
    assert_eq!(shown.len(), sent.len(), "every message has a line");
    shown.iter().zip(sent).map(|(shown, sent)| *shown - sent).collect()
}

fn print_load() {
    println!(
        "| datagrams per second | reached | processor time of gdwire | of the capturing program | lost |"
    );
    println!("|---|---|---|---|---|");
    for rate in RATES {
        let Some(Load { sent, seconds, own, capturing, shown }) = load(rate) else {
            println!("skipped: the loopback interface cannot be captured");
            return;
        };
        let (own, capturing) = (own / seconds * 100.0, capturing / seconds * 100.0);
        let (reached, lost) = (sent as f64 / seconds, sent - shown);
        println!(
            "| {rate} | {reached:.0} | {own:.1} % of a core | {capturing:.1} % | {lost} of {sent} |"
        );
    }
}

/// The processor time and the losses of the command while datagrams were sent.
struct Load {
    sent: u64,
    shown: u64,
    /// How long sending took, in seconds, and the processor time of both programs during it.
    seconds: f64,
    own: f64,
    capturing: f64,
}

/// Sends datagrams at this rate while the command decodes the interface.
fn load(rate: u64) -> Option<Load> {
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let clients = clients_of(server.local_addr().unwrap());
    let mut command = Command::new(env!("CARGO_BIN_EXE_gdwire"))
        .args(["decode", "--format", "ndjson", "--interface", "lo", "--port", &port.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (lines, reader) = lines_of(command.stdout.take().unwrap());
    // The first datagrams show when the command has begun to capture, and which dialect this is.
    let state = game_state(&Types::GODOT_4);
    while lines.load(Ordering::Relaxed) < 4 * CLIENTS as u64 {
        if command.try_wait().unwrap().is_some() {
            command.wait().unwrap();
            return None;
        }
        for client in &clients {
            client.send(&state).unwrap();
        }
        sleep(Duration::from_millis(100));
    }
    sleep(Duration::from_secs(2));

    let program = child_of(command.id()).unwrap();
    let times = || [processor_time(command.id()), processor_time(program)];
    let (start, before, shown) = (Instant::now(), times(), lines.load(Ordering::Relaxed));
    let sent = send(&clients, &state, rate, rate * SECONDS);
    let seconds = start.elapsed().as_secs_f64();
    // Packets that were captured and are not shown yet are a part of the work.
    sleep(Duration::from_secs(2));
    let [own, capturing] = [0, 1].map(|at| times()[at] - before[at]);
    interrupt(&mut command);
    reader.join().unwrap();
    let shown = lines.load(Ordering::Relaxed) - shown;
    Some(Load { sent, shown, seconds, own, capturing })
}

/// Sockets that send to this address.
fn clients_of(server: SocketAddr) -> Vec<UdpSocket> {
    let client = |_| {
        let client = UdpSocket::bind("127.0.0.1:0").unwrap();
        client.connect(server).unwrap();
        client
    };
    (0..CLIENTS).map(client).collect()
}

/// Counts the lines that a program prints, until it ends.
fn lines_of(mut output: ChildStdout) -> (Arc<AtomicU64>, JoinHandle<()>) {
    let lines = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&lines);
    let reader = spawn(move || {
        let mut buffer = vec![0; 1 << 20];
        while let Ok(read @ 1..) = output.read(&mut buffer) {
            let lines = buffer[..read].iter().filter(|byte| **byte == b'\n').count();
            counted.fetch_add(lines as u64, Ordering::Relaxed);
        }
    });
    (lines, reader)
}

/// Sends `count` datagrams at this rate, in datagrams per second. Returns how many it has sent.
fn send(clients: &[UdpSocket], datagram: &[u8], rate: u64, count: u64) -> u64 {
    let start = Instant::now();
    let mut sent = 0;
    while sent < count {
        let due = (start.elapsed().as_secs_f64() * rate as f64) as u64;
        while sent < due.min(count) {
            clients[sent as usize % CLIENTS].send(datagram).unwrap();
            sent += 1;
        }
        sleep(Duration::from_millis(1));
    }
    sent
}

fn print_proxied() {
    println!(
        "| datagrams per second | processor time of the proxy | its own delay, for 50 % | for 99 % | not forwarded |"
    );
    println!("|---|---|---|---|---|");
    let state = game_state(&Types::GODOT_4);
    for rate in RATES.into_iter().take(2) {
        let Proxied { mut proxy, mut notes, listen, received, .. } = Proxied::start();
        let (start, before) = (Instant::now(), processor_time(proxy.id()));
        let sent = send(&clients_of(listen), &state, rate, rate * SECONDS);
        let seconds = start.elapsed().as_secs_f64();
        sleep(Duration::from_secs(1));
        let time = (processor_time(proxy.id()) - before) / seconds * 100.0;
        interrupt(&mut proxy);
        let delay = notes.find(|line| line.contains("own delay")).unwrap();
        let delays: Vec<_> = delay.split(' ').filter(|word| word.parse::<f64>().is_ok()).collect();
        let lost = sent - received.load(Ordering::Relaxed);
        println!(
            "| {rate} | {time:.1} % of a core | {} ms | {} ms | {lost} of {sent} |",
            delays[0], delays[2]
        );
    }
}

/// A proxy in front of a server that counts what it receives.
struct Proxied {
    proxy: Child,
    /// The lines of the proxy's standard error, without the first, which says where the proxy listens.
    notes: Box<dyn Iterator<Item = String>>,
    listen: SocketAddr,
    server: SocketAddr,
    received: Arc<AtomicU64>,
}

impl Proxied {
    fn start() -> Proxied {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        SockRef::from(&socket).set_recv_buffer_size(4 << 20).unwrap();
        let server = socket.local_addr().unwrap();
        let received = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&received);
        // It ends with this process.
        spawn(move || {
            while socket.recv(&mut [0; 1 << 16]).is_ok() {
                counted.fetch_add(1, Ordering::Relaxed);
            }
        });
        let mut proxy = Command::new(env!("CARGO_BIN_EXE_gdwire"))
            .args(["proxy", "--listen", "127.0.0.1:0", "--to", &server.to_string()])
            .args(["--delay", "20ms", "--format", "ndjson"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let notes = BufReader::new(proxy.stderr.take().unwrap()).lines();
        let mut notes = Box::new(notes.map(Result::unwrap));
        let first = notes.next().unwrap();
        let listen = first.split(' ').nth(2).and_then(|address| address.parse().ok()).unwrap();
        Proxied { proxy, notes, listen, server, received }
    }
}

/// Ends a program as Ctrl-C does.
fn interrupt(program: &mut Child) {
    Command::new("kill").args(["-INT", &program.id().to_string()]).status().unwrap();
    program.wait().unwrap();
}

/// Sends datagrams for this number of seconds. After each minute, prints how many are missing and the memory
/// of each program.
fn print_soak(seconds: u64) {
    let rate = RATES[1];
    let Proxied { mut proxy, listen, server, received, .. } = Proxied::start();
    let port = server.port().to_string();
    let gdwire = env!("CARGO_BIN_EXE_gdwire");
    let file = env::temp_dir().join(format!("gdwire-soak-{}.pcap", std::process::id()));
    let decode = |arguments: &[&str]| {
        Command::new(gdwire)
            .args(["decode", "--format", "ndjson", "--port", &port])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let mut writing = Command::new("tcpdump")
        .args(["-i", "lo", "-U", "-q", "-B", "65536", "-w", file.to_str().unwrap()])
        .args(["udp", "port", &port])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut live = decode(&["--interface", "lo"]);
    let mut following = decode(&["--follow", file.to_str().unwrap()]);
    let top = format!("exec '{gdwire}' top --interface lo --port {port}");
    let mut screen = Command::new("script")
        .args(["-qefc", &top, "/dev/null"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (live_lines, live_reader) = lines_of(live.stdout.take().unwrap());
    let (followed_lines, followed_reader) = lines_of(following.stdout.take().unwrap());
    sleep(Duration::from_secs(2));
    let top = child_of(screen.id()).unwrap();
    let programs = [proxy.id(), live.id(), following.id(), top];

    println!(
        "| minutes | sent | not forwarded | not shown live | not shown from the file | memory of proxy | of decode, live | of decode, file | of top |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let clients = clients_of(listen);
    // A small value, so that the file stays small: a Vector3 of Godot 4.
    let state = [9, 1f32.to_bits(), 2f32.to_bits(), 3f32.to_bits()].map(u32::to_le_bytes).concat();
    let mut sent = 0;
    for minute in 1..=seconds.div_ceil(60) {
        sent += send(&clients, &state, rate, rate * (seconds - (minute - 1) * 60).min(60));
        // Datagrams may still be on their way, and tcpdump writes the last ones after a second.
        sleep(Duration::from_secs(3));
        let missing = [&received, &live_lines, &followed_lines]
            .map(|count| (sent - count.load(Ordering::Relaxed)).to_string())
            .join(" | ");
        let memory = programs.map(|it| format!("{:.1} MB", memory(it))).join(" | ");
        println!("| {minute} | {sent} | {missing} | {memory} |");
    }
    interrupt(&mut writing);
    for program in [&mut proxy, &mut live, &mut following] {
        interrupt(program);
    }
    Command::new("kill").args(["-INT", &top.to_string()]).status().unwrap();
    screen.wait().unwrap();
    live_reader.join().unwrap();
    followed_reader.join().unwrap();
    fs::remove_file(file).unwrap();
}

/// The memory that a process holds now, in megabytes.
fn memory(process: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e3
}

/// The process that this process started.
fn child_of(process: u32) -> Option<u32> {
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).ok()?;
    children.split_whitespace().next()?.parse().ok()
}

/// The processor time that a process has used, in seconds.
fn processor_time(process: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // The name in parentheses can have spaces. The 12th and 13th field after it are the times in
    // the process itself and in the system, in hundredths of a second.
    let (_, fields) = status.rsplit_once(')').unwrap();
    let times = fields.split_whitespace().skip(11).take(2);
    times.map(|time| time.parse::<f64>().unwrap() / 100.0).sum()
}
