//! `gdwire convert`: writes values as the bytes that an engine writes for them.
//!
//! Converts values with `gdwire::convert`, and writes their bytes.

mod args;
mod converter;
mod help;

pub(crate) use args::ConvertArgs as Args;
pub(crate) use converter::run;
pub(crate) use help::{EXAMPLES, HELP};
