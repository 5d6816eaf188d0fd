//! Paths that lead into a value: `/inventory/2/count`.
//!
//! They are written as JSON pointers are (RFC 6901). Each segment stands behind a slash; `~1`
//! stands for a slash in it and `~0` for a tilde. The empty path is the value itself.
//!
//! A segment means
//! - of an array the element of that index, in decimal digits without leading zeros;
//! - of an object the property of that name;
//! - of a dictionary the value of the key of that text, be it a String or a StringName, and if
//!   there is none and the segment is a whole number, the value of that int. Where a dictionary has
//!   the keys `"2"` and `2`, `/2` means the text; `get(2)` of its entries gives the other.
//!
//! Where a key or a name comes twice, the last one counts, as in the engines.

use super::{ObjectRef, VariantRef, View};
use core::fmt::{self, Write};

/// A path whose spelling has been checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<'p>(&'p str);

/// One step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Segment<'p>(pub(super) &'p str);

impl<'p> Path<'p> {
    /// None if the path does not start with a slash or has a tilde that no 0 or 1 follows.
    pub(crate) fn new(text: &'p str) -> Option<Path<'p>> {
        let starts = text.is_empty() || text.starts_with('/');
        let mut escapes = text.split('~').skip(1);
        let is_spelled = escapes.all(|behind| behind.starts_with(['0', '1']));
        (starts && is_spelled).then_some(Path(text))
    }

    /// Its segments in order.
    pub(crate) fn segments(self) -> impl Iterator<Item = Segment<'p>> + Clone + use<'p> {
        self.0.split('/').skip(1).map(Segment)
    }
}

impl<'p> Segment<'p> {
    /// The segment as it stands in the path.
    pub(crate) const fn as_written(self) -> &'p str {
        self.0
    }

    /// Whether it names that key or property.
    pub(crate) fn is(self, text: &str) -> bool {
        if self.is_plain() { self.0 == text } else { self.chars().eq(text.chars()) }
    }

    /// The whole number that it is in its only spelling.
    pub(crate) fn number(self) -> Option<i64> {
        let digits = self.0.strip_prefix('-').unwrap_or(self.0);
        let is_canonical = self.0 == "0" || digits.starts_with(|first| matches!(first, '1'..='9'));
        if is_canonical { self.0.parse().ok() } else { None }
    }

    /// The index of an element.
    pub(crate) fn index(self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    fn is_plain(self) -> bool {
        !self.0.contains('~')
    }

    /// Its characters without escapes.
    fn chars(self) -> impl Iterator<Item = char> + use<'p> {
        let mut written = self.0.chars();
        core::iter::from_fn(move || match written.next()? {
            '~' if written.next() == Some('1') => Some('/'),
            other => Some(other),
        })
    }
}

/// The key or name itself, without escapes.
impl fmt::Display for Segment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chars().try_for_each(|character| f.write_char(character))
    }
}

/// A key or name as a path spells it.
pub(crate) struct Escaped<T>(pub(crate) T);

impl<T: fmt::Display> fmt::Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Escaping<'a, 'f>(&'a mut fmt::Formatter<'f>);

        impl Write for Escaping<'_, '_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                text.chars().try_for_each(|character| match character {
                    '~' => self.0.write_str("~0"),
                    '/' => self.0.write_str("~1"),
                    other => self.0.write_char(other),
                })
            }
        }

        write!(Escaping(f), "{}", self.0)
    }
}

/// Spells a key or a name as one segment of a path, for keys that may have a slash or a tilde in
/// them.
///
/// ```
/// use gdwire::view::segment;
///
/// let path = format!("/servers/{}/port", segment("eu/1"));
/// assert_eq!(path, "/servers/eu~11/port");
/// ```
pub fn segment(key: &str) -> impl fmt::Display + use<'_> {
    Escaped(key)
}

/// Why a path leads nowhere.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stop {
    /// The spelling of the path is wrong.
    Spelling,
    /// The container has no such key, property or element.
    Missing,
    /// The value has no values in it.
    Leaf,
}

/// How far a path leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopped<'a> {
    pub(super) stop: Stop,
    /// The last value that it reaches.
    pub(super) reached: VariantRef<'a>,
    /// How many segments come after the one that leads nowhere.
    pub(super) after: usize,
}

impl<'a> VariantRef<'a> {
    /// What lies at the end of a path.
    pub(super) fn follow(self, path: &str) -> Result<VariantRef<'a>, Stopped<'a>> {
        let Some(path) = Path::new(path) else {
            return Err(Stopped { stop: Stop::Spelling, reached: self, after: 0 });
        };
        let mut segments = path.segments();
        let mut reached = self;
        while let Some(segment) = segments.next() {
            match reached.child(segment) {
                Ok(child) => reached = child,
                Err(stop) => return Err(Stopped { stop, reached, after: segments.count() }),
            }
        }
        Ok(reached)
    }

    /// What one segment of a path leads to.
    fn child(self, segment: Segment<'_>) -> Result<VariantRef<'a>, Stop> {
        let child = match self.view() {
            View::Array(elements)
            | View::TypedArray(elements)
            | View::PackedTypedArray(elements) => {
                segment.index().and_then(|index| elements.get(index))
            }
            View::Dictionary(entries) => {
                let by_text = if segment.is_plain() {
                    entries.get(segment.as_written())
                } else {
                    let is_key =
                        |key: VariantRef<'_>| key.as_str().is_some_and(|key| segment.is(key));
                    entries.iter().filter(|(key, _)| is_key(*key)).last().map(|(_, value)| value)
                };
                by_text.or_else(|| entries.get(segment.number()?))
            }
            View::Object(ObjectRef::Instance(instance)) => {
                let found = instance.properties().filter(|(name, _)| segment.is(name)).last();
                found.map(|(_, value)| value)
            }
            _ => return Err(Stop::Leaf),
        };
        child.ok_or(Stop::Missing)
    }
}
