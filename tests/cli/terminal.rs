//! A terminal for tests.
//!
//! This needs Debian's package `tmux`. Without it the tests print a note and pass, unless
//! `GDWIRE_ENGINE_TESTS=required` is set.

use crate::cli::running::TIMEOUT;
use crate::common::is_installed;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

/// A terminal in which a shell runs.
pub(crate) struct Terminal {
    socket: String,
}

impl Terminal {
    /// Runs a script on a terminal of this many columns until it ends; `None` if tmux is not
    /// installed.
    pub(crate) fn run(columns: usize, script: &Path) -> Option<Terminal> {
        let terminal = Terminal::start((columns, 50), script)?;
        terminal.wait();
        Some(terminal)
    }

    /// Starts a script on a terminal of this many columns and lines. The name of the script has to
    /// be that of no other test.
    pub(crate) fn start((columns, lines): (usize, usize), script: &Path) -> Option<Terminal> {
        let name = script.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let socket = format!("gdwire-{}-{name}", std::process::id());
        let terminal = Terminal { socket };
        let settings = script.with_extension("tmux");
        fs::write(&settings, "set -g history-limit 1000000\nset -g escape-time 0\n").unwrap();
        // Ctrl-C is for what the script runs.
        let shell = format!(
            "trap : INT; sh '{}'; tmux -L {} wait-for -S done; sleep 100",
            script.display(),
            terminal.socket
        );
        let (columns, lines) = (columns.to_string(), lines.to_string());
        let size = ["-x", &columns, "-y", &lines, &shell];
        let start = ["-u", "-f", settings.to_str().unwrap(), "new-session", "-d"];
        if !is_installed("tmux", "apt install tmux") {
            return None;
        }
        let run = terminal.tmux(&[&start[..], &size].concat());
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        Some(terminal)
    }

    /// Waits for the end of the script.
    pub(crate) fn wait(&self) {
        assert!(self.tmux(&["wait-for", "done"]).status.success());
    }

    pub(crate) fn tmux(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command.args(["-L", &self.socket]).args(arguments);
        command.env("LANG", "C.UTF-8").env("NO_COLOR", "1").env_remove("TMUX").output().unwrap()
    }

    /// All lines that were shown. `-J` joins lines that the terminal has wrapped.
    pub(crate) fn lines(&self, options: &[&str]) -> Vec<String> {
        let capture = ["capture-pane", "-p", "-S", "-"];
        let shown = self.tmux(&[&capture[..], options].concat()).stdout;
        let shown = String::from_utf8(shown).unwrap();
        shown.trim_end().lines().map(|line| line.trim_end().to_owned()).collect()
    }

    /// The present screen of the terminal, without the lines before.
    pub(crate) fn screen(&self) -> String {
        let shown = String::from_utf8(self.tmux(&["capture-pane", "-p"]).stdout).unwrap();
        let lines = shown.trim_end().lines().map(|line| format!("{}\n", line.trim_end()));
        lines.collect()
    }

    /// Waits until the terminal shows what a function looks for, and returns the screen.
    pub(crate) fn wait_for(&self, what: &str, is_shown: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if is_shown(&screen) {
                return screen;
            }
            assert!(start.elapsed() < TIMEOUT, "no {what} on the screen:\n{screen}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Types keys, as `tmux send-keys` names them.
    pub(crate) fn keys(&self, keys: &[&str]) {
        assert!(self.tmux(&[&["send-keys"][..], keys].concat()).status.success());
    }

    /// The value of a format of tmux, such as `#{pane_pid}`.
    pub(crate) fn property(&self, format: &str) -> String {
        let shown = self.tmux(&["display-message", "-p", format]).stdout;
        String::from_utf8(shown).unwrap().trim_end().to_owned()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}
