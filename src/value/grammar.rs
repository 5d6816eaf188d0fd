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

#![expect(unsafe_code, reason = "it makes views of what it has checked")]

pub use super::Refusal;
pub use super::wire::Fault;

use super::wire::{Emitting, Failure, Take, U32, WholeValue, fail};
use super::{Error, Problem, ReadOptions, Reading, VariantRef};
use core::marker::PhantomData;
use nom::error::{ErrorKind, FromExternalError, ParseError};
use nom::{Finish, Mode, OutputMode, PResult, Parser};

/// A combinator that reads one value: see [`value`].
pub struct Value<E> {
    options: ReadOptions,
    error: PhantomData<fn() -> E>,
}

/// Reads one value, with a dialect or with [`ReadOptions`].
///
/// # Errors
///
/// Anything wrong with the bytes is an external error of kind `Verify`, made from an [`Error`]. On
/// a stream, a value that is cut is `Incomplete`, with the minimum number of missing bytes. The
/// number is exact where the bytes so far determine it.
#[must_use]
#[inline]
pub fn value<E>(options: impl Into<ReadOptions>) -> Value<E> {
    Value { options: options.into(), error: PhantomData }
}

impl<'a, E> Parser<&'a [u8]> for Value<E>
where
    E: ParseError<&'a [u8]> + FromExternalError<&'a [u8], Error>,
{
    type Output = VariantRef<'a>;
    type Error = E;

    #[inline]
    fn process<OM: OutputMode>(
        &mut self,
        input: &'a [u8],
    ) -> PResult<OM, &'a [u8], VariantRef<'a>, E> {
        let layout = self.options.dialect().layout();
        let mut extent = WholeValue::<true> { layout, max_depth: self.options.depth_limit() };
        match extent.process::<Emitting<OM>>(input) {
            Ok((rest, text)) => {
                let view = || {
                    let length = input.len().saturating_sub(rest.len());
                    let bytes = input.get(..length).unwrap_or(input);
                    // SAFETY: `Extent` has read these bytes with `VALIDATE`, and found `text`.
                    unsafe { VariantRef::validated(layout, text, bytes) }
                };
                Ok((rest, OM::Output::bind(view)))
            }
            Err(failure) => Err(external::<OM, E>(failure, input)),
        }
    }
}

/// Turns the [`Fault`] of a grammar into an [`Error`], whose offset counts from the start of `input`:
/// the input that was passed to the outermost parser.
///
/// # Errors
///
/// The error of the grammar.
pub fn located<T>(
    input: &[u8],
    read: Result<T, nom::Err<Fault<'_>>>,
) -> Result<T, nom::Err<Error>> {
    read.map_err(|failure| failure.map(|fault| fault.in_input(input)))
}

/// Reads one value that takes the whole input.
#[inline]
pub(crate) fn whole(options: ReadOptions, bytes: &[u8]) -> Result<VariantRef<'_>, Error> {
    let (rest, view) = located(bytes, value(options).parse_complete(bytes)).finish()?;
    if rest.is_empty() {
        return Ok(view);
    }
    let problem = Problem::TrailingBytes { count: rest.len() };
    Err(Error::new(view.as_bytes().len(), Reading::End, problem))
}

/// Converts a failure to the caller's type of error. The offset counts from the start of `input`.
#[cold]
fn external<'a, OM: OutputMode, E>(
    failure: Failure<'a, OM>,
    input: &'a [u8],
) -> nom::Err<E, <OM::Error as Mode>::Output<E>>
where
    E: FromExternalError<&'a [u8], Error>,
{
    let convert = |fault: Fault<'a>| {
        E::from_external_error(fault.at, ErrorKind::Verify, fault.in_input(input))
    };
    match failure {
        nom::Err::Incomplete(needed) => nom::Err::Incomplete(needed),
        nom::Err::Error(fault) => nom::Err::Error(OM::Error::map(fault, convert)),
        nom::Err::Failure(fault) => nom::Err::Failure(convert(fault)),
    }
}

impl<E> Clone for Value<E> {
    fn clone(&self) -> Value<E> {
        *self
    }
}

impl<E> Copy for Value<E> {}

impl<E> core::fmt::Debug for Value<E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Value").field(&self.options).finish()
    }
}

/// A combinator that reads one length-prefixed value: see [`framed`].
pub struct Framed<E> {
    options: ReadOptions,
    limit: u32,
    error: PhantomData<fn() -> E>,
}

/// Reads one value after its length in bytes, a `u32`. `store_var` writes this form to files, and
/// `PacketPeerStream` to TCP. A frame longer than `limit` is an error before its bytes arrive.
///
/// # Errors
///
/// Those of [`value()`]. A frame that is longer than `limit`, or longer than its
/// value, is an error, too.
#[must_use]
#[inline]
pub fn framed<E>(options: impl Into<ReadOptions>, limit: u32) -> Framed<E> {
    Framed { options: options.into(), limit, error: PhantomData }
}

impl<'a, E> Parser<&'a [u8]> for Framed<E>
where
    E: ParseError<&'a [u8]> + FromExternalError<&'a [u8], Error>,
{
    type Output = VariantRef<'a>;
    type Error = E;

    fn process<OM: OutputMode>(
        &mut self,
        input: &'a [u8],
    ) -> PResult<OM, &'a [u8], VariantRef<'a>, E> {
        match frame::<OM>(input, self.limit) {
            Ok((rest, frame)) => match whole(self.options, frame) {
                Ok(value) => Ok((rest, OM::Output::bind(|| value))),
                Err(error) => {
                    let error = error.shifted(4);
                    let at = input.get(error.offset..).unwrap_or(&[]);
                    Err(nom::Err::Error(OM::Error::bind(|| {
                        E::from_external_error(at, ErrorKind::Verify, error)
                    })))
                }
            },
            Err(failure) => Err(external::<OM, E>(failure, input)),
        }
    }
}

/// Reads the content of a frame.
fn frame<'a, OM: OutputMode>(
    input: &'a [u8],
    limit: u32,
) -> PResult<Emitting<OM>, &'a [u8], &'a [u8], Fault<'a>> {
    let (rest, length) = U32(Reading::FrameLength).process::<Emitting<OM>>(input)?;
    if length > limit {
        let problem = Problem::FrameTooLong { len: length, limit };
        return Err(fail::<OM>(input, Reading::FrameLength, problem));
    }
    let mut content = Take { count: length as usize, reading: Reading::Frame };
    content.process::<Emitting<OM>>(rest)
}

impl<E> Clone for Framed<E> {
    fn clone(&self) -> Framed<E> {
        *self
    }
}

impl<E> Copy for Framed<E> {}

impl<E> core::fmt::Debug for Framed<E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Framed").field(&self.options).field(&self.limit).finish()
    }
}
