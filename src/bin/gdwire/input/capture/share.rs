//! One thread's share of the work: selects the messages of a batch, and passes them to a part of
//! the command.

use super::events::WithoutPath;
use super::mismatches::Mismatches;
use crate::selection::{Selection, Tally};
use crate::sink::{Made, Part};
use gdwire::capture::{Content, Event};
use gdwire::follow::Batch;

/// The result of one thread's work on a batch.
pub(super) struct Share {
    /// The numbers of values, multiplayer packets and messages of the remote debugger in the events
    /// that are done.
    pub(super) values: u64,
    pub(super) packets: u64,
    pub(super) commands: u64,
    pub(super) tally: Tally,
    pub(super) made: Made,
    /// The number of events, from the first, that are done. The calling thread handles the others.
    pub(super) done: usize,
    /// The indexes of the done events that the calling thread has to count for the whole capture.
    pub(super) general: Vec<usize>,
    /// The indexes of the messages that confirm or contradict the names that the user gave.
    pub(super) about_names: Vec<usize>,
    /// The first message with the id of a node whose path is not known.
    pub(super) without_path: Option<WithoutPath>,
}

impl Share {
    pub(super) fn of(
        batch: &Batch,
        mut part: Box<dyn Part>,
        (selection, has_names): (Option<&Selection<'_>>, bool),
    ) -> Share {
        let (mut values, mut packets, mut commands, mut tally) = (0, 0, 0, Tally::default());
        let (mut general, mut about_names) = (Vec::new(), Vec::new());
        let mut without_path = None;
        let admits =
            |place, origin| selection.is_none_or(|selection| selection.admits_place(place, origin));
        let mut work = |place| match batch.get(place) {
            Some(Event::Message(message)) => {
                let count = match &message.content {
                    Content::Value(_) => &mut values,
                    Content::Packet(_) => &mut packets,
                    Content::Debugger(_) => &mut commands,
                    _ => return true,
                };
                let is_selected = selection.is_none_or(|selection| {
                    tally.note(selection.message(&message), || {
                        format!("frame {}", message.place.frame)
                    })
                });
                let is_done = !is_selected || part.message(&message);
                *count += u64::from(is_done);
                tally.selected += u64::from(is_selected && is_done);
                if is_done && without_path.is_none() {
                    without_path = WithoutPath::of(&message);
                }
                if is_done && Mismatches::concerns(has_names, &message) {
                    about_names.push(place);
                }
                is_done
            }
            Some(Event::Other(other)) => {
                let is_selected = admits(other.place, other.origin);
                let is_done = !is_selected || part.other(&other);
                if is_selected && is_done {
                    general.push(place);
                }
                is_done
            }
            Some(Event::Lost(lost)) => {
                let is_selected = admits(lost.place, lost.origin);
                let is_done = !is_selected || part.lost(&lost);
                if is_selected && is_done {
                    general.push(place);
                }
                is_done
            }
            _ => {
                general.push(place);
                true
            }
        };
        let done = (0..batch.len()).find(|place| !work(*place)).unwrap_or(batch.len());
        let made = part.finish();
        Share { values, packets, commands, tally, made, done, general, about_names, without_path }
    }
}
