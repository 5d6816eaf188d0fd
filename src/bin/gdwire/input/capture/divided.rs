//! Divides the connections of a capture in memory among threads, and puts together what they make:
//! lines in the order in which one thread would write them, and counts at the end.
//!
//! Each thread reads the headers of all packets, follows its share of the connections, and passes their
//! messages to its part of the sink. The first of them also notes what counts for the capture as a
//! whole. The calling thread joins the pieces.

use super::NotedPieces;
use super::events::{CaptureCounts, Left, ThreadCounts};
use crate::input::InputFailure;
use crate::input::reader::InputReader;
use crate::interrupt;
use crate::selection::Selection;
use crate::sink::{Division, Joining, PartResult, SinkPart};
use gdwire::capture::Capture;
use gdwire::follow::{Batch, ConnectionNumbers, Event, Events, Follower, Options, Order};
use gdwire::packet::{CapturedPacket, Error};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::mem;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

/// How many bytes of the capture are a piece.
const PIECE: u64 = 512 << 10;

/// How many finished pieces of a thread wait until they are joined.
const WAITING: usize = 2;

/// Facts about the packets of a piece that do not belong to one connection.
#[derive(Default)]
pub struct PiecePackets<'f> {
    /// How many packets there are.
    pub count: u64,
    /// The position in the file after them, in bytes.
    pub position: u64,
    /// Those that were captured only in part.
    pub cut: Vec<CapturedPacket<'f>>,
    /// The damage that ends the capture.
    pub damage: Option<Error>,
}

/// Reads a capture with a thread for each of the options, which have shares of the connections, and
/// passes their lines and events on. Returns false if one thread has to read it instead: a limit may
/// have been reached. `done` is what was passed on before that.
pub fn read(
    (reader, counts): (&mut InputReader<'_>, &mut CaptureCounts),
    file: &[u8],
    division: &Division,
    options: Vec<Options<'_>>,
    packets: &mut NotedPieces<'_>,
) -> Result<bool, InputFailure> {
    let begin = &*division.begin;
    let is_counting = division.joining == Joining::Counts;
    let mut numbers = ConnectionNumbers::new();
    let plan = &Plan::default();
    let work =
        ShareReader { file, begin, selection: reader.selection, plan, is_counting, is_first: true };
    thread::scope(|scope| {
        let mut shares = Vec::new();
        for options in options {
            let (sender, receiver) = sync_channel(WAITING);
            let (spare, used) = channel();
            let work = ShareReader { is_first: shares.is_empty(), ..work };
            let read = move || work.read(options, &sender, &used);
            if Builder::new().spawn_scoped(scope, read).is_err() {
                // The system cannot start another thread.
                return Ok(false);
            }
            shares.push((receiver, spare));
        }
        loop {
            let Some(mut pieces) = receive(&shares) else { return Ok(false) };
            if pieces.iter().any(|piece| piece.is_exceeded) {
                return Ok(false);
            }
            if pieces.iter().all(|piece| piece.is_end) {
                packets.end(reader)?;
                let parts = pieces.iter_mut().filter_map(|piece| piece.made.take()).collect();
                let passed = join(reader, counts, &mut numbers, &mut pieces)?;
                packets.passed(passed);
                let is_cut = interrupt::is_requested();
                return Ok(!is_counting || reader.sink.merge(parts, &numbers, is_cut));
            }
            for piece in &pieces {
                if let Some(read) = &piece.packets {
                    packets.note(reader, read);
                }
            }
            if interrupt::is_requested() {
                plan.end();
            }
            let passed = join(reader, counts, &mut numbers, &mut pieces)?;
            packets.passed(passed);
            for (piece, (_, spare)) in pieces.into_iter().zip(&shares) {
                // Memory that is not taken is freed.
                let _ = spare.send(piece.lines);
            }
        }
    })
}

/// The next piece of each thread; none if a thread has panicked.
fn receive<'f>(
    shares: &[(Receiver<PieceResult<'f>>, Sender<Vec<u8>>)],
) -> Option<Vec<PieceResult<'f>>> {
    shares.iter().map(|(pieces, _)| pieces.recv().ok()).collect()
}

/// How many pieces the threads read. All read the same ones.
#[derive(Default)]
struct Plan(Mutex<PlanState>);

#[derive(Default)]
struct PlanState {
    /// The last piece that a thread has begun.
    begun: u64,
    /// The last piece that is read, if the user has pressed Ctrl-C.
    last: Option<u64>,
}

impl Plan {
    /// Begins a piece, unless the pieces before it were the last.
    fn begin(&self, number: u64) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_read = state.last.is_none_or(|last| number <= last);
        if is_read {
            state.begun = state.begun.max(number);
        }
        is_read
    }

    /// No further pieces are begun.
    fn end(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = state.begun;
        state.last.get_or_insert(begun);
    }
}

/// The work of one thread: reads the whole file, and handles the connections of its share.
#[derive(Clone, Copy)]
struct ShareReader<'w> {
    file: &'w [u8],
    begin: &'w (dyn Fn() -> Box<dyn SinkPart> + Sync),
    selection: Option<&'w Selection<'w>>,
    plan: &'w Plan,
    /// Whether the parts count, and make no lines or rows.
    is_counting: bool,
    /// Whether this thread notes the packets.
    is_first: bool,
}

impl<'w> ShareReader<'w> {
    /// Follows the connections of a share, and sends the pieces. `spare` has the memory of the lines of
    /// earlier pieces.
    fn read(
        &self,
        options: Options<'_>,
        pieces: &SyncSender<PieceResult<'w>>,
        spare: &Receiver<Vec<u8>>,
    ) {
        let mut follower = Follower::with_options(options);
        let Ok(mut capture) = Capture::new(self.file) else { return };
        let mut events =
            ShareEvents { work: *self, part: (self.begin)(), piece: PieceResult::new() };
        let mut is_over = false;
        for number in 1.. {
            is_over |= !self.plan.begin(number);
            if is_over {
                events.take(follower.finish());
            }
            let end = PIECE.saturating_mul(number);
            let mut is_at_end = false;
            let mut packets = PiecePackets::default();
            while !is_over && capture.position() < end && follower.exceeds_share().is_none() {
                match capture.next() {
                    Some(Ok(packet)) => {
                        packets.count += 1;
                        if self.is_first && packet.is_cut() {
                            packets.cut.push(packet);
                        }
                        events.take(follower.packet(&packet));
                    }
                    damage => {
                        packets.damage = damage.and_then(Result::err);
                        is_at_end = true;
                        break;
                    }
                }
            }
            packets.position = capture.position();
            let is_exceeded = follower.exceeds_share().is_some();
            let mut piece = events.end_piece(spare.try_recv().unwrap_or_default());
            (piece.is_exceeded, piece.is_end) = (is_exceeded, is_over);
            piece.packets = self.is_first.then_some(packets);
            piece.made = (is_over && !is_exceeded)
                .then(|| mem::replace(&mut events.part, (self.begin)()).finish());
            // The calling thread may have ended with an error.
            if pieces.send(piece).is_err() || is_exceeded || is_over {
                return;
            }
            is_over = is_at_end;
        }
    }
}

/// Takes the events of a share.
struct ShareEvents<'w> {
    work: ShareReader<'w>,
    part: Box<dyn SinkPart>,
    /// The results for the present piece.
    piece: PieceResult<'w>,
}

/// The results of a thread for its share of a piece.
struct PieceResult<'f> {
    /// Its packets. Only the first thread notes them.
    packets: Option<PiecePackets<'f>>,
    /// The lines or rows, and where those of each packet end.
    lines: Vec<u8>,
    rows: Option<PartResult>,
    items: Vec<PieceItem>,
    /// The events that the calling thread has to take.
    kept: Batch,
    /// How many events there were.
    events: u64,
    counts: ThreadCounts,
    /// The places where the first condition failed, and where the first node without a path is.
    failed: Option<Order>,
    without_path: Option<Order>,
    /// Whether a limit may have been reached, so that the piece cannot be used.
    is_exceeded: bool,
    /// Whether it consists of the events of the end. Then it also has what the thread's part has made of
    /// all pieces.
    is_end: bool,
    made: Option<PartResult>,
}

/// Consecutive lines or rows of a thread, or an event that it leaves.
struct PieceItem {
    order: Order,
    /// The end of the lines or rows.
    end: usize,
    left: Left,
}

impl<'f> PieceResult<'f> {
    fn new() -> PieceResult<'f> {
        PieceResult {
            packets: None,
            lines: Vec::new(),
            rows: None,
            items: Vec::new(),
            kept: Batch::new(1),
            events: 0,
            counts: ThreadCounts::default(),
            failed: None,
            without_path: None,
            is_exceeded: false,
            is_end: false,
            made: None,
        }
    }
}

impl<'w> ShareEvents<'w> {
    fn take(&mut self, mut events: Events<'_, '_>) {
        while let Some(event) = events.next() {
            let ShareEvents { work, part, piece } = self;
            let counts = &mut piece.counts;
            let left = counts.take(&event, &mut **part, work.selection, false);
            piece.events += 1;
            if counts.tally.has_failures() {
                piece.failed.get_or_insert_with(|| events.order());
            }
            if counts.without_path.is_some() {
                piece.without_path.get_or_insert_with(|| events.order());
            }
            if left != Left::Nothing {
                events.keep(&mut piece.kept);
            } else if work.is_counting {
                continue;
            }
            let (order, end) = (events.order(), part.len());
            match piece.items.last_mut() {
                Some(last) if (last.order, last.left, left) == (order, Left::Nothing, left) => {
                    (last.end, last.left) = (end, left);
                }
                _ => piece.items.push(PieceItem { order, end, left }),
            }
        }
    }

    /// Returns the piece, and begins the next one with the memory of other lines.
    fn end_piece(&mut self, mut memory: Vec<u8>) -> PieceResult<'w> {
        memory.clear();
        let (lines, rows) = (self.part.take_lines(memory), self.part.take_rows());
        PieceResult { lines, rows, ..mem::replace(&mut self.piece, PieceResult::new()) }
    }
}

/// Joins the pieces of all threads, and returns how many events they have.
fn join(
    reader: &mut InputReader<'_>,
    counts: &mut CaptureCounts,
    numbers: &mut ConnectionNumbers,
    pieces: &mut [PieceResult<'_>],
) -> Result<u64, InputFailure> {
    numbers.add(pieces.iter().map(|piece| &piece.kept));
    pieces.iter_mut().for_each(|piece| piece.kept.renumber(numbers));
    let events = pieces.iter().map(|piece| piece.events).sum();
    let rows: Vec<_> = pieces.iter_mut().filter_map(|piece| piece.rows.take()).collect();
    let has_rows = !rows.is_empty();
    reader.sink.begin_rows(rows, numbers).map_err(InputFailure::Output)?;
    // The next item of each thread, the first of all at the top.
    let mut heads = BinaryHeap::new();
    for (share, piece) in pieces.iter().enumerate() {
        heads.extend(piece.items.first().map(|item| Reverse((item.order, share, 0_usize))));
    }
    let mut starts = vec![(0, 0); pieces.len()];
    while let Some(mut head) = heads.peek_mut() {
        let Reverse((_, share, place)) = *head;
        let (Some(piece), Some((start, kept))) = (pieces.get(share), starts.get_mut(share)) else {
            break;
        };
        let Some(item) = piece.items.get(place) else { break };
        match piece.items.get(place + 1) {
            Some(next) => *head = Reverse((next.order, share, place + 1)),
            None => {
                PeekMut::pop(head);
            }
        }
        let lines = piece.lines.get(*start..item.end).unwrap_or(&[]);
        if has_rows {
            reader.sink.rows(share, *start..item.end);
        }
        *start = item.end;
        if !lines.is_empty() {
            reader.sink.lines(lines).map_err(InputFailure::Output)?;
        }
        if item.left != Left::Nothing {
            if let Some(event) = piece.kept.get(*kept) {
                if let (Left::Ordering { is_selected }, Event::Message(message)) =
                    (item.left, &event)
                {
                    reader.sink.in_order(message, is_selected);
                }
                counts.take(reader, event, item.left != Left::Passing)?;
            }
            *kept += 1;
        }
    }
    reader.sink.end_rows().map_err(InputFailure::Output)?;
    // The text of the first failure is kept.
    let mut in_order: Vec<_> = pieces.iter_mut().collect();
    in_order.sort_by_key(|piece| (piece.failed.is_none(), piece.failed));
    for piece in in_order {
        counts.add(reader, &piece.counts);
        reader.tally.add(mem::take(&mut piece.counts.tally));
    }
    let first = pieces.iter().filter_map(|piece| piece.without_path.zip(piece.counts.without_path));
    counts.note_without_path(first.min_by_key(|(order, _)| *order).map(|(_, first)| first));
    Ok(events)
}

/// How several threads can follow the connections; none if one thread has to.
pub fn division(reader: &InputReader<'_>) -> Option<Division> {
    // The evidence about names in one connection counts for all.
    if reader.needs.names.is_some() || reader.needs.recent.is_some() {
        return None;
    }
    let division = reader.sink.divide()?;
    let is_possible =
        division.joining != Joining::Parts && division.threads > NonZero::<usize>::MIN;
    is_possible.then_some(division)
}
