//! The parts that all packets consist of: numbers and texts. Also the errors of parsers, with their
//! place.

use super::error::{Error, Problem, Reading};
use core::ffi::CStr;
use nom::combinator::map;
use nom::error::{ErrorKind, ParseError};
use nom::{IResult, Parser};

/// The top bit of a call's target and of a synchronizer's id.
pub(super) const TOP_BIT: u32 = 1 << 31;

/// An error of a parser, with the input at which it occurred.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Fault<'a> {
    pub(super) at: &'a [u8],
    /// The offset of the error from the start of `at`, in bytes.
    pub(super) offset: usize,
    pub(super) reading: Reading,
    pub(super) problem: Problem,
}

impl Fault<'_> {
    /// The error in the packet that the fault is in.
    pub(super) fn in_packet(self, packet: &[u8]) -> Error {
        // The input of a parser may end before the packet does, so the rest's length does not give
        // the place.
        let offset = self.at.as_ptr().addr().saturating_sub(packet.as_ptr().addr());
        let offset = offset.saturating_add(self.offset).min(packet.len());
        Error { offset, reading: self.reading, problem: self.problem }
    }
}

impl<'a> ParseError<&'a [u8]> for Fault<'a> {
    fn from_error_kind(at: &'a [u8], _: ErrorKind) -> Fault<'a> {
        let problem = Problem::TrailingBytes { count: at.len() };
        Fault { at, offset: 0, reading: Reading::Command, problem }
    }

    fn append(_: &'a [u8], _: ErrorKind, first: Fault<'a>) -> Fault<'a> {
        first
    }
}

pub(super) type Parsed<'a, T> = IResult<&'a [u8], T, Fault<'a>>;

pub(super) fn fail<'a, T>(at: &'a [u8], reading: Reading, problem: Problem) -> Parsed<'a, T> {
    Err(nom::Err::Error(Fault { at, offset: 0, reading, problem }))
}

/// A number of bytes.
pub(super) fn take<'a>(
    count: usize,
    reading: Reading,
) -> impl Parser<&'a [u8], Output = &'a [u8], Error = Fault<'a>> {
    move |input: &'a [u8]| match input.split_at_checked(count) {
        Some((taken, rest)) => Ok((rest, taken)),
        None => {
            let problem = Problem::UnexpectedEnd { needed: count, available: input.len() };
            fail(input, reading, problem)
        }
    }
}

/// A number of bytes, as an array.
pub(super) fn bytes<'a, const COUNT: usize>(
    reading: Reading,
) -> impl Parser<&'a [u8], Output = [u8; COUNT], Error = Fault<'a>> {
    map(take(COUNT, reading), |taken: &[u8]| taken.first_chunk().copied().unwrap_or([0; COUNT]))
}

pub(super) fn byte<'a>(reading: Reading) -> impl Parser<&'a [u8], Output = u8, Error = Fault<'a>> {
    map(bytes(reading), |[byte]| byte)
}

pub(super) fn le_u16<'a>(
    reading: Reading,
) -> impl Parser<&'a [u8], Output = u16, Error = Fault<'a>> {
    map(bytes(reading), u16::from_le_bytes)
}

pub(super) fn le_u32<'a>(
    reading: Reading,
) -> impl Parser<&'a [u8], Output = u32, Error = Fault<'a>> {
    map(bytes(reading), u32::from_le_bytes)
}

/// A text and the NUL that ends it.
pub(super) fn text<'a>(
    reading: Reading,
) -> impl Parser<&'a [u8], Output = &'a str, Error = Fault<'a>> {
    move |input: &'a [u8]| {
        let Ok(text) = CStr::from_bytes_until_nul(input) else {
            return fail(input, reading, Problem::Unterminated);
        };
        match text.to_str() {
            Ok(text) => Ok((input.get(text.len().saturating_add(1)..).unwrap_or(&[]), text)),
            Err(error) => {
                let at = input.get(error.valid_up_to()..).unwrap_or(input);
                fail(at, reading, Problem::InvalidUtf8)
            }
        }
    }
}

/// The end of the input.
pub(super) fn end(input: &[u8], reading: Reading) -> Parsed<'_, ()> {
    match input.len() {
        0 => Ok((input, ())),
        count => fail(input, reading, Problem::TrailingBytes { count }),
    }
}

/// A text that fills the rest of the input.
pub(super) fn last_text(input: &[u8], reading: Reading) -> Parsed<'_, &str> {
    let (rest, text) = text(reading).parse(input)?;
    end(rest, reading)?;
    Ok((rest, text))
}
