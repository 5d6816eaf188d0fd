//! Prints errors and warnings on standard error, and derives the exit code from them. Defines the
//! reasons why the whole run ends early.

use crate::args::VerbosityArgs;
use crate::interrupt;
use crate::terminal::{ReadProgress, bounded, number, plain, wrapped};
use std::fmt::Display;
use std::io::{self, IsTerminal, Write, stderr};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Why the whole run ends early.
pub enum RunError {
    /// The results cannot be written.
    Output(io::Error),
    /// The options or the files do not allow the run.
    Usage(String),
}

impl From<String> for RunError {
    fn from(problem: String) -> RunError {
        RunError::Usage(problem)
    }
}

impl From<&str> for RunError {
    fn from(problem: &str) -> RunError {
        RunError::Usage(problem.to_owned())
    }
}

impl From<io::Error> for RunError {
    fn from(error: io::Error) -> RunError {
        RunError::Output(error)
    }
}

/// The result of the run; the number is the exit code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ExitLevel {
    Good = 0,
    /// Some input could not be decoded.
    Undecoded = 1,
    /// Wrong usage, or input that cannot be read.
    Unreadable = 2,
}

/// How many errors about an input are printed, and how many warnings about its parts. The others are
/// counted, unless the user wants all.
const SHOWN: u64 = 20;

pub struct Diagnostics {
    verbosity: VerbosityArgs,
    outcome: ExitLevel,
    /// Whether the user ended the run before a file was read to its end.
    is_interrupted: bool,
    /// Whether nothing is printed.
    is_muted: bool,
    /// The number of errors and of repeated warnings about the present input.
    errors: u64,
    warnings: u64,
    pub progress: ReadProgress,
}

impl Diagnostics {
    pub fn new(verbosity: VerbosityArgs) -> Diagnostics {
        Diagnostics {
            verbosity,
            outcome: ExitLevel::Good,
            is_interrupted: false,
            is_muted: false,
            errors: 0,
            warnings: 0,
            progress: ReadProgress::default(),
        }
    }

    /// Prints nothing: for an input that is read again.
    pub fn muted() -> Diagnostics {
        let mut muted = Diagnostics::new(VerbosityArgs::default());
        muted.is_muted = true;
        muted
    }

    /// From now on, only errors are printed, as with `--quiet`.
    pub const fn silence(&mut self) {
        self.verbosity = VerbosityArgs { quiet: true, verbose: false };
    }

    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(if self.is_interrupted { interrupt::ENDED } else { self.outcome as u8 })
    }

    /// Reports that some input could not be decoded.
    pub fn failure(&mut self, file: &str, problem: &dyn Display) {
        self.note_failure();
        self.errors += 1;
        if self.errors <= SHOWN || self.is_verbose() {
            self.say(&format!("{file}: {problem}"));
        }
    }

    /// Like [`Diagnostics::failure`], about the whole run.
    pub fn error(&mut self, problem: &str) {
        self.say(problem);
        self.note_failure();
    }

    /// Like [`Diagnostics::failure`], for a problem that the output also shows, so `--quiet`
    /// suppresses the line.
    pub fn shown_failure(&mut self, file: &str, problem: &dyn Display) {
        if self.is_quiet() {
            self.note_failure();
        } else {
            self.failure(file, problem);
        }
    }

    /// Sets the exit code to that of a failure, without printing a line.
    pub fn note_failure(&mut self) {
        self.outcome = self.outcome.max(ExitLevel::Undecoded);
    }

    /// Like [`Diagnostics::warning`], about one of many parts of an input.
    pub fn repeated_warning(&mut self, file: &str, problem: &dyn Display) {
        self.warnings += 1;
        if self.warnings <= SHOWN || self.is_verbose() {
            self.warning(file, problem);
        }
    }

    /// Ends the reports about an input: says how many were not printed.
    pub fn end_input(&mut self, file: &str) {
        let (errors, warnings) = (self.errors, self.warnings);
        (self.errors, self.warnings) = (0, 0);
        if self.is_verbose() {
            return;
        }
        let more = |count: u64, noun: &str| {
            let more = count.saturating_sub(SHOWN);
            (more > 0).then(|| format!("{}; --verbose shows all", number(more, noun)))
        };
        if let Some(text) = more(errors, "more error") {
            self.say(&format!("{file}: {text}"));
        }
        if let Some(text) = more(warnings, "more warning") {
            self.warning(file, &text);
        }
    }

    /// Reports that a file cannot be read at all.
    pub fn unreadable(&mut self, file: &str, problem: &dyn Display) {
        self.fatal(&format!("{file}: {problem}"));
    }

    /// Reports that the user ended the run before an input was read to its end.
    pub fn interrupted(&mut self, file: &str) {
        if interrupt::has_quit() {
            return;
        }
        if !self.is_interrupted {
            self.warning(file, &"interrupted; the rest was not read");
        }
        self.is_interrupted = true;
    }

    #[cfg(feature = "export")]
    pub const fn is_interrupted(&self) -> bool {
        self.is_interrupted
    }

    /// Whether some input was not read to its end.
    pub fn has_unread(&self) -> bool {
        self.is_interrupted || self.outcome == ExitLevel::Unreadable
    }

    /// Whether an input cannot be read at all.
    pub fn is_unreadable(&self) -> bool {
        self.outcome == ExitLevel::Unreadable
    }

    /// Whether there was an error.
    pub fn has_errors(&self) -> bool {
        self.outcome != ExitLevel::Good
    }

    pub fn fatal(&mut self, message: &str) {
        self.say(message);
        self.outcome = ExitLevel::Unreadable;
    }

    /// Reports something about a file that is not an error. `--quiet` suppresses it.
    pub fn warning(&self, file: &str, problem: &dyn Display) {
        if !self.is_quiet() {
            self.say(&format!("{file}: {problem}"));
        }
    }

    /// Like [`Diagnostics::warning`], about the whole run.
    pub fn note(&self, text: &dyn Display) {
        if !self.is_quiet() {
            self.say(&text.to_string());
        }
    }

    /// Reports a detail about a file, with `--verbose` only.
    pub fn detail(&self, file: &str, text: &dyn Display) {
        if self.is_verbose() {
            self.say(&format!("{file}: {text}"));
        }
    }

    pub fn is_verbose(&self) -> bool {
        self.verbosity.verbose
    }

    pub fn is_quiet(&self) -> bool {
        self.verbosity.quiet
    }

    fn say(&self, message: &str) {
        if !self.is_muted {
            self.progress.suspend(|| say(message));
        }
    }
}

impl Drop for Diagnostics {
    fn drop(&mut self) {
        flush();
    }
}

/// Lines for standard error that are not written yet.
static LINES: Mutex<String> = Mutex::new(String::new());

/// The length at which the lines are written, in bytes.
const BUFFER: usize = 8 << 10;

/// Whether the lines wait, because the terminal shows a screen.
static ARE_HELD: AtomicBool = AtomicBool::new(false);

/// The most bytes that wait then. The oldest lines are left out.
const HELD: usize = 64 << 10;

/// Lets the lines wait until [`release`].
pub fn hold() {
    flush();
    ARE_HELD.store(true, Ordering::Relaxed);
}

/// Writes the lines that have waited.
pub fn release() {
    ARE_HELD.store(false, Ordering::Relaxed);
    flush();
}

/// The last line that waits.
pub fn last_held() -> Option<String> {
    let lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    lines.lines().next_back().map(str::to_owned)
}

/// Prints a line on standard error: at once if that is a terminal, otherwise by [`flush`] or together
/// with later lines.
pub fn say(message: &str) {
    let stderr = stderr();
    let is_terminal = stderr.is_terminal();
    let columns = terminal_size::terminal_size_of(&stderr).filter(|_| is_terminal);
    // Names of files, and names in files, could contain commands for the terminal.
    let message = plain(&bounded(message));
    let message = wrapped(&format!("gdwire: {message}"), columns.map(|(width, _)| width.0), 2);
    let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    lines.push_str(&message);
    lines.push('\n');
    while lines.len() > HELD
        && let Some(end) = lines.find('\n')
    {
        lines.drain(..=end);
    }
    let is_full = lines.len() >= BUFFER;
    drop(lines);
    if is_terminal || is_full {
        flush();
    }
}

/// Writes all lines to standard error, before the program waits for something.
pub fn flush() {
    if ARE_HELD.load(Ordering::Relaxed) {
        return;
    }
    let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    // If standard error is closed, there is no place to report that.
    drop(stderr().write_all(lines.as_bytes()));
    lines.clear();
}
