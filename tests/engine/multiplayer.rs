//! Two engines talk with each other through a relay, which decodes their packets.

use crate::common::{Godot, Running, hex};
use crate::engine::transport_name;
use gdwire::multiplayer::{Context, MultiplayerProtocol, Packet, Paths, parse};
use gdwire::net::Side;
use gdwire::net::enet::godot::{PeerHeader, SYSTEM_CHANNEL};
use gdwire::net::enet::{Mode, Session, SessionEvent, SessionLimits, SessionMessage};
use gdwire::{Dialect, encode};
use serde::Deserialize;
use std::io::{BufRead, BufReader, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

const SCRIPT: &str = "multiplayer.gd";

/// The longest time to wait for anything.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A call, as the scripts print it.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub(crate) struct Call {
    pub(crate) kind: String,
    /// Only the sender prints this.
    pub(crate) mode: String,
    pub(crate) path: String,
    pub(crate) method: String,
    pub(crate) args_hex: Vec<String>,
}

impl Call {
    pub(crate) fn is_reliable(&self) -> bool {
        self.mode == "reliable"
    }

    pub(crate) fn without_mode(&self) -> Call {
        Call { mode: String::new(), ..self.clone() }
    }
}

/// Decodes the packets of one connection.
struct Reader {
    session: Session,
    paths: Paths,
    /// The calls of the client and of the server.
    calls: [Vec<Call>; 2],
    datagrams: usize,
    compressed: usize,
    problems: Vec<String>,
}

impl Reader {
    fn read(&mut self, from: Side, datagram: &[u8]) {
        let Reader { session, paths, calls, problems, .. } = self;
        let result = session.receive(from, datagram, &mut |event| match event {
            SessionEvent::Message(message) if message.channel != SYSTEM_CHANNEL => {
                let side = usize::from(message.from == Side::Second);
                calls[side].extend(call(&message, paths));
            }
            SessionEvent::Lost(loss, _) => problems.push(loss.to_string()),
            _ => {}
        });
        problems.extend(result.err().map(|error| error.to_string()));
        self.datagrams += 1;
        self.compressed += usize::from(datagram[0] & 0x40 != 0);
    }
}

/// The call in a message, if it is one.
fn call(message: &SessionMessage<'_>, paths: &mut Paths) -> Option<Call> {
    let (header, packet) = PeerHeader::split(message.payload).unwrap();
    let packet = parse(MultiplayerProtocol::Godot3, Dialect::GODOT_3, packet).unwrap();
    let sender = header.source;
    let callee = packet.callee(Context::new().with_paths(paths, sender));
    let (path, method) = match callee {
        Some(callee) => (format!("/root/{}", callee.path.unwrap()), callee.method.to_string()),
        None => Default::default(),
    };
    let mut args_hex = Vec::new();
    packet.each_argument(&mut |argument| {
        args_hex.push(hex(&encode(argument.dialect(), &argument).unwrap()));
    });
    paths.note(sender, &packet);
    let kind = match packet {
        Packet::Call(_) => "rpc",
        Packet::Set(_) => "rset",
        Packet::Raw(_) => "bytes",
        _ => return None,
    };
    // The engine sends unreliable messages that need fragments reliably; here there are none.
    let mode = if message.mode == Mode::Reliable { "reliable" } else { "unreliable" };
    Some(Call { kind: kind.to_owned(), mode: mode.to_owned(), path, method, args_hex })
}

/// Forwards datagrams until the test is over. `next` receives one and returns its destination.
fn pass(
    from: Side,
    (input, output): (&UdpSocket, &UdpSocket),
    client: &Mutex<Option<SocketAddr>>,
    reader: &Mutex<Reader>,
    is_over: &AtomicBool,
) {
    input.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    let mut datagram = vec![0; 1 << 16];
    while !is_over.load(Ordering::Relaxed) {
        let (length, sender) = match input.recv_from(&mut datagram) {
            Ok(received) => received,
            // The socket refused the datagram: the other end has not begun yet, or has ended.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::ConnectionRefused
                ) =>
            {
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        let datagram = &datagram[..length];
        reader.lock().unwrap().read(from, datagram);
        let sent = match from {
            Side::First => {
                *client.lock().unwrap() = Some(sender);
                output.send(datagram)
            }
            Side::Second => match *client.lock().unwrap() {
                Some(client) => output.send_to(datagram, client),
                None => continue,
            },
        };
        // ENet sends lost commands again.
        drop(sent);
    }
}

/// The lines that an engine prints, as they arrive.
pub(crate) struct Printed {
    _engine: Running,
    lines: mpsc::Receiver<String>,
    pub(crate) sent: Vec<Call>,
    pub(crate) got: Vec<Call>,
}

impl Printed {
    pub(crate) fn start(godot: &Godot, script: &str, arguments: &[&str]) -> Option<Printed> {
        let mut engine = godot.start_script(script, arguments)?;
        let output = BufReader::new(engine.output());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Some(Printed { _engine: engine, lines, sent: Vec::new(), got: Vec::new() })
    }

    fn line(&mut self) -> String {
        let line = self.lines.recv_timeout(TIMEOUT);
        line.unwrap_or_else(|error| panic!("{error}: sent {:?}, got {:?}", self.sent, self.got))
    }

    pub(crate) fn port(&mut self) -> u16 {
        loop {
            if let Some(port) = self.line().strip_prefix("listening ") {
                return port.trim().parse().unwrap();
            }
        }
    }

    /// Waits until the engine has sent all of its calls and received the last call of the other.
    fn wait(&mut self) {
        let is_finish = |call: &Call| call.method == "finish";
        while !(self.sent.last().is_some_and(is_finish) && self.got.iter().any(is_finish)) {
            let line = self.line();
            self.note(&line);
        }
    }

    /// Takes what the engine has printed until now.
    pub(crate) fn take(&mut self) {
        while let Ok(line) = self.lines.try_recv() {
            self.note(&line);
        }
    }

    fn note(&mut self, line: &str) {
        if let Some(call) = line.strip_prefix("sent ") {
            self.sent.push(serde_json::from_str(call).unwrap());
        } else if let Some(call) = line.strip_prefix("got ") {
            self.got.push(serde_json::from_str(call).unwrap());
        }
    }
}

fn relay_and_read(godot: &Godot, compression: &str) {
    let Some(mut server) = Printed::start(godot, SCRIPT, &[compression, "server"]) else { return };
    let upstream = UdpSocket::bind("127.0.0.1:0").unwrap();
    upstream.connect(("127.0.0.1", server.port())).unwrap();
    let relay = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = relay.local_addr().unwrap().port().to_string();
    let Some(mut client) = Printed::start(godot, SCRIPT, &[compression, "client", &port]) else {
        return;
    };

    let is_over = AtomicBool::new(false);
    let client_address = Mutex::new(None);
    let reader = Mutex::new(Reader {
        session: Session::new(SessionLimits::default()),
        paths: Paths::new(),
        calls: Default::default(),
        datagrams: 0,
        compressed: 0,
        problems: Vec::new(),
    });
    thread::scope(|scope| {
        let ways = [(Side::First, (&relay, &upstream)), (Side::Second, (&upstream, &relay))];
        for (from, sockets) in ways {
            let (client_address, reader, is_over) = (&client_address, &reader, &is_over);
            scope.spawn(move || pass(from, sockets, client_address, reader, is_over));
        }
        // This also happens if the test fails, so the other threads end.
        let _end = OnDrop(&is_over);
        client.wait();
        server.wait();
    });

    let reader = reader.into_inner().unwrap();
    assert_eq!(reader.problems, Vec::<String>::new());
    assert_eq!(reader.compressed > 0, compression == "range");
    assert!(reader.datagrams > 100);
    for (read, from, to) in
        [(&reader.calls[0], &client, &server), (&reader.calls[1], &server, &client)]
    {
        let reliable = |calls: &[Call]| -> Vec<Call> {
            calls.iter().filter(|call| call.is_reliable()).cloned().collect()
        };
        // All of them, in order.
        assert_eq!(reliable(read), reliable(&from.sent));
        assert_eq!(reliable(read).len(), 54);
        // ENet may drop unreliable calls; every call that arrived has passed through the relay.
        let unreliable = read.iter().filter(|call| !call.is_reliable());
        assert!(unreliable.clone().count() > 0);
        for call in unreliable {
            assert!(from.sent.contains(call), "{call:?}");
        }
        let read: Vec<Call> = read.iter().map(Call::without_mode).collect();
        for call in &to.got {
            assert!(read.contains(call), "{call:?}");
        }
        assert!(to.got.len() > 25);
        godot.checked(&format!("calls between two, {}", transport_name(compression)), read.len());
    }
}

struct OnDrop<'a>(&'a AtomicBool);

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn every_call_between_two_engines_is_read() {
    relay_and_read(&Godot::V3, "none");
    relay_and_read(&Godot::V3_6, "none");
}

#[test]
fn every_call_between_two_engines_is_read_if_compressed() {
    relay_and_read(&Godot::V3, "range");
    relay_and_read(&Godot::V3_6, "range");
}
