//! From a file to the values in it, whatever it holds.

use crate::args::{Filters, Input, InputArgs};
use crate::choices::of_width;
use crate::detect::{detect, prefix};
use crate::diagnostics::Diagnostics;
use crate::output::Refusal;
use crate::source::{self, Content};
use crate::{Stop, frames, lines, packets, raw, sample};
use gdwire::capture::{Loss, Message, Origin, Other, Peers, Surveyed, Time};
use gdwire::detect::Detector;
use gdwire::multiplayer::{Context, Methods, Packet};
use gdwire::net::enet::Mode;
use gdwire::{Dialect, VariantRef};
use std::fmt::{self, Display};
use std::io::{self, BufRead, Cursor, Read};
use std::path::PathBuf;

/// Where a value comes from.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// A packet of a capture.
    Packet(PacketPlace),
    /// A file, at so many bytes from its start.
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
    /// The offset of the value in the file, or in the payload or line that it is.
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

/// Why there is no value or packet.
pub(crate) enum Trouble<'t> {
    /// Something of a capture is lost.
    Lost(&'t Loss),
    /// A capture is damaged.
    Damaged,
    /// A line is not in its notation.
    NoBytes,
    /// Bytes are no value.
    NoValue(&'t gdwire::Error),
}

/// What is done with values.
pub(crate) trait Sink {
    fn value(&mut self, place: Place, value: VariantRef<'_>) -> Result<(), Refusal>;

    /// A packet of the multiplayer API.
    fn packet(
        &mut self,
        place: PacketPlace,
        message: &Message<'_>,
        packet: &Packet<'_>,
    ) -> Result<(), Refusal>;

    /// A payload of a capture that is neither.
    fn other(&mut self, place: Option<PacketPlace>, other: &Other<'_>) -> io::Result<()>;

    /// Something is not there or cannot be read; it is reported elsewhere.
    fn trouble(&mut self, _trouble: Trouble<'_>) {}

    /// The flows of the next capture.
    fn flows(&mut self, _flows: &mut dyn Iterator<Item = Surveyed<'_>>) {}

    /// A file is read to its end.
    fn end(&mut self, _file: &str) -> io::Result<()> {
        Ok(())
    }

    /// Writes the line that stands for a line of input which is no value; false if the output
    /// has no lines.
    fn error_line(&mut self, reason: &dyn Display) -> io::Result<bool>;
}

/// One file being read.
pub(crate) struct Reading<'r> {
    pub(crate) name: String,
    /// What the values are read as, once it is found out.
    pub(crate) dialect: Dialect,
    /// Whether it is found out: of a capture for every flow.
    pub(crate) is_auto: bool,
    /// Whether reals have eight bytes, as was said.
    pub(crate) is_double: bool,
    pub(crate) filters: &'r Filters,
    pub(crate) is_strict: bool,
    pub(crate) diagnostics: &'r mut Diagnostics,
    pub(crate) sink: &'r mut dyn Sink,
    values: u64,
    packets: u64,
}

/// Why a file is not read on.
pub(crate) enum Failure {
    Output(io::Error),
    Input(io::Error),
}

impl Reading<'_> {
    /// Hands a value on, if it is one that was asked for.
    pub(crate) fn value(&mut self, place: Place, value: VariantRef<'_>) -> Result<(), Failure> {
        self.values = self.values.saturating_add(1);
        if !self.filters.admits_kind(value.kind()) {
            return Ok(());
        }
        let result = self.sink.value(place, value);
        self.check(place, result)
    }

    /// Hands a packet on, if it has a value that was asked for.
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

    /// There is no value at a place where one should be.
    pub(crate) fn failure(&mut self, place: Place, reason: &dyn Display) -> Result<(), Failure> {
        let problem = format!("{place}: {reason}");
        if matches!(place, Place::Line(_))
            && self.sink.error_line(reason).map_err(Failure::Output)?
        {
            self.diagnostics.told_failure(&self.name, &problem);
        } else {
            self.diagnostics.failure(&self.name, &problem);
        }
        Ok(())
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
        };
        let content = match Content::open(path) {
            Ok(content) => content,
            Err(error) => {
                reading.diagnostics.unreadable(&reading.name, &error);
                continue;
            }
        };
        let result = reading.content(content, args.input);
        reading.diagnostics.progress.end();
        match result {
            Ok(()) => {}
            Err(Failure::Output(error)) => return Err(Stop::Output(error)),
            Err(Failure::Input(error)) => reading.diagnostics.unreadable(&reading.name, &error),
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
            Content::Mapped(bytes) => {
                let input = match input {
                    Input::Auto => detect(&self.dialects(), &bytes),
                    input => input,
                };
                match input {
                    Input::Capture => packets::read(self, &bytes),
                    Input::Raw | Input::Auto => self.raw(&bytes),
                    piecewise => self.stream(&mut &bytes[..], piecewise),
                }
            }
            Content::Stream(mut stream) if input == Input::Auto => {
                let dialects = self.dialects();
                let prefix = prefix(&mut *stream, &dialects).map_err(Failure::Input)?;
                let input = detect(&dialects, &prefix);
                self.stream(&mut Cursor::new(prefix).chain(stream), input)
            }
            Content::Stream(mut stream) => self.stream(&mut *stream, input),
        }
    }

    fn stream(&mut self, stream: &mut dyn BufRead, input: Input) -> Result<(), Failure> {
        match input {
            Input::Capture => return packets::read(self, &whole(stream)?),
            Input::Raw | Input::Auto => return self.raw(&whole(stream)?),
            Input::Framed | Input::Hex | Input::Base64 => {}
        }
        let mut start = Vec::new();
        if self.is_auto {
            let mut detector = Detector::new();
            start = sample::stream(stream, input, &mut detector).map_err(Failure::Input)?;
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
            let mut detector = Detector::new();
            detector.sequence(bytes, sample::VALUES as usize);
            self.detected(&detector);
        }
        raw::read(self, bytes)
    }

    /// What the file's values may be of.
    fn dialects(&self) -> Vec<Dialect> {
        if !self.is_auto {
            return vec![self.dialect];
        }
        let single = Dialect::ALL.iter().map(|dialect| of_width(*dialect, self.is_double));
        single.chain(Dialect::ALL.iter().map(|dialect| dialect.with_double_reals())).collect()
    }

    /// Takes the dialect that was found.
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

fn whole(stream: &mut dyn BufRead) -> Result<Vec<u8>, Failure> {
    source::read_all(stream).map_err(Failure::Input)
}

/// What tells the paths of a packet, and the names of its methods if the user gave them.
pub(crate) fn context<'m>(message: &'m Message<'_>, methods: Option<&'m Methods>) -> Context<'m> {
    match methods {
        Some(methods) => message.context().with_methods(methods),
        None => message.context(),
    }
}
