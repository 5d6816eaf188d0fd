//! `gdwire report`: the content of the page, and how a browser shows it.

// A shell starts the browser.
#[cfg(unix)]
mod browser;
mod content;
#[cfg(unix)]
mod glance;
#[cfg(unix)]
mod hostile;
#[cfg(unix)]
mod over_time;
#[cfg(unix)]
mod shown;

use crate::common::corpus;
use gdwire::{Dialect, Variant, encode};
use serde_json::Value;
use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const LOSSY: &str = "godot4-game-enet-lossy-client-side.pcapng";

/// Runs the command in a directory.
fn gdwire(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gdwire"));
    command.current_dir(directory).args(arguments).output().unwrap()
}

/// A directory of its own for a test.
fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report").join(test);
    fs::remove_dir_all(&path).ok();
    fs::create_dir_all(&path).unwrap();
    path
}

fn capture(name: &str) -> String {
    corpus("captures").join(name).into_os_string().into_string().unwrap()
}

/// Writes a report of a recorded capture, some of which end within a message, and returns its path.
fn report(directory: &Path, name: &str, options: &[&str]) -> PathBuf {
    let file = capture(name);
    let arguments = [&["report", "-o", "report.html", &file], options].concat();
    let run = gdwire(directory, &arguments);
    let code = run.status.code();
    assert!(matches!(code, Some(0 | 1)), "{name} {}", String::from_utf8_lossy(&run.stderr));
    directory.join("report.html")
}

/// The data in a page, one document for each capture.
fn documents(page: &str) -> Vec<Value> {
    let parts = page.split("<script type=\"application/json\" class=\"capture\">").skip(1);
    parts
        .map(|part| serde_json::from_str(part.split_once("</script>").unwrap().0).unwrap())
        .collect()
}

/// The output of `gdwire stats` for a capture.
fn stats(name: &str) -> Value {
    let arguments = ["stats", "--quiet", "--format", "json", &capture(name)];
    serde_json::from_slice(&gdwire(Path::new("."), &arguments).stdout).unwrap()
}

/// The names of all recorded captures.
fn captures() -> Vec<String> {
    let entries = fs::read_dir(corpus("captures")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> =
        names.filter(|name| name.ends_with(".pcap") || name.ends_with(".pcapng")).collect();
    names.sort();
    assert!(names.len() > 40);
    names
}

/// A capture of one value, which a game sent over UDP once a second, to each of this many ports in
/// turn.
fn datagrams(value: &Variant, count: u32, ports: u16) -> Vec<u8> {
    let payload = encode(Dialect::GODOT_3, value).unwrap();
    let mut capture = Vec::new();
    for field in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 0xffff, 101] {
        capture.extend(field.to_le_bytes());
    }
    let length = u16::try_from(payload.len()).unwrap();
    for second in 0..count {
        let total = u32::from(length) + 28;
        for field in [second, 0, total, total] {
            capture.extend(field.to_le_bytes());
        }
        let [high, low] = (length + 28).to_be_bytes();
        capture.extend([0x45, 0, high, low, 0, 0, 0, 0, 64, 17, 0, 0]);
        capture.extend(Ipv4Addr::LOCALHOST.octets());
        capture.extend(Ipv4Addr::LOCALHOST.octets());
        let port = 7778 + u16::try_from(second % u32::from(ports)).unwrap();
        capture.extend([7777_u16, port, length + 8, 0].map(u16::to_be_bytes).concat());
        capture.extend(&payload);
    }
    capture
}
