//! A message of the remote debugger.

use crate::game::multiplayer::Arguments;

/// The id of a game's main thread.
pub(super) const MAIN_THREAD: i64 = 1;

/// A message of the remote debugger: a command and its arguments. See [`parse`](super::parse()).
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Command<'a> {
    /// The command, such as `output`.
    pub name: &'a str,
    /// The thread of the game that sent the message or receives it. The main thread is 1. None
    /// before Godot 4.2.
    pub thread: Option<i64>,
    /// Its arguments.
    pub arguments: Arguments<'a>,
    /// If each argument is a frame, how many bytes of the message are before the first one.
    #[cfg_attr(not(feature = "capture"), expect(dead_code, reason = "only explanations need it"))]
    pub(crate) frames: Option<[usize; 2]>,
}

impl Command<'_> {
    /// The name for all messages of the debugger, used in the place of the
    /// [command](crate::multiplayer::Packet::command) of a packet of the multiplayer API.
    pub const COMMAND: &'static str = "debugger";
}
