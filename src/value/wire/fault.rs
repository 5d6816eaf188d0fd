//! Failures while reading: nom's modes, errors at their place in the input, and the smallest parts of
//! the grammar, at which bytes can be missing.

use crate::value::{Error, Problem, Reading, Refusal};
use core::fmt;
use core::num::NonZeroUsize;
use nom::error::{ErrorKind, FromExternalError, ParseError};
use nom::{Check, Emit, IsStreaming, Mode, Needed, OutputM, OutputMode, PResult, Parser};

/// The mode for a part whose result is always needed, even if the caller only checks the input.
pub(crate) type Emitting<OM> =
    OutputM<Emit, <OM as OutputMode>::Error, <OM as OutputMode>::Incomplete>;

/// The mode in which loops read values. It builds no errors, so that their code stays out of the
/// loops. After a failure, [`failure`](super::content::failure) reads the value again and builds
/// the error.
pub(crate) type Quiet<OM> = OutputM<Emit, Check, <OM as OutputMode>::Incomplete>;

/// The error of a combinator: the problem, and the rest of the input from there on.
///
/// A combinator in a larger grammar gets only the rest of the input, so it cannot tell the offset of
/// an error. [`Fault::in_input`] and [`located`](crate::grammar::located) count it from the start of the whole
/// input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fault<'a> {
    pub(crate) at: &'a [u8],
    reading: Reading,
    problem: Problem,
}

impl<'a> Fault<'a> {
    /// The same as an [`Error`]. `input` is the whole input, as it was passed to the outermost parser.
    #[must_use]
    pub fn in_input(self, input: &[u8]) -> Error {
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

impl<'a> FromExternalError<&'a [u8], Error> for Fault<'a> {
    fn from_external_error(at: &'a [u8], _: ErrorKind, error: Error) -> Fault<'a> {
        Fault { at, reading: error.reading, problem: error.problem }
    }
}

/// Shows how many bytes are left instead of the bytes.
impl fmt::Debug for Fault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { at, reading, problem } = self;
        let mut shown = f.debug_struct("Fault");
        shown.field("left", &at.len()).field("reading", reading).field("problem", problem).finish()
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
