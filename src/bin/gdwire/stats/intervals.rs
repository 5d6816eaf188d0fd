//! Prints messages and losses over time, one line for each interval.

use super::table::{bar, cells};
use gdwire::capture::Time;
use gdwire::stats::{Amount, Interval, Intervals};
use jiff::SignedDuration;
use std::io::{self, Write};
use std::time::Duration;

/// The most consecutive empty intervals that have a line each; more of them share one line.
const EMPTY: u64 = 3;

/// Prints intervals, in lines that fit a width.
pub(super) fn write(
    out: &mut dyn Write,
    intervals: &Intervals,
    columns: Option<u16>,
) -> io::Result<()> {
    let [length, requested] = [intervals.length(), intervals.requested()].map(nanoseconds);
    if length != requested {
        let [length, requested] = [length, requested].map(shown);
        writeln!(out, "\n  steps of {length}: steps of {requested} would be more than 100,000")?;
    }
    let decimals = usize::from(intervals.decimals());
    let most = intervals.iter().map(|interval| interval.amount.bytes).max().unwrap_or(0);
    // The lines are written one by one: a table would keep all rows in memory. All years, 1677 to
    // 2262, have four digits, so the width of times is known.
    let width = if decimals == 0 { 20 } else { 21 + decimals };
    let has_losses = intervals.iter().any(|interval| interval.lost > 0);
    let lost_column = |lost: &str| match has_losses {
        true => format!("  {lost:>4}"),
        false => String::new(),
    };
    writeln!(out, "\n  {:width$}  messages       bytes{}", "from", lost_column("lost"))?;
    let mut line = |from: &str, (amount, lost): (Amount, u64), bar: &str| {
        let [count, bytes] = cells(amount);
        let lost = lost_column(&lost.to_string());
        let line = format!("  {from:width$}  {count:>8}  {bytes:>10}{lost}  {bar}");
        writeln!(out, "{}", line.trim_end())
    };
    let nothing = (Amount::default(), 0);
    for Interval { empty, start, amount, lost, .. } in intervals.iter() {
        if empty > EMPTY {
            line(&format!("… {empty} empty"), nothing, "")?;
        } else {
            for back in (1..=empty).rev() {
                let back = i64::try_from(back).unwrap_or(0).saturating_mul(length);
                let start = Time::from_nanos(start.as_nanos().saturating_sub(back), 9);
                line(&format!("{start:.decimals$}"), nothing, "")?;
            }
        }
        let bar = bar(amount.bytes, most, columns);
        line(&format!("{start:.decimals$}"), (amount, lost), &bar)?;
    }
    if intervals.untimed().count > 0 {
        line("without a time", (intervals.untimed(), 0), "")?;
    }
    Ok(())
}

fn nanoseconds(length: Duration) -> i64 {
    i64::try_from(length.as_nanos()).unwrap_or(i64::MAX)
}

/// Nanoseconds in the notation of `--interval`.
fn shown(nanoseconds: i64) -> String {
    format!("{:#}", SignedDuration::from_nanos(nanoseconds))
}
