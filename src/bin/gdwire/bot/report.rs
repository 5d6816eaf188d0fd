//! Prints what the bots have counted: a line a second, and everything at the end.

use super::BotFormat;
use crate::output;
use crate::terminal::{Columns, number, plain};
use gdwire::peer::BotCounts;
use std::io::{self, Write};

/// How many reasons are printed at the end.
const REASONS: usize = 20;

pub struct BotReport {
    format: BotFormat,
    out: Box<dyn Write>,
    /// The counts when the last line was printed.
    last: BotCounts,
}

impl BotReport {
    pub fn new(format: BotFormat) -> BotReport {
        let out = match format {
            BotFormat::Text => output::text().0,
            BotFormat::Ndjson => output::json(),
        };
        BotReport { format, out, last: BotCounts::default() }
    }

    /// Prints a line about the time since the last one.
    pub fn line(&mut self, counts: &BotCounts) -> io::Result<()> {
        match self.format {
            BotFormat::Ndjson => self.json(counts)?,
            BotFormat::Text => {
                let since = counts.time.saturating_sub(self.last.time).as_secs_f64();
                let rate = |now: u64, last: u64| {
                    let rate = now.saturating_sub(last) as f64 / since;
                    format!("{rate:.0}/s")
                };
                let line = format!(
                    "{:4.0} s  {} playing{}, {} refused, {} dropped; {} calls sent, {} received, {} \
                     states; round trip {}; {}B/s sent, {}B/s received",
                    counts.time.as_secs_f64(),
                    counts.playing,
                    not_joined(counts, "joining"),
                    counts.refused,
                    counts.dropped,
                    rate(counts.sent, self.last.sent),
                    rate(counts.received, self.last.received),
                    rate(counts.states, self.last.states),
                    round_trips(counts),
                    scaled(counts.bytes_sent.saturating_sub(self.last.bytes_sent) as f64 / since),
                    scaled(
                        counts.bytes_received.saturating_sub(self.last.bytes_received) as f64
                            / since
                    ),
                );
                writeln!(self.out, "{line}")?;
            }
        }
        self.last = counts.clone();
        self.out.flush()
    }

    fn json(&mut self, counts: &BotCounts) -> io::Result<()> {
        counts.write_json(&mut self.out)?;
        writeln!(self.out)
    }

    /// Prints everything that was counted.
    pub fn end(&mut self, counts: &BotCounts) -> io::Result<()> {
        match self.format {
            BotFormat::Ndjson => self.json(counts)?,
            BotFormat::Text => self.summary(counts)?,
        }
        self.out.flush()
    }

    fn summary(&mut self, counts: &BotCounts) -> io::Result<()> {
        let out = &mut self.out;
        writeln!(
            out,
            "{}: {} joined{}, {} refused, {} dropped, in {:.1} s",
            number(counts.started, "bot"),
            counts.joined,
            not_joined(counts, "did not join"),
            counts.refused,
            counts.dropped,
            counts.time.as_secs_f64()
        )?;
        writeln!(
            out,
            "{} sent, {} received; {} and {} received",
            number(counts.sent, "call"),
            counts.received,
            number(counts.states, "state"),
            number(counts.spawned, "spawned node"),
        )?;
        for (count, what) in [
            (counts.failed, "could not be made"),
            (counts.late, "left out, because the bots were more than a second late"),
        ] {
            if count > 0 {
                writeln!(out, "{} {what}", number(count, "call"))?;
            }
        }
        writeln!(
            out,
            "{}B sent, {}B received",
            scaled(counts.bytes_sent as f64),
            scaled(counts.bytes_received as f64)
        )?;
        writeln!(out, "round trip of 50 / 95 / 99 %: {}", round_trips(counts))?;
        let mut methods = Columns::new(&["METHOD", "SENT", "RECEIVED"], 1..3, None);
        for (name, method) in counts.methods.iter() {
            methods.row([plain(name), method.sent.to_string(), method.received.to_string()]);
        }
        methods.write(out)?;
        let mut properties = Columns::new(&["PROPERTIES", "RECEIVED"], 1..2, None);
        for (name, count) in counts.properties.iter() {
            properties.row([plain(name), count.to_string()]);
        }
        properties.write(out)?;
        let mut reasons = Columns::new(&["COUNT", "REASON"], 0..1, None);
        let mut sorted: Vec<_> = counts.reasons.iter().collect();
        sorted.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (reason, count) in sorted.into_iter().take(REASONS) {
            reasons.row([count.to_string(), plain(reason)]);
        }
        reasons.write(out)
    }
}

/// How many bots have not joined, if there are any.
fn not_joined(counts: &BotCounts, what: &str) -> String {
    if counts.not_joined == 0 { String::new() } else { format!(", {} {what}", counts.not_joined) }
}

/// The round trips that 50, 95 and 99 % do not exceed.
fn round_trips(counts: &BotCounts) -> String {
    let Some([p50, p95, p99]) = counts.round_trip_quantiles() else {
        return "not measured".to_owned();
    };
    format!("{p50:.2} / {p95:.2} / {p99:.2} ms")
}

/// A number of bytes with a prefix for its unit.
fn scaled(bytes: f64) -> String {
    for (unit, prefix) in [(1e9, "G"), (1e6, "M"), (1e3, "k")] {
        if bytes >= unit {
            return format!("{:.1} {prefix}", bytes / unit);
        }
    }
    format!("{bytes:.0} ")
}
