//! Detects the format of one input, and reads it.

use super::InputFailure;
use super::buffer::{ByteStream, InputBuffer};
use super::capture::CaptureReader;
use super::files::{InputBytes, OpenedInput, RegularFile, damage, read_all, report_change};
use super::format::{Detected, detect, known_format, look, reach_sample};
use super::live::{Live, follow};
use super::reader::{Hint, InputReader};
use super::values::{BASE64_LINES, HEX_LINES, Separation, read_raw, read_separated};
use crate::args::Input;
use crate::sink::Trouble;
use gdwire::save::Packing;
use std::path::Path;

/// Reads a capture as it arrives.
pub fn read_capture(reader: &mut InputReader<'_>, buffer: InputBuffer) -> Result<(), InputFailure> {
    let mut capture = CaptureReader::new(reader);
    let result = capture.read_stream(reader, buffer);
    capture.finish(reader, result)
}

pub fn read_content(
    reader: &mut InputReader<'_>,
    content: OpenedInput,
    path: &Path,
    input: Input,
) -> Result<(), InputFailure> {
    let is_growing = matches!(content, OpenedInput::Growing);
    // A program may well send no values, as it knows what it sends.
    let empty = match (&content, input) {
        (OpenedInput::Empty, _) => Some("the file is empty"),
        (_, Input::Auto) => Some("the input is empty"),
        _ => None,
    };
    // A large file is mapped only if its format is one that is read as a whole.
    let (mut buffer, mut large) = match content {
        OpenedInput::Empty => (InputBuffer::whole(Vec::new()), None),
        OpenedInput::Whole(bytes) => (InputBuffer::whole(bytes), None),
        OpenedInput::File(file) if file.is_small() => {
            (InputBuffer::whole(file.read().map_err(InputFailure::Input)?), None)
        }
        OpenedInput::File(file) => {
            let stream = file.stream().map_err(InputFailure::Input)?;
            (InputBuffer::new(ByteStream::File(Box::new(stream))), Some(file))
        }
        OpenedInput::Unpacked(stream) => (InputBuffer::new(ByteStream::File(stream)), None),
        OpenedInput::Stream(stream) => (InputBuffer::new(ByteStream::Live(Live::of(stream))), None),
        OpenedInput::Growing => {
            if !path.exists() {
                let problem = "the file does not exist; waiting until it does";
                reader.diagnostics.warning(&reader.name, &problem);
            }
            (InputBuffer::new(ByteStream::Live(follow(path))), None)
        }
    };
    buffer.reach(1, &mut || Ok(true))?;
    if input != Input::Capture && buffer.is_at_end() && buffer.unread().is_empty() {
        if let Some(empty) = empty {
            reader.diagnostics.warning(&reader.name, &empty);
        }
        return Ok(());
    }
    loop {
        let mut is_save = false;
        if input != Input::Capture {
            match unpack_save(reader, &mut buffer, &mut large, is_growing)? {
                Unpacked::Plain => {}
                Unpacked::Content(content) => {
                    buffer = InputBuffer::whole(content);
                    is_save = true;
                }
                Unpacked::Failed => return Ok(()),
            }
        }
        let Some(input) = decide(reader, &mut buffer, input)? else { return Ok(()) };
        if is_save && input == Input::Raw && !buffer.unread().is_empty() {
            let problem = "the values in this save have no lengths before them, as store_var writes \
                           them; no engine's get_var reads them";
            reader.diagnostics.warning(&reader.name, &problem);
        }
        let values = match input {
            Input::Hex => HEX_LINES,
            Input::Base64 => BASE64_LINES,
            Input::Framed => Separation::Frames,
            Input::Auto | Input::Capture | Input::Raw => {
                return match large {
                    Some(file) => {
                        let bytes = InputBytes::mapped(file).map_err(InputFailure::Input)?;
                        read_whole(reader, &bytes, input)?;
                        report_change(&bytes, &reader.name, reader.diagnostics);
                        Ok(())
                    }
                    None if buffer.is_whole() => read_whole(reader, buffer.unread(), input),
                    None if input == Input::Capture => read_capture(reader, buffer),
                    None => read_rest(reader, &mut buffer),
                };
            }
        };
        read_separated(reader, &mut buffer, values)?;
        if !buffer.restart() {
            return Ok(());
        }
        reader.restarted();
    }
}

fn read_whole(
    reader: &mut InputReader<'_>,
    bytes: &[u8],
    input: Input,
) -> Result<(), InputFailure> {
    if input != Input::Capture {
        return read_raw(reader, bytes, true);
    }
    let mut capture = CaptureReader::new(reader);
    let result = capture.read(reader, bytes);
    capture.finish(reader, result)
}

/// Reads raw values from a stream, which is read to its end first.
fn read_rest(reader: &mut InputReader<'_>, buffer: &mut InputBuffer) -> Result<(), InputFailure> {
    match read_all(buffer) {
        // The part before the damage has been read.
        Err(InputFailure::Input(error)) if damage(&error).is_some() => {
            read_raw(reader, buffer.unread(), false).and(Err(InputFailure::Input(error)))
        }
        read => read.and_then(|()| read_raw(reader, buffer.unread(), buffer.is_at_end())),
    }
}

/// Decides how to read an input. Returns `None` after reporting a format that is not supported.
fn decide(
    reader: &mut InputReader<'_>,
    buffer: &mut InputBuffer,
    input: Input,
) -> Result<Option<Input>, InputFailure> {
    if input != Input::Auto {
        buffer.reach(1, &mut || Ok(true))?;
        // The first error says what the file looks like.
        let found = match input {
            Input::Hex | Input::Base64 => known_format(buffer.unread()),
            _ => look(buffer.unread()),
        };
        reader.hint = found.map(Hint::Look);
        return Ok(Some(input));
    }
    let dialects = reader.dialects();
    let needed = reach_sample(buffer, &dialects)?;
    let sample = buffer.unread();
    let needed = if buffer.is_at_end() { sample } else { sample.get(..needed).unwrap_or(sample) };
    let Detected { input, is_sure } = detect(&dialects, needed);
    if !reader.is_auto && input == Input::Raw {
        let by_any = detect(&reader.all_dialects(), needed);
        if by_any == (Detected { input: Input::Framed, is_sure: true }) {
            let dialect = reader.dialect;
            reader.doubt_dialect(&format_args!(
                "no frames of {dialect}, but those of another engine"
            ));
        }
    }
    if is_sure || sample.is_empty() {
        return Ok(Some(input));
    }
    if let Some(look) = look(sample) {
        reader.sink.trouble(Trouble::Unrecognized);
        let problem = format!("cannot be decoded: this looks like {look}");
        reader.diagnostics.failure(&reader.name, &problem);
        return Ok(None);
    }
    let format = if input == Input::Framed { "framed values" } else { "raw values" };
    reader.hint = Some(Hint::Unrecognized(format));
    Ok(Some(input))
}

/// The result of unpacking an input.
pub enum Unpacked {
    /// It is not packed.
    Plain,
    Content(Vec<u8>),
    /// It cannot be unpacked. This was reported.
    Failed,
}

/// Unpacks an input that is compressed or encrypted. A large file is taken from `large` and mapped
/// for that.
pub fn unpack_save(
    reader: &mut InputReader<'_>,
    buffer: &mut InputBuffer,
    large: &mut Option<RegularFile>,
    is_growing: bool,
) -> Result<Unpacked, InputFailure> {
    if reader.saves.is_none() || !is_packed(buffer)? {
        return Ok(Unpacked::Plain);
    }
    let result = if is_growing {
        Err("--follow does not read compressed or encrypted saves".to_owned())
    } else {
        let bytes = match large.take() {
            Some(file) => InputBytes::mapped(file).map_err(InputFailure::Input)?,
            None => {
                read_all(buffer)?;
                InputBytes::Read(
                    std::mem::replace(buffer, InputBuffer::whole(Vec::new())).into_unread(),
                )
            }
        };
        let name = &reader.name;
        let content = reader.saves.as_mut().map(|saves| saves.unpack(&bytes, name));
        report_change(&bytes, name, reader.diagnostics);
        content.unwrap_or_else(|| Ok(Vec::new()))
    };
    match result {
        Ok(content) => {
            let len = content.len();
            reader.diagnostics.detail(&reader.name, &format_args!("a save, unpacked: {len} bytes"));
            Ok(Unpacked::Content(content))
        }
        Err(problem) => {
            reader.sink.trouble(Trouble::NotUnpacked);
            reader.diagnostics.unreadable(&reader.name, &problem);
            Ok(Unpacked::Failed)
        }
    }
}

/// Whether an input is packed.
fn is_packed(buffer: &mut InputBuffer) -> Result<bool, InputFailure> {
    let idle = &mut || Ok(true);
    buffer.reach(1, idle)?;
    // Both containers begin with a G. The first line of a slow stream may have fewer than four bytes.
    if buffer.unread().first() == Some(&b'G') {
        buffer.reach(4, idle)?;
    }
    Ok(Packing::of(buffer.unread()).is_some())
}
