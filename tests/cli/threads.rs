//! `--threads`: the output, the reports and the exit code are the same for every number of threads.

use crate::cli::run::{Run, command, directory, frame, gdwire};
use crate::common::{corpus, hex};
use gdwire::capture::{Capture, Messages};
use gdwire::follow::Event;
use gdwire::packet::LinkType;
use gdwire::{Dialect, Variant, encode, variant};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Every recorded capture.
pub(crate) fn captures() -> Vec<PathBuf> {
    let files = fs::read_dir(corpus("captures")).unwrap().map(|entry| entry.unwrap().path());
    let is_capture = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "pcap" || extension == "pcapng")
    };
    let mut captures: Vec<_> = files.filter(is_capture).collect();
    captures.sort();
    assert!(captures.len() > 40, "{}", captures.len());
    captures
}

/// A long capture, made of the recorded ones. Their packets are interleaved, and each recording has
/// its own addresses. Some packets are lost, and a few are cut.
pub(crate) fn long_capture(path: &Path) {
    let files: Vec<_> = captures().iter().map(|path| fs::read(path).unwrap()).collect();
    let mut out = Vec::new();
    // Magic number, version 2.4, zone, accuracy, longest packet, link type RAW.
    for word in [0xa1b2_c3d4_u32, 4 << 16 | 2, 0, 0, 65_535, 101] {
        out.extend(word.to_le_bytes());
    }
    let mut packets = 0_u32;
    let mut captures: Vec<_> = files.iter().map(|file| Capture::new(file).unwrap()).collect();
    loop {
        let mut is_over = true;
        for (number, capture) in captures.iter_mut().enumerate() {
            let Some(packet) = capture.next() else { continue };
            is_over = false;
            let packet = packet.unwrap();
            let ip = match packet.link_type {
                LinkType::ETHERNET if packet.data[12..14] == [0x08, 0] => 14,
                LinkType::RAW => 0,
                _ => continue,
            };
            let mut ip = packet.data[ip..].to_vec();
            packets += 1;
            if ip[0] >> 4 != 4 || packets.is_multiple_of(97) {
                continue;
            }
            for address in [12, 16] {
                ip[address + 2] = number as u8;
            }
            let length = ip.len();
            if packets.is_multiple_of(1_009) {
                ip.truncate(length / 2);
            }
            for word in [packets / 1000, packets % 1000, ip.len() as u32, length as u32] {
                out.extend(word.to_le_bytes());
            }
            out.extend(ip);
        }
        if is_over {
            break;
        }
    }
    fs::write(path, out).unwrap();
}

fn run(arguments: &[&str], threads: &str, path: &Path) -> Run {
    gdwire(&[arguments, &["--threads", threads, path.to_str().unwrap()]].concat(), b"")
}

/// The numbers of threads that are compared with one thread.
const THREADS: [&str; 3] = ["2", "3", "8"];

/// Compares one thread with one of the numbers of threads, which take turns.
fn assert_same(arguments: &[&str], path: &Path) -> Run {
    static TURN: AtomicUsize = AtomicUsize::new(0);
    let turn = TURN.fetch_add(1, Ordering::Relaxed) % THREADS.len();
    assert_same_with(&THREADS[turn..=turn], arguments, path)
}

fn assert_same_with(all_threads: &[&str], arguments: &[&str], path: &Path) -> Run {
    let one = run(arguments, "1", path);
    for threads in all_threads {
        let other = run(arguments, threads, path);
        let what = format!("{arguments:?} {threads} {}", path.display());
        assert!(one.stdout == other.stdout, "{what}");
        assert_eq!((&one.stderr, one.code), (&other.stderr, other.code), "{what}");
    }
    one
}

#[test]
fn statistics_are_the_same_with_any_number_of_threads() {
    for path in captures() {
        assert_same(&["convert", "--to", "godot3", "--verbose"], &path);
    }
}

#[test]
fn a_long_capture_gives_the_same_with_any_number_of_threads() {
    let path = directory("threads").join("long.pcap");
    long_capture(&path);
    let methods = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/game.methods");
    let methods = methods.to_str().unwrap();
    let decoded =
        assert_same(&["decode", "--format", "ndjson", "--all", "--hex", "--verbose"], &path);
    // It is long enough for many batches, and has losses and cut packets to report.
    assert!(decoded.stdout.len() > 1 << 20, "{}", decoded.stdout.len());
    assert!(decoded.stderr.lines().count() > 50, "{}", decoded.stderr);
    assert_eq!(decoded.code, 1);
    for arguments in [
        &["decode"][..],
        &["decode", "--plain", "--methods", methods],
        &["decode", "--format", "native", "--kind", "Dictionary"],
        &["decode", "--format", "hex", "--transport", "enet", "--quiet"],
        &["decode", "--dialect", "godot3", "--strict", "--port", "7778"],
        &["convert", "--output", "hex", "--verbose"],
        &["convert", "--to", "godot3", "--lossy", "--output", "base64"],
    ] {
        assert!(assert_same(arguments, &path).stdout.len() > 1_000, "{arguments:?}");
    }
    // Some values cannot be converted.
    let converted = assert_same(&["convert", "--to", "godot3", "--verbose"], &path);
    assert!(converted.stderr.lines().count() > decoded.stderr.lines().count());
}

/// A capture of one TCP connection with these messages.
fn stream_of(messages: &[Vec<u8>]) -> Vec<u8> {
    let stream: Vec<u8> = messages.iter().flat_map(|message| frame(message)).collect();
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4_u32, 4 << 16 | 2, 0, 0, 65_535, 101] {
        file.extend(word.to_le_bytes());
    }
    for (number, bytes) in stream.chunks(40_000).enumerate() {
        let length = 40 + bytes.len() as u32;
        for word in [number as u32, 0, length, length] {
            file.extend(word.to_le_bytes());
        }
        file.extend([0x45, 0]);
        file.extend((length as u16).to_be_bytes());
        file.extend([0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 2, 10, 0, 0, 1, 0x9c, 0x40, 0x1e, 0x61]);
        file.extend((1 + 40_000 * number as u32).to_be_bytes());
        file.extend([0, 0, 0, 0, 0x50, 0x18, 0xff, 0xff, 0, 0, 0, 0]);
        file.extend(bytes);
    }
    file
}

/// The text of a long message is not kept until it is joined: the calling thread writes it in
/// order.
#[test]
fn long_messages_are_printed_in_their_place() {
    let path = directory("threads-large").join("large.pcap");
    let lens = [10, 3 << 20, 20, 5 << 20, 700 << 10, 30, 40].into_iter();
    let messages: Vec<_> = lens
        .map(|len| encode(Dialect::GODOT_4, &Variant::PackedByteArray(vec![7; len])).unwrap())
        .collect();
    fs::write(&path, stream_of(&messages)).unwrap();
    let decoded = assert_same(&["decode", "--format", "hex"], &path);
    let expected: Vec<_> = messages.iter().map(|message| hex(message)).collect();
    assert!(decoded.lines() == expected);
    let converted = assert_same(&["convert", "--output", "hex"], &path);
    assert!(converted.lines() == expected);
}

/// A capture of four connections of the remote debugger, which together have more commands than are
/// counted over time.
fn many_commands() -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4_u32, 4 << 16 | 2, 0, 0, 65_535, 101] {
        file.extend(word.to_le_bytes());
    }
    let mut sent = [1_u32; 4];
    for number in 0..5_000_u32 {
        let name = if number < 4 { "set_pid".to_owned() } else { format!("game:cmd_{number}") };
        let command = variant!([name, 1, [i64::from(number)]]);
        let bytes = frame(&encode(Dialect::GODOT_4, &command).unwrap());
        let (connection, length) = (number % 4, 40 + bytes.len() as u32);
        for word in [number / 100, number % 100, length, length] {
            file.extend(word.to_le_bytes());
        }
        file.extend([0x45, 0]);
        file.extend((length as u16).to_be_bytes());
        file.extend([0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 2, 10, 0, 0, 1]);
        file.extend((40_000 + connection as u16).to_be_bytes());
        file.extend(6_007_u16.to_be_bytes());
        file.extend(sent[connection as usize].to_be_bytes());
        file.extend([0, 0, 0, 0, 0x50, 0x18, 0xff, 0xff, 0, 0, 0, 0]);
        sent[connection as usize] += bytes.len() as u32;
        file.extend(bytes);
    }
    file
}

/// The order of all messages decides which commands have counts of their own, so one thread counts
/// again.
#[test]
fn limits_of_counts_are_the_same_with_any_number_of_threads() {
    let path = directory("threads-limits").join("many.pcap");
    fs::write(&path, many_commands()).unwrap();
    let intervals = ["stats", "--format", "json", "--interval", "1s"];
    let counted = assert_same_with(&THREADS, &intervals, &path);
    assert!(!counted.lines()[0].contains(r#""further_methods":{"count":0"#));
    let twice = [&intervals[..], &["--total", path.to_str().unwrap()]].concat();
    assert_same(&twice, &path);
    assert_same(&["report"], &path);
}

#[test]
fn joined_files_give_the_same_with_any_number_of_threads() {
    let directory = directory("threads-joined");
    let (whole, second) = (directory.join("whole.pcap"), directory.join("second.pcap"));
    long_capture(&whole);
    let file = fs::read(&whole).unwrap();
    let mut packets = Capture::new(&file).unwrap();
    while packets.position() < file.len() as u64 / 2 {
        packets.next().unwrap().unwrap();
    }
    let (header, middle) = (24, packets.position() as usize);
    let first = directory.join("first.pcap");
    fs::write(&first, &file[..middle]).unwrap();
    fs::write(&second, [&file[..header], &file[middle..]].concat()).unwrap();
    let decode = ["decode", "--format", "ndjson", "--join", first.to_str().unwrap()];
    let joined = assert_same(&decode, &second);
    let whole = run(&["decode", "--format", "ndjson"], "2", &whole);
    assert!(joined.stdout == whole.stdout);
}

#[test]
fn every_recording_is_decoded_alike_if_its_connections_are_divided() {
    for path in captures() {
        assert_same(&["decode", "--format", "ndjson", "--all", "--verbose"], &path);
    }
}

#[test]
fn a_long_capture_is_decoded_alike_if_its_connections_are_divided() {
    let directory = directory("threads-divided");
    let path = directory.join("long.pcap");
    long_capture(&path);
    let file = fs::read(&path).unwrap();
    // It has several pieces, which are read at the same time.
    assert!(file.len() > 2 << 20, "{}", file.len());
    let whole = ["decode", "--format", "ndjson", "--all", "--verbose"];
    let decoded = assert_same_with(&THREADS, &whole, &path);
    for arguments in [
        // Limits are reached at the beginning, in the middle, or only by all connections together.
        &["--max-connections", "3"][..],
        &["--max-connections", "60"],
        &["--max-memory", "1M"],
        &["--max-memory", "12M"],
        &["--max-connection-memory", "300K"],
        // The first condition that fails is reported.
        &["--where", ".value.x == 1 or .rpc.args[0].y > 2"],
        // Times are relative to the first packet.
        &["--from", "1s", "--to", "2s"],
        &["--port", "7777"],
        &["--limit", "1000"],
    ] {
        let run = assert_same(&[&whole, arguments].concat(), &path);
        assert!(run.stdout.len() < decoded.stdout.len() || arguments[0].starts_with("--max"));
    }
    let damaged = directory.join("damaged.pcap");
    for length in [24, 30, file.len() / 2, file.len() - 1] {
        fs::write(&damaged, &file[..length]).unwrap();
        assert_same(&whole, &damaged);
    }
}

/// The commands that count what each share of the connections sends, and put the counts together.
const COUNTING: [&[&str]; 5] = [
    &["stats", "--format", "json", "--interval", "100ms", "--verbose"],
    &["stats", "--interval", "1s"],
    &["diagnose", "--format", "json", "--verbose"],
    &["report"],
    &["diagnose"],
];

/// The text of `stats` and `diagnose` shows what their JSON has, so recordings take turns with it.
#[test]
fn every_recording_is_counted_alike_if_its_connections_are_divided() {
    for (number, path) in captures().iter().enumerate() {
        let has_turn = |arguments: &&[&str]| arguments.contains(&"json") || number % 3 == 0;
        COUNTING.into_iter().filter(has_turn).for_each(|arguments| {
            assert_same(arguments, path);
        });
    }
}

#[test]
fn a_long_capture_is_counted_alike_if_its_connections_are_divided() {
    let directory = directory("threads-counted");
    let path = directory.join("long.pcap");
    long_capture(&path);
    let file = fs::read(&path).unwrap();
    let damaged = directory.join("damaged.pcap");
    // The followers apply the options before anything counts, and read what is damaged, so the commands
    // take turns with both.
    let options = [
        &["--max-connections", "3"][..],
        &["--max-connections", "60"],
        &["--max-memory", "12M"],
        &["--where", ".value.x == 1 or .rpc.args[0].y > 2"],
        &["--from", "1s", "--to", "2s"],
        &["--limit", "1000"],
    ];
    for (turn, arguments) in COUNTING.into_iter().enumerate() {
        let whole = assert_same(arguments, &path);
        assert!(whole.stdout.len() > 5_000, "{arguments:?}: {}", whole.stdout.len());
        for options in options.iter().skip(turn).step_by(COUNTING.len()) {
            let run = assert_same(&[arguments, options].concat(), &path);
            assert!(run.stdout != whole.stdout || options[0].starts_with("--max"), "{options:?}");
        }
        fs::write(&damaged, &file[..[file.len() / 2, 24][turn % 2]]).unwrap();
        assert_same(arguments, &damaged);
        // Several files are read one after another.
        if turn % 2 == 0 {
            assert_same(&[arguments, &[damaged.to_str().unwrap()]].concat(), &path);
        }
    }
    let twice = ["stats", "--format", "json", damaged.to_str().unwrap()];
    assert_same(&[&twice[..], &["--total"]].concat(), &path);
    assert_same(&[&twice[..], &["--join"]].concat(), &path);
    // The counts by method stay when the work is divided.
    let intervals = run(COUNTING[0], "3", &path);
    assert!(intervals.lines()[0].contains(r#""method_intervals":[{"#), "{}", intervals.lines()[0]);
}

/// The lines are those of the events that the library returns one by one.
#[test]
fn a_long_capture_is_decoded_completely() {
    let path = directory("threads-whole").join("long.pcap");
    long_capture(&path);
    let file = fs::read(&path).unwrap();
    let mut messages = Messages::new(&file).unwrap();
    let mut frames = Vec::new();
    while let Some(event) = messages.next_event() {
        let place = match event {
            Event::Message(message) => message.place,
            Event::Lost(loss) => loss.place,
            _ => continue,
        };
        frames.push(format!("{{\"frame\":{},", place.frame));
    }
    let decoded = run(&["decode", "--format", "ndjson"], "3", &path);
    let lines = decoded.lines();
    assert_eq!(lines.len(), frames.len());
    assert!(lines.iter().zip(&frames).all(|(line, frame)| line.starts_with(frame)));
}

#[test]
fn threads_end_when_the_output_is_closed() {
    let path = directory("threads-closed").join("long.pcap");
    long_capture(&path);
    let mut child = command(&["decode", "--threads", "7", path.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert!(line.contains(" → "), "{line}");
    drop(output);
    assert!(child.wait().unwrap().code().is_some());
}

#[test]
fn the_number_of_threads_is_checked() {
    for number in ["0", "257", "two"] {
        let run = gdwire(&["decode", "--threads", number, "-"], b"");
        assert_eq!(run.code, 2, "{number}");
        assert!(run.stderr.contains("--threads <N>"), "{}", run.stderr);
    }
}
