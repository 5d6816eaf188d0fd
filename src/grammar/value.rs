//! The parser of whole values. It takes steps until no container is open.

#![expect(unsafe_code, reason = "it makes views of what it has checked")]

use super::common::{Common, common};
use super::content::{Filled, Filling, Text};
use super::nesting::{Level, Stack};
use super::step::Outcome;
use super::{Emitting, Failure, Fault, Quiet, Take, U32, fail, failure, more, step};
use crate::dialect::{Layout, ReadOptions};
use crate::error::{Error, Problem, Reading};
use crate::kind::Kind;
use crate::view::VariantRef;
use core::marker::PhantomData;
use nom::error::{ErrorKind, FromExternalError, ParseError};
use nom::{Check, Complete, Emit, Mode, OutputM, OutputMode, PResult, Parser};

/// Reads a whole value. With `VALIDATE`, it checks the value's text. The result is what is known
/// about that text.
#[derive(Clone, Copy)]
pub(crate) struct Extent<const VALIDATE: bool> {
    pub(crate) layout: &'static Layout,
    pub(crate) max_depth: u16,
}

impl<'a, const VALIDATE: bool> Parser<&'a [u8]> for Extent<VALIDATE> {
    type Output = Text;
    type Error = Fault<'a>;

    #[inline]
    fn process<OM: OutputMode>(
        &mut self,
        input: &'a [u8],
    ) -> PResult<OM, &'a [u8], Text, Fault<'a>> {
        let mut stack = Stack::new();
        let mut level = Level::ROOT;
        let mut rest = input;
        let mut text = Text::Plain;
        loop {
            let is_value = level.is_at_value();
            level.take_one();
            let (after, found, inner) = if is_value {
                match common::<VALIDATE>(self.layout, rest).1 {
                    Common::Leaf { rest, .. } => (rest, Text::Plain, Level::leaf(Kind::Nil)),
                    Common::Container { inner, rest } => (rest, Text::Plain, inner),
                    Common::Other => {
                        let Ok((after, item)) = uncommon::<VALIDATE, OM>(self.layout, rest) else {
                            let failure = failure::<VALIDATE, OM>(self.layout, rest);
                            return Err(outstanding::<OM>(failure, level, &stack));
                        };
                        (after, item.text, item.inner)
                    }
                }
            } else {
                match step::part::<Filling<VALIDATE>, OM>(self.layout, level, rest) {
                    Ok((after, item)) => (after, item.text, item.inner),
                    Err(failure) => return Err(outstanding::<OM>(failure, level, &stack)),
                }
            };
            rest = after;
            if found == Text::Cut {
                text = found;
            }
            if !inner.is_empty() {
                if !stack.enter(level, inner, self.max_depth) {
                    let problem = Problem::TooDeep { limit: self.max_depth };
                    return Err(fail::<OM>(rest, Reading::Body(inner.kind()), problem));
                }
                level = inner;
                continue;
            }
            while level.is_empty() {
                match stack.leave() {
                    Some(outer) => level = outer,
                    None => return Ok((rest, OM::Output::bind(|| text))),
                }
            }
        }
    }
}

/// Adds the minimum number of bytes that the open levels need to the number that a stream lacks.
#[cold]
#[inline(never)]
fn outstanding<'a, OM: OutputMode>(
    failure: Failure<'a, OM>,
    level: Level,
    stack: &Stack,
) -> Failure<'a, OM> {
    match failure {
        nom::Err::Incomplete(needed) => {
            let open = stack.outstanding().saturating_add(level.least());
            nom::Err::Incomplete(more(needed, open))
        }
        failure => failure,
    }
}

/// Reads a value that is not one of the most common, without the items in it.
#[inline(never)]
fn uncommon<'a, const VALIDATE: bool, OM: OutputMode>(
    layout: &'static Layout,
    input: &'a [u8],
) -> Outcome<'a, Quiet<OM>, Filled<'a>> {
    step::value::<Filling<VALIDATE>, Quiet<OM>>(layout, input)
}

/// The bytes after the validated value at the front of `bytes`.
#[inline(never)]
pub(crate) fn after_value<'a>(layout: &'static Layout, bytes: &'a [u8]) -> Option<&'a [u8]> {
    // A value that contains no other values needs no stack.
    let (rest, item) =
        step::value::<Filling<false>, OutputM<Emit, Check, Complete>>(layout, bytes).ok()?;
    if item.inner.is_leaf() { Some(rest) } else { after_items(layout, bytes) }
}

#[inline(never)]
fn after_items<'a>(layout: &'static Layout, bytes: &'a [u8]) -> Option<&'a [u8]> {
    // Validated values are never nested deeper than the stack can hold.
    let mut extent = Extent::<false> { layout, max_depth: crate::MAX_DEPTH };
    let (rest, ()) = extent.process::<OutputM<Check, Check, Complete>>(bytes).ok()?;
    Some(rest)
}

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
/// Those of [`value`]. A frame that is longer than `limit`, or longer than its value, is an error,
/// too.
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
            Ok((rest, frame)) => match crate::parse(self.options, frame) {
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
