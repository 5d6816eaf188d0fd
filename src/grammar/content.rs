//! What follows the part of an item that has a fixed size: bytes to pass over, or text.

use super::nesting::Level;
use super::{Failure, Fault, Take, fail};
use crate::error::{Problem, Reading};
use crate::kind::Body;
use nom::{IsStreaming, Mode, OutputMode, PResult, Parser};

/// Bytes of a known length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    /// Whole words that may be anything.
    Skip(usize),
    /// Bytes that may be anything, then padding.
    Bytes(usize),
    /// A string, then padding.
    Text(usize),
}

/// `length`, which has 31 bits, and the padding to a multiple of four after it.
#[inline(always)]
pub(crate) const fn padded(length: usize) -> usize {
    length.wrapping_add(3) & !3
}

/// What is known of the strings of a value.
///
/// Of the size of a register: a view is handed on by whole registers, and a smaller flag, written
/// alone and read with its neighbours, stalls the processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub(crate) enum Text {
    /// There is no NUL in any.
    Plain,
    /// A NUL may end one early, as the engines take it.
    Cut,
}

/// Reads a content, and checks its text if `VALIDATE`. The result is what was learned of it.
#[derive(Clone, Copy)]
pub(crate) struct Filling<const VALIDATE: bool> {
    pub(crate) content: Content,
    /// Whose content it is.
    pub(crate) level: Level,
}

impl<const VALIDATE: bool> Filling<VALIDATE> {
    /// Too few bytes: but what is there of a text may be ill-formed already.
    #[cold]
    #[inline(never)]
    fn cut<'a, OM: OutputMode>(self, input: &'a [u8], count: usize) -> Failure<'a, OM> {
        if let Content::Text(length) = self.content {
            let text = until_nul(input.get(..length).unwrap_or(input));
            if let Err(error) = core::str::from_utf8(text)
                && (error.error_len().is_some() || text.len() < input.len())
            {
                let at = input.get(error.valid_up_to()..).unwrap_or(input);
                return fail::<OM>(at, self.reading(), Problem::InvalidUtf8);
            }
        }
        Take { count, reading: self.reading() }.short::<OM>(input)
    }

    /// What it is called when something is wrong with it.
    #[cold]
    fn reading(self) -> Reading {
        let kind = self.level.kind();
        match (self.content, kind.body()) {
            (Content::Text(_), _) => Reading::Text(kind),
            (_, Body::Packed(..)) => Reading::Elements(kind),
            _ => Reading::Body(kind),
        }
    }
}

impl<'a, const VALIDATE: bool> Parser<&'a [u8]> for Filling<VALIDATE> {
    type Output = Text;
    type Error = Fault<'a>;

    #[inline(always)]
    fn process<OM: OutputMode>(
        &mut self,
        input: &'a [u8],
    ) -> PResult<OM, &'a [u8], Text, Fault<'a>> {
        let count = match self.content {
            Content::Skip(count) => count,
            Content::Text(length) => padded(length),
            // The engines do not look whether there is padding after a byte array, and so the
            // last bytes of a buffer may lack it.
            Content::Bytes(length) if !OM::Incomplete::is_streaming() => {
                length.max(padded(length).min(input.len()))
            }
            Content::Bytes(length) => padded(length),
        };
        let Some((bytes, rest)) = input.split_at_checked(count) else {
            return Err(self.cut::<OM>(input, count));
        };
        let mut text = Text::Plain;
        if let Content::Text(length) = self.content
            && VALIDATE
            && !is_plain(bytes, length)
        {
            match check_text(bytes.get(..length).unwrap_or(bytes)) {
                Ok(found) => text = found,
                Err(valid) => {
                    let at = input.get(valid..).unwrap_or(input);
                    return Err(fail::<OM>(at, self.reading(), Problem::InvalidUtf8));
                }
            }
        }
        Ok((rest, OM::Output::bind(|| text)))
    }
}

/// Whether the first `length` bytes are ASCII without NUL, as nearly every key is: word by word,
/// the padding of the last word left out.
#[inline(always)]
fn is_plain(padded: &[u8], length: usize) -> bool {
    const ONES: u32 = 0x0101_0101;
    // A byte that is zero or above 127 has its top bit set in one of these.
    let suspect = |word: u32| word | word.wrapping_sub(ONES);
    let (words, _) = padded.as_chunks();
    let Some((last, words)) = words.split_last() else { return true };
    let seen = words.iter().fold(0, |seen, word| seen | suspect(u32::from_le_bytes(*word)));
    let bytes_of_last = (length.wrapping_sub(1) as u32 & 3) + 1;
    let text = u32::MAX >> (32 - 8 * bytes_of_last);
    let last = u32::from_le_bytes(*last) & text | ONES & !text;
    (seen | suspect(last)) & (ONES << 7) == 0
}

/// What a text is that is UTF-8 up to its first NUL; if it is not, where.
#[cold]
#[inline(never)]
pub(crate) fn check_text(bytes: &[u8]) -> Result<Text, usize> {
    let text = until_nul(bytes);
    match core::str::from_utf8(text) {
        Ok(_) if text.len() == bytes.len() => Ok(Text::Plain),
        Ok(_) => Ok(Text::Cut),
        Err(error) => Err(error.valid_up_to()),
    }
}

/// The engines take a string up to its first NUL.
pub(crate) fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == 0).next().unwrap_or(bytes)
}
