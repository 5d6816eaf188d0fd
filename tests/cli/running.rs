//! A running command: its lines as they appear, and signals to it.

use crate::cli::run::command;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// The longest time to wait for a line.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// A running command.
pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) lines: Receiver<String>,
    pub(crate) errors: Receiver<String>,
}

/// The lines of a stream, each as soon as it is complete.
fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (send, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines() {
            send.send(line.unwrap()).ok();
        }
    });
    lines
}

impl Running {
    pub(crate) fn start(arguments: &[&str]) -> Running {
        Running::of(command(arguments))
    }

    pub(crate) fn of(mut command: Command) -> Running {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines_of = lines(child.stdout.take().unwrap());
        let errors = lines(child.stderr.take().unwrap());
        Running { child, lines: lines_of, errors }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.child.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub(crate) fn line(&self) -> String {
        self.lines.recv_timeout(TIMEOUT).expect("a line")
    }

    pub(crate) fn error(&self) -> String {
        self.errors.recv_timeout(TIMEOUT).expect("a line on standard error")
    }

    pub(crate) fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    /// The exit code, and the output and errors that were not read yet.
    pub(crate) fn end(mut self) -> (Option<i32>, Vec<String>, Vec<String>) {
        let stdin = self.child.stdin.take();
        let lines = self.lines.iter().collect();
        let errors = self.errors.iter().collect();
        let code = self.child.wait().unwrap().code();
        drop(stdin);
        (code, lines, errors)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
