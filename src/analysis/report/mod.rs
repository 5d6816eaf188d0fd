//! Collects the data for plots of a capture, and writes them as an HTML page.
//!
//! A [`Report`] takes the events of one capture, as [`Stats`] and [`Diagnosis`] do. It keeps both,
//! and the changes over time, in bounded memory. A [`Page`] is one file of HTML with one or several
//! reports. It works offline: it loads nothing. A browser runs only the page's own scripts,
//! whatever names the capture contains.
//!
//! ```
//! use gdwire::capture::{Messages, Options};
//! use gdwire::report::{Page, Report};
//!
//! # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-game-enet.pcapng"))?;
//! let mut messages = Messages::with_options(&file, Options::new().with_measures())?;
//! let mut report = Report::new();
//! while let Some(event) = messages.next_event() {
//!     report.event(&event);
//! }
//! let mut page = Page::begin(Vec::new())?;
//! page.add("game.pcapng", "game.pcapng", &report)?;
//! let html = page.finish()?;
//! assert!(html.len() < 1_000_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Plots
//!
//! The page draws with [uPlot](https://github.com/leeoniya/uPlot) 1.6.32, which is part of this
//! crate under its own licence, MIT. uPlot has 50 kB and no dependencies, has been maintained for
//! years, draws thousands of points without delay, and zooms by dragging. Larger libraries would
//! make every report several times as large.
//!
//! # Limits
//!
//! In addition to [`Stats`] and [`Diagnosis`], a report keeps 2,000 messages with 160 characters
//! each, 400 spawned nodes, and 48 connections with at most 256 intervals of time. 8 connections
//! are plotted separately, and the rest together. If a list is longer, the page says so.
//!
//! [`Stats`]: crate::stats::Stats
//! [`Diagnosis`]: crate::diagnose::Diagnosis

mod connections;
mod content;
mod grid;
mod json;
mod page;
mod rows;
mod timeline;

pub use content::Report;
pub use page::Page;
