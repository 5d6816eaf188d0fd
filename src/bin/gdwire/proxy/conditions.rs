//! The options that say what the network between the clients and the server does.

use clap::Args;
use gdwire::net::conditions::Conditions;
use jiff::SignedDuration;
use std::time::Duration;

/// The options for the conditions of the network, both ways.
#[derive(Args)]
#[command(next_help_heading = "Network")]
pub struct ConditionArgs {
    /// How long each datagram takes, each way: with 80ms, a round trip takes 160 ms longer
    #[arg(long, value_name = "TIME", value_parser = |text: &str| setting("delay", text))]
    delay: Option<Setting>,
    /// How much longer or shorter that takes, at most; the order stays
    #[arg(long, value_name = "TIME", value_parser = |text: &str| setting("jitter", text))]
    jitter: Option<Setting>,
    /// The share of datagrams that is lost, such as 2%
    #[arg(long, value_name = "SHARE", value_parser = |text: &str| setting("loss", text))]
    loss: Option<Setting>,
    /// How many datagrams in a row are lost, on average; the share stays
    #[arg(long, value_name = "N", value_parser = |text: &str| setting("burst", text))]
    burst: Option<Setting>,
    /// The share of datagrams that arrive twice
    #[arg(long, value_name = "SHARE", value_parser = |text: &str| setting("duplicate", text))]
    duplicate: Option<Setting>,
    /// The share of datagrams that later ones overtake
    #[arg(long, value_name = "SHARE", value_parser = |text: &str| setting("reorder", text))]
    reorder: Option<Setting>,
    /// The bits that pass in a second, such as 500kbit or 1Mbit, headers included
    #[arg(long, value_name = "RATE", value_parser = |text: &str| setting("rate", text))]
    rate: Option<Setting>,
    /// How long a datagram may wait because of --rate before it is dropped [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = |text: &str| setting("queue", text))]
    queue: Option<Setting>,
}

/// One condition.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Setting {
    Delay(Duration),
    Jitter(Duration),
    Loss(f64),
    Burst(f64),
    Duplicate(f64),
    Reorder(f64),
    Rate(u64),
    Queue(Duration),
}

/// Conditions for one way.
#[derive(Clone, PartialEq, Debug)]
pub struct WaySettings(Vec<Setting>);

/// The conditions on the way to the server, and on the way to the clients.
#[derive(Clone, Copy)]
pub struct Ways {
    pub up: Conditions,
    pub down: Conditions,
}

impl ConditionArgs {
    /// Fails if a condition would have no effect.
    pub fn ways(
        &self,
        up: Option<&WaySettings>,
        down: Option<&WaySettings>,
    ) -> Result<Ways, String> {
        let ConditionArgs { delay, jitter, loss, burst, duplicate, reorder, rate, queue } = *self;
        let both = [delay, jitter, loss, burst, duplicate, reorder, rate, queue];
        let both: Vec<Setting> = both.into_iter().flatten().collect();
        let [up, down] = [up, down].map(|own| own.map_or(&[][..], |own| &own.0));
        for (of, given, others) in [
            ("", &both[..], [up, down]),
            ("--up: ", up, [up, &[]]),
            ("--down: ", down, [down, &[]]),
        ] {
            let all = || both.iter().chain(others.into_iter().flatten());
            if let Some(needs) = given.iter().find_map(|setting| setting.lacks(all())) {
                return Err(format!("{of}{needs}"));
            }
        }
        let way = |own: &[Setting]| {
            let mut conditions = Conditions::default();
            both.iter().chain(own).for_each(|setting| setting.apply(&mut conditions));
            conditions
        };
        Ok(Ways { up: way(up), down: way(down) })
    }
}

impl Setting {
    /// The condition without which this one has no effect, if it is not among `all`.
    fn lacks<'s>(self, mut all: impl Iterator<Item = &'s Setting>) -> Option<&'static str> {
        match self {
            Setting::Burst(_) if !all.any(|it| matches!(it, Setting::Loss(_))) => {
                Some("burst needs loss, the share of datagrams that is lost")
            }
            Setting::Queue(_) if !all.any(|it| matches!(it, Setting::Rate(_))) => {
                Some("queue needs rate, the bits that pass in a second")
            }
            _ => None,
        }
    }

    const fn apply(self, conditions: &mut Conditions) {
        match self {
            Setting::Delay(delay) => conditions.delay = delay,
            Setting::Jitter(jitter) => conditions.jitter = jitter,
            Setting::Loss(loss) => conditions.loss = loss,
            Setting::Burst(burst) => conditions.burst = burst,
            Setting::Duplicate(duplicate) => conditions.duplicate = duplicate,
            Setting::Reorder(reorder) => conditions.reorder = reorder,
            Setting::Rate(rate) => conditions.rate = Some(rate),
            Setting::Queue(queue) => conditions.queue = queue,
        }
    }
}

/// Parses conditions such as `delay=200ms,loss=5%`.
pub fn settings(text: &str) -> Result<WaySettings, String> {
    let settings = text
        .split(',')
        .map(|part| {
            let (name, value) = part.split_once('=').ok_or_else(|| {
                format!("'{part}' has no value; write conditions such as 'delay=200ms,loss=5%'")
            })?;
            setting(name.trim(), value.trim())
        })
        .collect::<Result<_, _>>()?;
    Ok(WaySettings(settings))
}

fn setting(name: &str, value: &str) -> Result<Setting, String> {
    Ok(match name {
        "delay" => Setting::Delay(duration(value)?),
        "jitter" => Setting::Jitter(duration(value)?),
        "loss" => Setting::Loss(share(value)?),
        "burst" => Setting::Burst(burst(value)?),
        "duplicate" => Setting::Duplicate(share(value)?),
        "reorder" => Setting::Reorder(share(value)?),
        "rate" => Setting::Rate(rate(value)?),
        "queue" => Setting::Queue(duration(value)?),
        _ => {
            let names = "delay, jitter, loss, burst, duplicate, reorder, rate and queue";
            return Err(format!("there is no condition '{name}'; there are {names}"));
        }
    })
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
    use super::{Setting, WaySettings, setting, settings};
    use std::time::Duration;

    #[test]
    fn conditions_are_parsed() {
        let ms = Duration::from_millis;
        assert_eq!(
            settings("delay=200ms, loss=5%,rate=1.5Mbit,queue=0"),
            Ok(WaySettings(vec![
                Setting::Delay(ms(200)),
                Setting::Loss(0.05),
                Setting::Rate(1_500_000),
                Setting::Queue(ms(0)),
            ]))
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
        assert_eq!(setting("burst", "3"), Ok(Setting::Burst(3.0)));
    }
}
