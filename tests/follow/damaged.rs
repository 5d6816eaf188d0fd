//! Recordings from which packets are missing, in another order, doubled or cut, and with small limits:
//! `damaged.txt` says what is read of each.
//!
//! For each connection it has why it was closed, and for each end how many packets, bytes and messages it
//! sent and what is missing, and its measures; then how often each loss and each packet without a message was
//! reported. The number after `checksum` changes with any field of any event.

use crate::common::{corpus, written_down};
use crate::follow::given::Given;
use crate::net::measure::shown;
use gdwire::capture::{Capture, JsonLine};
use gdwire::follow::{CutPackets, Event, Events, Follower, Limits, Options};
use gdwire::json::Spelling;
use gdwire::multiplayer::ArgumentBytes;
use gdwire::net::Side::{First, Second};
use gdwire::packet::{CapturedPacket, Time};
use std::collections::BTreeMap;

pub(super) const RECORDINGS: [&str; 12] = [
    "godot3-debugger.pcapng",
    "godot3-enet.pcapng",
    "godot3-udp.pcapng",
    "godot3-websocket-rpc.pcapng",
    "godot4-game-enet-lossy-server-side.pcapng",
    "godot4-game-enet.pcapng",
    "godot4-game-websocket.pcapng",
    "godot4-rpc-three.pcapng",
    "godot4-tcp.pcapng",
    "godot4-udp-ipv6frag.pcapng",
    "official-web-values-deflate.pcap",
    "pandemonium5-rpc-compressed.pcapng",
];

/// At most this many packets of a recording are read.
const PACKETS: usize = 160;

pub(super) type Packets<'a> = Vec<CapturedPacket<'a>>;

/// A name, how the packets of a recording are damaged, and the options with which they are read.
type Damage = (&'static str, fn(Packets<'_>) -> Packets<'_>, fn() -> Options<'static>);

fn limited(limits: Limits) -> Options<'static> {
    Options::new().with_limits(limits).with_measures()
}

const DAMAGES: [Damage; 9] = [
    ("whole", |packets| packets, || limited(Limits::default())),
    ("from packet 40 on", |packets| packets[40..].to_vec(), || limited(Limits::default())),
    ("without each ninth", |packets| without(packets, 9), || limited(Limits::default())),
    ("swapped", swapped, || limited(Limits::default())),
    ("cut to 90 bytes", cut, || limited(Limits::default())),
    ("without times", |packets| packets.into_iter().map(without_time).collect(), Options::new),
    ("again after two minutes", again, || limited(Limits::default())),
    (
        "few undecided",
        |packets| without(packets, 7),
        || limited(Limits::default().with_undecided_messages(2).with_undecided_bytes(500)),
    ),
    (
        "one connection",
        |packets| without(packets, 31),
        || {
            limited(Limits::default().with_flows(1))
                .with_filter(|src, dst| src.port() != dst.port())
        },
    ),
];

pub(super) fn without(packets: Packets<'_>, each: usize) -> Packets<'_> {
    let numbered = packets.into_iter().enumerate();
    numbered.filter(|(at, _)| at % each != each - 1).map(|(_, packet)| packet).collect()
}

pub(super) fn swapped(mut packets: Packets<'_>) -> Packets<'_> {
    packets.chunks_mut(5).for_each(<[_]>::reverse);
    let twice = |(at, packet)| if at % 6 == 5 { vec![packet; 2] } else { vec![packet] };
    packets.into_iter().enumerate().flat_map(twice).collect()
}

fn cut(packets: Packets<'_>) -> Packets<'_> {
    packets.into_iter().map(cut_one).collect()
}

fn cut_one(packet: CapturedPacket<'_>) -> CapturedPacket<'_> {
    let data = &packet.data[..packet.data.len().min(90)];
    let cut = CapturedPacket::new(packet.link_type, data).with_frame(packet.frame);
    with_time(cut.with_original_len(packet.original_len), packet.time)
}

fn with_time(packet: CapturedPacket<'_>, time: Option<Time>) -> CapturedPacket<'_> {
    time.map_or(packet, |time| packet.with_time(time))
}

fn without_time(packet: CapturedPacket<'_>) -> CapturedPacket<'_> {
    let plain = CapturedPacket::new(packet.link_type, packet.data);
    plain.with_frame(packet.frame).with_original_len(packet.original_len)
}

fn again(packets: Packets<'_>) -> Packets<'_> {
    let later = packets.clone().into_iter().map(|packet| {
        let time = packet.time.unwrap().as_nanos() + 120_000_000_000;
        packet.with_frame(packet.frame + 1_000).with_time(Time::from_nanos(time, 9))
    });
    packets.iter().copied().chain(later).collect()
}

/// A line for each event that was read so far.
#[derive(Default)]
pub(super) struct Told {
    lines: Vec<String>,
    counts: BTreeMap<String, u64>,
    pub(super) checksum: u64,
    cut: CutPackets,
}

impl Told {
    pub(super) fn take(&mut self, mut events: Events<'_, '_>) {
        while let Some(event) = events.next() {
            self.event(&event);
        }
    }

    fn event(&mut self, event: &Event<'_>) {
        let mut json = JsonLine::new(Spelling::Plain).with_argument_bytes(ArgumentBytes::Hex);
        json.event(event).unwrap();
        let text = format!("{:?}", Given::of(event)).into_bytes();
        for byte in [text, json.finish()].concat() {
            // FNV-1a.
            self.checksum = (self.checksum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        let counted = match event {
            Event::Lost(loss) => format!("lost: {}", loss.cause.name()),
            Event::Other(other) => {
                self.cut.other(other);
                format!("no message: {}", other.reason)
            }
            Event::Opened(_) => "opened".to_owned(),
            Event::Recognized(summary) => {
                self.lines.push(format!("  {summary}"));
                return;
            }
            Event::Closed(summary) => {
                let closed = summary.closed().unwrap();
                self.lines.push(format!("  connection {}: {closed:?}", summary.connection()));
                for side in [First, Second] {
                    let it = summary.direction(side);
                    let sent = [it.packets, it.payload_bytes, it.messages, it.message_bytes];
                    let missing = it.missing;
                    let streams = [missing.gaps, missing.gap_bytes, missing.incomplete];
                    let others = [missing.reliable, missing.undelivered, missing.of_unreliable()];
                    let measures = it.measures().map(shown).unwrap_or_default();
                    let frames = it.wire.map(|wire| [wire.frames, wire.bytes]);
                    let sizes = [it.largest, it.above_mtu];
                    self.lines.push(format!(
                        "    {sent:?} {frames:?} {sizes:?} missing {others:?} {streams:?} {measures}"
                    ));
                }
                return;
            }
            _ => return,
        };
        *self.counts.entry(counted).or_default() += 1;
    }

    fn shown(mut self) -> String {
        let counts = self.counts.iter().map(|(what, count)| format!("  {count} {what}"));
        self.lines.extend(counts);
        let (lost, others) = self.cut.conclude(false);
        self.lines.extend(lost.iter().map(|cut| format!("  {cut}")));
        let checksum = self.checksum;
        self.lines.join("\n") + &format!("\n  {others} cut, checksum {checksum:x}\n")
    }
}

fn told(file: &[u8], (_, damage, options): Damage) -> String {
    let packets = Capture::new(file).unwrap().map(Result::unwrap).take(PACKETS).collect();
    let mut follower = Follower::with_options(options());
    let mut told = Told::default();
    for packet in damage(packets) {
        told.take(follower.packet(&packet));
    }
    told.take(follower.finish());
    assert_eq!(follower.held_bytes(), 0);
    told.shown()
}

#[test]
fn damaged_recordings_give_what_is_written_down() {
    let mut text = String::new();
    for name in RECORDINGS {
        let file = std::fs::read(corpus("captures").join(name)).unwrap();
        for damage in DAMAGES {
            text += &format!("{name}, {}\n{}", damage.0, told(&file, damage));
        }
    }
    written_down("tests/follow/damaged.txt", &text);
}
