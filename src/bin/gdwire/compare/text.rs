//! Writes comparisons as tables for people.

use super::CompareArgs;
use crate::terminal::{Columns, Styles, cut, number, plain, several, shown, wrapped};
use gdwire::compare::{Change, Comparison, Extent, LostMessage, Repetition, Sides, Way, Which};
use gdwire::packet::Time;
use indicatif::DecimalBytes;
use jiff::SignedDuration;
use std::io::{self, Write};
use std::time::Duration;

pub fn write(
    out: &mut dyn Write,
    styles: Styles,
    args: &CompareArgs,
    comparison: &Comparison,
    titles: [&str; 2],
) -> io::Result<()> {
    let [first, second] = titles.map(plain);
    let mut text = Text { out, styles, args, width: args.screen.columns() };
    if let Some(repetition) = comparison.repetition() {
        text.line(&format!("{first} and {second}: a session and its repetition"), 2)?;
        return text.repetition(repetition);
    }
    match comparison.sides() {
        Some(sides) => {
            text.line(&format!("{first} and {second}: the two sides of one session"), 2)?;
            text.sides(sides)?;
            text.lost(comparison)
        }
        None => {
            text.line(&format!("{first} and {second}: two sessions, before and after"), 2)?;
            text.changes(comparison)
        }
    }
}

struct Text<'t> {
    out: &'t mut dyn Write,
    styles: Styles,
    args: &'t CompareArgs,
    width: Option<u16>,
}

impl Text<'_> {
    fn sides(&mut self, sides: &Sides) -> io::Result<()> {
        self.clocks(sides)?;
        for which in Which::BOTH {
            let connections = sides.only_in(which);
            if connections > 0 {
                let connections = number(connections, "connection");
                let line = format!("  only in the {}: {connections}, not compared", which.name());
                self.line(&line, 4)?;
            }
        }
        let header = ["source", "destination", "transport", "sent", "arrived", "lost"];
        let network = ["undecided", "resent", "overtaken", "doubled"];
        let delays = ["delay min", "median", "95%", "max"];
        let header = [&header[..], &network, &delays].concat();
        let mut table =
            Columns::new(&header, 3..14, self.width).with_optional(&[2, 12, 10, 9, 8, 7, 6, 13]);
        for way in sides.ways().iter().take(self.args.top) {
            table.row(row(way));
        }
        table.write(self.out)?;
        let further = sides.ways().len().saturating_sub(self.args.top);
        self.more(further as u64, "direction")
    }

    fn clocks(&mut self, sides: &Sides) -> io::Result<()> {
        let clocks = sides.clocks();
        let ahead = |nanoseconds: i64| {
            let time = span(nanoseconds.unsigned_abs());
            format!("{time} {}", if nanoseconds < 0 { "behind" } else { "ahead" })
        };
        let line = match clocks.range {
            None => "  clocks: not compared, as messages went one way only".to_owned(),
            Some(_) if clocks.near_first.is_none() && clocks.offset == 0 => {
                "  both captures were made at the same place".to_owned()
            }
            Some(_) if clocks.is_estimated() => format!(
                "  clocks: the second is {}, estimated as if the fastest messages took equally long \
                 both ways",
                ahead(clocks.offset)
            ),
            Some((low, high)) => format!(
                "  clocks: they agree as far as the messages show (the second is {} to {})",
                ahead(low),
                ahead(high)
            ),
        };
        self.line(&line, 4)
    }

    /// Writes the messages that never arrived.
    fn lost(&mut self, comparison: &Comparison) -> io::Result<()> {
        let lost = comparison.lost();
        let messages = lost.messages();
        let count = (messages.len() as u64).saturating_add(lost.further());
        writeln!(self.out)?;
        if count == 0 {
            return self.line(&none_lost(comparison), 2);
        }
        let (reliable, messages_text) =
            (lost.reliable(), several(count, "message never arrived", "messages never arrived"));
        let style = if reliable > 0 { self.styles.error } else { self.styles.warning };
        let rest = match reliable {
            0 => ", all of them unreliable".to_owned(),
            _ if reliable == count => ", all of them reliable".to_owned(),
            _ => format!(", {reliable} of them reliable"),
        };
        writeln!(self.out, "{style}{messages_text}{style:#}{rest}")?;
        for message in messages.iter().take(self.args.top) {
            let line = lost_line(message);
            let line = self.width.map_or(line.clone(), |width| cut(&line, width.into()));
            writeln!(self.out, "{line}")?;
        }
        let shown = messages.len().min(self.args.top) as u64;
        self.more(count.saturating_sub(shown), "message")
    }

    /// Writes the comparison of two builds.
    fn changes(&mut self, comparison: &Comparison) -> io::Result<()> {
        let changes = &comparison.changes();
        let described = |which: Which| {
            if comparison.selected_messages(which) == 0 {
                return "no message was selected".to_owned();
            }
            let Extent { seconds, clients, connections, .. } = changes.extent(which);
            let seconds = seconds.map_or("no times".to_owned(), |it| format!("{it:.1} s"));
            let connections = number(connections, "connection");
            format!("{seconds}, {connections}, {clients:.1} at a time on average")
        };
        let [before, after] = Which::BOTH.map(described);
        self.line(&format!("  before: {before}"), 4)?;
        self.line(&format!("  after:  {after}"), 4)?;
        let header = ["what", "name", "method or property", "command", "messages/s"];
        let header = [&header[..], &["→", "bytes/s", "→", "change", "", ""]].concat();
        let mut table = Columns::new(&header, 4..10, self.width).with_optional(&[3, 4, 5]);
        let mut further = 0;
        for of_kind in changes.groups() {
            let shown = of_kind.iter().take(self.args.top);
            shown.for_each(|change| table.row(change_row(change)));
            further += of_kind.len().saturating_sub(self.args.top);
        }
        table.write(self.out)?;
        self.more(further as u64, "row")?;
        for which in Which::BOTH {
            let uses = changes.further(which).count;
            if uses > 0 {
                let uses = number(uses, "use");
                let line = format!(
                    "  {uses} of more nodes, methods and properties in the {}, not listed because of \
                     the limit",
                    which.name()
                );
                self.line(&line, 4)?;
            }
        }
        writeln!(self.out)?;
        let line = "Rates are those of each client. A change is more than noise if it exceeds three \
                    standard errors, which come from how much the rates of 16 to 32 equal parts of \
                    each recording differ.";
        self.line(line, 0)
    }

    /// Writes the differences between a session and its repetition.
    fn repetition(&mut self, repetition: &Repetition) -> io::Result<()> {
        let compared = several(repetition.compared(), "call or value", "distinct calls and values");
        let not_compared = repetition.not_compared();
        if not_compared > 0 {
            let line = format!("  {not_compared} more not compared: there are too many");
            self.line(&line, 4)?;
        }
        if repetition.is_same() {
            return self.line(&format!("  the same: {compared}"), 4);
        }
        let differences = repetition.differences();
        let all = (differences.len() as u64).saturating_add(repetition.further_differences());
        self.line(&format!("  {} in {compared}", number(all, "difference")), 4)?;
        let mut table = Columns::new(&["from", "first", "second", "what"], 1..3, self.width);
        for difference in differences.iter().take(self.args.top) {
            let from = match difference.is_from_server {
                Some(true) => "server",
                Some(false) => "client",
                None => "-",
            };
            let [first, second] = difference.counts.map(|count| count.to_string());
            table.row([from.to_owned(), first, second, difference.text.clone()]);
        }
        table.write(self.out)?;
        let shown = differences.len().min(self.args.top) as u64;
        self.more(all.saturating_sub(shown), "difference")
    }

    fn more(&mut self, count: u64, noun: &str) -> io::Result<()> {
        if count == 0 {
            return Ok(());
        }
        let more = number(count, &format!("more {noun}"));
        self.line(&format!("  and {more} (--top shows more; --format json lists all)"), 4)
    }

    /// Writes a line. A long one is wrapped, with this indentation.
    fn line(&mut self, line: &str, indent: usize) -> io::Result<()> {
        writeln!(self.out, "{}", wrapped(line, self.width, indent))
    }
}

/// Says that no message is known to be lost, and how far that is certain.
fn none_lost(comparison: &Comparison) -> String {
    if Which::BOTH.iter().all(|which| comparison.selected_messages(*which) == 0) {
        return "no message was selected".to_owned();
    }
    let Some(sides) = comparison.sides() else { return String::new() };
    let is_whole = Which::BOTH.iter().all(|which| comparison.further_messages(*which) == 0);
    let others = if sides.never_arrived() > 0 { "selected message" } else { "message" };
    let undecided = sides.undecided();
    if undecided > 0 {
        let are = several(undecided, "is undecided: it was", "are undecided: they were");
        return format!(
            "no {others} is known to be lost; {are} sent before the other capture began, or so late \
             that it may have ended before they arrived"
        );
    }
    let compared = if is_whole { "" } else { " that was compared" };
    format!("every {others}{compared} arrived")
}

/// The row for the traffic of one end.
fn row(way: &Way) -> Vec<String> {
    let sent = way.sent_in.map_or(way.messages.iter().max().copied().unwrap_or(0), |which| {
        let [first, second] = way.messages;
        if which == Which::First { first } else { second }
    });
    let counts = [sent, way.common, way.never_arrived, way.undecided];
    let counts = [&counts[..], &[way.resent, way.overtaken, way.doubled]].concat();
    let mut row = vec![way.src.to_string(), way.dst.to_string(), way.transport.name().to_owned()];
    row.extend(counts.iter().map(u64::to_string));
    row.extend(match way.delays {
        Some(delays) => [delays.min, delays.p50, delays.p95, delays.max].map(milliseconds),
        None => [(); 4].map(|()| "-".to_owned()),
    });
    row
}

/// The row for a thing that two builds send.
fn change_row(change: &Change) -> Vec<String> {
    let (member, command) = change.member().unwrap_or_default();
    let mut row = vec![change.kind().to_owned(), shown(&change.name), shown(&member)];
    row.push(command.to_owned());
    let messages = change.rates.map(|rate| rate.map_or("-".to_owned(), |it| count(it.messages)));
    let bytes = change.rates.map(|rate| rate.map_or("-".to_owned(), |it| decimal(it.bytes)));
    row.extend(messages.into_iter().chain(bytes));
    let [before, after] = change.rates;
    let share = before.zip(after).map(|(before, after)| after.bytes / before.bytes - 1.0);
    row.push(match share.filter(|share| share.is_finite()) {
        _ if change.is_new() => "new".to_owned(),
        _ if change.is_gone() => "gone".to_owned(),
        Some(share) => format!("{:+.1}%", share * 100.0),
        None => "-".to_owned(),
    });
    row.push(String::new());
    row.push(match change.is_beyond_noise() {
        Some(true) => "more than noise".to_owned(),
        Some(false) => "within noise".to_owned(),
        None => String::new(),
    });
    row
}

fn count(rate: f64) -> String {
    if rate < 10.0 { format!("{rate:.2}") } else { format!("{rate:.0}") }
}

fn decimal(bytes: f64) -> String {
    DecimalBytes(bytes.round() as u64).to_string()
}

fn lost_line(message: &LostMessage) -> String {
    let LostMessage { place, origin, mode, text, .. } = message;
    let time = place.time.map_or_else(|| format!("frame {}", place.frame), of_day);
    let mode = mode.map_or(String::new(), |mode| format!("  {}", mode.godot_name()));
    format!("  {time}  {} → {}{mode}  {text}", origin.src(), origin.dst())
}

/// The time of the day, with milliseconds.
fn of_day(time: Time) -> String {
    let text = format!("{time:.3}");
    text.split_once('T').map_or(text.clone(), |(_, of_day)| of_day.trim_end_matches('Z').to_owned())
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// A time in milliseconds, or in larger units from a minute on.
fn span(nanoseconds: u64) -> String {
    let time = Duration::from_nanos(nanoseconds);
    if time < Duration::from_secs(60) {
        return milliseconds(time);
    }
    let rounded = i64::try_from(time.as_millis()).map(SignedDuration::from_millis);
    rounded.map_or_else(|_| milliseconds(time), |time| format!("{time:#}"))
}
