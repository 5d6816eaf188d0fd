//! `--as messages` and `--as both`: messages and losses as packets of their own.

use crate::args::{InputArgs, NamesArgs, SelectionArgs};
use crate::decode::{LineStyle, TextCache, ndjson, shows_losses};
use crate::diagnostics::{Diagnostics, RunError};
use crate::input;
use crate::opened;
use crate::output::{self, Replaced};
use crate::sink::{EventSink, InputSink, Needs, PacketWatch, SinkRefusal};
use gdwire::Engine;
use gdwire::capture::annotate::MessageWriter;
use gdwire::follow::{Events, Follower, Loss, Message, Origin, Other, Place};
use gdwire::packet::CapturedPacket;
use std::cell::RefCell;
use std::fmt::Display;
use std::io::{self, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// How long packets of live traffic wait for their messages: a little longer than connections may be
/// undecided.
const WAIT: Duration = Duration::from_millis(600);

/// The texts in Wireshark's column "Protocol".
const PROTOCOL: &str = "Godot";
const PANDEMONIUM: &str = "Pandemonium";

/// A request to write messages as packets.
pub struct MessagesRequest<'r> {
    pub files: &'r [PathBuf],
    pub inputs: &'r InputArgs,
    pub selection: &'r SelectionArgs,
    pub names: &'r NamesArgs,
    pub output: &'r Path,
    /// Whether the packets that carried the messages are written, too.
    pub has_packets: bool,
    /// Whether to show what was not decoded.
    pub all: bool,
}

pub fn write(request: MessagesRequest<'_>, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    let MessagesRequest { files, inputs, selection, has_packets, all, .. } = request;
    let names = request.names.read(diagnostics)?;
    opened::inputs(files);
    let (out, replacement) = output::open_or_stdout(Some(request.output), Replaced::Other, "")?;
    let writer =
        if has_packets { MessageWriter::with_packets(out) } else { MessageWriter::new(out) }?;
    let output = Rc::new(RefCell::new(PacketOutput { writer, failed: None }));
    let watch = has_packets.then(|| -> Rc<dyn PacketWatch> { output.clone() });
    let mut sink = MessagePackets {
        output,
        style: LineStyle::json(),
        cache: TextCache::default(),
        json: Vec::new(),
        all,
        has_losses: shows_losses(&selection.filters),
    };
    let needs = Needs { names, watch, ..Needs::default() };
    input::read(selection.request(files, inputs, needs), None, &mut sink, diagnostics)?;
    // The inputs do not watch packets any more.
    if let Some(output) = Rc::into_inner(sink.output) {
        let PacketOutput { writer, failed } = output.into_inner();
        failed.map_or(Ok(()), Err)?;
        writer.finish()?.flush()?;
    }
    Ok(output::commit(replacement, diagnostics)?)
}

/// The file that is written.
struct PacketOutput {
    writer: MessageWriter<Box<dyn Write>>,
    /// Why a packet could not be written; the next message reports it.
    failed: Option<io::Error>,
}

impl PacketWatch for RefCell<PacketOutput> {
    fn packet(&self, packet: &CapturedPacket<'_>) {
        let PacketOutput { writer, failed } = &mut *self.borrow_mut();
        if failed.is_none() {
            *failed = writer.packet(packet).err();
        }
    }

    fn passed(&self, _: &Events<'_, '_>) {}

    fn followed(&self, _: &Follower<'_>) {}
}

/// Turns messages into packets.
struct MessagePackets {
    output: Rc<RefCell<PacketOutput>>,
    style: LineStyle,
    cache: TextCache,
    /// The JSON of the message that is being written, kept for its memory.
    json: Vec<u8>,
    /// Whether to show what was not decoded.
    all: bool,
    has_losses: bool,
}

impl MessagePackets {
    /// Adds a packet with JSON that `write` writes as a line.
    fn add(
        &mut self,
        (place, origin): (Place, Option<Origin>),
        (protocol, info): (&str, &dyn Display),
        write: impl FnOnce(&LineStyle, &mut TextCache, &mut Vec<u8>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut json = mem::take(&mut self.json);
        json.clear();
        write(&self.style, &mut self.cache, &mut json)?;
        let PacketOutput { writer, failed } = &mut *self.output.borrow_mut();
        failed.take().map_or(Ok(()), Err)?;
        let line = json.strip_suffix(b"\n").unwrap_or(&json);
        writer.message(place, origin, protocol, info, line)?;
        self.json = json;
        Ok(())
    }
}

impl EventSink for MessagePackets {
    fn message(&mut self, message: &Message<'_>) -> Result<(), SinkRefusal> {
        let place = (message.place, Some(message.origin));
        let info = message.display();
        let protocol = match message.dialect.engine() {
            Engine::Pandemonium => PANDEMONIUM,
            _ => PROTOCOL,
        };
        let shown = (protocol, &info as &dyn Display);
        Ok(self
            .add(place, shown, |style, cache, out| ndjson::message(style, message, cache, out))?)
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        let Some(origin) = other.origin.filter(|_| self.all) else { return Ok(()) };
        let info = format!("not a value, {} bytes: {}", other.bytes.len(), other.reason);
        self.add((other.place, Some(origin)), (PROTOCOL, &info), |style, _, out| {
            ndjson::other(style, other, out)
        })
    }

    fn lost(&mut self, loss: &Loss) -> io::Result<()> {
        if !self.has_losses {
            return Ok(());
        }
        let info = format!("lost: {loss}");
        self.add((loss.place, loss.origin), (PROTOCOL, &info), |style, _, out| {
            ndjson::lost(style, loss, out)
        })
    }
}

impl InputSink for MessagePackets {
    fn flush(&mut self) -> io::Result<()> {
        let PacketOutput { writer, failed } = &mut *self.output.borrow_mut();
        failed.take().map_or(Ok(()), Err)?;
        writer.flush(WAIT)
    }
}
