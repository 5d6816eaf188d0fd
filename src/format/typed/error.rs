//! Errors of reading and writing types.

use crate::value::{Escaped, Kind, VariantRef, View};
use crate::write::encode::EncodeError;
#[cfg(feature = "alloc")]
use alloc::string::String as Buffer;
use core::fmt::{self, Display, Write};
use serde::de::{Expected, Unexpected};
#[cfg(not(feature = "alloc"))]
use short::Buffer;

/// The reason why a type could not be read or written, and the path to the field.
///
/// ```
/// let bytes = gdwire::to_vec(gdwire::Dialect::GODOT_3, &[(1, "one"), (2, "two")])?;
/// let error = gdwire::from_slice::<Vec<(i32, bool)>>(gdwire::Dialect::GODOT_3, &bytes).unwrap_err();
/// assert_eq!(error.to_string(), r#"/0/1: expected a boolean, found String "one", at byte 24"#);
/// assert_eq!((error.path(), error.offset()), ("/0/1", Some(24)));
/// assert_eq!(error.kind(), gdwire::typed::ErrorKind::WrongKind);
/// # Ok::<(), gdwire::typed::Error>(())
/// ```
///
/// Without an allocator, paths and messages of more than 96 bytes are cut and end in "…".
pub struct Error(Inner);

#[cfg(feature = "alloc")]
type Inner = alloc::boxed::Box<TypedDetail>;
#[cfg(not(feature = "alloc"))]
type Inner = TypedDetail;

/// The result of reading or writing a type.
pub type Result<T> = core::result::Result<T, Error>;

struct TypedDetail {
    cause: TypedCause,
    /// The value that was found instead of the expected one, if the message does not name it.
    found: Option<FoundInstead>,
    offset: Option<usize>,
    path: ErrorText,
}

enum TypedCause {
    Wire(crate::Error),
    Encode(EncodeError),
    Message(ErrorKind, ErrorText),
    #[cfg(feature = "std")]
    Io(std::io::Error),
}

/// The category of an [`Error`], which [`Error::kind`] returns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes are not a value of the dialect: see [`Error::as_wire`].
    Wire,
    /// The dialect cannot express the value: see [`Error::as_encode`].
    Encode,
    /// The stream failed.
    Io,
    /// A value has another kind than the type expects.
    WrongKind,
    /// A number does not fit in the type.
    OutOfRange,
    /// An array, or the arguments of a call, have another number of elements than the type.
    WrongLength,
    /// A field of a struct is missing.
    MissingField,
    /// A key is not a field of the struct, which denies unknown fields.
    UnknownField,
    /// A key of a struct occurs twice.
    DuplicateField,
    /// An enum has no variant with this name.
    UnknownVariant,
    /// Another problem, which only the text describes. Types report it with `Error::custom`.
    Other,
}

/// A value for which serde has only a general word.
enum FoundInstead {
    Sequence,
    Map,
    Kind(Kind),
}

impl Error {
    #[cold]
    fn of(cause: TypedCause, found: Option<FoundInstead>, offset: Option<usize>) -> Error {
        let detail = TypedDetail { cause, found, offset, path: ErrorText::default() };
        #[cfg(feature = "alloc")]
        let detail = alloc::boxed::Box::new(detail);
        Error(detail)
    }

    #[cold]
    pub(crate) fn message(text: impl Display) -> Error {
        Error::of_kind(ErrorKind::Other, text)
    }

    #[cold]
    fn of_kind(kind: ErrorKind, text: impl Display) -> Error {
        Error::of(TypedCause::Message(kind, ErrorText::of(text)), None, None)
    }

    #[cold]
    pub(super) fn out_of_range(text: impl Display) -> Error {
        Error::of_kind(ErrorKind::OutOfRange, text)
    }

    #[cold]
    pub(crate) fn wrong_length(text: impl Display) -> Error {
        Error::of_kind(ErrorKind::WrongLength, text)
    }

    #[cold]
    pub(super) fn wire(error: crate::Error) -> Error {
        Error::of(TypedCause::Wire(error), None, Some(error.offset))
    }

    /// The category of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match &self.0.cause {
            TypedCause::Wire(_) => ErrorKind::Wire,
            TypedCause::Encode(_) => ErrorKind::Encode,
            TypedCause::Message(kind, _) => *kind,
            #[cfg(feature = "std")]
            TypedCause::Io(_) => ErrorKind::Io,
        }
    }

    /// The path to the wrong value, such as `/players/3/position`, as [`VariantRef::at`] takes it. It is
    /// empty for the whole value. Names of more than 64 bytes are cut.
    ///
    /// The path ends at a field that is skipped, and at one of the type [`VariantRef`] or `Variant`.
    #[must_use]
    pub fn path(&self) -> &str {
        self.0.path.as_str()
    }

    /// The offset of the wrong value or bytes from the start of the input. Errors of writing, of
    /// owned values and of arguments have none.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// The error of the bytes, if they are not a value of the dialect.
    #[must_use]
    pub fn as_wire(&self) -> Option<&crate::Error> {
        match &self.0.cause {
            TypedCause::Wire(error) => Some(error),
            _ => None,
        }
    }

    /// The reason why the dialect cannot express the value. It is known for Rust's own types, types
    /// of [`crate::math`] and packed arrays of numbers. For other values, only the text gives it.
    #[must_use]
    pub fn as_encode(&self) -> Option<&EncodeError> {
        match &self.0.cause {
            TypedCause::Encode(error) => Some(error),
            _ => None,
        }
    }

    /// Adds the place and the kind of the value, if the error has no place yet.
    #[cold]
    pub(super) fn at(mut self, offset: usize, kind: Option<Kind>) -> Error {
        if self.0.offset.is_none() {
            self.0.offset = Some(offset);
            // The error may be about a value inside this one that serde buffered.
            let is_it = |kind: Kind| match self.0.found {
                Some(FoundInstead::Sequence) => !matches!(kind, Kind::Dictionary | Kind::Object),
                Some(FoundInstead::Map) => matches!(kind, Kind::Dictionary | Kind::Object),
                _ => false,
            };
            if let Some(kind) = kind.filter(|kind| is_it(*kind)) {
                self.0.found = Some(FoundInstead::Kind(kind));
            }
        }
        self
    }

    /// Removes the offset, for callers that do not know the input.
    #[cold]
    pub(crate) fn without_offset(mut self) -> Error {
        self.0.offset = None;
        self
    }

    /// Moves the offset by the number of bytes before the value.
    #[cfg(feature = "codec")]
    #[cold]
    pub(crate) fn shifted(mut self, by: usize) -> Error {
        self.0.offset = self.0.offset.map(|offset| offset.saturating_add(by));
        if let TypedCause::Wire(error) = self.0.cause {
            self.0.cause = TypedCause::Wire(error.shifted(by));
        }
        self
    }

    /// Adds a step to the front of the path.
    fn inside(mut self, step: impl Display) -> Error {
        self.0.path = ErrorText::of(format_args!("/{step}{}", self.0.path));
        self
    }

    /// Adds the index of an element to the path.
    #[cold]
    pub(crate) fn in_element(self, index: usize) -> Error {
        self.inside(index)
    }

    /// Adds the name of a field to the path.
    #[cold]
    pub(super) fn in_field(self, name: &str) -> Error {
        let (name, more) = cut(name, 64);
        let more = if more.is_empty() { "" } else { "…" };
        self.inside(format_args!("{}{more}", Escaped(name)))
    }

    /// Adds a key to the path.
    #[cold]
    pub(super) fn in_key(self, key: Option<VariantRef<'_>>) -> Error {
        match key {
            Some(key) => match key.as_str() {
                Some(name) => self.in_field(name),
                None => self.inside(Escaped(key)),
            },
            None => self,
        }
    }
}

impl From<EncodeError> for Error {
    #[cold]
    fn from(error: EncodeError) -> Error {
        let path = ErrorText::of(error.path());
        let mut error = Error::of(TypedCause::Encode(error), None, None);
        error.0.path = path;
        error
    }
}

#[cfg(feature = "std")]
impl From<std::io::Error> for Error {
    #[cold]
    fn from(error: std::io::Error) -> Error {
        Error::of(TypedCause::Io(error), None, None)
    }
}

/// Returns the error of the stream, or wraps any other error with the kind `InvalidData`.
#[cfg(feature = "std")]
impl From<Error> for std::io::Error {
    fn from(error: Error) -> std::io::Error {
        match *error.0 {
            TypedDetail { cause: TypedCause::Io(error), .. } => error,
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
            for character in detail.path.as_str().chars() {
                if character.is_control() {
                    write!(f, "{}", character.escape_debug())?;
                } else {
                    f.write_char(character)?;
                }
            }
            write!(f, "{}: ", detail.path.end())?;
        }
        match &detail.cause {
            // The text of this error begins with the offset.
            TypedCause::Wire(error) => return error.fmt(f),
            TypedCause::Encode(error) => error.problem().fmt(f)?,
            TypedCause::Message(_, message) => message.fmt(f)?,
            #[cfg(feature = "std")]
            TypedCause::Io(error) => error.fmt(f)?,
        }
        match detail.found {
            Some(FoundInstead::Sequence) => f.write_str("a sequence")?,
            Some(FoundInstead::Map) => f.write_str("a map")?,
            Some(FoundInstead::Kind(kind)) => kind.fmt(f)?,
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
            TypedCause::Wire(error) => Some(error),
            TypedCause::Encode(error) => Some(error),
            TypedCause::Message(..) => None,
            #[cfg(feature = "std")]
            TypedCause::Io(error) => Some(error),
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
            Unexpected::Seq => Some(FoundInstead::Sequence),
            Unexpected::Map => Some(FoundInstead::Map),
            _ => None,
        };
        let text = ErrorText::of(format_args!("expected {expected}, found {}", Named(unexpected)));
        Error::of(TypedCause::Message(ErrorKind::WrongKind, text), found, None)
    }

    #[cold]
    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Error {
        let mut error = <Error as serde::de::Error>::invalid_type(unexpected, expected);
        let is_number = matches!(
            unexpected,
            Unexpected::Signed(_) | Unexpected::Unsigned(_) | Unexpected::Float(_)
        );
        if let TypedCause::Message(kind, _) = &mut error.0.cause
            && is_number
        {
            *kind = ErrorKind::OutOfRange;
        }
        error
    }

    #[cold]
    fn invalid_length(len: usize, expected: &dyn Expected) -> Error {
        Error::wrong_length(format_args!("invalid length {len}, expected {expected}"))
    }

    #[cold]
    fn missing_field(field: &'static str) -> Error {
        Error::of_kind(ErrorKind::MissingField, format_args!("missing field `{field}`"))
    }

    #[cold]
    fn duplicate_field(field: &'static str) -> Error {
        Error::of_kind(ErrorKind::DuplicateField, format_args!("duplicate field `{field}`"))
    }

    #[cold]
    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Error {
        let expected = OneOf(expected, "fields");
        Error::of_kind(ErrorKind::UnknownField, format_args!("unknown field `{field}`, {expected}"))
    }

    #[cold]
    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Error {
        let expected = OneOf(expected, "variants");
        let text = format_args!("unknown variant `{variant}`, {expected}");
        Error::of_kind(ErrorKind::UnknownVariant, text)
    }
}

/// Lists the names that a type has: "expected one of `a`, `b`".
struct OneOf(&'static [&'static str], &'static str);

impl Display for OneOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OneOf(names, what) = self;
        match names {
            [] => write!(f, "there are no {what}"),
            [name] => write!(f, "expected `{name}`"),
            [one, other] => write!(f, "expected `{one}` or `{other}`"),
            [first, others @ ..] => {
                write!(f, "expected one of `{first}`")?;
                others.iter().try_for_each(|name| write!(f, ", `{name}`"))
            }
        }
    }
}

/// Names the value that was found, in the engine's terms.
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
            // `Error::at` names the kind.
            Unexpected::Seq | Unexpected::Map => Ok(()),
            other => other.fmt(f),
        }
    }
}

/// A value has another kind than the expected one.
#[cold]
pub(super) fn mismatch(value: VariantRef<'_>, expected: &dyn Expected) -> Error {
    use serde::de::Error as _;
    Error::invalid_type(unexpected(value), expected)
}

/// A key is not text, in a struct that does not allow unknown fields.
#[cold]
pub(super) fn unknown_field(key: VariantRef<'_>) -> Error {
    let key = Named(unexpected(key));
    let text = format_args!("unknown field: its key is {key}, which is not text");
    Error::of_kind(ErrorKind::UnknownField, text)
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

/// The text of an error. Without an allocator, text that does not fit is cut.
#[derive(Clone, Debug, Default)]
struct ErrorText(Buffer);

impl ErrorText {
    fn of(text: impl Display) -> ErrorText {
        let mut message = ErrorText::default();
        // If the `Display` fails, the text ends there.
        let _ = write!(message.0, "{text}");
        message
    }

    fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// An ellipsis if the text is cut; otherwise, an empty text.
    fn end(&self) -> &str {
        #[cfg(not(feature = "alloc"))]
        if self.0.is_cut() {
            return "…";
        }
        ""
    }
}

impl Display for ErrorText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Splits a text after at most `len` bytes, between two characters.
fn cut(text: &str, len: usize) -> (&str, &str) {
    let ends = (0..=len.min(text.len())).rev();
    ends.filter_map(|end| text.split_at_checked(end)).next().unwrap_or((text, ""))
}

/// Texts without an allocator.
#[cfg(not(feature = "alloc"))]
mod short {
    use super::cut;
    use core::fmt::{self, Display, Write};

    /// How many bytes of a text are kept.
    const KEPT: usize = 96;

    /// The first bytes of a text.
    #[derive(Clone, Debug)]
    pub(super) struct Buffer {
        bytes: [u8; KEPT],
        len: usize,
        is_cut: bool,
    }

    impl Buffer {
        pub(super) fn as_str(&self) -> &str {
            let bytes = self.bytes.get(..self.len).unwrap_or(&[]);
            core::str::from_utf8(bytes).unwrap_or_default()
        }
    }

    impl Buffer {
        pub(super) fn is_cut(&self) -> bool {
            self.is_cut
        }
    }

    impl Default for Buffer {
        fn default() -> Buffer {
            Buffer { bytes: [0; KEPT], len: 0, is_cut: false }
        }
    }

    impl Write for Buffer {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let room = self.bytes.get_mut(self.len..).unwrap_or(&mut []);
            if self.is_cut {
                return Ok(());
            }
            let (text, more) = cut(text, room.len());
            for (to, from) in room.iter_mut().zip(text.bytes()) {
                *to = from;
            }
            self.len += text.len();
            self.is_cut = !more.is_empty();
            Ok(())
        }
    }

    impl Display for Buffer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.as_str())?;
            if self.is_cut { f.write_char('…') } else { Ok(()) }
        }
    }
}
