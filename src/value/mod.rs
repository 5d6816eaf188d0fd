//! From bytes to views: the kinds of values, the dialects of the engines, the grammar of the wire
//! format, checked views in place, walks over them, and the detection of the dialect.

/// Shows a struct or a variant as a derived `Debug` does. A field is a variable of the same name or,
/// after `=`, an expression. `..` at the end says that there are other fields.
macro_rules! debug_fields {
    ($f:ident, $name:ident { $($field:ident $(= $value:expr)?),* }) => {
        $f.debug_struct(stringify!($name))
            $(.field(stringify!($field), debug_fields!(@ $field $($value)?)))*
            .finish()
    };
    ($f:ident, $name:ident { $($field:ident $(= $value:expr)?,)* .. }) => {
        $f.debug_struct(stringify!($name))
            $(.field(stringify!($field), debug_fields!(@ $field $($value)?)))*
            .finish_non_exhaustive()
    };
    (@ $field:ident) => { $field };
    (@ $field:ident $value:expr) => { &$value };
}

pub mod detect;
pub(crate) mod dialect;
pub(crate) mod error;
pub mod grammar;
pub(crate) mod kind;
mod layout;
pub mod math;
pub(crate) mod number;
pub(crate) mod trusted;
pub mod view;
pub mod walk;
pub(crate) mod wire;

pub use dialect::{Dialect, Engine, MAX_DEPTH, ReadOptions};
pub(crate) use error::{Article, MissingBytes, bytes};
pub use error::{Error, Problem, Reading, Refusal};
pub use kind::Kind;
pub(crate) use kind::{Cell, ValueBody, numeric_kinds};
pub(crate) use layout::{Class, DialectLayout, ELEMENT_TYPES, FLAG_64, FLAG_BY_ID, TOP_BIT};
pub use number::{Component, F32Le, F64Le, I32Le, I64Le, Real};
pub(crate) use view::{
    AccessError, Cells, ElementTypeRef, Escaped, FromVariant, Leaf, NodePathRef, ObjectRef, Storage,
};
pub use view::{VariantRef, View};
pub(crate) use walk::{Container, Event, Slot, WalkStack, events};

use grammar::{located, value, whole};
use nom::{Finish, Needed, Parser};

/// Parses a buffer that contains exactly one value.
///
/// ```
/// use gdwire::{Dialect, parse};
///
/// let packet = [4, 0, 0, 0, 2, 0, 0, 0, b'h', b'i', 0, 0];
/// assert_eq!(parse(Dialect::GODOT_3, &packet)?.as_str(), Some("hi"));
/// # Ok::<(), gdwire::Error>(())
/// ```
///
/// # Errors
///
/// An [`Error`] that names the byte and the problem. It is
/// [`TrailingBytes`](crate::Problem::TrailingBytes) if more bytes follow the value.
#[inline]
pub fn parse(options: impl Into<ReadOptions>, bytes: &[u8]) -> Result<VariantRef<'_>, Error> {
    whole(options.into(), bytes)
}

/// Parses one value at the front of a buffer. Returns the rest of the buffer and the value.
///
/// ```
/// use gdwire::{Dialect, parse_prefix};
///
/// let (rest, value) = parse_prefix(Dialect::GODOT_3, &[2, 0, 0, 0, 42, 0, 0, 0, 7, 7])?;
/// assert_eq!((value.as_i64(), rest), (Some(42), &[7, 7][..]));
/// # Ok::<(), gdwire::Error>(())
/// ```
///
/// # Errors
///
/// An [`Error`] that names the byte and the problem.
#[inline]
pub fn parse_prefix(
    options: impl Into<ReadOptions>,
    bytes: &[u8],
) -> Result<(&[u8], VariantRef<'_>), Error> {
    prefix(options.into(), bytes)
}

#[inline]
fn prefix(options: ReadOptions, bytes: &[u8]) -> Result<(&[u8], VariantRef<'_>), Error> {
    located(bytes, value(options).parse_complete(bytes)).finish()
}

/// The result of [`parse_streaming`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Streamed<'a> {
    /// The value is complete.
    Value {
        /// The value.
        value: VariantRef<'a>,
        /// The bytes after it.
        rest: &'a [u8],
    },
    /// The value is cut off. It needs at least this many more bytes.
    Needed(usize),
}

/// Parses one value at the front of the bytes that have arrived from a stream.
///
/// ```
/// use gdwire::{Dialect, Streamed, parse_streaming};
///
/// let int = [2, 0, 0, 0, 42, 0, 0, 0];
/// assert_eq!(parse_streaming(Dialect::GODOT_3, &int[..5])?, Streamed::Needed(3));
/// let Streamed::Value { value, rest } = parse_streaming(Dialect::GODOT_3, &int)? else {
///     panic!("it is all there");
/// };
/// assert_eq!((value.as_i64(), rest.len()), (Some(42), 0));
/// # Ok::<(), gdwire::Error>(())
/// ```
///
/// Each call starts at the front again. For values that arrive in many pieces, use
/// [`crate::stream`].
///
/// # Errors
///
/// An [`Error`] that names the byte and the problem, if no further bytes can make the value valid.
#[inline]
pub fn parse_streaming(
    options: impl Into<ReadOptions>,
    bytes: &[u8],
) -> Result<Streamed<'_>, Error> {
    streaming(options.into(), bytes)
}

#[inline]
fn streaming(options: ReadOptions, bytes: &[u8]) -> Result<Streamed<'_>, Error> {
    match located(bytes, value(options).parse(bytes)) {
        Ok((rest, value)) => Ok(Streamed::Value { value, rest }),
        Err(nom::Err::Incomplete(needed)) => Ok(Streamed::Needed(match needed {
            Needed::Size(needed) => needed.get(),
            Needed::Unknown => 1,
        })),
        Err(nom::Err::Error(error) | nom::Err::Failure(error)) => Err(error),
    }
}
