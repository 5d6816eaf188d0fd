//! Views of arrays, dictionaries and objects.

#![expect(unsafe_code, reason = "it reads text of checked bytes, which is not checked again")]

use super::element_type::{ElementTypeRef, Preamble};
use super::strings::str_at;
use super::{Key, header_of};
use crate::value::trusted::{sized, split, word, words};
use crate::value::wire::common::{Common, checked_common};
use crate::value::wire::content::padded;
use crate::value::wire::{TextCheck, after_value};
use crate::value::{Class, DialectLayout, ELEMENT_TYPES, Kind, TOP_BIT, VariantRef};
use core::fmt;
use core::iter::FusedIterator;

/// Consecutive items of a container: a known number of elements, entries or properties, whose
/// lengths are not known. They were checked with the container. No more items are taken than there
/// are: reading an item does not look at the length of the bytes.
#[derive(Clone, Copy)]
pub(super) struct ItemBytes<'a> {
    bytes: &'a [u8],
    layout: &'static DialectLayout,
    len: u32,
    text: TextCheck,
}

impl<'a> ItemBytes<'a> {
    /// The values after the count at `offset` in a container.
    fn of(container: &VariantRef<'a>, offset: usize) -> ItemBytes<'a> {
        let (len, bytes) = match container.from(offset).split_first_chunk() {
            Some((count, bytes)) => (u32::from_le_bytes(*count) & !TOP_BIT, bytes),
            None => (0, &[][..]),
        };
        ItemBytes { bytes, layout: container.layout(), len, text: container.text() }
    }

    /// One value, of which only the start may be known: the view may extend beyond its end.
    pub(super) fn from_start(value: VariantRef<'a>) -> ItemBytes<'a> {
        ItemBytes { bytes: value.as_bytes(), layout: value.layout(), len: 1, text: value.text() }
    }

    /// The next value, whose end is not known yet.
    pub(super) fn start(&self) -> VariantRef<'a> {
        // SAFETY: the bytes were checked with the container's, and a value begins here.
        unsafe { VariantRef::validated(self.layout, self.text, self.bytes) }
    }

    /// Takes the name of a property off the front.
    pub(super) fn take_name(&mut self) -> Option<&'a str> {
        // SAFETY: the bytes were checked with the object's, and a property begins with its name.
        let (name, end) = unsafe { str_at(self.bytes, 0, self.text) };
        self.bytes = self.bytes.get(end..)?;
        Some(name)
    }

    /// Takes one value off the front.
    #[inline(always)]
    pub(super) fn take(&mut self) -> Option<VariantRef<'a>> {
        let start = self.bytes;
        // SAFETY: the bytes were checked with the container's, and a value begins here, because
        // only as many are taken as the container has.
        let (header, bytes) = match unsafe { checked_common(self.layout, start) } {
            (header, Common::Leaf { bytes, rest }) => {
                self.bytes = rest;
                (header, bytes)
            }
            _ => {
                // SAFETY: the same.
                self.bytes = unsafe { after_value(self.layout, start) }?;
                let length = start.len().checked_sub(self.bytes.len())?;
                (header_of(start), start.get(..length)?)
            }
        };
        // SAFETY: the bytes were checked with the container's, and a value begins here.
        Some(unsafe { VariantRef::with_header(self.layout, self.text, header, bytes) })
    }

    /// Skips one value.
    #[inline(always)]
    pub(super) fn skip(&mut self) -> Option<()> {
        // SAFETY: the same as in `take`.
        self.bytes = match unsafe { checked_common(self.layout, self.bytes) } {
            (_, Common::Leaf { rest, .. }) => rest,
            // SAFETY: the same.
            _ => unsafe { after_value(self.layout, self.bytes) }?,
        };
        Some(())
    }

    /// The last value of a text key among these entries, in which all text is plain.
    #[inline(never)]
    fn last_of_text(self, key: &str) -> Option<VariantRef<'a>> {
        let ItemBytes { bytes, layout, len, text } = self;
        let wanted = WantedText::new(key);
        let mut found = None;
        let mut rest = bytes;
        for _ in 0..len {
            let start = rest;
            // SAFETY: a key begins here, and a value of at least four bytes follows it.
            let is_found = unsafe {
                if word(start, 0) == Kind::String as u32 {
                    rest = split(start, 8 + padded(word(start, 4) as usize)).1;
                    wanted.follows(start)
                } else {
                    let (after, is_found) = other_key(ItemBytes { bytes: start, ..self }, key)?;
                    rest = after;
                    is_found
                }
            };
            if is_found {
                found = Some(rest);
            }
            // SAFETY: a value begins here.
            rest = match unsafe { checked_common(layout, rest) } {
                (_, Common::Leaf { rest, .. }) => rest,
                // SAFETY: the same.
                _ => unsafe { after_value(layout, rest) }?,
            };
        }
        ItemBytes { bytes: found?, layout, len: 1, text }.take()
    }

    /// Counts one item down. Once no item is left, it always returns `None`.
    #[inline]
    fn count_down(&mut self) -> Option<()> {
        self.len = self.len.checked_sub(1)?;
        Some(())
    }

    fn len(&self) -> usize {
        self.len as usize
    }

    pub(super) const fn count(&self) -> u32 {
        self.len
    }
}

/// A text key that is searched for. Its length and its first four bytes are compared at once.
#[derive(Clone, Copy)]
struct WantedText<'k> {
    text: &'k [u8],
    start: u64,
    /// The bits of `start` that a key must have.
    mask: u64,
}

impl<'k> WantedText<'k> {
    fn new(text: &'k str) -> WantedText<'k> {
        let text = text.as_bytes();
        let (first, mask) = match text.first_chunk::<4>() {
            Some(first) => (u32::from_le_bytes(*first), u32::MAX),
            None => {
                let first = text.iter().rfold(0, |first, byte| first << 8 | u32::from(*byte));
                (first, (1 << (8 * text.len())) - 1)
            }
        };
        WantedText {
            text,
            start: u64::from(first) << 32 | u64::from(text.len() as u32),
            mask: u64::from(mask) << 32 | u64::from(u32::MAX),
        }
    }

    /// Whether the string at the front of `bytes` has this text.
    ///
    /// # Safety
    ///
    /// At the front of `bytes` must be the header of a string, and the whole string, and at least
    /// four bytes must follow it.
    #[inline(always)]
    unsafe fn follows(self, bytes: &[u8]) -> bool {
        // SAFETY: the caller guarantees that the bytes are there.
        unsafe {
            words(bytes, 4) & self.mask == self.start
                && (self.text.len() <= 4 || sized(bytes, 4) == self.text)
        }
    }
}

/// Skips a key that is not a string with a header without flags. Returns whether it has this text.
#[cold]
#[inline(never)]
fn other_key<'a>(mut items: ItemBytes<'a>, key: &str) -> Option<(&'a [u8], bool)> {
    let is_found = key.is(items.take()?);
    Some((items.bytes, is_found))
}

macro_rules! iterator {
    ($(#[$doc:meta])* $iter:ident, $item:ty) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $iter<'a>(ItemBytes<'a>);

        impl<'a> Iterator for $iter<'a> {
            type Item = $item;

            #[inline(always)]
            fn next(&mut self) -> Option<$item> {
                self.0.count_down()?;
                self.take()
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.0.len(), Some(self.0.len()))
            }

            #[inline]
            fn nth(&mut self, n: usize) -> Option<$item> {
                if n >= self.0.len() {
                    self.0.len = 0;
                    return None;
                }
                for _ in 0..n {
                    self.0.count_down()?;
                    self.skip()?;
                }
                self.next()
            }

            #[inline]
            fn count(self) -> usize {
                self.0.len()
            }

            #[inline]
            fn last(mut self) -> Option<$item> {
                self.nth(self.0.len().checked_sub(1)?)
            }
        }

        impl ExactSizeIterator for $iter<'_> {}
        impl FusedIterator for $iter<'_> {}

        impl fmt::Debug for $iter<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($iter)).field("len", &self.len()).finish_non_exhaustive()
            }
        }
    };
}

/// The offset of the count in a container whose header may have flags.
#[cold]
#[inline(never)]
fn count_at(container: VariantRef<'_>) -> usize {
    if container.names_element_types() { Preamble::of(&container).count_at } else { 4 }
}

macro_rules! container {
    ($(#[$doc:meta])* $name:ident, $(#[$iter_doc:meta])* $iter:ident, $item:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name<'a>(VariantRef<'a>);

        impl<'a> $name<'a> {
            /// Creates it from the view of a container, which may extend beyond the container's
            /// end.
            #[inline]
            pub(super) const fn new(start: VariantRef<'a>) -> $name<'a> {
                $name(start)
            }

            #[inline(always)]
            pub(super) fn content(&self) -> ItemBytes<'a> {
                let header = self.0.header();
                let class = self.0.layout().entry(header).class;
                if header >> ELEMENT_TYPES == 0 && matches!(class, Class::Array | Class::Dictionary)
                {
                    return ItemBytes::of(&self.0, 4);
                }
                ItemBytes::of(&self.0, count_at(self.0))
            }

            /// How many bytes follow the count, up to the end of the view. A search for an item
            /// reads at most these.
            #[cfg(feature = "capture")]
            pub(crate) fn reach(&self) -> usize {
                self.content().bytes.len()
            }

            /// How many elements or entries there are, by the count in the packet.
            #[inline]
            #[must_use]
            pub fn len(self) -> usize {
                self.content().len()
            }

            /// Whether there are none.
            #[inline]
            #[must_use]
            pub fn is_empty(self) -> bool {
                self.len() == 0
            }

            /// Iterates over the elements or entries, in the order of the packet.
            #[inline]
            #[must_use]
            pub fn iter(self) -> $iter<'a> {
                $iter(self.content())
            }
        }

        impl<'a> IntoIterator for $name<'a> {
            type Item = $item;
            type IntoIter = $iter<'a>;

            #[inline]
            fn into_iter(self) -> $iter<'a> {
                self.iter()
            }
        }

        /// Two views are equal if the containers are equal.
        impl PartialEq for $name<'_> {
            fn eq(&self, other: &Self) -> bool {
                self.0 == other.0
            }
        }

        impl fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("len", &self.len()).finish_non_exhaustive()
            }
        }

        iterator! { $(#[$iter_doc])* $iter, $item }
    };
}

container! {
    /// The elements of an array.
    ArrayRef,
    /// The elements of an array in order.
    ArrayIter, VariantRef<'a>
}

container! {
    /// The entries of a dictionary, in the order of the packet.
    ///
    /// A key can occur twice. The engines then keep its first position and its last value.
    DictionaryRef,
    /// Iterates over the keys and values of a dictionary, in the order of the packet.
    DictionaryIter, (VariantRef<'a>, VariantRef<'a>)
}

impl<'a> ArrayRef<'a> {
    /// The declared type of the elements. It is not checked whether they have this type.
    #[must_use]
    pub fn element_type(self) -> ElementTypeRef<'a> {
        let [elements, _] = Preamble::of(&self.0).types;
        elements
    }

    /// One element. This skips the elements before it one by one. To read many elements in any
    /// order, use [`ArrayRef::index`].
    #[must_use]
    pub fn get(self, index: usize) -> Option<VariantRef<'a>> {
        self.iter().nth(index)
    }

    /// Writes the offset of each element into the caller's buffer, so that each element can be read
    /// in constant time. `None` if the buffer is shorter than [`ArrayRef::len`], or if an element
    /// begins after the first 4 GiB.
    ///
    /// ```
    /// # use gdwire::{Dialect, parse};
    /// # let packet = b"\x13\0\0\0\x02\0\0\0\x02\0\0\0\x07\0\0\0\x02\0\0\0\x08\0\0\0";
    /// let array = parse(Dialect::GODOT_3, packet)?.as_array().ok_or("no array")?; // [7, 8]
    /// let mut buffer = [0; 100];
    /// let elements = array.index(&mut buffer).ok_or("too many elements")?;
    /// assert_eq!(elements.get(1).and_then(|last| last.as_i64()), Some(8));
    /// assert!(elements.get(2).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn index<'i>(self, buffer: &'i mut [u32]) -> Option<ArrayIndex<'a, 'i>> {
        let values = self.content();
        let offsets = buffer.get_mut(..values.len())?;
        let mut rest = values;
        for offset in offsets.iter_mut() {
            *offset = u32::try_from(values.bytes.len().saturating_sub(rest.bytes.len())).ok()?;
            rest.skip()?;
        }
        Some(ArrayIndex { values, offsets })
    }
}

/// An array whose elements can each be read in constant time: see [`ArrayRef::index`].
#[derive(Clone, Copy)]
pub struct ArrayIndex<'a, 'i> {
    values: ItemBytes<'a>,
    /// The offset of each element, in bytes from the first element.
    offsets: &'i [u32],
}

impl<'a> ArrayIndex<'a, '_> {
    /// How many elements there are.
    #[must_use]
    pub const fn len(self) -> usize {
        self.offsets.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.offsets.is_empty()
    }

    /// One element, in constant time.
    #[inline]
    #[must_use]
    pub fn get(self, index: usize) -> Option<VariantRef<'a>> {
        let offset = *self.offsets.get(index)?;
        let bytes = self.values.bytes.get(offset as usize..)?;
        ItemBytes { bytes, ..self.values }.take()
    }
}

impl fmt::Debug for ArrayIndex<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrayIndex").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<'a> ArrayIter<'a> {
    #[inline(always)]
    fn take(&mut self) -> Option<VariantRef<'a>> {
        self.0.take()
    }

    #[inline]
    fn skip(&mut self) -> Option<()> {
        self.0.skip()
    }
}

impl<'a> DictionaryRef<'a> {
    /// The declared type of the keys. It is not checked whether they have this type.
    #[must_use]
    pub fn key_type(self) -> ElementTypeRef<'a> {
        let [keys, _] = Preamble::of(&self.0).types;
        keys
    }

    /// The declared type of the values. It is not checked whether they have this type.
    #[must_use]
    pub fn value_type(self) -> ElementTypeRef<'a> {
        let [_, values] = Preamble::of(&self.0).types;
        values
    }

    /// The value of a key. If the key occurs twice, this is the last value, as in the engines. The
    /// search reads all entries.
    ///
    /// A String and a StringName with the same text are the same key, as in Godot 4, and as in an
    /// owned [`Dictionary`](crate::Dictionary).
    #[must_use]
    pub fn get(self, key: impl Key) -> Option<VariantRef<'a>> {
        let mut items = self.content();
        if let Some(text) = key.as_text().filter(|_| items.text == TextCheck::Plain) {
            return items.last_of_text(text);
        }
        let mut found = None;
        while items.count_down().is_some() {
            let is_found = key.is(items.take()?);
            let value = items;
            items.skip()?;
            if is_found {
                found = Some(value);
            }
        }
        found?.take()
    }

    /// Iterates over the keys, in the order of the packet.
    pub fn keys(self) -> impl ExactSizeIterator<Item = VariantRef<'a>> + FusedIterator + use<'a> {
        self.iter().map(|(key, _)| key)
    }

    /// Iterates over the values, in the order of the packet.
    pub fn values(self) -> impl ExactSizeIterator<Item = VariantRef<'a>> + FusedIterator + use<'a> {
        self.iter().map(|(_, value)| value)
    }
}

impl<'a> DictionaryIter<'a> {
    #[inline(always)]
    fn take(&mut self) -> Option<(VariantRef<'a>, VariantRef<'a>)> {
        Some((self.0.take()?, self.0.take()?))
    }

    #[inline]
    fn skip(&mut self) -> Option<()> {
        self.0.skip()?;
        self.0.skip()
    }
}

/// An object, in one of the forms in which engines write it. This crate never creates instances.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum ObjectRef<'a> {
    /// No object.
    Null,
    /// Only the id of the object. It is valid only in the process that wrote it.
    Id(u64),
    /// The class and properties of the object. An engine writes them with `full_objects`.
    Instance(InstanceRef<'a>),
}

impl<'a> ObjectRef<'a> {
    /// Reads the content of an object.
    ///
    /// # Safety
    ///
    /// The view must be of an object.
    pub(super) unsafe fn new(object: &VariantRef<'a>) -> ObjectRef<'a> {
        const FLAG_BY_ID: u8 = 1;
        if object.as_bytes().get(2).is_some_and(|flags| flags & FLAG_BY_ID != 0) {
            return match object.id() {
                0 => ObjectRef::Null,
                id => ObjectRef::Id(id),
            };
        }
        // SAFETY: the bytes of a view are checked, and an object without that flag has the name of
        // its class after the header.
        let (class, end) = unsafe { str_at(object.as_bytes(), 4, object.text()) };
        if class.is_empty() {
            return ObjectRef::Null;
        }
        let mut properties = ItemBytes::of(object, end);
        if object.from(end).get(3).is_some_and(|byte| byte & 0x80 != 0) {
            // The engine counts with a signed number, so it reads nothing for a negative count.
            properties.len = 0;
        }
        ObjectRef::Instance(InstanceRef { class, properties })
    }
}

/// An object with its class and properties.
#[derive(Clone, Copy)]
pub struct InstanceRef<'a> {
    class: &'a str,
    properties: ItemBytes<'a>,
}

/// Two objects are equal if their classes are equal and they have equal properties in the same
/// order.
impl PartialEq for InstanceRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.class == other.class && self.properties().eq(other.properties())
    }
}

impl fmt::Debug for InstanceRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InstanceRef { class, .. } = self;
        debug_fields!(f, InstanceRef { class, len = self.len(), .. })
    }
}

impl<'a> InstanceRef<'a> {
    /// The name of its class.
    #[must_use]
    pub const fn class(self) -> &'a str {
        self.class
    }

    /// How many properties it has.
    #[must_use]
    pub fn len(self) -> usize {
        self.properties.len()
    }

    /// Whether it has no properties.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    pub(super) const fn content(&self) -> ItemBytes<'a> {
        self.properties
    }

    /// Iterates over the names and values of its properties, in the order of the packet.
    #[must_use]
    pub fn properties(self) -> PropertiesIter<'a> {
        PropertiesIter(self.properties)
    }

    /// The value of a property. If the name occurs twice, this is the last value, which the engines
    /// keep.
    #[must_use]
    pub fn get(self, name: &str) -> Option<VariantRef<'a>> {
        let found = self.properties().filter(|(candidate, _)| *candidate == name).last();
        found.map(|(_, value)| value)
    }
}

iterator! {
    /// The names and values of an object's properties in order.
    PropertiesIter, (&'a str, VariantRef<'a>)
}

impl<'a> PropertiesIter<'a> {
    #[inline]
    fn take(&mut self) -> Option<(&'a str, VariantRef<'a>)> {
        Some((self.0.take_name()?, self.0.take()?))
    }

    #[inline]
    fn skip(&mut self) -> Option<()> {
        self.take().map(drop)
    }
}
