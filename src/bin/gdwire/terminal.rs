//! The look of results on a terminal.
//!
//! Takes the options for width and colours and the properties of the terminal, and provides fitted
//! lines, tables, styles and the progress bar.

use crate::args::{Color, LEAST_WIDTH, ScreenArgs};
use anstream::ColorChoice;
use anstyle::{AnsiColor, Style};
use gdwire::diagnose::Severity;
use gdwire::text::{Palette, Role, cells, disturbs_line};
use indicatif::{ProgressBar, ProgressStyle};
use std::borrow::Cow;
use std::env;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write, stderr, stdout};
use std::ops::Range;
use std::time::{Duration, Instant};

/// The longest name in a cell, in characters.
const NAME: usize = 120;

/// Text is never cut to fewer columns of the terminal than this.
const LEAST_CELL: usize = 10;

/// The spaces before each column of the table.
const SPACE: usize = 2;

/// A table in aligned columns. Columns of numbers are aligned to the right. If there is a width,
/// text is cut in the middle so that a row fits on a line.
pub struct Columns {
    /// The header first.
    rows: Vec<Vec<String>>,
    numbers: Range<usize>,
    width: Option<u16>,
    /// Columns that are left out, in this order, until the rows fit.
    optional: &'static [usize],
}

impl Columns {
    /// A table with this header and these columns of numbers, fitted to a width.
    pub fn new(header: &[&str], numbers: Range<usize>, width: Option<u16>) -> Columns {
        let header = header.iter().map(|name| (*name).to_owned()).collect();
        Columns { rows: vec![header], numbers, width, optional: &[] }
    }

    /// Names columns that are left out, in this order, until the rows fit.
    pub fn with_optional(self, optional: &'static [usize]) -> Columns {
        Columns { optional, ..self }
    }

    pub fn row(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(row.into_iter().collect());
    }

    /// Writes an empty line and the table, or nothing if the table has no rows.
    pub fn write(self, out: &mut dyn Write) -> io::Result<()> {
        if self.rows.len() < 2 {
            return Ok(());
        }
        let widths = self.widths();
        writeln!(out)?;
        for row in &self.rows {
            let mut line = String::new();
            for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let Some(width) = *width else { continue };
                let cell = middle(cell, width);
                let padding = " ".repeat(width.saturating_sub(cells(&cell)));
                let [before, after] =
                    if self.numbers.contains(&at) { [&*padding, ""] } else { ["", &*padding] };
                line.extend(["  ", before, &*cell, after]);
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// The width of each column; none for those that are left out.
    fn widths(&self) -> Vec<Option<usize>> {
        let columns = self.rows.first().map_or(0, Vec::len);
        let widest = |at: usize| {
            let widths = self.rows.iter().filter_map(|row| row.get(at)).map(|cell| cells(cell));
            widths.max().unwrap_or(0)
        };
        let mut widths: Vec<_> = (0..columns).map(|at| Some(widest(at))).collect();
        let Some(room) = self.width.map(usize::from) else { return widths };
        // The smallest width of a column, with its spaces.
        let least = |(at, width): (usize, &Option<usize>)| match width {
            Some(width) if self.numbers.contains(&at) => width.saturating_add(SPACE),
            Some(width) => (*width).min(LEAST_CELL).saturating_add(SPACE),
            None => 0,
        };
        for at in self.optional {
            let needed = widths.iter().flatten().map(|width| width.saturating_add(SPACE));
            if needed.fold(0, usize::saturating_add) <= room {
                return widths;
            }
            if let Some(width) = widths.get_mut(*at) {
                *width = None;
            }
        }
        let needed = widths.iter().enumerate().map(least).fold(0, usize::saturating_add);
        let mut spare = room.saturating_sub(needed);
        // Narrow columns get their width first; what they leave goes to wider ones.
        let mut texts: Vec<usize> = (0..columns)
            .filter(|at| !self.numbers.contains(at) && widths.get(*at).is_some_and(Option::is_some))
            .collect();
        texts.sort_by_key(|at| widths.get(*at).copied());
        for (done, at) in texts.iter().enumerate() {
            let Some(Some(width)) = widths.get_mut(*at) else { continue };
            let equal = spare / texts.len().saturating_sub(done).max(1);
            let given = (*width).saturating_sub(LEAST_CELL).min(equal);
            (*width, spare) =
                ((*width).min(LEAST_CELL).saturating_add(given), spare.saturating_sub(given));
        }
        widths
    }
}

/// Cuts a text to a number of columns. A long text keeps its beginning and its end.
pub fn middle(text: &str, width: usize) -> String {
    let all = cells(text);
    if all <= width {
        return text.to_owned();
    }
    let start = width.saturating_sub(1) / 2;
    let end = all.saturating_sub(width.saturating_sub(1).saturating_sub(start));
    let mut short = String::new();
    let mut at = 0_usize;
    for character in text.chars() {
        let next = at.saturating_add(cells(character.encode_utf8(&mut [0; 4])));
        if next > start && !short.contains('…') {
            short.push('…');
        }
        if next <= start || at >= end {
            short.push(character);
        }
        at = next;
    }
    short
}

/// A count of things.
pub fn number(count: u64, noun: &str) -> String {
    several(count, noun, &format!("{noun}s"))
}

/// A count, and the text for one thing or for several.
pub fn several(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A name or a path as the library shows it; a long one is cut after [`NAME`] characters.
pub fn shown(name: &dyn Display) -> String {
    let name = name.to_string();
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name,
    }
}

/// A line with escapes for control characters and for characters that a terminal would not show.
pub fn plain(line: &str) -> String {
    let mut plain = String::new();
    for character in line.chars() {
        if disturbs_line(character) {
            plain.extend(character.escape_default());
        } else {
            plain.push(character);
        }
    }
    plain
}

/// The most characters of a line that [`bounded`] leaves whole.
const LONGEST: usize = 2_000;

/// A line, without its middle if it is very long: the user may pass arguments of any length, and an
/// error says at its end what is wrong with them.
pub fn bounded(line: &str) -> Cow<'_, str> {
    let count = line.chars().count();
    let Some(left_out) = count.checked_sub(LONGEST).filter(|left_out| *left_out > 0) else {
        return line.into();
    };
    let place = |character: usize| line.char_indices().nth(character).map_or(0, |(place, _)| place);
    let start = line.get(..place(LONGEST / 2)).unwrap_or_default();
    let end = line.get(place(count.saturating_sub(LONGEST / 2))..).unwrap_or_default();
    format!("{start}… {left_out} more characters …{end}").into()
}

/// Cuts a text to a number of columns.
pub fn cut(text: &str, columns: usize) -> String {
    if cells(text) <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut left = columns.saturating_sub(1);
    for character in text.chars() {
        match left.checked_sub(cells(character.encode_utf8(&mut [0; 4]))) {
            Some(rest) => left = rest,
            None => break,
        }
        short.push(character);
    }
    short + if columns > 0 { "…" } else { "" }
}

/// Breaks a text between words into lines that fit a number of columns. All lines but the first
/// are indented.
pub fn wrapped(text: &str, columns: Option<u16>, indent: usize) -> String {
    let Some(columns) = columns.map(usize::from) else { return text.to_owned() };
    let mut lines = String::new();
    let mut used = 0_usize;
    for (number, word) in text.split(' ').enumerate() {
        let width = cells(word);
        let needed = used.saturating_add(1).saturating_add(width);
        if number > 0 && needed > columns && used > indent {
            lines.push('\n');
            lines.extend(std::iter::repeat_n(' ', indent));
            used = indent.saturating_add(width);
        } else {
            lines.push_str(if number > 0 { " " } else { "" });
            used = if number > 0 { needed } else { width };
        }
        lines.push_str(word);
    }
    lines
}

/// Work that takes less time has no bar.
const DELAY: Duration = Duration::from_secs(1);

/// The number of steps between two readings of the clock.
const STEPS: u32 = 4096;

/// The progress of reading a file. It is shown if reading takes long, standard error is a terminal
/// and standard output is not: on a terminal the results themselves show progress.
#[derive(Default)]
pub struct ReadProgress {
    work: Option<ProgressWork>,
}

struct ProgressWork {
    length: u64,
    start: Instant,
    steps: u32,
    bar: Option<ProgressBar>,
}

impl ReadProgress {
    pub fn begin(&mut self, length: u64) {
        if stderr().is_terminal() && !stdout().is_terminal() {
            self.work = Some(ProgressWork { length, start: Instant::now(), steps: 0, bar: None });
        }
    }

    pub fn step(&mut self, position: u64) {
        let Some(work) = &mut self.work else { return };
        work.steps = work.steps.wrapping_add(1);
        if work.steps.is_multiple_of(STEPS) {
            self.show(position);
        }
    }

    /// Shows the progress, without counting steps.
    pub fn show(&mut self, position: u64) {
        let Some(work) = &mut self.work else { return };
        if work.start.elapsed() >= DELAY {
            work.bar.get_or_insert_with(|| bar(work.length)).set_position(position);
        }
    }

    pub fn end(&mut self) {
        if let Some(bar) = self.work.take().and_then(|work| work.bar) {
            bar.finish_and_clear();
        }
    }

    /// Writes to standard error while the bar is hidden.
    pub fn suspend(&self, write: impl FnOnce()) {
        match self.work.as_ref().and_then(|work| work.bar.as_ref()) {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

fn bar(length: u64) -> ProgressBar {
    let template = "{bar:40} {binary_bytes} of {binary_total_bytes}, {eta} left";
    let bar = ProgressBar::new(length);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// How wide lines may be.
#[derive(Clone, Copy)]
pub enum LineWidth {
    /// The current width of the terminal.
    Terminal,
    Fixed(u16),
}

/// When to use colours if the user does not say it. `anstream` takes `CLICOLOR_FORCE=0` for a force, too.
pub fn automatic_colors() -> ColorChoice {
    let is = |name, value| env::var_os(name).is_some_and(|it| it == value);
    let is_plain = !stdout().is_terminal() || is("CLICOLOR", "0") || is("TERM", "dumb");
    if is("CLICOLOR_FORCE", "0") && is_plain { ColorChoice::Never } else { ColorChoice::Auto }
}

impl ScreenArgs {
    /// Applies `--color` to all output; without it, [`automatic_colors`] stays.
    pub fn choose_colors(&self) {
        let choice = match self.color {
            Color::Auto => return,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        choice.write_global();
    }

    /// The width that lines may have; `None` if they are not cut.
    pub fn width(&self) -> Option<LineWidth> {
        if let Some(width) = self.width {
            return Some(LineWidth::Fixed(width));
        }
        if !stdout().is_terminal() {
            return None;
        }
        let columns = env::var("COLUMNS").ok().and_then(|columns| columns.parse::<u16>().ok());
        Some(match columns.filter(|columns| *columns > 0) {
            Some(columns) => LineWidth::Fixed(columns.max(LEAST_WIDTH)),
            None => LineWidth::Terminal,
        })
    }

    /// The number of columns that lines may have; `None` if they are not cut.
    pub fn columns(&self) -> Option<u16> {
        self.width().and_then(LineWidth::columns)
    }
}

impl LineWidth {
    /// The number of columns; `None` if the terminal does not report it.
    pub fn columns(self) -> Option<u16> {
        match self {
            LineWidth::Fixed(width) => Some(width),
            LineWidth::Terminal => {
                terminal_size::terminal_size_of(stdout()).map(|(width, _)| width.0.max(LEAST_WIDTH))
            }
        }
    }
}

/// Colours, or none.
#[derive(Clone, Copy, Default)]
pub struct Styles {
    pub dim: Style,
    pub address: Style,
    pub error: Style,
    pub warning: Style,
    /// The name of a file above its content, and the headers of tables.
    pub heading: Style,
    /// The colours of values and packets.
    pub palette: Palette<'static>,
    /// Whether these are colours.
    is_colored: bool,
}

impl Styles {
    /// Colours that can be read on dark and on light terminals. No information is shown by colour
    /// alone.
    pub fn colored() -> Styles {
        let colors = [
            // Bold, as dark blue is hard to read on black.
            (Role::Key, "\x1b[1;34m"),
            (Role::String, "\x1b[32m"),
            (Role::Number, "\x1b[35m"),
            (Role::Constant, "\x1b[35m"),
            (Role::Path, "\x1b[36m"),
            (Role::Method, "\x1b[1m"),
            (Role::Omitted, "\x1b[2m"),
        ];
        let palette = Palette::new();
        Styles {
            dim: Style::new().dimmed(),
            address: Style::new(),
            error: AnsiColor::Red.on_default().bold(),
            warning: AnsiColor::Yellow.on_default().bold(),
            heading: Style::new().bold(),
            palette: colors.into_iter().fold(palette, |all, (role, start)| all.with(role, start)),
            is_colored: true,
        }
    }

    /// The palette for packets of the multiplayer API with this command: what appears and disappears, and
    /// what only prepares other packets, is seen at once.
    pub fn of_command(&self, command: &str) -> Palette<'static> {
        if !self.is_colored {
            return self.palette;
        }
        let start = match command {
            "spawn" | "peer_added" => "\x1b[1;32m",
            "despawn" | "peer_removed" => "\x1b[1;31m",
            "sync" | "delta" => "\x1b[1;36m",
            "relay" => "\x1b[1;35m",
            "simplify_path" | "confirm_path" => "\x1b[2m",
            _ => return self.palette,
        };
        self.palette.with(Role::Command, start)
    }

    pub const fn of(&self, severity: Severity) -> Style {
        match severity {
            Severity::Error => self.error,
            Severity::Warning => self.warning,
            _ => self.address,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Columns, cut, middle, wrapped};

    fn lines(width: Option<u16>) -> String {
        let mut table = Columns::new(&["node", "count", "from"], 1..2, width).with_optional(&[2]);
        for (node, count) in [("Main/World/Actors/Zoë", "1234"), ("盾牌", "5")] {
            table.row([node, count, "server"].map(str::to_owned));
        }
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rows_are_aligned_and_fit_the_width() {
        let whole = "
  node                   count  from
  Main/World/Actors/Zoë   1234  server
  盾牌                       5  server
";
        assert_eq!([lines(None), lines(Some(38))], [whole, whole]);
        let short = "
  node                   count
  Main/World/Actors/Zoë   1234
  盾牌                       5
";
        assert_eq!(lines(Some(37)), short);
        let narrow = "
  node          count
  Main/…rs/Zoë   1234
  盾牌              5
";
        assert_eq!(lines(Some(21)), narrow);
    }

    #[test]
    fn long_text_keeps_its_ends() {
        assert_eq!(middle("Main/World/Actors/Zoë", 10), "Main…s/Zoë");
        assert_eq!(
            [middle("盾牌盾牌", 5), middle("abc", 3), middle("abc", 1)],
            ["盾…牌", "abc", "…"]
        );
    }

    #[test]
    fn long_text_is_cut_or_wrapped_at_its_words() {
        assert_eq!([cut("盾牌x", 5), cut("盾牌x", 4), cut("x", 0)], ["盾牌x", "盾…", ""]);
        assert_eq!(wrapped("one two three", Some(9), 2), "one two\n  three");
        assert_eq!(wrapped("  one two", Some(9), 2), "  one two");
        assert_eq!(wrapped("one seventeen x", Some(8), 2), "one\n  seventeen\n  x");
        assert_eq!(wrapped("one two", None, 2), "one two");
    }
}
