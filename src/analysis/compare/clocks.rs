//! Compares the clocks of two recordings by the messages that both have, and says how long these took.

use crate::net::Side;

/// The order of the two recordings on the way of messages, and the difference of their clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Clocks {
    /// The end near the first recording: what it sends passes the first recording before the second
    /// one. None if both are at the same place, or if that is not known.
    pub near_first: Option<NearEnd>,
    /// How far the clock of the second recording is ahead of that of the first, in nanoseconds.
    pub offset: i64,
    /// The least and the greatest offset with which no message arrives before it was sent. None if
    /// messages were seen in one direction only.
    pub range: Option<(i64, i64)>,
}

/// An end of the connections that both recordings have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NearEnd {
    /// The ends that opened the connections.
    Client,
    /// The ends that were called.
    Server,
}

impl NearEnd {
    /// The name, such as `client`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            NearEnd::Client => "client",
            NearEnd::Server => "server",
        }
    }

    /// The other end.
    #[must_use]
    pub const fn other(self) -> NearEnd {
        match self {
            NearEnd::Client => NearEnd::Server,
            NearEnd::Server => NearEnd::Client,
        }
    }
}

impl Clocks {
    /// Compares the clocks by the times from the first recording to the second, in nanoseconds:
    /// first those of messages from clients, then those of messages from servers.
    ///
    /// If the clocks agree as far as the messages show, the offset is 0. Otherwise it is in the middle
    /// of the possible range, as if the fastest messages took equally long both ways.
    pub(super) fn compare(from_clients: &mut [i64], from_servers: &mut [i64]) -> Clocks {
        from_clients.sort_unstable();
        from_servers.sort_unstable();
        let (near_first, range) = match (middle(from_clients), middle(from_servers)) {
            // The offset cancels out in the difference, which is the time of a round trip.
            (Some(up), Some(down)) if up == down => (None, Some((up, up))),
            (Some(up), Some(down)) if up > down => {
                (Some(NearEnd::Client), range(from_servers, from_clients))
            }
            (Some(_), Some(_)) => (Some(NearEnd::Server), range(from_clients, from_servers)),
            // In one direction, only clocks that agree show which recording comes first.
            (Some(up), None) => (near(up, NearEnd::Client, NearEnd::Server), None),
            (None, Some(down)) => (near(down, NearEnd::Server, NearEnd::Client), None),
            (None, None) => (None, None),
        };
        let offset = match range {
            Some((low, high)) if low > 0 || high < 0 => {
                low.saturating_add(high.saturating_sub(low) / 2)
            }
            _ => 0,
        };
        Clocks { near_first, offset, range }
    }

    /// Whether the clocks differ as far as the messages show, so the offset is an estimate.
    #[must_use]
    pub const fn is_estimated(&self) -> bool {
        self.offset != 0
    }

    /// Whether the messages of an end pass the first recording before the second; none if that is
    /// not known. `client` is the end that opened the connection.
    pub(super) fn is_first_before(&self, from: Side, client: Side) -> Option<bool> {
        let is_client = from == client;
        self.near_first.map(|near| is_client == (near == NearEnd::Client))
    }
}

fn middle(times: &[i64]) -> Option<i64> {
    times.get(times.len() / 2).copied()
}

/// The least and the greatest offset, from the sorted times of what passes the second recording before
/// the first one, and of what passes the first one before.
///
/// If its sender's recording begins late, a message that was sent again may seem to arrive before it was
/// sent. Such times contradict those of the other direction, and are left out.
fn range(mut earlier: &[i64], mut later: &[i64]) -> Option<(i64, i64)> {
    let usual = (middle(earlier)?, middle(later)?);
    loop {
        let (low, rest_of_earlier) = earlier.split_last()?;
        let (high, rest_of_later) = later.split_first()?;
        if low <= high {
            return Some((*low, *high));
        }
        if low.abs_diff(usual.0) > high.abs_diff(usual.1) {
            earlier = rest_of_earlier;
        } else {
            later = rest_of_later;
        }
    }
}

/// The end near the first recording, from the usual time to the second one.
const fn near(time: i64, if_later: NearEnd, if_earlier: NearEnd) -> Option<NearEnd> {
    match time {
        0 => None,
        1.. => Some(if_later),
        _ => Some(if_earlier),
    }
}

#[cfg(test)]
mod tests {
    use super::{Clocks, NearEnd};

    #[test]
    fn clocks_that_agree_have_no_offset() {
        let clocks = Clocks::compare(&mut [15, 40, 20], &mut [-35, -18]);
        assert_eq!(clocks.near_first, Some(NearEnd::Client));
        assert_eq!((clocks.offset, clocks.range), (0, Some((-18, 15))));
    }

    #[test]
    fn the_offset_is_between_what_both_directions_allow() {
        // The second clock is 1,000 ahead; 10 and 30 pass on the way.
        let clocks = Clocks::compare(&mut [1_010, 1_012], &mut [970, 968]);
        assert_eq!((clocks.offset, clocks.near_first), (990, Some(NearEnd::Client)));
        let swapped = Clocks::compare(&mut [-1_010, -1_012], &mut [-970, -968]);
        assert_eq!((swapped.offset, swapped.near_first), (-990, Some(NearEnd::Server)));
    }

    #[test]
    fn messages_that_were_sent_before_do_not_move_the_clocks() {
        // Two messages were sent twice, and their senders' recordings began between the two times. So they
        // seem to arrive before they were sent.
        let clocks = Clocks::compare(&mut [15, 40, 20, -300], &mut [-35, -18, -22, 90]);
        assert_eq!(clocks.near_first, Some(NearEnd::Client));
        assert_eq!((clocks.offset, clocks.range), (0, Some((-18, 15))));
    }

    #[test]
    fn the_same_place_is_no_way() {
        let clocks = Clocks::compare(&mut [0, 0], &mut [0]);
        assert_eq!((clocks.near_first, clocks.offset), (None, 0));
        assert_eq!(Clocks::compare(&mut [5, 5], &mut [5]).offset, 5);
        assert_eq!(Clocks::compare(&mut [], &mut []).range, None);
    }
}
