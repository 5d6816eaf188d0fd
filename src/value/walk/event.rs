//! The events of a walk.

#![expect(unsafe_code, reason = "it makes a view of the parts of one")]

use crate::value::view::{ElementTypeRef, InstanceRef, ObjectRef};
use crate::value::wire::TextCheck;
use crate::value::wire::nesting::{Level, LevelShape};
use crate::value::{DialectLayout, Kind, VariantRef, View};
use core::fmt;

/// An event of a walk.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A value that is not a container.
    Value(Slot, VariantRef<'a>),
    /// The start of a container. Its content follows, then [`Event::End`].
    Begin(Slot, Container<'a>),
    /// The name of an object's property. Its value follows.
    Property(&'a str),
    /// The end of the innermost open container.
    End(Ended),
}

/// The kind of a container that ends.
#[derive(Clone, Copy)]
pub struct Ended(pub(super) Level);

impl Ended {
    /// The kind of the container: an array, a dictionary or an object.
    #[inline]
    #[must_use]
    pub fn kind(self) -> Kind {
        self.0.kind()
    }

    /// Whether the container has element types, as [`Container::is_typed`] returned at its start.
    #[inline]
    #[must_use]
    pub const fn is_typed(self) -> bool {
        self.0.is_typed()
    }
}

/// Two ends are equal if the containers have the same kind and are both typed or both untyped.
impl PartialEq for Ended {
    fn eq(&self, other: &Ended) -> bool {
        self.kind() == other.kind() && self.is_typed() == other.is_typed()
    }
}

impl Eq for Ended {}

impl fmt::Debug for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ended").field(&self.kind()).finish()
    }
}

/// The role of a value in its container.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Slot {
    /// The walked value itself.
    Root,
    /// An element of an array.
    Element,
    /// A key of a dictionary. Its value follows.
    Key,
    /// The value of the preceding key.
    Value,
    /// The value of the preceding property name.
    Property,
}

/// A container that begins.
///
/// It consists of the same parts as a [`VariantRef`], so that events of both sorts can be passed in
/// registers.
#[derive(Clone, Copy)]
pub struct Container<'a> {
    /// The bytes from the container's header on. Its end is not known yet.
    bytes: &'a [u8],
    layout: &'static DialectLayout,
    /// The header in the lower half. Above it, one bit for whether the text is plain, then the
    /// number of elements, entries or properties, which has 31 bits.
    head: u64,
}

const PLAIN: u64 = 1 << 32;
const LEN: u32 = 33;

impl<'a> Container<'a> {
    /// Creates the container with this view of its start.
    #[inline(always)]
    pub(super) fn new(start: VariantRef<'a>, inner: Level) -> Container<'a> {
        let items = u64::from(inner.remaining());
        let len = if inner.shape() == LevelShape::Array { items } else { items / 2 };
        let plain = if start.text() == TextCheck::Plain { PLAIN } else { 0 };
        let head = len << LEN | plain | u64::from(start.header());
        Container { bytes: start.as_bytes(), layout: start.layout(), head }
    }

    /// The view of its start.
    #[inline(always)]
    fn start(self) -> VariantRef<'a> {
        let text = if self.head & PLAIN == 0 { TextCheck::Cut } else { TextCheck::Plain };
        // SAFETY: these are the parts of a view.
        unsafe { VariantRef::with_header(self.layout, text, self.head as u32, self.bytes) }
    }

    /// The kind of the container: an array, a dictionary or an object.
    #[inline]
    #[must_use]
    pub fn kind(self) -> Kind {
        self.start().kind()
    }

    /// How many elements, entries or properties follow.
    #[inline]
    #[must_use]
    pub fn len(self) -> usize {
        (self.head >> LEN) as usize
    }

    /// The container as a value. Its bytes may go on after its end.
    #[cfg(feature = "json")]
    pub(crate) fn as_value(self) -> VariantRef<'a> {
        self.start()
    }

    /// How many bytes of the walked value are left, from the container's header on.
    #[cfg(feature = "alloc")]
    pub(crate) const fn bytes_left(&self) -> usize {
        self.bytes.len()
    }

    /// Whether the container is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The declared types: those of a dictionary's keys and values, or that of an array's elements
    /// and then [`ElementTypeRef::Any`].
    #[must_use]
    pub fn element_types(self) -> [ElementTypeRef<'a>; 2] {
        match self.start().view() {
            View::Dictionary(dictionary) => [dictionary.key_type(), dictionary.value_type()],
            View::Array(array) | View::TypedArray(array) | View::PackedTypedArray(array) => {
                [array.element_type(), ElementTypeRef::Any]
            }
            _ => [ElementTypeRef::Any; 2],
        }
    }

    /// Whether its header declares element types, even if they allow any value. [`Ended::is_typed`]
    /// returns the same.
    #[must_use]
    pub fn is_typed(self) -> bool {
        self.start().names_element_types()
    }

    /// The class of an object; empty for other containers.
    #[must_use]
    pub fn class(self) -> &'a str {
        self.instance().map_or("", |instance| instance.class())
    }

    fn instance(&self) -> Option<InstanceRef<'a>> {
        match self.start().view() {
            View::Object(ObjectRef::Instance(instance)) => Some(instance),
            _ => None,
        }
    }
}

impl fmt::Debug for Container<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_fields!(f, Container { kind = self.kind(), len = self.len(), .. })
    }
}

impl PartialEq for Container<'_> {
    fn eq(&self, other: &Container<'_>) -> bool {
        self.kind() == other.kind()
            && self.len() == other.len()
            && self.class() == other.class()
            && self.element_types() == other.element_types()
    }
}
