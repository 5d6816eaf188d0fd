//! Gives up missing messages: when they are overdue, when room is needed, and at the end.

use super::deliver::mode_of;
use super::{Lane, Session};
use crate::net::enet::channel::{Overdue, UNACKNOWLEDGED};
use crate::net::enet::event::{Event, LossReason, Lost, LostMessage, Mode};
use crate::net::enet::missing::Missing;
use crate::net::{Between, Side, Tag};
use std::mem;

/// Overdue messages are searched for whenever this many datagrams have arrived.
const INTERVAL: u64 = 8;

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
    pub(super) fn make_room(&mut self, cost: usize, sink: &mut dyn FnMut(Event<'_, T>)) -> bool {
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
    pub(super) fn skip_to(&mut self, lane: Lane, end: u64, sink: &mut dyn FnMut(Event<'_, T>)) {
        while !self.channel(lane).has_reached(end) {
            let what = match self.channel(lane).blocker() {
                Some(Overdue::Before(number)) => Overdue::Before(number.min(end)),
                Some(Overdue::Head) => Overdue::Head,
                None => Overdue::Before(end),
            };
            self.give_up(lane, what, LossReason::Limit, sink);
        }
    }

    pub(super) fn give_up_overdue(&mut self, sink: &mut dyn FnMut(Event<'_, T>)) {
        let (now, patience) = (self.datagrams, self.limits.patience);
        if now % INTERVAL != 0 {
            return;
        }
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
    fn report_missing(&mut self, before: u64, sink: &mut dyn FnMut(Event<'_, T>)) {
        for from in [Side::First, Side::Second] {
            let end = self.end(from);
            let mut report = |missing: &mut Missing<T>, channel, mode| {
                while let Some((count, between)) = missing.overdue(before) {
                    let (lost, reason) = (Lost::Missing { mode, count }, LossReason::NotSeen);
                    sink(Event::Lost(LostMessage { from, channel, lost, reason }, &between));
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
    pub(super) fn flush(&mut self, sink: &mut dyn FnMut(Event<'_, T>)) {
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
        sink: &mut dyn FnMut(Event<'_, T>),
    ) {
        let freed = self.channel(lane).give_up(what, reason, lane, sink);
        self.held = self.held.saturating_sub(freed);
        self.note(lane);
    }

    pub(super) fn give_up_unfinished(
        &mut self,
        at: usize,
        reason: LossReason,
        sink: &mut dyn FnMut(Event<'_, T>),
    ) {
        if at < self.unfinished.len() {
            let super::Unfinished { lane, key, assembly } = self.unfinished.remove(at);
            self.held = self.held.saturating_sub(assembly.cost());
            self.settle(lane, key, assembly.count());
            let between = Between::new(Some(assembly.tag), assembly.tag);
            sink(lane.lost(assembly.lost(mode_of(key)), reason, &between));
        }
    }
}
