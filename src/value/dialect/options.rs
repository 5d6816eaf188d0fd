//! The options of a reader: the dialect and the depth limit.

use super::handle::Dialect;

/// The depth limit: a value may be nested in at most 1,024 containers, as in the newer engines. The
/// crate neither reads nor writes deeper values.
pub const MAX_DEPTH: u16 = 1024;

/// The dialect to read, and how deep its values may be nested.
///
/// Every reading function accepts `ReadOptions`, or a [`Dialect`] alone. With a dialect alone, the
/// depth limit is [`MAX_DEPTH`].
///
/// ```
/// use gdwire::{Dialect, ReadOptions, parse};
///
/// // [[null]]
/// let nested = [19, 0, 0, 0, 1, 0, 0, 0, 19, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
/// assert!(parse(Dialect::GODOT_3, &nested).is_ok());
///
/// let flat = ReadOptions::new(Dialect::GODOT_3).with_max_depth(1);
/// let error = parse(flat, &nested).unwrap_err();
/// assert_eq!(error.problem, gdwire::Problem::TooDeep { limit: 1 });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ReadOptions {
    dialect: Dialect,
    max_depth: u16,
}

impl ReadOptions {
    /// Options for values of `dialect`, nested in up to [`MAX_DEPTH`] containers.
    #[inline]
    #[must_use]
    pub const fn new(dialect: Dialect) -> ReadOptions {
        ReadOptions { dialect, max_depth: MAX_DEPTH }
    }

    /// Refuses values that are nested in more than `depth` containers.
    ///
    /// A `depth` above [`MAX_DEPTH`] means [`MAX_DEPTH`], because readers keep the open containers
    /// in a stack of that size. Godot 3.4 and newer, Godot 4 and Pandemonium have the same limit.
    #[inline]
    #[must_use]
    pub const fn with_max_depth(self, depth: u16) -> ReadOptions {
        let max_depth = if depth > MAX_DEPTH { MAX_DEPTH } else { depth };
        ReadOptions { max_depth, ..self }
    }

    /// The dialect that is read.
    #[inline]
    #[must_use]
    pub const fn dialect(self) -> Dialect {
        self.dialect
    }

    /// In how many containers a value may be nested.
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
