//! Writes the counts over time: of all messages, and of each method.

use super::{Sort, StatsArgs, bar, cells};
use crate::terminal::{Columns, number, plain, wrapped};
use gdwire::packet::Time;
use gdwire::stats::{Amount, Interval, Intervals, MethodIntervals};
use jiff::SignedDuration;
use std::cmp::Reverse;
use std::io::{self, Write};
use std::time::Duration;

/// The most consecutive empty intervals that have a line each; more of them share one line.
const EMPTY: u64 = 3;

/// Prints intervals, in lines that fit a width.
pub fn write_intervals(
    out: &mut dyn Write,
    intervals: &Intervals,
    columns: Option<u16>,
) -> io::Result<()> {
    let [length, requested] = [intervals.length(), intervals.requested()].map(nanoseconds);
    if length != requested {
        let [length, requested] = [length, requested].map(shown_length);
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

/// The most intervals that have a column of numbers. With more, each character stands for some.
const NUMBERS: usize = 8;

/// The characters for nothing, few calls and many calls.
const HEAT: &[u8] = b" .:-=+*#";

/// The most characters of a row.
const HEAT_WIDTH: usize = 60;

/// Prints which methods were called when: a row for each method, a column for each interval.
pub fn write_methods(
    out: &mut dyn Write,
    intervals: &Intervals,
    args: &StatsArgs,
) -> io::Result<()> {
    let mut methods: Vec<_> = intervals.methods().collect();
    match args.sort {
        Sort::Count => methods.sort_by_key(|it| (Reverse(it.total.count), it.method)),
        Sort::Bytes | Sort::Rate => methods.sort_by_key(|it| (Reverse(it.total.bytes), it.method)),
        Sort::Name => methods.sort_by_key(|it| it.method),
    }
    let starts = || methods.iter().flat_map(|it| it.iter().map(|(start, _)| start.as_nanos()));
    let (Some(first), Some(last)) = (starts().min(), starts().max()) else { return Ok(()) };
    let length = nanoseconds(intervals.length()).max(1);
    let place = |time: Time| time.as_nanos().saturating_sub(first) / length;
    let count = usize::try_from(last.saturating_sub(first) / length).unwrap_or(usize::MAX);
    let count = count.saturating_add(1);
    let columns = args.screen.columns();
    let decimals = usize::from(intervals.decimals());
    let from = Time::from_nanos(first, 9);
    let shown = methods.iter().take(args.top);
    writeln!(out)?;
    if count <= NUMBERS {
        writeln!(
            out,
            "  calls by method, from {from:.decimals$} in steps of {}",
            shown_length(length)
        )?;
        let after: Vec<_> =
            (0..count as i64).map(|it| format!("+{}", shown_length(it * length))).collect();
        let header = [
            &["method", "command", "calls"][..],
            &after.iter().map(|it| &**it).collect::<Vec<_>>(),
        ]
        .concat();
        let mut table = Columns::new(&header, 2..count.saturating_add(3), columns);
        for method in shown {
            let mut cells = vec![String::new(); count];
            for (start, amount) in method.iter() {
                if let Some(cell) =
                    usize::try_from(place(start)).ok().and_then(|at| cells.get_mut(at))
                {
                    *cell = amount.count.to_string();
                }
            }
            let names =
                [plain(method.method), method.command.to_owned(), method.total.count.to_string()];
            table.row(names.into_iter().chain(cells));
        }
        table.write(out)?;
    } else {
        let width = columns
            .map_or(HEAT_WIDTH, |columns| usize::from(columns).saturating_sub(40))
            .clamp(10, HEAT_WIDTH);
        let each = count.div_ceil(width).max(1);
        let span = shown_length(i64::try_from(each).unwrap_or(i64::MAX).saturating_mul(length));
        let title = format!(
            "  calls by method, from {from:.decimals$}: each character is {span}, from few calls (.) to the \
             most of a method (#)"
        );
        writeln!(out, "{}", wrapped(&title, columns, 4))?;
        let mut table = Columns::new(&["method", "command", "calls", "when"], 2..3, columns);
        for method in shown {
            let names =
                [plain(method.method), method.command.to_owned(), method.total.count.to_string()];
            table.row(names.into_iter().chain([heat(method, count.div_ceil(each), |start| {
                usize::try_from(place(start)).unwrap_or(usize::MAX) / each
            })]));
        }
        table.write(out)?;
    }
    let more = methods.len().saturating_sub(args.top);
    if more > 0 {
        writeln!(out, "  and {} (--top shows more)", number(more as u64, "more method"))?;
    }
    let further = intervals.further_methods().count;
    if further > 0 {
        let calls = number(further, "call");
        writeln!(out, "  and {calls} of further methods, not listed because of the limit")?;
    }
    Ok(())
}

/// A character for each column: how many calls it has, in comparison with the column that has most.
fn heat(method: &MethodIntervals<'_>, len: usize, column: impl Fn(Time) -> usize) -> String {
    let mut counts = vec![0_u64; len];
    for (start, amount) in method.iter() {
        if let Some(count) = counts.get_mut(column(start)) {
            *count = count.saturating_add(amount.count);
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let steps = HEAT.len().saturating_sub(1) as u64;
    let character = |count: &u64| {
        let step = count.saturating_mul(steps).div_ceil(most);
        usize::try_from(step).ok().and_then(|step| HEAT.get(step)).copied().unwrap_or(b'#')
    };
    let text: String = counts.iter().map(|count| char::from(character(count))).collect();
    format!("|{text}|")
}

fn nanoseconds(length: Duration) -> i64 {
    i64::try_from(length.as_nanos()).unwrap_or(i64::MAX)
}

/// Nanoseconds in the notation of `--interval`.
fn shown_length(nanoseconds: i64) -> String {
    format!("{:#}", SignedDuration::from_nanos(nanoseconds))
}
