//! How results look on a terminal: their width and their colours.

use anstream::ColorChoice;
use clap::{Args, ValueEnum};
use gdwire::text::cells;
use std::env;
use std::io::{IsTerminal, stdout};

/// The least width that lines are fitted to.
const LEAST: u16 = 20;

#[derive(Args)]
pub(crate) struct ScreenArgs {
    /// When to use colors; NO_COLOR and CLICOLOR_FORCE decide for auto, then whether the output is a terminal
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
    /// Fit lines to N columns [default: the width of the terminal; in pipes and files, lines are whole]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(i64::from(LEAST)..))]
    width: Option<u16>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// Also in pipes and files, for example for 'less -R'
    Always,
    /// Not even on a terminal
    Never,
}

/// How wide lines may be.
#[derive(Clone, Copy)]
pub(crate) enum Width {
    /// As wide as the terminal is at the moment.
    Terminal,
    Fixed(u16),
}

impl ScreenArgs {
    /// Lets all output have colours, or none.
    pub(crate) fn choose_colors(&self) {
        let choice = match self.color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        choice.write_global();
    }

    /// How wide lines may be; none if they are to be whole.
    pub(crate) fn width(&self) -> Option<Width> {
        if let Some(width) = self.width {
            return Some(Width::Fixed(width));
        }
        if !stdout().is_terminal() {
            return None;
        }
        let columns = env::var("COLUMNS").ok().and_then(|columns| columns.parse::<u16>().ok());
        Some(match columns.filter(|columns| *columns > 0) {
            Some(columns) => Width::Fixed(columns.max(LEAST)),
            None => Width::Terminal,
        })
    }
}

impl ScreenArgs {
    /// How many columns there are; none if lines are to be whole.
    pub(crate) fn columns(&self) -> Option<u16> {
        self.width().and_then(Width::columns)
    }
}

impl Width {
    /// How many columns there are; none if the terminal does not say it.
    pub(crate) fn columns(self) -> Option<u16> {
        match self {
            Width::Fixed(width) => Some(width),
            Width::Terminal => {
                terminal_size::terminal_size_of(stdout()).map(|(width, _)| width.0.max(LEAST))
            }
        }
    }
}

/// Cuts a text to a number of columns.
pub(crate) fn cut(text: &str, columns: usize) -> String {
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
pub(crate) fn wrapped(text: &str, columns: Option<u16>, indent: usize) -> String {
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

#[cfg(test)]
mod tests {
    use super::{cut, wrapped};

    #[test]
    fn long_text_is_cut_or_wrapped_at_its_words() {
        assert_eq!([cut("盾牌x", 5), cut("盾牌x", 4), cut("x", 0)], ["盾牌x", "盾…", ""]);
        assert_eq!(wrapped("one two three", Some(9), 2), "one two\n  three");
        assert_eq!(wrapped("  one two", Some(9), 2), "  one two");
        assert_eq!(wrapped("one seventeen x", Some(8), 2), "one\n  seventeen\n  x");
        assert_eq!(wrapped("one two", None, 2), "one two");
    }
}
