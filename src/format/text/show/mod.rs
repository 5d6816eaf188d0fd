//! Shows values and packets to people: in colours, fitted to a width, or over several lines.
//!
//! The pieces of a text come in, each with its role: see [`pieces`](super::pieces). What a [`Show`]
//! asks for comes out, through a formatter.

#[cfg(feature = "cli")]
mod cells;
#[cfg(feature = "cli")]
mod fill;
#[cfg(feature = "cli")]
mod fit;
#[cfg(feature = "cli")]
mod lines;
#[cfg(feature = "cli")]
mod pretty;
#[cfg(feature = "cli")]
mod shorten;
mod style;
#[cfg(feature = "cli")]
mod tree;

#[cfg(feature = "cli")]
pub use cells::cells;
pub use style::{Show, Shown};
