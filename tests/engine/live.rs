//! Engines talk to each other, and the command decodes that while they do.

use crate::common::{
    Godot, Running, again_in_a_network, can_capture, hex, is_in_a_network, unhex,
    without_path_padding,
};
use crate::engine::agreement::{frames, make_project, seed};
use crate::engine::folder;
use crate::engine::transport_name;
use gdwire::parse;
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The longest time to wait for anything.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How often each end sends a value.
const VALUES: usize = 60;

/// The name of a transport in the scripts, and in the output of the command.
const TRANSPORTS: [(&str, &str); 5] = [
    ("udp", "udp"),
    ("tcp", "tcp"),
    ("enet", "enet"),
    ("enet-range", "enet"),
    ("websocket", "websocket"),
];

/// ENet's other compressions.
const COMPRESSIONS: [(&str, &str); 3] =
    [("enet-fastlz", "enet"), ("enet-zlib", "enet"), ("enet-zstd", "enet")];

/// The port of the first transport. The tests have a network of their own.
const PORT: u16 = 7801;

/// `gdwire decode` on the loopback interface.
struct Decoding {
    child: Child,
    lines: Receiver<String>,
}

impl Decoding {
    /// Returns once it shows what is sent; `None` if capturing is not allowed.
    fn start() -> Option<Decoding> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gdwire"));
        command.args(["decode", "--interface", "lo", "--format", "ndjson", "--hex"]);
        for port in PORT - 1..PORT + 8 {
            command.args(["--port", &port.to_string()]);
        }
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (send, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut decoding = Decoding { child, lines };
        thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|it| send.send(it))
        });
        let hello = gdwire::encode(gdwire::Dialect::GODOT_4, "hello").unwrap();
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let server = UdpSocket::bind(("127.0.0.1", PORT - 1)).unwrap();
        let begun = Instant::now();
        while begun.elapsed() < TIMEOUT {
            socket.send_to(&hello, server.local_addr().unwrap()).unwrap();
            if decoding.lines.recv_timeout(Duration::from_millis(200)).is_ok() {
                return Some(decoding);
            }
            if decoding.child.try_wait().unwrap().is_some() {
                break;
            }
        }
        decoding.child.kill().ok();
        let mut errors = String::new();
        decoding.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert!(!is_in_a_network(), "nothing was captured: {errors}");
        eprintln!("skipped: capturing is not allowed here: {errors}");
        None
    }

    /// Stops the command when it has shown this many messages, and returns all.
    fn end(mut self, count: usize) -> Vec<Value> {
        let mut shown = Vec::new();
        let mut take = |line: String| {
            let line: Value = serde_json::from_str(&line).unwrap();
            let is_hello =
                line["value"] == "hello" && line["dst"] == format!("127.0.0.1:{}", PORT - 1);
            if !is_hello {
                shown.push(line);
            }
            shown.len() == count
        };
        while let Ok(line) = self.lines.recv_timeout(Duration::from_secs(10)) {
            if take(line) {
                break;
            }
        }
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        for line in &self.lines {
            take(line);
        }
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        shown
    }
}

impl Drop for Decoding {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// One end of a conversation.
pub(crate) struct End<'a> {
    pub(crate) godot: &'a Godot,
    pub(crate) role: &'a str,
}

impl End<'_> {
    pub(crate) fn start(&self, transport: &str, port: u16, folder: &Path) -> Running {
        let seed = (seed() * 2 + u64::from(self.role == "server")).to_string();
        let out = self.godot.out_file(folder, &self.file(transport));
        let port = port.to_string();
        let arguments = ["talk", self.role, transport, &port, &seed, &out];
        let running = if self.godot.has_json() {
            self.godot.start_project(folder, folder, &arguments)
        } else {
            self.godot.start_script("godot3.gd", &arguments)
        };
        running.unwrap()
    }

    pub(crate) fn file(&self, transport: &str) -> String {
        format!("{}-{transport}", self.role)
    }

    /// The values that it sent, as hex without padding in node paths.
    pub(crate) fn sent(&self, transport: &str, folder: &Path) -> Vec<String> {
        let file = fs::read(folder.join(self.file(transport))).unwrap();
        let dialect = self.godot.dialect();
        let sent: Vec<_> = frames(&file)
            .map(|frame| parse(dialect, frame).unwrap().as_byte_array().unwrap())
            .map(|value| hex(&without_path_padding(parse(dialect, value).unwrap())))
            .collect();
        assert_eq!(sent.len(), VALUES);
        sent
    }
}

/// Lets a server and a client talk over each transport. The command has to show every value, once, in
/// order.
fn talk(test: &str, server: &Godot, client: &Godot, transports: &[(&str, &str)]) {
    let is_here = can_capture() && server.find().is_some() && client.find().is_some();
    if !is_here || again_in_a_network(&format!("engine::live::{test}")) {
        return;
    }
    let Some(decoding) = Decoding::start() else { return };
    let folder = folder(test);
    make_project(&folder);
    let ends = [End { godot: server, role: "server" }, End { godot: client, role: "client" }];
    thread::scope(|scope| {
        for ((transport, _), port) in transports.iter().zip(PORT..) {
            let (ends, folder) = (&ends, &folder);
            scope.spawn(move || {
                let mut server = ends[0].start(transport, port, folder);
                let mut lines = BufReader::new(server.output()).lines().map_while(Result::ok);
                assert!(lines.any(|line| line == "ready"), "{transport}: {}", server.errors());
                let printed = ends[1].start(transport, port, folder).wait();
                let rest: Vec<_> = lines.collect();
                assert!(folder.join(ends[0].file(transport)).exists(), "{printed} {rest:?}");
            });
        }
    });
    let mut shown: HashMap<(u16, bool), Vec<(String, String)>> = HashMap::new();
    for line in decoding.end(transports.len() * 2 * VALUES) {
        let [src, dst] = ["src", "dst"].map(|end| {
            let port = line[end].as_str().expect("an address").rsplit_once(':').unwrap().1;
            port.parse::<u16>().unwrap()
        });
        let is_from_server = (PORT..PORT + 8).contains(&src);
        let port = if is_from_server { src } else { dst };
        let value = without_padding(line["hex"].as_str().expect("a value"), server);
        let transport = line["transport"].as_str().unwrap().to_owned();
        shown.entry((port, is_from_server)).or_default().push((transport, value));
    }
    for ((transport, name), port) in transports.iter().zip(PORT..) {
        for (end, is_from_server) in ends.iter().zip([true, false]) {
            let expected: Vec<_> = end.sent(transport, &folder);
            let shown = shown.remove(&(port, is_from_server)).unwrap_or_default();
            assert!(shown.iter().all(|(shown, _)| shown == name), "{transport}");
            let shown: Vec<_> = shown.into_iter().map(|(_, value)| value).collect();
            assert_eq!(shown, expected, "{transport}, from the {}", end.role);
            end.godot.checked(
                &format!("values decoded live, {}", transport_name(transport)),
                shown.len(),
            );
        }
    }
    assert!(shown.is_empty(), "{shown:?}");
}

/// The bytes of a value without padding in node paths.
fn without_padding(value: &str, godot: &Godot) -> String {
    let bytes = unhex(value);
    hex(&without_path_padding(parse(godot.dialect(), &bytes).unwrap()))
}

#[test]
fn godot_3_is_shown_on_every_transport() {
    let test = "godot_3_is_shown_on_every_transport";
    talk(test, &Godot::V3, &Godot::V3, &TRANSPORTS);
}

#[test]
fn godot_3_6_is_shown_on_every_transport() {
    let test = "godot_3_6_is_shown_on_every_transport";
    talk(test, &Godot::V3_6, &Godot::V3_6, &TRANSPORTS);
}

#[test]
fn godot_4_is_shown_on_every_transport() {
    let test = "godot_4_is_shown_on_every_transport";
    talk(test, &Godot::V4, &Godot::V4, &TRANSPORTS);
}

#[test]
fn compressions_of_enet_are_shown() {
    talk("compressions_of_enet_are_shown", &Godot::V4, &Godot::V4, &COMPRESSIONS);
}

#[test]
fn a_game_in_a_browser_is_shown() {
    talk("a_game_in_a_browser_is_shown", &Godot::V4, &Godot::WEB, &[("websocket", "websocket")]);
}
