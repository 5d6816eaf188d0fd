//! `gdwire annotate`: copies a capture with its messages as comments on the packets.
//!
//! Turns messages and losses into comments, which `gdwire::capture::annotate` writes into the copy.

use crate::args::{Input, InputArgs, NamesArgs, ReadingArgs, SelectionArgs, VerbosityArgs};
use crate::diagnostics::{Diagnostics, RunError};
use crate::input::{self, OpenedInput};
use crate::opened::{self, name, reason};
use crate::output::{self, Replaced};
use crate::sink::{EventSink, InputSink, Needs, SinkRefusal};
use clap::Args;
use gdwire::capture::annotate::{Comments, annotate};
use gdwire::follow::{Loss, Message, Other, Place};
use std::fmt::{self, Display};
use std::fs::File;
use std::path::PathBuf;
use std::{io, slice};

#[derive(Args)]
pub struct AnnotateArgs {
    /// The capture to copy
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Write the copy to this file, which is replaced once the copy is complete; - is standard output
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: PathBuf,
    /// Also comment on unrecognized packets and unreadable messages, with size and reason
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub reading: ReadingArgs,
    #[command(flatten)]
    pub selection: SelectionArgs,
    #[command(flatten)]
    pub names: NamesArgs,
    #[command(flatten)]
    pub verbosity: VerbosityArgs,
}

pub fn run(args: &AnnotateArgs, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    let path = &args.file;
    let input_name = name(path);
    let unreadable = |problem: &str| RunError::Usage(format!("{input_name}: {problem}"));
    let files = slice::from_ref(path);
    opened::inputs(files);
    let file = match OpenedInput::open(path) {
        Ok(OpenedInput::File(file)) => OpenedInput::File(file).whole(),
        Ok(OpenedInput::Unpacked(stream)) => input::unpack(stream),
        Ok(OpenedInput::Empty) => return Err(unreadable("the file is empty, not a capture")),
        Ok(OpenedInput::Stream(_) | OpenedInput::Growing) => {
            let problem = "the capture is read twice; save it to a file and name the file";
            return Err(unreadable(problem));
        }
        Err(error) => Err(error),
    };
    let file = file.map_err(|error| unreadable(&reason(&error)))?;
    let needs = Needs { names: args.names.read(diagnostics)?, ..Needs::default() };
    let only = Replaced::OnlyInput;
    let (mut out, replacement) = output::open_or_stdout(Some(&args.output), only, "")?;
    let mut commenter = Commenter {
        comments: Comments::new(tempfile::tempfile),
        all: args.all,
        has_losses: !args.selection.filters.has_contents(),
    };
    let inputs = InputArgs {
        files: Vec::new(),
        input: Input::Capture,
        interface: None,
        capture_filter: None,
        follow: false,
        join: false,
        recursive: false,
        reading: args.reading.clone(),
    };
    let request = args.selection.request(files, &inputs, needs);
    input::read(request, None, &mut commenter, diagnostics)?;
    if !diagnostics.has_unread() {
        let done = annotate(&file, commenter.comments, &mut out)?;
        input::report_change(&file, &input_name, diagnostics);
        let text = format!("comments: {}, replaced comments: {}", done.comments, done.replaced);
        diagnostics.detail(&input_name, &text);
        if done.unplaced > 0 {
            let problem = format!(
                "{} comments were not written: packets in Simple Packet Blocks cannot have any, and \
                 packets that were added to the file meanwhile are not in the copy",
                done.unplaced
            );
            diagnostics.failure(&input_name, &problem);
        }
    }
    out.flush()?;
    Ok(output::commit(replacement, diagnostics)?)
}

/// Collects comments.
struct Commenter {
    comments: Comments<File>,
    /// Whether to comment on what was not decoded.
    all: bool,
    /// Whether to comment on losses: not if messages are selected by their content.
    has_losses: bool,
}

/// The text of a loss may be as long as the text of a message with this many bytes.
const LOSS: usize = 16;

impl Commenter {
    fn add(&mut self, place: Place, len: usize, text: &dyn Display) -> io::Result<()> {
        self.comments.add(place.frame, len, &PlacedText { place, text })
    }
}

impl EventSink for Commenter {
    fn message(&mut self, message: &Message<'_>) -> Result<(), SinkRefusal> {
        Ok(self.add(message.place, message.bytes.len(), &message.display())?)
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        if !self.all {
            return Ok(());
        }
        let len = other.bytes.len();
        let text = format_args!("not a value, {len} bytes: {}", other.reason).to_string();
        self.add(other.place, len, &text)
    }

    fn lost(&mut self, loss: &Loss) -> io::Result<()> {
        if !self.has_losses {
            return Ok(());
        }
        self.add(loss.place, LOSS, &format!("lost: {loss}"))
    }
}

impl InputSink for Commenter {}

/// A text. If it is about several packets, their numbers precede it.
struct PlacedText<'t> {
    place: Place,
    text: &'t dyn Display,
}

impl Display for PlacedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (self.place.first_frame(), self.place.frame);
        if first != last {
            write!(f, "frames {first}-{last}: ")?;
        }
        self.text.fmt(f)
    }
}
