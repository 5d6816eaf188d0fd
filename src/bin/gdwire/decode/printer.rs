//! Prints messages, values and unreadable payloads in the requested format.

use super::args::{DecodeArgs, Format};
use super::lines::Lines;
use super::style::Style;
use super::written::Written;
use super::{bare, explain, ndjson, text};
use crate::diagnostics::{Diagnostics, Stop};
use crate::input;
use crate::output;
use crate::sink::{AHEAD, Damage, Division, EventSink, Made, Needs, Part, Position, Refusal, Sink};
use crate::terminal::Styles;
use gdwire::VariantRef;
use gdwire::capture::{Loss, Message, Other};
use std::fmt::Display;
use std::io::{self, Write};
use std::num::NonZero;

pub(crate) fn run(args: &DecodeArgs, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
    args.screen.choose_colors();
    if args.explain {
        return explain::run(args, diagnostics);
    }
    let names = args.names.read(diagnostics)?;
    let mut saves = args.saves.read()?;
    let (out, styles) = match args.format {
        Format::Text | Format::Hex => output::text(),
        Format::Ndjson | Format::Native => (output::json(), Styles::default()),
    };
    let threads = args.threads.count();
    let files = input::find_files(&args.inputs, diagnostics);
    let style = Style::new(args, styles, files.len() > 1 && !args.inputs.join);
    let mut needs = Needs { names, ahead: Some(AHEAD), ..Needs::default() };
    let lines = match args.format {
        Format::Text => Lines::new(&args.lines, &args.screen, &needs),
        _ => None,
    };
    needs.shows_ends = lines.as_ref().is_some_and(Lines::shows_ends) && !args.plain;
    let mut printer = Printer { out, style, written: Written::default(), lines, needs, threads };
    let request = args.selection.request(&files, &args.inputs);
    input::read(&request, Some(&mut saves), &mut printer, diagnostics)?;
    Ok(printer.out.flush()?)
}

/// Prints messages: to standard output or, for the part of a thread, to memory.
struct Printer<W> {
    out: W,
    style: Style,
    written: Written,
    /// Writes lines for people, if the output is for people. This is done in order, by one thread.
    lines: Option<Lines>,
    needs: Needs,
    threads: NonZero<usize>,
}

/// Writes messages, values and losses in the format.
impl Style {
    fn value(
        &self,
        position: Position,
        value: VariantRef<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        match self.format {
            Format::Text => text::value(self, value, out),
            Format::Ndjson => ndjson::value(self, position, value, out),
            Format::Native => bare::native(value, out),
            Format::Hex => bare::hex(value.as_bytes(), out),
        }
    }

    fn message(
        &self,
        message: &Message<'_>,
        written: &mut Written,
        out: &mut impl Write,
    ) -> io::Result<()> {
        match self.format {
            Format::Text => text::message(self, message, written, out),
            Format::Ndjson => ndjson::message(self, message, written, out),
            Format::Native => bare::native_message(message, out),
            Format::Hex => bare::hex(message.bytes, out),
        }
    }

    fn other(&self, other: &Other<'_>, out: &mut impl Write) -> io::Result<()> {
        let Some(origin) = other.origin.filter(|_| self.all) else { return Ok(()) };
        match self.format {
            Format::Text => text::other(self, other, origin, out),
            Format::Ndjson => ndjson::other(self, other, origin, out),
            Format::Native | Format::Hex => Ok(()),
        }
    }

    fn lost(&self, loss: &Loss, out: &mut impl Write) -> io::Result<()> {
        match self.format {
            Format::Ndjson if self.has_losses => ndjson::lost(self, loss, out),
            // The loss is reported on standard error.
            _ => Ok(()),
        }
    }
}

impl<W: Write> EventSink for Printer<W> {
    fn message(&mut self, message: &Message<'_>) -> Result<(), Refusal> {
        match &mut self.lines {
            Some(lines) => lines.message(&self.style, message, &mut self.out)?,
            None => self.style.message(message, &mut self.written, &mut self.out)?,
        }
        Ok(())
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        match (&mut self.lines, other.origin) {
            (Some(lines), Some(origin)) if self.style.all => {
                lines.other(&self.style, (other, origin), &mut self.out)
            }
            (Some(_), _) => Ok(()),
            (None, _) => self.style.other(other, &mut self.out),
        }
    }

    fn lost(&mut self, loss: &Loss) -> io::Result<()> {
        self.style.lost(loss, &mut self.out)
    }
}

impl Sink for Printer<Box<dyn Write>> {
    fn begin(&mut self, file: &str) {
        self.style.file = self.style.has_files.then(|| file.into());
        if let Some(lines) = &mut self.lines {
            lines.begin(self.style.file.as_deref());
        }
    }

    fn value(&mut self, position: Position, value: VariantRef<'_>) -> Result<(), Refusal> {
        match &mut self.lines {
            Some(lines) => lines.value(&self.style, value, &mut self.out)?,
            None => self.style.value(position, value, &mut self.out)?,
        }
        Ok(())
    }

    fn damaged(&mut self, damage: &Damage<'_>) -> io::Result<()> {
        match self.style.format {
            Format::Ndjson => ndjson::damaged(&self.style, damage, &mut self.out),
            Format::Text | Format::Native | Format::Hex => Ok(()),
        }
    }

    fn needs(&self) -> Needs {
        self.needs.clone()
    }

    fn divide(&self) -> Option<Division> {
        let (style, threads) = (self.style.clone(), self.threads);
        let begin = move || -> Box<dyn Part> {
            let (style, written, needs) = (style.clone(), Written::default(), Needs::default());
            Box::new(Printer { out: Vec::new(), style, written, lines: None, needs, threads })
        };
        (threads.get() > 1 && self.lines.is_none())
            .then(|| Division { threads, begin: Box::new(begin) })
    }

    fn join(&mut self, made: Made) -> io::Result<()> {
        made.downcast::<Vec<u8>>().map_or(Ok(()), |lines| self.out.write_all(&lines))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn error_line(&mut self, place: Position, reason: &dyn Display) -> io::Result<bool> {
        match (self.style.format, place) {
            (Format::Ndjson, _) => ndjson::error(&self.style, place, reason, &mut self.out)?,
            (_, Position::Line(_)) => match &mut self.lines {
                Some(lines) => lines.error(&self.style, reason, &mut self.out)?,
                None => {
                    let error = self.style.styles.error;
                    writeln!(self.out, "{error}error: {reason}{error:#}")?;
                }
            },
            (_, Position::Offset(_) | Position::Framed(..)) => return Ok(false),
        }
        Ok(true)
    }
}

impl Part for Printer<Vec<u8>> {
    fn held_bytes(&self) -> usize {
        self.out.len()
    }

    fn finish(self: Box<Self>) -> Made {
        Box::new(self.out)
    }
}
