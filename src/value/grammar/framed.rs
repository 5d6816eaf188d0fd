//! The parser of a value with its length before it.

use super::value::{external, whole};
use crate::value::dialect::ReadOptions;
use crate::value::error::{Error, Problem, Reading};
use crate::value::view::VariantRef;
use crate::value::wire::{Emitting, Fault, Take, U32, fail};
use core::marker::PhantomData;
use nom::error::{ErrorKind, FromExternalError, ParseError};
use nom::{Mode, OutputMode, PResult, Parser};

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
/// Those of [`value`](super::value()). A frame that is longer than `limit`, or longer than its
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
