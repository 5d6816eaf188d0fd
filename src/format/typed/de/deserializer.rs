//! The deserializer: where it is in the input, and how it reads the next value.

#![expect(unsafe_code, reason = "it makes views of what it has checked")]

use super::super::error::{Error, Result};
use crate::value::view::header_of;
use crate::value::walk::{Item, item};
use crate::value::wire::nesting::Level;
use crate::value::{Kind, Layout, Problem, ReadOptions, Reading, VariantRef};
use nom::{Complete, Emit, OutputM};
use serde::de::Deserialize;

/// Reads types from bytes that hold one value after the other.
///
/// [`from_slice`](crate::from_slice) uses it. Use it directly to pass it to code that takes a
/// [`serde::Deserializer`], or to read more than one value:
///
/// ```
/// use gdwire::{Dialect, typed::Deserializer};
/// use serde::Deserialize;
///
/// let bytes = [2, 0, 0, 0, 42, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, b'h', b'i', 0, 0];
/// let mut deserializer = Deserializer::from_slice(Dialect::GODOT_3, &bytes);
/// let number = i32::deserialize(&mut deserializer)?;
/// let text = <&str>::deserialize(&mut deserializer)?;
/// assert_eq!((number, text), (42, "hi"));
/// deserializer.end()?;
/// # Ok::<(), gdwire::typed::Error>(())
/// ```
#[derive(Clone)]
pub struct Deserializer<'de> {
    pub(super) input: &'de [u8],
    pub(super) rest: &'de [u8],
    pub(super) layout: &'static Layout,
    /// How many containers are open, and how many may be open.
    pub(super) depth: u16,
    pub(super) max_depth: u16,
    /// Whether the keys of the open dictionary are names of fields.
    pub(super) of_struct: bool,
}

/// A value that contains no other values, or the start of a container.
pub(super) enum Read<'de> {
    Leaf(VariantRef<'de>),
    Container(VariantRef<'de>, Level),
}

pub(super) type Reporting = OutputM<Emit, Emit, Complete>;

impl<'de> Deserializer<'de> {
    /// Creates a deserializer that reads values from the front of `bytes`. `options` is a dialect,
    /// or [`ReadOptions`].
    #[inline]
    #[must_use]
    pub fn from_slice(options: impl Into<ReadOptions>, bytes: &'de [u8]) -> Deserializer<'de> {
        let options = options.into();
        Deserializer {
            input: bytes,
            rest: bytes,
            layout: options.dialect().layout(),
            depth: 0,
            max_depth: options.depth_limit(),
            of_struct: false,
        }
    }

    /// The bytes that have not been read yet.
    #[must_use]
    pub const fn rest(&self) -> &'de [u8] {
        self.rest
    }

    /// How many bytes have been read.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.input.len().saturating_sub(self.rest.len())
    }

    /// Checks that all bytes have been read.
    ///
    /// # Errors
    ///
    /// [`Problem::TrailingBytes`].
    #[inline]
    pub fn end(&self) -> Result<()> {
        if self.rest.is_empty() {
            return Ok(());
        }
        let problem = Problem::TrailingBytes { count: self.rest.len() };
        Err(Error::wire(crate::Error::new(self.offset(), Reading::End, problem)))
    }

    /// Reads the first value, and adds its place to errors.
    #[inline]
    pub(crate) fn value<T: Deserialize<'de>>(&mut self) -> Result<T> {
        // The result is changed in place, here and elsewhere. Otherwise, a large type would be
        // moved again.
        let mut result = T::deserialize(&mut *self);
        if let Err(error) = result {
            result = Err(self.locate(error, self.input));
        }
        result
    }

    /// Adds the place of the value that starts at `start` to an error.
    #[cold]
    #[inline(never)]
    pub(crate) fn locate(&self, error: Error, start: &[u8]) -> Error {
        let offset = self.input.len().saturating_sub(start.len());
        error.at(offset, self.layout.kind(header_of(start) as u8))
    }

    #[cold]
    #[inline(never)]
    pub(super) fn wire(&self, failure: nom::Err<crate::value::wire::Fault<'de>>) -> Error {
        match failure {
            nom::Err::Error(fault) | nom::Err::Failure(fault) => {
                Error::wire(fault.in_input(self.input))
            }
            // This is not reachable: the input is complete.
            nom::Err::Incomplete(_) => Error::message("the input ends too early"),
        }
    }

    /// The kind of the next value.
    #[inline]
    pub(super) fn peek(&self) -> Kind {
        self.layout.entry(header_of(self.rest)).kind
    }

    /// Reads the next value. Of a container, it reads only the start.
    #[inline]
    pub(super) fn read(&mut self) -> Result<Read<'de>> {
        let start = self.rest;
        let found = item::<true, Reporting>(self.layout, start);
        let Item { rest, header, text, bytes, inner } = match found {
            Ok(found) => found,
            Err(failure) => return Err(self.wire(failure)),
        };
        self.rest = rest;
        Ok(match inner {
            // SAFETY: `item` has read these bytes with `VALIDATE`, and found `text`.
            None => {
                Read::Leaf(unsafe { VariantRef::with_header(self.layout, text, header, bytes) })
            }
            Some(inner) => {
                // SAFETY: the same. Only the part of a container before its first value is read.
                let start = unsafe { VariantRef::with_header(self.layout, text, header, start) };
                Read::Container(start, inner)
            }
        })
    }

    /// Skips the next value, without recursion.
    pub(super) fn skip(&mut self) -> Result<VariantRef<'de>> {
        let left = self.max_depth.saturating_sub(self.depth);
        let options = ReadOptions::new(self.layout.dialect()).with_max_depth(left);
        match crate::parse_prefix(options, self.rest) {
            Ok((rest, value)) => {
                self.rest = rest;
                Ok(value)
            }
            Err(mut error) => {
                if let Problem::TooDeep { limit } = &mut error.problem {
                    *limit = self.max_depth;
                }
                Err(Error::wire(error.shifted(self.offset())))
            }
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn too_deep(self, inner: Level) -> Error {
        let problem = Problem::TooDeep { limit: self.max_depth };
        let reading = Reading::Body(inner.kind());
        Error::wire(crate::Error::new(self.offset(), reading, problem))
    }

    /// Calls `read` with a copy of the deserializer.
    ///
    /// A variable whose address goes to a function that is not inlined stays in memory. Each value
    /// would then wait until the position after the previous one was stored and loaded again.
    #[inline(always)]
    pub(super) fn apart<T>(&mut self, read: impl FnOnce(&mut Deserializer<'de>) -> T) -> T {
        let mut copy = self.clone();
        let result = read(&mut copy);
        self.rest = copy.rest;
        result
    }
}

impl core::fmt::Debug for Deserializer<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Deserializer")
            .field("dialect", &self.layout.dialect())
            .field("offset", &self.offset())
            .field("left", &self.rest.len())
            .finish_non_exhaustive()
    }
}
