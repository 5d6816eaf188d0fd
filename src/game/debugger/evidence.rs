//! Recognizes connections of the remote debugger by the first frames in them.

use super::parse;
use crate::value::{Dialect, Kind, VariantRef};

/// The most arguments that a message in several frames may have. The longest messages of the
/// engines, those with the tree of a scene, have four for each node.
pub(crate) const MOST_ARGUMENTS: i64 = 1 << 20;

/// Messages of games that no other program is likely to send: the command, and the kinds of its first
/// arguments. Every game begins with one of them.
const TYPICAL: [(&str, &[Kind]); 12] = [
    ("set_pid", &[Kind::Int]),
    ("message:set_pid", &[Kind::Int]),
    ("output", &[Kind::Array]),
    // Up to Godot 3.1.
    ("output", &[Kind::String]),
    ("output", &[Kind::PackedStringArray, Kind::PackedInt32Array]),
    ("error", &[Kind::Array, Kind::Int]),
    ("error", &[Kind::Int, Kind::Int, Kind::Int, Kind::Int, Kind::String, Kind::String]),
    ("debug_enter", &[Kind::Bool, Kind::String]),
    ("performance", &[Kind::Array]),
    ("performance:profile_frame", &[Kind::Float]),
    ("profile_frame", &[Kind::Int, Kind::Float, Kind::Float]),
    ("profile_sig", &[Kind::String, Kind::Int]),
];

/// The other commands of Godot 3 games.
const OTHERS: [&str; 6] =
    ["debug_exit", "kill_me", "network_profile", "profile_total", "stack_dump", "stack_frame_vars"];

/// Commands of editors that few other programs send, in addition to those in [`is_of_editor`].
const OF_EDITORS: [&str; 15] = [
    "breakpoint",
    "get_stack_dump",
    "get_stack_frame_vars",
    "inspect_object",
    "reload_scripts",
    "request_scene_tree",
    "request_video_mem",
    "set_ignore_error_breaks",
    "set_object_property",
    "set_skip_breakpoints",
    "skip_breakpoints",
    "start_network_profiling",
    "start_profiling",
    "stop_network_profiling",
    "stop_profiling",
];

/// Commands of editors that other programs may send, too.
const CONTROLS: [&str; 4] = ["break", "continue", "next", "step"];

/// Whether an editor sends this command, and few other programs do.
fn is_of_editor(command: &str) -> bool {
    let begins = |start: &&str| command.starts_with(start);
    ["live_", "override_camera_", "scene:"].iter().any(begins) || OF_EDITORS.contains(&command)
}

/// Whether an editor sends this command.
pub(crate) fn may_be_of_editor(command: &str) -> bool {
    is_of_editor(command) || CONTROLS.contains(&command)
}

/// Whether a game sends this command of Godot 3. Scripts may send others, too.
pub(crate) fn begins_message(command: &str) -> bool {
    command.starts_with("message:")
        || OTHERS.contains(&command)
        || TYPICAL.iter().any(|(name, _)| *name == command)
}

/// Whether the frames of one direction are those of a remote debugger, as far as is known.
#[derive(Clone, Copy, Default)]
pub(crate) enum DebuggerClues {
    /// No frame suggests it.
    #[default]
    None,
    /// They may be: an editor sends such commands, but other programs may send them, too.
    Editor,
    /// They may be: the first frames of a message of a Godot 3 game were seen.
    Begun(Begun),
    /// They are. `in_frames` is whether the messages are in several frames, as those of Godot 3
    /// games.
    Found { in_frames: bool },
}

/// The beginning of a message of a Godot 3 game.
#[derive(Clone, Copy)]
pub(crate) struct Begun {
    /// Whether it can be each of the typical messages, in the order of [`TYPICAL`].
    rows: [bool; TYPICAL.len()],
    /// How many arguments it has, once that is known, and how many of them were seen.
    count: Option<i64>,
    seen: usize,
}

impl DebuggerClues {
    /// Whether the next frames may show that this is a debugger.
    pub(crate) const fn is_pending(self) -> bool {
        matches!(self, DebuggerClues::Editor | DebuggerClues::Begun(_))
    }

    /// Looks at the next frame.
    pub(crate) fn frame(&mut self, frame: &[u8]) {
        *self = match *self {
            DebuggerClues::Found { .. } => return,
            DebuggerClues::Begun(begun) => begun.next(frame).unwrap_or_else(|| first(frame)),
            DebuggerClues::Editor => match first(frame) {
                DebuggerClues::None => DebuggerClues::Editor,
                evidence => evidence,
            },
            DebuggerClues::None => first(frame),
        }
    }
}

/// The evidence of a frame that is not inside a message of several frames.
fn first(frame: &[u8]) -> DebuggerClues {
    let commands = Dialect::CANDIDATES.iter().filter_map(|dialect| {
        parse(*dialect, frame).map(|command| (dialect.engine().has_debugger_arrays(), command))
    });
    let mut evidence = DebuggerClues::None;
    for (is_in_array, command) in commands.filter(|(_, command)| command.frames.is_none()) {
        let is_typical = |(name, kinds): &(&str, &[Kind])| {
            let arguments = command.arguments.iter().map(|argument| argument.kind());
            *name == command.name && arguments.take(kinds.len()).eq(kinds.iter().copied())
        };
        if is_in_array && TYPICAL.iter().any(is_typical) {
            return DebuggerClues::Found { in_frames: false };
        }
        if is_of_editor(command.name) {
            evidence = DebuggerClues::Editor;
        }
    }
    let mut texts = values(frame).filter_map(VariantRef::as_str);
    if let Some(text) = texts.next() {
        let rows = TYPICAL.map(|(name, _)| name == text);
        if rows.contains(&true) {
            evidence = DebuggerClues::Begun(Begun { rows, count: None, seen: 0 });
        }
    }
    evidence
}

impl Begun {
    /// Looks at the next frame of a message. None if it is not of this message.
    fn next(mut self, frame: &[u8]) -> Option<DebuggerClues> {
        let Some(count) = self.count else {
            let count = values(frame).next()?;
            let count = count.as_i64().filter(|count| (1..=MOST_ARGUMENTS).contains(count));
            self.count = Some(count?);
            return Some(DebuggerClues::Begun(self));
        };
        let place = self.seen;
        self.seen = place.saturating_add(1);
        for (is_possible, (_, kinds)) in self.rows.iter_mut().zip(TYPICAL) {
            let is_kind = |kind: &Kind| values(frame).any(|value| value.kind() == *kind);
            *is_possible = *is_possible
                && i64::try_from(kinds.len()).is_ok_and(|kinds| kinds <= count)
                && kinds.get(place).is_some_and(is_kind);
            if *is_possible && kinds.len() == self.seen {
                return Some(DebuggerClues::Found { in_frames: true });
            }
        }
        self.rows.contains(&true).then_some(DebuggerClues::Begun(self))
    }
}

/// The value in a frame, in each dialect of an engine that sends messages in several frames.
fn values(frame: &[u8]) -> impl Iterator<Item = VariantRef<'_>> {
    let dialects = Dialect::CANDIDATES.into_iter();
    let dialects = dialects.filter(|dialect| !dialect.engine().has_debugger_arrays());
    dialects.filter_map(|dialect| crate::parse(dialect, frame).ok())
}
