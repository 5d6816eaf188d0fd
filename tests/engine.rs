//! A real Godot 3 engine reads what this crate writes, and writes what it reads.
//!
//! These tests need Debian's package `godot3-server`. Without it they print a note and pass, unless
//! `GDWIRE_ENGINE_TESTS=required` is set.

mod common;
#[cfg(feature = "net")]
#[path = "engine/multiplayer.rs"]
mod multiplayer;
#[cfg(feature = "save")]
#[path = "engine/saves.rs"]
mod saves;

use common::{Value, assert_same_text, engine, hex, lines, unhex, without_path_padding};
use gdwire::{Dialect, Variant, encode, parse};
use std::net::{SocketAddr, UdpSocket};
use std::process::Child;
use std::time::Duration;

const DIALECT: Dialect = Dialect::GODOT_3;

/// Ends the engine with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn receive(socket: &UdpSocket) -> (Vec<u8>, SocketAddr) {
    let mut datagram = vec![0; 1 << 16];
    let (length, from) = socket.recv_from(&mut datagram).expect("a packet of the engine");
    datagram.truncate(length);
    (datagram, from)
}

#[test]
fn both_ends_of_a_udp_connection_agree() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let port = socket.local_addr().unwrap().port().to_string();
    let Some(engine) = engine("peer.gd", ["udp", &port]) else { return };
    let _engine = Running(engine);

    let mut count = 0;
    let engine_address = loop {
        let (packet, from) = receive(&socket);
        let value = parse(DIALECT, &packet).unwrap();
        if value.as_str() == Some("ready") {
            break from;
        }
        let (literal, _) = receive(&socket);
        let literal = parse(DIALECT, &literal).unwrap();
        assert_same_text(DIALECT, &value.to_text(), literal.as_str().unwrap());
        assert_eq!(hex(&encode(DIALECT, &value).unwrap()), hex(&without_path_padding(value)));
        count += 1;
    };
    assert!(count > 40);

    let answer = |packet: &[u8]| {
        socket.send_to(packet, engine_address).unwrap();
        receive(&socket).0
    };
    let recorded = lines::<Value>("godot3/values.ndjson");
    // An object of the recording engine does not exist in this one.
    let recorded = recorded.iter().filter(|line| !line.name.starts_with("object"));
    for line in recorded {
        let bytes = unhex(&line.hex);
        let value = Variant::from(parse(DIALECT, &bytes).unwrap());
        let packet = encode(DIALECT, &value).unwrap();
        let answer = answer(&packet);
        let answer = parse(DIALECT, &answer).unwrap().as_array().unwrap();
        let bytes = answer.get(1).unwrap().as_byte_array().unwrap();
        let read = parse(DIALECT, bytes).unwrap();
        assert_eq!(hex(&without_path_padding(read)), hex(&packet), "{}", line.name);
        let text = parse(DIALECT, &packet).unwrap().to_text();
        assert_same_text(DIALECT, &text, answer.get(0).unwrap().as_str().unwrap());
    }
    // The engine drops a byte order mark, and everything after a NUL.
    for text in ["\u{feff}a", "\u{feff}", "a\u{feff}", "a\0b", "\u{feff}a\0b", "\u{feff}\u{feff}"] {
        let mut packet = vec![4, 0, 0, 0, text.len() as u8, 0, 0, 0];
        packet.extend(text.as_bytes());
        packet.resize(packet.len().next_multiple_of(4), 0);
        let answer = answer(&packet);
        let answer = parse(DIALECT, &answer).unwrap();
        let engines = answer.pointer("/1").unwrap().as_byte_array().unwrap();
        let read = parse(DIALECT, &packet).unwrap().as_str().unwrap();
        assert_eq!(hex(&encode(DIALECT, read).unwrap()), hex(engines), "{text:?}");
    }
    socket.send_to(&encode(DIALECT, "quit").unwrap(), engine_address).unwrap();
}

#[cfg(feature = "cli")]
#[test]
fn the_engine_reads_a_file_that_the_command_wrote() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (literals, stored) = (folder.join("literals"), folder.join("stored.dat"));
    let mut texts = Vec::new();
    for line in lines::<Value>("godot3/values.ndjson") {
        // Objects differ in each engine, RIDs are printed without an id, and vectors without their
        // infinities.
        if line.name.starts_with("object") || line.name == "rid" || line.name.contains("inf") {
            continue;
        }
        let bytes = unhex(&line.hex);
        texts.push(parse(DIALECT, &bytes).unwrap().to_text());
    }
    std::fs::write(&literals, texts.join("\n")).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gdwire"));
    command.arg("encode").arg("--dialect").arg("godot3").arg("-o").arg(&stored).arg(&literals);
    assert!(command.status().unwrap().success());

    let Some(engine) = engine("peer.gd", ["file", stored.to_str().unwrap()]) else { return };
    let output = engine.wait_with_output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let read: Vec<String> = output
        .lines()
        .filter_map(|line| line.strip_prefix("value "))
        .map(|literal| serde_json::from_str(literal).unwrap())
        .collect();
    assert_eq!(read.len(), texts.len(), "{output}");
    for (ours, engines) in texts.iter().zip(&read) {
        assert_same_text(DIALECT, ours, engines);
    }
}
