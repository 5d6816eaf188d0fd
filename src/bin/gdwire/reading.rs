//! Reads each input file, whatever its format, and hands its values to a [`Sink`].

use crate::args::{Filters, Input, InputArgs};
use crate::choices::of_width;
use crate::detect::{self, Detected, detect};
use crate::diagnostics::Diagnostics;
use crate::looks::{self, Look};
use crate::output::Refusal;
use crate::sample::Supply;
use crate::source::{self, Content};
use crate::{Stop, frames, lines, packets, raw, sample};
use gdwire::capture::{Loss, Message, Origin, Other, Peers, Summary, Time};
use gdwire::detect::Detector;
use gdwire::multiplayer::{Context, Methods, Packet};
use gdwire::net::enet::Mode;
use gdwire::{Dialect, VariantRef};
use std::fmt::{self, Display};
use std::io::{self, BufRead, Cursor, Read};
use std::path::PathBuf;

/// The place of a value in its input.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// A packet of a capture.
    Packet(PacketPlace),
    /// An offset in a file, in bytes from its start.
    File { offset: u64 },
    /// A line, counted from 1.
    Line(u64),
}

#[derive(Clone, Copy)]
pub(crate) struct PacketPlace {
    pub(crate) frame: u64,
    pub(crate) time: Option<Time>,
    pub(crate) origin: Origin,
    pub(crate) offset: u64,
    pub(crate) channel: Option<u8>,
    pub(crate) mode: Option<Mode>,
    pub(crate) peers: Peers,
}

impl Place {
    /// The offset of the value in the file, the payload or the line.
    pub(crate) fn offset(self) -> u64 {
        match self {
            Place::File { offset } => offset,
            Place::Packet(packet) => packet.offset,
            Place::Line(_) => 0,
        }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Packet(packet) => write!(f, "frame {}", packet.frame),
            Place::File { offset } => write!(f, "byte {offset}"),
            Place::Line(number) => write!(f, "line {number}"),
        }
    }
}

/// Why a value or packet is missing.
pub(crate) enum Trouble<'t> {
    /// A part of a capture is lost.
    Lost(&'t Loss),
    /// A capture is damaged.
    Damaged,
    /// A file is neither a capture nor a value file.
    Unrecognized,
    /// A line is not hex or base64.
    NoBytes,
    /// Bytes are not a value.
    NoValue(&'t gdwire::Error),
}

/// What a command does with the values of its inputs.
pub(crate) trait Sink {
    fn value(&mut self, place: Place, value: VariantRef<'_>) -> Result<(), Refusal>;

    /// A packet of the multiplayer API.
    fn packet(
        &mut self,
        place: PacketPlace,
        message: &Message<'_>,
        packet: &Packet<'_>,
    ) -> Result<(), Refusal>;

    /// A payload of a capture that is neither a value nor a packet.
    fn other(&mut self, place: Option<PacketPlace>, other: &Other<'_>) -> io::Result<()>;

    /// A value or packet is missing. The caller reports the reason to the user.
    fn trouble(&mut self, _trouble: Trouble<'_>) {}

    /// A connection is opened, or closed.
    fn connection(&mut self, _summary: &Summary) {}

    /// The end of a file.
    fn end(&mut self, _file: &str) -> io::Result<()> {
        Ok(())
    }

    /// Writes the line of output for a line of input that is not a value. Returns false if the
    /// output has no lines.
    fn error_line(&mut self, reason: &dyn Display) -> io::Result<bool>;
}

/// One file being read.
pub(crate) struct Reading<'r> {
    pub(crate) name: String,
    /// The dialect of the values: the one that the user named, or the detected one.
    pub(crate) dialect: Dialect,
    /// Whether the dialect is detected; in a capture, for every flow.
    pub(crate) is_auto: bool,
    /// Whether the user said that reals have eight bytes.
    pub(crate) is_double: bool,
    pub(crate) filters: &'r Filters,
    pub(crate) is_strict: bool,
    pub(crate) diagnostics: &'r mut Diagnostics,
    pub(crate) sink: &'r mut dyn Sink,
    values: u64,
    packets: u64,
    /// What the first error says in addition.
    hint: Option<Hint>,
}

/// What an error says about the whole file.
enum Hint {
    /// The format was not recognized, and the file is read as this. After the first value, this is
    /// no longer worth saying.
    Unrecognized(&'static str),
    /// The file is read in the format that the user named, but looks like another.
    Look(Look),
}

/// Why reading a file ends early.
pub(crate) enum Failure {
    Output(io::Error),
    Input(io::Error),
}

impl Reading<'_> {
    /// Hands a value to the sink if the filters admit it.
    pub(crate) fn value(&mut self, place: Place, value: VariantRef<'_>) -> Result<(), Failure> {
        self.values = self.values.saturating_add(1);
        if !self.filters.admits_kind(value.kind()) {
            return Ok(());
        }
        let result = self.sink.value(place, value);
        self.check(place, result)
    }

    /// Hands a packet to the sink if the filters admit it.
    pub(crate) fn packet(
        &mut self,
        place: PacketPlace,
        message: &Message<'_>,
        packet: &Packet<'_>,
    ) -> Result<(), Failure> {
        self.packets = self.packets.saturating_add(1);
        if !self.filters.admits_packet(packet) {
            return Ok(());
        }
        let result = self.sink.packet(place, message, packet);
        self.check(Place::Packet(place), result)
    }

    fn check(&mut self, place: Place, result: Result<(), Refusal>) -> Result<(), Failure> {
        match result {
            Ok(()) => Ok(()),
            Err(Refusal::Value(error)) => self.failure(place, &error),
            Err(Refusal::Conversion(error)) => self.failure(place, &error),
            Err(Refusal::Output(error)) => Err(Failure::Output(error)),
        }
    }

    /// Reports that there is no value at a place where one should be.
    pub(crate) fn failure(&mut self, place: Place, reason: &dyn Display) -> Result<(), Failure> {
        let problem = self.with_hint(format!("{place}: {reason}"));
        if matches!(place, Place::Line(_))
            && self.sink.error_line(reason).map_err(Failure::Output)?
        {
            self.diagnostics.told_failure(&self.name, &problem);
        } else {
            self.diagnostics.failure(&self.name, &problem);
        }
        Ok(())
    }

    /// Adds to the first error of a file what is known about the file.
    pub(crate) fn with_hint(&mut self, problem: String) -> String {
        match self.hint.take() {
            Some(Hint::Unrecognized(format)) if self.values == 0 => {
                format!("not recognized as a capture or a value file; read as {format}: {problem}")
            }
            Some(Hint::Look(look)) => format!("{problem} (this looks like {look})"),
            _ => problem,
        }
    }

    pub(crate) fn other(
        &mut self,
        place: Option<PacketPlace>,
        other: &Other<'_>,
    ) -> Result<(), Failure> {
        self.sink.other(place, other).map_err(Failure::Output)
    }
}

/// Reads all files and hands their values to the sink.
pub(crate) fn read_files(
    files: &[PathBuf],
    args: &InputArgs,
    filters: &Filters,
    sink: &mut dyn Sink,
    diagnostics: &mut Diagnostics,
) -> Result<(), Stop> {
    let named = args.dialect.named(args.double);
    for path in files {
        let mut reading = Reading {
            name: source::name(path),
            dialect: named.unwrap_or(of_width(Dialect::GODOT_4, args.double)),
            is_auto: named.is_none(),
            is_double: args.double,
            filters,
            is_strict: args.strict,
            diagnostics,
            sink,
            values: 0,
            packets: 0,
            hint: None,
        };
        let content = match Content::open(path) {
            Ok(content) => content,
            Err(error) => {
                reading.diagnostics.unreadable(&reading.name, &source::reason(&error));
                continue;
            }
        };
        let result = reading.content(content, args.input);
        reading.diagnostics.progress.end();
        match result {
            Ok(()) => {}
            Err(Failure::Output(error)) => return Err(Stop::Output(error)),
            Err(Failure::Input(error)) => {
                reading.diagnostics.unreadable(&reading.name, &source::reason(&error));
            }
        }
        reading.sink.end(&reading.name)?;
        let mut text = format!("values: {}", reading.values);
        if reading.packets > 0 {
            text += &format!(", multiplayer packets: {}", reading.packets);
        }
        reading.diagnostics.detail(&reading.name, &text);
    }
    Ok(())
}

impl Reading<'_> {
    fn content(&mut self, content: Content, input: Input) -> Result<(), Failure> {
        match content {
            Content::File(file) if file.is_small() && is_whole(input) => {
                let bytes = file.whole().map_err(Failure::Input)?;
                let mut rest = &bytes[..];
                let input = match input {
                    Input::Auto => self.decide(detect(&self.dialects(), &bytes), &bytes),
                    input => self.named(input, &bytes),
                };
                let Some(input) = input else { return Ok(()) };
                if is_whole(input) {
                    self.whole(&bytes, input)
                } else {
                    self.stream(&mut rest, input, Supply::File)
                }
            }
            Content::File(file) => {
                let mut stream = file.stream().map_err(Failure::Input)?;
                let Some((input, _)) = self.begin(&mut stream, input)? else { return Ok(()) };
                if !is_whole(input) {
                    let stream = &mut file.stream().map_err(Failure::Input)?;
                    return self.stream(stream, input, Supply::File);
                }
                let bytes = file.whole().map_err(Failure::Input)?;
                self.whole(&bytes, input)?;
                source::report_change(&bytes, &self.name, self.diagnostics);
                Ok(())
            }
            Content::Empty if input == Input::Capture => self.whole(&[], input),
            Content::Empty => {
                self.diagnostics.warning(&self.name, &"the file is empty");
                Ok(())
            }
            Content::Stream(mut stream) => {
                let Some((input, prefix)) = self.begin(&mut *stream, input)? else { return Ok(()) };
                let stream = &mut Cursor::new(prefix).chain(stream);
                if input == Input::Capture {
                    packets::read_stream(self, stream)
                } else if is_whole(input) {
                    let bytes = source::read_all(stream).map_err(Failure::Input)?;
                    self.whole(&bytes, input)
                } else {
                    self.stream(stream, input, Supply::Pipe)
                }
            }
        }
    }

    /// Decides how to read a stream, and returns that with the bytes that it took from the stream.
    /// Reports a format that is not supported, and then returns nothing.
    fn begin(
        &mut self,
        stream: &mut dyn BufRead,
        input: Input,
    ) -> Result<Option<(Input, Vec<u8>)>, Failure> {
        let mut prefix = Vec::new();
        let input = if input == Input::Auto {
            let dialects = self.dialects();
            prefix = detect::prefix(stream, &dialects).map_err(Failure::Input)?;
            let detected = detect(&dialects, &prefix);
            let mut sample = prefix.clone();
            if !detected.is_sure {
                sample.extend_from_slice(stream.fill_buf().map_err(Failure::Input)?);
            }
            self.decide(detected, &sample)
        } else {
            let sample = stream.fill_buf().map_err(Failure::Input)?;
            self.named(input, sample)
        };
        Ok(input.map(|input| (input, prefix)))
    }

    /// Returns how to read a file that starts with `sample`, or reports that its format is not
    /// supported and returns nothing.
    fn decide(&mut self, detected: Detected, sample: &[u8]) -> Option<Input> {
        let input = detected.input;
        if detected.is_sure || sample.is_empty() {
            return Some(input);
        }
        if let Some(look) = looks::look(sample) {
            self.sink.trouble(Trouble::Unrecognized);
            let problem = format!("cannot be decoded: this looks like {look}");
            self.diagnostics.failure(&self.name, &problem);
            return None;
        }
        let format = if input == Input::Framed { "framed values" } else { "raw values" };
        self.hint = Some(Hint::Unrecognized(format));
        Some(input)
    }

    /// Notes what a file looks like, to compare it with the format that the user named.
    fn named(&mut self, input: Input, sample: &[u8]) -> Option<Input> {
        let look = match input {
            Input::Hex | Input::Base64 => looks::format(sample),
            _ => looks::look(sample),
        };
        self.hint = look.map(Hint::Look);
        Some(input)
    }

    fn whole(&mut self, bytes: &[u8], input: Input) -> Result<(), Failure> {
        if input == Input::Capture { packets::read(self, bytes) } else { self.raw(bytes) }
    }

    /// Reads values piece by piece.
    fn stream(
        &mut self,
        stream: &mut dyn BufRead,
        input: Input,
        supply: Supply,
    ) -> Result<(), Failure> {
        let mut start = Vec::new();
        if self.is_auto {
            let mut detector = Detector::new();
            start = sample::stream(stream, input, supply, &mut detector).map_err(Failure::Input)?;
            self.detected(&detector);
        }
        let stream: &mut dyn BufRead = &mut Cursor::new(start).chain(stream);
        match input {
            Input::Hex => lines::read(self, stream, &lines::HEX),
            Input::Base64 => lines::read(self, stream, &lines::BASE64),
            _ => frames::read(self, stream),
        }
    }

    fn raw(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if self.is_auto {
            self.detected(&sample::raw(bytes));
        }
        raw::read(self, bytes)
    }

    /// The dialects that the file's values may have.
    fn dialects(&self) -> Vec<Dialect> {
        if !self.is_auto {
            return vec![self.dialect];
        }
        let single = Dialect::ALL.iter().map(|dialect| of_width(*dialect, self.is_double));
        single.chain(Dialect::ALL.iter().map(|dialect| dialect.with_double_reals())).collect()
    }

    /// Takes the detected dialect.
    fn detected(&mut self, detector: &Detector) {
        let detection = sample::detection(detector, self.is_double);
        self.dialect = detection.best().next().unwrap_or(self.dialect);
        let default = match detection.dialect() {
            Some(_) => String::new(),
            None => format!("{} by default; ", self.dialect),
        };
        self.diagnostics.detail(&self.name, &format_args!("dialect: {default}{detection}"));
    }
}

/// The path of an error in the value that it is about, to add to the error: ", at /players/0/name", or
/// nothing for the value itself. `input` is what was parsed.
pub(crate) fn at_path(error: &gdwire::Error, dialect: Dialect, input: &[u8]) -> String {
    match error.path(dialect, input).to_string() {
        path if path.is_empty() => String::new(),
        path => format!(", at {path}"),
    }
}

/// Whether an input is read from one slice of memory, not piece by piece. For `auto`, the decision
/// is made on that slice.
fn is_whole(input: Input) -> bool {
    matches!(input, Input::Auto | Input::Capture | Input::Raw)
}

/// The node paths that a message's packet refers to, and the names of methods if the user gave them.
pub(crate) fn context<'m>(message: &'m Message<'_>, methods: Option<&'m Methods>) -> Context<'m> {
    match methods {
        Some(methods) => message.context().with_methods(methods),
        None => message.context(),
    }
}
