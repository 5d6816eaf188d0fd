//! Sends a capture to the command through a pipe, message by message as a game does, and prints how
//! long each message takes from the pipe to its line: `cargo bench --features cli --bench live`.

mod common;

use common::traffic::{Session, Traffic};
use common::{Types, game_state};
use gdwire::follow::Transport;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// How many messages are sent over each transport.
const MESSAGES: usize = 500;
/// The time between two of them.
const PAUSE: Duration = Duration::from_millis(10);
/// How many messages come before those that show the delay on a connection that is known.
const BEFORE: usize = 100;

fn main() {
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
