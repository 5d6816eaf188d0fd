//! Recorded captures of all transports with packets that are missing, truncated, repeated or late:
//! each message is also found in the complete capture, and at least as often there.

#![no_main]

use gdwire::Dialect;
use gdwire::capture::Capture;
use gdwire::follow::{Event, Follower, Message, Options, Transport};
use gdwire::packet::CapturedPacket;
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};

/// How many packets of a recording there are: an input chooses one of these. All of a long one would take
/// a tenth of a second.
const PACKETS: [usize; 4] = [6, 12, 24, 60];

/// The sender, the receiver and the channel of a message.
type Lane = (SocketAddr, SocketAddr, Option<u8>);

/// How many times each message occurs.
type Counts = BTreeMap<Lane, BTreeMap<Vec<u8>, usize>>;

struct Recording {
    packets: Vec<CapturedPacket<'static>>,
    /// The transport and the dialect, if they are the same in all connections.
    named: Option<(Transport, Dialect)>,
    sent: Counts,
}

/// The recorded captures. Each is read once it is needed.
static RECORDINGS: LazyLock<Vec<(PathBuf, [OnceLock<Recording>; 4])>> = LazyLock::new(|| {
    // The tests of the crate run this, too.
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let folder = folders.map(|it| it.join("corpus/captures")).find(|it| it.exists()).unwrap();
    let mut files: Vec<_> = (std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "pcap" || it == "pcapng"))
        .collect();
    files.sort();
    files.into_iter().map(|path| (path, Default::default())).collect()
});

impl Recording {
    fn of(path: &Path, len: usize) -> Recording {
        let file = std::fs::read(path).unwrap().leak();
        let packets: Vec<_> = Capture::new(file).unwrap().map(Result::unwrap).take(len).collect();
        let mut sent = Counts::new();
        let mut found = Vec::new();
        events(Options::new(), &packets, &mut |event| match event {
            Event::Message(message) => {
                count(&mut sent, &message);
            }
            Event::Closed(summary) => {
                found.extend(summary.transport().zip(summary.dialect()));
            }
            _ => {}
        });
        found.dedup();
        let named = match found[..] {
            [found] => Some(found),
            _ => None,
        };
        Recording { packets, named, sent }
    }
}

fn lane(message: &Message<'_>) -> Lane {
    (message.origin.src(), message.origin.dst(), message.delivery.channel)
}

/// Counts a message, and returns how often there was the same.
fn count(counts: &mut Counts, message: &Message<'_>) -> usize {
    let messages = counts.entry(lane(message)).or_default();
    let count = messages.entry(message.bytes.to_vec()).or_default();
    *count += 1;
    *count
}

fn events(options: Options<'_>, packets: &[CapturedPacket<'_>], take: &mut impl FnMut(Event<'_>)) {
    let mut follower = Follower::with_options(options);
    for packet in packets {
        follower.packet(packet).for_each(&mut *take);
    }
    follower.finish().for_each(take);
}

/// Whether the bytes are a part of a message that was sent: the rest of a message whose start was
/// lost can itself be read as a message.
fn is_in(messages: &BTreeMap<Vec<u8>, usize>, bytes: &[u8]) -> bool {
    messages.keys().any(|sent| sent.windows(bytes.len()).any(|part| part == bytes))
}

/// A change that is made to some of the packets.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    Drop,
    /// Truncate them, as a capture with a snap length does.
    Cut,
    Repeat,
    /// Exchange each with the next one.
    Exchange,
}

fn changed(
    change: Change,
    packets: &[CapturedPacket<'static>],
    into: &mut Vec<CapturedPacket<'static>>,
) {
    match change {
        Change::Drop => {}
        Change::Cut => into.extend(packets.iter().map(|packet| {
            let mut packet = *packet;
            packet.data = &packet.data[..packet.data.len() * 3 / 4];
            packet
        })),
        Change::Repeat => into.extend(packets.iter().flat_map(|packet| [*packet; 2])),
        Change::Exchange => into.extend(packets.chunks(2).flat_map(|pair| pair.iter().rev())),
    }
}

// The first byte is the number of the recording. In the second byte, the lowest bit is set if the
// transport and the dialect are given to the follower, the next two bits choose how packets are changed,
// and the next two bits how many there are. Each further byte is a number of packets: they are kept unchanged and changed in turn.
// All packets after those are kept.
fuzz_target!(|input: &[u8]| {
    let Some((&[which, how], runs)) = input.split_first_chunk() else { return };
    let (path, recordings) = &RECORDINGS[usize::from(which) % RECORDINGS.len()];
    let len = usize::from(how >> 3 & 3);
    let recording = recordings[len].get_or_init(|| Recording::of(path, PACKETS[len]));
    let change = [Change::Drop, Change::Cut, Change::Repeat, Change::Exchange];
    let change = change[usize::from(how >> 1 & 3)];
    let (mut kept, mut rest) = (Vec::new(), &recording.packets[..]);
    for (at, run) in runs.iter().enumerate() {
        let (packets, after) = rest.split_at(usize::from(*run).min(rest.len()));
        if at % 2 == 0 {
            kept.extend_from_slice(packets);
        } else {
            changed(change, packets, &mut kept);
        }
        rest = after;
    }
    kept.extend_from_slice(rest);
    let options = match recording.named {
        Some((transport, dialect)) if how & 1 == 1 => {
            Options::new().with_transport(transport).with_dialect(dialect)
        }
        _ => Options::new(),
    };
    let mut given = Counts::new();
    events(options, &kept, &mut |event| {
        let Event::Message(message) = event else { return };
        let messages = recording.sent.get(&lane(&message));
        let sent = messages.and_then(|messages| messages.get(message.bytes)).copied().unwrap_or(0);
        // A repeated datagram carries its message again.
        let is_sent = match change {
            Change::Repeat => sent > 0,
            _ => count(&mut given, &message) <= sent,
        };
        let is_rest = !is_sent
            && message.origin.transport == Transport::Tcp
            && messages.is_some_and(|messages| is_in(messages, message.bytes));
        assert!(is_sent || is_rest, "{}: {message:?} {:x?}", path.display(), message.bytes);
    });
});
