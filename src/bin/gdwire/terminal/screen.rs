//! The width and the colours of results, from the options and the terminal.

use crate::args::screen::{Color, LEAST, ScreenArgs};
use anstream::ColorChoice;
use std::env;
use std::io::{IsTerminal, stdout};

/// How wide lines may be.
#[derive(Clone, Copy)]
pub(crate) enum Width {
    /// The current width of the terminal.
    Terminal,
    Fixed(u16),
}

impl ScreenArgs {
    /// Applies `--color` to all output.
    pub(crate) fn choose_colors(&self) {
        let choice = match self.color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        choice.write_global();
    }

    /// The width that lines may have; `None` if they are not cut.
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

    /// The number of columns that lines may have; `None` if they are not cut.
    pub(crate) fn columns(&self) -> Option<u16> {
        self.width().and_then(Width::columns)
    }
}

impl Width {
    /// The number of columns; `None` if the terminal does not report it.
    pub(crate) fn columns(self) -> Option<u16> {
        match self {
            Width::Fixed(width) => Some(width),
            Width::Terminal => {
                terminal_size::terminal_size_of(stdout()).map(|(width, _)| width.0.max(LEAST))
            }
        }
    }
}
