//! How results look on a terminal.
//!
//! The options for width and colours come in, and what the terminal says about itself; lines that fit,
//! tables, styles and the progress bar go out.

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
