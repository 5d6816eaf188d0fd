//! `gdwire convert`: writes values as the bytes that an engine writes for them.
//!
//! Values come in and are converted by `gdwire::convert`; their bytes go out.

mod args;
mod converter;
mod help;

pub(crate) use args::ConvertArgs as Args;
pub(crate) use converter::run;
pub(crate) use help::{EXAMPLES, HELP};
