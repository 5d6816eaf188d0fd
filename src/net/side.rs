//! The ends of a connection.

/// One of the two ends of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Side {
    /// The end that the caller treats as the first. In flows of a capture it is the end with the
    /// lower address and port.
    First,
    /// The other end.
    Second,
}

impl Side {
    /// The other end.
    #[must_use]
    pub const fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// The one of two things that belongs to this end.
    #[inline]
    pub(crate) const fn of<'t, T>(self, first: &'t T, second: &'t T) -> &'t T {
        match self {
            Side::First => first,
            Side::Second => second,
        }
    }

    /// Like [`Side::of`], with mutable references.
    #[inline]
    pub(crate) const fn of_mut<'t, T>(self, first: &'t mut T, second: &'t mut T) -> &'t mut T {
        match self {
            Side::First => first,
            Side::Second => second,
        }
    }
}
