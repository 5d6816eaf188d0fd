//! All ways to give a capture to the command: from a file, with any number of threads, from a pipe in
//! pieces, and in several files. The output, the reports and the exit code are the same.

use crate::cli::run::{Run, directory, fed, gdwire};
use crate::cli::threads::captures;
use crate::common::files::{Pieces, split};
use std::fs;
use std::io::{Read, Write};
use std::process::ChildStdin;

const DECODE: [&str; 5] = ["decode", "--format", "ndjson", "--all", "--verbose"];

/// Runs the command on some files, and replaces their names in the reports.
fn on_files(options: &[&str], files: &[&str]) -> Run {
    let mut run = gdwire(&[&DECODE, options, files].concat(), b"");
    let all = format!("{} and {} more files", files[0], files.len() - 1);
    for name in [&*all].iter().chain(files) {
        run.stderr = run.stderr.replace(name, "FILE");
    }
    run
}

/// Writes a file to a pipe, piece by piece.
fn feed(file: &[u8], seed: u32, input: &mut ChildStdin) {
    let mut pieces = Pieces::new(file, seed);
    let mut buffer = [0; 8_000];
    loop {
        match pieces.read(&mut buffer) {
            Ok(0) => return,
            Ok(len) => input.write_all(&buffer[..len]).unwrap(),
            Err(_) => std::thread::yield_now(),
        }
    }
}

/// Splits a capture into several files, and returns their names.
fn split_files(name: &str, file: &[u8]) -> Vec<String> {
    let folder = directory("ways").join(name);
    fs::create_dir_all(&folder).unwrap();
    let write = |(number, (file, _)): (usize, (Vec<u8>, usize))| {
        let path = folder.join(format!("{number}.pcapng"));
        fs::write(&path, file).unwrap();
        path.to_str().unwrap().to_owned()
    };
    split(file).into_iter().enumerate().map(write).collect()
}

#[test]
fn a_capture_gives_the_same_output_in_every_way() {
    for (seed, path) in (1..).zip(captures()) {
        let file = fs::read(&path).unwrap();
        let path = path.to_str().unwrap();
        let expected = on_files(&["--threads", "1"], &[path]);
        assert!(expected.stdout.len() > 1_000, "{path}");
        let check = |way: &str, run: Run| {
            assert!(run.stdout == expected.stdout, "{path}: {way}");
            assert_eq!(run.stderr, expected.stderr, "{path}: {way}");
            assert_eq!(run.code, expected.code, "{path}: {way}");
        };
        // Every other capture with two threads, and the others with seven.
        let threads = ["2", "7"][seed as usize % 2];
        check(threads, on_files(&["--threads", threads], &[path]));
        let mut piped = fed(&[&DECODE[..], &["-"]].concat(), |input| feed(&file, seed, input));
        piped.stderr = piped.stderr.replace("stdin", "FILE");
        check("a pipe", piped);
        let files = split_files(path.rsplit('/').next().unwrap(), &file);
        let files: Vec<_> = files.iter().map(String::as_str).collect();
        let threads = ["1", "7"][seed as usize % 2];
        check("joined files", on_files(&["--join", "--threads", threads], &files));
    }
}
