//! Reads an item together with its content.

use super::content::{Content, Text, check_text, is_plain, padded, until_nul};
use super::fault::{Failure, fail, more};
use super::nesting::Level;
use super::step::{self, Outcome, Step, Then};
use super::take::Take;
use crate::value::dialect::Layout;
use crate::value::error::{Problem, Reading, Refusal};
use crate::value::kind::Body;
use nom::error::ErrorKind;
use nom::{IsStreaming, OutputMode};

/// Reads an item with its content, and checks its text if `VALIDATE`.
#[derive(Clone, Copy)]
pub(crate) struct Filling<const VALIDATE: bool>(Step);

/// A whole item: its head and its content.
#[derive(Clone, Copy)]
pub(crate) struct Filled<'a> {
    /// The bytes of the item, from its header or length to the end of its padding.
    pub(crate) bytes: &'a [u8],
    /// Whether its text needs to be cut when it is read.
    pub(crate) text: Text,
    /// The level of items that opens after it.
    pub(crate) inner: Level,
}

impl<const VALIDATE: bool> Filling<VALIDATE> {
    /// The part of the format that an error about this item names.
    fn reading(self) -> Reading {
        let kind = self.0.inner.kind();
        match (self.0.content, kind.body()) {
            (Content::Text(_), _) => Reading::Text(kind),
            (_, Body::Packed(..)) => Reading::Elements(kind),
            _ => Reading::Body(kind),
        }
    }

    /// The failure if the input ends before the content does. If the beginning of a text is already
    /// ill-formed, the failure is that.
    #[inline(always)]
    fn short<'a, OM: OutputMode>(self, input: &'a [u8], length: usize) -> Failure<'a, OM> {
        let count = length.saturating_sub(self.0.head);
        let input = input.get(self.0.head..).unwrap_or(&[]);
        if let Content::Text(length) = self.0.content {
            let text = until_nul(input.get(..length).unwrap_or(input));
            if let Err(error) = core::str::from_utf8(text)
                && (error.error_len().is_some()
                    || text.len() < input.len()
                    || input.len() >= length)
            {
                let at = input.get(error.valid_up_to()..).unwrap_or(input);
                return fail::<OM>(at, self.reading(), Problem::InvalidUtf8);
            }
        }
        match (Take { count, reading: self.reading() }).short::<OM>(input) {
            nom::Err::Incomplete(needed) => {
                nom::Err::Incomplete(more(needed, self.0.inner.least()))
            }
            failure => failure,
        }
    }

    /// The failure for a text of `length` bytes that is not UTF-8.
    #[inline(always)]
    fn not_text<'a, OM: OutputMode>(self, input: &'a [u8], length: usize) -> Failure<'a, OM> {
        let text = input.get(self.0.head..).unwrap_or(&[]);
        let valid = check_text(text.get(..length).unwrap_or(text)).err().unwrap_or(0);
        let at = text.get(valid..).unwrap_or(&[]);
        fail::<OM>(at, self.reading(), Problem::InvalidUtf8)
    }
}

impl<const VALIDATE: bool> Then for Filling<VALIDATE> {
    type Output<'a> = Filled<'a>;

    #[inline(always)]
    fn then<'a, OM: OutputMode>(input: &'a [u8], step: Step) -> Outcome<'a, OM, Filled<'a>> {
        let Step { head, content, inner } = step;
        let length = match content {
            Content::Skip(count) => head.saturating_add(count),
            Content::Text(length) => head + padded(length),
            // The engines do not check that padding follows a byte array. So the padding may be
            // missing at the end of a buffer.
            Content::Bytes(length) if !OM::Incomplete::is_streaming() => {
                let length = head.saturating_add(length);
                length.max(padded(length).min(input.len()))
            }
            Content::Bytes(length) => head.saturating_add(padded(length)),
        };
        // One check of the input's length covers the head and the content.
        let Some((bytes, rest)) = input.split_at_checked(length) else {
            return Err(Filling::<VALIDATE>(step).short::<OM>(input, length));
        };
        let mut text = Text::Plain;
        if let Content::Text(length) = content
            && VALIDATE
            && !is_plain(input.get(head..).unwrap_or(&[]), length)
        {
            match uncommon(bytes.get(head..).unwrap_or(&[]), length) {
                Some(found) => text = found,
                None => return Err(Filling::<VALIDATE>(step).not_text::<OM>(input, length)),
            }
        }
        Ok((rest, Filled { bytes, text, inner }))
    }
}

/// Checks a text that is not plain ASCII. Returns `None` if the text is not UTF-8 up to its first
/// NUL.
#[cold]
#[inline(never)]
fn uncommon(padded: &[u8], length: usize) -> Option<Text> {
    check_text(padded.get(..length).unwrap_or(padded)).ok()
}

/// Reads a value that failed in the mode [`Quiet`](super::fault::Quiet) again, and returns its
/// error.
///
/// It returns only the failure. If it returned a whole `Result`, the address of every result would
/// be passed to this function, and the compiler could keep none of them in registers.
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
