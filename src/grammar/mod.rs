//! The wire format as nom combinators, for use in your own grammars.
//!
//! Each combinator has several uses. [`nom::Parser::parse`] reads a stream; `Incomplete` says how
//! many bytes are missing. [`nom::Parser::parse_complete`] reads a whole buffer.
//! `nom::combinator::recognize`, or `nom::Parser::process` with `Check`, only validates and builds
//! no view.
//!
//! This example reads a chat packet of a game: a byte for the type of the packet, then two values.
//!
//! ```
//! use gdwire::{Dialect, Error, VariantRef, grammar::value};
//! use nom::{Parser, bytes::tag, sequence::preceded};
//!
//! fn chat(input: &[u8]) -> nom::IResult<&[u8], (VariantRef<'_>, VariantRef<'_>), Error> {
//!     preceded(tag(&[7][..]), (value(Dialect::GODOT_3), value(Dialect::GODOT_3))).parse(input)
//! }
//!
//! let packet = [7, 2, 0, 0, 0, 42, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, b'h', b'i', 0, 0];
//! let (rest, (from, text)) = chat(&packet)?;
//! assert_eq!((from.as_i64(), text.as_str()), (Some(42), Some("hi")));
//! assert!(rest.is_empty());
//!
//! let cut = chat(&packet[..14]).unwrap_err();
//! assert_eq!(cut, nom::Err::Incomplete(nom::Needed::new(3)));
//! # Ok::<(), nom::Err<Error>>(())
//! ```
//!
//! You can choose the error type. [`crate::Error`] has the most details. `nom::error::Error` and
//! every other type that implements [`nom::error::FromExternalError`] work, too.

mod framed;
mod value;

pub use crate::error::Refusal;
pub use framed::{Framed, framed};
pub(crate) use value::whole;
pub use value::{Value, value};
