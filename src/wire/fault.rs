//! Failures while reading: nom's modes, and errors at their place in the input.

use crate::error::{Error, Problem, Reading, Refusal};
use core::num::NonZeroUsize;
use nom::error::{ErrorKind, FromExternalError, ParseError};
use nom::{Check, Emit, Mode, Needed, OutputM, OutputMode};

/// The mode for a part whose result is always needed, even if the caller only checks the input.
pub(crate) type Emitting<OM> =
    OutputM<Emit, <OM as OutputMode>::Error, <OM as OutputMode>::Incomplete>;

/// The mode in which loops read values. It builds no errors, so that their code stays out of the
/// loops. After a failure, [`failure`](super::filling::failure) reads the value again and builds
/// the error.
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

/// Adds `bytes` to a number of missing bytes.
pub(crate) fn more(needed: Needed, bytes: usize) -> Needed {
    needed.map(|size: NonZeroUsize| size.get().saturating_add(bytes))
}
