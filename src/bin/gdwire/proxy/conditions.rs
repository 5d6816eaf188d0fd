//! The options that say what the network between the clients and the server does.

use clap::Args;
use gdwire::net::conditions::Conditions;
use jiff::SignedDuration;
use std::time::Duration;

/// The options for the conditions of the network, both ways or one way.
#[derive(Args, Clone, Copy, PartialEq, Debug, Default)]
#[command(next_help_heading = "Network")]
pub struct Settings {
    /// How long each datagram takes, each way: with 80ms, a round trip takes 160 ms longer
    #[arg(long, value_name = "TIME", value_parser = duration)]
    delay: Option<Duration>,
    /// How much longer or shorter that takes, at most; the order stays
    #[arg(long, value_name = "TIME", value_parser = duration)]
    jitter: Option<Duration>,
    /// The share of datagrams that is lost, such as 2%
    #[arg(long, value_name = "SHARE", value_parser = share)]
    loss: Option<f64>,
    /// How many datagrams in a row are lost, on average; the share stays
    #[arg(long, value_name = "N", value_parser = burst)]
    burst: Option<f64>,
    /// The share of datagrams that arrive twice
    #[arg(long, value_name = "SHARE", value_parser = share)]
    duplicate: Option<f64>,
    /// The share of datagrams that later ones overtake
    #[arg(long, value_name = "SHARE", value_parser = share)]
    reorder: Option<f64>,
    /// The bits that pass in a second, such as 500kbit or 1Mbit, headers included
    #[arg(long, value_name = "RATE", value_parser = rate)]
    rate: Option<u64>,
    /// How long a datagram may wait because of --rate before it is dropped [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    queue: Option<Duration>,
}

/// The conditions on the way to the server and on the way to the clients.
#[derive(Clone, Copy)]
pub struct Ways {
    pub up: Conditions,
    pub down: Conditions,
}

impl Settings {
    /// The conditions if these settings hold for both ways, and others for one way. Fails if a setting
    /// would have no effect.
    pub fn ways(&self, up: Option<Settings>, down: Option<Settings>) -> Result<Ways, String> {
        let [up, down] = [up, down].map(Option::unwrap_or_default);
        for (of, own, others) in [
            ("", self, &[*self, up, down][..]),
            ("--up: ", &up, &[*self, up]),
            ("--down: ", &down, &[*self, down]),
        ] {
            if own.burst.is_some() && others.iter().all(|it| it.loss.is_none()) {
                return Err(format!("{of}burst needs loss, the share of datagrams that is lost"));
            }
            if own.queue.is_some() && others.iter().all(|it| it.rate.is_none()) {
                return Err(format!("{of}queue needs rate, the bits that pass in a second"));
            }
        }
        let way = |own: Settings| {
            let mut conditions = Conditions::default();
            [*self, own].iter().for_each(|settings| settings.apply(&mut conditions));
            conditions
        };
        Ok(Ways { up: way(up), down: way(down) })
    }

    fn apply(&self, conditions: &mut Conditions) {
        conditions.delay = self.delay.unwrap_or(conditions.delay);
        conditions.jitter = self.jitter.unwrap_or(conditions.jitter);
        conditions.loss = self.loss.unwrap_or(conditions.loss);
        conditions.burst = self.burst.unwrap_or(conditions.burst);
        conditions.duplicate = self.duplicate.unwrap_or(conditions.duplicate);
        conditions.reorder = self.reorder.unwrap_or(conditions.reorder);
        conditions.rate = self.rate.or(conditions.rate);
        conditions.queue = self.queue.unwrap_or(conditions.queue);
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "delay" => self.delay = Some(duration(value)?),
            "jitter" => self.jitter = Some(duration(value)?),
            "loss" => self.loss = Some(share(value)?),
            "burst" => self.burst = Some(burst(value)?),
            "duplicate" => self.duplicate = Some(share(value)?),
            "reorder" => self.reorder = Some(share(value)?),
            "rate" => self.rate = Some(rate(value)?),
            "queue" => self.queue = Some(duration(value)?),
            _ => {
                let names = "delay, jitter, loss, burst, duplicate, reorder, rate and queue";
                return Err(format!("there is no condition '{name}'; there are {names}"));
            }
        }
        Ok(())
    }
}

/// Parses conditions such as `delay=200ms,loss=5%`.
pub fn settings(text: &str) -> Result<Settings, String> {
    let mut settings = Settings::default();
    for part in text.split(',') {
        let (name, value) = part.split_once('=').ok_or_else(|| {
            format!("'{part}' has no value; write conditions such as 'delay=200ms,loss=5%'")
        })?;
        settings.set(name.trim(), value.trim())?;
    }
    Ok(settings)
}

/// The longest time. Longer ones are surely mistakes.
const LONGEST: Duration = Duration::from_secs(60);

/// Parses a length of time; 0 needs no unit.
fn duration(text: &str) -> Result<Duration, String> {
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let advice = "expected a number and its unit, such as 80ms";
    let length: SignedDuration = text.parse().map_err(|_| advice)?;
    let length = Duration::try_from(length).map_err(|_| advice)?;
    if length > LONGEST { Err("the longest time is 60s".to_owned()) } else { Ok(length) }
}

/// Parses a share, such as `2%`.
pub fn share(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let share = number.filter(|number| (0.0..=100.0).contains(number)).map(|it| it / 100.0);
    share.ok_or_else(|| "expected a share from 0% to 100%, such as 2% or 0.5%".to_owned())
}

fn burst(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (1.0..=1e6).contains(number));
    number.ok_or_else(|| "expected a number of datagrams, such as 3".to_owned())
}

/// Parses bits per second, such as `1Mbit`.
fn rate(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 4] = [("gbit", 1e9), ("mbit", 1e6), ("kbit", 1e3), ("bit", 1.0)];
    let lower = text.to_lowercase();
    let parsed = UNITS.iter().find_map(|(unit, bits)| {
        let number: f64 = lower.strip_suffix(unit)?.trim().parse().ok()?;
        Some(number * bits)
    });
    match parsed {
        Some(bits) if (1e3..=1e12).contains(&bits) => Ok(bits as u64),
        Some(_) => Err("the rate is from 1kbit to 1000Gbit in a second".to_owned()),
        None => Err("expected bits in a second, such as 500kbit or 1Mbit".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Settings, settings};
    use std::time::Duration;

    #[test]
    fn conditions_are_parsed() {
        let ms = Duration::from_millis;
        assert_eq!(
            settings("delay=200ms, loss=5%,rate=1.5Mbit,queue=0"),
            Ok(Settings {
                delay: Some(ms(200)),
                loss: Some(0.05),
                rate: Some(1_500_000),
                queue: Some(ms(0)),
                ..Settings::default()
            })
        );
        for (wrong, reason) in [
            ("delay", "'delay' has no value"),
            ("loss=2", "from 0% to 100%"),
            ("loss=101%", "from 0% to 100%"),
            ("loss=nan%", "from 0% to 100%"),
            ("delay=-1s", "such as 80ms"),
            ("delay=2h", "60s"),
            ("burst=0", "such as 3"),
            ("rate=7", "1Mbit"),
            ("rate=0bit", "from 1kbit"),
            ("lag=1s", "no condition 'lag'"),
        ] {
            let error = settings(wrong).unwrap_err();
            assert!(error.contains(reason), "{wrong}: {error}");
        }
        assert_eq!(settings("burst=3").map(|it| it.burst), Ok(Some(3.0)));
    }
}
