//! `gdwire report`: writes one HTML page with plots of what captures contain.
//!
//! Messages, losses and connections come in and are collected by `gdwire::report`; the page goes out.

mod again;
mod args;
mod help;
mod reporter;

pub(crate) use args::ReportArgs as Args;
pub(crate) use help::{EXAMPLES, HELP};
pub(crate) use reporter::run;
