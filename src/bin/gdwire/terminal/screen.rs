//! The width and the colours of results, as the options and the terminal want them.

use crate::args::screen::{Color, LEAST, ScreenArgs};
use anstream::ColorChoice;
use std::env;
use std::io::{IsTerminal, stdout};

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
