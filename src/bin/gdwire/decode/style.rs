//! How the options request messages to be printed.

use super::args::{DecodeArgs, Format, Values};
use crate::terminal::Styles;
use gdwire::json::Spelling;
use std::sync::Arc;

/// How messages are printed.
#[derive(Clone)]
pub(super) struct Style {
    pub(super) format: Format,
    pub(super) values: Spelling,
    pub(super) plain: bool,
    pub(super) hex: bool,
    pub(super) all: bool,
    pub(super) styles: Styles,
    /// Whether there are several files; if so, the name of the current one.
    pub(super) has_files: bool,
    pub(super) file: Option<Arc<str>>,
    /// Whether losses are shown: not if messages are selected by their content.
    pub(super) has_losses: bool,
}

impl Style {
    pub(super) fn new(args: &DecodeArgs, styles: Styles, has_files: bool) -> Style {
        let DecodeArgs { format, plain, hex, all, .. } = *args;
        let values = match args.values {
            Some(Values::Native) => Spelling::Native,
            Some(Values::Plain) | None => Spelling::Plain,
        };
        let has_losses = !args.selection.filters.has_contents();
        Style { format, values, plain, hex, all, styles, has_files, file: None, has_losses }
    }
}
