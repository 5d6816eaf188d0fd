//! Paths that lead into a value: `/inventory/2/count`.
//!
//! They are JSON pointers (RFC 6901): a slash precedes each segment. Inside a segment, `~1` stands
//! for a slash and `~0` for a tilde. The empty path is the value itself.
//!
//! A segment means:
//!
//! - in an array, the element with this index, in decimal digits without leading zeros;
//! - in an object, the property with this name;
//! - in a dictionary, the value of the String or StringName key with this text. If there is none
//!   and the segment is a whole number, it means the value of that int key. If a dictionary has the
//!   keys `"2"` and `2`, `/2` means the text; `get(2)` of its entries finds the int.
//!
//! If a key or a name occurs twice, the last one counts, as in the engines.

use super::{ObjectRef, VariantRef, View};
use core::fmt::{self, Write};

/// A path whose spelling has been checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<'p>(&'p str);

/// One step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Segment<'p>(pub(super) &'p str);

impl<'p> Path<'p> {
    /// None if the path does not start with a slash, or a tilde is not followed by 0 or 1.
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

/// A key or name, escaped for a path.
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

/// Escapes a key or a name, so that it can be one segment of a path even if it contains a slash or
/// a tilde.
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

/// Why a path was not found.
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
    /// Finds the value at the end of a path.
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

    /// Finds the value for one segment of a path.
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
