//! Opens the inputs, detects their formats, and passes their content to a command.
//!
//! `read` takes the names of files or of an interface, and passes values, messages and losses to a
//! [`InputSink`](crate::sink::InputSink). `files`, `live` and `interface` (with `interfaces`) get the bytes, which `buffer` holds;
//! `content` and `format` find out what they are, and `capture` and `values` read them.

mod buffer;
mod capture;
mod content;
mod files;
mod format;
mod interface;
mod interfaces;
mod live;
mod reader;
mod values;

pub use files::{OpenedInput, report_change, unpack};
pub use format::known_format;
pub use interfaces::{NetworkInterface, interfaces};
pub use live::{Live, LivePiece};

use crate::args::{Filters, Input, InputArgs, Period, ReadingArgs, SelectionArgs};
use crate::diagnostics::{Diagnostics, RunError};
use crate::interrupt;
use crate::opened::{self, is_stdin, name, reason};
use crate::saves::Saves;
use crate::selection::Selection;
use crate::sink::{InputDamage, InputSink, Needs};
use buffer::{ByteStream, InputBuffer};
use capture::{CaptureReader, look_ahead};
use content::{read_capture, read_content};
use files::{damage, expand, is_compressed};
use gdwire::packet::Time;
use interface::capture;
use reader::{InputReader, MessageCounts};
use std::path::{Path, PathBuf};
use std::{io, slice};

/// The files to read: with `--recursive`, the captures in directories too.
pub fn find_files(args: &InputArgs, diagnostics: &mut Diagnostics) -> Vec<PathBuf> {
    let files = expand(&args.files, args.recursive, diagnostics);
    opened::inputs(&files);
    files
}

/// The inputs to read, and how to read them.
pub struct Request<'r> {
    /// The files that [`find_files`] found.
    pub files: &'r [PathBuf],
    pub inputs: &'r InputArgs,
    pub filters: &'r Filters,
    pub period: Period,
    pub needs: Needs,
    /// Whether the output is worth nothing unless each input was read to its end. Otherwise, a pipe
    /// counts as live traffic, which the user may end at any time.
    pub needs_end: bool,
}

impl SelectionArgs {
    /// The request to read these files with these options.
    pub const fn request<'r>(
        &'r self,
        files: &'r [PathBuf],
        inputs: &'r InputArgs,
        needs: Needs,
    ) -> Request<'r> {
        let (filters, period) = (&self.filters, self.period);
        Request { files, inputs, filters, period, needs, needs_end: false }
    }
}

/// Reads all inputs and passes their content to the sink. Without `saves`, compressed and encrypted
/// saves are not read.
pub fn read(
    request: Request<'_>,
    saves: Option<&mut Saves>,
    sink: &mut dyn InputSink,
    diagnostics: &mut Diagnostics,
) -> Result<(), RunError> {
    let Request { files, inputs: args, filters, period, needs, needs_end } = request;
    let is_one_file = matches!(files, [path] if !is_stdin(path));
    let is_capture = matches!(args.input, Input::Auto | Input::Capture);
    let wrong = if args.follow && !is_one_file {
        Some("--follow needs exactly one file; standard input is always read as it arrives")
    } else if args.follow && files.iter().any(|path| is_compressed(path)) {
        Some("--follow cannot read compressed files; leave it out to read the present content")
    } else if args.follow && args.input == Input::Raw {
        Some("--follow reads captures, framed values, hex and base64, but no raw values")
    } else if args.join && !is_capture {
        Some("--join reads captures only")
    } else if args.capture_filter.is_some() && args.interface.is_none() {
        Some("--capture-filter needs --interface")
    } else {
        None
    };
    if let Some(problem) = wrong {
        return Err(problem.into());
    }
    period.check()?;
    let selection = Selection::new(filters, period, (needs.first.clone(), needs.ends.clone()));
    let (reading, selection) = (&args.reading, selection.as_ref());
    let mut reader = InputReader::new(reading, filters, selection, needs, saves, sink, diagnostics);
    read_inputs(&mut reader, files, args, needs_end)?;
    reader.conclude();
    if let Some(saves) = reader.saves {
        saves.conclude(reader.diagnostics);
    }
    Ok(())
}

/// Passes the content of a file, which the command has read and unpacked, to the sink.
pub fn read_whole_file(
    name: String,
    content: Vec<u8>,
    (inputs, filters): (&InputArgs, &Filters),
    sink: &mut dyn InputSink,
    diagnostics: &mut Diagnostics,
) -> Result<(), RunError> {
    let reading = &inputs.reading;
    let mut reader =
        InputReader::new(reading, filters, None, Needs::default(), None, sink, diagnostics);
    reader.begin(name);
    let content = if content.is_empty() { OpenedInput::Empty } else { OpenedInput::Whole(content) };
    let result = read_content(&mut reader, content, Path::new("-"), inputs.input);
    end(&mut reader, result)
}

/// A capture that another part of the program makes while it is read.
pub struct LiveCapture<'l> {
    pub name: String,
    pub stream: Live,
    pub reading: &'l ReadingArgs,
    pub filters: &'l Filters,
}

/// Like [`read`], for such a capture.
pub fn read_live(
    live: LiveCapture<'_>,
    needs: Needs,
    sink: &mut dyn InputSink,
    diagnostics: &mut Diagnostics,
) -> Result<(), RunError> {
    let LiveCapture { name, stream, reading, filters } = live;
    let names = (needs.first.clone(), needs.ends.clone());
    let selection = Selection::new(filters, Period::default(), names);
    let selection = selection.as_ref();
    let mut reader = InputReader::new(reading, filters, selection, needs, None, sink, diagnostics);
    reader.begin(name);
    let result = read_capture(&mut reader, InputBuffer::new(ByteStream::Live(stream)));
    end(&mut reader, result)?;
    reader.conclude();
    Ok(())
}

fn read_inputs(
    reader: &mut InputReader<'_>,
    files: &[PathBuf],
    args: &InputArgs,
    needs_end: bool,
) -> Result<(), RunError> {
    if let Some(interface) = &args.interface {
        reader.begin(interface.clone());
        let result = read_interface(reader, interface, args);
        return end(reader, result);
    }
    if args.join {
        return read_joined(reader, files, needs_end);
    }
    for path in files {
        reader.begin(name(path));
        if interrupt::is_requested() {
            reader.diagnostics.interrupted(&reader.name);
            break;
        }
        if !args.follow && matches!(args.input, Input::Auto | Input::Capture) {
            look_ahead(reader, slice::from_ref(path));
        }
        let content = if args.follow { Ok(OpenedInput::Growing) } else { OpenedInput::open(path) };
        match content {
            Ok(content) => {
                let ends = content.ends(path, needs_end);
                let result = read_content(reader, content, path, args.input);
                if ends && interrupt::is_requested() {
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

/// How much earlier than the file before it a file may begin, in nanoseconds: the packets of one capture are
/// not always in the order of their times.
const DISORDER: i64 = 1_000_000_000;

/// Reads several files as one capture.
fn read_joined(
    reader: &mut InputReader<'_>,
    files: &[PathBuf],
    needs_end: bool,
) -> Result<(), RunError> {
    let [first, more @ ..] = files else { return Ok(()) };
    let joint = match more.len() {
        0 => name(first),
        1 => format!("{} and 1 more file", name(first)),
        more => format!("{} and {more} more files", name(first)),
    };
    reader.begin(joint.clone());
    look_ahead(reader, files);
    let mut capture = CaptureReader::new(reader);
    let mut latest: Option<i64> = None;
    for path in files {
        reader.name = name(path);
        if interrupt::is_requested() {
            reader.diagnostics.interrupted(&reader.name);
            break;
        }
        let content = OpenedInput::open(path).map_err(InputFailure::Input);
        let ends = content.as_ref().is_ok_and(|content| content.ends(path, needs_end));
        let stream = content.and_then(|content| content.into_stream().map_err(InputFailure::Input));
        let result =
            stream.and_then(|stream| capture.read_stream(reader, InputBuffer::new(stream)));
        if ends && interrupt::is_requested() {
            reader.diagnostics.interrupted(&reader.name);
        }
        let begin = capture.take_begin().map(Time::as_nanos);
        if let (Some(begin), Some(latest)) = (begin, latest)
            && begin < latest.saturating_sub(DISORDER)
        {
            let problem = "the file begins before one that was named before it; --join needs the \
                           oldest file first";
            reader.diagnostics.repeated_warning(&reader.name, &problem);
        }
        latest = latest.max(begin);
        match result {
            Err(InputFailure::Input(error)) => unreadable(reader, &error)?,
            Err(InputFailure::Output(error)) => return Err(RunError::Output(error)),
            Err(InputFailure::Enough) => break,
            Ok(()) => {}
        }
    }
    reader.name = joint;
    let result = capture.finish(reader, Ok(()));
    end(reader, result)
}

/// Reports how reading an input ended.
fn end(reader: &mut InputReader<'_>, result: Result<(), InputFailure>) -> Result<(), RunError> {
    reader.diagnostics.progress.end();
    match result {
        Ok(()) | Err(InputFailure::Enough) => {}
        Err(InputFailure::Output(error)) => return Err(RunError::Output(error)),
        Err(InputFailure::Input(error)) => unreadable(reader, &error)?,
    }
    reader.sink.end(&reader.name)?;
    reader.diagnostics.end_input(&reader.name);
    reader.count_read();
    let MessageCounts { values, packets, commands } = reader.messages;
    let mut text = format!("values: {values}");
    if packets > 0 {
        text += &format!(", multiplayer packets: {packets}");
    }
    if commands > 0 {
        text += &format!(", messages of the debugger: {commands}");
    }
    reader.diagnostics.detail(&reader.name, &text);
    Ok(())
}

/// Reports that an input cannot be read, or the rest of a compressed one.
fn unreadable(reader: &mut InputReader<'_>, error: &io::Error) -> Result<(), RunError> {
    match damage(error) {
        Some(error) => {
            let damage = InputDamage { frame: None, offset: error.decompressed, problem: error };
            Ok(reader.damaged(&damage, error)?)
        }
        None => {
            reader.diagnostics.unreadable(&reader.name, &reason(error));
            Ok(())
        }
    }
}

/// Reads the capture that dumpcap or tcpdump writes.
fn read_interface(
    reader: &mut InputReader<'_>,
    interface: &str,
    args: &InputArgs,
) -> Result<(), InputFailure> {
    let (live, capturing) = match capture(interface, args, reader.filters, reader.diagnostics) {
        Ok(started) => started,
        Err(problem) => {
            reader.diagnostics.unreadable(interface, &problem);
            return Ok(());
        }
    };
    let mut buffer = InputBuffer::new(ByteStream::Live(live));
    let has_output = buffer.reach(1, &mut || Ok(true))?;
    if has_output {
        read_capture(reader, buffer)?;
    }
    capturing.finish(&reader.name, has_output, reader.diagnostics);
    Ok(())
}

/// Why reading an input ends early.
pub enum InputFailure {
    Output(io::Error),
    Input(io::Error),
    /// The sink has received as many messages as `--limit` allows.
    Enough,
}
