//! The lines that a game prints, as they arrive.

use crate::common::{Godot, Running};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The longest time to wait for a line. A browser takes long to start.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A running game, and what it has printed.
pub(super) struct Lines {
    engine: Running,
    arriving: Receiver<String>,
    pub(super) printed: Vec<String>,
    pub(super) has_ended: bool,
}

impl Lines {
    /// Starts a project; none if the engine is not installed.
    pub(super) fn start(
        godot: &Godot,
        project: &Path,
        out: &Path,
        arguments: &[&str],
    ) -> Option<Lines> {
        let mut engine = godot.start_project(project, out, arguments)?;
        let output = BufReader::new(engine.output());
        let (send, arriving) = channel();
        thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
        Some(Lines { engine, arriving, printed: Vec::new(), has_ended: false })
    }

    /// Takes what has arrived until now.
    pub(super) fn take(&mut self) {
        loop {
            match self.arriving.try_recv() {
                Ok(line) => self.printed.push(line),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    self.has_ended = true;
                    return;
                }
            }
        }
    }

    /// The text after these words, in the first line with them that was not taken before. Until
    /// there is one, `meanwhile` is called again and again.
    pub(super) fn after(&mut self, words: &str, mut meanwhile: impl FnMut()) -> String {
        let start = Instant::now();
        loop {
            self.take();
            if let Some(at) = self.printed.iter().position(|line| line.starts_with(words)) {
                return self.printed.remove(at)[words.len()..].trim().to_owned();
            }
            let is_late = start.elapsed() > TIMEOUT || self.has_ended;
            assert!(!is_late, "{words:?}: {:#?}\n{}", self.printed, self.engine.errors());
            meanwhile();
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// The first lines of what it wrote to standard error.
    pub(super) fn errors(&self) -> String {
        let errors = self.engine.errors();
        // An exported game has this cache, and the project that a browser gets was not exported.
        let is_about_cache = |line: &&str| {
            line.contains("global script cache") || line.contains("get_global_class_list")
        };
        errors.lines().filter(|line| !is_about_cache(line)).collect::<Vec<_>>().join("\n")
    }
}
