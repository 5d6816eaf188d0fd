//! Messages and losses as JSON, one object each: the lines of `gdwire decode --format ndjson`.

use super::MessageField;
use super::follow::{Event, Loss, Message, Origin, Other, Place};
use crate::format::json::{self, Spelling};
use crate::game::debugger;
use crate::game::multiplayer::{self, ArgumentBytes};
use std::fmt::Display;
use std::io::{self, Write};

/// A JSON object that is composed in memory, field by field.
///
/// ```
/// use gdwire::capture::{JsonLine, Messages};
/// use gdwire::follow::Event;
/// use gdwire::json::Spelling;
///
/// # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-udp.pcapng"))?;
/// let mut messages = Messages::new(&file)?;
/// let mut line = JsonLine::new(Spelling::Plain);
/// while let Some(event) = messages.next_event() {
///     if let Event::Message(message) = event {
///         line.message(&message)?;
///         break;
///     }
/// }
/// assert!(line.finish().starts_with(br#"{"frame":1,"time":"2"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JsonLine {
    values: Spelling,
    arguments: ArgumentBytes,
    json: Vec<u8>,
}

impl JsonLine {
    /// An object without fields, whose values will be spelled like this.
    #[must_use]
    pub fn new(values: Spelling) -> JsonLine {
        JsonLine::reusing(values, Vec::with_capacity(256))
    }

    /// The same in the memory of another object.
    #[must_use]
    pub fn reusing(values: Spelling, mut memory: Vec<u8>) -> JsonLine {
        memory.clear();
        memory.push(b'{');
        JsonLine { values, arguments: ArgumentBytes::Omitted, json: memory }
    }

    /// Also writes the bytes of arguments of remote calls.
    #[must_use]
    pub fn with_argument_bytes(self, arguments: ArgumentBytes) -> JsonLine {
        JsonLine { arguments, ..self }
    }

    /// Adds all fields of a message, of what was lost or is not a message, or of a damaged part of
    /// the file. Other events add nothing.
    ///
    /// # Errors
    ///
    /// None that this crate causes: the signature is that of the functions that write JSON.
    pub fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Message(message) => self.message(message),
            Event::Other(other) => self.other(other),
            Event::Lost(loss) => self.lost(loss),
            Event::Damaged(error) => self.damaged(error.frame, error.offset, error.problem),
            _ => Ok(()),
        }
    }

    /// Adds the fields of a message.
    ///
    /// # Errors
    ///
    /// Like [`JsonLine::event`].
    pub fn message(&mut self, message: &Message<'_>) -> io::Result<()> {
        message.each_field(|field| self.field(field))
    }

    /// Adds the fields of bytes that are not a message.
    ///
    /// # Errors
    ///
    /// Like [`JsonLine::event`].
    pub fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        self.place(other.place)?;
        if let Some(origin) = other.origin {
            self.origin(origin)?;
        }
        self.number("offset", 0);
        self.number("len", other.bytes.len() as u64);
        self.text("error", other.reason)
    }

    /// Adds the fields of a loss.
    ///
    /// # Errors
    ///
    /// Like [`JsonLine::event`].
    pub fn lost(&mut self, loss: &Loss) -> io::Result<()> {
        self.place(loss.place)?;
        if let Some(Place { frame, time, .. }) = loss.after {
            self.number("after_frame", frame);
            if let Some(time) = time {
                self.text("after_time", time)?;
            }
        }
        if let Some(origin) = loss.origin {
            self.origin(origin)?;
        }
        let cause = loss.cause;
        if let Some(mode) = cause.mode() {
            if let Some(channel) = cause.channel() {
                self.number("channel", channel.into());
            }
            self.text("mode", mode.godot_name())?;
            self.number("messages", cause.count());
        } else if let Some(lost) = cause.position() {
            self.number("offset", lost.start);
            self.number("bytes", lost.end.saturating_sub(lost.start));
        }
        self.text("lost", cause)
    }

    /// Adds the fields of the damaged part of a file.
    ///
    /// # Errors
    ///
    /// Like [`JsonLine::event`].
    pub fn damaged(
        &mut self,
        frame: Option<u64>,
        offset: u64,
        problem: impl Display,
    ) -> io::Result<()> {
        if let Some(frame) = frame {
            self.number("frame", frame);
        }
        self.number("offset", offset);
        self.text("damaged", problem)
    }

    /// Adds the fields of a direction of a connection.
    ///
    /// # Errors
    ///
    /// Like [`JsonLine::event`].
    pub fn origin(&mut self, origin: Origin) -> io::Result<()> {
        MessageField::of_origin(origin).into_iter().try_for_each(|field| self.field(field))
    }

    fn place(&mut self, place: Place) -> io::Result<()> {
        MessageField::of_place(place).into_iter().try_for_each(|field| self.field(field))
    }

    /// Adds a field of a message.
    ///
    /// # Errors
    ///
    /// Like [`JsonLine::event`].
    pub fn field(&mut self, field: MessageField<'_>) -> io::Result<()> {
        self.field_key(&field);
        let (values, bytes, out) = (self.values, self.arguments, &mut self.json);
        match field {
            MessageField::Frame(number)
            | MessageField::Offset(number)
            | MessageField::Len(number) => self.integer(number),
            MessageField::Channel(channel) => self.integer(channel),
            MessageField::Time(Some(time)) => json::write_string(time, out)?,
            MessageField::Transport(transport) => self.plain(transport.name().as_bytes()),
            MessageField::Src(end) | MessageField::Dst(end) => json::write_string(end, out)?,
            MessageField::CommunityId(flow) => json::write_string(flow.community_id(), out)?,
            MessageField::Mode(mode) => self.plain(mode.godot_name().as_bytes()),
            MessageField::Kind(kind) => self.plain(kind.name().as_bytes()),
            MessageField::Peer(peers) => {
                out.push(b'{');
                for (name, id) in [("source", peers.source), ("target", peers.target)] {
                    self.key(name);
                    match id {
                        Some(id) => self.integer(id.get()),
                        None => self.json.extend_from_slice(b"null"),
                    }
                }
                self.json.push(b'}');
            }
            MessageField::Value(value) => match values {
                Spelling::Plain => json::write_plain(value, out)?,
                Spelling::Native => json::write(value, out)?,
            },
            MessageField::Rpc(packet, context) => {
                multiplayer::write_json(packet, context, values, bytes, out)?;
            }
            MessageField::Debugger(command) => {
                debugger::write_json(command, values, bytes, out)?;
            }
            MessageField::Time(None) => out.extend_from_slice(b"null"),
        }
        Ok(())
    }

    /// Adds the name of a field. Its value is to follow, with [`JsonLine::plain`].
    pub fn field_key(&mut self, field: &MessageField<'_>) {
        let key = field.key().as_bytes();
        self.json.extend_from_slice(key.get(usize::from(self.is_empty())..).unwrap_or(key));
    }

    /// Whether the object that is composed has no fields yet.
    fn is_empty(&self) -> bool {
        self.json.last() == Some(&b'{')
    }

    fn key(&mut self, name: &str) {
        if !self.is_empty() {
            self.json.push(b',');
        }
        for part in ["\"", name, "\":"] {
            self.json.extend_from_slice(part.as_bytes());
        }
    }

    /// Adds a number.
    pub fn number(&mut self, name: &str, number: u64) {
        self.key(name);
        self.integer(number);
    }

    fn integer(&mut self, number: impl itoa::Integer) {
        self.json.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    }

    /// Adds a text.
    ///
    /// # Errors
    ///
    /// Like [`JsonLine::event`].
    pub fn text(&mut self, name: &str, text: impl Display) -> io::Result<()> {
        self.key(name);
        json::write_string(text, &mut self.json)
    }

    /// Writes a text without characters that need escapes, as the value of a field.
    pub fn plain(&mut self, text: &[u8]) {
        self.json.push(b'"');
        self.json.extend_from_slice(text);
        self.json.push(b'"');
    }

    /// Adds fields that are JSON already, without a comma before them.
    pub fn fields(&mut self, fields: &[u8]) {
        if !self.is_empty() {
            self.json.push(b',');
        }
        self.json.extend_from_slice(fields);
    }

    /// The object.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        self.json.push(b'}');
        self.json
    }

    /// Writes the object as a line. Returns its memory.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn end(self, mut out: impl Write) -> io::Result<Vec<u8>> {
        let mut json = self.finish();
        json.push(b'\n');
        out.write_all(&json)?;
        Ok(json)
    }
}
