//! The times that `--from` and `--to` take.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::str::FromStr;

/// A point in time, absolute or relative to the first packet of a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Moment {
    /// Nanoseconds since the start of 1970, UTC.
    At(i64),
    /// Nanoseconds after the first packet.
    After(i64),
    /// A time on the day of the first packet, in UTC.
    TimeOfDay(Time),
}

impl Moment {
    /// Nanoseconds since the start of 1970, UTC; none if it depends on the first packet and its
    /// time is not known.
    pub(crate) fn nanoseconds(self, first: Option<i64>) -> Option<i64> {
        match self {
            Moment::At(nanoseconds) => Some(nanoseconds),
            Moment::After(length) => Some(first?.saturating_add(length)),
            Moment::TimeOfDay(time) => {
                let first = Timestamp::from_nanosecond(first?.into()).ok()?;
                let day = TimeZone::UTC.to_datetime(first).date();
                nanoseconds(in_utc(day.to_datetime(time))?)
            }
        }
    }
}

fn in_utc(time: DateTime) -> Option<Timestamp> {
    TimeZone::UTC.to_timestamp(time).ok()
}

fn nanoseconds(time: Timestamp) -> Option<i64> {
    i64::try_from(time.as_nanosecond()).ok()
}

impl FromStr for Moment {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Moment, &'static str> {
        const BEYOND: &str = "a time between 1678 and 2261 is needed";
        // Without a sign, 07:55:51 is a time of the day, and not nearly eight hours.
        let length = text.strip_prefix('+').or_else(|| (!text.contains(':')).then_some(text));
        if let Some(Ok(length)) = length.map(str::parse::<SignedDuration>) {
            if length.is_negative() {
                return Err("a time before the first packet selects nothing");
            }
            return i64::try_from(length.as_nanos()).map(Moment::After).map_err(|_| BEYOND);
        }
        if let Ok(time) = text.parse::<Timestamp>() {
            return nanoseconds(time).map(Moment::At).ok_or(BEYOND);
        }
        // Without a zone, a time is in UTC, like all times in the output.
        let midnight = |date: Date| date.to_datetime(Time::midnight());
        if let Ok(time) = text.parse::<DateTime>().or_else(|_| text.parse().map(midnight)) {
            return in_utc(time).and_then(nanoseconds).map(Moment::At).ok_or(BEYOND);
        }
        // Without a colon, it would not be clear whether hours or seconds are meant.
        let time_of_day = text.contains(':').then(|| text.parse().ok()).flatten();
        time_of_day.map(Moment::TimeOfDay).ok_or(
            "write a time as 2026-11-21T07:55:51Z, 07:55:51, or relative to the first packet as 5s \
             or 1m30s",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Moment;
    use gdwire::capture::Time;
    use proptest::prelude::*;

    /// 2026-11-21T07:55:51Z.
    const FIRST: i64 = 1_795_247_751_000_000_000;

    #[test]
    fn times_are_absolute_or_relative() {
        for (text, seconds) in [
            ("2026-11-21T07:55:51Z", 0),
            ("2026-11-21T08:55:52+01:00", 1),
            ("2026-11-21T07:55:53", 2),
            ("2026-11-21 07:56", 9),
            ("2026-11-21", -28_551),
            ("07:55:50", -1),
            ("07:56", 9),
            ("5s", 5),
            ("+1m30s", 90),
            ("1h", 3_600),
            ("0s", 0),
            ("2 minutes", 120),
            ("+00:01:30", 90),
        ] {
            let moment: Moment = text.parse().expect(text);
            let expected = FIRST + seconds * 1_000_000_000;
            assert_eq!(moment.nanoseconds(Some(FIRST)), Some(expected), "{text}");
        }
        let fraction: Moment = "1.5ms".parse().unwrap();
        assert_eq!(fraction.nanoseconds(Some(FIRST)), Some(FIRST + 1_500_000));
    }

    proptest! {
        #[test]
        fn shown_times_are_read(nanoseconds in any::<i64>(), first in any::<i64>()) {
            let shown = Time::from_nanos(nanoseconds, 9).to_string();
            let moment: Moment = shown.parse().unwrap();
            prop_assert_eq!(moment, Moment::At(nanoseconds));
            let without_zone: Moment = shown.trim_end_matches('Z').parse().unwrap();
            prop_assert_eq!(without_zone, moment);
            let length = nanoseconds.unsigned_abs() >> 1;
            let after: Moment = format!("{length}ns").parse().unwrap();
            let expected = first.saturating_add_unsigned(length);
            prop_assert_eq!(after.nanoseconds(Some(first)), Some(expected));
        }

        #[test]
        fn no_text_panics(text in ".{0,20}", first in any::<i64>()) {
            let moment: Result<Moment, _> = text.parse();
            let _ = moment.map(|moment| moment.nanoseconds(Some(first)));
        }
    }

    #[test]
    fn a_relative_time_needs_a_first_packet() {
        for (text, has_time) in [("5s", false), ("07:55", false), ("2026-11-21T00:00Z", true)] {
            let moment: Moment = text.parse().unwrap();
            assert_eq!(moment.nanoseconds(None).is_some(), has_time, "{text}");
        }
    }

    #[test]
    fn invalid_times_are_refused() {
        for text in [
            "",
            "5",
            "-5s",
            "yesterday",
            "2026-13-01",
            "25:00",
            "+",
            "1677-01-01",
            "9999-01-01T00:00Z",
        ] {
            assert!(text.parse::<Moment>().is_err(), "{text}");
        }
    }
}
