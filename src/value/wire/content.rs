//! The content of an item, which follows its fixed-size head: bytes to skip, or text to check. Then
//! items with their content, and the loop over whole values.

#![expect(unsafe_code, reason = "it skips values that have been checked")]

use super::common::{Common, read};
use super::fault::{Failure, Fault, Quiet, Take, fail, more};
use super::nesting::{LEVEL_ROOM, Level, Levels};
use super::step;
use super::step::{ItemStep, Outcome, Then};
use super::utf8::{TextCheck, check_text, is_plain, until_nul};
use crate::value::{DialectLayout, MAX_DEPTH, Problem, Reading, Refusal, ValueBody};
use nom::error::ErrorKind;
use nom::{Check, Complete, Emit, IsStreaming, Mode, OutputM, OutputMode, PResult, Parser};

/// Bytes of a known length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ItemContent {
    /// Whole 4-byte words with any content.
    Skip(usize),
    /// Bytes with any content, then padding.
    Bytes(usize),
    /// A string, then padding.
    Text(usize),
}

/// Rounds `length`, which has at most 31 bits, up to a multiple of four.
#[inline(always)]
pub(crate) const fn padded(length: usize) -> usize {
    length.wrapping_add(3) & !3
}

/// Reads a whole value. With `VALIDATE`, it checks the value. The result is what is known about the
/// text in it. Without `VALIDATE`, the input must start with a value that has been checked:
/// [`after_value`] makes sure of that.
#[derive(Clone, Copy)]
pub(crate) struct WholeValue<const VALIDATE: bool> {
    pub(crate) layout: &'static DialectLayout,
    pub(crate) max_depth: u16,
}

impl<'a, const VALIDATE: bool> Parser<&'a [u8]> for WholeValue<VALIDATE> {
    type Output = TextCheck;
    type Error = Fault<'a>;

    #[inline]
    fn process<OM: OutputMode>(
        &mut self,
        input: &'a [u8],
    ) -> PResult<OM, &'a [u8], TextCheck, Fault<'a>> {
        let mut room = LEVEL_ROOM;
        let mut stack = Levels::over(&mut room);
        let mut level = Level::ROOT;
        let mut rest = input;
        let mut text = TextCheck::Plain;
        loop {
            let mut common = None;
            if level.is_of_values() {
                // SAFETY: without `VALIDATE`, the input is a value that has been checked, and this many
                // values in it follow.
                (rest, level, common) = unsafe { row::<VALIDATE>(self.layout, rest, level) };
            }
            match common {
                Some(inner) if inner.is_empty() => {}
                Some(inner) => {
                    if stack.is_at(self.max_depth) || !stack.push(level) {
                        return Err(self.too_deep::<OM>(inner, rest));
                    }
                    level = inner;
                    continue;
                }
                None if level.is_empty() => {}
                None => {
                    let read = self.rare_item::<OM>(level, rest);
                    level.take_one();
                    let (after, item) = match read {
                        Ok(read) => read,
                        Err(failure) => {
                            return Err(outstanding::<OM>(failure, level, stack.outstanding()));
                        }
                    };
                    rest = after;
                    if item.text == TextCheck::Cut {
                        text = item.text;
                    }
                    if !item.inner.is_empty() {
                        if !stack.enter(level, item.inner, self.max_depth) {
                            return Err(self.too_deep::<OM>(item.inner, rest));
                        }
                        level = item.inner;
                        continue;
                    }
                }
            }
            while level.is_empty() {
                match stack.pop() {
                    Some(outer) => level = outer,
                    None => return Ok((rest, OM::Output::bind(|| text))),
                }
            }
        }
    }
}

/// Reads values of a level up to its end, or to the first one that is not a common value without
/// others in it. If that one is a common container, its beginning is read, too, and the result has
/// the values in it.
///
/// This loop has few variables, so the compiler keeps them where they are. A loop that also enters
/// and leaves levels copies them for each value.
///
/// # Safety
///
/// Without `VALIDATE`, the input must start with as many values that were read with `VALIDATE` and
/// this layout.
#[inline(always)]
unsafe fn row<'a, const VALIDATE: bool>(
    layout: &'static DialectLayout,
    mut rest: &'a [u8],
    level: Level,
) -> (&'a [u8], Level, Option<Level>) {
    let mut taken = 0;
    while taken != level.remaining() {
        // SAFETY: the caller guarantees the same.
        match unsafe { read::<VALIDATE>(layout, rest) }.1 {
            Common::Leaf { rest: after, .. } => rest = after,
            Common::Container { inner, rest: after } => {
                return (after, level.after(taken.wrapping_add(1)), Some(inner));
            }
            Common::Other => break,
        }
        taken = taken.wrapping_add(1);
    }
    (rest, level.after(taken), None)
}

impl<const VALIDATE: bool> WholeValue<VALIDATE> {
    /// The failure if the values in `inner` are nested too deep.
    #[cold]
    fn too_deep<'a, OM: OutputMode>(self, inner: Level, rest: &'a [u8]) -> Failure<'a, OM> {
        let problem = Problem::TooDeep { limit: self.max_depth };
        fail::<OM>(rest, Reading::Body(inner.kind()), problem)
    }

    /// Reads an item that is not one of the most common, without the items in it.
    fn rare_item<'a, OM: OutputMode>(
        self,
        level: Level,
        input: &'a [u8],
    ) -> Outcome<'a, OM, Filled<'a>> {
        if !level.is_at_value() {
            return step::part::<Filling<VALIDATE>, OM>(self.layout, level, input);
        }
        match uncommon::<VALIDATE, OM>(self.layout, input) {
            Ok(read) => Ok(read),
            Err(_) => Err(failure::<VALIDATE, OM>(self.layout, input)),
        }
    }
}

/// Adds the minimum number of bytes that the open levels need to the number that a stream lacks:
/// those of the innermost level, and of the levels `around` it.
#[cold]
#[inline(never)]
fn outstanding<'a, OM: OutputMode>(
    failure: Failure<'a, OM>,
    level: Level,
    around: usize,
) -> Failure<'a, OM> {
    match failure {
        nom::Err::Incomplete(needed) => {
            let open = around.saturating_add(level.least());
            nom::Err::Incomplete(more(needed, open))
        }
        failure => failure,
    }
}

/// Reads a value that is not one of the most common, without the items in it.
#[inline(never)]
fn uncommon<'a, const VALIDATE: bool, OM: OutputMode>(
    layout: &'static DialectLayout,
    input: &'a [u8],
) -> Outcome<'a, Quiet<OM>, Filled<'a>> {
    step::value::<Filling<VALIDATE>, Quiet<OM>>(layout, input)
}

/// The bytes after the value at the front of `bytes`.
///
/// # Safety
///
/// The bytes must start with a whole value that was read with `VALIDATE` and this layout.
#[inline(never)]
pub(crate) unsafe fn after_value<'a>(
    layout: &'static DialectLayout,
    bytes: &'a [u8],
) -> Option<&'a [u8]> {
    // A value that contains no other values needs no stack.
    let (rest, item) =
        step::value::<Filling<false>, OutputM<Emit, Check, Complete>>(layout, bytes).ok()?;
    // SAFETY: the caller guarantees the same.
    if item.inner.is_leaf() { Some(rest) } else { unsafe { after_items(layout, bytes) } }
}

/// # Safety
///
/// The same as for [`after_value`].
#[inline(never)]
unsafe fn after_items<'a>(layout: &'static DialectLayout, bytes: &'a [u8]) -> Option<&'a [u8]> {
    // Validated values are never nested deeper than the stack can hold.
    let mut extent = WholeValue::<false> { layout, max_depth: MAX_DEPTH };
    let (rest, ()) = extent.process::<OutputM<Check, Check, Complete>>(bytes).ok()?;
    Some(rest)
}

/// Reads an item with its content, and checks its text if `VALIDATE`.
#[derive(Clone, Copy)]
pub(crate) struct Filling<const VALIDATE: bool>(ItemStep);

/// A whole item: its head and its content.
#[derive(Clone, Copy)]
pub(crate) struct Filled<'a> {
    /// The bytes of the item, from its header or length to the end of its padding.
    pub(crate) bytes: &'a [u8],
    /// Whether its text needs to be cut when it is read.
    pub(crate) text: TextCheck,
    /// The level of items that opens after it.
    pub(crate) inner: Level,
}

impl<const VALIDATE: bool> Filling<VALIDATE> {
    /// The part of the format that an error about this item names.
    fn reading(self) -> Reading {
        let kind = self.0.inner.kind();
        match (self.0.content, kind.body()) {
            (ItemContent::Text(_), _) => Reading::Text(kind),
            (_, ValueBody::Packed(..)) => Reading::Elements(kind),
            _ => Reading::Body(kind),
        }
    }

    /// The failure if the input ends before the content does. If the beginning of a text is already
    /// ill-formed, the failure is that.
    #[inline(always)]
    fn short<'a, OM: OutputMode>(self, input: &'a [u8], length: usize) -> Failure<'a, OM> {
        let count = length.saturating_sub(self.0.head);
        let input = input.get(self.0.head..).unwrap_or(&[]);
        if let ItemContent::Text(length) = self.0.content {
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
    fn then<'a, OM: OutputMode>(input: &'a [u8], step: ItemStep) -> Outcome<'a, OM, Filled<'a>> {
        let ItemStep { head, content, inner } = step;
        let length = match content {
            ItemContent::Skip(count) => head.saturating_add(count),
            ItemContent::Text(length) => head + padded(length),
            // The engines do not check that padding follows a byte array. So the padding may be
            // missing at the end of a buffer.
            ItemContent::Bytes(length) if !OM::Incomplete::is_streaming() => {
                let length = head.saturating_add(length);
                length.max(padded(length).min(input.len()))
            }
            ItemContent::Bytes(length) => head.saturating_add(padded(length)),
        };
        // One check of the input's length covers the head and the content.
        let Some((bytes, rest)) = input.split_at_checked(length) else {
            return Err(Filling::<VALIDATE>(step).short::<OM>(input, length));
        };
        let mut text = TextCheck::Plain;
        if let ItemContent::Text(length) = content
            && VALIDATE
            && !is_plain(input.get(head..).unwrap_or(&[]), length)
        {
            match rare_text(bytes.get(head..).unwrap_or(&[]), length) {
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
fn rare_text(padded: &[u8], length: usize) -> Option<TextCheck> {
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
    layout: &'static DialectLayout,
    input: &'a [u8],
) -> Failure<'a, OM> {
    match step::value::<Filling<VALIDATE>, OM>(layout, input) {
        Err(failure) => failure,
        Ok(_) => fail::<OM>(input, Reading::Other, Problem::Grammar(Refusal(ErrorKind::Fail))),
    }
}
