//! `gdwire convert`: values as the bytes that an engine would have written.

use crate::Stop;
use crate::args::ConvertArgs;
use crate::diagnostics::Diagnostics;
use crate::output::{Encoder, Refusal};
use crate::reading::{PacketPlace, Place, Sink, read_files};
use gdwire::{Variant, VariantRef};
use std::fmt::Display;
use std::io;

pub(crate) fn run(args: &ConvertArgs, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
    let to = args.to.unwrap_or(args.inputs.dialect).dialect(args.inputs.double);
    let mut converter = Converter(Encoder::open(&args.output, to, &args.inputs.files)?);
    read_files(&args.inputs, &args.filters, &mut converter, diagnostics)?;
    Ok(converter.0.finish()?)
}

struct Converter(Encoder);

impl Sink for Converter {
    fn value(&mut self, _: Place, value: VariantRef<'_>) -> Result<(), Refusal> {
        // A tree keeps one value of a key that comes twice, as the engine does.
        self.0.write(&Variant::from(value))
    }

    fn other(&mut self, _: PacketPlace, _: &[u8], _: &dyn Display) -> io::Result<()> {
        Ok(())
    }

    fn error_line(&mut self, reason: &dyn Display) -> io::Result<bool> {
        self.0.error_line(reason)
    }
}
