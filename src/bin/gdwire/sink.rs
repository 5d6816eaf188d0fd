//! The interface between inputs and commands: messages, values and losses.

use crate::selection::{EndNames, FirstPacket};
use gdwire::explain::Recent;
use gdwire::follow::{ConnectionNumbers, Events, Follower, Loss, Message, Other, Summary};
use gdwire::multiplayer::{Evidence, Names};
use gdwire::packet::CapturedPacket;
use gdwire::{Dialect, EncodeError, VariantRef, convert};
use std::any::Any;
use std::cell::RefCell;
use std::fmt::{self, Display};
use std::io;
use std::num::NonZero;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// The packets that were read last; the input adds them and the command reads them.
pub type Recently = Rc<RefCell<Recent>>;

/// Observes the packets of captures, and the events that the follower makes of them. Only one
/// thread reads then.
pub trait PacketWatch {
    /// A packet, before its events are passed on. This may wait.
    fn packet(&self, packet: &CapturedPacket<'_>);

    /// An event was passed on: the one that was returned last.
    fn passed(&self, events: &Events<'_, '_>);

    /// All events of a packet were passed on, or nothing has arrived for a while.
    fn followed(&self, follower: &Follower<'_>);
}

/// Takes the events of captures, in order. An [`InputSink`] takes all of them; several threads take parts
/// of them, which [`InputSink::join`] puts together.
pub trait EventSink {
    /// A message: a value, a packet of the multiplayer API or a message of the remote debugger.
    fn message(&mut self, message: &Message<'_>) -> Result<(), SinkRefusal>;

    /// A message that the user did not select.
    fn unselected(&mut self, _message: &Message<'_>) {}

    /// A payload that is no message.
    fn other(&mut self, _other: &Other<'_>) -> io::Result<()> {
        Ok(())
    }

    /// A part of a capture is lost. Called for each loss, in order with the messages.
    fn lost(&mut self, _loss: &Loss) -> io::Result<()> {
        Ok(())
    }
}

/// Takes the content of the inputs. Each command that reads inputs has a type that implements this.
pub trait InputSink: EventSink {
    /// The beginning of a file, or of several that are read as one.
    fn begin(&mut self, _file: &str) {}

    /// A value in a file that is not a capture.
    fn value(&mut self, _place: ValuePlace, _value: VariantRef<'_>) -> Result<(), SinkRefusal> {
        Ok(())
    }

    /// The rest of an input, or a part of it, is damaged.
    fn damaged(&mut self, _damage: &InputDamage<'_>) -> io::Result<()> {
        Ok(())
    }

    /// A value or packet is missing. The caller reports the reason to the user, and reports related
    /// losses as one.
    fn trouble(&mut self, _trouble: Trouble<'_>) {}

    /// A connection is opened, or closed.
    fn connection(&mut self, _summary: &Summary) {}

    /// No more input is available right now: everything written so far should become visible.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// The end of a file.
    fn end(&mut self, _file: &str) -> io::Result<()> {
        Ok(())
    }

    /// How several threads can share the work on the events of a capture; none if it must be done
    /// in order.
    fn divide(&self) -> Option<Division> {
        None
    }

    /// Takes a message that a part has taken, too, because the command needs some messages in order: see
    /// [`SinkPart::is_in_order`]. `is_selected` is whether the user selected it.
    fn in_order(&mut self, _message: &Message<'_>, _is_selected: bool) {}

    /// Takes the counts of the parts of a capture. `numbers` gives the connections the numbers that
    /// the sink knows. Returns false, and takes nothing, if the result may not be that of one
    /// thread, unless this `must` be the result.
    fn merge(
        &mut self,
        _parts: Vec<PartResult>,
        _numbers: &ConnectionNumbers,
        _must: bool,
    ) -> bool {
        true
    }

    /// Takes the results of a part. The parts are passed in the order of their events.
    fn join(&mut self, _made: PartResult) -> io::Result<()> {
        Ok(())
    }

    /// Takes some of the lines that a part has made.
    fn lines(&mut self, _lines: &[u8]) -> io::Result<()> {
        Ok(())
    }

    /// Takes the rows that parts have made of a piece of the capture. `numbers` gives the connections the
    /// numbers that the sink knows. [`InputSink::rows`] says in which order they are to be written.
    fn begin_rows(
        &mut self,
        _parts: Vec<PartResult>,
        _numbers: &ConnectionNumbers,
    ) -> io::Result<()> {
        Ok(())
    }

    /// Takes the next rows of these: of the part with a number, those with these numbers.
    fn rows(&mut self, _part: usize, _rows: Range<usize>) {}

    /// All rows of a piece were taken.
    fn end_rows(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Writes the line of output for something that is not a value. Returns false if the output has
    /// no line for it.
    fn error_line(&mut self, _place: Position, _reason: &dyn Display) -> io::Result<bool> {
        Ok(false)
    }

    /// Bytes that are not a value, after the line for them.
    fn unreadable(&mut self, _place: Position, _dialect: Dialect, _bytes: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

/// The needs of a command, which the inputs have to meet.
#[derive(Clone, Default)]
pub struct Needs {
    /// Names that no packet contains, for the messages of captures.
    pub names: Option<Arc<Names>>,
    /// The inputs add each packet of a capture here before they pass on its messages. `None` if the
    /// command does not show packets.
    pub recent: Option<Recently>,
    /// Sees the packets of captures. `None` if the command needs only their events.
    pub watch: Option<Rc<dyn PacketWatch>>,
    /// The time of the first packet of the current capture, which the inputs set.
    pub first: Arc<FirstPacket>,
    /// The names of the ends, which are those of the first messages that were read.
    pub ends: Arc<EndNames>,
    /// Whether the command shows these names. Then messages that are not selected have names, too.
    pub shows_ends: bool,
    /// The options about the columns of messages that the user gave. Only captures have columns.
    pub columns: Vec<&'static str>,
    /// Whether the command numbers the values of files.
    pub numbers_values: bool,
    /// Evidence about the names, from the part of the current capture that was read ahead.
    pub evidence: Arc<Evidence>,
    /// How many bytes of a file are read ahead for that; `None` for all.
    pub ahead: Option<u64>,
    /// Whether the follower is to measure round-trip times, resends and acknowledgements.
    pub measures: bool,
}

/// How much of a file is read ahead by commands that show messages as they read them: a fraction of
/// a second's work.
pub const AHEAD: u64 = 64 << 20;

/// Damage to an input.
pub struct InputDamage<'d> {
    /// In a capture, the first damaged packet.
    pub frame: Option<u64>,
    /// The offset in bytes.
    pub offset: u64,
    /// The kind of damage, without the place.
    pub problem: &'d dyn Display,
}

/// Work that several threads can do.
pub struct Division {
    pub threads: NonZero<usize>,
    /// Begins a part of the work.
    pub begin: Box<dyn Fn() -> Box<dyn SinkPart> + Sync>,
    /// How the results of the parts are joined.
    pub joining: Joining,
}

/// How the results of several parts are joined.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Joining {
    /// In the order of the parts, with [`InputSink::join`]. One thread follows all connections.
    Parts,
    /// Event by event. Each part makes lines, which [`SinkPart::take_lines`] returns, and
    /// [`InputSink::lines`] takes those of an event: they begin where [`SinkPart::len`] was before it.
    Lines,
    /// Event by event, too. Each part makes rows, which [`SinkPart::take_rows`] returns, and
    /// [`InputSink::rows`] takes those of an event: they begin where [`SinkPart::len`] was before it.
    #[cfg_attr(not(feature = "export"), expect(dead_code, reason = "only `export` makes rows"))]
    Rows,
    /// Once, at the end of the capture, with [`InputSink::merge`]: each part counts what a share of the
    /// connections sends. The sink itself gets the connections and the losses.
    Counts,
}

/// The most bytes that a part keeps, not counting its results for its last event. Events that would
/// take more are left to the sink.
pub const PART: usize = 4 << 20;

/// Takes consecutive events in one of several threads. An event that it refuses is left to the sink,
/// with all later ones of the batch.
pub trait SinkPart: EventSink {
    /// How many bytes it keeps.
    fn held_bytes(&self) -> usize;

    /// The length of its results for a piece of the capture: the bytes of its lines, or the number
    /// of its rows.
    fn len(&self) -> usize {
        self.held_bytes()
    }

    /// Returns the rows so far.
    fn take_rows(&mut self) -> Option<PartResult> {
        None
    }

    /// A connection is opened, or closed. The sink gets it, too.
    fn connection(&mut self, _summary: &Summary) {}

    /// Whether [`InputSink::in_order`] needs this message, which the part was passed just now.
    fn is_in_order(&mut self, _message: &Message<'_>) -> bool {
        false
    }

    /// Returns the lines so far, and continues with the memory of others.
    fn take_lines(&mut self, _memory: Vec<u8>) -> Vec<u8> {
        Vec::new()
    }

    /// Ends the part and returns its results.
    fn finish(self: Box<Self>) -> PartResult;
}

/// The result of a [`SinkPart`]: [`InputSink::join`] or [`InputSink::merge`] of the same command takes it.
pub type PartResult = Box<dyn Any + Send>;

/// Adds the counts of parts to the counts so far.
pub fn merged<T: Clone + 'static>(
    counts: &T,
    parts: Vec<PartResult>,
    mut add: impl FnMut(&mut T, T),
) -> T {
    let mut counts = counts.clone();
    let parts = parts.into_iter().filter_map(|part| part.downcast::<T>().ok());
    parts.for_each(|part| add(&mut counts, *part));
    counts
}

/// A value in a file that is not a capture.
#[derive(Clone, Copy)]
pub struct ValuePlace {
    /// Its number in the file, from 0. Items that are not values have numbers, too.
    pub index: u64,
    pub position: Position,
}

/// The place of a value in a file that is not a capture.
#[derive(Clone, Copy)]
pub enum Position {
    /// The offset in bytes.
    Offset(u64),
    /// The offset in bytes, after a length of 4 bytes, and what that length says.
    Framed(u64, u32),
    /// The line, counted from 1.
    Line(u64),
}

impl Position {
    /// The offset in bytes; 0 for a line, because a value begins where its line does.
    pub const fn offset(self) -> u64 {
        match self {
            Position::Offset(offset) | Position::Framed(offset, _) => offset,
            Position::Line(_) => 0,
        }
    }
}

impl Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Offset(offset) | Position::Framed(offset, _) => write!(f, "byte {offset}"),
            Position::Line(number) => write!(f, "line {number}"),
        }
    }
}

/// Why a value or packet is missing.
pub enum Trouble<'t> {
    /// A part of a capture is lost.
    Lost(&'t Loss),
    /// A capture is damaged.
    Damaged,
    /// A file is neither a capture nor a value file.
    Unrecognized,
    /// A compressed or encrypted save that cannot be unpacked.
    NotUnpacked,
    /// A line is not hex or base64.
    NoBytes,
    /// Bytes are not a value.
    NoValue(&'t gdwire::Error),
}

/// Why a sink refused a value.
pub enum SinkRefusal {
    Output(io::Error),
    /// The value cannot be expressed.
    Value(EncodeError),
    /// A part of the value cannot be expressed in the other dialect.
    Conversion(convert::Error),
}

impl From<io::Error> for SinkRefusal {
    fn from(error: io::Error) -> SinkRefusal {
        SinkRefusal::Output(error)
    }
}
