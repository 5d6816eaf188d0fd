//! Why a value cannot be encoded.

use crate::dialect::Dialect;
use crate::kind::Kind;

/// Why a value cannot be encoded, or was not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The dialect has no such kind.
    #[error("{dialect} has no {kind}")]
    Unsupported {
        /// What was to be written.
        kind: Kind,
        /// In which dialect.
        dialect: Dialect,
    },
    /// The dialect's containers of that kind cannot be of such a type.
    #[error("{dialect} has no typed {kind}, or none of that type")]
    ElementType {
        /// What was to be written.
        kind: Kind,
        /// In which dialect.
        dialect: Dialect,
    },
    /// The dialect does not write the id of a RID.
    #[error("{dialect} does not write the id of a RID, which is {id}")]
    RidId {
        /// The id.
        id: u64,
        /// In which dialect.
        dialect: Dialect,
    },
    /// A length or count does not fit in 31 bits.
    #[error("a {kind} of length {length} is longer than the 2 GiB that an engine reads")]
    TooLong {
        /// What was to be written.
        kind: Kind,
        /// How many bytes or elements.
        length: usize,
    },
    /// Engines take a string up to its first NUL, and so cannot read this one.
    #[error("a {kind} has a NUL at byte {at}, where an engine would end it")]
    Nul {
        /// What was to be written.
        kind: Kind,
        /// The offset in the string.
        at: usize,
    },
    /// The value is nested deeper than the dialect allows.
    #[error("more than {limit} nested containers")]
    TooDeep {
        /// How many containers may be around a value.
        limit: u16,
    },
    /// A container did not get the values that it was opened with, or the whole not its one.
    #[error("a container was opened for {announced} values, but got {}", Got(*.missing))]
    WrongCount {
        /// For how many values it was opened; keys and names count as one each.
        announced: u32,
        /// How many of them were missing at its end; none if there was one too many.
        missing: u32,
    },
    /// A frame is longer than allowed, or than its length can say.
    #[error("a frame of {length} bytes is longer than the limit of {limit}")]
    FrameTooLong {
        /// How many bytes the value takes.
        length: usize,
        /// The longest that is allowed.
        limit: u32,
    },
    /// The slice is too small.
    #[error("the buffer has {available} bytes, but {needed} are needed")]
    BufferTooSmall {
        /// How many bytes the value takes.
        needed: usize,
        /// How many there are.
        available: usize,
    },
}

struct Got(u32);

impl core::fmt::Display for Got {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.0 {
            0 => f.write_str("more"),
            missing => write!(f, "{missing} fewer"),
        }
    }
}
