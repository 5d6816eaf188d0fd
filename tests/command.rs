//! The command, as users run it, and what it shows.

mod cli;
mod common;
#[cfg(feature = "export")]
mod export;
mod report;
mod shown;
