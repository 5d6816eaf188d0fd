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
//! If a key or a name occurs twice, the last one counts, in views and in owned values alike. A
//! String and a StringName of the same text count as the same key, whatever the engine.

use core::fmt::{self, Write};

/// A path whose spelling has been checked.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<'p>(&'p str);

/// One step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PathSegment<'p>(pub(super) &'p str);

/// Whether a path is valid: empty, or starting with a slash, and with 0 or 1 after each tilde.
pub(super) fn is_spelled(path: &str) -> bool {
    let starts = path.is_empty() || path.starts_with('/');
    let mut escapes = path.split('~').skip(1);
    starts && escapes.all(|after| after.starts_with(['0', '1']))
}

#[cfg(feature = "alloc")]
impl<'p> Path<'p> {
    /// `None` if the path is not valid.
    pub(crate) fn new(text: &'p str) -> Option<Path<'p>> {
        is_spelled(text).then_some(Path(text))
    }

    /// The segments in order.
    pub(crate) fn segments(self) -> impl Iterator<Item = PathSegment<'p>> + Clone + use<'p> {
        self.0.split('/').skip(1).map(PathSegment)
    }
}

impl<'p> PathSegment<'p> {
    /// Whether the segment names this key or property.
    #[cfg(feature = "alloc")]
    pub(crate) fn is(self, text: &str) -> bool {
        if self.is_plain() { self.0 == text } else { self.chars().eq(text.chars()) }
    }

    /// The whole number that the segment spells, in the only valid spelling of that number.
    pub(crate) fn number(self) -> Option<i64> {
        let digits = self.0.strip_prefix('-').unwrap_or(self.0);
        let is_canonical = self.0 == "0" || digits.starts_with(|first| matches!(first, '1'..='9'));
        if is_canonical { self.0.parse().ok() } else { None }
    }

    /// The segment as the index of an element.
    #[cfg(feature = "alloc")]
    pub(crate) fn index(self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    #[cfg(feature = "alloc")]
    fn is_plain(self) -> bool {
        !self.0.contains('~')
    }

    /// The characters of the segment, unescaped.
    fn chars(self) -> impl Iterator<Item = char> + use<'p> {
        let mut written = self.0.chars();
        core::iter::from_fn(move || match written.next()? {
            '~' if written.next() == Some('1') => Some('/'),
            other => Some(other),
        })
    }
}

/// The length of the longest whole number, including its sign.
const LONGEST_NUMBER: usize = 20;

/// The whole number that the first segment of a path spells.
pub(super) fn first_number(path: &str) -> Option<i64> {
    let segment = path.strip_prefix('/')?;
    let bytes = segment.as_bytes().iter().take(LONGEST_NUMBER + 1);
    let length = bytes.take_while(|byte| **byte != b'/').count();
    PathSegment(segment.get(..length)?).number()
}

/// The rest of a path after its first segment.
pub(super) fn after_first(path: &str) -> Option<&str> {
    let segment = path.strip_prefix('/')?;
    segment.get(segment.find('/').unwrap_or(segment.len())..)
}

/// The rest of a path after its first segment, if that segment names this key or property. Reads no
/// more of the path than the key is long.
pub(super) fn after_key<'p>(path: &'p str, key: &str) -> Option<&'p str> {
    let mut written = path.strip_prefix('/')?.chars();
    for character in key.chars() {
        let is_same = match written.next()? {
            '/' => false,
            '~' if written.next() == Some('1') => character == '/',
            other => character == other,
        };
        if !is_same {
            return None;
        }
    }
    let left = written.as_str();
    (left.is_empty() || left.starts_with('/')).then_some(left)
}

/// The key or name itself, without escapes.
impl fmt::Display for PathSegment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chars().try_for_each(|character| f.write_char(character))
    }
}

/// A key or name, escaped for a path.
pub(crate) struct Escaped<T>(pub(crate) T);

impl<T: fmt::Display> fmt::Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct PathEscaping<'a, 'f>(&'a mut fmt::Formatter<'f>);

        impl Write for PathEscaping<'_, '_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                text.chars().try_for_each(|character| match character {
                    '~' => self.0.write_str("~0"),
                    '/' => self.0.write_str("~1"),
                    other => self.0.write_char(other),
                })
            }
        }

        write!(PathEscaping(f), "{}", self.0)
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

/// The maximum number of bytes of a path that an error holds.
const CAPACITY: usize = 76;

const ELLIPSIS: &str = "…";

/// A short text, or an ellipsis and the end of a longer text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct PathText {
    bytes: [u8; CAPACITY],
    len: u8,
}

impl PathText {
    pub(super) const EMPTY: PathText = PathText { bytes: [0; CAPACITY], len: 0 };

    pub(super) fn of(text: &dyn fmt::Display) -> PathText {
        let mut length = Length(0);
        // Writing to these two sinks never fails.
        let _ = write!(length, "{text}");
        let mut end = PathEnd { text: PathText::EMPTY, skip: 0 };
        if length.0 > CAPACITY {
            end.push(ELLIPSIS);
            end.skip = length.0.saturating_sub(CAPACITY.saturating_sub(ELLIPSIS.len()));
        }
        let _ = write!(end, "{text}");
        end.text
    }

    pub(super) fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.len.into()).unwrap_or(&[]);
        core::str::from_utf8(bytes).unwrap_or("")
    }
}

impl fmt::Debug for PathText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// Counts the bytes of a text.
struct Length(usize);

impl Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.saturating_add(text.len());
        Ok(())
    }
}

/// Keeps a text without its first `skip` bytes. If these end inside a character, the rest of that
/// character is skipped, too.
struct PathEnd {
    text: PathText,
    skip: usize,
}

impl PathEnd {
    fn push(&mut self, text: &str) {
        let start = usize::from(self.text.len);
        let room = self.text.bytes.get_mut(start..).unwrap_or(&mut []);
        if let Some(room) = room.get_mut(..text.len()) {
            room.copy_from_slice(text.as_bytes());
            self.text.len = u8::try_from(start.saturating_add(text.len())).unwrap_or(u8::MAX);
        }
    }
}

impl Write for PathEnd {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut skip = self.skip.min(text.len());
        self.skip = self.skip.saturating_sub(skip);
        while !text.is_char_boundary(skip) {
            skip += 1;
        }
        self.push(text.get(skip..).unwrap_or(""));
        Ok(())
    }
}
