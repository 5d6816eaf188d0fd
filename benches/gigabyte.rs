//! Reads a capture of a gigabyte with the commands that use several threads, with one thread and with
//! two. Prints the time that this takes and the most memory that the command uses, without mapped
//! files: `cargo bench --features cli,export --bench gigabyte`. The last column is the least that two threads
//! could take: half the time of two runs with one thread at the same time. The environment variable `GIGABYTE`
//! sets another size in bytes. Linux only.
//!
//! With the environment variable `GDWIRE_COUNT=N`, the bench counts instructions and measures no times. It
//! prints how many one thread executes, and how many the busiest of N threads. Their ratio shows how much
//! time N cores would save, and other programs on the machine do not change it. This needs valgrind and is
//! slow, so set `GIGABYTE` to 30000000.

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
const COMMANDS: &[(&str, &[&str])] = &[
    ("ndjson", &["decode", "--format", "ndjson"]),
    ("stats", &["stats", "--format", "json"]),
    ("stats --interval 1s", &["stats", "--format", "json", "--interval", "1s"]),
    ("diagnose", &["diagnose", "--format", "json"]),
    ("report", &["report"]),
    #[cfg(feature = "export")]
    ("export", &["export", "--format", "arrow"]),
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
    if let Ok(threads) = std::env::var("GDWIRE_COUNT") {
        count_instructions(&threads, &path);
        fs::remove_file(&path).unwrap();
        return;
    }
    println!("processor cores: {cores}\n");
    println!(
        "| command | one thread | MB/s | memory | two threads | of one | memory | two at once, each half |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for &(name, arguments) in COMMANDS {
        let [(one, memory), (two, more)] =
            ["1", "2"].map(|threads| time(command(arguments, threads, &path)));
        let (rate, share) = (megabytes / one, two / one);
        let [memory, more] = [memory, more].map(|bytes| bytes as f64 / 1e6);
        print!("| {name} | {one:.2} s | {rate:.0} | {memory:.0} MB | {two:.2} s | {share:.2} ");
        // Two programs that share nothing show how much two cores can save at most.
        let start = Instant::now();
        let both = [0, 1].map(|_| command(arguments, "1", &path).stdout(Stdio::null()).spawn());
        both.into_iter().for_each(|process| assert!(process.unwrap().wait().unwrap().success()));
        let half = start.elapsed().as_secs_f64() / 2.0 / one;
        println!("| {more:.0} MB | {half:.2} |");
    }
    // Reading the output takes time, too, so this is not a part of the timed runs.
    for &(name, arguments) in COMMANDS {
        let [one, two] = ["1", "2"].map(|threads| output(command(arguments, threads, &path)));
        if name != "export" {
            assert_eq!(one, two, "{name}: two threads print the same as one");
        }
        assert!(name != "ndjson" || one.lines == messages, "every message is decoded");
    }
    fs::remove_file(&path).unwrap();
}

fn command(arguments: &[&str], threads: &str, path: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gdwire"));
    command.args(arguments).args(["--threads", threads]).arg(path);
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

/// Prints the instructions of each command with one thread and with several.
fn count_instructions(threads: &str, path: &Path) {
    println!(
        "\n| command | one thread | the busiest of {threads} threads | of one | the joining thread |"
    );
    println!("|---|---|---|---|---|");
    for &(name, arguments) in COMMANDS {
        let [one, several] = ["1", threads].map(|threads| {
            let mut counts = instructions(&command(arguments, threads, path));
            (counts.remove(0), counts.into_iter().max().unwrap_or(0))
        });
        let ((one, _), (joining, busiest)) = (one, several);
        let [all, most, joins] = [one, busiest, joining].map(|count| count as f64 / 1e6);
        println!(
            "| {name} | {all:.0} million | {most:.0} million | {:.3} | {joins:.0} million |",
            most / all
        );
    }
}

/// The instructions of each thread of a command, the calling thread first.
fn instructions(command: &Command) -> Vec<u64> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("callgrind");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--separate-threads=yes"]);
    valgrind.arg(format!("--callgrind-out-file={}", folder.join("out").display()));
    valgrind.arg(command.get_program()).args(command.get_args());
    let valgrind = valgrind.stdout(Stdio::null()).stderr(Stdio::null());
    assert!(valgrind.status().expect("valgrind").success());
    let mut files: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let totals = files.iter().filter_map(|file| {
        let text = fs::read_to_string(file).unwrap();
        text.lines().find_map(|line| line.strip_prefix("totals: ")?.parse().ok())
    });
    totals.collect()
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
