//! Asks for a password on the terminal without showing it.

use crate::plain::plain;
use std::io::{self, IsTerminal};

/// Whether a user can be asked: standard input and standard error are a terminal.
pub(crate) fn can_ask() -> bool {
    cfg!(unix) && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks twice for the password of a file that will be written.
pub(crate) fn ask_new() -> Result<String, String> {
    let password = ask("New password: ")?;
    if ask("The same again: ")? == password {
        Ok(password)
    } else {
        Err("the two passwords differ".to_owned())
    }
}

/// Asks for a password.
pub(crate) fn ask(question: &str) -> Result<String, String> {
    match hidden(&plain(question)) {
        Ok(Some(password)) => Ok(password),
        Ok(None) => Err("no password was entered".to_owned()),
        Err(error) => Err(format!("cannot ask for a password: {error}")),
    }
}

/// Reads a line without showing it. `None` if the user ends the input or presses Ctrl-C.
///
/// The crates for this are not used: after a first Ctrl-C, which does not end this program at once,
/// they still wait for the whole line, and a second Ctrl-C leaves the terminal without echo.
#[cfg(unix)]
fn hidden(question: &str) -> io::Result<Option<String>> {
    use crate::diagnostics;
    use crate::interrupt;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
    use std::io::{Stdin, Write, stderr};

    struct Silent(Stdin, Termios);

    impl Drop for Silent {
        fn drop(&mut self) {
            // If the terminal is gone, there is nothing to restore.
            tcsetattr(&self.0, OptionalActions::Now, &self.1).ok();
            drop(writeln!(stderr()));
        }
    }

    diagnostics::flush();
    let stdin = io::stdin();
    let shown = tcgetattr(&stdin)?;
    let mut silent = shown.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&stdin, OptionalActions::Flush, &silent)?;
    let silent = Silent(stdin, shown);
    write!(stderr(), "{question}")?;
    // A signal that arrives just before `poll` does not interrupt it, so the wait is short.
    let step = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
    loop {
        match poll(&mut [PollFd::new(&silent.0, PollFlags::IN)], Some(&step)) {
            _ if interrupt::is_requested() => return Ok(None),
            Err(Errno::INTR) | Ok(0) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => break,
        }
    }
    let mut line = String::new();
    if silent.0.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    line.truncate(line.trim_end_matches(['\r', '\n']).len());
    Ok(Some(line))
}

#[cfg(not(unix))]
fn hidden(_: &str) -> io::Result<Option<String>> {
    Err(io::ErrorKind::Unsupported.into())
}
