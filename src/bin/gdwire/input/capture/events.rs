//! Passes the events of a capture to the sink, and counts and reports those that it does not get.

use super::cut::CutFlows;
use super::losses::Losses;
use super::mismatches::Mismatches;
use super::parallel::{self, Emit, Stages};
use super::scenes::Scenes;
use super::share::Share;
use super::undecoded::Undecoded;
use crate::input::Failure;
use crate::input::reader::Reader;
use crate::sink::Division;
use gdwire::capture::{Content, Error, Event, Message, Other, Transport};
use gdwire::follow::{Batch, Events};
use gdwire::multiplayer::Names;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Reports that a part of a capture is damaged.
pub(super) fn damage(reader: &mut Reader<'_>, error: &Error) -> Result<(), Failure> {
    reader.damaged(error.frame, error.offset, error).map_err(Failure::Output)
}

/// The counts and reports of events that the sink does not get.
#[derive(Default)]
pub(super) struct Counts {
    /// Whether the capture has messages, or a connection that only games have.
    has_game: bool,
    undecoded: Undecoded,
    losses: Losses,
    has_names: bool,
    mismatches: Mismatches,
    /// The nodes of each scene, if they are to be reported.
    scenes: Option<Scenes>,
    /// The first message with the id of a node whose path is not known.
    without_path: Option<WithoutPath>,
}

/// Passes on the events of a file, with several threads if the command divides its work.
pub(super) fn pass_on(
    counts: &mut Counts,
    reader: &mut Reader<'_>,
    feed: impl FnOnce(Emit<'_, Failure>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    // Counting up to `--limit`, noting scenes and naming the ends need the messages in order.
    let is_in_order = reader.filters.limit.is_some()
        || counts.scenes.is_some()
        || reader.selection.is_some_and(|selection| selection.has_names());
    let division = reader.sink.divide().filter(|_| !is_in_order);
    let Some(Division { threads, begin }) = division else {
        return feed(&mut |position, next| {
            reader.diagnostics.progress.step(position);
            events(counts, reader, next)
        });
    };
    let (selection, has_names) = (reader.selection, counts.has_names);
    let work = |batch: &Batch| Share::of(batch, begin(), (selection, has_names));
    let join = |position, batch: &Batch, share| {
        reader.diagnostics.progress.show(position);
        counts.join(reader, batch, share)
    };
    parallel::run(threads, parallel::BATCH, Stages { work, join }, feed)
}

pub(super) fn events(
    counts: &mut Counts,
    reader: &mut Reader<'_>,
    mut events: Events<'_, '_>,
) -> Result<(), Failure> {
    while let Some(event) = events.next() {
        counts.take(reader, event)?;
    }
    Ok(())
}

impl Counts {
    pub(super) fn new(
        names: Option<Arc<Names>>,
        cut: Rc<RefCell<CutFlows>>,
        is_verbose: bool,
    ) -> Counts {
        let has_project = names.as_ref().is_some_and(|names| names.has_project());
        let scenes = (has_project && is_verbose).then(Scenes::default);
        let (has_names, mismatches) = (names.is_some(), Mismatches::new(names));
        Counts { has_names, mismatches, scenes, losses: Losses::new(cut), ..Counts::default() }
    }

    pub(super) fn take(
        &mut self,
        reader: &mut Reader<'_>,
        event: Event<'_>,
    ) -> Result<(), Failure> {
        match event {
            // Events after the last requested message are ignored. Messages that a connection still
            // holds then are not losses.
            Event::Message(_) | Event::Other(_) | Event::Lost(_) if reader.has_enough() => {}
            Event::Message(message) => {
                self.has_game = true;
                if self.has_names {
                    self.mismatches.note(&message);
                }
                if let Some(scenes) = &mut self.scenes {
                    scenes.note(&message);
                }
                reader.message(&message)?;
                if self.without_path.is_none() && !reader.has_explained_ids {
                    self.without_path = WithoutPath::of(&message);
                }
            }
            Event::Other(other) if reader.admits_place(other.place, other.origin) => {
                self.other(&other);
                reader.sink.other(&other).map_err(Failure::Output)?;
            }
            Event::Lost(lost) if reader.admits_place(lost.place, lost.origin) => {
                self.losses.lost(reader, &lost);
                reader.sink.lost(&lost).map_err(Failure::Output)?;
            }
            Event::Opened(summary) => reader.sink.connection(summary),
            Event::Recognized(summary) => {
                self.has_game |= summary.transport() != Some(Transport::Udp);
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

    fn other(&mut self, other: &Other<'_>) {
        if !self.losses.other(other) {
            self.undecoded.add(other);
        }
    }

    /// Takes a thread's result for a batch, and handles the events that the thread has left out.
    fn join(
        &mut self,
        reader: &mut Reader<'_>,
        batch: &Batch,
        share: Share,
    ) -> Result<(), Failure> {
        let Share { values, packets, commands, tally, made, done, general, .. } = share;
        self.has_game |= values > 0 || packets > 0 || commands > 0;
        reader.values = reader.values.saturating_add(values);
        reader.packets = reader.packets.saturating_add(packets);
        reader.commands = reader.commands.saturating_add(commands);
        reader.tally.add(tally);
        self.without_path = self.without_path.or(share.without_path);
        for place in share.about_names {
            if let Some(Event::Message(message)) = batch.get(place) {
                self.mismatches.note(&message);
            }
        }
        for place in general {
            match batch.get(place) {
                // The part has already written these, so they are only counted.
                Some(Event::Other(other)) => self.other(&other),
                Some(Event::Lost(lost)) => self.losses.lost(reader, &lost),
                Some(event) => self.take(reader, event)?,
                None => {}
            }
        }
        reader.sink.join(made).map_err(Failure::Output)?;
        let mut rest = (done..batch.len()).filter_map(|place| batch.get(place));
        rest.try_for_each(|event| self.take(reader, event))
    }

    /// Explains the first id of a node whose path is not known. If packets were captured only in part,
    /// they are why, which is reported at the end.
    pub(super) fn explain_ids(&mut self, reader: &mut Reader<'_>) {
        if let Some(message) = self.without_path.filter(|_| !self.losses.has_cut()) {
            message.explain(reader);
        }
    }

    /// Reports what was lost or not decoded.
    pub(super) fn conclude(mut self, reader: &mut Reader<'_>) {
        self.explain_ids(reader);
        if reader.has_enough() {
            return self.mismatches.conclude(reader, true);
        }
        let lost = self.losses.conclude(reader, self.has_game, &mut self.undecoded);
        self.mismatches.conclude(reader, false);
        if let Some(scenes) = self.scenes {
            scenes.conclude(reader);
        }
        for problem in self.undecoded.problems() {
            reader.diagnostics.failure(&reader.name, &problem);
        }
        let undecoded = self.undecoded.is_some().then(|| self.undecoded.to_string());
        for counts in lost.into_iter().chain(undecoded) {
            if reader.is_strict {
                reader.diagnostics.failure(&reader.name, &counts);
            } else {
                reader.diagnostics.warning(&reader.name, &counts);
            }
        }
    }
}
/// A message with the id of a node whose path is not known.
#[derive(Clone, Copy)]
pub(super) struct WithoutPath {
    frame: u64,
    id: u32,
}

impl WithoutPath {
    /// None if the paths of all nodes in the message are known.
    pub(super) fn of(message: &Message<'_>) -> Option<WithoutPath> {
        let Content::Packet(packet) = &message.content else { return None };
        let id = packet.unannounced(message.context())?;
        Some(WithoutPath { frame: message.place.frame, id })
    }

    /// Explains why the path is not known, if that was not done before in this run.
    pub(super) fn explain(self, reader: &mut Reader<'_>) {
        if !std::mem::replace(&mut reader.has_explained_ids, true) {
            let WithoutPath { frame, id } = self;
            let text = format!(
                "the path of node #{id} is not known, because it was announced before the capture \
                 began, or in packets that it lacks; paths are announced again to a client that \
                 joins again (frame {frame})"
            );
            reader.diagnostics.warning(&reader.name, &text);
        }
    }
}
