//! The screen: draws on the terminal, and reads its keys.
//!
//! It has a thread of its own. Whatever ends the program, the terminal is left as it was: at the end,
//! after a panic, and after signals.

use super::feed::SharedSeen;
use super::frame::{Size, draw};
use super::view::{Action, ScreenView};
use crate::terminal::Styles;
use crate::{diagnostics, interrupt};
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{self, Event, KeyEventKind};
use crossterm::terminal::{
    self, BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap,
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{Command, queue};
use gdwire::text::cells;
use std::io::{self, Write, stdout};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// The longest wait for a key before the clock is read again.
const STEP: Duration = Duration::from_millis(100);

/// How much later than its end a second is shown, so that its last packets are counted.
const LATE: Duration = Duration::from_millis(150);

/// The longest wait until the program stops. It does not if no shell could continue it.
#[cfg(unix)]
const STOP: Duration = Duration::from_millis(500);

/// Whether the terminal shows the screen. It is locked while something is written.
static IS_SHOWN: Mutex<bool> = Mutex::new(false);

/// Shows the screen. Dropping this gives the terminal back.
pub struct Screen {
    styles: Styles,
    /// How many columns are used at most.
    columns: Option<u16>,
    /// The lines that the terminal shows, and its size.
    lines: Vec<String>,
    size: Size,
    /// Whether the program was stopped and goes on. The shell has changed the terminal meanwhile.
    is_continued: Arc<AtomicBool>,
}

impl Screen {
    /// Takes the terminal.
    pub fn open(styles: Styles, columns: Option<u16>) -> io::Result<Screen> {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let report = panic::take_hook();
            panic::set_hook(Box::new(move |panic| {
                restore();
                report(panic);
            }));
            interrupt::at_exit(restore);
        });
        let is_continued = Arc::<AtomicBool>::default();
        #[cfg(unix)]
        signal_hook::flag::register(signal_hook::consts::SIGCONT, Arc::clone(&is_continued))?;
        show()?;
        Ok(Screen { styles, columns, lines: Vec::new(), size: (0, 0), is_continued })
    }

    /// Draws and reads keys until the user quits or a signal ends the program.
    pub fn run(mut self, view: &mut ScreenView, shared: &SharedSeen) -> io::Result<()> {
        let mut drawn = None;
        while !interrupt::is_requested() {
            if self.is_continued.swap(false, Ordering::Relaxed) {
                self.show_again()?;
            }
            let news = news(shared);
            // A paused screen changes only by keys.
            let is_due = drawn.is_none() || view.frozen.is_none() && drawn != Some(news);
            if is_due || self.used(terminal::size()?) != self.size {
                drawn = Some(news);
                self.draw(view, shared)?;
            }
            let mut wait = STEP;
            while event::poll(wait)? {
                wait = Duration::ZERO;
                match event::read()? {
                    Event::Key(key) if key.kind != KeyEventKind::Release => {
                        if !self.act(view.key(key), view, shared)? {
                            return Ok(());
                        }
                        // The next key may refer to the screen that this one shows.
                        self.draw(view, shared)?;
                    }
                    Event::Resize(..) => self.size = (0, 0),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Runs the action of a key. Returns false if the screen ends.
    fn act(
        &mut self,
        action: Action,
        view: &mut ScreenView,
        shared: &SharedSeen,
    ) -> io::Result<bool> {
        let now = Instant::now();
        match action {
            Action::None => {}
            Action::Quit => {
                interrupt::quit();
                return Ok(false);
            }
            Action::Interrupt => {
                interrupt::request();
                return Ok(false);
            }
            Action::Suspend => {
                restore();
                suspend(&self.is_continued);
                self.show_again()?;
            }
            Action::Pause => {
                let seen = &mut *shared.lock();
                seen.clock.pause(now);
                view.frozen = Some(Box::new(seen.top.clone()));
            }
            Action::Resume => shared.lock().clock.resume(now),
            Action::Speed(factor) => shared.lock().clock.change_speed(factor, now),
        }
        Ok(true)
    }

    /// Takes the terminal again, whatever it shows.
    fn show_again(&mut self) -> io::Result<()> {
        restore();
        (self.lines, self.size) = (Vec::new(), (0, 0));
        show()
    }

    /// The part of the terminal that is used.
    fn used(&self, (columns, lines): (u16, u16)) -> Size {
        let columns = self.columns.map_or(columns, |most| most.min(columns));
        (columns.into(), lines.into())
    }

    fn draw(&mut self, view: &mut ScreenView, shared: &SharedSeen) -> io::Result<()> {
        let size = self.used(terminal::size()?);
        let lines = {
            let seen = &mut *shared.lock();
            let now = seen.advance();
            draw(view, seen, now, size, self.styles)
        };
        let mut out = Vec::new();
        queue!(out, BeginSynchronizedUpdate)?;
        if size != self.size {
            queue!(out, Clear(ClearType::All))?;
            self.lines.clear();
            self.size = size;
        }
        for (at, line) in lines.iter().enumerate() {
            // Only what has changed is written, so nothing flickers.
            if self.lines.get(at) != Some(line) {
                queue!(out, MoveTo(0, u16::try_from(at).unwrap_or(u16::MAX)))?;
                out.extend_from_slice(line.as_bytes());
                // After a full line, this would clear its last character.
                if visible(line) < size.0 {
                    queue!(out, Clear(ClearType::UntilNewLine))?;
                }
            }
        }
        queue!(out, EndSynchronizedUpdate)?;
        self.lines = lines;
        let is_shown = IS_SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_shown { write(&out) } else { Ok(()) }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// The facts that decide whether there is something new to draw: the last second that is over, and
/// whether the input has begun or ended.
type News = (Option<i64>, bool, bool);

fn news(shared: &SharedSeen) -> News {
    let seen = &mut *shared.lock();
    let now = seen.advance().map(|now| now.as_nanos().saturating_sub(nanos(LATE)));
    let second = now.map(|now| now.div_euclid(1_000_000_000));
    (second, seen.name.is_empty(), seen.has_ended)
}

/// How many columns a line takes, without its colours.
fn visible(line: &str) -> usize {
    let parts = line.split('\x1b').enumerate();
    let texts = parts.map(|(at, part)| match part.split_once('m') {
        Some((_, text)) if at > 0 => text,
        _ => part,
    });
    texts.map(cells).sum()
}

fn nanos(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

fn write(bytes: &[u8]) -> io::Result<()> {
    let mut out = stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

fn commands(commands: &[&dyn Fn(&mut String) -> std::fmt::Result]) -> String {
    let mut text = String::new();
    for command in commands {
        // Writing to memory does not fail.
        command(&mut text).ok();
    }
    text
}

/// Takes the terminal: keys arrive one by one, and the lines that it showed stay apart.
fn show() -> io::Result<()> {
    let mut is_shown = IS_SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    enable_raw_mode()?;
    *is_shown = true;
    diagnostics::hold();
    let text = commands(&[
        &|text| EnterAlternateScreen.write_ansi(text),
        &|text| Hide.write_ansi(text),
        &|text| DisableLineWrap.write_ansi(text),
    ]);
    write(text.as_bytes())
}

/// Gives the terminal back as it was. Errors are ignored: the terminal may be gone.
pub fn restore() {
    let mut is_shown = IS_SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if !std::mem::take(&mut *is_shown) {
        return;
    }
    let text = commands(&[
        &|text| EndSynchronizedUpdate.write_ansi(text),
        &|text| EnableLineWrap.write_ansi(text),
        &|text| Show.write_ansi(text),
        &|text| LeaveAlternateScreen.write_ansi(text),
    ]);
    write(text.as_bytes()).ok();
    disable_raw_mode().ok();
    diagnostics::release();
}

/// Stops the programs that the shell has started together, as the terminal would, until the shell
/// continues them.
#[cfg(unix)]
fn suspend(is_continued: &AtomicBool) {
    use rustix::process::{Signal, kill_current_process_group};
    is_continued.store(false, Ordering::Relaxed);
    kill_current_process_group(Signal::TSTP).ok();
    // The signal may be for another thread, and until it arrives there, this one goes on.
    let start = Instant::now();
    while !is_continued.swap(false, Ordering::Relaxed) && start.elapsed() < STOP {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(not(unix))]
fn suspend(_: &AtomicBool) {}

#[cfg(all(test, unix))]
mod tests {
    use super::{Screen, visible};
    use crate::terminal::Styles;
    use std::process::{Command, Output};
    use std::{env, fs};

    #[test]
    fn colours_take_no_columns() {
        assert_eq!(visible("\x1b[1mab\x1b[0m 盾\x1b[36m▁\x1b[0m"), 6);
    }

    /// This variable is set where the test runs on a terminal.
    const INSIDE: &str = "GDWIRE_TEST_PANIC";

    #[test]
    fn a_panic_gives_the_terminal_back() {
        if env::var_os(INSIDE).is_some() {
            let _screen = Screen::open(Styles::default(), None).unwrap();
            panic!("on the screen");
        }
        let folder = env::temp_dir().join(format!("gdwire-panic-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let socket = format!("gdwire-panic-{}", std::process::id());
        let tmux = |arguments: &[&str]| -> std::io::Result<Output> {
            Command::new("tmux").args(["-L", &socket]).args(arguments).env_remove("TMUX").output()
        };
        let script = format!(
            "cd '{}'; stty -g >before; {INSIDE}=1 '{}' --exact {} --nocapture >/dev/tty 2>errors; \
             stty -g >after; tmux -L {socket} wait-for -S done; sleep 100",
            folder.display(),
            env::current_exe().unwrap().display(),
            "top::screen::tests::a_panic_gives_the_terminal_back"
        );
        if tmux(&["-u", "-f", "/dev/null", "new-session", "-d", &script]).is_err() {
            let required = env::var("GDWIRE_ENGINE_TESTS").is_ok_and(|it| it == "required");
            assert!(!required, "tmux is not installed (apt install tmux)");
            eprintln!("skipped: tmux is not installed (apt install tmux)");
            return;
        }
        assert!(tmux(&["wait-for", "done"]).unwrap().status.success());
        let state = tmux(&["display-message", "-p", "#{alternate_on} #{cursor_flag} #{wrap_flag}"]);
        let state = String::from_utf8(state.unwrap().stdout).unwrap();
        tmux(&["kill-server"]).unwrap();
        let [before, after, errors] = ["before", "after", "errors"]
            .map(|name| fs::read_to_string(folder.join(name)).unwrap());
        fs::remove_dir_all(folder).unwrap();
        assert!(errors.contains("on the screen"), "{errors}");
        assert_eq!((before, state.trim_end()), (after, "0 1 1"));
    }
}
