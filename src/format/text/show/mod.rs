//! Shows values and packets to people: in colours, fitted to a width, or over several lines.
//!
//! The pieces of a text come in, each with its role: see [`pieces`](super::pieces). What a [`Show`]
//! asks for comes out, through a formatter.

#[cfg(feature = "show")]
mod cells;
#[cfg(feature = "show")]
mod fill;
#[cfg(feature = "show")]
mod fit;
#[cfg(feature = "show")]
mod lines;
#[cfg(feature = "show")]
mod pretty;
#[cfg(feature = "show")]
mod shorten;
mod style;
#[cfg(feature = "show")]
mod tree;

#[cfg(feature = "show")]
pub use cells::cells;
pub use style::{Show, Shown};
