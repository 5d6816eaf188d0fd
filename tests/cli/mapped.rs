//! Captures that are too large to be read into memory, and changes to their files while they are
//! read.

use crate::cli::run::{command, directory, gdwire};
use crate::common::corpus;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

/// Larger than what is read into memory.
const HOLE: u32 = 65 << 20;

/// The number of copies of the recorded packets, so that there are more results than a pipe holds.
const COPIES: usize = 10;

/// Writes a pcapng file: the recorded one, a block of a local type that is a hole in the file, and
/// copies of the recorded packets.
fn write_large(path: &Path) {
    let recorded = fs::read(corpus("captures/godot3-udp.pcapng")).unwrap();
    let mut file = File::create(path).unwrap();
    file.write_all(&recorded).unwrap();
    file.write_all(&[0x8000_0001_u32.to_le_bytes(), HOLE.to_le_bytes()].concat()).unwrap();
    file.seek(SeekFrom::Current(i64::from(HOLE) - 12)).unwrap();
    file.write_all(&HOLE.to_le_bytes()).unwrap();
    for _ in 1..COPIES {
        file.write_all(&recorded).unwrap();
    }
}

/// Decodes a capture that is changed after the first result. Returns the number of results, the
/// exit code and standard error.
fn changed(path: &Path, change: impl FnOnce(&File)) -> (usize, Option<i32>, String) {
    let mut child = command(&["decode", "--plain", path.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut results = vec![0; 10];
    stdout.read_exact(&mut results).unwrap();
    // The command cannot end before the pipe is read.
    change(&File::options().append(true).open(path).unwrap());
    stdout.read_to_end(&mut results).unwrap();
    let output = child.wait_with_output().unwrap();
    let count = results.iter().filter(|byte| **byte == b'\n').count();
    (count, output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_large_capture_is_decoded_and_a_change_is_reported() {
    let path = directory("mapped").join("large.pcapng");
    write_large(&path);
    let small = gdwire(&["decode", corpus("captures/godot3-udp.pcapng").to_str().unwrap()], b"");
    let results = small.lines().len() * COPIES;
    let name = path.to_str().unwrap();
    assert_eq!(changed(&path, |_| {}), (results, Some(0), String::new()));
    let stderr =
        format!("gdwire: {name}: the file grew while it was read; the added bytes were not read\n");
    let grown = changed(&path, |mut file| file.write_all(&[0]).unwrap());
    assert_eq!(grown, (results, Some(0), stderr));
    write_large(&path);
    let stderr = format!(
        "gdwire: {name}: the file was changed while it was read, so the results may be wrong; read \
         a copy of it\n"
    );
    let later = SystemTime::now() + Duration::from_secs(7);
    let written = changed(&path, |file| file.set_modified(later).unwrap());
    assert_eq!(written, (results, Some(1), stderr));
    fs::remove_file(path).unwrap();
}
