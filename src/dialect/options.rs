//! What a reader is told before it reads.

use super::{Dialect, MAX_DEPTH};

/// The dialect to read, and how deep its values may be nested.
///
/// Every function that reads takes `ReadOptions`. It takes a [`Dialect`] alone just as well, and
/// then the depth is [`MAX_DEPTH`].
///
/// ```
/// use gdwire::{Dialect, ReadOptions, parse};
///
/// // [[null]]
/// let nested = [19, 0, 0, 0, 1, 0, 0, 0, 19, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
/// assert!(parse(Dialect::GODOT_3, &nested).is_ok());
///
/// let flat = ReadOptions::new(Dialect::GODOT_3).max_depth(1);
/// let error = parse(flat, &nested).unwrap_err();
/// assert_eq!(error.problem, gdwire::Problem::TooDeep { limit: 1 });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ReadOptions {
    dialect: Dialect,
    max_depth: u16,
}

impl ReadOptions {
    /// Reads values of `dialect` with up to [`MAX_DEPTH`] containers around them.
    #[inline]
    #[must_use]
    pub const fn new(dialect: Dialect) -> ReadOptions {
        ReadOptions { dialect, max_depth: MAX_DEPTH }
    }

    /// Refuses a value with more than `depth` containers around it.
    ///
    /// A `depth` above [`MAX_DEPTH`] means [`MAX_DEPTH`], because readers keep the open containers
    /// in a stack of that size. Godot 3.4 and newer, Godot 4 and Pandemonium have the same limit.
    #[inline]
    #[must_use]
    pub const fn max_depth(self, depth: u16) -> ReadOptions {
        let max_depth = if depth > MAX_DEPTH { MAX_DEPTH } else { depth };
        ReadOptions { max_depth, ..self }
    }

    /// The dialect that is read.
    #[inline]
    #[must_use]
    pub const fn dialect(self) -> Dialect {
        self.dialect
    }

    /// How many containers may be around a value.
    #[inline]
    pub(crate) const fn depth_limit(self) -> u16 {
        self.max_depth
    }
}

impl From<Dialect> for ReadOptions {
    #[inline]
    fn from(dialect: Dialect) -> ReadOptions {
        ReadOptions::new(dialect)
    }
}
