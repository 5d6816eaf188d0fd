//! Records what the sockets of the bots send and receive.

use crate::opened::{name, reason};
use crate::{interrupt, output};
use gdwire::capture::PacketWriter;
use gdwire::net::tcp::Segment;
use gdwire::packet::{TcpSegment, Time, UdpDatagram};
use gdwire::peer::{Bots, Traffic, TrafficContent};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The first sequence number of each direction of a TCP connection.
const FIRST: u32 = 1;

pub struct Recording(Arc<Mutex<Recorder>>);

struct Recorder {
    title: String,
    out: PacketWriter<BufWriter<File>>,
    start: (Instant, Time),
    /// The next sequence numbers of the client and of the server of each TCP connection.
    streams: HashMap<(SocketAddr, SocketAddr), [u32; 2]>,
    failed: Option<io::Error>,
}

impl Recording {
    /// Begins a new file, and records everything from now on.
    pub fn start(path: &Path, bots: &mut Bots) -> Result<Recording, String> {
        let out = output::recording(path)?;
        let start = (Instant::now(), Time::now());
        let title = name(path);
        let recorder = Recorder { title, out, start, streams: HashMap::new(), failed: None };
        let recorder = Arc::new(Mutex::new(recorder));
        let observer = Recording(Arc::clone(&recorder));
        bots.watch(move |traffic| observer.recorder().note(&traffic));
        let at_exit = Recording(Arc::clone(&recorder));
        interrupt::at_exit(move || at_exit.flush());
        Ok(Recording(recorder))
    }

    fn recorder(&self) -> MutexGuard<'_, Recorder> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the recording so far to the file.
    pub fn flush(&self) {
        let recorder = &mut *self.recorder();
        if recorder.failed.is_none() {
            recorder.failed = recorder.out.flush().err();
        }
    }

    /// Completes the file. Returns why it is not whole, if it is not.
    pub fn end(self) -> Option<String> {
        self.flush();
        let mut recorder = self.recorder();
        let failed = recorder.failed.take()?;
        Some(format!("{}: the recording is not whole: {}", recorder.title, reason(&failed)))
    }
}

impl Recorder {
    fn note(&mut self, traffic: &Traffic<'_>) {
        if self.failed.is_none() {
            self.failed = self.write(traffic).err();
        }
    }

    fn write(&mut self, traffic: &Traffic<'_>) -> io::Result<()> {
        let Traffic { src, dst, content, .. } = *traffic;
        let (start, time) = self.start;
        let since = i64::try_from(start.elapsed().as_nanos()).unwrap_or(i64::MAX);
        let time = Time::from_nanos(time.as_nanos().saturating_add(since), 9);
        let (payload, fin) = match content {
            TrafficContent::Datagram(bytes) => {
                return self.out.datagram(time, &UdpDatagram::new(src, dst, bytes));
            }
            TrafficContent::Opened => {
                self.streams.insert((src, dst), [FIRST; 2]);
                let syn = Segment::new(FIRST.wrapping_sub(1), &[]).with_syn();
                self.out.segment(time, &TcpSegment::new(src, dst, syn))?;
                let answer = TcpSegment::new(dst, src, syn).with_acknowledgement(FIRST);
                return self.out.segment(time, &answer);
            }
            TrafficContent::Bytes(bytes) => (bytes, false),
            TrafficContent::Closed => (&[][..], true),
            _ => return Ok(()),
        };
        let is_client = self.streams.contains_key(&(src, dst));
        let key = if is_client { (src, dst) } else { (dst, src) };
        let Some([client, server]) = self.streams.get_mut(&key) else { return Ok(()) };
        let (own, other) = if is_client { (client, *server) } else { (server, *client) };
        // A segment that is too long for IP is divided.
        for part in payload.chunks(SEGMENT).chain(fin.then_some(&[][..])) {
            let segment = Segment::new(*own, part);
            let segment = if fin { segment.with_fin() } else { segment };
            let segment = TcpSegment::new(src, dst, segment).with_acknowledgement(other);
            self.out.segment(time, &segment)?;
            let len = u32::try_from(part.len()).unwrap_or(0).wrapping_add(u32::from(fin));
            *own = own.wrapping_add(len);
        }
        if fin {
            self.streams.remove(&key);
        }
        Ok(())
    }
}

/// The most bytes of a stream in one recorded packet.
const SEGMENT: usize = 16 << 10;
