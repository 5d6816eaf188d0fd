//! `gdwire decode`: values as text or JSON.

use crate::Stop;
use crate::args::{DecodeArgs, Format};
use crate::diagnostics::Diagnostics;
use crate::output::{self, Refusal, Styles};
use crate::reading::{PacketPlace, Place, Sink, read_files};
use crate::source;
use data_encoding::HEXLOWER;
use gdwire::capture::Time;
use gdwire::text::Layout;
use gdwire::{VariantRef, json};
use jiff::Timestamp;
use std::fmt::{self, Display};
use std::io::{self, Write};

pub(crate) fn run(args: &DecodeArgs, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
    let has_room = matches!(args.format, Format::Text | Format::Ndjson);
    if (args.hex || args.all) && !has_room {
        let message = "--hex and --all need the format text or ndjson";
        return Err(Stop::Usage(message.to_owned()));
    }
    let (out, styles) = output::text(&args.inputs.files);
    let files = source::expand(&args.inputs.files, args.inputs.recursive, diagnostics);
    let mut printer = Printer { out, styles, args };
    read_files(&files, &args.inputs, &args.filters, &mut printer, diagnostics)?;
    Ok(printer.out.flush()?)
}

struct Printer<'a> {
    out: Box<dyn Write>,
    styles: Styles,
    args: &'a DecodeArgs,
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

    fn other(
        &mut self,
        place: PacketPlace,
        payload: &[u8],
        reason: &dyn Display,
    ) -> io::Result<()> {
        if !self.args.all {
            return Ok(());
        }
        let place = Place::Packet(place);
        let encoding = HEXLOWER;
        let hex = encoding.encode_display(payload);
        let len = payload.len();
        if self.args.format == Format::Ndjson {
            self.fields(place, len)?;
            // The reasons are sentences without quotes or control characters.
            write!(self.out, ",\"error\":\"{reason}\"")?;
            if self.args.hex {
                write!(self.out, ",\"hex\":\"{hex}\"")?;
            }
            return writeln!(self.out, "}}");
        }
        self.columns(place)?;
        let Styles { dim, .. } = self.styles;
        write!(self.out, "{dim}no value, {len} bytes: {reason}{dim:#}")?;
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
    /// Writes what stands in front of a value of a capture.
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
        let PacketPlace { src, dst, .. } = packet;
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
            let PacketPlace { transport, src, dst, .. } = packet;
            write!(
                self.out,
                ",\"transport\":\"{transport}\",\"src\":\"{src}\",\"dst\":\"{dst}\","
            )?;
        }
        write!(self.out, "\"offset\":{},\"len\":{len}", place.offset())
    }
}

/// A time with all digits that the capture's clock has, but at least microseconds.
struct Rfc3339(Time);

impl Display for Rfc3339 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = if self.0.decimals() > 6 { 9 } else { 6 };
        let timestamp = Timestamp::from_nanosecond(self.0.nanoseconds().into());
        write!(f, "{:.decimals$}", timestamp.map_err(|_| fmt::Error)?)
    }
}
