//! The smallest parts of the grammar: bytes and words.

use super::fault::{Failure, Fault, fail};
use crate::value::error::{Problem, Reading};
use nom::{IsStreaming, Mode, Needed, OutputMode, PResult, Parser};

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
