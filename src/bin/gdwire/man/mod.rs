//! `gdwire man`: writes the manual pages.
//!
//! Turns the definition of the command line into pages in roff.

mod args;
mod help;
mod pages;

pub(crate) use args::ManArgs as Args;
pub(crate) use help::{EXAMPLES, HELP};
pub(crate) use pages::run;
