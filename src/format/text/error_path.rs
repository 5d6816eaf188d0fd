//! The path of an error: the place inside the value that an error is about.

use crate::format::text::Layout;
use crate::value::{Error, Escaped, Event, MAX_DEPTH, ReadOptions, VariantRef, WalkStack, events};
use core::fmt::{self, Write};

/// The longest key or name that is shown whole, in characters.
const KEY_LIMIT: usize = 40;

/// The place inside a value that an error is about, from [`Error::path`].
///
/// `Display` writes the path in the form that [`VariantRef::at`] accepts, such as `/players/3/name`.
/// It writes nothing if the error is about the outermost value.
///
/// The text is for people. It shows only the start of keys and names longer than 40 characters, and
/// escapes control characters. It shows keys that a path cannot express, such as a Vector2i, as
/// literals. `(key 3)` stands for a dictionary's key that cannot be read, `(name 3)` for a
/// property's name that cannot be read, and `(entry 3)` for the value of a key that is a container.
/// These numbers count from 0.
#[derive(Clone, Copy, Debug)]
pub struct ErrorPath<'i> {
    offset: usize,
    options: ReadOptions,
    input: &'i [u8],
}

impl Error {
    /// The path of the value that the error is about. `input` must be the bytes that could not be
    /// read.
    ///
    /// The path is found when it is shown, by reading the input again up to the error. So errors stay
    /// small, and reading valid input costs nothing extra.
    ///
    /// ```
    /// use gdwire::{Dialect, encode, parse, variant};
    ///
    /// let mut packet = encode(Dialect::GODOT_3, &variant!({ "players": [{ "name": "Zoë" }] }))?;
    /// packet.truncate(packet.len() - 4);
    /// let error = parse(Dialect::GODOT_3, &packet).unwrap_err();
    /// assert_eq!(error.path(Dialect::GODOT_3, &packet).to_string(), "/players/0/name");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The offset of the error counts from the start of `input`. For a frame, `input` is its content.
    #[must_use]
    pub fn path(self, options: impl Into<ReadOptions>, input: &[u8]) -> ErrorPath<'_> {
        ErrorPath { offset: self.offset, options: options.into(), input }
    }
}

/// The item of an open container that is being read.
#[derive(Clone, Copy)]
enum ErrorStep<'i> {
    Element(u32),
    /// A key, or the value of the key that has these bytes.
    Key(u32),
    Value(u32, Option<&'i [u8]>),
    /// The name of a property, or the value of the property with that name.
    Name(u32),
    Property(u32, &'i str),
}

impl<'i> ErrorStep<'i> {
    /// The first item of the container that begins with this event.
    fn first(event: &Event<'i>) -> Option<ErrorStep<'i>> {
        let Event::Begin(_, container) = event else { return None };
        Some(match container.kind() {
            crate::Kind::Dictionary => ErrorStep::Key(0),
            crate::Kind::Object => ErrorStep::Name(0),
            _ => ErrorStep::Element(0),
        })
    }

    /// The item after this value or container.
    fn next(self, item: Option<VariantRef<'i>>) -> ErrorStep<'i> {
        match self {
            ErrorStep::Element(index) => ErrorStep::Element(index.saturating_add(1)),
            ErrorStep::Key(entry) => ErrorStep::Value(entry, item.map(|key| key.as_bytes())),
            ErrorStep::Value(entry, _) => ErrorStep::Key(entry.saturating_add(1)),
            ErrorStep::Name(number) => ErrorStep::Name(number),
            ErrorStep::Property(number, _) => ErrorStep::Name(number.saturating_add(1)),
        }
    }

    fn named(self, name: &'i str) -> ErrorStep<'i> {
        match self {
            ErrorStep::Name(number) => ErrorStep::Property(number, name),
            other => other,
        }
    }

    fn write(self, options: ReadOptions, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut short = LimitedWriter { out: f, left: KEY_LIMIT };
        match self {
            ErrorStep::Element(index) => write!(f, "/{index}"),
            ErrorStep::Key(entry) => write!(f, "/(key {entry})"),
            ErrorStep::Value(entry, None) => write!(f, "/(entry {entry})"),
            ErrorStep::Name(number) => write!(f, "/(name {number})"),
            ErrorStep::Property(_, name) => {
                short.out.write_char('/')?;
                let written = write!(short, "{}", Escaped(name));
                short.end(written)
            }
            ErrorStep::Value(entry, Some(key)) => match crate::value::parse(options, key) {
                Ok(key) => {
                    short.out.write_char('/')?;
                    let written = match key.as_str() {
                        Some(text) => write!(short, "{}", Escaped(text)),
                        None => write!(short, "{}", Escaped(key.display(Layout::Line))),
                    };
                    short.end(written)
                }
                Err(_) => write!(f, "/(entry {entry})"),
            },
        }
    }
}

/// Writes a limited number of characters. Control characters are escaped.
struct LimitedWriter<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    left: usize,
}

impl LimitedWriter<'_, '_> {
    /// Ends the text. Adds an ellipsis if the text was too long.
    fn end(self, written: fmt::Result) -> fmt::Result {
        match written {
            Err(fmt::Error) if self.left == 0 => self.out.write_char('…'),
            other => other,
        }
    }
}

impl Write for LimitedWriter<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            self.left = match self.left.checked_sub(1) {
                Some(left) => left,
                None => return Err(fmt::Error),
            };
            if character.is_control() {
                write!(self.out, "{}", character.escape_debug())?;
            } else {
                self.out.write_char(character)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for ErrorPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps = [ErrorStep::Element(0); MAX_DEPTH as usize];
        let mut depth = 0_usize;
        let mut stack = WalkStack::new();
        let mut events = events(self.options, self.input, &mut stack);
        while let Some(Ok(event)) = events.next() {
            let read = self.input.len().saturating_sub(events.rest().len());
            if read > self.offset {
                break;
            }
            if let Some(first) = ErrorStep::first(&event) {
                if let Some(step) = steps.get_mut(depth) {
                    *step = first;
                }
                depth += 1;
                continue;
            }
            if let Event::End(_) = event {
                depth = depth.saturating_sub(1);
            }
            if let Some(step) = depth.checked_sub(1).and_then(|inner| steps.get_mut(inner)) {
                *step = match event {
                    Event::Property(name) => step.named(name),
                    Event::Value(_, value) => step.next(Some(value)),
                    Event::Begin(..) | Event::End(_) => step.next(None),
                };
            }
        }
        let open = steps.get(..depth).unwrap_or(&steps);
        open.iter().try_for_each(|step| step.write(self.options, f))
    }
}
