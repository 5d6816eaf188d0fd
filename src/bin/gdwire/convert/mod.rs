//! `gdwire convert`: writes values as the bytes that an engine writes for them.
//!
//! Converts values with `gdwire::convert`, and writes their bytes. With edits, `edit` changes parts of a
//! file and keeps everything else.

mod edit;

use crate::args::values::{dialect, of_width};
use crate::args::{
    Filters, InputArgs, NewKeyArgs, OutputArgs, OutputFormat, Period, SaveArgs, Threads,
    VerbosityArgs,
};
use crate::diagnostics::{Diagnostics, RunError};
use crate::input::{self, Request};
use crate::output::{Encoder, Replaced};
use crate::saves::SaveOutput;
use crate::sink::{
    Division, EventSink, InputSink, Joining, Needs, PartResult, Position, SinkPart, SinkRefusal,
    ValuePlace,
};
use crate::terminal::several;
use clap::Args;
use edit::EditArgs;
use gdwire::convert::{OnLoss, convert};
use gdwire::follow::{Content, Message};
use gdwire::multiplayer::Packet;
use gdwire::{Dialect, VariantRef};
use std::fmt::Display;
use std::io::{self, Write};
use std::num::NonZero;

/// The help of `--kind`, which has no effect on remote calls here.
const CONVERTED_KIND: &str =
    "Convert only values of this type, such as Vector2 or 'Pool*' (repeatable)";

#[derive(Args)]
#[command(mut_arg("kind", |arg| arg.help(CONVERTED_KIND).long_help(CONVERTED_KIND)))]
pub struct ConvertArgs {
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub saves: SaveArgs,
    #[command(flatten)]
    pub filters: Filters,
    /// The engine that will read the bytes [default: the engine that wrote the values]
    #[arg(long, value_parser = dialect(), value_name = "DIALECT")]
    pub to: Option<Dialect>,
    /// Write the nearest value where the target engine cannot express the original
    #[arg(long)]
    pub lossy: bool,
    /// Write math types with 8-byte numbers, for engines built with precision=double [default: as
    /// read, or 4-byte numbers if --to changes the engine]
    #[arg(long)]
    pub to_double: bool,
    #[command(flatten)]
    pub edits: EditArgs,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub new_keys: NewKeyArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub verbosity: VerbosityArgs,
}

pub fn run(args: &ConvertArgs, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    if args.edits.is_used() {
        return edit::run(args, diagnostics);
    }
    let files = input::find_files(&args.inputs, diagnostics);
    let target = ConvertTarget {
        to: args.to,
        is_double: args.to_double,
        loss: if args.lossy { OnLoss::Allow } else { OnLoss::Refuse },
        framing: args.output.output,
        threads: args.threads.count(),
    };
    let mut saves = args.saves.read()?;
    let encrypts = args.output.encrypt;
    let new_key = args.new_keys.read()?;
    if encrypts && new_key.is_none() {
        saves.will_encrypt()?;
    }
    // The only input may be replaced: the output is a file with values, too.
    let is_only = args.inputs.files.len() == 1 && !args.inputs.recursive && !args.inputs.follow;
    let replaced = if is_only { Replaced::OnlyInput } else { Replaced::Other };
    let encoder = Encoder::open(&args.output, replaced, saves.max_len())?;
    let mut converter = Converter::new(encoder, target);
    let (inputs, filters) = (&args.inputs, &args.filters);
    let (period, needs) = (Period::default(), Needs::default());
    let request = Request { files: &files, inputs, filters, period, needs, needs_end: true };
    input::read(request, Some(&mut saves), &mut converter, diagnostics)?;
    if converter.changed > 0 {
        let changed = several(converter.changed as u64, "value was", "values were");
        diagnostics.note(&format!("{changed} replaced by the nearest value"));
    }
    if let Some((first, other)) = converter.wrote.zip(converter.other) {
        diagnostics.note(&format!(
            "the output has values of {first} and {other}, which no engine reads together; --to converts \
             all of them"
        ));
    }
    let is_empty = converter.encoder.is_empty();
    if converter.packets > 0 {
        let one = "multiplayer or debugger message is not a value";
        let many = "multiplayer or debugger messages are not values";
        let text = format!("not converted: {}", several(converter.packets as u64, one, many));
        if is_empty {
            diagnostics
                .error(&format!("{text}; there is nothing else. 'gdwire decode' shows them"));
        } else {
            diagnostics.note(&text);
        }
    }
    if is_empty {
        return Ok(converter.encoder.discard(diagnostics)?);
    }
    let key = match new_key {
        None if encrypts => Some(saves.key_to_encrypt()?),
        new_key => new_key,
    };
    // There is a value, so there is a dialect.
    let dialect = converter.wrote.unwrap_or(Dialect::GODOT_4);
    Ok(converter.encoder.finish(key.as_ref(), dialect, diagnostics)?)
}

/// How the dialect to convert to is chosen.
#[derive(Clone, Copy)]
struct ConvertTarget {
    /// The dialect of `--to`; without it, each value keeps its own.
    to: Option<Dialect>,
    is_double: bool,
    loss: OnLoss,
    framing: OutputFormat,
    threads: NonZero<usize>,
}

/// Converts all values, or a part of those in a capture.
struct Converter<W> {
    encoder: Encoder<W>,
    target: ConvertTarget,
    /// The dialect of the first value that was written, and of one that another engine reads.
    wrote: Option<Dialect>,
    other: Option<Dialect>,
    changed: usize,
    /// How many multiplayer packets and messages of the debugger were left out, as they are not
    /// values.
    packets: usize,
}

impl<W: Write> Converter<W> {
    const fn new(encoder: Encoder<W>, target: ConvertTarget) -> Converter<W> {
        Converter { encoder, target, wrote: None, other: None, changed: 0, packets: 0 }
    }

    fn note_dialect(&mut self, dialect: Dialect) {
        if self.wrote.get_or_insert(dialect).name() != dialect.name() {
            self.other.get_or_insert(dialect);
        }
    }

    fn convert_value(&mut self, value: VariantRef<'_>) -> Result<(), SinkRefusal> {
        let ConvertTarget { to, is_double, loss, .. } = self.target;
        let own = value.dialect();
        let to = to.unwrap_or(own);
        let is_own = to.with_double_reals() == own.with_double_reals();
        let keeps_double = is_own && own.has_double_reals();
        let to = of_width(to, is_double || keeps_double);
        let converted = convert(value, to, loss).map_err(SinkRefusal::Conversion)?;
        self.changed += converted.changed;
        self.note_dialect(to);
        Ok(self.encoder.write_bytes(&converted.bytes)?)
    }
}

impl<W: Write> EventSink for Converter<W> {
    fn message(&mut self, message: &Message<'_>) -> Result<(), SinkRefusal> {
        let value = match &message.content {
            Content::Value(value) => Some(*value),
            Content::Packet(Packet::Raw(raw)) => raw.as_value(),
            _ => None,
        };
        if let Some(value) = value {
            return self.convert_value(value);
        }
        self.packets += 1;
        Ok(())
    }
}

impl InputSink for Converter<SaveOutput> {
    fn value(&mut self, _: ValuePlace, value: VariantRef<'_>) -> Result<(), SinkRefusal> {
        self.convert_value(value)
    }

    fn divide(&self) -> Option<Division> {
        let target = self.target;
        let begin = move || -> Box<dyn SinkPart> {
            Box::new(Converter::new(Encoder::in_memory(target.framing), target))
        };
        let threads = target.threads;
        (threads.get() > 1).then(|| Division {
            threads,
            begin: Box::new(begin),
            joining: Joining::Parts,
        })
    }

    fn join(&mut self, made: PartResult) -> io::Result<()> {
        let Ok(part) = made.downcast::<Converter<Vec<u8>>>() else { return Ok(()) };
        [part.wrote, part.other].into_iter().flatten().for_each(|it| self.note_dialect(it));
        self.changed += part.changed;
        self.packets += part.packets;
        self.encoder.append(&part.encoder)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder.flush()
    }

    fn error_line(&mut self, place: Position, reason: &dyn Display) -> io::Result<bool> {
        match place {
            Position::Line(_) => self.encoder.error_line(reason),
            Position::Offset(_) | Position::Framed(..) => Ok(false),
        }
    }
}

impl SinkPart for Converter<Vec<u8>> {
    fn held_bytes(&self) -> usize {
        self.encoder.len()
    }

    fn finish(self: Box<Self>) -> PartResult {
        self
    }
}
