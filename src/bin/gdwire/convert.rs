//! `gdwire convert`: writes values as the bytes that an engine writes for them.

use crate::Stop;
use crate::args::ConvertArgs;
use crate::choices::of_width;
use crate::diagnostics::Diagnostics;
use crate::input;
use crate::output::Encoder;
use crate::sink::{Position, Refusal, Sink};
use gdwire::capture::{Content, Message};
use gdwire::convert::{Loss, convert};
use gdwire::multiplayer::Packet;
use gdwire::{Dialect, VariantRef};
use std::fmt::Display;
use std::io;

pub(crate) fn run(args: &ConvertArgs, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
    let files = input::files(&args.inputs, diagnostics);
    let mut converter = Converter {
        encoder: Encoder::open(&args.output, &files)?,
        to: args.to.and_then(|to| to.named(false)),
        is_double: args.to_double,
        loss: if args.lossy { Loss::Allow } else { Loss::Refuse },
        changed: 0,
        packets: 0,
    };
    input::read(&files, &args.inputs, &args.filters, &mut converter, diagnostics)?;
    if converter.changed > 0 {
        let noun = if converter.changed == 1 { "value was" } else { "values were" };
        let changed = converter.changed;
        diagnostics.note(&format_args!("{changed} {noun} replaced by the nearest value"));
    }
    if converter.packets > 0 {
        let packets = converter.packets;
        let noun = if packets == 1 { "packet is not a value" } else { "packets are not values" };
        let text = format!("not converted: {packets} multiplayer {noun}");
        diagnostics.note(&text);
    }
    Ok(converter.encoder.finish(diagnostics)?)
}

struct Converter {
    encoder: Encoder,
    /// The dialect of `--to`; without it, each value keeps its own.
    to: Option<Dialect>,
    is_double: bool,
    loss: Loss,
    changed: usize,
    /// How many multiplayer packets were left out, as they are not values.
    packets: usize,
}

impl Sink for Converter {
    fn value(&mut self, _: Position, value: VariantRef<'_>) -> Result<(), Refusal> {
        let own = value.dialect();
        let to = self.to.unwrap_or(own);
        let keeps_double = to.name() == own.name() && own.has_double_reals();
        let to = of_width(to, self.is_double || keeps_double);
        let converted = convert(value, to, self.loss).map_err(Refusal::Conversion)?;
        self.changed = self.changed.saturating_add(converted.changed);
        Ok(self.encoder.write_bytes(&converted.bytes)?)
    }

    fn message(&mut self, message: &Message<'_>) -> Result<(), Refusal> {
        let value = match &message.content {
            Content::Value(value) => Some(*value),
            Content::Packet(Packet::Raw(raw)) => raw.as_value(),
            _ => None,
        };
        match value {
            Some(value) => self.value(Position::Offset(message.offset), value),
            None => {
                self.packets = self.packets.saturating_add(1);
                Ok(())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder.flush()
    }

    fn error_line(&mut self, reason: &dyn Display) -> io::Result<bool> {
        self.encoder.error_line(reason)
    }
}
