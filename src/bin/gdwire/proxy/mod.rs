//! `gdwire proxy`: forwards the packets of a game, as a bad network would.
//!
//! `datagrams` forwards UDP and `streams` TCP. Both pass what they forward to `taps`, which records
//! it and makes the capture that is shown as `gdwire decode` would. `conditions` has the options that
//! say what the network does, and `meaning` finds the datagrams whose messages the user named.

mod conditions;
mod datagrams;
mod meaning;
mod streams;
mod taps;

use crate::args::values::time;
use crate::args::{Filters, ReadingArgs, VerbosityArgs};
use crate::decode::{self, ShownArgs};
use crate::diagnostics::{self, Diagnostics, RunError};
use crate::input::LiveCapture;
use crate::interrupt;
use crate::opened::{are_used_up, is_closed_pipe, reason};
use clap::Args;
use conditions::{Settings, settings};
use datagrams::Datagrams;
use meaning::{Meaning, MeaningArgs};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs, UdpSocket};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use streams::StreamForwarder;
use taps::Taps;

#[derive(Args)]
pub struct ProxyArgs {
    /// Listen for clients here: a port of this computer, such as 7777, or an address and a port
    ///
    /// A port alone can be reached from this computer only. 0.0.0.0:7777 lets other computers in.
    #[arg(long, value_name = "ADDR", value_parser = address)]
    listen: SocketAddr,
    /// The server: a port of this computer, such as 7778, or a name or address and a port
    #[arg(long, value_name = "ADDR", value_parser = address)]
    to: SocketAddr,
    /// Record both sides: the traffic of the clients in PREFIX-client.pcapng, that of the server in
    /// PREFIX-server.pcapng
    #[arg(long, value_name = "PREFIX")]
    write: Option<PathBuf>,
    /// End after this time
    #[arg(long = "for", value_name = "TIME", value_parser = time)]
    duration: Option<Duration>,
    #[command(flatten)]
    conditions: Settings,
    /// Conditions on the way to the server only, such as 'delay=200ms,loss=5%'; they override the
    /// options for both ways
    #[arg(long, value_name = "CONDITIONS", value_parser = settings)]
    up: Option<Settings>,
    /// Conditions on the way to the clients only
    #[arg(long, value_name = "CONDITIONS", value_parser = settings)]
    down: Option<Settings>,
    /// Change only the traffic of this client, the first of which is 1; forward that of others as it is (repeatable)
    #[arg(long, value_name = "N")]
    client: Vec<usize>,
    /// Seed of the random conditions: with the same seed and the same traffic, the same datagrams
    /// are lost, late and doubled
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    meaning: MeaningArgs,
    #[command(flatten)]
    filters: Filters,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    shown: ShownArgs,
    #[command(flatten)]
    pub verbosity: VerbosityArgs,
}

/// Parses a port of this computer, or an address and a port.
fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::from(([127, 0, 0, 1], port)));
    }
    let advice = "write a port such as 7777, or an address and a port such as 10.0.0.2:7777";
    let found = text.to_socket_addrs().map_err(|error| format!("{}; {advice}", reason(&error)))?;
    found.min_by_key(SocketAddr::is_ipv6).ok_or_else(|| advice.to_owned())
}

/// Opens the sockets for both protocols. With port 0, the system chooses one that is free over UDP, so
/// others are tried if it is in use over TCP.
fn open(listen: SocketAddr) -> io::Result<(UdpSocket, TcpListener)> {
    const TRIES: usize = 16;
    let mut tried = 1;
    loop {
        let socket = datagrams::listen(listen)?;
        match TcpListener::bind(socket.local_addr()?) {
            Ok(listener) => return Ok((socket, listener)),
            Err(error)
                if listen.port() == 0 && error.kind() == ErrorKind::AddrInUse && tried < TRIES =>
            {
                tried += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Whether what is sent to an address arrives at a socket that listens.
fn leads_to(to: SocketAddr, listen: SocketAddr) -> bool {
    let listening = listen.ip().to_canonical();
    let reached = match to.ip().to_canonical() {
        // Systems that allow this send it to themselves.
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    // Most systems let a socket that listens on all IPv6 addresses listen on those of IPv4 too.
    let is_any = listening.is_unspecified() && (listening.is_ipv6() || reached.is_ipv4());
    to.port() == listen.port() && (reached == listening || is_any && is_local(reached))
}

/// Whether an address is one of this computer.
fn is_local(ip: IpAddr) -> bool {
    // A packet to an address of this computer also comes from that address. Nothing is sent.
    let own = || {
        let socket = datagrams::any(ip)?;
        socket.connect((ip, 9))?;
        socket.local_addr()
    };
    ip.is_loopback() || own().is_ok_and(|own| own.ip() == ip)
}

/// The server, as the threads see it.
pub struct Server {
    address: SocketAddr,
    /// The messages about it that the user has seen, so that none comes twice.
    told: Mutex<Vec<String>>,
}

impl Server {
    fn new(address: SocketAddr) -> Arc<Server> {
        Arc::new(Server { address, told: Mutex::default() })
    }

    /// Tells the user once why something did not reach the server.
    pub fn miss(&self, error: &io::Error) {
        let is_absent = matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::TimedOut);
        let address = self.address;
        let problem = if is_absent {
            format!("{address} does not answer; is the server running there?")
        } else {
            let advice = if are_used_up(error) { "; allow more with 'ulimit -n'" } else { "" };
            format!("a connection could not be forwarded to {address}: {}{advice}", reason(error))
        };
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if !told.contains(&problem) {
            diagnostics::say(&problem);
            diagnostics::flush();
            told.push(problem);
        }
    }
}

/// From a client to the server, or from the server to a client.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Up,
    Down,
}

/// When forwarding ends.
pub struct Stop {
    is_stopped: AtomicBool,
    deadline: Option<Instant>,
}

impl Stop {
    pub fn has_come(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
            || interrupt::is_requested()
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

pub fn run(args: &ProxyArgs, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    args.shown.screen.choose_colors();
    if leads_to(args.to, args.listen) {
        let (listen, to) = (args.listen, args.to);
        return Err(format!(
            "the proxy cannot forward to itself: {to} is where it would listen ({listen}); give \
             --listen or --to another port"
        )
        .into());
    }
    let names = args.shown.names.read(diagnostics)?;
    let ways = args.conditions.ways(args.up, args.down)?;
    let bound = |error: io::Error| format!("cannot listen on {}: {}", args.listen, reason(&error));
    let (socket, listener) = open(args.listen).map_err(bound)?;
    let listen = socket.local_addr().map_err(bound)?;
    let (taps, stream) = Taps::open(args.write.as_deref())?;
    let deadline = args.duration.and_then(|duration| Instant::now().checked_add(duration));
    let end = Arc::new(Stop { is_stopped: AtomicBool::new(false), deadline });
    let transport = args.filters.transport;
    let meaning = Meaning::new(&args.meaning, &args.reading, transport, names.clone(), args.seed);
    let server = Server::new(args.to);
    let streams = StreamForwarder::new(taps.clone(), ways, args.seed, Arc::clone(&server));
    let stream_counts = streams.accept(listener, Arc::clone(&end)).map_err(bound)?;
    let datagrams = Datagrams::new(socket, server, ways, args.seed, &args.client, taps);
    diagnostics.note(&format_args!("forwarding {listen} to {}, UDP and TCP", args.to));
    let forwarding = {
        let end = Arc::clone(&end);
        thread::spawn(move || datagrams.forward(meaning, &end))
    };
    let (reading, filters) = (&args.reading, &args.filters);
    let live = LiveCapture { name: "proxy".to_owned(), stream, reading, filters };
    let mut result = decode::show(live, &args.shown, names, diagnostics);
    match &result {
        // The reader of the pipe, such as head, has seen enough. The players have not.
        Err(RunError::Output(error)) if is_closed_pipe(error) => {
            let text =
                "the output is closed, so nothing more is shown; forwarding goes on until Ctrl-C";
            diagnostics.note(&text);
            diagnostics::flush();
            result = Ok(());
        }
        _ => end.is_stopped.store(true, Ordering::Relaxed),
    }
    if let Ok(summary) = forwarding.join() {
        for line in summary.lines() {
            diagnostics.note(&line);
        }
        for problem in &summary.problems {
            diagnostics.failure("proxy", problem);
        }
    }
    for line in stream_counts.lines() {
        diagnostics.note(&line);
    }
    result
}
