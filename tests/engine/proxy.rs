//! Engines talk through the proxy, and hear everything although the network is bad.

use crate::common::{Godot, hex, without_path_padding};
use crate::engine::agreement::make_project;
use crate::engine::folder;
use crate::engine::live::End;
use crate::engine::transport_name;
use gdwire::capture::{Capture, Messages};
use gdwire::follow::{Content, Event, Options};
use gdwire::packet::Payload;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

/// The options for the conditions of the network.
const NETWORK: [&str; 12] = [
    "--delay",
    "10ms",
    "--jitter",
    "5ms",
    "--loss",
    "4%",
    "--burst",
    "2",
    "--duplicate",
    "3%",
    "--reorder",
    "3%",
];

/// A port that is free for UDP and, as good as surely, for TCP.
fn free_port() -> u16 {
    UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn talk_through_the_proxy(test: &str, godot: &Godot, transports: &[&str]) {
    if godot.find().is_none() {
        return;
    }
    let folder = folder(test);
    make_project(&folder);
    let ends = [End { godot, role: "server" }, End { godot, role: "client" }];
    thread::scope(|scope| {
        for transport in transports {
            let (ends, folder) = (&ends, &folder);
            scope.spawn(move || {
                let to = free_port();
                let prefix = folder.join(format!("recorded-{transport}"));
                let mut server = ends[0].start(transport, to, folder);
                let mut lines = BufReader::new(server.output()).lines().map_while(Result::ok);
                assert!(lines.any(|line| line == "ready"), "{transport}: {}", server.errors());
                let mut proxy = Command::new(env!("CARGO_BIN_EXE_gdwire"))
                    .args(["proxy", "--listen", "127.0.0.1:0", "--to", &to.to_string(), "--write"])
                    .arg(&prefix)
                    .args(NETWORK)
                    .stdout(Stdio::null())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap();
                let mut notes = BufReader::new(proxy.stderr.take().unwrap()).lines();
                let first = notes.next().unwrap().unwrap();
                let listen = first.strip_prefix("gdwire: forwarding ").expect(&first);
                let listen: SocketAddr = listen.split(' ').next().unwrap().parse().unwrap();
                let printed = ends[1].start(transport, listen.port(), folder).wait();
                let rest: Vec<_> = lines.collect();
                assert!(folder.join(ends[0].file(transport)).exists(), "{printed} {rest:?}");
                let id = proxy.id().to_string();
                assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
                assert!(proxy.wait().unwrap().success());
                let notes: Vec<_> = notes.map(Result::unwrap).collect();
                check(ends, transport, folder, &prefix, listen.port(), to, &notes.join("\n"));
            });
        }
    });
}

/// Both recordings have every value once and in order, and differ by what the proxy says.
fn check(
    ends: &[End<'_>; 2],
    transport: &str,
    folder: &Path,
    prefix: &Path,
    listen: u16,
    to: u16,
    notes: &str,
) {
    let mut datagrams = [[0_i64; 2]; 2];
    for (side, port, counts) in
        [("client", listen, 0), ("server", to, 1)].map(|(side, port, at)| (side, port, at))
    {
        let file = fs::read(format!("{}-{side}.pcapng", prefix.display())).unwrap();
        let dialect = ends[0].godot.dialect();
        let options = Options::new().with_dialect(dialect);
        let mut messages = Messages::with_options(&file, options).unwrap();
        let mut values = [Vec::new(), Vec::new()];
        while let Some(event) = messages.next_event() {
            if let Event::Message(message) = event
                && let Content::Value(value) = message.content
            {
                let is_from_client = message.origin.dst().port() == port;
                values[usize::from(is_from_client)].push(hex(&without_path_padding(value)));
            }
        }
        for (end, values) in ends.iter().zip(values) {
            assert_eq!(values, end.sent(transport, folder), "{transport}, {side}, {}", end.role);
            let what = format!("values through the proxy, {}", transport_name(transport));
            end.godot.checked(&what, values.len());
        }
        for packet in Capture::new(&file).unwrap() {
            if let Payload::Udp(datagram) = packet.unwrap().payload() {
                datagrams[counts][usize::from(datagram.dst.port() == port)] += 1;
            }
        }
    }
    if !transport.starts_with("enet") {
        return;
    }
    for (way, is_from_client) in [("to the server", 1), ("to the clients", 0)] {
        let line = notes.lines().find(|line| line.contains(way)).expect(notes);
        let count = |what: &str| {
            let part = line.split(", ").find(|part| part.ends_with(what));
            part.map_or(0, |part| part.split(' ').next().unwrap().parse::<i64>().unwrap())
        };
        let [client, server] = datagrams.map(|counts| counts[is_from_client]);
        let (sent, arrived) = if is_from_client == 1 { (client, server) } else { (server, client) };
        let (lost, doubled) = (count(" lost"), count(" sent twice"));
        // The last ones may be on their way when the proxy ends.
        let missing = sent - lost + doubled - arrived;
        assert!((0..=4).contains(&missing), "{transport}, {way}: {sent} {arrived}, {line}");
        assert!(lost > 0, "{transport}: {line}");
    }
}

#[test]
fn godot_3_hears_everything_through_the_proxy() {
    let transports = ["tcp", "enet", "enet-range", "websocket"];
    talk_through_the_proxy("godot_3_proxied", &Godot::V3, &transports);
}

#[test]
fn godot_4_hears_everything_through_the_proxy() {
    let transports = ["tcp", "enet", "enet-zstd", "websocket"];
    talk_through_the_proxy("godot_4_proxied", &Godot::V4, &transports);
}
