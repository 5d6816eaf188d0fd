//! From bytes to views: the kinds of values, the dialects of the engines, the grammar of the wire
//! format, checked views in place, walks over them, and the detection of the dialect.

#[macro_use]
mod macros;

pub mod detect;
pub(crate) mod dialect;
pub(crate) mod engine;
pub(crate) mod error;
pub mod grammar;
pub(crate) mod kind;
pub mod math;
pub(crate) mod number;
pub(crate) mod parse;
pub(crate) mod trusted;
pub mod view;
pub mod walk;
pub(crate) mod wire;
