//! Decodes a capture of a gigabyte with the command, and prints how long that takes and how much
//! memory of its own it uses at most: `cargo bench --features cli --bench gigabyte`. Linux only.

mod common;

use common::traffic::{Session, Traffic};
use common::{Types, game_state};
use gdwire::capture::Transport;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Sessions of each transport.
const SESSIONS: u16 = 50;

fn main() {
    let bytes = std::env::var("GIGABYTE").map_or(1 << 30, |bytes| bytes.parse().unwrap());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gigabyte.pcap");
    let messages = write(&path, bytes);
    let length = fs::metadata(&path).unwrap().len();

    let start = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gdwire"))
        .args(["decode", "--format", "native"])
        .arg(&path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = command.stdout.take().unwrap();
    let lines = std::thread::spawn(move || count_lines(&mut output));
    let mut peak = 0;
    while command.try_wait().unwrap().is_none() {
        peak = peak.max(own_memory(command.id()).unwrap_or(0));
        sleep(Duration::from_millis(5));
    }
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(lines.join().unwrap(), messages, "every message is decoded");
    fs::remove_file(&path).unwrap();

    println!("capture: {:.2} GB, {messages} messages over four transports", length as f64 / 1e9);
    println!("decoded in {seconds:.1} s: {:.0} MB/s", length as f64 / 1e6 / seconds);
    println!("peak of memory beside the mapped file: {:.1} MB", peak as f64 / 1e6);
}

/// Writes a capture in which many sessions take turns: how many messages there are.
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

fn count_lines(output: &mut impl std::io::Read) -> u64 {
    let mut buffer = vec![0; 1 << 16];
    let mut lines = 0;
    loop {
        match output.read(&mut buffer).unwrap() {
            0 => return lines,
            count => lines += buffer[..count].iter().filter(|byte| **byte == b'\n').count() as u64,
        }
    }
}

/// The memory of a process that is no file's, in bytes.
fn own_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}
