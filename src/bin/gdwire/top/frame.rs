//! Draws the screen: makes its lines, none longer than its width.

use super::clock::Speed;
use super::feed::SeenTraffic;
use super::plain::{Second, dropped, summary};
use super::table::{TableLayout, bytes, count, graph, time, title};
use super::view::{SORTS, ScreenPage, ScreenView};
use crate::diagnostics;
use crate::terminal::{Styles, cut, middle, number, plain};
use gdwire::packet::Time;
use gdwire::stats::Amount;
use gdwire::text::cells;
use gdwire::top::{Top, TopBy, TopRow};

/// The size of the screen, in columns and lines.
pub type Size = (usize, usize);

/// The page with the keys.
const HELP: &str = include_str!("keys.txt");

/// The lines of the screen.
pub fn draw(
    view: &mut ScreenView,
    seen: &SeenTraffic,
    now: Option<Time>,
    size: Size,
    styles: Styles,
) -> Vec<String> {
    let frozen = view.frozen.take();
    let top = frozen.as_deref().unwrap_or(&seen.top);
    let second = top.second().unwrap_or(0);
    let (width, height) = size;
    let mut lines = vec![head(
        view,
        seen,
        now.filter(|_| top.second().is_some()),
        frozen.is_some(),
        width,
        styles,
    )];
    lines.push(totals(top, second.saturating_sub(1), width, styles));
    let room = height.saturating_sub(3);
    view.query.end = Some(second);
    let foot = match view.page {
        ScreenPage::Table => table(view, top, (width, room), styles, &mut lines),
        ScreenPage::Detail => detail(view, top, seen, (width, room), styles, &mut lines),
        ScreenPage::Help => {
            lines.extend(HELP.lines().take(room).map(|line| cut(line, width)));
            "any key goes back".to_owned()
        }
    };
    lines.truncate(height.saturating_sub(1));
    lines.resize(height.saturating_sub(1), String::new());
    let held = diagnostics::last_held().filter(|_| !view.is_filtering);
    let foot = held.map_or(foot, |line| plain(&line));
    let dim = styles.dim;
    lines.push(format!("{dim}{}{dim:#}", cut(&foot, width)));
    view.frozen = frozen;
    lines
}

/// The first line: the name of the input, the time, and the state of the screen.
fn head(
    view: &ScreenView,
    seen: &SeenTraffic,
    now: Option<Time>,
    is_paused: bool,
    width: usize,
    styles: Styles,
) -> String {
    let mut text = String::new();
    match now {
        Some(now) => text += &Second(now.as_nanos().div_euclid(1_000_000_000)).to_string(),
        None => text += "waiting for packets",
    }
    match seen.clock.speed() {
        Some(Speed::Times(speed)) if speed != 1.0 => text += &format!("  ×{speed}"),
        _ => {}
    }
    if seen.has_ended {
        text += "  end of the input";
    }
    if is_paused {
        text += "  PAUSED";
    }
    if !view.marked.is_empty() {
        text += &format!("  {} marked", view.marked.len());
    }
    let text = cut(&text, width);
    let name = middle(&plain(&seen.name), width.saturating_sub(cells(&text)).saturating_sub(2));
    let style = styles.heading;
    let space = if name.is_empty() { "" } else { "  " };
    format!("{style}{name}{style:#}{space}{text}")
}

/// The second line: the traffic of all connections together.
fn totals(top: &Top, second: i64, width: usize, styles: Styles) -> String {
    const BARS: usize = 10;
    let text = cut(&summary(top, second), width);
    let left = width.saturating_sub(cells(&text)).saturating_sub(2);
    let bars = [60, 30, 20, 15, 12, BARS].into_iter().find(|bars| *bars <= left);
    let Some(bars) = bars else { return text };
    let bars = graph(&top.minute().graph(second.saturating_add(1), bars));
    let color = styles.palette.start(gdwire::text::Role::Path);
    let end = if color.is_empty() { "" } else { "\x1b[0m" };
    format!("{text}  {color}{bars}{end}")
}

/// The tables, of which one is shown.
fn tabs(view: &ScreenView, width: usize, styles: Styles) -> String {
    let mut line = String::new();
    let mut used = 0_usize;
    for (number, &by) in (1..).zip(TopBy::ALL) {
        let (is_shown, name) = (by == view.query.by, plural(by));
        let text = if is_shown { format!("[{number} {name}]") } else { format!("{number} {name}") };
        let space = if used == 0 { "" } else { " " };
        used = used.saturating_add(space.len()).saturating_add(cells(&text));
        if used > width {
            break;
        }
        let style = if is_shown { styles.heading } else { styles.dim };
        line += &format!("{space}{style}{text}{style:#}");
    }
    line
}

fn plural(by: TopBy) -> String {
    match by {
        TopBy::Property => "properties".to_owned(),
        by => format!("{}s", title(by)),
    }
}

/// Adds the table, and returns the last line.
fn table(
    view: &mut ScreenView,
    top: &Top,
    (width, room): Size,
    styles: Styles,
    lines: &mut Vec<String>,
) -> String {
    lines.push(tabs(view, width, styles));
    let mut rows = top.rows(&view.query);
    rows.sort_by_key(|row| !view.marked.contains(&row.key));
    view.rows = rows.iter().map(|row| row.key.clone()).collect();
    view.height = room.saturating_sub(2);
    let place = view.place();
    view.first = view.first.min(place).max(place.saturating_add(1).saturating_sub(view.height));
    view.first = view.first.min(rows.len().saturating_sub(view.height));
    let shown = rows.iter().enumerate().skip(view.first).take(view.height);
    // The columns depend on all rows, so that they stay while the user scrolls.
    let longest = rows.iter().map(|row| cells(&plain(&row.name))).max().unwrap_or(0);
    let layout = TableLayout::new(view.query.by, width.saturating_sub(2), longest);
    lines.push(format!("  {}", layout.header(view.query.by, styles)));
    let whole = top.minute().sum(top.second().unwrap_or(0)).bytes;
    for (at, row) in shown {
        let mark = match (at == place, view.marked.contains(&row.key)) {
            (true, true) => "▸*",
            (true, false) => "▸ ",
            (false, true) => " *",
            (false, false) => "  ",
        };
        let style = if at == place { styles.heading } else { styles.address };
        lines.push(format!("{style}{mark}{style:#}{}", layout.row(row, whole, styles)));
    }
    if rows.is_empty() {
        let nothing = match (view.query.filter.is_empty(), view.query.by) {
            (false, _) => "no name matches the filter; Esc clears it".to_owned(),
            (true, by) if top.messages() > 0 => {
                format!("no {} so far; 4 shows the connections", plural(by))
            }
            _ => "no messages so far".to_owned(),
        };
        lines.push(cut(&format!("  {nothing}"), width));
    }
    if view.is_filtering {
        return format!("filter: {}▏  Enter keeps it, Esc clears it", plain(&view.query.filter));
    }
    let sort = SORTS.iter().find(|(sort, _)| *sort == view.query.sort).map_or("", |it| it.1);
    let mut foot = format!("? keys  q quit  {} by {sort}", number(rows.len() as u64, "row"));
    if !view.query.filter.is_empty() {
        foot += &format!("  filter: {}", plain(&view.query.filter));
    }
    if let Some(dropped) = dropped(top, &view.query) {
        foot += &format!("  {dropped}");
    }
    foot
}

/// Adds the page of a row, and returns the last line.
fn detail(
    view: &mut ScreenView,
    top: &Top,
    seen: &SeenTraffic,
    (width, room): Size,
    styles: Styles,
    lines: &mut Vec<String>,
) -> String {
    let mut query = view.query.clone();
    query.filter.clear();
    let rows = top.rows(&query);
    let foot = "↑ ↓ another message  PgUp PgDn scroll  Esc back  ? keys".to_owned();
    let Some(row) = rows.iter().find(|row| Some(&row.key) == view.chosen.as_ref()) else {
        lines.push(cut("this row was dropped to save memory, because it was quiet", width));
        return foot;
    };
    let (heading, dim) = (styles.heading, styles.dim);
    let name = format!("{}: {}", title(view.query.by), plain(&row.name));
    lines.push(format!("{heading}{}{heading:#}", middle(&name, width)));
    lines.extend(side_by_side(numbers(row), width));
    let bars = if width >= 60 { 60 } else { 30 };
    lines.push(cut(&format!("▕{}▏", graph(&row.graph(bars))), width));
    let samples: Vec<_> = row.samples().collect();
    view.sample = view.sample.min(samples.len().saturating_sub(1));
    let what = match view.query.by {
        TopBy::Method => "last calls",
        TopBy::Property => "last values",
        _ => "last messages",
    };
    lines.push(format!("{heading}{}{heading:#}", cut(what, width)));
    // A third of the page for these, the rest for the explanation.
    let most = (room / 3).max(3);
    let first = view.sample.saturating_add(1).saturating_sub(most);
    for (at, sample) in samples.iter().enumerate().skip(first).take(most) {
        let mark = if at == view.sample { '▸' } else { ' ' };
        let time = sample.place.time.map_or_else(String::new, |time| format!("{time:.3}"));
        let time = time.get(11..23).unwrap_or_default();
        let source =
            sample.source.map_or_else(|| sample.src.to_string(), |peer| format!("peer {peer}"));
        let text = format!("{mark} {time}  {source}  {}", plain(&sample.text));
        lines.push(cut(&text, width));
    }
    let Some(sample) = samples.get(view.sample) else { return foot };
    lines.push(format!("{heading}{}{heading:#}", cut("byte by byte", width)));
    let left = room.saturating_add(2).saturating_sub(lines.len());
    view.height = left;
    match seen.kept.explain(sample.number, styles, width) {
        Some(explained) => {
            view.line = view.line.min(explained.len().saturating_sub(left));
            lines.extend(explained.into_iter().skip(view.line).take(left));
        }
        None => lines.push(format!("{dim}{}{dim:#}", cut("  no longer in memory", width))),
    }
    foot
}

/// The numbers of a row.
fn numbers(row: &TopRow<'_>) -> Vec<String> {
    let show = |name: &str, amount: Amount| {
        format!("{name}: {} messages, {}", count(amount.count), bytes(amount.bytes))
    };
    let usage = row.usage;
    let mut texts = vec![
        show("last second", row.last_second()),
        show("last minute", row.last_minute()),
        show("in all", usage.total),
    ];
    if usage.from_server.count > 0 || usage.from_clients.count > 0 {
        texts.push(show("from the server", usage.from_server));
        texts.push(show("from clients", usage.from_clients));
    }
    if let Some(link) = row.link {
        let trip = link.round_trip.map_or_else(|| "not measured".to_owned(), time);
        let state = if link.is_closed { ", closed" } else { "" };
        let Amount { count: packets, bytes: payload, .. } = link.packets;
        texts.push(format!("{}{state}", link.transport));
        texts.push(format!("round trip: {trip}"));
        texts.push(format!("lost: {}", link.lost.total));
        texts.push(format!("resent: {}", link.resent.total));
        texts.push(format!("{}, {} payload", number(packets, "packet"), bytes(payload)));
    }
    if row.nodes > 1 {
        texts.push(format!("{} nodes, which are alike; n shows each", row.nodes));
    }
    texts
}

/// Puts as many texts on each line as fit.
fn side_by_side(texts: Vec<String>, width: usize) -> Vec<String> {
    const SPACE: &str = "   ";
    let mut lines: Vec<String> = Vec::new();
    for text in texts {
        let text = cut(&text, width);
        match lines.last_mut() {
            Some(line) if cells(line) + SPACE.len() + cells(&text) <= width => {
                line.extend([SPACE, &*text]);
            }
            _ => lines.push(text),
        }
    }
    lines
}
