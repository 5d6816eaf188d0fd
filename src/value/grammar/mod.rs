//! The wire format as nom combinators, for use in your own grammars.
//!
//! Each combinator has several uses. [`nom::Parser::parse`] reads a stream; `Incomplete` says how
//! many bytes are missing. [`nom::Parser::parse_complete`] reads a whole buffer.
//! `nom::combinator::recognize`, or `nom::Parser::process` with `Check`, only validates and builds
//! no view.
//!
//! This example reads a chat packet of a game: a byte for the type of the packet, then two values.
//! A parser in a grammar only sees the rest of the packet. [`located`] counts the offsets of errors from
//! its start.
//!
//! ```
//! use gdwire::grammar::{located, value};
//! use gdwire::{Dialect, Error, VariantRef};
//! use nom::{Finish, Parser, bytes::tag, sequence::preceded};
//!
//! fn chat(input: &[u8]) -> nom::IResult<&[u8], (VariantRef<'_>, VariantRef<'_>), Error> {
//!     let values = (value(Dialect::GODOT_3), value(Dialect::GODOT_3));
//!     located(input, preceded(tag(&[7][..]), values).parse(input))
//! }
//!
//! let packet = [7, 2, 0, 0, 0, 42, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, b'h', b'i', 0, 0];
//! let (rest, (from, text)) = chat(&packet)?;
//! assert_eq!((from.as_i64(), text.as_str()), (Some(42), Some("hi")));
//! assert!(rest.is_empty());
//!
//! let cut = chat(&packet[..14]).unwrap_err();
//! assert_eq!(cut, nom::Err::Incomplete(nom::Needed::new(3)));
//!
//! let error = chat(&[7, 2, 0, 0, 0, 42, 0, 0, 0, 99, 0, 0, 0]).finish().unwrap_err();
//! assert_eq!(error.to_string(), "byte 9: the header of a value has type 99, which the dialect does not know");
//! # Ok::<(), nom::Err<Error>>(())
//! ```
//!
//! You can choose the error type of the parsers. [`Fault`] has the most details; parts of a grammar
//! that stand in functions of their own return it, and [`located`] makes an [`Error`](crate::Error)
//! of it at the end. `nom::error::Error` and every other type that implements
//! [`nom::error::FromExternalError`] work, too.

mod framed;
mod value;

pub use crate::value::error::Refusal;
pub use crate::value::wire::Fault;
pub use framed::{Framed, framed};
pub(crate) use value::whole;
pub use value::{Value, located, value};
