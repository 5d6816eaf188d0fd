//! A progress bar for long work.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, stderr, stdout};
use std::time::{Duration, Instant};

/// Work that takes less time has no bar.
const DELAY: Duration = Duration::from_secs(1);

/// The number of steps between two readings of the clock.
const STEPS: u32 = 4096;

/// The progress of reading a file. It is shown if reading takes long, standard error is a terminal
/// and standard output is not: on a terminal the results themselves show progress.
#[derive(Default)]
pub(crate) struct Progress {
    work: Option<Work>,
}

struct Work {
    length: u64,
    start: Instant,
    steps: u32,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(crate) fn begin(&mut self, length: u64) {
        if stderr().is_terminal() && !stdout().is_terminal() {
            self.work = Some(Work { length, start: Instant::now(), steps: 0, bar: None });
        }
    }

    pub(crate) fn step(&mut self, position: u64) {
        let Some(work) = &mut self.work else { return };
        work.steps = work.steps.wrapping_add(1);
        if work.steps.is_multiple_of(STEPS) {
            self.show(position);
        }
    }

    /// Shows the progress, without counting steps.
    pub(crate) fn show(&mut self, position: u64) {
        let Some(work) = &mut self.work else { return };
        if work.start.elapsed() >= DELAY {
            work.bar.get_or_insert_with(|| bar(work.length)).set_position(position);
        }
    }

    pub(crate) fn end(&mut self) {
        if let Some(bar) = self.work.take().and_then(|work| work.bar) {
            bar.finish_and_clear();
        }
    }

    /// Writes to standard error while the bar is hidden.
    pub(crate) fn suspend(&self, write: impl FnOnce()) {
        match self.work.as_ref().and_then(|work| work.bar.as_ref()) {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

fn bar(length: u64) -> ProgressBar {
    let template = "{bar:40} {binary_bytes} of {binary_total_bytes}, {eta} left";
    let bar = ProgressBar::new(length);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
