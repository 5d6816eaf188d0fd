//! Full disks, folders that cannot be written to, runs that are killed, and forged times.

use super::{directory, files_in, gdwire, parquet, text};
use gdwire::capture::Messages;
use gdwire::export::{Dataset, DatasetOptions, DatasetProblem, Partition, Rows};
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A capture with this many datagrams, each a value, at times that a function gives in seconds.
fn capture(count: u32, second: impl Fn(u32) -> u32) -> Vec<u8> {
    let mut file = Vec::new();
    for number in [0xa1b2_c3d4_u32, 4 << 16 | 2, 0, 0, 65535, 101] {
        file.extend(number.to_le_bytes());
    }
    for packet in 0..count {
        let payload = [[2, 0, 0, 0], packet.to_le_bytes()].concat();
        let mut data = vec![0x45, 0, 0, 36, 0, 0, 0, 0, 64, 17, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1];
        data.extend([0x1f, 0x90, 0x1f, 0x91, 0, 16, 0, 0]);
        data.extend(payload);
        for number in [second(packet), 0, data.len() as u32, data.len() as u32] {
            file.extend(number.to_le_bytes());
        }
        file.extend(data);
    }
    file
}

/// No file that an engine would read is cut off.
fn assert_whole(folder: &std::path::Path) -> usize {
    let files = files_in(folder);
    let visible =
        files.iter().filter(|file| !file.file_name().unwrap().to_str().unwrap().starts_with('.'));
    visible.map(|file| parquet(file).iter().map(|batch| batch.num_rows()).sum::<usize>()).sum()
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_half_file() {
    let folder = directory("full");
    let input = folder.join("input.pcap");
    fs::write(&input, capture(200_000, |packet| packet / 100)).unwrap();
    // A limit for the size of files stands for the full disk.
    let script = "ulimit -f 200; trap '' XFSZ; exec \"$0\" export -o \"$1\" \"$2\"";
    let output = folder.join("tables");
    let run = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_gdwire"), text(&output), text(&input)])
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(2), "{message}");
    assert!(message.contains("cannot write") && message.contains("File too large"), "{message}");
    assert_whole(&output);
    let left = files_in(&output);
    assert!(left.iter().all(|file| file.extension().unwrap() == "parquet"), "{left:?}");
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = directory("unwritable");
    let file = folder.join("file");
    fs::write(&file, b"").unwrap();
    let capture = super::common::corpus("captures/godot4-rpc.pcapng");
    for path in [&file, &file.join("below")] {
        let run = gdwire(&["export", "-o", text(path), text(&capture)]);
        let message = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(2), "{message}");
        assert!(message.contains(text(path)), "{message}");
    }
}

/// A killed run leaves only complete files, and files that engines do not see.
#[test]
fn a_killed_run_leaves_no_half_file() {
    let folder = directory("killed");
    let mut child = Command::new(env!("CARGO_BIN_EXE_gdwire"))
        .args(["export", "-o", text(&folder), "--roll-size", "64k", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let capture = capture(400_000, |packet| packet);
    let mut input = child.stdin.take().unwrap();
    let mut pieces = capture.chunks(1 << 16);
    let begun = Instant::now();
    // Waits until one file is complete and another one is being written.
    let files = loop {
        if let Some(piece) = pieces.next() {
            input.write_all(piece).unwrap();
        }
        let files = files_in(&folder.join("messages"));
        let (done, open): (Vec<_>, Vec<_>) =
            files.iter().partition(|file| file.extension().unwrap() == "parquet");
        if !done.is_empty() && !open.is_empty() {
            break files;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{files:?}");
        std::thread::sleep(Duration::from_millis(20));
    };
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(assert_whole(&folder) > 0, "{files:?}");
}

/// Each forged day would make another file.
#[test]
fn the_number_of_partitions_is_bounded() {
    let folder = directory("days");
    let capture = capture(50, |packet| packet * 86_400);
    let mut messages = Messages::new(&capture).unwrap();
    let mut rows = Rows::new();
    while let Some(event) = messages.next_event() {
        rows.event(&event);
    }
    let options =
        DatasetOptions::new().with_partitions(vec![Partition::Date]).with_max_partitions(20);
    let mut dataset = Dataset::create(&folder, options).unwrap();
    let error = dataset.write_all(&mut rows).unwrap_err();
    assert!(matches!(error.problem, DatasetProblem::Partitions { limit: 20 }), "{error}");
    assert_eq!(dataset.finish().unwrap().files, 20);
    assert_eq!(assert_whole(&folder), 20);
}
