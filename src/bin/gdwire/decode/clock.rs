//! Shows the times of messages as `--time` requests.

use super::args::TimeChoice;
use crate::selection::FirstPacket;
use gdwire::capture::Time;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::sync::Arc;

/// Lines with at least this many columns show times in microseconds.
const WIDE: usize = 100;

/// How many decimals of a second are shown on lines with this many columns.
pub(super) const fn decimals(columns: usize) -> usize {
    if columns < WIDE { 3 } else { 6 }
}

/// Shows times.
pub(super) struct Clock {
    choice: TimeChoice,
    zone: TimeZone,
    first: Arc<FirstPacket>,
    /// The time of the message before, in nanoseconds.
    previous: Option<i64>,
}

impl Clock {
    pub(super) fn new(choice: TimeChoice, first: Arc<FirstPacket>) -> Clock {
        let zone = match choice {
            TimeChoice::Local => TimeZone::system(),
            _ => TimeZone::UTC,
        };
        Clock { choice, zone, first, previous: None }
    }

    /// Shows times as `--time` sets; by default, relative where lines are fitted to a width, and in
    /// UTC elsewhere.
    pub(super) fn of(
        choice: Option<TimeChoice>,
        is_fitted: bool,
        first: Arc<FirstPacket>,
    ) -> Clock {
        let usual = if is_fitted { TimeChoice::Relative } else { TimeChoice::Utc };
        Clock::new(choice.unwrap_or(usual), first)
    }

    /// Begins another file.
    pub(super) const fn begin(&mut self) {
        self.previous = None;
    }

    /// The time of the next message, aligned. `decimals` is the number of decimals of a second;
    /// none for all. Further decimals are cut off, not rounded, so that no time is later than the
    /// real one.
    pub(super) fn show(&mut self, time: Option<Time>, decimals: Option<usize>) -> String {
        let all = decimals.is_none();
        let decimals = decimals.unwrap_or(9);
        let now = time.map(Time::as_nanos);
        let since = |start: Option<i64>| {
            let seconds = |nanoseconds: i64| {
                // Integers, because a float would lose nanoseconds in a long capture.
                let unit = 10_i64.pow(9_u32.saturating_sub(decimals as u32));
                let rounded = nanoseconds.unsigned_abs() / unit.unsigned_abs();
                let per_second = 1_000_000_000 / unit.unsigned_abs();
                let sign = if nanoseconds < 0 && rounded > 0 { "-" } else { "" };
                let (whole, rest) = (rounded / per_second, rounded % per_second);
                format!("{sign}{whole}.{rest:0decimals$}")
            };
            let text = now.zip(start).map(|(now, start)| seconds(now.saturating_sub(start)));
            let width = decimals.saturating_add(5);
            format!("{:>width$}", text.as_deref().unwrap_or("-"))
        };
        let shown = match (self.choice, time) {
            (TimeChoice::Relative, _) => since(self.first.nanoseconds()),
            (TimeChoice::Delta, _) => since(self.previous.or(now)),
            (_, None) => "-".to_owned(),
            (TimeChoice::Utc, Some(time)) if all => time.to_string(),
            (TimeChoice::Utc, Some(time)) => format!("{time:.decimals$}"),
            (TimeChoice::Local, Some(time)) => self.local(time, decimals),
        };
        self.previous = now.or(self.previous);
        shown
    }

    fn local(&self, time: Time, decimals: usize) -> String {
        match Timestamp::from_nanosecond(time.as_nanos().into()) {
            Ok(timestamp) => {
                let format = format!("%Y-%m-%dT%H:%M:%S.%{decimals}f%:z");
                timestamp.to_zoned(self.zone.clone()).strftime(&format).to_string()
            }
            Err(_) => "-".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, TimeChoice};
    use crate::selection::FirstPacket;
    use gdwire::capture::Time;
    use std::sync::Arc;

    fn shown(choice: TimeChoice, nanoseconds: &[i64]) -> Vec<String> {
        let first = Arc::new(FirstPacket::default());
        let times = nanoseconds.iter().map(|it| Some(Time::from_nanos(*it, 9)));
        let times: Vec<_> = times.collect();
        first.note(times[0]);
        let mut clock = Clock::new(choice, first);
        times.iter().map(|time| clock.show(*time, Some(6)).trim().to_owned()).collect()
    }

    #[test]
    fn times_are_after_the_first_packet_or_the_message_before() {
        let times = [5_000_000_000, 5_000_001_999, 6_500_000_000, 6_400_000_000, 4_000_000_000];
        let relative = shown(TimeChoice::Relative, &times);
        assert_eq!(relative, ["0.000000", "0.000001", "1.500000", "1.400000", "-1.000000"]);
        let delta = shown(TimeChoice::Delta, &times);
        assert_eq!(delta, ["0.000000", "0.000001", "1.499998", "-0.100000", "-2.400000"]);
        let utc = shown(TimeChoice::Utc, &[0]);
        assert_eq!(utc, ["1970-01-01T00:00:00.000000Z"]);
    }
}
