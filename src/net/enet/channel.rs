//! The state of one direction of a channel: the next sequence number and the messages that wait.

use super::{
    FragmentAssembly, LossReason, Lost, LostMessage, Mode, OVERHEAD, RecentUnreliable,
    SessionEvent, SessionMessage,
};
use crate::net::{Between, Side, Tag, tree_bytes};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// Sequence numbers are extended beyond 16 bits. The first one starts here, with room below it.
pub const BASE: u64 = 1 << 32;

/// A number less than this far after the next one is newer, and a number further away is older. A
/// sender has few messages under way, but a capture may have missed many.
const AHEAD: u16 = 0xc000;

/// The most messages that are under way at once. As many numbers before the first one that was seen may
/// still arrive, and as many after it may have arrived earlier.
const UNDER_WAY: u64 = 64;

/// How many gaps are remembered for late messages.
const GAPS: usize = 16;

/// How many acknowledgements of messages that were not seen are remembered.
const ACKNOWLEDGED: usize = 256;

/// How many times longer to wait for a message that the other side has not acknowledged.
pub const UNACKNOWLEDGED: u64 = 16;

/// The order of messages: the reliable number, then 0 for a reliable message, or the unreliable
/// number plus 1.
pub type SequenceKey = (u64, u32);

#[derive(Debug)]
pub struct Channel<T> {
    /// The next reliable number; none before the first command.
    next: Option<u64>,
    /// Whether the messages before `next` were delivered by an earlier session, and none from
    /// `next` on was seen since.
    is_resumed: bool,
    /// The number of the reliable message that was seen first, unless the channel was observed from its
    /// start. It may be one that is sent again, and others after it may have arrived before.
    first: Option<u64>,
    /// The tag of the last reliable message whose turn has passed.
    last: Option<T>,
    pub held: BTreeMap<SequenceKey, HeldMessage<T>>,
    /// The numbers from `next` on that the other side has acknowledged, and the numbers and tags of
    /// the datagrams with the acknowledgements.
    acknowledged: BTreeMap<u64, (u64, T)>,
    /// Numbers whose turn has passed without their messages.
    unseen: VecDeque<Range<u64>>,
    pub recent: RecentUnreliable<T>,
    /// Before this datagram nothing can be overdue.
    check_at: u64,
    /// The state of this channel that the session noted last.
    pub noted: ChannelNote,
}

/// The state of a channel that its session keeps a copy of, so that it need not look the channel
/// up.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct ChannelNote {
    /// The number of the datagram that last added to the first waiting message.
    pub since: Option<u64>,
    /// About how much memory the channel uses, apart from the held messages.
    pub bytes: usize,
}

/// A message that waits for its turn.
#[derive(Debug)]
pub enum HeldMessage<T> {
    /// A complete message, and how many sequence numbers it takes.
    Message { span: u32, datagram: u64, tag: T, offset: usize, payload: Vec<u8> },
    /// An incomplete reliable message.
    Partial { assembly: Box<FragmentAssembly<T>> },
    /// A message that has been reported as lost.
    Dropped { span: u32, datagram: u64, tag: T },
}

/// Something that delivery waits for and that can be given up: the incomplete message whose turn it
/// is, or the missing numbers before this one.
#[derive(Clone, Copy)]
pub enum Overdue {
    Head,
    Before(u64),
}

/// One direction of a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Lane {
    pub from: Side,
    pub channel: u8,
}

impl Lane {
    pub const fn lost<T>(
        self,
        lost: Lost,
        reason: LossReason,
        between: &Between<T>,
    ) -> SessionEvent<'_, T> {
        let Lane { from, channel } = self;
        SessionEvent::Lost(LostMessage { from, channel: Some(channel), lost, reason }, between)
    }
}

impl<T> HeldMessage<T> {
    pub fn cost(&self) -> usize {
        match self {
            HeldMessage::Message { payload, .. } => payload.len().saturating_add(OVERHEAD),
            HeldMessage::Partial { assembly } => assembly.cost(),
            HeldMessage::Dropped { .. } => OVERHEAD,
        }
    }

    /// The number of the datagram that last added to it.
    fn datagram(&self) -> u64 {
        match self {
            HeldMessage::Message { datagram, .. } | HeldMessage::Dropped { datagram, .. } => {
                *datagram
            }
            HeldMessage::Partial { assembly } => assembly.datagram,
        }
    }
}

impl<T: Copy> HeldMessage<T> {
    const fn tag(&self) -> T {
        match self {
            HeldMessage::Message { tag, .. } | HeldMessage::Dropped { tag, .. } => *tag,
            HeldMessage::Partial { assembly } => assembly.tag,
        }
    }
}

impl<T: Copy> Default for Channel<T> {
    fn default() -> Channel<T> {
        Channel {
            next: None,
            is_resumed: false,
            first: None,
            last: None,
            held: BTreeMap::new(),
            acknowledged: BTreeMap::new(),
            unseen: VecDeque::new(),
            recent: RecentUnreliable::new(),
            check_at: 0,
            noted: ChannelNote::default(),
        }
    }
}

impl<T: Tag> Channel<T> {
    /// A channel of a connection that was observed from its start.
    pub fn from_start() -> Channel<T> {
        let (next, recent) = (Some(BASE.saturating_add(1)), RecentUnreliable::from_start(BASE));
        Channel { next, recent, ..Channel::default() }
    }

    /// A channel whose messages before a number were delivered by an earlier session.
    pub fn resumed(next: u16) -> Channel<T> {
        let next = Some(BASE.saturating_add(next.into()));
        Channel { next, is_resumed: true, ..Channel::default() }
    }

    /// The number after the last message that was seen; none before the first command.
    pub fn end(&self) -> Option<u16> {
        let held = self.held.last_key_value().map(|(&(number, unreliable), held)| match held {
            _ if unreliable > 0 => number.saturating_add(1),
            HeldMessage::Message { span, .. } | HeldMessage::Dropped { span, .. } => {
                number.saturating_add(u64::from(*span))
            }
            HeldMessage::Partial { assembly } => number.saturating_add(assembly.count().into()),
        });
        // The low 16 bits.
        self.next.map(|next| next.max(held.unwrap_or(0)) as u16)
    }

    /// The extended number of a command. The first command that is seen starts the channel: at its
    /// number if it is reliable, otherwise after it.
    pub fn number(&mut self, sequence: u16, is_reliable: bool) -> u64 {
        let number = match self.next {
            None => BASE.saturating_add(sequence.into()),
            Some(next) => number_near(next, sequence),
        };
        let is_first = match self.next {
            None => true,
            Some(next) => self.is_resumed && number >= next,
        };
        if is_first {
            let first_new = self.next.unwrap_or(0);
            let next = number.saturating_add((!is_reliable).into());
            self.unseen.push_back(next.saturating_sub(UNDER_WAY).max(first_new)..next);
            self.next = Some(next);
            self.first = is_reliable.then_some(number);
            self.is_resumed = false;
        }
        number
    }

    /// The state that the session should remember now.
    pub fn to_note(&self) -> ChannelNote {
        let since = self.held.first_key_value().map(|(_, held)| held.datagram());
        ChannelNote { since, bytes: self.heap_bytes() }
    }

    /// Holds a message or fragment back.
    pub fn hold(&mut self, key: SequenceKey, held: HeldMessage<T>) {
        self.held.insert(key, held);
        self.check_at = 0;
    }

    /// About how much memory is in use, apart from the held messages.
    fn heap_bytes(&self) -> usize {
        let held = tree_bytes::<(SequenceKey, HeldMessage<T>)>(self.held.len());
        let acknowledged = tree_bytes::<(u64, (u64, T))>(self.acknowledged.len());
        let unseen = self.unseen.capacity().saturating_mul(size_of::<Range<u64>>());
        [held, acknowledged, unseen, self.recent.heap_bytes()].into_iter().sum()
    }

    /// Whether a number's turn has passed.
    pub fn has_passed(&self, number: u64) -> bool {
        self.next.is_some_and(|next| number < next)
    }

    /// Whether all numbers before one have passed.
    pub fn has_reached(&self, number: u64) -> bool {
        self.next.is_some_and(|next| next >= number)
    }

    /// Lets a channel without commands so far start at the first number of a connection.
    pub fn start(&mut self) {
        if self.next.is_none() || self.is_resumed {
            *self = Channel::from_start();
        }
    }

    /// Whether the channel has no commands so far, or the first command that was seen is the first
    /// one that was sent.
    pub fn has_started_with_first(&self) -> bool {
        self.unseen.front().is_none_or(|before| before.end <= BASE.saturating_add(1))
    }

    /// Whether it is a number's turn and nothing is held for it.
    pub fn is_next(&self, number: u64) -> bool {
        self.next == Some(number) && !self.held.contains_key(&(number, 0))
    }

    pub fn is_unseen(&self, number: u64) -> bool {
        self.unseen.iter().any(|range| range.contains(&number))
    }

    /// Notes that messages whose turn has passed have arrived after all.
    pub fn see(&mut self, numbers: Range<u64>) {
        let mut kept = VecDeque::with_capacity(self.unseen.len());
        for range in self.unseen.drain(..) {
            let before = range.start..range.end.min(numbers.start);
            let after = range.start.max(numbers.end)..range.end;
            kept.extend([before, after].into_iter().filter(|range| !range.is_empty()));
        }
        self.unseen = kept;
        self.forget_gaps();
    }

    fn forget_gaps(&mut self) {
        while self.unseen.len() > GAPS {
            self.unseen.pop_front();
        }
    }

    /// Notes that the other side has received a number, in the datagram `now` with a tag. Returns
    /// whether that is remembered.
    pub fn acknowledge(&mut self, sequence: u16, now: (u64, T)) -> bool {
        let Some(next) = self.next.filter(|_| !self.is_resumed) else { return false };
        let number = number_near(next, sequence);
        let is_whole = matches!(self.held.get(&(number, 0)), Some(HeldMessage::Message { .. }));
        if number < next || is_whole || self.acknowledged.contains_key(&number) {
            return false;
        }
        if self.acknowledged.len() >= ACKNOWLEDGED {
            // The lowest numbers are those that messages wait for.
            match self.acknowledged.last_entry() {
                Some(last) if *last.key() > number => last.remove(),
                _ => return false,
            };
        }
        self.acknowledged.insert(number, now);
        self.check_at = 0;
        true
    }

    /// Moves past a message that takes `span` sequence numbers.
    pub fn pass(&mut self, number: u64, span: u32, tag: T) {
        self.next = Some(number.saturating_add(span.into()));
        self.last = Some(tag);
    }

    /// Moves past the message with a sequence number if it is next, and nothing waits. Returns whether
    /// that is so.
    #[inline]
    pub fn pass_next(&mut self, sequence: u16, tag: T) -> bool {
        let Some(next) = self.next.filter(|_| !self.is_resumed) else { return false };
        // The low 16 bits.
        let is_next = next as u16 == sequence;
        if !is_next || !self.held.is_empty() || !self.acknowledged.is_empty() {
            return false;
        }
        self.pass(next, 1, tag);
        true
    }

    /// The gap or message that has been missing for too long. If there is none, remembers when to
    /// look again.
    pub fn overdue(&mut self, now: u64, patience: u64) -> Option<Overdue> {
        let next = self.next?;
        if now < self.check_at {
            return None;
        }
        let is_over = |since: u64, patience: u64| now > since.saturating_add(patience);
        let long = patience.saturating_mul(UNACKNOWLEDGED);
        // The time at which the first missing number or fragment is overdue.
        let mut check_at = u64::MAX;
        let mut note = |since: u64, patience: u64| {
            check_at = check_at.min(since.saturating_add(patience).saturating_add(1));
        };
        let head = self.held.first_key_value();
        if let Some((&(number, _), HeldMessage::Partial { assembly })) = head
            && number == next
        {
            let patience_of_head = if self.first == Some(number) { patience } else { long };
            if is_over(assembly.datagram, patience_of_head) {
                return Some(Overdue::Head);
            }
            note(assembly.datagram, patience_of_head);
            let end = next.saturating_add(assembly.count().into());
            let mut arrived = Vec::new();
            for (&number, &(since, _)) in self.acknowledged.range(next..end) {
                let place = u32::try_from(number.saturating_sub(next));
                if !is_over(since, patience) {
                    note(since, patience);
                } else if place.is_ok_and(|place| assembly.has(place)) {
                    arrived.push(number);
                } else {
                    return Some(Overdue::Head);
                }
            }
            for number in arrived {
                self.acknowledged.remove(&number);
            }
        } else if let Some(end) = self.gap_end() {
            let acknowledged = (next..end)
                .zip(self.acknowledged.range(next..end))
                .take_while(|(expected, (number, (since, _)))| {
                    expected == *number && is_over(*since, patience)
                })
                .count();
            if acknowledged > 0 {
                return Some(Overdue::Before(next.saturating_add(acknowledged as u64)));
            }
            if let Some((since, _)) = self.acknowledged.get(&next) {
                note(*since, patience);
            }
            let first = self.acknowledged.first_key_value().map(|(_, &(since, _))| since);
            if let Some(since) = head.map(|(_, held)| held.datagram()).or(first) {
                if is_over(since, long) {
                    return Some(Overdue::Before(end));
                }
                note(since, long);
            }
        }
        self.check_at = check_at;
        None
    }

    /// The end of the missing numbers before the first message that was seen or acknowledged.
    fn gap_end(&self) -> Option<u64> {
        match self.held.first_key_value() {
            Some((&(number, 0), _)) => Some(number),
            Some((&(number, _), _)) => Some(number.saturating_add(1)),
            None => self.acknowledged.last_key_value().map(|(number, _)| number.saturating_add(1)),
        }
    }

    /// The gap or message to give up, so that the first waiting message can be returned.
    pub fn blocker(&self) -> Option<Overdue> {
        let next = self.next?;
        match self.held.first_key_value() {
            Some((&(number, 0), HeldMessage::Partial { .. })) if number == next => {
                Some(Overdue::Head)
            }
            _ => self.gap_end().map(Overdue::Before),
        }
    }

    /// Gives up what is overdue, and delivers the messages that waited for it. Returns how many
    /// bytes are freed. Numbers that the other end has acknowledged are not lost as
    /// [unacknowledged](LossReason::Unacknowledged), but as not seen.
    pub fn give_up(
        &mut self,
        what: Overdue,
        reason: LossReason,
        lane: Lane,
        sink: &mut dyn FnMut(SessionEvent<'_, T>),
    ) -> usize {
        let Some(next) = self.next else { return 0 };
        let reason = match reason {
            LossReason::NotSeen | LossReason::Unacknowledged if self.may_be_earlier(what) => {
                LossReason::Earlier
            }
            reason => reason,
        };
        let mut freed = 0;
        match what {
            Overdue::Before(end) => {
                if end > next {
                    let missing = end.saturating_sub(next);
                    let acknowledged = match reason {
                        LossReason::Unacknowledged => self.acknowledged.range(next..end).count(),
                        _ => 0,
                    };
                    let others = missing.saturating_sub(acknowledged as u64);
                    let between = self.around_missing(end);
                    for (count, reason) in
                        [(acknowledged as u64, LossReason::NotSeen), (others, reason)]
                    {
                        let count = u32::try_from(count).unwrap_or(u32::MAX);
                        let lost = Lost::Missing { mode: Mode::Reliable, count };
                        if count > 0 {
                            sink(lane.lost(lost, reason, &between));
                        }
                    }
                    self.unseen.push_back(next..end);
                    self.forget_gaps();
                    self.next = Some(end);
                }
            }
            Overdue::Head => {
                if let Some(HeldMessage::Partial { assembly }) = self.held.remove(&(next, 0)) {
                    freed = assembly.cost();
                    let tag = assembly.tag;
                    let reason = match reason {
                        LossReason::Unacknowledged if self.is_received(next, &assembly) => {
                            LossReason::NotSeen
                        }
                        reason => reason,
                    };
                    let between = Between::new(Some(tag), tag);
                    sink(lane.lost(assembly.lost(Mode::Reliable), reason, &between));
                    self.pass(next, assembly.count(), tag);
                }
            }
        }
        freed.saturating_add(self.drain(lane, sink))
    }

    /// Whether what is missing may have arrived before the session began. This holds for numbers soon
    /// after the first message that was seen, and for the first fragments of that message.
    fn may_be_earlier(&self, what: Overdue) -> bool {
        let Some(first) = self.first else { return false };
        match (what, self.held.get(&(first, 0))) {
            (Overdue::Before(end), _) => end.saturating_sub(first) <= UNDER_WAY,
            (Overdue::Head, Some(HeldMessage::Partial { assembly })) => {
                self.next == self.first && !assembly.has(0)
            }
            (Overdue::Head, _) => false,
        }
    }

    /// The tags of what was seen before and after the missing numbers before `end`.
    fn around_missing(&self, end: u64) -> Between<T> {
        let later = self.held.first_key_value().map(|(_, held)| held.tag());
        let later = later.or_else(|| {
            let mut acknowledged = self.acknowledged.range(..end);
            acknowledged.next_back().map(|(_, (_, tag))| *tag)
        });
        later.map_or(Between::UNKNOWN, |later| Between::new(self.last, later))
    }

    /// Whether the other end has acknowledged a missing fragment of the message at a number.
    fn is_received(&self, number: u64, assembly: &FragmentAssembly<T>) -> bool {
        let end = number.saturating_add(assembly.count().into());
        self.acknowledged.range(number..end).any(|(at, _)| {
            u32::try_from(at.saturating_sub(number)).is_ok_and(|at| !assembly.has(at))
        })
    }

    /// Delivers the messages that are next in order. Returns how many bytes are freed.
    pub fn drain(&mut self, lane: Lane, sink: &mut dyn FnMut(SessionEvent<'_, T>)) -> usize {
        let mut freed = 0_usize;
        let Some(mut next) = self.next else { return 0 };
        while let Some(entry) = self.held.first_entry() {
            let (number, unreliable) = *entry.key();
            let is_reliable = unreliable == 0;
            let has_turn = if is_reliable { number == next } else { number < next };
            let is_inconsistent = is_reliable && number < next;
            let is_partial = matches!(entry.get(), HeldMessage::Partial { .. });
            if !is_inconsistent && (!has_turn || is_partial) {
                break;
            }
            let held = entry.remove();
            freed = freed.saturating_add(held.cost());
            match held {
                HeldMessage::Message { payload, .. } if is_inconsistent => {
                    let lost = Lost::Message { mode: Mode::Reliable, len: payload.len() };
                    sink(lane.lost(lost, LossReason::Inconsistent, &Between::UNKNOWN));
                }
                HeldMessage::Message { span, tag, offset, payload, .. } => {
                    next = next.saturating_add(span.into());
                    if is_reliable {
                        self.last = Some(tag);
                    }
                    let Lane { from, channel } = lane;
                    let mode = if is_reliable { Mode::Reliable } else { Mode::Unreliable };
                    // The low 16 bits of both: see `SequenceKey`.
                    let number = (number as u32) << 16 | unreliable.saturating_sub(1);
                    let payload = &payload;
                    let message =
                        SessionMessage { from, channel, mode, number, tag, offset, payload };
                    sink(SessionEvent::Message(message));
                }
                HeldMessage::Partial { assembly } => {
                    sink(lane.lost(
                        assembly.lost(Mode::Reliable),
                        LossReason::Inconsistent,
                        &Between::UNKNOWN,
                    ));
                }
                HeldMessage::Dropped { .. } if is_inconsistent => {}
                HeldMessage::Dropped { span, .. } => next = next.saturating_add(span.into()),
            }
        }
        self.next = Some(next);
        self.check_at = 0;
        while let Some(first) = self.acknowledged.first_entry()
            && *first.key() < next
        {
            first.remove();
        }
        freed
    }
}

fn number_near(next: u64, sequence: u16) -> u64 {
    // The low 16 bits.
    let ahead = sequence.wrapping_sub(next as u16);
    if ahead < AHEAD {
        next.saturating_add(ahead.into())
    } else {
        next.saturating_sub(ahead.wrapping_neg().into())
    }
}
