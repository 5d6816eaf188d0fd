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

pub(crate) mod common;
pub(crate) mod content;
pub(crate) mod nesting;
#[cfg(feature = "serde")]
pub(crate) mod quick;
pub(crate) mod step;
#[cfg(test)]
mod tests;
mod value;

pub(crate) use content::Text;
pub(crate) use value::after_value;
pub use value::{Framed, Value, framed, value};

use crate::dialect::Layout;
use crate::error::{Error, Problem, Reading};
use content::Filling;
use core::fmt;
use core::num::NonZeroUsize;
use nom::error::{ErrorKind, FromExternalError, ParseError};
use nom::{Check, Emit, IsStreaming, Mode, Needed, OutputM, OutputMode, PResult, Parser};

/// The nom parser of your own grammar that refused the input, in [`Problem::Grammar`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Refusal(ErrorKind);

impl Refusal {
    /// nom's name for the parser.
    #[must_use]
    pub const fn kind(self) -> ErrorKind {
        self.0
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.description())
    }
}

/// The mode for a part whose result is always needed, even if the caller only checks the input.
pub(crate) type Emitting<OM> =
    OutputM<Emit, <OM as OutputMode>::Error, <OM as OutputMode>::Incomplete>;

/// The mode in which loops read values. It builds no errors, so that their code stays out of the
/// loops. After a failure, [`failure`] reads the value again and builds the error.
pub(crate) type Quiet<OM> = OutputM<Emit, Check, <OM as OutputMode>::Incomplete>;

/// An error at its place in the input. Its offset can be computed once the start of the input is
/// known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Fault<'a> {
    pub(crate) at: &'a [u8],
    pub(crate) reading: Reading,
    pub(crate) problem: Problem,
}

impl<'a> Fault<'a> {
    pub(crate) fn in_input(self, input: &[u8]) -> Error {
        let offset = input.len().saturating_sub(self.at.len());
        Error::new(offset, self.reading, self.problem)
    }
}

impl<'a> ParseError<&'a [u8]> for Fault<'a> {
    fn from_error_kind(at: &'a [u8], kind: ErrorKind) -> Fault<'a> {
        Fault { at, reading: Reading::Other, problem: Problem::Grammar(Refusal(kind)) }
    }

    fn append(_: &'a [u8], _: ErrorKind, first: Fault<'a>) -> Fault<'a> {
        first
    }
}

/// An error of another parser does not come with its offset, so the offset is 0.
impl<'a> ParseError<&'a [u8]> for Error {
    fn from_error_kind(_: &'a [u8], kind: ErrorKind) -> Error {
        Error::new(0, Reading::Other, Problem::Grammar(Refusal(kind)))
    }

    fn append(_: &'a [u8], _: ErrorKind, first: Error) -> Error {
        first
    }
}

impl<'a> FromExternalError<&'a [u8], Error> for Error {
    fn from_external_error(_: &'a [u8], _: ErrorKind, error: Error) -> Error {
        error
    }
}

/// The failure of a part of the grammar, in nom's form.
pub(crate) type Failure<'a, OM> =
    nom::Err<Fault<'a>, <<OM as OutputMode>::Error as Mode>::Output<Fault<'a>>>;

/// Creates the failure of a part of the grammar.
#[inline(always)]
pub(crate) fn fail<'a, OM: OutputMode>(
    at: &'a [u8],
    reading: Reading,
    problem: Problem,
) -> Failure<'a, OM> {
    nom::Err::Error(OM::Error::bind(|| Fault { at, reading, problem }))
}

/// Reads a value that failed in the mode [`Quiet`] again, and returns its error.
///
/// It does not return a whole result: then the address of every result would be passed to this
/// function, and the compiler could keep none in registers.
#[cold]
#[inline(never)]
pub(crate) fn failure<'a, const VALIDATE: bool, OM: OutputMode>(
    layout: &'static Layout,
    input: &'a [u8],
) -> Failure<'a, OM> {
    match step::value::<Filling<VALIDATE>, OM>(layout, input) {
        Err(failure) => failure,
        Ok(_) => fail::<OM>(input, Reading::Other, Problem::Grammar(Refusal(ErrorKind::Fail))),
    }
}

/// Splits `count` bytes off the front of an input. A failure names what was being read.
#[derive(Clone, Copy)]
pub(crate) struct Take {
    pub(crate) count: usize,
    pub(crate) reading: Reading,
}

impl<'a> Parser<&'a [u8]> for Take {
    type Output = &'a [u8];
    type Error = Fault<'a>;

    #[inline(always)]
    fn process<OM: OutputMode>(
        &mut self,
        input: &'a [u8],
    ) -> PResult<OM, &'a [u8], &'a [u8], Fault<'a>> {
        match input.split_at_checked(self.count) {
            Some((taken, rest)) => Ok((rest, OM::Output::bind(|| taken))),
            None => Err(self.short::<OM>(input)),
        }
    }
}

impl Take {
    #[inline(always)]
    pub(crate) fn short<'a, OM: OutputMode>(self, input: &'a [u8]) -> Failure<'a, OM> {
        if OM::Incomplete::is_streaming() {
            let missing = self.count.saturating_sub(input.len());
            return nom::Err::Incomplete(Needed::new(missing));
        }
        let problem = Problem::UnexpectedEnd { needed: self.count, available: input.len() };
        fail::<OM>(input, self.reading, problem)
    }
}

/// A little-endian `u32`.
#[derive(Clone, Copy)]
pub(crate) struct U32(pub(crate) Reading);

impl<'a> Parser<&'a [u8]> for U32 {
    type Output = u32;
    type Error = Fault<'a>;

    #[inline(always)]
    fn process<OM: OutputMode>(
        &mut self,
        input: &'a [u8],
    ) -> PResult<OM, &'a [u8], u32, Fault<'a>> {
        match input.split_first_chunk() {
            Some((bytes, rest)) => Ok((rest, OM::Output::bind(|| u32::from_le_bytes(*bytes)))),
            None => Err(Take { count: 4, reading: self.0 }.short::<OM>(input)),
        }
    }
}

/// Adds `bytes` to a number of missing bytes.
pub(crate) fn more(needed: Needed, bytes: usize) -> Needed {
    needed.map(|size: NonZeroUsize| size.get().saturating_add(bytes))
}
