//! `gdwire man`: writes the manual pages.
//!
//! The definition of the command line comes in; pages in roff go out.

mod args;
mod help;
mod pages;

pub(crate) use args::ManArgs as Args;
pub(crate) use help::{EXAMPLES, HELP};
pub(crate) use pages::run;
