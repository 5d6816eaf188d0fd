//! Decodes a capture of a gigabyte with the command, with one thread and with two, and counts its
//! messages. Prints the time that this takes and the most memory that the command uses, without
//! mapped files: `cargo bench --features cli --bench gigabyte`. The environment variable `GIGABYTE`
//! sets another size in bytes. Linux only.

mod common;

use common::traffic::{Session, Traffic};
use common::{Types, game_state};
use gdwire::follow::Transport;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Sessions of each transport.
const SESSIONS: u16 = 50;

/// The measured commands: a name, and the arguments.
const COMMANDS: [(&str, &[&str]); 3] = [
    ("ndjson, one thread", &["decode", "--format", "ndjson", "--threads", "1"]),
    ("ndjson, two threads", &["decode", "--format", "ndjson", "--threads", "2"]),
    ("stats", &["stats", "--format", "json"]),
];

/// The output of a command.
#[derive(PartialEq, Debug)]
struct Output {
    lines: u64,
    bytes: u64,
    /// A checksum.
    sum: u64,
}

fn main() {
    let bytes = std::env::var("GIGABYTE").map_or(1 << 30, |bytes| bytes.parse().unwrap());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gigabyte.pcap");
    let messages = write(&path, bytes);
    let megabytes = fs::metadata(&path).unwrap().len() as f64 / 1e6;
    let cores = std::thread::available_parallelism().unwrap();
    println!("capture: {megabytes:.0} MB, {messages} messages over four transports");
    println!("processor cores: {cores}\n");
    println!("| command | seconds | MB/s | of the first | peak of memory |");
    println!("|---|---|---|---|---|");
    let mut first = None;
    for (name, arguments) in COMMANDS {
        let (seconds, peak) = time(command(arguments, &path));
        let share = seconds / *first.get_or_insert(seconds);
        let (rate, peak) = (megabytes / seconds, peak as f64 / 1e6);
        println!("| {name} | {seconds:.2} | {rate:.0} | {share:.2} | {peak:.0} MB |");
    }
    // Reading the output takes time, too, so this is not a part of the timed runs.
    let [one, two, stats] = COMMANDS.map(|(_, arguments)| output(command(arguments, &path)));
    assert_eq!(one, two, "two threads print the same as one");
    assert_eq!((one.lines, stats.lines), (messages, 1), "every message is decoded");
    fs::remove_file(&path).unwrap();
}

fn command(arguments: &[&str], path: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gdwire"));
    command.args(arguments).arg(path);
    command
}

/// The time that a command takes, in seconds, and the most memory that it uses, in bytes.
fn time(mut command: Command) -> (f64, u64) {
    let start = Instant::now();
    let mut process = command.stdout(Stdio::null()).spawn().unwrap();
    let mut peak = 0;
    while process.try_wait().unwrap().is_none() {
        peak = peak.max(own_memory(process.id()).unwrap_or(0));
        sleep(Duration::from_millis(5));
    }
    (start.elapsed().as_secs_f64(), peak)
}

fn output(mut command: Command) -> Output {
    let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
    let output = count(&mut process.stdout.take().unwrap());
    assert!(process.wait().unwrap().success());
    output
}

/// Writes a capture of many interleaved sessions, and returns the number of messages.
fn write(path: &Path, bytes: usize) -> u64 {
    let state = game_state(&Types::GODOT_4);
    let mut traffic = Traffic::new();
    let mut sessions = Vec::new();
    for transport in Transport::ALL {
        for _ in 0..SESSIONS {
            let client = 40_000 + u16::try_from(sessions.len()).unwrap();
            sessions.push(Session::begin(&mut traffic, *transport, client));
        }
    }
    let mut messages = 0;
    while traffic.file.len() < bytes {
        for session in &mut sessions {
            session.send(&mut traffic, &state);
            messages += 1;
        }
    }
    sessions.iter_mut().for_each(|session| session.end(&mut traffic));
    fs::write(path, traffic.file).unwrap();
    messages
}

fn count(output: &mut impl std::io::Read) -> Output {
    let mut buffer = vec![0; 1 << 16];
    let mut read = Output { lines: 0, bytes: 0, sum: 0 };
    loop {
        let count = output.read(&mut buffer).unwrap();
        if count == 0 {
            return read;
        }
        for byte in &buffer[..count] {
            read.lines += u64::from(*byte == b'\n');
            read.sum = read.sum.wrapping_mul(31).wrapping_add(u64::from(*byte));
        }
        read.bytes += count as u64;
    }
}

/// The memory of a process without mapped files, in bytes.
fn own_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}
