//! `gdwire decode`: prints values and remote calls as text or JSON.

use crate::Stop;
use crate::args::{DecodeArgs, Format};
use crate::diagnostics::Diagnostics;
use crate::output::{self, Refusal, Styles};
use crate::reading::{PacketPlace, Place, Sink, context, read_files};
use crate::source;
use crate::time::Rfc3339;
use data_encoding::HEXLOWER;
use gdwire::capture::{Message, Other, Peers};
use gdwire::multiplayer::{ArgumentBytes, Context, Methods, Packet, write_json};
use gdwire::text::Layout;
use gdwire::{VariantRef, json};
use json_event_parser::{JsonEvent, WriterJsonSerializer};
use std::fmt::{self, Display};
use std::io::{self, Write};

pub(crate) fn run(args: &DecodeArgs, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
    let has_room = matches!(args.format, Format::Text | Format::Ndjson);
    if (args.hex || args.all) && !has_room {
        let message = "--hex and --all need --format text or --format ndjson";
        return Err(Stop::Usage(message.to_owned()));
    }
    let methods =
        args.methods.as_deref().map(source::read_methods).transpose().map_err(Stop::Usage)?;
    let inputs = &args.inputs.files;
    let (out, styles) = match args.format {
        Format::Text | Format::Hex => output::text(inputs),
        Format::Ndjson | Format::Native => (output::json(inputs), Styles::default()),
    };
    let files = source::expand(&args.inputs.files, args.inputs.recursive, diagnostics);
    let mut printer = Printer { out, styles, args, methods: methods.as_ref() };
    read_files(&files, &args.inputs, &args.filters, &mut printer, diagnostics)?;
    Ok(printer.out.flush()?)
}

struct Printer<'a> {
    out: Box<dyn Write>,
    styles: Styles,
    args: &'a DecodeArgs,
    /// The names of Godot 4's remote methods, from `--methods`.
    methods: Option<&'a Methods>,
}

impl Sink for Printer<'_> {
    fn value(&mut self, place: Place, value: VariantRef<'_>) -> Result<(), Refusal> {
        let encoding = HEXLOWER;
        let hex = encoding.encode_display(value.as_bytes());
        match self.args.format {
            Format::Text => {
                self.columns(place)?;
                write!(self.out, "{}", value.display(Layout::Line))?;
                if self.args.hex {
                    write!(self.out, "  {hex}")?;
                }
            }
            Format::Ndjson => {
                self.fields(place, value.as_bytes().len())?;
                write!(self.out, ",\"kind\":\"{}\",\"value\":", value.kind())?;
                json::write(value, &mut self.out)?;
                if self.args.hex {
                    write!(self.out, ",\"hex\":\"{hex}\"")?;
                }
                write!(self.out, "}}")?;
            }
            Format::Native => json::write(value, &mut self.out)?,
            Format::Hex => write!(self.out, "{hex}")?,
        }
        Ok(writeln!(self.out)?)
    }

    fn packet(
        &mut self,
        place: PacketPlace,
        message: &Message<'_>,
        packet: &Packet<'_>,
    ) -> Result<(), Refusal> {
        let context = context(message, self.methods);
        let encoding = HEXLOWER;
        let hex = encoding.encode_display(message.bytes);
        match self.args.format {
            Format::Text => {
                self.columns(Place::Packet(place))?;
                write!(self.out, "{}", packet.display(context))?;
                if self.args.hex {
                    write!(self.out, "  {hex}")?;
                }
            }
            Format::Ndjson => {
                self.fields(Place::Packet(place), message.bytes.len())?;
                write!(self.out, ",\"rpc\":")?;
                self.rpc(packet, context)?;
                if let Packet::Raw(raw) = packet
                    && let Some(value) = raw.as_value()
                {
                    write!(self.out, ",\"kind\":\"{}\",\"value\":", value.kind())?;
                    json::write(value, &mut self.out)?;
                }
                if self.args.hex {
                    write!(self.out, ",\"hex\":\"{hex}\"")?;
                }
                write!(self.out, "}}")?;
            }
            Format::Native => self.rpc(packet, context)?,
            Format::Hex => write!(self.out, "{hex}")?,
        }
        Ok(writeln!(self.out)?)
    }

    fn other(&mut self, place: Option<PacketPlace>, other: &Other<'_>) -> io::Result<()> {
        let Some(place) = place.filter(|_| self.args.all).map(Place::Packet) else { return Ok(()) };
        let encoding = HEXLOWER;
        let hex = encoding.encode_display(other.bytes);
        let (len, reason) = (other.bytes.len(), &other.reason);
        if self.args.format == Format::Ndjson {
            self.fields(place, len)?;
            write!(self.out, ",\"error\":")?;
            let reason = JsonEvent::String(reason.to_string().into());
            WriterJsonSerializer::new(&mut self.out).serialize_event(reason)?;
            if self.args.hex {
                write!(self.out, ",\"hex\":\"{hex}\"")?;
            }
            return writeln!(self.out, "}}");
        }
        self.columns(place)?;
        let Styles { dim, .. } = self.styles;
        write!(self.out, "{dim}not a value, {len} bytes: {reason}{dim:#}")?;
        if self.args.hex {
            write!(self.out, "  {hex}")?;
        }
        writeln!(self.out)
    }

    fn error_line(&mut self, reason: &dyn Display) -> io::Result<bool> {
        writeln!(self.out, "error: {reason}")?;
        Ok(true)
    }
}

impl Printer<'_> {
    /// Writes a packet of the multiplayer API as an object.
    fn rpc(&mut self, packet: &Packet<'_>, context: Context<'_>) -> io::Result<()> {
        let bytes = if self.args.hex { ArgumentBytes::Hex } else { ArgumentBytes::Omitted };
        write_json(packet, context, bytes, &mut self.out)
    }

    /// Writes the columns before a value of a capture.
    fn columns(&mut self, place: Place) -> io::Result<()> {
        let Place::Packet(packet) = place else { return Ok(()) };
        if self.args.plain {
            return Ok(());
        }
        let Styles { dim, address } = self.styles;
        write!(self.out, "{dim}{:>6}  ", packet.frame)?;
        match packet.time {
            Some(time) => write!(self.out, "{}", Rfc3339(time))?,
            None => write!(self.out, "-")?,
        }
        let (src, dst) = (packet.origin.src(), packet.origin.dst());
        write!(self.out, "{dim:#}  {address}{src}{address:#} → {address}{dst}{address:#}  ")
    }

    /// Writes the beginning of an object, up to the length of the value.
    fn fields(&mut self, place: Place, len: usize) -> io::Result<()> {
        write!(self.out, "{{")?;
        if let Place::Packet(packet) = place {
            write!(self.out, "\"frame\":{},\"time\":", packet.frame)?;
            match packet.time {
                Some(time) => write!(self.out, "\"{}\"", Rfc3339(time))?,
                None => write!(self.out, "null")?,
            }
            let (src, dst) = (packet.origin.src(), packet.origin.dst());
            let transport = packet.origin.transport;
            write!(
                self.out,
                ",\"transport\":\"{transport}\",\"src\":\"{src}\",\"dst\":\"{dst}\","
            )?;
            if let Some(channel) = packet.channel {
                write!(self.out, "\"channel\":{channel},")?;
            }
            if let Some(mode) = packet.mode {
                write!(self.out, "\"mode\":\"{}\",", mode.godot_name())?;
            }
            let Peers { source, target, .. } = packet.peers;
            if source.is_some() || target.is_some() {
                let (source, target) = (Json(source), Json(target));
                write!(self.out, "\"peer\":{{\"source\":{source},\"target\":{target}}},")?;
            }
        }
        write!(self.out, "\"offset\":{},\"len\":{len}", place.offset())
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
