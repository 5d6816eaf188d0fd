//! Gives up missing messages: when they are overdue, when room is needed, and at the end.

use super::deliver::mode_of;
use super::{End, Lane, Session};
use crate::net::Side;
use crate::net::enet::channel::{Channel, Overdue};
use crate::net::enet::event::{Event, Reason};

/// After how many datagrams overdue messages are looked for.
const INTERVAL: u64 = 8;

impl Session {
    pub(super) const fn room(&self) -> usize {
        self.limits.held_bytes.saturating_sub(self.held)
    }

    /// Gives up what has waited longest until there is room. Returns whether there is.
    pub(super) fn make_room(&mut self, cost: usize, sink: &mut dyn FnMut(Event<'_>)) -> bool {
        while self.room() < cost {
            let lane =
                self.lanes().filter_map(|(lane, it)| Some((it.since()?, lane))).min_by_key(first);
            let unfinished = self.unfinished.iter().map(|it| it.assembly.datagram).zip(0..);
            match (lane, unfinished.min_by_key(first)) {
                (Some((since, _)), Some((other, at))) if other < since => {
                    self.give_up_unfinished(at, Reason::Limit, sink);
                }
                (Some((_, lane)), _) => {
                    let Some(blocker) = self.channel(lane).blocker() else { return false };
                    self.give_up(lane, blocker, Reason::Limit, sink);
                }
                (None, Some((_, at))) => self.give_up_unfinished(at, Reason::Limit, sink),
                (None, None) => return false,
            }
        }
        true
    }

    /// Gives up what is missing before a sequence number, because there is no room to wait.
    pub(super) fn skip_to(&mut self, lane: Lane, end: u64, sink: &mut dyn FnMut(Event<'_>)) {
        while !self.channel(lane).has_reached(end) {
            let what = match self.channel(lane).blocker() {
                Some(Overdue::Before(number)) => Overdue::Before(number.min(end)),
                Some(Overdue::Head) => Overdue::Head,
                None => Overdue::Before(end),
            };
            self.give_up(lane, what, Reason::Limit, sink);
        }
    }

    pub(super) fn give_up_overdue(&mut self, sink: &mut dyn FnMut(Event<'_>)) {
        let (now, patience) = (self.datagrams, self.limits.patience);
        if now % INTERVAL != 0 {
            return;
        }
        let oldest = now.saturating_sub(patience);
        while let Some(at) = self.unfinished.iter().position(|it| it.assembly.datagram < oldest) {
            self.give_up_unfinished(at, Reason::NotSeen, sink);
        }
        for side in [Side::First, Side::Second] {
            for at in 0..self.end(side).channels.len() {
                let Some(&(channel, _)) = self.end(side).channels.get(at) else { break };
                let lane = Lane { from: side, channel };
                while let Some(overdue) = self.channel(lane).overdue(now, patience) {
                    self.give_up(lane, overdue, Reason::NotSeen, sink);
                }
            }
        }
    }

    /// Gives up everything.
    pub(super) fn flush(&mut self, sink: &mut dyn FnMut(Event<'_>)) {
        while let Some(lane) = self.first_waiting() {
            while let Some(blocker) = self.channel(lane).blocker() {
                self.give_up(lane, blocker, Reason::NotSeen, sink);
            }
        }
        while !self.unfinished.is_empty() {
            self.give_up_unfinished(0, Reason::NotSeen, sink);
        }
    }

    fn give_up(
        &mut self,
        lane: Lane,
        what: Overdue,
        reason: Reason,
        sink: &mut dyn FnMut(Event<'_>),
    ) {
        let freed = self.channel(lane).give_up(what, reason, lane, sink);
        self.held = self.held.saturating_sub(freed);
    }

    pub(super) fn give_up_unfinished(
        &mut self,
        at: usize,
        reason: Reason,
        sink: &mut dyn FnMut(Event<'_>),
    ) {
        if at < self.unfinished.len() {
            let super::Unfinished { lane, key, assembly } = self.unfinished.remove(at);
            self.held = self.held.saturating_sub(assembly.cost());
            self.settle(lane, key, assembly.count());
            sink(lane.lost(assembly.lost(mode_of(key)), reason));
        }
    }

    fn first_waiting(&self) -> Option<Lane> {
        self.lanes().find(|(_, channel)| channel.is_waiting()).map(|(lane, _)| lane)
    }

    fn lanes(&self) -> impl Iterator<Item = (Lane, &Channel)> {
        fn of(from: Side, end: &End) -> impl Iterator<Item = (Lane, &Channel)> {
            end.channels.iter().map(move |(channel, it)| (Lane { from, channel: *channel }, it))
        }
        of(Side::First, &self.first).chain(of(Side::Second, &self.second))
    }
}

fn first<T>(pair: &(u64, T)) -> u64 {
    pair.0
}
