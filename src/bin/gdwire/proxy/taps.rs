//! Records what the proxy forwards, and passes it on to be shown.
//!
//! The clients and the server do not see the same: between both is the network that the proxy
//! plays. So there are two captures. The one of the clients is also shown.

use crate::diagnostics::RunError;
use crate::input::{Live, LivePiece};
use crate::opened::reason;
use crate::output;
use gdwire::capture::PacketWriter;
use gdwire::packet::{Payload, TcpSegment, Time, UdpDatagram};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many packets may wait until they are shown. Forwarding never waits for that.
const SHOWN: usize = 16_384;

/// How often a recording is written to its file, at least, while packets arrive.
const FLUSH: Duration = Duration::from_millis(500);

/// The end of the proxy at which a packet is seen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ProxyEnd {
    Client,
    Server,
}

/// The recordings and the output to which the proxy passes its packets. All copies share them.
#[derive(Clone)]
pub struct Taps(Arc<Mutex<Recordings>>);

struct Recordings {
    shown: Option<PacketWriter<ShownPackets>>,
    client: Option<PacketWriter<BufWriter<File>>>,
    server: Option<PacketWriter<BufWriter<File>>>,
    start: (Instant, Time),
    /// The times of the last packets of the clients' side and of the server's, since the start.
    last: [Duration; 2],
    flushed: Instant,
    failed: Option<String>,
}

/// The capture that is shown: each block of the file is a piece.
struct ShownPackets {
    pieces: SyncSender<Vec<u8>>,
    skipped: u64,
}

impl Write for ShownPackets {
    fn write(&mut self, block: &[u8]) -> io::Result<usize> {
        match self.pieces.try_send(block.to_vec()) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => self.skipped += 1,
            // Nothing is shown any more.
            Err(TrySendError::Disconnected(_)) => {}
        }
        Ok(block.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Taps {
    /// Begins to record, and returns the capture to be shown.
    pub fn open(prefix: Option<&Path>) -> Result<(Taps, Live), RunError> {
        let (pieces, blocks) = sync_channel(SHOWN);
        let stream = Live::new(move |to| {
            for block in blocks {
                if to.send(LivePiece::Bytes(block)).is_err() {
                    return;
                }
            }
        });
        let file = |side: &str| {
            let Some(prefix) = prefix else { return Ok(None) };
            let mut path = prefix.as_os_str().to_owned();
            path.push(format!("-{side}.pcapng"));
            output::recording(Path::new(&path)).map(Some)
        };
        let now = Instant::now();
        let recordings = Recordings {
            client: file("client")?,
            server: file("server")?,
            shown: Some(PacketWriter::new(ShownPackets { pieces, skipped: 0 })?),
            start: (now, Time::now()),
            last: [Duration::ZERO; 2],
            flushed: now,
            failed: None,
        };
        Ok((Taps(Arc::new(Mutex::new(recordings))), stream))
    }

    fn with<T>(&self, work: impl FnOnce(&mut Recordings) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Records a datagram that was on the wire at an instant, and returns the time.
    pub fn datagram(
        &self,
        side: ProxyEnd,
        at: Instant,
        (src, dst): (SocketAddr, SocketAddr),
        payload: &[u8],
    ) -> Time {
        let datagram = Payload::Udp(UdpDatagram::new(src, dst, payload));
        self.with(|recordings| recordings.record(side, at, &datagram))
    }

    /// Records a segment that was on the wire at an instant.
    pub fn segment(&self, side: ProxyEnd, at: Instant, segment: TcpSegment<'_>) {
        let segment = Payload::Tcp(segment);
        self.with(|recordings| recordings.record(side, at, &segment));
    }

    /// Ends the recordings. Returns how many packets were not shown, and why a file is not whole.
    pub fn end(&self) -> (u64, Option<String>) {
        self.with(|recordings| {
            recordings.flush();
            let shown = recordings.shown.take().map(PacketWriter::into_inner);
            (shown.map_or(0, |shown| shown.skipped), recordings.failed.take())
        })
    }
}

/// Writes a packet to a capture.
fn write(
    capture: &mut PacketWriter<impl Write>,
    time: Time,
    packet: &Payload<'_>,
) -> io::Result<()> {
    match packet {
        Payload::Udp(datagram) => capture.datagram(time, datagram),
        Payload::Tcp(segment) => capture.segment(time, segment),
        _ => Ok(()),
    }
}

impl Recordings {
    /// The time of an instant. On each side, it never goes back.
    fn time(&mut self, side: ProxyEnd, at: Instant) -> Time {
        let (start, time) = self.start;
        let [client, server] = &mut self.last;
        let last = if side == ProxyEnd::Client { client } else { server };
        *last = at.saturating_duration_since(start).max(*last);
        let since = i64::try_from(last.as_nanos()).unwrap_or(i64::MAX);
        Time::from_nanos(time.as_nanos().saturating_add(since), 9)
    }

    /// Records a packet, and returns its time.
    fn record(&mut self, side: ProxyEnd, at: Instant, packet: &Payload<'_>) -> Time {
        let time = self.time(side, at);
        let is_client = side == ProxyEnd::Client;
        if let Some(shown) = self.shown.as_mut().filter(|_| is_client) {
            // It fails only for a packet that no socket can have received.
            write(shown, time, packet).ok();
        }
        let file = if is_client { &mut self.client } else { &mut self.server };
        if let Some(error) = file.as_mut().and_then(|file| write(file, time, packet).err()) {
            self.fail(&error);
        }
        if self.flushed.elapsed() > FLUSH {
            self.flush();
        }
        time
    }

    fn flush(&mut self) {
        self.flushed = Instant::now();
        let files = [&mut self.client, &mut self.server].into_iter().flatten();
        let failed = files.filter_map(|file| file.flush().err()).next();
        if let Some(error) = failed {
            self.fail(&error);
        }
    }

    /// Stops recording, because a file cannot be written.
    fn fail(&mut self, error: &io::Error) {
        (self.client, self.server) = (None, None);
        let problem = format!("the recordings are not whole: {}", reason(error));
        self.failed.get_or_insert(problem);
    }
}
