//! Reads the messages of the remote debugger.

use super::command::Command;
use crate::game::multiplayer::Arguments;
use crate::value::view::ArrayRef;
use crate::value::{ReadOptions, VariantRef};

/// The length in front of each frame, in bytes.
pub(crate) const LENGTH: usize = 4;

/// Reads a message of the remote debugger. None if the bytes are not such a message.
///
/// If the message is in several frames, `bytes` are all of them with the lengths between them, but
/// without the length of the first one.
///
/// Nothing in these bytes says that they come from a debugger: in the dialects of Godot 3 and
/// Pandemonium, any array is read that begins with a string such as `live_set_root`. [`follow`]
/// decides by the first messages of a connection.
///
#[cfg_attr(feature = "capture", doc = "[`follow`]: crate::follow")]
#[cfg_attr(not(feature = "capture"), doc = "[`follow`]: crate#features")]
#[must_use]
pub fn parse(options: impl Into<ReadOptions>, bytes: &[u8]) -> Option<Command<'_>> {
    let options = options.into();
    let (rest, first) = crate::parse_prefix(options, bytes).ok()?;
    if let Some(array) = first.as_array() {
        return if rest.is_empty() { in_array(first, array, options) } else { None };
    }
    let name = first.as_str()?;
    let (length, frame) = rest.split_first_chunk::<LENGTH>()?;
    let (rest, number) = crate::parse_prefix(options, frame).ok()?;
    if usize::try_from(u32::from_le_bytes(*length)) != Ok(number.as_bytes().len()) {
        return None;
    }
    let number = usize::try_from(number.as_i64()?).ok()?;
    let arguments = Arguments::of_frames(options, number, rest)?;
    let before = bytes.len().saturating_sub(rest.len());
    let frames = Some([first.as_bytes().len(), before]);
    Some(Command { name, thread: None, arguments, frames })
}

/// Reads a message in one array.
fn in_array<'a>(
    whole: VariantRef<'a>,
    array: ArrayRef<'a>,
    options: ReadOptions,
) -> Option<Command<'a>> {
    let name = array.get(0)?.as_str()?;
    let command = |thread, arguments| Command { name, thread, arguments, frames: None };
    if !options.dialect().engine().has_debugger_arrays() {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
        let arguments = Arguments::of_elements(options, whole, array.iter().skip(1));
        return (!name.is_empty() && name.bytes().all(is_name)).then(|| command(None, arguments));
    }
    let (thread, arguments) = match array.len() {
        2 => (None, array.get(1)?),
        3 => (Some(array.get(1)?.as_i64()?), array.get(2)?),
        _ => return None,
    };
    let elements = arguments.as_array()?.iter();
    Some(command(thread, Arguments::of_elements(options, arguments, elements)))
}
