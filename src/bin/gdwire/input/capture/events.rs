//! Passes the events of a capture to the sink, and counts and reports those that it does not get.

use super::losses::{CutFlows, LossReports};
use super::names::{KnownNames, Mismatches, WithoutPath};
use super::parallel::{self, Emit};
use super::undecoded::Undecoded;
use crate::input::InputFailure;
use crate::input::reader::{InputReader, MessageCounts, pass};
use crate::selection::{Selection, Tally};
use crate::sink::{Division, InputDamage, Joining, PART, PartResult, SinkPart};
use crate::terminal::number;
use gdwire::follow::{Batch, Event, Transport};
use gdwire::multiplayer::Names;
use gdwire::packet::Error;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

/// Reports that a part of a capture is damaged.
pub fn damage(reader: &mut InputReader<'_>, error: &Error) -> Result<(), InputFailure> {
    let Error { frame, offset, problem, .. } = error;
    let damage = InputDamage { frame: *frame, offset: *offset, problem };
    reader.damaged(&damage, error).map_err(InputFailure::Output)
}

/// The counts and reports of events that the sink does not get.
#[derive(Default)]
pub struct CaptureCounts {
    /// Whether the capture has messages, or a connection that only games have.
    has_game: bool,
    /// The transports of connections, except UDP, which is only recognized by its messages.
    connections: BTreeMap<&'static str, u64>,
    undecoded: Undecoded,
    losses: LossReports,
    has_names: bool,
    mismatches: Mismatches,
    /// Counts of messages with names, if these are to be reported.
    known: Option<KnownNames>,
    /// The first message with the id of a node whose path is not known.
    without_path: Option<WithoutPath>,
}

/// Passes on the events that `feed` supplies: each at once or, if the command divides its work and
/// the capture is not live, in batches to several threads.
pub fn pass_on(
    counts: &mut CaptureCounts,
    reader: &mut InputReader<'_>,
    is_live: bool,
    feed: impl FnOnce(Emit<'_, InputFailure>) -> Result<(), InputFailure>,
) -> Result<(), InputFailure> {
    let division = reader.sink.divide().filter(|division| {
        division.joining != Joining::Counts && !is_live && !counts.is_in_order(reader)
    });
    let Some(Division { threads, begin, .. }) = division else {
        return feed(&mut |position, events| {
            let Some(mut events) = events else { return reader.idle().map(drop) };
            reader.diagnostics.progress.step(position);
            while let Some(event) = events.next() {
                counts.take(reader, event, false)?;
                if let Some(watch) = &reader.needs.watch {
                    watch.passed(&events);
                }
            }
            if is_live {
                counts.explain_ids(reader);
            }
            Ok(())
        });
    };
    let (selection, has_names) = (reader.selection, counts.has_names);
    let work = |batch: &Batch| ThreadResult::of(batch, begin(), selection, has_names);
    let join = |position, batch: &Batch, share| {
        reader.diagnostics.progress.show(position);
        counts.join(reader, batch, share)
    };
    parallel::run(threads, parallel::BATCH, work, join, feed)
}

impl CaptureCounts {
    pub fn new(
        names: Option<Arc<Names>>,
        cut: Rc<RefCell<CutFlows>>,
        is_verbose: bool,
    ) -> CaptureCounts {
        let known = names.clone().filter(|_| is_verbose).and_then(KnownNames::new);
        let (has_names, mismatches) = (names.is_some(), Mismatches::new(names));
        CaptureCounts {
            has_names,
            mismatches,
            known,
            losses: LossReports::new(cut),
            ..CaptureCounts::default()
        }
    }

    /// Whether the messages have to be passed on in order: to count up to `--limit`, to count
    /// messages with names, or to name the ends.
    pub fn is_in_order(&self, reader: &InputReader<'_>) -> bool {
        reader.filters.limit.is_some()
            || self.known.is_some()
            || reader.selection.is_some_and(|selection| selection.has_names())
    }

    /// Passes an event to the sink, or counts it if the sink does not get it. An event that a
    /// thread has taken is only counted.
    pub fn take(
        &mut self,
        reader: &mut InputReader<'_>,
        event: Event<'_>,
        is_taken: bool,
    ) -> Result<(), InputFailure> {
        match event {
            // Events after the last requested message are ignored. Messages that a connection still
            // holds then are not losses.
            Event::Message(_) | Event::Other(_) | Event::Lost(_) if reader.has_enough() => {}
            Event::Message(message) => {
                self.has_game = true;
                if self.has_names {
                    self.mismatches.note(&message);
                }
                if let Some(known) = &mut self.known {
                    known.note(&message);
                }
                if is_taken {
                    return Ok(());
                }
                reader.message(&message)?;
                if self.without_path.is_none() && !reader.has_explained_ids {
                    self.without_path = WithoutPath::of(&message);
                }
            }
            Event::Other(other) if is_taken || reader.admits_place(other.place, other.origin) => {
                if !self.losses.other(&other) {
                    self.undecoded.add(&other);
                }
                if !is_taken {
                    reader.sink.other(&other).map_err(InputFailure::Output)?;
                }
            }
            Event::Lost(lost) if is_taken || reader.admits_place(lost.place, lost.origin) => {
                self.losses.lost(reader, &lost);
                if !is_taken {
                    reader.sink.lost(&lost).map_err(InputFailure::Output)?;
                }
            }
            Event::Opened(summary) => reader.sink.connection(summary),
            Event::Recognized(summary) => {
                if let Some(transport) = summary.transport().filter(|it| *it != Transport::Udp) {
                    self.has_game = true;
                    *self.connections.entry(transport.name()).or_default() += 1;
                }
                reader.diagnostics.detail(&reader.name, &summary);
            }
            Event::Closed(summary) => {
                if summary.transport().is_none() {
                    reader.diagnostics.detail(&reader.name, &summary);
                }
                reader.sink.connection(summary);
            }
            Event::Damaged(error) => damage(reader, &error)?,
            _ => {}
        }
        Ok(())
    }

    /// Takes a thread's result for a batch, and handles the events that the thread has left.
    fn join(
        &mut self,
        reader: &mut InputReader<'_>,
        batch: &Batch,
        share: ThreadResult,
    ) -> Result<(), InputFailure> {
        self.add(reader, &share.counts);
        reader.tally.add(share.counts.tally);
        self.note_without_path(share.counts.without_path);
        let mut general = share.general.iter().filter_map(|place| batch.get(*place));
        general.try_for_each(|event| self.take(reader, event, true))?;
        reader.sink.join(share.made).map_err(InputFailure::Output)?;
        let mut rest = (share.taken..batch.len()).filter_map(|place| batch.get(place));
        rest.try_for_each(|event| self.take(reader, event, false))
    }

    /// Adds the messages that a thread has counted.
    pub fn add(&mut self, reader: &mut InputReader<'_>, counts: &ThreadCounts) {
        self.has_game |= counts.messages.total() > 0;
        reader.messages.add(counts.messages);
    }

    /// Notes a message with the id of a node whose path is not known, unless an earlier one is known.
    pub fn note_without_path(&mut self, message: Option<WithoutPath>) {
        self.without_path = self.without_path.or(message);
    }

    /// Explains the first id of a node whose path is not known. If packets were captured only in part, or
    /// names were dropped, that is why, and it is reported.
    pub fn explain_ids(&mut self, reader: &mut InputReader<'_>) {
        if let Some(message) = self.without_path.filter(|_| !self.losses.explain_ids()) {
            message.explain(reader);
        }
    }

    /// Reports losses, and packets that were not decoded.
    pub fn conclude(mut self, reader: &mut InputReader<'_>) {
        self.explain_ids(reader);
        if reader.has_enough() {
            return self.mismatches.conclude(reader, true);
        }
        let has_cut = self.losses.has_cut();
        let lost = self.losses.conclude(reader, self.has_game, &mut self.undecoded);
        self.mismatches.conclude(reader, false);
        if let Some(known) = self.known {
            known.conclude(reader);
        }
        let has_messages = reader.messages.total() > 0 || has_cut || self.undecoded.has_messages();
        if !has_messages && !self.connections.is_empty() {
            let several =
                |(name, count): (&_, &u64)| format!("{} of {name}", number(*count, "connection"));
            let connections: Vec<_> = self.connections.iter().map(several).collect();
            let text = format!("no messages, but {}", connections.join(" and "));
            reader.diagnostics.warning(&reader.name, &text);
        }
        for problem in self.undecoded.problems() {
            reader.diagnostics.failure(&reader.name, &problem);
        }
        let undecoded = self.undecoded.is_some().then(|| self.undecoded.to_string());
        for counts in lost.into_iter().chain(undecoded) {
            if reader.args.strict {
                reader.diagnostics.failure(&reader.name, &counts);
            } else {
                reader.diagnostics.warning(&reader.name, &counts);
            }
        }
        let is_doubtful = !reader.is_auto && reader.messages.total() == 0;
        let of_nothing = (is_doubtful && self.undecoded.has_messages()).then(|| {
            "no message is one of this --dialect; leave it out to find out which engine sent them"
                .to_owned()
        });
        if let Some(advice) = self.undecoded.advice().or(of_nothing) {
            reader.diagnostics.warning(&reader.name, &advice);
        }
    }
}

/// The results of a thread for a batch.
struct ThreadResult {
    counts: ThreadCounts,
    made: PartResult,
    /// The number of events, from the first, that the thread has taken. The calling thread handles
    /// the others.
    taken: usize,
    /// The places of those of them that the calling thread has to count for the whole capture.
    general: Vec<usize>,
}

/// The counts of a thread, and the first message with the id of a node whose path is not known.
#[derive(Default)]
pub struct ThreadCounts {
    pub messages: MessageCounts,
    pub tally: Tally,
    pub without_path: Option<WithoutPath>,
}

impl ThreadResult {
    /// Passes the selected events of a batch to a part of the sink.
    fn of(
        batch: &Batch,
        mut part: Box<dyn SinkPart>,
        selection: Option<&Selection<'_>>,
        has_names: bool,
    ) -> ThreadResult {
        let mut share = ThreadResult {
            counts: ThreadCounts::default(),
            made: Box::new(()),
            taken: 0,
            general: Vec::new(),
        };
        while let Some(event) = batch.get(share.taken) {
            match share.counts.take(&event, &mut *part, selection, has_names) {
                Left::Passing => break,
                Left::Nothing => {}
                Left::Counting | Left::Ordering { .. } => share.general.push(share.taken),
            }
            share.taken += 1;
        }
        share.made = part.finish();
        share
    }
}

impl ThreadCounts {
    /// Passes an event to the part if it is selected. Returns the task of the calling thread for
    /// it.
    pub fn take(
        &mut self,
        event: &Event<'_>,
        part: &mut dyn SinkPart,
        selection: Option<&Selection<'_>>,
        has_names: bool,
    ) -> Left {
        let has_room = |part: &dyn SinkPart, len| part.held_bytes().saturating_add(len) <= PART;
        let admits =
            |place, origin| selection.is_none_or(|selection| selection.admits_place(place, origin));
        let counting = |taken: io::Result<()>| taken.map_or(Left::Passing, |()| Left::Counting);
        match event {
            Event::Message(message) if has_room(part, message.bytes.len()) => {
                let (is_selected, taken) = pass(message, selection, &mut self.tally, part);
                if taken.is_err() {
                    return Left::Passing;
                }
                self.messages.count(message);
                self.tally.selected += u64::from(is_selected);
                if self.without_path.is_none() {
                    self.without_path = WithoutPath::of(message);
                }
                if part.is_in_order(message) {
                    Left::Ordering { is_selected }
                } else if Mismatches::concerns(has_names, message) {
                    Left::Counting
                } else {
                    Left::Nothing
                }
            }
            Event::Other(other) if !admits(other.place, other.origin) => Left::Nothing,
            Event::Other(other) if has_room(part, other.bytes.len()) => counting(part.other(other)),
            Event::Lost(lost) if !admits(lost.place, lost.origin) => Left::Nothing,
            Event::Lost(lost) if has_room(part, 0) => counting(part.lost(lost)),
            Event::Message(_) | Event::Other(_) | Event::Lost(_) => Left::Passing,
            Event::Opened(summary) | Event::Closed(summary) => {
                part.connection(summary);
                Left::Counting
            }
            _ => Left::Counting,
        }
    }
}

/// How the calling thread goes on after it has passed an event to a part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Left {
    Nothing,
    /// To count it.
    Counting,
    /// To count it and to pass it to [`InputSink::in_order`](crate::sink::InputSink::in_order).
    Ordering {
        is_selected: bool,
    },
    /// To count it and to pass it to the sink, because the part refused it.
    Passing,
}
