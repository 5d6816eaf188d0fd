//! `gdwire decode`: prints values and remote calls as text or JSON.

use crate::Stop;
use crate::args::{DecodeArgs, Format};
use crate::diagnostics::Diagnostics;
use crate::input;
use crate::output::{self, Styles};
use crate::sink::{Division, Made, PART, Part, Position, Refusal, Sink};
use data_encoding::HEXLOWER;
use gdwire::capture::{Content, Message, Origin, Other, Peers, Place};
use gdwire::multiplayer::{ArgumentBytes, Names, Packet, write_json};
use gdwire::text::Layout;
use gdwire::{VariantRef, json};
use json_event_parser::{JsonEvent, WriterJsonSerializer};
use std::fmt::{self, Display};
use std::io::{self, Write};
use std::num::NonZero;
use std::sync::Arc;

pub(crate) fn run(args: &DecodeArgs, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
    let has_room = matches!(args.format, Format::Text | Format::Ndjson);
    if (args.hex || args.all) && !has_room {
        let message = "--hex and --all need --format text or --format ndjson";
        return Err(Stop::Usage(message.to_owned()));
    }
    let names = args.names.read(diagnostics)?;
    let (out, styles) = match args.format {
        Format::Text | Format::Hex => output::text(),
        Format::Ndjson | Format::Native => (output::json(), Styles::default()),
    };
    let threads = args.threads.count();
    let mut printer = Printer { out, style: Style::new(args, styles), names, threads };
    let files = input::files(&args.inputs, diagnostics);
    input::read(&files, &args.inputs, &args.filters, args.period, &mut printer, diagnostics)?;
    Ok(printer.out.flush()?)
}

/// Prints messages, to standard output or, for a part of a capture, to memory.
struct Printer<W> {
    out: W,
    style: Style,
    names: Option<Arc<Names>>,
    threads: NonZero<usize>,
}

/// How messages are printed.
#[derive(Clone)]
struct Style {
    format: Format,
    plain: bool,
    hex: bool,
    all: bool,
    styles: Styles,
}

impl Style {
    fn new(args: &DecodeArgs, styles: Styles) -> Style {
        let DecodeArgs { format, plain, hex, all, .. } = *args;
        Style { format, plain, hex, all, styles }
    }
}

impl Sink for Printer<Box<dyn Write>> {
    fn value(&mut self, position: Position, value: VariantRef<'_>) -> Result<(), Refusal> {
        if self.style.format == Format::Ndjson {
            let offset = position.offset();
            let len = value.as_bytes().len();
            write!(self.out, "{{\"offset\":{offset},\"len\":{len}")?;
        }
        self.print_value(value)
    }

    fn message(&mut self, message: &Message<'_>) -> Result<(), Refusal> {
        self.print(message)
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        self.print_other(other)
    }

    fn names(&self) -> Option<Arc<Names>> {
        self.names.clone()
    }

    fn divide(&self) -> Option<Division> {
        let (style, threads) = (self.style.clone(), self.threads);
        let begin = move || -> Box<dyn Part> {
            Box::new(Printer { out: Vec::new(), style: style.clone(), names: None, threads })
        };
        (threads.get() > 1).then(|| Division { threads, begin: Box::new(begin) })
    }

    fn join(&mut self, made: Made) -> io::Result<()> {
        made.downcast::<Vec<u8>>().map_or(Ok(()), |lines| self.out.write_all(&lines))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn error_line(&mut self, reason: &dyn Display) -> io::Result<bool> {
        writeln!(self.out, "error: {reason}")?;
        Ok(true)
    }
}

impl Part for Printer<Vec<u8>> {
    fn message(&mut self, message: &Message<'_>) -> bool {
        self.try_print(message.bytes.len(), |printer| printer.print(message).is_ok())
    }

    fn other(&mut self, other: &Other<'_>) -> bool {
        self.try_print(other.bytes.len(), |printer| printer.print_other(other).is_ok())
    }

    fn finish(self: Box<Self>) -> Made {
        Box::new(self.out)
    }
}

impl Printer<Vec<u8>> {
    /// Prints something of `len` bytes, and returns whether it is printed.
    fn try_print(&mut self, len: usize, print: impl FnOnce(&mut Self) -> bool) -> bool {
        let start = self.out.len();
        // Longer output is not kept in memory: it is written when its turn comes.
        let is_printed = start.saturating_add(len) <= PART && print(self);
        if !is_printed {
            self.out.truncate(start);
        }
        is_printed
    }
}

impl<W: Write> Printer<W> {
    /// Prints a message of a capture.
    fn print(&mut self, message: &Message<'_>) -> Result<(), Refusal> {
        match self.style.format {
            Format::Text => self.columns(message.place, message.origin)?,
            Format::Ndjson => self.fields(message)?,
            Format::Native | Format::Hex => {}
        }
        match &message.content {
            Content::Value(value) => self.print_value(*value),
            Content::Packet(packet) => self.print_packet(message, packet),
            _ => Ok(()),
        }
    }

    fn print_other(&mut self, other: &Other<'_>) -> io::Result<()> {
        let Some(origin) = other.origin.filter(|_| self.style.all) else { return Ok(()) };
        let encoding = HEXLOWER;
        let hex = encoding.encode_display(other.bytes);
        let (len, reason) = (other.bytes.len(), &other.reason);
        if self.style.format == Format::Ndjson {
            self.packet_fields(other.place, origin)?;
            write!(self.out, "\"offset\":0,\"len\":{len},\"error\":")?;
            let reason = JsonEvent::String(reason.to_string().into());
            WriterJsonSerializer::new(&mut self.out).serialize_event(reason)?;
            if self.style.hex {
                write!(self.out, ",\"hex\":\"{hex}\"")?;
            }
            return writeln!(self.out, "}}");
        }
        self.columns(other.place, origin)?;
        let Styles { dim, .. } = self.style.styles;
        write!(self.out, "{dim}not a value, {len} bytes: {reason}{dim:#}")?;
        if self.style.hex {
            write!(self.out, "  {hex}")?;
        }
        writeln!(self.out)
    }

    fn print_value(&mut self, value: VariantRef<'_>) -> Result<(), Refusal> {
        let encoding = HEXLOWER;
        let hex = encoding.encode_display(value.as_bytes());
        match self.style.format {
            Format::Text => {
                write!(self.out, "{}", value.display(Layout::Line))?;
                if self.style.hex {
                    write!(self.out, "  {hex}")?;
                }
            }
            Format::Ndjson => {
                write!(self.out, ",\"kind\":\"{}\",\"value\":", value.kind())?;
                json::write(value, &mut self.out)?;
                if self.style.hex {
                    write!(self.out, ",\"hex\":\"{hex}\"")?;
                }
                write!(self.out, "}}")?;
            }
            Format::Native => json::write(value, &mut self.out)?,
            Format::Hex => write!(self.out, "{hex}")?,
        }
        Ok(writeln!(self.out)?)
    }

    fn print_packet(&mut self, message: &Message<'_>, packet: &Packet<'_>) -> Result<(), Refusal> {
        let encoding = HEXLOWER;
        let hex = encoding.encode_display(message.bytes);
        match self.style.format {
            Format::Text => {
                write!(self.out, "{}", packet.display(message.context()))?;
                if self.style.hex {
                    write!(self.out, "  {hex}")?;
                }
            }
            Format::Ndjson => {
                write!(self.out, ",\"rpc\":")?;
                self.rpc(message, packet)?;
                if let Packet::Raw(raw) = packet
                    && let Some(value) = raw.as_value()
                {
                    write!(self.out, ",\"kind\":\"{}\",\"value\":", value.kind())?;
                    json::write(value, &mut self.out)?;
                }
                if self.style.hex {
                    write!(self.out, ",\"hex\":\"{hex}\"")?;
                }
                write!(self.out, "}}")?;
            }
            Format::Native => self.rpc(message, packet)?,
            Format::Hex => write!(self.out, "{hex}")?,
        }
        Ok(writeln!(self.out)?)
    }

    /// Writes a packet of the multiplayer API as an object.
    fn rpc(&mut self, message: &Message<'_>, packet: &Packet<'_>) -> io::Result<()> {
        let bytes = if self.style.hex { ArgumentBytes::Hex } else { ArgumentBytes::Omitted };
        write_json(packet, message.context(), bytes, &mut self.out)
    }

    /// Writes the columns before a message of a capture.
    fn columns(&mut self, place: Place, origin: Origin) -> io::Result<()> {
        if self.style.plain {
            return Ok(());
        }
        let Styles { dim, address, .. } = self.style.styles;
        write!(self.out, "{dim}{:>6}  ", place.frame)?;
        match place.time {
            Some(time) => write!(self.out, "{time}")?,
            None => write!(self.out, "-")?,
        }
        let (src, dst) = (origin.src(), origin.dst());
        write!(self.out, "{dim:#}  {address}{src}{address:#} → {address}{dst}{address:#}  ")
    }

    /// Writes the beginning of a message's object, up to its length.
    fn fields(&mut self, message: &Message<'_>) -> io::Result<()> {
        self.packet_fields(message.place, message.origin)?;
        if let Some(channel) = message.channel {
            write!(self.out, "\"channel\":{channel},")?;
        }
        if let Some(mode) = message.mode {
            write!(self.out, "\"mode\":\"{}\",", mode.godot_name())?;
        }
        let Peers { source, target, .. } = message.peers;
        if source.is_some() || target.is_some() {
            let (source, target) = (Json(source), Json(target));
            write!(self.out, "\"peer\":{{\"source\":{source},\"target\":{target}}},")?;
        }
        write!(self.out, "\"offset\":{},\"len\":{}", message.offset, message.bytes.len())
    }

    /// Writes the fields about the packet that brought a message.
    fn packet_fields(&mut self, place: Place, origin: Origin) -> io::Result<()> {
        write!(self.out, "{{\"frame\":{},\"time\":", place.frame)?;
        match place.time {
            Some(time) => write!(self.out, "\"{time}\"")?,
            None => write!(self.out, "null")?,
        }
        let (src, dst, transport) = (origin.src(), origin.dst(), origin.transport);
        write!(self.out, ",\"transport\":\"{transport}\",\"src\":\"{src}\",\"dst\":\"{dst}\",")
    }
}

/// A number, or null.
struct Json(Option<i32>);

impl Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(number) => number.fmt(f),
            None => f.write_str("null"),
        }
    }
}
