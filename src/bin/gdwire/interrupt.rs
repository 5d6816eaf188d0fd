//! Handles Ctrl-C: the first press ends the inputs, so that the results so far are written; the
//! second ends the program.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{fs, process};

/// The exit code that shells give to a program that Ctrl-C ended.
pub const ENDED: u8 = 130;

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Whether the user has ended the run in another way, as with `q` on a screen: what is not read then is
/// not missing.
static HAS_QUIT: AtomicBool = AtomicBool::new(false);

/// Whether something is read that has no results, so that the first press ends the program, too.
static ENDS_AT_ONCE: AtomicBool = AtomicBool::new(false);

/// A function that is called before the second press ends the program.
static AT_EXIT: Mutex<Option<Box<dyn Fn() + Send>>> = Mutex::new(None);

/// Temporary files that are not complete yet.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// From now on, Ctrl-C, SIGTERM and SIGHUP end the inputs. If the handlers cannot be installed, they
/// still end the program.
#[cfg(unix)]
pub fn catch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    let mut caught = vec![SIGINT, SIGTERM];
    // After `nohup`, the program goes on when its terminal is closed.
    if is_default(SIGHUP) {
        caught.push(SIGHUP);
    }
    let Ok(mut signals) = Signals::new(caught) else { return };
    std::thread::spawn(move || {
        signals.forever().for_each(|_| pressed());
    });
}

/// From now on, Ctrl-C, Ctrl-Break and closing the console end the inputs. If the handler cannot be
/// installed, they still end the program.
#[cfg(windows)]
pub fn catch() {
    ctrlc::set_handler(pressed).ok();
}

/// Ends the inputs; the second time, ends the program.
fn pressed() {
    if REQUESTED.swap(true, Ordering::Relaxed) || ENDS_AT_ONCE.load(Ordering::Relaxed) {
        if let Some(work) = &*AT_EXIT.lock().unwrap_or_else(PoisonError::into_inner) {
            work();
        }
        unfinished(|files| files.iter().for_each(|file| drop(fs::remove_file(file))));
        process::exit(ENDED.into());
    }
}

/// Whether a signal has its usual effect. If there is no list of ignored signals, as Linux has it,
/// the answer is no.
#[cfg(unix)]
fn is_default(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> signal.saturating_sub(1) & 1 == 0)
}

/// Runs `work`, which may wait, before the inputs are read: meanwhile, the first press ends the program.
pub fn end_at_once_during<R>(work: impl FnOnce() -> R) -> R {
    ENDS_AT_ONCE.store(true, Ordering::Relaxed);
    let result = work();
    ENDS_AT_ONCE.store(false, Ordering::Relaxed);
    result
}

/// Whether the inputs should end.
pub fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Ends the inputs as Ctrl-C does.
pub fn request() {
    REQUESTED.store(true, Ordering::Relaxed);
}

/// Ends the inputs because the user has seen enough.
pub fn quit() {
    HAS_QUIT.store(true, Ordering::Relaxed);
    request();
}

/// Whether the user has seen enough.
pub fn has_quit() -> bool {
    HAS_QUIT.load(Ordering::Relaxed)
}

/// Calls this function before the second press of Ctrl-C ends the program.
pub fn at_exit(work: impl Fn() + Send + 'static) {
    *AT_EXIT.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(work));
}

/// A temporary file. If the program ends at once, the file is removed. When this is dropped, the
/// file has another name or is removed.
pub struct TemporaryFile(PathBuf);

impl TemporaryFile {
    pub fn new(path: PathBuf) -> TemporaryFile {
        unfinished(|files| files.push(path.clone()));
        TemporaryFile(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // After the file was renamed, removing it fails, which is ignored.
        fs::remove_file(&self.0).ok();
        unfinished(|files| files.retain(|file| *file != self.0));
    }
}

fn unfinished<T>(work: impl FnOnce(&mut Vec<PathBuf>) -> T) -> T {
    work(&mut UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner))
}
