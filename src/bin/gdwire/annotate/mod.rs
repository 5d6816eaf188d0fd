//! `gdwire annotate`: writes a capture that shows its messages in Wireshark.
//!
//! Turns messages and losses into comments, which `gdwire::capture::annotate` writes into a copy of the
//! capture, or with `messages` into packets of their own.

pub mod messages;

use crate::args::{Input, InputArgs, NamesArgs, ReadingArgs, SelectionArgs, VerbosityArgs};
use crate::decode::shows_losses;
use crate::diagnostics::{Diagnostics, RunError};
use crate::input::{self, OpenedInput};
use crate::opened::{self, is_stdin, name, reason};
use crate::output::{self, Replaced};
use crate::sink::{EventSink, InputSink, Needs, SinkRefusal};
use clap::{Args, ValueEnum};
use gdwire::capture::Capture;
use gdwire::capture::annotate::{Comments, annotate};
use gdwire::follow::{Loss, Message, Other, Place};
use std::fmt::{self, Display};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct AnnotateArgs {
    /// The capture; - is standard input (needs --as messages or both)
    #[arg(value_name = "FILE", required_unless_present = "interface")]
    pub file: Option<PathBuf>,
    /// Write to this file, which is replaced once the output is complete; - is standard output
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: PathBuf,
    /// The form of the messages in the copy
    #[arg(long = "as", value_enum, default_value_t, value_name = "FORM")]
    pub form: AnnotationForm,
    /// Also show unrecognized packets and unreadable messages, with size and reason
    #[arg(long)]
    pub all: bool,
    /// Capture live from this network interface, with dumpcap or tcpdump (needs --as messages or both)
    #[arg(long, short, value_name = "NAME", conflicts_with = "file")]
    pub interface: Option<String>,
    /// Capture with this filter, such as 'udp and net 10.0.0.0/8', instead of one made from --port and --host (which still select what is shown)
    #[arg(long, value_name = "FILTER")]
    pub capture_filter: Option<String>,
    /// At the end of the file, wait for more, as 'tail -F' does (needs --as messages or both)
    #[arg(long, conflicts_with = "interface")]
    pub follow: bool,
    #[command(flatten)]
    pub reading: ReadingArgs,
    #[command(flatten)]
    pub selection: SelectionArgs,
    #[command(flatten)]
    pub names: NamesArgs,
    #[command(flatten)]
    pub verbosity: VerbosityArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum AnnotationForm {
    /// Comments on the packets of a copy of the capture
    #[default]
    Comments,
    /// Packets of their own, which Wireshark's JSON dissector opens
    Messages,
    /// The same, each after the packet that carried it
    Both,
}

pub fn run(args: &AnnotateArgs, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    if args.form != AnnotationForm::Comments {
        let request = messages::MessagesRequest {
            files: args.file.as_slice(),
            inputs: &args.inputs(),
            selection: &args.selection,
            names: &args.names,
            output: &args.output,
            has_packets: args.form == AnnotationForm::Both,
            all: args.all,
        };
        return messages::write(request, diagnostics);
    }
    match args.file.as_deref().filter(|path| !args.follow && !is_stdin(path)) {
        Some(path) => comments(args, path, diagnostics),
        None => Err(NEEDS_FILE.into()),
    }
}

const NEEDS_FILE: &str = "comments need a whole capture, which is read twice; save it to a file and \
                          name the file, or add '--as messages' or '--as both'";

/// The first bytes of a pcapng file.
const PCAPNG: [u8; 4] = *b"\n\r\r\n";

impl AnnotateArgs {
    /// The input as the options of other commands name it.
    fn inputs(&self) -> InputArgs {
        InputArgs {
            files: Vec::new(),
            input: Input::Capture,
            interface: self.interface.clone(),
            list_interfaces: false,
            capture_filter: self.capture_filter.clone(),
            follow: self.follow,
            join: false,
            recursive: false,
            reading: self.reading.clone(),
        }
    }
}

/// Copies the capture with comments.
fn comments(
    args: &AnnotateArgs,
    path: &Path,
    diagnostics: &mut Diagnostics,
) -> Result<(), RunError> {
    let input_name = name(path);
    let unreadable = |problem: &str| RunError::Usage(format!("{input_name}: {problem}"));
    let files = [path.to_owned()];
    opened::inputs(&files);
    let mut replaced = Replaced::OnlyInput;
    let file = match OpenedInput::open(path) {
        Ok(file @ (OpenedInput::File(_) | OpenedInput::Whole(_))) => file.whole(),
        Ok(OpenedInput::Unpacked(stream)) => {
            // The copy is not compressed, and lacks data that cannot be unpacked.
            replaced = Replaced::Other;
            input::unpack(stream)
        }
        Ok(OpenedInput::Empty) => return Err(unreadable("the file is empty, not a capture")),
        Ok(OpenedInput::Stream(_) | OpenedInput::Growing) => return Err(unreadable(NEEDS_FILE)),
        Err(error) => Err(error),
    };
    let file = file.map_err(|error| unreadable(&reason(&error)))?;
    let needs = Needs { names: args.names.read(diagnostics)?, ..Needs::default() };
    let is_own = opened::is_read(&args.output, false);
    let (mut out, replacement) = output::open_or_stdout(Some(&args.output), replaced, "")?;
    let mut commenter = Commenter {
        comments: Comments::new(tempfile::tempfile),
        all: args.all,
        has_losses: shows_losses(&args.selection.filters),
    };
    let inputs = args.inputs();
    let request = args.selection.request(&files, &inputs, needs);
    input::read(request, None, &mut commenter, diagnostics)?;
    if !diagnostics.has_unread() && !Capture::recognizes(&file) {
        diagnostics.unreadable(&input_name, &"no packet can be read, so there is no copy");
    }
    if !diagnostics.has_unread() {
        let done = annotate(&file, commenter.comments, &mut out)?;
        input::report_change(&file, &input_name, diagnostics);
        // The copy of a damaged pcapng file has everything that is in the file.
        if is_own && done.damage.is_some() && !file.starts_with(&PCAPNG) {
            let problem = "not replaced, as its copy would end where it is damaged; name another file \
                           with -o";
            diagnostics.unreadable(&input_name, &problem);
        } else if is_own {
            diagnostics.warning(&input_name, &"replaced by its copy with comments, as -o names it");
        }
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
