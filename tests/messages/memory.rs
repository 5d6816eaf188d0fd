//! The memory for reading a capture stays within the limits.

use crate::messages::build::{Packet, packets, pcap};
use crate::messages::read::recorded;
use gdwire::capture::Messages;
use gdwire::follow::{Cause, Closed, Event, Flow, Limits, Options};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeMap;

struct Counting;

thread_local! {
    /// The bytes that are allocated now, and the peak.
    static ALLOCATED: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

fn count(bytes: isize) {
    // At the end of a thread, the counters are already gone.
    let _ = ALLOCATED.try_with(|count| {
        let (now, most) = count.get();
        count.set((now + bytes, most.max(now + bytes)));
    });
}

// SAFETY: every call is passed to the system's allocator unchanged.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The most memory that reading may take. Beyond the limit for all flows, this is 128 bytes for
/// each flow, the events of one packet (at most the limit for one flow, in a buffer that may be
/// twice as long), and a constant.
fn most(limits: Limits) -> usize {
    limits.total_bytes + 2 * limits.flow_bytes + limits.flows * 128 + (512 << 10)
}

pub(crate) fn limits(flows: usize, flow_bytes: usize, total_bytes: usize) -> Limits {
    let limits = Limits::default().with_flows(flows);
    limits.with_flow_bytes(flow_bytes).with_total_bytes(total_bytes)
}

pub(crate) fn small() -> Limits {
    limits(1_024, 256 << 10, 2 << 20)
}

/// The results of reading a file.
#[derive(Default, Debug)]
pub(crate) struct Taken {
    memory: usize,
    held: usize,
    /// The messages of flows that are not in the recordings.
    pub(crate) messages: usize,
    pub(crate) lost: usize,
    /// How often a flow was given up.
    pub(crate) forgotten: usize,
    pub(crate) names: usize,
    /// The number of messages and losses of one packet beyond the limit for one flow.
    pub(crate) queue: u64,
    pub(crate) other: usize,
    /// How often a connection was closed because of the limits.
    pub(crate) closed: usize,
    /// How often the limit on connections was reported.
    pub(crate) connections: usize,
}

fn read(file: &[u8], limits: Limits, mut intact: impl FnMut(Flow, &[u8])) -> Taken {
    ALLOCATED.with(|count| count.set((0, 0)));
    let mut messages = Messages::with_options(file, Options::new().with_limits(limits)).unwrap();
    let mut taken = Taken::default();
    loop {
        taken.held = taken.held.max(messages.held_bytes());
        let Some(event) = messages.next_event() else { break };
        match event {
            Event::Message(message) if is_recorded(message.origin.flow) => {
                intact(message.origin.flow, message.bytes);
            }
            Event::Message(_) => taken.messages += 1,
            Event::Lost(lost) => {
                assert!(!lost.origin.is_some_and(|it| is_recorded(it.flow)), "{lost:?}");
                match lost.cause {
                    Cause::Flow => taken.forgotten += 1,
                    Cause::Names => taken.names += 1,
                    Cause::Connections { .. } => taken.connections += 1,
                    Cause::Queue { count } => taken.queue += count,
                    _ => taken.lost += 1,
                }
            }
            Event::Closed(summary) => {
                taken.closed += usize::from(summary.closed() == Some(Closed::Limit));
            }
            Event::Opened(_) | Event::Recognized(_) => {}
            _ => taken.other += 1,
        }
    }
    assert_eq!(messages.held_bytes(), 0);
    taken.memory = ALLOCATED.with(|count| count.get().1) as usize;
    assert!(taken.held <= limits.total_bytes, "{taken:?}");
    assert!(taken.memory <= most(limits), "{} of {}: {taken:?}", taken.memory, most(limits));
    taken
}

/// The recordings between which the hostile packets are, each with its own address.
const RECORDED: [&str; 5] = [
    "godot3-udp.pcapng",
    "godot4-tcp.pcapng",
    "godot4-enet.pcapng",
    "godot3-websocket.pcapng",
    "godot3-rpc.pcapng",
];

fn is_recorded(flow: Flow) -> bool {
    flow.ends().0.ip().is_loopback()
}

/// The packets of all recordings, merged in the order of their times.
fn intact() -> Vec<Packet> {
    let mut all = Vec::new();
    for (address, name) in (100..).zip(RECORDED) {
        let packets = packets(&recorded(name));
        let count = packets.len();
        for (at, mut packet) in packets.into_iter().enumerate() {
            // After the Ethernet header comes IPv4.
            packet.data.drain(..14);
            (packet.data[15], packet.data[19]) = (address, address);
            packet.original_len -= 14;
            packet.link_type = 101;
            packet.time = 0;
            all.push(((at * 1_000_000) / count, packet));
        }
    }
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, packet)| packet).collect()
}

/// Reads hostile packets between those of the recordings. Every message of the recordings has to be
/// returned.
pub(crate) fn among(hostile: &[Packet], limits: Limits) -> Taken {
    let intact = intact();
    let mut expected: BTreeMap<Flow, Vec<Vec<u8>>> = BTreeMap::new();
    let file = pcap(&intact);
    let alone = read(&file, Limits::default(), |flow, bytes| {
        expected.entry(flow).or_default().push(bytes.to_vec());
    });
    let count: usize = expected.values().map(Vec::len).sum();
    assert!(count > 100 && alone.messages == 0 && alone.forgotten == 0, "{count} {alone:?}");

    let mut all = Vec::new();
    let mut rest = hostile;
    for (at, packet) in intact.iter().enumerate() {
        all.push(packet.clone());
        let (some, others) = rest.split_at(rest.len() / (intact.len() - at));
        all.extend_from_slice(some);
        rest = others;
    }
    let file = pcap(&all);
    drop(all);
    // The messages of a flow are in order.
    let mut given: BTreeMap<Flow, usize> = BTreeMap::new();
    let taken = read(&file, limits, |flow, bytes| {
        let given = given.entry(flow).or_default();
        let next = expected[&flow].get(*given);
        assert!(
            next.is_some_and(|it| it == bytes),
            "message {given}: {flow:?} {bytes:?} instead of {next:?}"
        );
        *given += 1;
    });
    assert_eq!(given.values().sum::<usize>(), count);
    taken
}
