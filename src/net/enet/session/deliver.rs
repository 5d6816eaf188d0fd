//! Decides for each message and fragment whether to deliver it, hold it back, or skip it as a
//! repetition.

use super::{CommandOrigin, Lane, Session, UnfinishedMessage};
use crate::net::enet::{
    Fragment, FragmentAssembly, HeldMessage, LossReason, Lost, LostMessage, MissingNumbers, Mode,
    OVERHEAD, Overdue, SequenceKey, SessionEvent, UNACKNOWLEDGED, UNFINISHED,
};
use crate::net::{Between, Side, Tag};
use std::mem;

impl<T: Tag> Session<T> {
    /// Takes a reliable message, and notes the state of its channel.
    pub(super) fn reliable(
        &mut self,
        origin: CommandOrigin<T>,
        payload: &[u8],
        sink: &mut dyn FnMut(SessionEvent<'_, T>),
    ) {
        let channel = self.channel(origin.lane);
        let number = channel.number(origin.sequence, true);
        if channel.has_passed(number) {
            if channel.is_unseen(number) {
                channel.see(number..number.saturating_add(1));
                sink(origin.message(Mode::Reliable, payload));
            }
        } else if channel.is_next(number) {
            channel.pass(number, 1, origin.tag);
            sink(origin.message(Mode::Reliable, payload));
            self.drain(origin.lane, sink);
        } else {
            match channel.held.get(&(number, 0)) {
                None => self.hold(origin, (number, 0), payload, sink),
                Some(HeldMessage::Message { .. }) => {}
                // The first fragment of another message has the same number.
                Some(_) => {
                    let lost = Lost::Message { mode: Mode::Reliable, len: payload.len() };
                    sink(origin.lane.lost(lost, LossReason::Inconsistent, &Between::UNKNOWN));
                }
            }
        }
        self.note(origin.lane);
    }

    pub(super) fn unreliable(
        &mut self,
        origin: CommandOrigin<T>,
        unreliable_sequence: u16,
        payload: &[u8],
        sink: &mut dyn FnMut(SessionEvent<'_, T>),
    ) {
        let number = self.channel(origin.lane).number(origin.sequence, false);
        if !self.is_new(origin, number, unreliable_sequence) {
            return;
        }
        if self.channel(origin.lane).has_passed(number) {
            sink(origin.message(Mode::Unreliable, payload));
        } else {
            self.hold(origin, key(number, unreliable_sequence), payload, sink);
        }
    }

    /// Holds a message back until its turn. If making room gives up what it waits for, its turn is
    /// now.
    fn hold(
        &mut self,
        origin: CommandOrigin<T>,
        key: SequenceKey,
        payload: &[u8],
        sink: &mut dyn FnMut(SessionEvent<'_, T>),
    ) {
        let cost = payload.len().saturating_add(OVERHEAD);
        let has_room = self.make_room(cost, sink);
        let is_reliable = key.1 == 0;
        let end = if is_reliable { key.0 } else { key.0.saturating_add(1) };
        let channel = self.channel(origin.lane);
        if has_room && !channel.has_reached(end) {
            let CommandOrigin { datagram, tag, offset, .. } = origin;
            let span = is_reliable.into();
            let payload = payload.to_vec();
            channel.hold(key, HeldMessage::Message { span, datagram, tag, offset, payload });
            self.held = self.held.saturating_add(cost);
            return;
        }
        // The messages before it have been given up to make room, or are given up now.
        self.skip_to(origin.lane, end, sink);
        if is_reliable {
            self.reliable(origin, payload, sink);
        } else {
            sink(origin.message(Mode::Unreliable, payload));
        }
    }

    pub(super) fn reliable_fragment(
        &mut self,
        origin: CommandOrigin<T>,
        fragment: &Fragment<'_>,
        sink: &mut dyn FnMut(SessionEvent<'_, T>),
    ) {
        let max_len = self.limits.message_len;
        let channel = self.channel(origin.lane);
        let start = channel.number(fragment.start_sequence, true);
        let key = (start, 0);
        if channel.has_passed(start) {
            if channel.is_unseen(start) {
                self.unfinished_fragment(origin, key, fragment, sink);
            }
            return;
        }
        let cost = fragment.payload.len().saturating_add(OVERHEAD);
        match channel.held.get(&key) {
            Some(HeldMessage::Partial { assembly }) if !assembly.agrees(fragment) => {
                return refuse(origin, Mode::Reliable, fragment, sink);
            }
            Some(HeldMessage::Partial { assembly }) if assembly.has(fragment.number) => return,
            Some(HeldMessage::Partial { .. }) => {
                self.make_room(cost, sink);
            }
            Some(_) => return,
            None if fragment.total_len > max_len => {
                return self.drop_long(origin, start, fragment, sink);
            }
            None => {
                self.make_room(cost.saturating_add(UNFINISHED), sink);
                let has_room = self.room() >= cost.saturating_add(UNFINISHED);
                if !has_room {
                    return self.drop_long(origin, start, fragment, sink);
                }
                if self.channel(origin.lane).has_passed(start) {
                    return self.reliable_fragment(origin, fragment, sink);
                }
                let assembly = Box::new(FragmentAssembly::new(fragment, origin.tag));
                self.held = self.held.saturating_add(assembly.cost());
                let partial = HeldMessage::Partial { assembly };
                self.channel(origin.lane).hold(key, partial);
            }
        }
        let CommandOrigin { lane, datagram, .. } = origin;
        // It is gone if it was given up to make room.
        let held = self.channel(lane).held.get_mut(&key);
        let Some(HeldMessage::Partial { assembly }) = held else { return };
        let tag = assembly.add(fragment, datagram, origin.tag);
        let is_whole = assembly.is_whole();
        self.held = self.held.saturating_add(cost);
        if is_whole {
            self.finish_reliable(CommandOrigin { tag, ..origin }, key, sink);
        }
    }

    fn finish_reliable(
        &mut self,
        origin: CommandOrigin<T>,
        key: SequenceKey,
        sink: &mut dyn FnMut(SessionEvent<'_, T>),
    ) {
        let channel = self.channel(origin.lane);
        let Some(HeldMessage::Partial { assembly }) = channel.held.remove(&key) else { return };
        self.held = self.held.saturating_sub(assembly.cost());
        let span = assembly.count();
        let payload = assembly.into_message();
        let channel = self.channel(origin.lane);
        if channel.is_next(key.0) {
            channel.pass(key.0, span, origin.tag);
            sink(origin.message(Mode::Reliable, &payload));
            self.drain(origin.lane, sink);
        } else {
            let CommandOrigin { datagram, tag, offset, .. } = origin;
            let message = HeldMessage::Message { span, datagram, tag, offset, payload };
            let cost = message.cost();
            channel.hold(key, message);
            self.held = self.held.saturating_add(cost);
        }
    }

    /// Drops a message that is too long: its sequence numbers are skipped when they are next in
    /// order.
    fn drop_long(
        &mut self,
        origin: CommandOrigin<T>,
        start: u64,
        fragment: &Fragment<'_>,
        sink: &mut dyn FnMut(SessionEvent<'_, T>),
    ) {
        let (mode, count, len) = (Mode::Reliable, fragment.count, fragment.total_len);
        let lost = Lost::Fragments { mode, seen: 1, count, len };
        sink(origin.lane.lost(lost, LossReason::Limit, &Between::UNKNOWN));
        self.make_room(OVERHEAD, sink);
        if self.room() < OVERHEAD {
            self.skip_to(origin.lane, start, sink);
        }
        let CommandOrigin { datagram, tag, .. } = origin;
        let channel = self.channel(origin.lane);
        if channel.is_next(start) {
            channel.pass(start, count, tag);
        } else if !channel.has_passed(start) {
            channel.hold((start, 0), HeldMessage::Dropped { span: count, datagram, tag });
            self.held = self.held.saturating_add(OVERHEAD);
        }
        self.drain(origin.lane, sink);
    }

    pub(super) fn unreliable_fragment(
        &mut self,
        origin: CommandOrigin<T>,
        fragment: &Fragment<'_>,
        sink: &mut dyn FnMut(SessionEvent<'_, T>),
    ) {
        let number = self.channel(origin.lane).number(origin.sequence, false);
        let key = key(number, fragment.start_sequence);
        let is_known = self.unfinished_at(origin, key).is_some();
        if is_known || self.is_new(origin, number, fragment.start_sequence) {
            self.unfinished_fragment(origin, key, fragment, sink);
        }
    }

    /// Notes an unreliable message. Returns whether it is new.
    fn is_new(&mut self, origin: CommandOrigin<T>, number: u64, unreliable_sequence: u16) -> bool {
        let CommandOrigin { lane, datagram, tag, .. } = origin;
        let unread = self.end(lane.from).unread;
        self.channel(lane).recent.insert(number, unreliable_sequence, (datagram, tag), unread)
    }

    fn unfinished_at(&self, origin: CommandOrigin<T>, key: SequenceKey) -> Option<usize> {
        self.unfinished.iter().position(|it| it.lane == origin.lane && it.key == key)
    }

    /// Takes a fragment of a message that no other message waits for.
    fn unfinished_fragment(
        &mut self,
        origin: CommandOrigin<T>,
        key: SequenceKey,
        fragment: &Fragment<'_>,
        sink: &mut dyn FnMut(SessionEvent<'_, T>),
    ) {
        let CommandOrigin { lane, datagram, .. } = origin;
        let mut cost = fragment.payload.len().saturating_add(OVERHEAD);
        match self.unfinished_at(origin, key).and_then(|at| self.unfinished.get(at)) {
            Some(it) if !it.assembly.agrees(fragment) => {
                return refuse(origin, mode_of(key), fragment, sink);
            }
            Some(it) if it.assembly.has(fragment.number) => return,
            Some(_) => {
                self.make_room(cost, sink);
            }
            None => {
                cost = cost.saturating_add(UNFINISHED);
                while self.unfinished.len() >= self.limits.unfinished.max(1) {
                    self.give_up_unfinished(0, LossReason::Limit, sink);
                }
                let fits = fragment.total_len <= self.limits.message_len;
                if !fits || !self.make_room(cost, sink) {
                    let (count, len) = (fragment.count, fragment.total_len);
                    let lost = Lost::Fragments { mode: mode_of(key), seen: 1, count, len };
                    sink(lane.lost(lost, LossReason::Limit, &Between::UNKNOWN));
                    self.settle(lane, key, count);
                    return;
                }
                let assembly = FragmentAssembly::new(fragment, origin.tag);
                self.unfinished.push(UnfinishedMessage { lane, key, assembly });
            }
        }
        // It is gone if it was given up to make room.
        let Some(at) = self.unfinished_at(origin, key) else { return };
        let Some(it) = self.unfinished.get_mut(at) else { return };
        let origin =
            CommandOrigin { tag: it.assembly.add(fragment, datagram, origin.tag), ..origin };
        self.held = self.held.saturating_add(cost);
        if !it.assembly.is_whole() {
            return;
        }
        let UnfinishedMessage { assembly, .. } = self.unfinished.remove(at);
        self.held = self.held.saturating_sub(assembly.cost());
        self.settle(lane, key, assembly.count());
        let payload = assembly.into_message();
        if self.channel(lane).has_passed(key.0) {
            sink(origin.message(mode_of(key), &payload));
        } else {
            self.hold(origin, key, &payload, sink);
        }
    }

    /// Notes that a late reliable message is delivered or given up.
    pub(super) fn settle(&mut self, lane: super::Lane, key: SequenceKey, count: u32) {
        if key.1 == 0 {
            self.channel(lane).see(key.0..key.0.saturating_add(count.into()));
        }
    }

    pub(super) fn drain(&mut self, lane: super::Lane, sink: &mut dyn FnMut(SessionEvent<'_, T>)) {
        let freed = self.channel(lane).drain(lane, sink);
        self.held = self.held.saturating_sub(freed);
    }
}

fn refuse<T: Tag>(
    origin: CommandOrigin<T>,
    mode: Mode,
    fragment: &Fragment<'_>,
    sink: &mut dyn FnMut(SessionEvent<'_, T>),
) {
    let lost = Lost::Message { mode, len: fragment.payload.len() };
    sink(origin.lane.lost(lost, LossReason::Inconsistent, &Between::UNKNOWN));
}

fn key(number: u64, unreliable_sequence: u16) -> SequenceKey {
    (number, u32::from(unreliable_sequence).saturating_add(1))
}

/// The mode of a message, from its key.
pub fn mode_of(key: SequenceKey) -> Mode {
    if key.1 == 0 { Mode::Reliable } else { Mode::Unreliable }
}

impl<T: Tag> Session<T> {
    pub(super) const fn room(&self) -> usize {
        self.limits.held_bytes.saturating_sub(self.held)
    }

    /// Remembers the state of a channel that may have changed.
    pub(super) fn note(&mut self, lane: Lane) {
        let channel = self.channel(lane);
        let noted = channel.to_note();
        let before = mem::replace(&mut channel.noted, noted);
        self.channel_bytes =
            self.channel_bytes.saturating_add(noted.bytes).saturating_sub(before.bytes);
        if noted.since != before.since {
            if let Some(since) = before.since {
                self.waiting.remove(&(since, lane));
            }
            if let Some(since) = noted.since {
                self.waiting.insert((since, lane));
            }
        }
    }

    /// Gives up what has waited longest until there is room. Returns whether there is.
    pub(super) fn make_room(
        &mut self,
        cost: usize,
        sink: &mut dyn FnMut(SessionEvent<'_, T>),
    ) -> bool {
        while self.room() < cost {
            let unfinished = self.unfinished.iter().map(|it| it.assembly.datagram).zip(0..);
            match (self.waiting.first().copied(), unfinished.min_by_key(|(since, _)| *since)) {
                (Some((since, _)), Some((other, at))) if other < since => {
                    self.give_up_unfinished(at, LossReason::Limit, sink);
                }
                (Some((_, lane)), _) => match self.channel(lane).blocker() {
                    Some(blocker) => self.give_up(lane, blocker, LossReason::Limit, sink),
                    None => self.note(lane),
                },
                (None, Some((_, at))) => self.give_up_unfinished(at, LossReason::Limit, sink),
                (None, None) => return false,
            }
        }
        true
    }

    /// Gives up what is missing before a sequence number, because there is no room to wait.
    pub(super) fn skip_to(
        &mut self,
        lane: Lane,
        end: u64,
        sink: &mut dyn FnMut(SessionEvent<'_, T>),
    ) {
        while !self.channel(lane).has_reached(end) {
            let what = match self.channel(lane).blocker() {
                Some(Overdue::Before(number)) => Overdue::Before(number.min(end)),
                Some(Overdue::Head) => Overdue::Head,
                None => Overdue::Before(end),
            };
            self.give_up(lane, what, LossReason::Limit, sink);
        }
    }

    pub(super) fn give_up_overdue(&mut self, sink: &mut dyn FnMut(SessionEvent<'_, T>)) {
        let (now, patience) = (self.datagrams, self.limits.patience);
        let oldest = now.saturating_sub(patience);
        while let Some(at) = self.unfinished.iter().position(|it| it.assembly.datagram < oldest) {
            self.give_up_unfinished(at, LossReason::NotSeen, sink);
        }
        for side in [Side::First, Side::Second] {
            for at in 0..self.end(side).places.len() {
                let Some((channel, it)) = self.end(side).channel_at(at) else { break };
                let lane = Lane { from: side, channel };
                let mut overdue = it.overdue(now, patience);
                while let Some(what) = overdue {
                    self.give_up(lane, what, LossReason::NotSeen, sink);
                    overdue = self.channel(lane).overdue(now, patience);
                }
            }
        }
        self.report_missing(now.saturating_sub(patience.saturating_mul(UNACKNOWLEDGED)), sink);
    }

    /// Reports the messages that are sent only once and whose absence was noticed before a datagram.
    fn report_missing(&mut self, before: u64, sink: &mut dyn FnMut(SessionEvent<'_, T>)) {
        for from in [Side::First, Side::Second] {
            let end = self.end(from);
            let mut report = |missing: &mut MissingNumbers<T>, channel, mode| {
                while let Some((count, between)) = missing.overdue(before) {
                    let (lost, reason) = (Lost::Missing { mode, count }, LossReason::NotSeen);
                    sink(SessionEvent::Lost(LostMessage { from, channel, lost, reason }, &between));
                }
            };
            for (channel, place) in &end.places {
                if let Some(it) = end.channels.get_mut(*place) {
                    report(&mut it.recent.missing, Some(*channel), Mode::Unreliable);
                }
            }
            if let Some(window) = &mut end.window {
                report(&mut window.missing, None, Mode::Unsequenced);
            }
        }
    }

    /// Gives up everything.
    pub(super) fn flush(&mut self, sink: &mut dyn FnMut(SessionEvent<'_, T>)) {
        for side in [Side::First, Side::Second] {
            let reason = self.end(side.other()).reason_without_acknowledgement();
            for at in 0..self.end(side).places.len() {
                let Some((channel, it)) = self.end(side).channel_at(at) else { break };
                let lane = Lane { from: side, channel };
                let mut blocker = it.blocker();
                while let Some(what) = blocker {
                    self.give_up(lane, what, reason, sink);
                    blocker = self.channel(lane).blocker();
                }
            }
        }
        while !self.unfinished.is_empty() {
            self.give_up_unfinished(0, LossReason::NotSeen, sink);
        }
        self.report_missing(u64::MAX, sink);
    }

    fn give_up(
        &mut self,
        lane: Lane,
        what: Overdue,
        reason: LossReason,
        sink: &mut dyn FnMut(SessionEvent<'_, T>),
    ) {
        let freed = self.channel(lane).give_up(what, reason, lane, sink);
        self.held = self.held.saturating_sub(freed);
        self.note(lane);
    }

    pub(super) fn give_up_unfinished(
        &mut self,
        at: usize,
        reason: LossReason,
        sink: &mut dyn FnMut(SessionEvent<'_, T>),
    ) {
        if at < self.unfinished.len() {
            let super::UnfinishedMessage { lane, key, assembly } = self.unfinished.remove(at);
            self.held = self.held.saturating_sub(assembly.cost());
            self.settle(lane, key, assembly.count());
            let between = Between::new(Some(assembly.tag), assembly.tag);
            sink(lane.lost(assembly.lost(mode_of(key)), reason, &between));
        }
    }
}
