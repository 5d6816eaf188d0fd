//! Inputs: opens them, finds out what they contain, and hands their content to a command.
//!
//! A file or stream comes in, values, messages and losses go out, to a [`Sink`]. Each format has a
//! file that knows nothing of the others.

mod buffer;
mod capture;
mod cut;
mod format;
mod framed;
mod growing;
mod interface;
mod lines;
mod live;
pub(crate) mod looks;
mod losses;
mod mismatches;
mod notation;
mod packed;
mod parallel;
mod raw;
mod reader;
pub(crate) mod source;
mod values;

use crate::Stop;
use crate::args::{Input, InputArgs};
use crate::diagnostics::Diagnostics;
use crate::interrupt;
use crate::plain::{is_stdin, name, reason};
use crate::saves::Saves;
use crate::selection::{Filters, Period, Selection};
use crate::sink::{Sink, Trouble};
use buffer::{Buffer, Stream};
use capture::CaptureReader;
use format::{Detected, detect};
use live::Live;
use packed::Unpacked;
use reader::{Failure, Hint, Reader};
use source::{Bytes, Content};
use std::io;
use std::path::{Path, PathBuf};

/// The files to read: with `--recursive`, the captures in directories too.
pub(crate) fn files(args: &InputArgs, diagnostics: &mut Diagnostics) -> Vec<PathBuf> {
    source::expand(&args.files, args.recursive, diagnostics)
}

/// Reads all inputs and hands their content to the sink. Without `saves`, compressed and encrypted
/// saves are not read.
pub(crate) fn read(
    files: &[PathBuf],
    args: &InputArgs,
    filters: &Filters,
    period: Period,
    saves: Option<&mut Saves>,
    sink: &mut dyn Sink,
    diagnostics: &mut Diagnostics,
) -> Result<(), Stop> {
    if args.follow && !matches!(files, [path] if !is_stdin(path)) {
        let problem = "--follow needs exactly one file; standard input is always read as it comes";
        return Err(Stop::Usage(problem.to_owned()));
    }
    if args.follow && files.iter().any(|path| source::is_compressed(path)) {
        let problem = "--follow cannot read compressed files; leave it out to read what is there";
        return Err(Stop::Usage(problem.to_owned()));
    }
    if args.follow && args.input == Input::Raw {
        let problem = "--follow reads captures, framed values, hex and base64, but no raw values";
        return Err(Stop::Usage(problem.to_owned()));
    }
    if args.join && !matches!(args.input, Input::Auto | Input::Capture) {
        return Err(Stop::Usage("--join reads captures only".to_owned()));
    }
    if args.capture_filter.is_some() && args.interface.is_none() {
        return Err(Stop::Usage("--capture-filter needs --interface".to_owned()));
    }
    let first = sink.first_packet();
    let selection = Selection::new(filters, period, first.clone());
    let selection = selection.as_ref();
    let mut reader = Reader::new(args, filters, (selection, first), saves, sink, diagnostics);
    read_inputs(&mut reader, files, args)?;
    reader.conclude();
    if let Some(saves) = reader.saves {
        saves.conclude(reader.diagnostics);
    }
    Ok(())
}

fn read_inputs(reader: &mut Reader<'_>, files: &[PathBuf], args: &InputArgs) -> Result<(), Stop> {
    if let Some(interface) = &args.interface {
        reader.begin(interface.clone());
        let result = read_interface(reader, interface, args);
        return end(reader, result);
    }
    if args.join {
        return read_joined(reader, files);
    }
    for path in files {
        reader.begin(name(path));
        if interrupt::is_requested() {
            reader.diagnostics.interrupted(&reader.name);
            break;
        }
        let content = if args.follow { Ok(Content::Growing) } else { Content::open(path) };
        match content {
            Ok(content) => {
                let is_file = matches!(content, Content::File(_) | Content::Unpacked(_));
                let result = read_content(reader, content, path, args.input);
                if is_file && interrupt::is_requested() {
                    reader.diagnostics.interrupted(&reader.name);
                }
                end(reader, result)?;
                if reader.has_enough() {
                    break;
                }
            }
            Err(error) => reader.diagnostics.unreadable(&reader.name, &reason(&error)),
        }
    }
    Ok(())
}

/// Reads several files as one capture.
fn read_joined(reader: &mut Reader<'_>, files: &[PathBuf]) -> Result<(), Stop> {
    let [first, more @ ..] = files else { return Ok(()) };
    let joint = match more.len() {
        0 => name(first),
        1 => format!("{} and 1 more file", name(first)),
        more => format!("{} and {more} more files", name(first)),
    };
    reader.begin(joint.clone());
    let mut capture = CaptureReader::new(reader);
    for path in files {
        reader.name = name(path);
        if interrupt::is_requested() {
            reader.diagnostics.interrupted(&reader.name);
            break;
        }
        let result = Content::open(path).and_then(Content::into_stream).map_err(Failure::Input);
        match result.and_then(|stream| capture.read_stream(reader, Buffer::new(stream))) {
            Err(Failure::Input(error)) => unreadable(reader, &error)?,
            Err(Failure::Output(error)) => return Err(Stop::Output(error)),
            Err(Failure::Enough) => break,
            Ok(()) => {}
        }
    }
    reader.name = joint;
    let result = capture.finish(reader);
    end(reader, result)
}

/// Reports how reading an input ended.
fn end(reader: &mut Reader<'_>, result: Result<(), Failure>) -> Result<(), Stop> {
    reader.diagnostics.progress.end();
    match result {
        Ok(()) | Err(Failure::Enough) => {}
        Err(Failure::Output(error)) => return Err(Stop::Output(error)),
        Err(Failure::Input(error)) => unreadable(reader, &error)?,
    }
    reader.sink.end(&reader.name)?;
    reader.count_read();
    let mut text = format!("values: {}", reader.values);
    if reader.packets > 0 {
        text += &format!(", multiplayer packets: {}", reader.packets);
    }
    if reader.commands > 0 {
        text += &format!(", messages of the debugger: {}", reader.commands);
    }
    reader.diagnostics.detail(&reader.name, &text);
    Ok(())
}

/// Reports that an input cannot be read, or the rest of a compressed one.
fn unreadable(reader: &mut Reader<'_>, error: &io::Error) -> Result<(), Stop> {
    match source::damage(error) {
        Some(damage) => Ok(reader.damaged(None, damage.decompressed, damage)?),
        None => {
            reader.diagnostics.unreadable(&reader.name, &reason(error));
            Ok(())
        }
    }
}

/// Reads what dumpcap or tcpdump captures.
fn read_interface(
    reader: &mut Reader<'_>,
    interface: &str,
    args: &InputArgs,
) -> Result<(), Failure> {
    let (live, capturing) =
        match interface::capture(interface, args, reader.filters, reader.diagnostics) {
            Ok(started) => started,
            Err(problem) => {
                reader.diagnostics.unreadable(interface, &problem);
                return Ok(());
            }
        };
    let mut buffer = Buffer::new(Stream::Live(live));
    let has_output = buffer.reach(1, &mut || Ok(true))?;
    if has_output {
        read_capture(reader, buffer)?;
    }
    capturing.finish(&reader.name, has_output, reader.diagnostics);
    Ok(())
}

/// Reads a capture as it comes.
fn read_capture(reader: &mut Reader<'_>, buffer: Buffer) -> Result<(), Failure> {
    let mut capture = CaptureReader::new(reader);
    let result = capture.read_stream(reader, buffer);
    match result {
        Err(Failure::Output(_)) => result,
        result => capture.finish(reader).and(result),
    }
}

fn read_content(
    reader: &mut Reader<'_>,
    content: Content,
    path: &Path,
    input: Input,
) -> Result<(), Failure> {
    let is_growing = matches!(content, Content::Growing);
    // A large file is mapped once it is known that it is needed whole.
    let (mut buffer, mut large) = match content {
        Content::Empty if input != Input::Capture => {
            reader.diagnostics.warning(&reader.name, &"the file is empty");
            return Ok(());
        }
        Content::Empty => (Buffer::whole(Vec::new()), None),
        Content::File(file) if file.is_small() => {
            (Buffer::whole(file.read().map_err(Failure::Input)?), None)
        }
        Content::File(file) => {
            let stream = file.stream().map_err(Failure::Input)?;
            (Buffer::new(Stream::File(Box::new(stream))), Some(file))
        }
        Content::Unpacked(stream) => (Buffer::new(Stream::File(stream)), None),
        Content::Stream(stream) => (Buffer::new(Stream::Live(Live::of(stream))), None),
        Content::Growing => {
            if !path.exists() {
                let problem = "the file does not exist; waiting until it does";
                reader.diagnostics.warning(&reader.name, &problem);
            }
            (Buffer::new(Stream::Live(growing::follow(path))), None)
        }
    };
    loop {
        if input != Input::Capture {
            match packed::unpack(reader, &mut buffer, &mut large, is_growing)? {
                Unpacked::Plain => {}
                Unpacked::Content(content) => buffer = Buffer::whole(content),
                Unpacked::Failed => return Ok(()),
            }
        }
        let Some(input) = decide(reader, &mut buffer, input)? else { return Ok(()) };
        let values = match input {
            Input::Hex => values::HEX,
            Input::Base64 => values::BASE64,
            Input::Framed => values::Separation::Frames,
            Input::Auto | Input::Capture | Input::Raw => {
                return match large {
                    Some(file) => {
                        let map = file.map().map_err(Failure::Input)?;
                        let bytes = Bytes::Mapped { map, file };
                        read_whole(reader, &bytes, input)?;
                        source::report_change(&bytes, &reader.name, reader.diagnostics);
                        Ok(())
                    }
                    None if buffer.is_whole() => read_whole(reader, buffer.unread(), input),
                    None if input == Input::Capture => read_capture(reader, buffer),
                    None => read_rest(reader, &mut buffer),
                };
            }
        };
        values::read(reader, &mut buffer, values)?;
        if !buffer.restart() {
            return Ok(());
        }
        reader.restarted();
    }
}

fn read_whole(reader: &mut Reader<'_>, bytes: &[u8], input: Input) -> Result<(), Failure> {
    if input != Input::Capture {
        return values::read_raw(reader, bytes, true);
    }
    let mut capture = CaptureReader::new(reader);
    let result = capture.read(reader, bytes);
    match result {
        Err(Failure::Output(_)) => result,
        result => capture.finish(reader).and(result),
    }
}

/// Reads raw values from a stream, which is read to its end first.
fn read_rest(reader: &mut Reader<'_>, buffer: &mut Buffer) -> Result<(), Failure> {
    match source::read_all(buffer) {
        // The part before the damage has been read.
        Err(Failure::Input(error)) if source::damage(&error).is_some() => {
            values::read_raw(reader, buffer.unread(), false).and(Err(Failure::Input(error)))
        }
        read => read.and_then(|()| values::read_raw(reader, buffer.unread(), buffer.is_at_end())),
    }
}

/// Decides how to read an input. Reports a format that is not supported, and then returns nothing.
fn decide(
    reader: &mut Reader<'_>,
    buffer: &mut Buffer,
    input: Input,
) -> Result<Option<Input>, Failure> {
    if input != Input::Auto {
        buffer.reach(1, &mut || Ok(true))?;
        // The first error says what the file looks like.
        let look = match input {
            Input::Hex | Input::Base64 => looks::format(buffer.unread()),
            _ => looks::look(buffer.unread()),
        };
        reader.hint = look.map(Hint::Look);
        return Ok(Some(input));
    }
    let dialects = reader.dialects();
    let needed = format::reach(buffer, &dialects)?;
    let sample = buffer.unread();
    let needed = if buffer.is_at_end() { sample } else { sample.get(..needed).unwrap_or(sample) };
    let Detected { input, is_sure } = detect(&dialects, needed);
    if is_sure || sample.is_empty() {
        return Ok(Some(input));
    }
    if let Some(look) = looks::look(sample) {
        reader.sink.trouble(Trouble::Unrecognized);
        let problem = format!("cannot be decoded: this looks like {look}");
        reader.diagnostics.failure(&reader.name, &problem);
        return Ok(None);
    }
    let format = if input == Input::Framed { "framed values" } else { "raw values" };
    reader.hint = Some(Hint::Unrecognized(format));
    Ok(Some(input))
}
