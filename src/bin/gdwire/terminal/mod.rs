//! The look of results on a terminal.
//!
//! Takes the options for width and colours and the properties of the terminal, and provides fitted
//! lines, tables, styles and the progress bar.

mod columns;
mod lines;
mod progress;
mod screen;
mod styles;

pub(crate) use columns::{Columns, number, shown};
pub(crate) use lines::{cut, wrapped};
pub(crate) use progress::Progress;
pub(crate) use screen::Width;
pub(crate) use styles::Styles;
