//! Recorded captures, and which packets carry which part of each message, found independently of
//! the library.

use crate::messages::build::{Packet, packets, pcap};
use crate::messages::calls::CALLS;
use crate::messages::output::{Output, Returned};
use crate::messages::pandemonium;
use crate::messages::read::recorded;
use crate::messages::values::VALUES;
use gdwire::capture::Capture;
use gdwire::follow::Transport;
use gdwire::net::enet::{Body, Datagram, DatagramDecompressor};
use gdwire::packet::Payload;
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::sync::LazyLock;

/// The packets that carry a part of a message, and how many bytes of each the part needs. Any one
/// of these packets is enough.
pub(crate) type Part = BTreeMap<usize, usize>;

/// A capture as it was recorded.
pub(crate) struct Recording {
    pub(crate) name: String,
    pub(crate) packets: Vec<Packet>,
    pub(crate) whole: Output,
    /// The parts of each message.
    pub(crate) parts: Vec<Vec<Part>>,
}

/// All captures whose packets are of one link type.
pub(crate) fn recordings() -> &'static [Recording] {
    static RECORDINGS: LazyLock<Vec<Recording>> = LazyLock::new(|| {
        let pandemonium = pandemonium::CALLS.map(|(name, _)| name);
        let calls = CALLS.iter().chain(&["godot3-websocket-rpc"]).chain(&pandemonium);
        let names = VALUES.iter().map(|(name, ..)| name.to_string());
        let names = names.chain(calls.map(|name| format!("{name}.pcapng")));
        names.map(Recording::of).collect()
    });
    &RECORDINGS
}

impl Recording {
    fn of(name: String) -> Recording {
        let packets = packets(&recorded(&name));
        Recording::of_packets(name, packets)
    }

    pub(crate) fn of_packets(name: String, packets: Vec<Packet>) -> Recording {
        let whole = Output::of(&packets);
        let carriers = Carriers::of(&packets);
        let mut used = vec![false; carriers.datagrams.len()];
        let parts = whole.returned.iter().map(|returned| match returned.transport {
            Transport::Tcp => {
                let end = returned.offset + returned.bytes.len() as u64;
                carriers.stream(returned, returned.offset - 4, end)
            }
            Transport::WebSocket => carriers.frame(returned),
            _ => carriers.datagram(returned, &mut used),
        });
        let parts: Vec<_> = parts.collect();
        Recording { name, packets, whole, parts }
    }
}

/// A message in one or several datagrams.
struct Carried {
    lane: (SocketAddr, SocketAddr, Option<u8>),
    bytes: Vec<u8>,
    parts: Vec<Part>,
}

/// A segment of a stream: its packet, and where it begins in the packet and in the stream.
struct Carrier {
    packet: usize,
    at: usize,
    start: u64,
    bytes: Vec<u8>,
}

impl Carrier {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

#[derive(Default)]
struct Carriers {
    streams: BTreeMap<(SocketAddr, SocketAddr), Vec<Carrier>>,
    datagrams: Vec<Carried>,
}

impl Carriers {
    fn of(packets: &[Packet]) -> Carriers {
        let mut carriers = Carriers::default();
        let mut first = BTreeMap::new();
        let mut fragments: BTreeMap<(IpAddr, IpAddr, u32), Fragments> = BTreeMap::new();
        let mut enet = Commands::default();
        let file = pcap(packets);
        for (index, packet) in Capture::new(&file).unwrap().map(Result::unwrap).enumerate() {
            let at = |payload: &[u8]| payload.as_ptr().addr() - packet.data.as_ptr().addr();
            match packet.payload() {
                Payload::Udp(datagram) => {
                    let bytes = datagram.payload;
                    let ends = (datagram.src, datagram.dst);
                    if enet.take(ends, bytes, (index, at(bytes))) {
                        continue;
                    }
                    let part = Part::from([(index, at(bytes) + bytes.len())]);
                    let lane = (ends.0, ends.1, None);
                    carriers.datagrams.push(Carried {
                        lane,
                        bytes: bytes.to_vec(),
                        parts: vec![part],
                    });
                }
                Payload::Tcp(segment) => {
                    let ends = (segment.src, segment.dst);
                    let initial = *first.entry(ends).or_insert(segment.sequence);
                    let start = segment.sequence.wrapping_sub(initial).wrapping_sub(1);
                    let bytes = segment.payload.to_vec();
                    if !bytes.is_empty() {
                        let (at, start) = (at(segment.payload), start.into());
                        let carrier = Carrier { packet: index, at, start, bytes };
                        carriers.streams.entry(ends).or_default().push(carrier);
                    }
                }
                Payload::Fragment(part) => {
                    let ends = (part.src, part.dst, part.identification);
                    let fragments = fragments.entry(ends).or_default();
                    let place = (index, at(part.payload) + part.payload.len());
                    fragments.insert(part.offset, (place, part.payload.to_vec()));
                }
                other => panic!("{other:?}"),
            }
        }
        carriers.datagrams.extend(fragments.into_iter().map(|((src, dst, _), fragments)| {
            let parts = fragments.values().map(|(place, _)| Part::from([*place])).collect();
            let content: Vec<u8> = fragments.into_values().flat_map(|it| it.1).collect();
            let (ports, bytes) = (content[..4].to_vec(), content[8..].to_vec());
            let port = |at: usize| u16::from_be_bytes([ports[at], ports[at + 1]]);
            let lane = (SocketAddr::new(src, port(0)), SocketAddr::new(dst, port(2)), None);
            Carried { lane, bytes, parts }
        }));
        carriers.datagrams.extend(enet.finish());
        carriers
    }

    /// The parts of the bytes from `start` to `end` of a stream.
    fn stream(&self, returned: &Returned, start: u64, end: u64) -> Vec<Part> {
        let carriers = &self.streams[&(returned.lane.0, returned.lane.1)];
        let ends = carriers.iter().flat_map(|it| [it.start, it.end()]);
        let is_inside = |place: &u64| (start..=end).contains(place);
        let places: BTreeSet<u64> = ends.chain([start, end]).filter(is_inside).collect();
        let places: Vec<u64> = places.into_iter().collect();
        let part = |pair: &[u64]| {
            let is_in = |it: &&Carrier| it.start <= pair[0] && pair[1] <= it.end();
            let place = |it: &Carrier| (it.packet, it.at + (pair[1] - it.start) as usize);
            carriers.iter().filter(is_in).map(place).collect()
        };
        places.windows(2).map(part).collect()
    }

    /// The parts of a WebSocket frame.
    fn frame(&self, returned: &Returned) -> Vec<Part> {
        let carriers = &self.streams[&(returned.lane.0, returned.lane.1)];
        let byte = |at: u64| {
            let at = returned.offset + at;
            let carrier = carriers.iter().find(|it| (it.start..it.end()).contains(&at)).unwrap();
            u64::from(carrier.bytes[(at - carrier.start) as usize])
        };
        assert_eq!(byte(0), 0x82, "a binary message in one frame");
        let mask = if byte(1) & 0x80 == 0 { 0 } else { 4 };
        let len = match byte(1) & 0x7f {
            126 => 4 + (byte(2) << 8 | byte(3)),
            len => 2 + len,
        };
        self.stream(returned, returned.offset, returned.offset + mask + len)
    }

    /// The parts of a message in a datagram that has not been assigned to another message yet.
    fn datagram(&self, returned: &Returned, used: &mut [bool]) -> Vec<Part> {
        // Over ENet, Godot 3 writes 8 bytes before a message.
        let fits = |bytes: &[u8]| {
            [0, 8].contains(&(bytes.len() - returned.bytes.len()))
                && bytes.ends_with(&returned.bytes)
        };
        let place = self.datagrams.iter().zip(&*used).position(|(it, is_used)| {
            !is_used
                && it.lane == returned.lane
                && it.bytes.len() >= returned.bytes.len()
                && fits(&it.bytes)
        });
        let place = place.unwrap_or_else(|| panic!("{returned:?}"));
        used[place] = true;
        self.datagrams[place].parts.clone()
    }
}

/// The parts of an IP packet, by their places.
type Fragments = BTreeMap<u16, ((usize, usize), Vec<u8>)>;

/// The identity of a message: sender, receiver, channel, mode and numbers.
type Key = (SocketAddr, SocketAddr, u8, u8, u16, u16);

/// The commands of ENet.
#[derive(Default)]
struct Commands {
    messages: BTreeMap<Key, BTreeMap<u32, (Part, Vec<u8>)>>,
    keys: Vec<Key>,
    decoder: DatagramDecompressor,
}

impl Commands {
    /// Takes a datagram, if it is one of ENet.
    fn take(
        &mut self,
        (src, dst): (SocketAddr, SocketAddr),
        bytes: &[u8],
        (packet, at): (usize, usize),
    ) -> bool {
        let mut buffer = Vec::new();
        let Ok(datagram) = Datagram::parse_with(bytes, &mut self.decoder, &mut buffer) else {
            return false;
        };
        let is_compressed = datagram.header().is_compressed;
        let mut commands = datagram.commands();
        while let Some(command) = commands.next() {
            let (kind, numbers, part, payload) = match command.body {
                Body::SendReliable { payload } => (0, (command.sequence, 0), 0, payload),
                Body::SendFragment(it) => (1, (it.start_sequence, 0), it.number, it.payload),
                Body::SendUnreliable { unreliable_sequence, payload } => {
                    (2, (command.sequence, unreliable_sequence), 0, payload)
                }
                Body::SendUnreliableFragment(it) => {
                    (3, (command.sequence, it.start_sequence), it.number, it.payload)
                }
                Body::SendUnsequenced { group, payload } => (4, (group, 0), 0, payload),
                _ => continue,
            };
            let needed = if is_compressed { bytes.len() } else { commands.offset() };
            let key = (src, dst, command.channel, kind, numbers.0, numbers.1);
            if !self.messages.contains_key(&key) {
                self.keys.push(key);
            }
            let message = self.messages.entry(key).or_default();
            let (carriers, content) = message.entry(part).or_default();
            carriers.insert(packet, at + needed);
            *content = payload.to_vec();
        }
        true
    }

    fn finish(mut self) -> impl Iterator<Item = Carried> {
        self.keys.into_iter().map(move |key| {
            let parts = self.messages.remove(&key).unwrap();
            let lane = (key.0, key.1, Some(key.2));
            let bytes = parts.values().flat_map(|it| it.1.clone()).collect();
            Carried { lane, bytes, parts: parts.into_values().map(|it| it.0).collect() }
        })
    }
}
