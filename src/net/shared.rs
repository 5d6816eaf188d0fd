//! Types that all transports share: the two ends of a connection, the tags of segments and
//! datagrams, and the memory of collections.

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

/// The neighbours of something that is missing: the tags of the segments or datagrams with the
/// numbers next to it. It was sent between these two. For a part of a message, both are the tag of
/// the last part that was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Between<T> {
    /// The tag of the newest one with lower numbers, when the next one was seen; none if nothing was
    /// seen before, or if that is not known.
    pub after: Option<T>,
    /// The tag of the first one with higher numbers; none if that is not known.
    pub before: Option<T>,
}

impl<T> Between<T> {
    /// Nothing is known.
    pub const UNKNOWN: Between<T> = Between { after: None, before: None };

    pub(crate) const fn new(after: Option<T>, before: T) -> Between<T> {
        Between { after, before: Some(before) }
    }
}

/// A tag that the caller gives to each segment or datagram, such as the number of its packet. A
/// message that arrived in several of them has a tag that joins theirs.
///
/// For types that implement `Ord`, the greater tag is kept: the number of the last packet, if tags
/// are numbers of packets. Your own type can keep more:
///
/// ```
/// use gdwire::net::Tag;
///
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// struct Packets {
///     first: u64,
///     last: u64,
/// }
///
/// impl Tag for Packets {
///     fn join(self, other: Packets) -> Packets {
///         Packets { first: self.first.min(other.first), last: self.last.max(other.last) }
///     }
/// }
///
/// let [third, ninth] = [3, 9].map(|number| Packets { first: number, last: number });
/// assert_eq!(third.join(ninth), Packets { first: 3, last: 9 });
/// assert_eq!(3.join(9), 9);
/// ```
pub trait Tag: Copy + PartialEq {
    /// The tag of a message whose parts have these two tags.
    #[must_use]
    fn join(self, other: Self) -> Self;
}

impl<T: Copy + Ord> Tag for T {
    fn join(self, other: T) -> T {
        self.max(other)
    }
}

/// How many bytes the usual allocator takes for an allocation: a header of 8 bytes, in steps of 16.
/// Others take about as many.
pub const fn taken(len: usize) -> usize {
    let bytes = len.saturating_add(23) & !15;
    if bytes < 32 { 32 } else { bytes }
}

/// About how many bytes a [`std::collections::BTreeMap`] with this many entries takes at most: its
/// nodes have room for 11 entries, and all but one are at least half full.
pub const fn tree_bytes<T>(entries: usize) -> usize {
    let nodes = if entries == 0 { 0 } else { (entries / 5).saturating_add(1) };
    nodes.saturating_mul(11 * size_of::<T>() + 32)
}
