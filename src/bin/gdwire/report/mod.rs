//! `gdwire report`: writes one HTML page with plots of what captures contain.
//!
//! `gdwire::report` collects messages, losses and connections, and writes the page.

mod again;
mod args;
mod help;
mod reporter;

pub(crate) use args::ReportArgs as Args;
pub(crate) use help::{EXAMPLES, HELP};
pub(crate) use reporter::run;
