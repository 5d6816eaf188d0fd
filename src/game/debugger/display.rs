//! Shows messages of the debugger in one line, for people.

use super::command::{Command, MAIN_THREAD};
use crate::format::text::pieces::InPieces;
use crate::format::text::pieces::{Role, TextPieces};
use crate::format::text::{self, Show};
use crate::game::multiplayer::pieces_of_arguments;
use core::fmt::{self, Display, Formatter};

/// Shows a message to people: see [`Command::show`].
#[derive(Clone, Copy, Debug)]
pub struct ShownCommand<'a, 'p> {
    command: Command<'a>,
    show: Show<'p>,
}

impl<'a> Command<'a> {
    /// The message as its `Display` shows it, in colours, fitted to a width, or over several lines.
    #[must_use]
    pub const fn show<'p>(&self, show: Show<'p>) -> ShownCommand<'a, 'p> {
        ShownCommand { command: *self, show }
    }
}

impl Display for ShownCommand<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.show.write(&self.command, f)
    }
}

/// The message in one line, such as `breakpoint("res://player.gd", 14, true)`. Values are literals of
/// their engine. A thread other than the main thread follows: `debug_exit() in thread 5`.
impl Display for Command<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Show::new().write(self, f)
    }
}

/// The line, shortened if it is long.
impl fmt::Debug for Command<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        text::bounded(f, self)
    }
}

impl InPieces for Command<'_> {
    fn pieces(&self, to: &mut impl TextPieces) -> fmt::Result {
        to.name(Role::Method, self.name)?;
        pieces_of_arguments(["(", ")"], self.arguments, to)?;
        match self.thread {
            Some(thread) if thread != MAIN_THREAD => {
                to.word(Role::Plain, format_args!(" in thread {thread}"))
            }
            _ => Ok(()),
        }
    }
}
