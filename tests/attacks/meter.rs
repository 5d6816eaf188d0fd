//! Follows packets, and counts the memory that it takes.

use crate::wire::Packet;
use gdwire::follow::{Cause, Closed, Content, Event, Follower, Limits, Options, Place};
use gdwire::text::Layout;
use std::alloc::{GlobalAlloc, Layout as Memory, System};
use std::cell::Cell;
use std::fmt::{self, Write};

struct Counting;

/// The bytes that are allocated now, at the peak, and in total; and those that a usual allocator
/// takes for them, now and at the peak.
type Count = (isize, isize, u64, isize, isize);

thread_local! {
    static ALLOCATED: Cell<Count> = const { Cell::new((0, 0, 0, 0, 0)) };
}

fn count(freed: usize, taken: usize) {
    // At the end of a thread, the counters are already gone.
    let _ = ALLOCATED.try_with(|count| {
        let (now, most, all, given, most_given) = count.get();
        let now = now + taken as isize - freed as isize;
        let given = given + chunk(taken) - chunk(freed);
        count.set((now, most.max(now), all + taken as u64, given, most_given.max(given)));
    });
}

/// The memory that glibc takes for an allocation: 8 bytes more, in steps of 16, and at least 32.
fn chunk(size: usize) -> isize {
    if size == 0 { 0 } else { (size + 8).next_multiple_of(16).max(32) as isize }
}

// SAFETY: every call is passed to the system's allocator unchanged.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Memory) -> *mut u8 {
        count(0, layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Memory) {
        count(layout.size(), 0);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Memory, size: usize) -> *mut u8 {
        count(layout.size(), size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The results of following packets, and the memory that it took.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub struct Taken {
    /// The bytes of the packets.
    pub bytes: u64,
    pub messages: u64,
    pub other: u64,
    /// Losses, each of which may be of many messages.
    pub lost: u64,
    /// How often a connection was given up because of the limit for connections.
    pub limited: u64,
    /// How often reaching that limit was reported.
    pub connections: u64,
    pub opened: u64,
    pub closed: u64,
    /// The bytes of the messages as text.
    pub shown: u64,
    /// The most memory at one time.
    pub peak: u64,
    /// All memory that was allocated.
    pub allocated: u64,
    /// The most memory at one time, with what the allocator needs for itself.
    pub given: u64,
    /// The memory in use now, also with what the allocator needs.
    now: isize,
    given_now: isize,
    /// The most memory that the follower says it holds.
    pub held: u64,
    /// The most memory after the events of a packet were taken.
    pub kept: u64,
    /// The most by which this was more than the follower says it holds, twice in a row: the events of
    /// a packet are freed when the next packet comes.
    pub uncounted: u64,
}

/// The most memory that something takes at one time, and all that it allocates.
pub fn measured(run: impl FnOnce()) -> (u64, u64) {
    ALLOCATED.set((0, 0, 0, 0, 0));
    run();
    let (_, most, all, ..) = ALLOCATED.get();
    (most.max(0) as u64, all)
}

/// Counts what is written.
struct Shown(u64);

impl Write for Shown {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len() as u64;
        Ok(())
    }
}

/// Follows packets, and writes each message as text.
pub fn follow(packets: impl Iterator<Item = Packet>, limits: Limits) -> Taken {
    follow_with(packets, Options::new().with_limits(limits))
}

/// Follows packets with these options, and writes each message as text.
pub fn follow_with(packets: impl Iterator<Item = Packet>, options: Options<'_>) -> Taken {
    let mut taken = Taken::default();
    let mut shown = Shown(0);
    let mut take = |taken: &mut Taken, event: Event<'_>| match event {
        Event::Message(message) => {
            taken.messages += 1;
            let written = match message.content {
                Content::Value(value) => write!(shown, "{}", value.display(Layout::Line)),
                Content::Debugger(command) => {
                    write!(shown, "{command}")
                }
                Content::Packet(packet) => {
                    write!(shown, "{}", packet.display(message.context()))
                }
                _ => Ok(()),
            };
            written.unwrap();
            taken.shown = shown.0;
        }
        Event::Lost(lost) => {
            taken.lost += 1;
            taken.connections += u64::from(matches!(lost.cause, Cause::Connections { .. }));
        }
        Event::Opened(_) => taken.opened += 1,
        Event::Closed(summary) => {
            taken.closed += 1;
            taken.limited += u64::from(summary.closed() == Some(Closed::Limit));
        }
        Event::Recognized(_) => {}
        _ => taken.other += 1,
    };
    let mut follower = Follower::with_options(options);
    let mut before = 0;
    ALLOCATED.set((0, 0, 0, 0, 0));
    for (at, packet) in packets.enumerate() {
        taken.bytes += packet.len() as u64;
        // The memory for making the packet is not counted.
        ALLOCATED.set(counted(&taken));
        follower.ip(Place::new(at as u64 + 1), &packet).for_each(|event| take(&mut taken, event));
        let held = follower.held_bytes() as u64;
        taken.held = taken.held.max(held);
        note(&mut taken);
        let kept = taken.now.max(0) as u64;
        taken.kept = taken.kept.max(kept);
        let more = kept.saturating_sub(held);
        taken.uncounted = taken.uncounted.max(more.min(before));
        before = more;
    }
    ALLOCATED.set(counted(&taken));
    follower.finish().for_each(|event| take(&mut taken, event));
    note(&mut taken);
    taken
}

/// The count as it was after the last packet.
fn counted(taken: &Taken) -> Count {
    let peaks = (taken.peak as isize, taken.given as isize);
    (taken.now, peaks.0, taken.allocated, taken.given_now, peaks.1)
}

fn note(taken: &mut Taken) {
    let (now, most, all, given_now, given) = ALLOCATED.get();
    (taken.now, taken.peak, taken.allocated) = (now, most.max(0) as u64, all);
    (taken.given_now, taken.given) = (given_now, given.max(0) as u64);
}
