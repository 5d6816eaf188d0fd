//! Finds each message of one recording in another, by its content and its number.

use super::log::LoggedMessage;

/// The place of each message of one recording in the other one; none if it is not there.
pub struct Matching {
    pub of_first: Vec<Option<usize>>,
    pub of_second: Vec<Option<usize>>,
}

impl Matching {
    /// Matches the messages that one end of a connection sent.
    ///
    /// If their sender has numbered them, each message has one counterpart at most. Otherwise several
    /// may be alike: those are matched in their order, and those whose delays are the most usual.
    pub fn new(first: &[LoggedMessage], second: &[LoggedMessage], is_numbered: bool) -> Matching {
        let key = |message: &LoggedMessage| {
            let number = message.number.filter(|_| is_numbered);
            (message.content, number)
        };
        let sorted = |messages: &[LoggedMessage]| {
            let mut keys: Vec<_> = messages.iter().map(key).zip(0..).collect();
            keys.sort_unstable();
            keys
        };
        let (ours, theirs) = (sorted(first), sorted(second));
        let mut matching =
            Matching { of_first: vec![None; first.len()], of_second: vec![None; second.len()] };
        let mut unequal = Vec::new();
        let mut rest = &theirs[..];
        for group in ours.chunk_by(|(one, _), (two, _)| one == two) {
            let Some((key, _)) = group.first() else { continue };
            let start = rest.partition_point(|(other, _)| other < key);
            let end = rest.partition_point(|(other, _)| other <= key);
            let same = rest.get(start..end).unwrap_or(&[]);
            rest = rest.get(end..).unwrap_or(&[]);
            if same.is_empty() {
                continue;
            }
            if same.len() == group.len() {
                for ((_, one), (_, two)) in group.iter().zip(same) {
                    matching.join(*one, *two);
                }
            } else {
                unequal.push((group, same));
            }
        }
        let usual = matching.usual_delay(first, second);
        for (group, same) in unequal {
            // The places of the shorter list are each matched with one of the longer list.
            let is_swapped = group.len() < same.len();
            let (long, short) = if is_swapped { (same, group) } else { (group, same) };
            let (of_long, of_short) = if is_swapped { (second, first) } else { (first, second) };
            let usual = if is_swapped { usual.saturating_neg() } else { usual };
            let mut next = 0_usize;
            for (at, (_, short_place)) in short.iter().enumerate() {
                // The others after this one need places, too.
                let left = short.len().saturating_sub(at).saturating_sub(1);
                let last = long.len().saturating_sub(left).saturating_sub(1);
                let unusual = |candidate: usize| {
                    let (_, place) = long.get(candidate)?;
                    let delay = delay(of_long.get(*place)?, of_short.get(*short_place)?)?;
                    Some(delay.saturating_sub(usual).unsigned_abs())
                };
                while next < last
                    && let (Some(now), Some(later)) =
                        (unusual(next), unusual(next.saturating_add(1)))
                    && later < now
                {
                    next = next.saturating_add(1);
                }
                if let Some((_, long_place)) = long.get(next) {
                    let (one, two) = if is_swapped {
                        (*short_place, *long_place)
                    } else {
                        (*long_place, *short_place)
                    };
                    matching.join(one, two);
                }
                next = next.saturating_add(1);
            }
        }
        matching
    }

    fn join(&mut self, one: usize, two: usize) {
        if let Some(place) = self.of_first.get_mut(one) {
            *place = Some(two);
        }
        if let Some(place) = self.of_second.get_mut(two) {
            *place = Some(one);
        }
    }

    /// The median of the delays from the first recording to the second so far; 0 if there are none.
    fn usual_delay(&self, first: &[LoggedMessage], second: &[LoggedMessage]) -> i64 {
        let mut delays = self.delays(first, second);
        let middle = delays.len() / 2;
        if middle >= delays.len() {
            return 0;
        }
        *delays.select_nth_unstable(middle).1
    }

    /// The messages that both recordings have.
    pub fn common<'m>(
        &'m self,
        first: &'m [LoggedMessage],
        second: &'m [LoggedMessage],
    ) -> impl Iterator<Item = (LoggedMessage, LoggedMessage)> + 'm {
        let places = first.iter().zip(&self.of_first);
        places.filter_map(|(message, place)| Some((*message, *second.get((*place)?)?)))
    }

    /// The times from the first recording to the second, in nanoseconds.
    pub fn delays(&self, first: &[LoggedMessage], second: &[LoggedMessage]) -> Vec<i64> {
        self.common(first, second).filter_map(|(one, two)| delay(&one, &two)).collect()
    }
}

fn delay(from: &LoggedMessage, to: &LoggedMessage) -> Option<i64> {
    Some(to.time()?.saturating_sub(from.time()?))
}

#[cfg(test)]
mod tests {
    use super::Matching;
    use crate::analysis::compare::log::LoggedMessage;

    fn messages(of: &[(u64, i64)]) -> Vec<LoggedMessage> {
        of.iter().map(|(content, time)| LoggedMessage::new(*content, *time, None)).collect()
    }

    #[test]
    fn one_of_several_equal_messages_is_missing() {
        let sent = [(1, 0), (7, 10), (7, 20), (7, 30), (2, 40)];
        for lost in 0..5 {
            let first = messages(&sent);
            let mut arrived: Vec<_> = sent.iter().map(|(it, time)| (*it, time + 3)).collect();
            arrived.remove(lost);
            let second = messages(&arrived);
            let matching = Matching::new(&first, &second, false);
            let missing: Vec<_> = (0..5).filter(|at| matching.of_first[*at].is_none()).collect();
            assert_eq!(missing, [lost]);
            assert!(matching.of_second.iter().all(Option::is_some));
            // The other way round.
            let matching = Matching::new(&second, &first, false);
            let missing: Vec<_> = (0..5).filter(|at| matching.of_second[*at].is_none()).collect();
            assert_eq!(missing, [lost]);
        }
    }
}
