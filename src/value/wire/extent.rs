//! The loop over whole values. It takes steps until no container is open.

use super::common::{Common, common};
use super::content::Text;
use super::fault::{Failure, Fault, Quiet, fail, more};
use super::filling::{Filled, Filling, failure};
use super::nesting::{Level, Stack};
use super::step::{self, Outcome};
use crate::value::dialect::{Layout, MAX_DEPTH};
use crate::value::error::{Problem, Reading};
use crate::value::kind::Kind;
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
    let mut extent = Extent::<false> { layout, max_depth: MAX_DEPTH };
    let (rest, ()) = extent.process::<OutputM<Check, Check, Complete>>(bytes).ok()?;
    Some(rest)
}
