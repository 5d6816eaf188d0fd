//! What went wrong, and in which field.

use super::message::{Message, cut};
use crate::encode::EncodeError;
use crate::kind::Kind;
use crate::view::{VariantRef, View};
use core::fmt::{self, Display, Write};
use serde::de::{Expected, Unexpected};

/// Why a type could not be read or written, and where.
///
/// ```
/// let bytes = gdwire::to_vec(gdwire::Dialect::GODOT_3, &[(1, "one"), (2, "two")])?;
/// let error = gdwire::from_slice::<Vec<(i32, bool)>>(gdwire::Dialect::GODOT_3, &bytes).unwrap_err();
/// assert_eq!(error.to_string(), r#"[0][1]: expected a boolean, found String "one", at byte 24"#);
/// assert_eq!((error.path(), error.offset()), ("[0][1]", Some(24)));
/// # Ok::<(), gdwire::typed::Error>(())
/// ```
///
/// Without an allocator paths and messages that are longer than 96 bytes end early, in "…".
pub struct Error(Inner);

#[cfg(feature = "alloc")]
type Inner = alloc::boxed::Box<Detail>;
#[cfg(not(feature = "alloc"))]
type Inner = Detail;

/// The outcome of reading or writing a type.
pub type Result<T> = core::result::Result<T, Error>;

struct Detail {
    cause: Cause,
    /// What was found, if the cause was that something else was expected.
    found: Option<Found>,
    offset: Option<usize>,
    path: Message,
}

enum Cause {
    Wire(crate::Error),
    Encode(EncodeError),
    Message(Message),
    #[cfg(feature = "std")]
    Io(std::io::Error),
}

/// What serde has only a general word for.
enum Found {
    Sequence,
    Map,
    Kind(Kind),
}

impl Error {
    #[cold]
    fn of(cause: Cause, found: Option<Found>, offset: Option<usize>) -> Error {
        let detail = Detail { cause, found, offset, path: Message::default() };
        #[cfg(feature = "alloc")]
        let detail = alloc::boxed::Box::new(detail);
        Error(detail)
    }

    #[cold]
    pub(super) fn message(text: impl Display) -> Error {
        Error::of(Cause::Message(Message::of(text)), None, None)
    }

    #[cold]
    pub(super) fn wire(error: crate::Error) -> Error {
        Error::of(Cause::Wire(error), None, Some(error.offset))
    }

    /// The path to what was wrong, `players[3].position`; empty for the value itself.
    ///
    /// It ends at a field that is ignored or is of the type [`VariantRef`] or `Variant`, whatever
    /// is in that.
    #[must_use]
    pub fn path(&self) -> &str {
        self.0.path.as_str()
    }

    /// Where the value begins that was not the expected one, or where the bytes are wrong, in
    /// bytes from the start of the input; nothing for errors of writing.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// What is wrong with the bytes, if it is them that are wrong and not only of another type.
    #[must_use]
    pub fn as_wire(&self) -> Option<&crate::Error> {
        match &self.0.cause {
            Cause::Wire(error) => Some(error),
            _ => None,
        }
    }

    /// What the dialect cannot express.
    #[must_use]
    pub fn as_encode(&self) -> Option<&EncodeError> {
        match &self.0.cause {
            Cause::Encode(error) => Some(error),
            _ => None,
        }
    }

    /// The same error, if it has no place yet, of the value of that kind at `offset`.
    #[cold]
    pub(super) fn at(mut self, offset: usize, kind: Option<Kind>) -> Error {
        if self.0.offset.is_none() {
            self.0.offset = Some(offset);
            // What was buffered before it was found wrong may be deeper inside.
            let is_it = |kind: Kind| match self.0.found {
                Some(Found::Sequence) => !matches!(kind, Kind::Dictionary | Kind::Object),
                Some(Found::Map) => matches!(kind, Kind::Dictionary | Kind::Object),
                _ => false,
            };
            if let Some(kind) = kind.filter(|kind| is_it(*kind)) {
                self.0.found = Some(Found::Kind(kind));
            }
        }
        self
    }

    /// The same error where no offset in an input means anything.
    #[cold]
    pub(super) fn without_offset(mut self) -> Error {
        self.0.offset = None;
        self
    }

    /// The same error of a value that starts so many bytes after the start of the input.
    #[cfg(feature = "codec")]
    #[cold]
    pub(crate) fn shifted(mut self, by: usize) -> Error {
        self.0.offset = self.0.offset.map(|offset| offset.saturating_add(by));
        if let Cause::Wire(error) = self.0.cause {
            self.0.cause = Cause::Wire(error.shifted(by));
        }
        self
    }

    /// The same error with one more step at the front of its path.
    fn inside(mut self, step: impl Display) -> Error {
        let mut path = Message::of(step);
        let rest = self.path();
        if !rest.is_empty() && !rest.starts_with('[') {
            let _ = path.write_char('.');
        }
        let _ = write!(path, "{}", self.0.path);
        self.0.path = path;
        self
    }

    /// Inside of an element.
    #[cold]
    pub(super) fn in_element(self, index: usize) -> Error {
        self.inside(format_args!("[{index}]"))
    }

    /// Inside of a field.
    #[cold]
    pub(super) fn in_field(self, name: &str) -> Error {
        let is_name = |character: char| character.is_alphanumeric() || character == '_';
        if name.len() <= 64 && !name.is_empty() && name.chars().all(is_name) {
            return self.inside(name);
        }
        let (name, more) = cut(name, 64);
        let more = if more.is_empty() { "" } else { "…" };
        self.inside(format_args!("[{name:?}{more}]"))
    }

    /// Inside of the value of a key.
    #[cold]
    pub(super) fn in_key(self, key: Option<VariantRef<'_>>) -> Error {
        match key {
            Some(key) => match key.as_str() {
                Some(name) => self.in_field(name),
                None => self.inside(format_args!("[{key:?}]")),
            },
            None => self,
        }
    }
}

impl From<EncodeError> for Error {
    #[cold]
    fn from(error: EncodeError) -> Error {
        Error::of(Cause::Encode(error), None, None)
    }
}

#[cfg(feature = "std")]
impl From<std::io::Error> for Error {
    #[cold]
    fn from(error: std::io::Error) -> Error {
        Error::of(Cause::Io(error), None, None)
    }
}

/// The error of the stream, or this one with the kind `InvalidData`.
#[cfg(feature = "std")]
impl From<Error> for std::io::Error {
    fn from(error: Error) -> std::io::Error {
        match *error.0 {
            Detail { cause: Cause::Io(error), .. } => error,
            detail => std::io::Error::new(
                std::io::ErrorKind::InvalidData,
                Error(alloc::boxed::Box::new(detail)),
            ),
        }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let detail = &self.0;
        if !detail.path.as_str().is_empty() {
            write!(f, "{}: ", detail.path)?;
        }
        match &detail.cause {
            // It begins with its offset.
            Cause::Wire(error) => return error.fmt(f),
            Cause::Encode(error) => error.fmt(f)?,
            Cause::Message(message) => message.fmt(f)?,
            #[cfg(feature = "std")]
            Cause::Io(error) => error.fmt(f)?,
        }
        match detail.found {
            Some(Found::Sequence) => f.write_str("a sequence")?,
            Some(Found::Map) => f.write_str("a map")?,
            Some(Found::Kind(kind)) => kind.fmt(f)?,
            None => {}
        }
        match detail.offset {
            Some(offset) => write!(f, ", at byte {offset}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.0.cause {
            Cause::Wire(error) => Some(error),
            Cause::Encode(error) => Some(error),
            Cause::Message(_) => None,
            #[cfg(feature = "std")]
            Cause::Io(error) => Some(error),
        }
    }
}

impl serde::ser::Error for Error {
    #[cold]
    fn custom<T: Display>(text: T) -> Error {
        Error::message(text)
    }
}

impl serde::de::Error for Error {
    #[cold]
    fn custom<T: Display>(text: T) -> Error {
        Error::message(text)
    }

    #[cold]
    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Error {
        let found = match unexpected {
            Unexpected::Seq => Some(Found::Sequence),
            Unexpected::Map => Some(Found::Map),
            _ => None,
        };
        let text = Message::of(format_args!("expected {expected}, found {}", Named(unexpected)));
        Error::of(Cause::Message(text), found, None)
    }

    #[cold]
    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Error {
        serde::de::Error::invalid_type(unexpected, expected)
    }
}

/// What was found, in the engine's words.
struct Named<'a>(Unexpected<'a>);

impl Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Unexpected::Bool(is_true) => write!(f, "bool {is_true}"),
            Unexpected::Signed(number) => write!(f, "int {number}"),
            Unexpected::Unsigned(number) => write!(f, "int {number}"),
            Unexpected::Float(number) => write!(f, "float {number:?}"),
            Unexpected::Char(character) => {
                write!(f, "String {:?}", character.encode_utf8(&mut [0; 4]))
            }
            Unexpected::Str(text) => write!(f, "String {text:?}"),
            Unexpected::Bytes(_) => f.write_str("PackedByteArray"),
            Unexpected::Unit => f.write_str("Nil"),
            // Named when the place is known.
            Unexpected::Seq | Unexpected::Map => Ok(()),
            other => other.fmt(f),
        }
    }
}

/// The error of a value of a kind that is not the expected one.
#[cold]
pub(super) fn mismatch(value: VariantRef<'_>, expected: &dyn Expected) -> Error {
    use serde::de::Error as _;
    Error::invalid_type(unexpected(value), expected)
}

/// The error of a key that is no name, in a struct that has to have all fields there are.
#[cold]
pub(super) fn unknown_field(key: VariantRef<'_>) -> Error {
    Error::message(format_args!("unknown field, its key is {}", Named(unexpected(key))))
}

fn unexpected(value: VariantRef<'_>) -> Unexpected<'_> {
    match value.view() {
        View::Nil => Unexpected::Unit,
        View::Bool(is_true) => Unexpected::Bool(is_true),
        View::Int(number) => Unexpected::Signed(number),
        View::Float(number) => Unexpected::Float(number),
        View::String(text) => Unexpected::Str(text),
        _ => Unexpected::Other(value.kind().name()),
    }
}
