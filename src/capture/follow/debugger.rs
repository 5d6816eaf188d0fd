//! Reassembles the messages of the remote debugger. A game of Godot 3 sends each in several frames:
//! a command, the number of its arguments, and the arguments.

use super::carried::Whole;
use super::place::Place;
use crate::game::debugger::{self, LENGTH, MOST_ARGUMENTS, begins_message, may_be_of_editor};
use crate::net::{Side, Tag};
use crate::value::dialect::Dialect;
use crate::value::parse;

/// How many bytes of memory are kept for the next message.
const KEPT: usize = 64 << 10;

/// Takes a message: its packet, its content, and whether it is a message of the debugger.
pub(super) type Give<'g> = &'g mut dyn FnMut(Place, &Whole<'_>, bool);

/// In both directions, the frames that wait for the rest of their message.
pub(super) struct Debugger {
    /// How many bytes may wait in a direction.
    limit: usize,
    directions: Option<Box<[Waiting; 2]>>,
}

/// The frames of a message that is not complete yet. `bytes` is a part of the stream: the frames,
/// and the lengths between them.
#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    frames: Vec<Frame>,
    /// How many arguments are missing, once that is known.
    missing: Option<i64>,
    /// Whether the last message was complete, so that the next frame is a command.
    is_in_step: bool,
    /// Whether the sender is a game that sends messages in frames, or an editor. At most one is true.
    is_game: bool,
    is_editor: bool,
}

struct Frame {
    place: Place,
    offset: u64,
    sequence: Option<u32>,
    len: usize,
}

impl Debugger {
    pub(super) const fn new(limit: usize) -> Debugger {
        Debugger { limit, directions: None }
    }

    /// Takes the next frame, and delivers the messages that are complete now. Frames that are no
    /// part of a message are delivered as they are.
    pub(super) fn take(
        &mut self,
        from: Side,
        (place, frame): (Place, &Whole<'_>),
        dialect: Dialect,
        give: Give<'_>,
    ) {
        let limit = self.limit;
        let directions = self.directions.get_or_insert_default();
        side(directions, from).take((place, frame), dialect, limit, give);
    }

    /// Delivers the frames of a message that will not be completed: some bytes of the stream are lost.
    pub(super) fn flush(&mut self, from: Side, give: Give<'_>) {
        if let Some(directions) = &mut self.directions {
            side(directions, from).flush(give);
        }
    }

    /// How many frames of an end wait, and how many bytes they have.
    pub(super) fn size(&self, from: Side) -> (usize, usize) {
        let [first, second] =
            self.directions.as_deref().map_or([None; 2], |it| it.each_ref().map(Some));
        let waiting = if from == Side::First { first } else { second };
        waiting.map_or((0, 0), |it| (it.frames.len(), it.bytes.len()))
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let Some(directions) = self.directions.as_deref() else { return 0 };
        directions
            .iter()
            .map(Waiting::heap_bytes)
            .fold(size_of_val(directions), usize::saturating_add)
    }
}

const fn side(directions: &mut [Waiting; 2], from: Side) -> &mut Waiting {
    let [first, second] = directions;
    from.of_mut(first, second)
}

impl Waiting {
    fn take(
        &mut self,
        (place, frame): (Place, &Whole<'_>),
        dialect: Dialect,
        limit: usize,
        give: Give<'_>,
    ) {
        let value = parse(dialect, frame.bytes).ok();
        if !self.frames.is_empty() && frame.offset == self.next_offset() {
            let missing = match (self.missing, value) {
                (Some(missing), Some(_)) => Some(missing.saturating_sub(1)),
                (None, Some(count)) => {
                    count.as_i64().filter(|count| (0..=MOST_ARGUMENTS).contains(count))
                }
                (_, None) => None,
            };
            if missing.is_some() && self.has_room(frame, limit) {
                self.missing = missing;
                self.push(place, frame);
                if missing == Some(0) {
                    self.give_message(give);
                }
                return;
            }
        }
        if !self.frames.is_empty() {
            self.flush(give);
        }
        let is_command = |name: &str| self.is_in_step || begins_message(name);
        if value.and_then(|value| value.as_str()).is_some_and(is_command)
            && self.has_room(frame, limit)
        {
            return self.push(place, frame);
        }
        let is_message = !self.is_game && self.is_message(frame.bytes, dialect);
        self.is_in_step = false;
        give(place, frame, is_message);
    }

    /// Whether a frame is a whole message. In Godot 3, only editors send a message in one frame: an
    /// array that a game sends may be an argument of a message whose beginning is not in the
    /// capture.
    fn is_message(&mut self, frame: &[u8], dialect: Dialect) -> bool {
        let Some(command) = debugger::parse(dialect, frame) else { return false };
        if dialect.engine().has_debugger_arrays() {
            return true;
        }
        self.is_editor |= may_be_of_editor(command.name);
        self.is_editor
    }

    /// The offset in the stream of the frame after the last one.
    fn next_offset(&self) -> u64 {
        let last = self.frames.last();
        last.map_or(0, |it| it.offset.saturating_add((it.len + LENGTH) as u64))
    }

    fn has_room(&self, frame: &Whole<'_>, limit: usize) -> bool {
        let frames = self.frames.len().saturating_add(1).saturating_mul(size_of::<Frame>());
        let bytes = self.bytes.len().saturating_add(frame.bytes.len()).saturating_add(LENGTH);
        frames.saturating_add(bytes) <= limit
    }

    fn push(&mut self, place: Place, frame: &Whole<'_>) {
        let Whole { bytes, offset, sequence, .. } = *frame;
        let len = bytes.len();
        if !self.frames.is_empty() {
            let length = u32::try_from(len).unwrap_or(u32::MAX);
            self.bytes.extend_from_slice(&length.to_le_bytes());
        }
        self.bytes.extend_from_slice(bytes);
        self.frames.push(Frame { place, offset, sequence, len });
    }

    /// Delivers the message, which is complete.
    fn give_message(&mut self, give: Give<'_>) {
        if let Some(&Frame { offset, sequence, .. }) = self.frames.first()
            && let Some(place) = self.frames.iter().map(|frame| frame.place).reduce(Tag::join)
        {
            give(place, &Whole { sequence, ..Whole::new(&self.bytes, offset) }, true);
        }
        self.clear();
        (self.is_in_step, self.is_game, self.is_editor) = (true, true, false);
    }

    /// Delivers the frames as they are. The next frame may be any part of a message.
    fn flush(&mut self, give: Give<'_>) {
        self.is_in_step = false;
        let mut start = 0_usize;
        for &Frame { place, offset, sequence, len } in &self.frames {
            let end = start.saturating_add(len);
            let bytes = self.bytes.get(start..end).unwrap_or(&[]);
            give(place, &Whole { sequence, ..Whole::new(bytes, offset) }, false);
            start = end.saturating_add(LENGTH);
        }
        self.clear();
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.frames.clear();
        self.bytes.shrink_to(KEPT);
        self.frames.shrink_to(KEPT / size_of::<Frame>());
        self.missing = None;
    }

    fn heap_bytes(&self) -> usize {
        let frames = self.frames.capacity().saturating_mul(size_of::<Frame>());
        self.bytes.capacity().saturating_add(frames)
    }
}
