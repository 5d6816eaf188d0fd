//! Recognizes segments that open a new TCP connection.

use super::{Held, Opened, Opening, Pushed};
use crate::capture::follow::place::Arrival;
use crate::net::Side;
use crate::net::packet::Segment;

/// A segment that was captured before the SYN of its stream is less than this many bytes after the
/// SYN.
const REORDERED: u32 = 1 << 16;

/// How far sequence numbers jump at most where the capture lacks segments. A number that is farther
/// away belongs to another stream.
const FAR: u32 = 1 << 20;

impl Opened {
    /// Decides which connection a segment belongs to. A repeated SYN does not open a new one, nor
    /// does one that was captured after later segments of its connection. If `is_unknown` is set,
    /// the open connection has no messages to lose, so a SYN is believed at once.
    pub(crate) fn segment(
        &mut self,
        arrival: &Arrival,
        segment: &Segment<'_>,
        is_unknown: bool,
    ) -> Opening {
        let from = arrival.from;
        let mut held = self.held.iter();
        if let Some(at) = held.position(|held| self.confirms(held, from, segment)) {
            if segment.is_reset {
                // The other end refuses the connection.
                self.held.remove(at);
                return Opening::Held;
            }
            let held = self.take(at);
            if let Some(held) = &held
                && let Pushed::Segment(syn) = held.packet()
            {
                self.note_segment(held.arrival.from, &syn);
            }
            self.note_segment(from, segment);
            return Opening::Other(held);
        }
        if segment.is_reset || !self.is_other_syn(from, segment) {
            self.note_segment(from, segment);
            return Opening::Same;
        }
        if is_unknown {
            *self = Opened::default();
            self.note_segment(from, segment);
            return Opening::Other(None);
        }
        self.hold(arrival, segment.sequence, Pushed::Segment(*segment))
    }

    fn is_other_syn(&mut self, from: Side, segment: &Segment<'_>) -> bool {
        let (end, other) = (*self.of(from), *self.of(from.other()));
        if !segment.is_syn {
            return false;
        }
        let answered = segment.acknowledgement.map(|number| number.wrapping_sub(1));
        let is_answer = other.is_certain && answered.is_some() && answered == other.number;
        end.number.is_some_and(|known| {
            let ahead = known.wrapping_sub(segment.sequence);
            if end.is_certain { ahead > 0 } else { ahead >= REORDERED && !is_answer }
        })
    }

    /// Notes a segment of the open connection.
    fn note_segment(&mut self, from: Side, segment: &Segment<'_>) {
        if segment.is_reset {
            return;
        }
        let Segment { sequence, is_syn, .. } = *segment;
        let next = end_of(segment);
        let end = self.of(from);
        let is_first_syn = is_syn && !end.is_certain;
        if is_first_syn {
            end.number = Some(sequence);
            end.is_certain = true;
        }
        end.number.get_or_insert(sequence.wrapping_sub(1));
        match end.last {
            Some(last) if !is_first_syn && next.wrapping_sub(last) > FAR => {}
            _ => end.last = Some(next),
        }
        // The other end's SYN may be captured later, or not at all.
        if let Some(next) = segment.acknowledgement {
            let other = self.of(from.other());
            other.number.get_or_insert(next.wrapping_sub(1));
            other.last.get_or_insert(next);
        }
    }

    /// Whether a segment confirms a held SYN. The open connection may have sequence numbers close
    /// to those of the SYN, so a segment that continues it is no evidence.
    fn confirms(&self, held: &Held, from: Side, segment: &Segment<'_>) -> bool {
        let Pushed::Segment(syn) = held.packet() else { return false };
        let start = end_of(&syn);
        let open = self.opener(held).last;
        let is_far = |number: u32| open.is_none_or(|last| !is_within(number, last, FAR, FAR));
        if from == held.arrival.from {
            let number = segment.sequence;
            let is_next =
                number == start && open.is_none_or(|last| !is_within(number, last, FAR, REORDERED));
            let is_near = number.wrapping_sub(start) < REORDERED;
            return !segment.is_syn && (is_next || is_near && is_far(number));
        }
        // A SYN and its answer may be captured in either order.
        let answers = |question: &Segment<'_>, answer: &Segment<'_>| {
            answer.is_syn
                && answer.acknowledgement.is_some_and(|number| {
                    let ahead = number.wrapping_sub(question.sequence).wrapping_sub(1);
                    ahead < end_of(question).wrapping_sub(question.sequence)
                })
        };
        segment.is_syn && (answers(&syn, segment) || answers(segment, &syn))
            || segment
                .acknowledgement
                .is_some_and(|number| number.wrapping_sub(start) < REORDERED && is_far(number))
    }
}

/// The sequence number after a segment.
fn end_of(segment: &Segment<'_>) -> u32 {
    let length = Pushed::Segment(*segment).len();
    #[expect(clippy::cast_possible_truncation, reason = "sequence numbers wrap around")]
    let length = length as u32;
    let flags = u32::from(segment.is_syn).saturating_add(u32::from(segment.is_fin));
    segment.sequence.wrapping_add(length).wrapping_add(flags)
}

/// Whether a number is at most `before` before or `after` after another one. Numbers wrap around.
const fn is_within(number: u32, of: u32, before: u32, after: u32) -> bool {
    number.wrapping_sub(of) <= after || of.wrapping_sub(number) <= before
}
