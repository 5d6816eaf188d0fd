//! Prints errors and warnings on standard error, and derives the exit code from them.

use crate::args::Verbosity;
use crate::plain::plain;
use crate::terminal::{Progress, wrapped};
use std::fmt::Display;
use std::io::{Write, stderr};
use std::process::ExitCode;

/// The result of the run; the number is the exit code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Good = 0,
    /// Some input could not be decoded.
    Undecoded = 1,
    /// Wrong usage, or input that cannot be read.
    Unreadable = 2,
}

pub(crate) struct Diagnostics {
    verbosity: Verbosity,
    outcome: Outcome,
    /// Whether the user ended the run before a file was read to its end.
    is_interrupted: bool,
    pub(crate) progress: Progress,
}

impl Diagnostics {
    pub(crate) fn new(verbosity: Verbosity) -> Diagnostics {
        let (outcome, progress) = (Outcome::Good, Progress::default());
        Diagnostics { verbosity, outcome, is_interrupted: false, progress }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.outcome as u8)
    }

    /// Reports that some input could not be decoded.
    pub(crate) fn failure(&mut self, file: &str, problem: &dyn Display) {
        self.say(&format!("{file}: {problem}"));
        self.note_failure();
    }

    /// Like [`Diagnostics::failure`], about the whole run.
    pub(crate) fn error(&mut self, problem: &str) {
        self.say(problem);
        self.note_failure();
    }

    /// Like [`Diagnostics::failure`], for a problem that the output also shows, so `--quiet`
    /// suppresses the line.
    pub(crate) fn shown_failure(&mut self, file: &str, problem: &dyn Display) {
        self.warning(file, problem);
        self.note_failure();
    }

    /// Sets the exit code to that of a failure, without printing a line.
    pub(crate) fn note_failure(&mut self) {
        self.outcome = self.outcome.max(Outcome::Undecoded);
    }

    /// Reports that a file cannot be read at all.
    pub(crate) fn unreadable(&mut self, file: &str, problem: &dyn Display) {
        self.fatal(&format!("{file}: {problem}"));
    }

    /// Reports that the user ended the run before a file was read to its end.
    pub(crate) fn interrupted(&mut self, file: &str) {
        self.warning(file, &"interrupted; the rest of the file was not read");
        self.is_interrupted = true;
    }

    /// Whether some input was not read to its end.
    pub(crate) fn has_unread(&self) -> bool {
        self.is_interrupted || self.outcome == Outcome::Unreadable
    }

    pub(crate) fn fatal(&mut self, message: &str) {
        self.say(message);
        self.outcome = Outcome::Unreadable;
    }

    /// Reports something about a file that is not an error. `--quiet` suppresses it.
    pub(crate) fn warning(&self, file: &str, problem: &dyn Display) {
        if self.verbosity >= Verbosity::Normal {
            self.say(&format!("{file}: {problem}"));
        }
    }

    /// Like [`Diagnostics::warning`], about the whole run.
    pub(crate) fn note(&self, text: &dyn Display) {
        if self.verbosity >= Verbosity::Normal {
            self.say(&text.to_string());
        }
    }

    /// Reports a detail about a file, with `--verbose` only.
    pub(crate) fn detail(&self, file: &str, text: &dyn Display) {
        if self.verbosity >= Verbosity::Verbose {
            self.say(&format!("{file}: {text}"));
        }
    }

    pub(crate) fn is_verbose(&self) -> bool {
        self.verbosity == Verbosity::Verbose
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.verbosity == Verbosity::Quiet
    }

    fn say(&self, message: &str) {
        self.progress.suspend(|| say(message));
    }
}

/// Prints a line on standard error.
pub(crate) fn say(message: &str) {
    // Names of files, and names in files, could contain commands for the terminal.
    let message = plain(message);
    let columns = terminal_size::terminal_size_of(stderr()).map(|(width, _)| width.0);
    let message = wrapped(&format!("gdwire: {message}"), columns, 2);
    // If standard error is closed, there is no place to report that.
    drop(writeln!(stderr(), "{message}"));
}
