//! The clock of a capture: what time it is there now.
//!
//! Live packets set the clock, and it runs on between them. A recording waits for the clock, which
//! runs as fast as the user asks, and stands still while the user pauses.

use gdwire::packet::Time;
use std::time::{Duration, Instant};

/// A clock that is ahead of a packet by more than this is set back: the packets are those of another
/// capture.
const BACK: Duration = Duration::from_secs(60);

/// A recording does not wait for longer than this for a packet: a longer silence is skipped.
const SILENCE: Duration = Duration::from_secs(60);

/// How fast a recording is read.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Speed {
    /// This many times as fast as it was recorded.
    Times(f64),
    /// As fast as possible.
    Max,
}

/// Parses a speed.
pub fn speed(text: &str) -> Result<Speed, &'static str> {
    if text == "max" {
        return Ok(Speed::Max);
    }
    let number = text.strip_suffix('x').unwrap_or(text).parse().ok();
    match number.filter(|number| (0.001..=1e6).contains(number)) {
        Some(number) => Ok(Speed::Times(number)),
        None => Err("expected a number from 0.001 to 1000000, such as 2 or 0.5, or 'max'"),
    }
}

/// The least and the greatest speed that keys can choose.
const SPEEDS: (f64, f64) = (1.0 / 16.0, 1024.0);

pub struct ReplayClock {
    /// None if the packets are live.
    speed: Option<Speed>,
    /// A moment and the time of the capture then.
    set: Option<(Instant, Time)>,
    /// The time of the last packet.
    last: Option<Time>,
    /// The moment since which the clock stands still.
    paused: Option<Instant>,
}

impl ReplayClock {
    pub fn new(speed: Option<Speed>) -> ReplayClock {
        ReplayClock { speed, set: None, last: None, paused: None }
    }

    /// The time of the capture; none before the first packet.
    pub fn at(&self, now: Instant) -> Option<Time> {
        let (moment, time) = self.set?;
        let now = self.paused.unwrap_or(now);
        let elapsed = now.saturating_duration_since(moment);
        let speed = match self.speed {
            None => 1.0,
            Some(Speed::Times(speed)) => speed,
            Some(Speed::Max) => return Some(time),
        };
        Some(later(time, elapsed.mul_f64(speed)))
    }

    /// Takes the time of a packet: of a live one now, of one in a recording when it is due.
    pub fn packet(&mut self, time: Time, now: Instant) {
        self.last = Some(time);
        let is_set = match (self.at(now), self.speed) {
            (None, _) | (_, Some(Speed::Max)) => false,
            (Some(clock), None) => clock >= time && clock.since(time) < BACK,
            (Some(clock), Some(_)) => clock.since(time) < BACK,
        };
        if !is_set {
            self.set = Some((now, time));
        }
    }

    /// How long a packet of a recording still has to wait; none if it is due.
    pub fn wait(&mut self, time: Time, now: Instant) -> Option<Duration> {
        let Some(Speed::Times(speed)) = self.speed else { return None };
        let early = time.since(self.at(now)?);
        if early.is_zero() {
            return None;
        }
        if self.paused.is_some() {
            return Some(Duration::MAX);
        }
        if self.last.is_some_and(|last| time.since(last) > SILENCE) {
            self.set = Some((now, time));
            return None;
        }
        Some(early.div_f64(speed))
    }

    /// The speed of a recording.
    pub fn speed(&self) -> Option<Speed> {
        self.speed
    }

    /// Changes the speed of a recording by a factor.
    pub fn change_speed(&mut self, factor: f64, now: Instant) {
        let Some(Speed::Times(speed)) = self.speed else { return };
        self.set = self.at(now).map(|time| (self.paused.unwrap_or(now), time));
        self.speed = Some(Speed::Times((speed * factor).clamp(SPEEDS.0, SPEEDS.1)));
    }

    /// Lets a recording stand still. Live packets go on.
    pub fn pause(&mut self, now: Instant) {
        if self.speed.is_some() {
            self.paused.get_or_insert(now);
        }
    }

    /// Lets a recording go on.
    pub fn resume(&mut self, now: Instant) {
        let Some(paused) = self.paused.take() else { return };
        if let Some((moment, _)) = &mut self.set {
            *moment += now.saturating_duration_since(paused);
        }
    }

    /// Stops at the end of the input, when its last second is over. A recording ends with its last
    /// packet, even if reading took longer than it should.
    pub fn end(&mut self, now: Instant) {
        let end = if self.speed.is_some() { self.last } else { self.at(now) };
        let end = end.map(|time| later(time, Duration::from_secs(1)));
        self.speed = Some(Speed::Max);
        self.set = end.map(|end| (now, end));
    }
}

fn later(time: Time, by: Duration) -> Time {
    let by = i64::try_from(by.as_nanos()).unwrap_or(i64::MAX);
    Time::from_nanos(time.as_nanos().saturating_add(by), time.decimals())
}

#[cfg(test)]
mod tests {
    use super::{ReplayClock, Speed, speed};
    use gdwire::packet::Time;
    use std::time::{Duration, Instant};

    const fn time(seconds: i64) -> Time {
        Time::from_nanos(seconds * 1_000_000_000, 9)
    }

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn live_packets_set_the_clock() {
        let (mut clock, start) = (ReplayClock::new(None), Instant::now());
        assert_eq!(clock.at(start), None);
        clock.packet(time(100), start);
        assert_eq!(clock.at(start + seconds(3)), Some(time(103)));
        // A packet that is late does not set it back, one that is early sets it forward.
        clock.packet(time(102), start + seconds(3));
        assert_eq!(clock.at(start + seconds(3)), Some(time(103)));
        clock.packet(time(110), start + seconds(3));
        assert_eq!(clock.at(start + seconds(4)), Some(time(111)));
        clock.packet(time(7), start + seconds(4));
        assert_eq!(clock.at(start + seconds(5)), Some(time(8)));
        assert_eq!(clock.wait(time(100), start), None);
    }

    #[test]
    fn packets_of_a_recording_wait() {
        let (mut clock, start) = (ReplayClock::new(Some(Speed::Times(4.0))), Instant::now());
        assert_eq!(clock.wait(time(100), start), None);
        clock.packet(time(100), start);
        assert_eq!(clock.wait(time(108), start), Some(seconds(2)));
        assert_eq!(clock.wait(time(108), start + seconds(2)), None);
        clock.pause(start + seconds(1));
        assert_eq!(clock.at(start + seconds(9)), Some(time(104)));
        assert_eq!(clock.wait(time(108), start + seconds(9)), Some(Duration::MAX));
        clock.resume(start + seconds(9));
        assert_eq!(clock.at(start + seconds(10)), Some(time(108)));
        clock.change_speed(0.5, start + seconds(10));
        assert_eq!(clock.at(start + seconds(12)), Some(time(112)));
        clock.packet(time(111), start + seconds(12));
        clock.end(start + seconds(12));
        assert_eq!(clock.at(start + seconds(99)), Some(time(112)));
    }

    #[test]
    fn a_long_silence_of_a_recording_is_skipped() {
        let (mut clock, start) = (ReplayClock::new(Some(Speed::Times(1.0))), Instant::now());
        clock.packet(time(100), start);
        assert_eq!(clock.wait(time(160), start), Some(seconds(60)));
        clock.pause(start);
        assert_eq!(clock.wait(time(9_000), start), Some(Duration::MAX));
        clock.resume(start);
        assert_eq!(clock.wait(time(9_000), start), None);
        assert_eq!(clock.at(start + seconds(1)), Some(time(9_001)));
    }

    #[test]
    fn a_speed_is_a_number_or_max() {
        assert_eq!(speed("2"), Ok(Speed::Times(2.0)));
        assert_eq!(speed("0.5x"), Ok(Speed::Times(0.5)));
        assert_eq!(speed("max"), Ok(Speed::Max));
        for wrong in ["", "0", "-1", "nan", "fast", "1e9"] {
            assert!(speed(wrong).is_err(), "{wrong}");
        }
    }
}
