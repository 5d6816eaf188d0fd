//! Looks values up by paths and reads them as Rust types, with errors that name the place.
//!
//! A path is followed in one pass over the bytes. The search enters a value without knowing where
//! the value ends. If something that comes later can still replace what was found, the search
//! continues after the value: a key may occur twice, and the last one counts. Bytes are not read
//! again for each level, so the time grows with the size of the value, however deep it is nested.

use super::container::ItemBytes;
use super::path::Escaped;
use super::{AccessError, FromVariant, Index, Key, ObjectRef, path};
use crate::value::wire::nesting::{LEVEL_ROOM, Level, LevelRoom, LevelShape, Levels};
use crate::value::{VariantRef, View};
use core::fmt;

/// A value and the path that led to it: see [`VariantRef::at`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct At<'a, 'p> {
    value: VariantRef<'a>,
    offset: usize,
    path: &'p str,
}

impl<'a, 'p> At<'a, 'p> {
    /// The value that was found.
    #[must_use]
    pub const fn value(self) -> VariantRef<'a> {
        self.value
    }

    /// The offset of the value, in bytes from the start of the value in which the path was looked
    /// up.
    #[must_use]
    pub const fn offset(self) -> usize {
        self.offset
    }

    /// The path that leads to the value.
    #[must_use]
    pub const fn path(self) -> &'p str {
        self.path
    }

    /// Reads the value as a Rust type: see [`VariantRef::to`].
    ///
    /// # Errors
    ///
    /// Those of [`FromVariant::from_variant`], with the path and the offset of this place.
    #[inline]
    pub fn to<T: FromVariant<'a>>(self) -> Result<T, AccessError> {
        T::from_variant(self.value).map_err(|error| error.within(self.offset, self.path))
    }
}

impl<'a> VariantRef<'a> {
    /// Finds a value by a path of keys, names and indexes, such as `/inventory/2/count`.
    ///
    /// A path is a JSON pointer: a slash precedes each segment. Inside a segment, `~1` stands for a
    /// slash and `~0` for a tilde; [`segment`](super::segment) escapes them. The empty path is the
    /// value itself. A segment means:
    ///
    /// - in an array, the element with this index;
    /// - in an object, the property with this name;
    /// - in a dictionary, the value of the String or StringName key with this text. If there is
    ///   none and the segment is a whole number, it means the value of that int key. If a
    ///   dictionary has the keys `"2"` and `2`, `/2` means the text;
    ///   [`DictionaryRef::get(2)`](super::DictionaryRef::get) finds the int.
    ///
    /// ```
    /// # use gdwire::{Dialect, encode, parse, variant};
    /// # let packet = encode(Dialect::GODOT_3, &variant!({ "inventory": [{ "count": "two" }] }))?;
    /// let value = parse(Dialect::GODOT_3, &packet)?; // { "inventory": [{ "count": "two" }] }
    /// let count = value.at("/inventory/0/count")?;
    /// assert_eq!(count.value().as_str(), Some("two"));
    ///
    /// let error = count.to::<i32>().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "/inventory/0/count: expected an int, found a String at byte 60"
    /// );
    /// let error = value.at("/inventory/0/name").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "/inventory/0/name: the Dictionary at byte 36 has no key \"name\""
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// There is no such value, or `path` is not a valid path.
    pub fn at<'p>(self, path: &'p str) -> Result<At<'a, 'p>, AccessError> {
        match self.follow(path) {
            Ok(value) => Ok(At { value, offset: self.offset_of(value), path }),
            Err(stopped) => Err(AccessError::nowhere(self, stopped, &path)),
        }
    }

    /// Finds a value by a path, as [`VariantRef::at`] does. Returns `None` if there is no such
    /// value.
    ///
    /// ```
    /// # use gdwire::{Dialect, encode, parse, variant};
    /// # let packet = encode(Dialect::GODOT_3, &variant!({ "at": [1, 2] }))?;
    /// let value = parse(Dialect::GODOT_3, &packet)?; // { "at": [1, 2] }
    /// assert_eq!(value.pointer("/at/1").and_then(|y| y.as_i64()), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn pointer(self, path: &str) -> Option<VariantRef<'a>> {
        self.follow(path).ok()
    }

    /// Reads the value as a Rust type. An error names the kind that was found.
    ///
    /// ```
    /// # use gdwire::{Dialect, encode, parse, variant};
    /// # let packet = encode(Dialect::GODOT_3, &variant!([1, 2, 300]))?;
    /// let value = parse(Dialect::GODOT_3, &packet)?; // [1, 2, 300]
    /// assert_eq!(value.to::<Vec<i16>>()?, [1, 2, 300]);
    ///
    /// let error = value.to::<Vec<u8>>().unwrap_err();
    /// assert_eq!(error.to_string(), "/2: the int 300 at byte 24 does not fit in u8");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`FromVariant::from_variant`].
    #[inline]
    pub fn to<T: FromVariant<'a>>(self) -> Result<T, AccessError> {
        T::from_variant(self)
    }

    /// Reads a value inside this one as a Rust type: the element of an array, the value of a string
    /// key of a dictionary, or the property of an object. An [`Option`] is `None` if the container
    /// has no such value; if this value is not a container, the result is an error.
    ///
    /// ```
    /// # use gdwire::{Dialect, encode, parse, variant};
    /// # let packet = encode(Dialect::GODOT_3, &variant!({ "hp": 87, "name": "Zoë" }))?;
    /// let value = parse(Dialect::GODOT_3, &packet)?; // { "hp": 87, "name": "Zoë" }
    /// assert_eq!(value.get_as::<i32>("hp")?, 87);
    /// assert_eq!(value.get_as::<&str>("name")?, "Zoë");
    /// assert_eq!(value.get_as::<Option<f64>>("speed")?, None);
    ///
    /// let error = value.get_as::<f64>("speed").unwrap_err();
    /// assert_eq!(error.to_string(), "/speed: the Dictionary at byte 0 has no key \"speed\"");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// There is no such value, or [`FromVariant::from_variant`] returns an error.
    pub fn get_as<T: FromVariant<'a>>(self, index: impl Index) -> Result<T, AccessError> {
        if let Some(value) = self.get(index) {
            return T::from_variant(value)
                .map_err(|error| error.within(self.offset_of(value), Beneath(Escaped(index))));
        }
        let stop = if self.is_container() { PathStop::Missing } else { PathStop::Leaf };
        if let (PathStop::Missing, Some(absent)) = (stop, T::absent()) {
            return Ok(absent);
        }
        let stopped = PathStopped { stop, reached: self, after: 0 };
        Err(AccessError::nowhere(self, stopped, &Beneath(Escaped(index))))
    }

    /// Whether the value can contain other values.
    fn is_container(self) -> bool {
        matches!(
            self.view(),
            View::Array(_)
                | View::TypedArray(_)
                | View::PackedTypedArray(_)
                | View::Dictionary(_)
                | View::Object(ObjectRef::Instance(_))
        )
    }

    /// The offset of a value that was found in this one.
    pub(super) fn offset_of(self, inner: VariantRef<'_>) -> usize {
        let start = self.as_bytes().as_ptr().addr();
        inner.as_bytes().as_ptr().addr().saturating_sub(start)
    }
}

/// Writes a slash and then the value.
struct Beneath<T>(T);

impl<T: fmt::Display> fmt::Display for Beneath<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}", self.0)
    }
}

/// Why a path was not found.
#[derive(Clone, Copy, Debug)]
pub(super) enum PathStop {
    /// The spelling of the path is wrong.
    Spelling,
    /// The container has no such key, property or element.
    Missing,
    /// The value contains no other values.
    Leaf,
}

/// How far a path leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathStopped<'a> {
    pub(super) stop: PathStop,
    /// The last value that the path reaches. The view may extend beyond its end.
    pub(super) reached: VariantRef<'a>,
    /// How many segments come after the one that leads nowhere.
    pub(super) after: usize,
}

impl<'a> VariantRef<'a> {
    /// Finds the value at the end of a path.
    fn follow(self, path: &str) -> Result<VariantRef<'a>, PathStopped<'a>> {
        if !path::is_spelled(path) {
            return Err(PathStopped { stop: PathStop::Spelling, reached: self, after: 0 });
        }
        let mut room = LEVEL_ROOM;
        let mut search = PathSearch::new(self, path, Levels::over(&mut room));
        search.run();
        let FoundValue { value: reached, left } = search.found;
        if left.is_empty() {
            return Ok(reached.whole().unwrap_or(reached));
        }
        let stop =
            if PathContainer::new(reached).is_some() { PathStop::Missing } else { PathStop::Leaf };
        Err(PathStopped { stop, reached, after: left.matches('/').count().saturating_sub(1) })
    }

    /// The value cut off at its end. The view `self` may extend beyond that end.
    fn whole(self) -> Option<VariantRef<'a>> {
        ItemBytes::from_start(self).take()
    }
}

/// A container that is being searched.
struct PathContainer<'a> {
    /// How many elements, entries or properties are left. The mark means: in an array, the element
    /// was found; in a dictionary, a text key was found, which no int key replaces.
    level: Level,
    values: ItemBytes<'a>,
}

impl<'a> PathContainer<'a> {
    /// `None` if the value contains no other values.
    fn new(start: VariantRef<'a>) -> Option<PathContainer<'a>> {
        let (shape, values) = match start.view() {
            View::Array(elements)
            | View::TypedArray(elements)
            | View::PackedTypedArray(elements) => (LevelShape::Array, elements.content()),
            View::Dictionary(entries) => (LevelShape::Dictionary, entries.content()),
            View::Object(ObjectRef::Instance(instance)) => (LevelShape::Object, instance.content()),
            _ => return None,
        };
        Some(PathContainer { level: Level::new(start.kind(), shape, values.count()), values })
    }
}

/// The last value that a path reaches so far.
struct FoundValue<'a, 'p> {
    /// The value, of which only the start is known.
    value: VariantRef<'a>,
    /// The rest of the path.
    left: &'p str,
}

struct PathSearch<'a, 'p, 's> {
    path: &'p str,
    found: FoundValue<'a, 'p>,
    /// The innermost open container, if there is one.
    open: Option<PathContainer<'a>>,
    /// The containers around it in which something can replace what was found.
    around: Levels<&'s mut LevelRoom>,
    /// The rest of the path, from the segment that is looked up in the innermost container.
    wanted: &'p str,
    /// The whole number that this segment spells, if it spells one.
    number: Option<i64>,
    /// How many elements are still to come before the one with this number.
    before: Option<u32>,
}

impl<'a, 'p, 's> PathSearch<'a, 'p, 's> {
    fn new(
        root: VariantRef<'a>,
        path: &'p str,
        around: Levels<&'s mut LevelRoom>,
    ) -> PathSearch<'a, 'p, 's> {
        let found = FoundValue { value: root, left: path };
        let open = if path.is_empty() { None } else { PathContainer::new(root) };
        let mut search =
            PathSearch { path, found, open, around, wanted: path, number: None, before: None };
        search.want(path);
        search
    }

    fn want(&mut self, wanted: &'p str) {
        self.wanted = wanted;
        self.number = path::first_number(wanted);
        self.before = self.number.and_then(|number| number.try_into().ok());
    }

    /// Searches to the end, or until nothing can replace what was found. It returns an `Option`
    /// only so that `?` can stop the search; the result is always `None`.
    fn run(&mut self) -> Option<()> {
        loop {
            let open = self.open.as_mut()?;
            if open.level.is_empty() {
                open.level = self.around.pop()?;
                // Go back to the previous segment. It is as long as the key that it matched.
                let end = self.path.len().checked_sub(self.wanted.len())?;
                let start = self.path.get(..end)?.rfind('/')?;
                self.want(self.path.get(start..)?);
                continue;
            }
            let left = self.next_match()?;
            let open = self.open.as_mut()?;
            let Some(left) = left else {
                open.values.skip()?;
                continue;
            };
            let value = open.values.start();
            self.found = FoundValue { value, left };
            let is_last = open.level.is_empty() || open.level.shape() == LevelShape::Array;
            let is_settled = is_last && self.around.is_empty();
            match PathContainer::new(value) {
                Some(inner) if !left.is_empty() => {
                    if !is_settled && !self.around.push(open.level) {
                        return None;
                    }
                    *open = inner;
                    self.want(left);
                }
                _ if is_settled => return None,
                _ => open.values.skip()?,
            }
        }
    }

    /// Moves to the value of the next element, entry or property. Returns the rest of the path if
    /// the wanted segment leads to this value.
    fn next_match(&mut self) -> Option<Option<&'p str>> {
        let PathContainer { level, values } = self.open.as_mut()?;
        level.take_one();
        match level.shape() {
            LevelShape::Array => {
                if level.is_marked() {
                    return Some(None);
                }
                let before = self.before.as_mut();
                let Some(left) = before.map(|before| before.checked_sub(1)) else {
                    return Some(None);
                };
                self.before = left;
                if left.is_some() {
                    return Some(None);
                }
                *level = level.marked();
                Some(path::after_first(self.wanted))
            }
            LevelShape::Dictionary => {
                let key = values.take()?;
                if let Some(text) = key.as_str() {
                    let left = path::after_key(self.wanted, text);
                    if left.is_some() {
                        // No int key replaces a text key.
                        *level = level.marked();
                    }
                    return Some(left);
                }
                let is_number = !level.is_marked() && self.number.is_some_and(|it| it.is(key));
                Some(if is_number { path::after_first(self.wanted) } else { None })
            }
            _ => Some(path::after_key(self.wanted, values.take_name()?)),
        }
    }
}
