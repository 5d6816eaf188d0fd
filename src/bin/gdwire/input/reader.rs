//! The state of one input that is being read, which the readers of all formats share.

use super::InputFailure;
use super::format::FileLook;
use crate::args::values::of_width;
use crate::args::{Filters, ReadingArgs};
use crate::diagnostics::Diagnostics;
use crate::saves::Saves;
use crate::selection::{Selection, Tally};
use crate::sink::{
    EventSink, InputDamage, InputSink, Needs, Position, SinkRefusal, Trouble, ValuePlace,
};
use crate::terminal::several;
use gdwire::follow::{Content, Message, Origin, Place};
use gdwire::{Dialect, Error, VariantRef};
use std::fmt::{self, Display};
use std::io;
use std::num::NonZero;

/// Passes the content of an input to an [`InputSink`], and reports problems of the input.
pub struct InputReader<'r> {
    pub name: String,
    /// The dialect of the values: the one that the user named, or the detected one.
    pub dialect: Dialect,
    /// Whether the dialect is detected; in a capture, for every flow.
    pub is_auto: bool,
    pub args: &'r ReadingArgs,
    pub filters: &'r Filters,
    /// Selects messages; none if all are selected.
    pub selection: Option<&'r Selection<'r>>,
    /// Options of the command that the sink belongs to.
    pub needs: Needs,
    pub tally: Tally,
    /// The number of messages in earlier inputs.
    read: u64,
    /// The number of values in files that are not captures.
    in_files: u64,
    /// The number of messages that the sink may still get; `None` without `--limit`.
    left: Option<u64>,
    /// Unpacks compressed and encrypted saves, for the commands that read them.
    pub saves: Option<&'r mut Saves>,
    pub diagnostics: &'r mut Diagnostics,
    pub sink: &'r mut dyn InputSink,
    /// Those of the present input.
    pub messages: MessageCounts,
    /// The number of the next value in a file that is not a capture.
    index: u64,
    /// Whether the run has said why nodes have ids in place of paths.
    pub has_explained_ids: bool,
    /// A remark that is added to the first error.
    pub hint: Option<Hint>,
}

/// A remark about the whole file, which is added to its first error.
pub enum Hint {
    /// The format was not recognized, and the file is read as this. It is not added once a value
    /// was read.
    Unrecognized(&'static str),
    /// The file is read in the format that the user named, but looks like another.
    Look(FileLook),
}

impl<'r> InputReader<'r> {
    pub fn new(
        args: &'r ReadingArgs,
        filters: &'r Filters,
        selection: Option<&'r Selection<'r>>,
        needs: Needs,
        saves: Option<&'r mut Saves>,
        sink: &'r mut dyn InputSink,
        diagnostics: &'r mut Diagnostics,
    ) -> InputReader<'r> {
        let named = args.dialect.named().map(|dialect| of_width(dialect, args.double));
        InputReader {
            name: String::new(),
            dialect: named.unwrap_or(of_width(Dialect::GODOT_4, args.double)),
            is_auto: named.is_none(),
            args,
            filters,
            selection,
            needs,
            tally: Tally::default(),
            read: 0,
            in_files: 0,
            left: filters.limit.map(NonZero::get),
            saves,
            diagnostics,
            sink,
            messages: MessageCounts::default(),
            index: 0,
            has_explained_ids: false,
            hint: None,
        }
    }

    /// Begins an input.
    pub fn begin(&mut self, name: String) {
        self.sink.begin(&name);
        self.name = name;
        (self.messages, self.index, self.hint) = (MessageCounts::default(), 0, None);
        if self.is_auto {
            self.dialect = of_width(Dialect::GODOT_4, self.args.double);
        }
    }

    /// Adds the messages of an input that was read to the total.
    pub fn count_read(&mut self) {
        self.read += self.messages.total();
    }

    /// Reports after all inputs failed conditions, options that were not used, and a selection that
    /// no message matches.
    pub fn conclude(&self) {
        self.report_unused_options();
        if let Some(failures) = self.tally.failures() {
            self.diagnostics.note(&failures);
        }
        let selected = if self.selection.is_some() { self.tally.selected } else { self.read };
        if selected == 0 && (self.selection.is_some() || self.filters.names_ends()) {
            let read = several(self.read, "message was", "messages were");
            let text = format!("no message matches the selection; {read} read");
            self.diagnostics.note(&text);
            for advice in self.selection.iter().flat_map(|selection| selection.advice()) {
                self.diagnostics.note(&advice);
            }
        }
    }

    /// Reports options for captures if no input is one, and `--index` if all inputs are captures.
    fn report_unused_options(&self) {
        let Filters { port, host, transport, .. } = self.filters;
        let for_captures = [
            ("--port", !port.is_empty()),
            ("--host", !host.is_empty()),
            ("--transport", transport.named().is_some()),
            ("--project, --methods or --node", self.needs.names.is_some()),
        ];
        let given = for_captures.iter().filter(|(_, is_given)| *is_given);
        if self.in_files > 0 && self.in_files == self.read {
            for option in given.map(|(option, _)| option).chain(&self.needs.columns) {
                self.diagnostics.note(&format!("{option} was not used, as no input is a capture"));
            }
        }
        if self.needs.numbers_values && self.in_files == 0 && self.read > 0 {
            self.diagnostics.note(&"--index was not used, as it numbers only the values of files");
        }
    }

    /// Reports that the file was replaced or shortened.
    pub fn restarted(&mut self) {
        (self.index, self.hint) = (0, None);
        let text = "the file was replaced or shortened; continuing with its new content";
        self.diagnostics.warning(&self.name, &text);
    }

    /// Passes a value of a file that is not a capture to the sink if it is selected.
    pub fn value(&mut self, position: Position, value: VariantRef<'_>) -> Result<(), InputFailure> {
        let place = ValuePlace { index: self.index, position };
        self.messages.values += 1;
        self.index += 1;
        self.in_files += 1;
        if let Some(selection) = self.selection {
            let verdict = selection.value(position.offset(), value);
            if !self.tally.note(verdict, || position.to_string()) {
                return Ok(());
            }
            self.tally.selected += 1;
        }
        if let Some(problem) = problem(self.sink.value(place, value))? {
            self.report(position, &problem, &format_args!("{position}: {problem}"))?;
        }
        self.count_down()
    }

    /// Passes a message of a capture to the sink if it is selected.
    pub fn message(&mut self, message: &Message<'_>) -> Result<(), InputFailure> {
        self.messages.count(message);
        if let Some(selection) = self.selection
            && (self.needs.shows_ends || selection.has_names())
        {
            self.needs.ends.name(message.origin);
        }
        let (is_selected, taken) = pass(message, self.selection, &mut self.tally, self.sink);
        if !is_selected {
            return Ok(());
        }
        self.tally.selected += 1;
        if let Some(problem) = problem(taken)? {
            let problem = format!("frame {}: {problem}", message.place.frame);
            self.diagnostics.failure(&self.name, &problem);
        }
        self.count_down()
    }

    /// Counts a message that the sink received.
    fn count_down(&mut self) -> Result<(), InputFailure> {
        let Some(left) = &mut self.left else { return Ok(()) };
        *left = left.saturating_sub(1);
        if *left == 0 { Err(InputFailure::Enough) } else { Ok(()) }
    }

    /// Whether the sink has received as many messages as `--limit` allows.
    pub fn has_enough(&self) -> bool {
        self.left == Some(0)
    }

    /// Whether a loss or a payload at this place of a capture is to be reported.
    pub fn admits_place(&self, place: Place, origin: Option<Origin>) -> bool {
        self.selection.is_none_or(|selection| selection.admits_place(place, origin))
    }

    /// Reports that there is no value at a place where one should be.
    pub fn failure(&mut self, place: Position, reason: &dyn Display) -> Result<(), InputFailure> {
        self.no_value(place, reason, &format_args!("{place}: {reason}"))
    }

    /// Reports that there is no value.
    pub fn no_value(
        &mut self,
        place: Position,
        reason: &dyn Display,
        problem: &dyn Display,
    ) -> Result<(), InputFailure> {
        self.index += 1;
        self.report(place, reason, problem)
    }

    /// Reports why there is no result: the reason in the output, if it has a line for it, and the
    /// problem on standard error.
    fn report(
        &mut self,
        place: Position,
        reason: &dyn Display,
        problem: &dyn Display,
    ) -> Result<(), InputFailure> {
        let hinted = self.hint.is_some().then(|| self.with_hint(problem.to_string()));
        let problem = hinted.as_ref().map_or(problem, |hinted| hinted);
        if self.sink.error_line(place, reason).map_err(InputFailure::Output)? {
            self.diagnostics.shown_failure(&self.name, problem);
        } else {
            self.diagnostics.failure(&self.name, problem);
        }
        Ok(())
    }

    /// Reports that the rest of an input, or a part of it, is damaged: to the sink, and to the user
    /// in a sentence that contains the place.
    pub fn damaged(&mut self, damage: &InputDamage<'_>, sentence: &dyn Display) -> io::Result<()> {
        self.sink.trouble(Trouble::Damaged);
        self.diagnostics.failure(&self.name, sentence);
        self.sink.damaged(damage)
    }

    /// Passes bytes that are not a value to the sink.
    pub fn unreadable(&mut self, place: Position, bytes: &[u8]) -> Result<(), InputFailure> {
        self.sink.unreadable(place, self.dialect, bytes).map_err(InputFailure::Output)
    }

    /// Adds the hint, if there is one, to the first error of a file.
    pub fn with_hint(&mut self, problem: String) -> String {
        match self.hint.take() {
            Some(Hint::Unrecognized(format)) if self.messages.values == 0 => {
                format!("not recognized as a capture or a value file; read as {format}: {problem}")
            }
            Some(Hint::Look(look)) => format!("{problem} (this looks like {look})"),
            _ => problem,
        }
    }

    /// Makes everything written so far visible, because no more input is available right now.
    pub fn idle(&mut self) -> Result<bool, InputFailure> {
        self.sink.flush().map_err(InputFailure::Output)?;
        Ok(true)
    }

    /// The dialects that the file's values may have.
    pub fn dialects(&self) -> Vec<Dialect> {
        if !self.is_auto {
            return vec![self.dialect];
        }
        self.all_dialects()
    }

    /// Reports that another dialect than the one that the user named reads the input better.
    pub fn doubt_dialect(&self, reason: &dyn Display) {
        let options = if self.args.double { "--dialect and --double" } else { "--dialect" };
        let doubt = format!("{reason}, so what is read may be wrong; leave out {options}");
        self.diagnostics.warning(&self.name, &doubt);
    }

    /// All dialects that may be detected.
    pub fn all_dialects(&self) -> Vec<Dialect> {
        let single = Dialect::ALL.iter().map(|dialect| of_width(*dialect, self.args.double));
        single.chain(Dialect::ALL.iter().map(|dialect| dialect.with_double_reals())).collect()
    }
}

/// Passes a message to a sink, or a part of it, if it is selected. Returns whether it is, and whether
/// the sink has taken it.
#[inline]
pub fn pass(
    message: &Message<'_>,
    selection: Option<&Selection<'_>>,
    tally: &mut Tally,
    sink: &mut (impl EventSink + ?Sized),
) -> (bool, Result<(), SinkRefusal>) {
    let is_selected = selection.is_none_or(|selection| {
        tally.note(selection.message(message), || format!("frame {}", message.place.frame))
    });
    if is_selected {
        return (true, sink.message(message));
    }
    sink.unselected(message);
    (false, Ok(()))
}

/// The numbers of values, packets of the multiplayer API and messages of the remote debugger.
#[derive(Clone, Copy, Default)]
pub struct MessageCounts {
    pub values: u64,
    pub packets: u64,
    pub commands: u64,
}

impl MessageCounts {
    pub fn count(&mut self, message: &Message<'_>) {
        match &message.content {
            Content::Value(_) => self.values += 1,
            Content::Packet(_) => self.packets += 1,
            Content::Debugger(_) => self.commands += 1,
            _ => {}
        }
    }

    pub fn add(&mut self, later: MessageCounts) {
        self.values += later.values;
        self.packets += later.packets;
        self.commands += later.commands;
    }

    pub fn total(self) -> u64 {
        self.values + self.packets + self.commands
    }
}

/// The path of an error in the value that it is about, to add to the error: ", at
/// /players/0/name", or nothing for the value itself. The path is looked up only if it is shown.
pub struct PathOf<'e> {
    pub error: &'e Error,
    pub dialect: Dialect,
    /// The bytes in which the error was found.
    pub input: &'e [u8],
}

impl Display for PathOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.error.path(self.dialect, self.input).to_string() {
            path if path.is_empty() => Ok(()),
            path => write!(f, ", at {path}"),
        }
    }
}

/// The problem of a value that the sink refused.
fn problem(result: Result<(), SinkRefusal>) -> Result<Option<String>, InputFailure> {
    match result {
        Ok(()) => Ok(None),
        Err(SinkRefusal::Value(error)) => Ok(Some(error.to_string())),
        Err(SinkRefusal::Conversion(error)) => Ok(Some(error.to_string())),
        Err(SinkRefusal::Output(error)) => Err(InputFailure::Output(error)),
    }
}
