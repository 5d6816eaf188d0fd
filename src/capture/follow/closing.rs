//! Closes connections: when the input ends, when a limit is exceeded, or when their ends have
//! closed them.

use super::{
    Cause, Closed, Excess, Finish, FollowedConnection, Follower, Lingering, Order, QueuedKind,
    Rest, Share, Shared, Summary, Transport,
};
use crate::net::Side;
use crate::net::packet::Time;

/// The most closed connections that are kept. Beyond that, the one that was closed first is given
/// up.
const MOST_LINGERING: usize = 1 << 12;

impl<'o> Follower<'o> {
    pub(crate) fn begin_to_finish(&mut self) {
        self.begin(&[], self.now);
        let Follower { connections, common, options, now, .. } = self;
        let mut open = Vec::new();
        common.begin_to_collect();
        for (flow, connection) in connections.iter() {
            open.push((connection.summary.connection, *flow));
            if let Some(classification) = connection.foresee(*now, options) {
                common.note(&classification);
            }
        }
        common.collected();
        open.sort_unstable_by_key(|(number, _)| core::cmp::Reverse(*number));
        self.finish = Finish::Connections(open);
    }

    /// Closes the next connection that is still open, and delivers what it holds. Returns false
    /// when all is done.
    #[inline]
    pub(super) fn continue_to_finish(&mut self) -> bool {
        matches!(self.finish, Finish::Connections(_)) && self.close_next()
    }

    fn close_next(&mut self) -> bool {
        let Finish::Connections(open) = &mut self.finish else { return false };
        if let Some((number, flow)) = open.pop() {
            self.queue.start(Order::of_open(number));
            // It may have been closed meanwhile, because of a limit.
            if self.connections.get(&flow).is_some_and(|it| it.summary.connection == number)
                && let Some(connection) = self.connections.take(&flow)
            {
                let is_over = connection.is_over();
                self.close(connection, if is_over { Closed::ByEnds } else { Closed::Finished });
            }
            return true;
        }
        self.finish = Finish::Done;
        let is_first = self.common.share().is_none_or(Share::is_first);
        let queue = &mut self.queue;
        queue.start(Order::LAST);
        if let Some(fragments) = &mut self.fragments {
            fragments.finish(&mut |lost| {
                if is_first {
                    queue.push(None, QueuedKind::lost(Cause::Fragments(lost)));
                }
            });
        }
        self.lingering.clear();
        self.given_up.clear();
        self.is_limit_reported = false;
        self.common.clear();
        true
    }

    /// The state that connections share.
    fn shared(&mut self) -> Shared<'_, 'o> {
        let is_finishing = matches!(self.finish, Finish::Connections(_));
        let Follower { options, common, scratch, queue, .. } = self;
        Shared { options, common, is_finishing, scratch, queue }
    }

    fn close(&mut self, mut connection: FollowedConnection, closed: Closed) -> Summary {
        let (now, shared) = (self.now, &mut self.shared());
        connection.close(now, closed, shared);
        let FollowedConnection { summary, names, .. } = connection;
        self.names.push((summary.connection, names));
        summary
    }

    /// Closes connections until no limit is exceeded.
    #[inline]
    pub(super) fn keep_limits(&mut self) {
        if let Some(share) = self.common.share()
            && self.connections.is_too_large(share.count(), self.held_besides())
        {
            // Only a single follower knows how much all connections hold together.
            return self.exceed_share();
        }
        if self.connections.has_excess(self.held_besides()) {
            self.end_excess();
        }
    }

    fn end_excess(&mut self) {
        // A closed connection never costs an open one its state.
        while self.connections.is_too_large(1, self.held_besides()) && !self.lingering.is_empty() {
            self.end_first_lingering();
        }
        while let Some((flow, mut connection, excess)) =
            self.connections.take_excess(self.held_besides())
        {
            // A decision frees what the losing readers keep.
            if connection.is_racing() && excess == Excess::Bytes {
                let (now, shared) = (self.now, &mut self.shared());
                connection.decide(now, shared);
                self.connections.insert(flow, connection);
                continue;
            }
            // All connections that the packet has outlived are closed before.
            self.queue.start(Order::of_silent(self.packets, i64::MAX, 0));
            let closed = if connection.is_over() { Closed::ByEnds } else { Closed::Limit };
            let (last, progress) = (connection.opened.last(), connection.progress());
            let connection = self.close(connection, closed);
            match excess {
                _ if closed == Closed::ByEnds => {}
                Excess::Bytes => {
                    let origin = connection.origin(Side::First);
                    self.queue.push(Some(origin), QueuedKind::lost(Cause::Flow));
                }
                Excess::Flows => {
                    // Over plain UDP, datagrams are independent of each other, so no state is lost.
                    if connection.transport().is_some_and(|it| it != Transport::Udp) {
                        self.report_limit();
                    }
                    self.given_up.add(&flow, Rest::of(&connection, last, progress));
                }
            }
        }
    }

    /// Notes that events from here on may differ from those of a single follower.
    pub(super) fn exceed_share(&mut self) {
        let is_finishing = !matches!(self.finish, Finish::No);
        let packet = if is_finishing { u64::MAX } else { self.packets };
        self.exceeds_share.get_or_insert(Order::of_packet(packet));
    }

    /// Reports once that there are too many connections.
    pub(super) fn report_limit(&mut self) {
        if !core::mem::replace(&mut self.is_limit_reported, true) {
            let limit = self.options.limits.flows;
            self.queue.push(None, QueuedKind::lost(Cause::Connections { limit }));
        }
    }

    /// Closes the connections that their ends have closed and that have been silent since.
    #[inline]
    pub(super) fn end_lingering(&mut self) {
        if !self.lingering.is_empty() {
            self.end_silent();
        }
    }

    fn end_silent(&mut self) {
        let now = self.now.time.map_or(i64::MIN, Time::as_nanos);
        let most = self.common.share().map_or(MOST_LINGERING, |it| MOST_LINGERING / it.count());
        while let Some(first) = self.lingering.first() {
            if self.lingering.len() > most {
                if self.common.share().is_some() {
                    return self.exceed_share();
                }
                self.end_first_lingering();
                continue;
            }
            if first.until > now {
                return;
            }
            match self.connections.get(&first.flow) {
                Some(it) if it.is_lingering_as(first.connection) && it.lingers_until() > now => {
                    let again = it.linger();
                    self.lingering.pop_first();
                    self.lingering.insert(again);
                }
                _ => self.end_first_lingering(),
            }
        }
    }

    /// Closes the connection that its ends closed first, unless they have continued it.
    fn end_first_lingering(&mut self) {
        let Some(Lingering { until, connection, flow }) = self.lingering.pop_first() else {
            return;
        };
        let order = Order::of_silent(self.packets, until, connection);
        self.queue.start(order);
        self.common.begin(order);
        let mut is_over = false;
        self.connections.amend(&flow, |it| {
            if it.summary.connection == connection {
                is_over = it.is_over();
                it.is_lingering = false;
            }
        });
        if is_over && let Some(connection) = self.connections.take(&flow) {
            self.close(connection, Closed::ByEnds);
        }
    }
}
