//! Live traffic: files appear while a capture runs.

use super::{directory, files_in, parquet, rows, text};
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// If a pipe falls silent, its rows appear after the time of `--roll-time`, and the rest at the
/// end.
#[test]
fn files_are_completed_after_the_roll_time() {
    let folder = directory("age");
    let mut child = Command::new(env!("CARGO_BIN_EXE_gdwire"))
        .args(["export", "-o", text(&folder), "--roll-time", "1s", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let capture = fs::read(super::common::corpus("captures/godot4-rpc.pcapng")).unwrap();
    let mut input = child.stdin.take().unwrap();
    let (first, rest) = capture.split_at(capture.len() / 2);
    input.write_all(first).unwrap();
    let begun = Instant::now();
    let complete = || {
        let files = files_in(&folder.join("messages"));
        files.into_iter().filter(|it| it.extension().unwrap() == "parquet").collect::<Vec<_>>()
    };
    while complete().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(50));
    }
    let early = complete().iter().map(|file| rows(&parquet(file)).len()).sum::<usize>();
    input.write_all(rest).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
    let all = complete().iter().map(|file| rows(&parquet(file)).len()).sum::<usize>();
    assert!(0 < early && early < all, "{early} {all}");
}
