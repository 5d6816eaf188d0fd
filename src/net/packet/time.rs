//! The times at which packets were captured.

use core::fmt;
use core::time::Duration;
use std::time::{SystemTime, UNIX_EPOCH};

/// When a packet was captured: nanoseconds since the start of 1970, UTC, without leap seconds.
///
/// ```
/// # use gdwire::capture::Capture;
/// # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot3-udp-usec.pcap"))?;
/// let packet = Capture::new(&file)?.next().ok_or("no packet")??;
/// let time = packet.time.ok_or("no time")?;
/// assert_eq!(time.decimals(), 6);
/// assert_eq!(time.as_nanos() % 1000, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    nanoseconds: i64,
    decimals: Decimals,
}

/// A number of decimals. Because the byte has other values, an optional time is no larger than a time,
/// nor is anything optional that has a time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
enum Decimals {
    Zero,
    One,
    Two,
    Three,
    Four,
    Five,
    Six,
    Seven,
    Eight,
    Nine,
}

impl Decimals {
    const fn of(number: u8) -> Decimals {
        match number {
            0 => Decimals::Zero,
            1 => Decimals::One,
            2 => Decimals::Two,
            3 => Decimals::Three,
            4 => Decimals::Four,
            5 => Decimals::Five,
            6 => Decimals::Six,
            7 => Decimals::Seven,
            8 => Decimals::Eight,
            _ => Decimals::Nine,
        }
    }
}

impl Time {
    /// A time in nanoseconds since the start of 1970, UTC. `decimals` is the number of decimal
    /// places of a second that the clock has, at most 9.
    #[must_use]
    pub const fn from_nanos(nanoseconds: i64, decimals: u8) -> Time {
        Time { nanoseconds, decimals: Decimals::of(decimals) }
    }

    /// Nanoseconds since the start of 1970, UTC. A time before 1677 or after 2262 is given as the
    /// nearest one that fits.
    #[must_use]
    pub const fn as_nanos(self) -> i64 {
        self.nanoseconds
    }

    /// The current time of the system's clock.
    ///
    /// Browsers have no such clock. There, take the time from JavaScript's `Date.now()`.
    #[must_use]
    pub fn now() -> Time {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time::from_nanos(i64::try_from(since_1970.as_nanos()).unwrap_or(i64::MAX), 9)
    }

    /// How much time has passed since an earlier time; zero if that is later.
    #[must_use]
    pub const fn since(self, earlier: Time) -> Duration {
        // The difference of two `i64` fits in a `u64`.
        let passed = self.nanoseconds.wrapping_sub(earlier.nanoseconds).cast_unsigned();
        Duration::from_nanos(if self.nanoseconds > earlier.nanoseconds { passed } else { 0 })
    }

    /// How many decimal places of a second the capture's clock has, 9 at most: 6 for
    /// microseconds.
    #[must_use]
    pub const fn decimals(self) -> u8 {
        self.decimals as u8
    }
}

/// Shows the time as RFC 3339 does, such as `2026-11-21T07:55:16.103423Z`: with six decimals, or with
/// nine if the clock has more than six. A precision sets another number of decimals.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SECOND: i64 = 1_000_000_000;
        let decimals = if self.decimals() > 6 { 9 } else { 6 };
        let decimals = f.precision().unwrap_or(decimals).min(9);
        let second = self.nanoseconds.div_euclid(SECOND);
        let (year, month, day) = date(second.div_euclid(86_400));
        let of_day = second.rem_euclid(86_400);
        let (hour, minute, of_minute) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
        let nanosecond = self.nanoseconds.rem_euclid(SECOND);
        // Written digit by digit, because a capture has many times, and formatting is slow.
        let mut text = *b"0000-00-00T00:00:00.000000000Z";
        for (end, mut number) in [
            (4, year),
            (7, month),
            (10, day),
            (13, hour),
            (16, minute),
            (19, of_minute),
            (29, nanosecond),
        ] {
            for digit in text.iter_mut().take(end).rev() {
                if number == 0 {
                    break;
                }
                *digit = b'0'.saturating_add((number % 10) as u8);
                number /= 10;
            }
        }
        let end = if decimals > 0 { decimals.saturating_add(20) } else { 19 };
        if let Some(zone) = text.get_mut(end) {
            *zone = b'Z';
        }
        let text = text.get(..=end).and_then(|text| core::str::from_utf8(text).ok());
        f.write_str(text.unwrap_or_default())
    }
}

/// The year, month and day of a day since the start of 1970, in the Gregorian calendar.
///
/// The year is taken to start in March, so that the leap day is its last day. 400 such years, an
/// era, have 146,097 days. This is the algorithm `civil_from_days` of Howard Hinnant.
const fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, is_next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + is_next, month, day)
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Time")
            .field("nanoseconds", &self.nanoseconds)
            .field("decimals", &self.decimals())
            .finish()
    }
}

const NANOSECONDS: u64 = 1_000_000_000;

/// The clock of a capture, which converts its ticks to time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    scale: Scale,
    offset_seconds: i64,
    decimals: u8,
}

#[derive(Clone, Copy, Debug)]
enum Scale {
    /// How many nanoseconds a tick has.
    Multiply(u64),
    /// How many ticks a second has.
    PerSecond(u128),
}

impl Clock {
    pub const MICROSECONDS: Clock = Clock::new(6, 0);
    pub const NANOSECONDS: Clock = Clock::new(9, 0);

    /// The clock of an interface in a pcapng file: `if_tsresol` (a negative power of 10, or of 2 if
    /// the top bit is set) and `if_tsoffset`, in seconds.
    pub const fn new(resolution: u8, offset_seconds: i64) -> Clock {
        let exponent = (resolution & 0x7f) as u32;
        let is_binary = resolution & 0x80 != 0;
        let ticks = match (if is_binary { 2_u128 } else { 10 }).checked_pow(exponent) {
            Some(ticks) => ticks,
            None => u128::MAX,
        };
        let is_decimal = !is_binary && exponent <= 9;
        Clock {
            scale: if is_decimal {
                Scale::Multiply(NANOSECONDS / ticks as u64)
            } else {
                Scale::PerSecond(ticks)
            },
            offset_seconds,
            decimals: if is_decimal { exponent as u8 } else { 9 },
        }
    }

    /// The time of a packet in a classic pcap file: whole seconds, and ticks after them.
    #[inline]
    pub fn at_second(self, seconds: u32, ticks: u32) -> Time {
        if let Clock { scale: Scale::Multiply(factor), offset_seconds: 0, .. } = self {
            // Less than 2^63: a tick has at most a second.
            let part = u64::from(ticks).saturating_mul(factor);
            let nanoseconds = u64::from(seconds).saturating_mul(NANOSECONDS).saturating_add(part);
            return Time::from_nanos(nanoseconds.cast_signed(), self.decimals);
        }
        let whole = i128::from(seconds) * i128::from(NANOSECONDS);
        self.time(whole + self.nanoseconds(ticks.into()))
    }

    pub fn at(self, ticks: u64) -> Time {
        self.time(self.nanoseconds(ticks))
    }

    fn nanoseconds(self, ticks: u64) -> i128 {
        match self.scale {
            Scale::Multiply(factor) => i128::from(ticks) * i128::from(factor),
            // Less than 2^94 even before the division.
            Scale::PerSecond(per_second) => {
                (u128::from(ticks) * u128::from(NANOSECONDS) / per_second).cast_signed()
            }
        }
    }

    fn time(self, nanoseconds: i128) -> Time {
        let shifted = nanoseconds + i128::from(self.offset_seconds) * i128::from(NANOSECONDS);
        let limit = if shifted < 0 { i64::MIN } else { i64::MAX };
        Time::from_nanos(i64::try_from(shifted).unwrap_or(limit), self.decimals)
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, Time};

    #[test]
    fn times_are_shown_as_rfc_3339_does() {
        for (nanoseconds, decimals, shown) in [
            (0, 0, "1970-01-01T00:00:00.000000Z"),
            (-1, 9, "1969-12-31T23:59:59.999999999Z"),
            (951_782_399_999_999_999, 6, "2000-02-28T23:59:59.999999Z"),
            (951_868_799_000_000_001, 7, "2000-02-29T23:59:59.000000001Z"),
            (1_709_164_800_000_000_000, 3, "2024-02-29T00:00:00.000000Z"),
            (4_107_542_400_000_000_000, 3, "2100-03-01T00:00:00.000000Z"),
            (i64::MIN, 9, "1677-09-21T00:12:43.145224192Z"),
            (i64::MAX, 9, "2262-04-11T23:47:16.854775807Z"),
        ] {
            let time = Time::from_nanos(nanoseconds, decimals);
            assert_eq!(time.to_string(), shown);
        }
        let time = Time::from_nanos(1_763_711_716_103_423_916, 9);
        assert_eq!(format!("{time:.0} {time:.3}"), "2025-11-21T07:55:16Z 2025-11-21T07:55:16.103Z");
    }

    #[test]
    fn days_follow_each_other_as_in_the_calendar() {
        let (mut year, mut month, mut day) = (1890, 1, 1);
        // From the start of 1890 to the end of 2109, at a time that has every digit.
        for number in -29_219..51_134_i64 {
            let nanoseconds = (number * 86_400 + 45_296) * 1_000_000_000 + 789_012_345;
            let expected = format!("{year}-{month:02}-{day:02}T12:34:56.789012345Z");
            assert_eq!(Time::from_nanos(nanoseconds, 9).to_string(), expected);
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let days = match month {
                2 => 28 + i32::from(is_leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            (day, month) = if day < days { (day + 1, month) } else { (1, month + 1) };
            (month, year) = if month < 13 { (month, year) } else { (1, year + 1) };
        }
        assert_eq!((year, month, day), (2110, 1, 1));
    }

    #[test]
    fn a_time_has_as_many_decimals_as_are_asked_for() {
        let text = "1970-01-01T00:00:00.123456789Z";
        for decimals in 0..=10 {
            let time = Time::from_nanos(123_456_789, decimals);
            assert_eq!(time.decimals(), decimals.min(9));
            let shown = format!("{time:.0$}", usize::from(decimals));
            let len = if decimals == 0 { 19 } else { 20 + usize::from(decimals.min(9)) };
            assert_eq!(shown, format!("{}Z", text.get(..len).unwrap_or_default()));
        }
        let [earlier, later] = [i64::MIN, i64::MAX].map(|time| Time::from_nanos(time, 0));
        assert_eq!(later.since(earlier).as_nanos(), u64::MAX.into());
        assert_eq!([earlier.since(later), later.since(later)].map(|it| it.as_nanos()), [0, 0]);
    }

    #[test]
    fn resolutions_are_powers_of_ten_or_two() {
        for (resolution, ticks, nanoseconds, decimals) in [
            (6, 1_500_000, 1_500_000_000, 6),
            (9, 1_500_000_000, 1_500_000_000, 9),
            (0, 3, 3_000_000_000, 0),
            (12, 1_500_000_000_000, 1_500_000_000, 9),
            (0x80, 3, 3_000_000_000, 9),
            (0x8a, 1536, 1_500_000_000, 9),
            (0xff, u64::MAX, 0, 9),
            (0x7f, u64::MAX, 0, 9),
        ] {
            let time = Clock::new(resolution, 0).at(ticks);
            assert_eq!((time.as_nanos(), time.decimals()), (nanoseconds, decimals));
        }
    }

    #[test]
    fn offsets_shift_and_extremes_saturate() {
        assert_eq!(Clock::new(6, -1).at(1_500_000).as_nanos(), 500_000_000);
        assert_eq!(Clock::new(0, i64::MAX).at(u64::MAX).as_nanos(), i64::MAX);
        assert_eq!(Clock::new(6, i64::MIN).at(0).as_nanos(), i64::MIN);
        assert_eq!(Clock::MICROSECONDS.at_second(1, 2).as_nanos(), 1_000_002_000);
    }
}
