//! The parser of one value.

#![expect(unsafe_code, reason = "it makes views of what it has checked")]

use crate::value::dialect::ReadOptions;
use crate::value::error::{Error, Problem, Reading};
use crate::value::view::VariantRef;
use crate::value::wire::{Emitting, Extent, Failure, Fault};
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
        let mut extent = Extent::<true> { layout, max_depth: self.options.depth_limit() };
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
/// That of the grammar.
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
pub(super) fn external<'a, OM: OutputMode, E>(
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
