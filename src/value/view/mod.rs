//! Views: read the content of a value in its bytes, without copying.
//!
//! Parsing checks a whole value once. After that, no accessor and no iterator can fail, and none
//! copies or allocates.
//!
//! ```
//! use gdwire::{Dialect, View, parse};
//!
//! let bytes = [
//!     18, 0, 0, 0, 1, 0, 0, 0, // a dictionary of one entry
//!     4, 0, 0, 0, 2, 0, 0, 0, b'h', b'p', 0, 0, // "hp"
//!     2, 0, 0, 0, 87, 0, 0, 0, // 87
//! ];
//! let value = parse(Dialect::GODOT_3, &bytes)?;
//! assert_eq!(value.get("hp").and_then(|hp| hp.as_i64()), Some(87));
//! match value.view() {
//!     View::Dictionary(entries) => assert_eq!(entries.len(), 1),
//!     other => println!("no dictionary: {other:?}"),
//! }
//! # Ok::<(), gdwire::Error>(())
//! ```
//!
//! Skipping an element means reading over its bytes. So nested iteration over a value of depth *d*
//! can read its bytes *d* times. [`crate::walk`] reads them once.

#![expect(unsafe_code, reason = "it reads text of checked bytes, which is not checked again")]

mod access;
mod access_error;
mod at;
mod container;
mod element_type;
mod from_variant;
mod leaf;
mod node_path;
mod path;
mod strings;

pub use access::{Index, Key};
pub use access_error::{AccessError, AccessProblem};
pub use at::At;
pub use container::{
    ArrayIndex, ArrayIter, ArrayRef, DictionaryIter, DictionaryRef, InstanceRef, ObjectRef,
    PropertiesIter,
};
pub use element_type::ElementTypeRef;
pub use from_variant::FromVariant;
pub(crate) use leaf::{Cells, Leaf, Storage};
pub use node_path::{NodePathNames, NodePathRef};
pub(crate) use path::Escaped;
pub use path::segment;
#[cfg(feature = "alloc")]
pub(crate) use path::{Path, PathSegment};
pub(crate) use strings::str_at;
pub use strings::{StringsIter, StringsRef};

use super::math::*;
use super::number::{cast, widened};
use super::trusted::{checked_str, sized};
use super::wire::TextCheck;
use super::{Dialect, DialectLayout, F32Le, F64Le, FLAG_64, I32Le, I64Le, Kind};

/// A view of a value in the bytes of the input.
///
/// It is `Copy` and has 32 bytes. [`VariantRef::view`] returns the content to match on. The `as_`
/// functions return the content as one type, or `None`.
///
/// Two views are equal if they show the same value, even if padding, flags or the widths of numbers
/// differ.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct VariantRef<'a> {
    bytes: &'a [u8],
    layout: &'static DialectLayout,
    /// The header in the lower half, and what is known about the strings in the upper half. Both
    /// are in one register, and are available without a look at the bytes and their length.
    head: u64,
}

impl<'a> VariantRef<'a> {
    /// Creates the view of bytes that are one whole value.
    ///
    /// # Safety
    ///
    /// The grammar must have read `bytes` with this `layout` from the header on, must have checked
    /// the text in them, and must have found `text`. The bytes may go on after the value. Those of a
    /// container may end after its count, if nothing reads the values in it.
    #[inline(always)]
    pub(crate) const unsafe fn validated(
        layout: &'static DialectLayout,
        text: TextCheck,
        bytes: &'a [u8],
    ) -> VariantRef<'a> {
        // SAFETY: the caller guarantees the same, and the header is that of the bytes.
        unsafe { VariantRef::with_header(layout, text, header_of(bytes), bytes) }
    }

    /// Does the same for a header that is already known.
    ///
    /// # Safety
    ///
    /// The same as for [`VariantRef::validated`]. Also, `bytes` must start with `header`.
    #[inline(always)]
    pub(crate) const unsafe fn with_header(
        layout: &'static DialectLayout,
        text: TextCheck,
        header: u32,
        bytes: &'a [u8],
    ) -> VariantRef<'a> {
        VariantRef { bytes, layout, head: (text as u64) << 32 | header as u64 }
    }

    /// The kind of the value.
    #[inline]
    #[must_use]
    pub fn kind(self) -> Kind {
        self.layout.entry(self.header()).kind
    }

    /// The value's own bytes in the input, header and padding included.
    #[inline]
    #[must_use]
    pub const fn as_bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The dialect in which the value was read.
    #[must_use]
    pub fn dialect(self) -> Dialect {
        self.layout.dialect()
    }

    /// Whether its numbers have eight bytes: an int or float with flag 64, or the reals of a
    /// double-precision engine.
    #[inline]
    #[must_use]
    pub fn is_wide(self) -> bool {
        let header = self.header();
        self.layout.entry(header).is_wide(header)
    }

    #[inline]
    pub(crate) fn layout(&self) -> &'static DialectLayout {
        self.layout
    }

    #[inline]
    pub(crate) const fn text(&self) -> TextCheck {
        if self.head >> 32 == TextCheck::Plain as u64 { TextCheck::Plain } else { TextCheck::Cut }
    }

    /// The bytes from that offset on.
    #[inline]
    fn from(&self, offset: usize) -> &'a [u8] {
        self.bytes.get(offset..).unwrap_or(&[])
    }

    #[inline]
    fn word<const SIZE: usize>(&self, offset: usize) -> [u8; SIZE] {
        match self.from(offset).first_chunk() {
            Some(word) => *word,
            None => [0; SIZE],
        }
    }

    #[inline(always)]
    pub(crate) const fn header(&self) -> u32 {
        self.head as u32
    }

    /// The `u32` after the header.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        u32::from_le_bytes(self.word(4)) as usize
    }

    /// The instance id of an object.
    #[inline]
    fn id(&self) -> u64 {
        u64::from_le_bytes(self.word(4))
    }
}

/// The header that a value starts with.
#[inline(always)]
pub(crate) const fn header_of(bytes: &[u8]) -> u32 {
    match bytes.first_chunk() {
        Some(header) => u32::from_le_bytes(*header),
        None => 0,
    }
}

/// The content of a value, to match on.
///
/// ```
/// use gdwire::{VariantRef, View};
///
/// fn describe(value: VariantRef<'_>) -> String {
///     match value.view() {
///         View::String(text) | View::StringName(text) => text.to_owned(),
///         View::Vector2(vector) => format!("{:?}", vector.to::<f32>()),
///         View::PackedByteArray(bytes) => format!("{} bytes", bytes.len()),
///         View::Array(array) => array.iter().map(describe).collect::<Vec<_>>().join(", "),
///         _ => value.kind().to_string(),
///     }
/// }
/// # let packet = gdwire::encode(gdwire::Dialect::GODOT_3, &gdwire::variant!(["hi", null]))?;
/// # assert_eq!(describe(gdwire::parse(gdwire::Dialect::GODOT_3, &packet)?), "hi, Nil");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// For a single kind, use a method of [`VariantRef`], such as [`as_str`](VariantRef::as_str).
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
// This layout stores the tag before the content of every variant. So the compiler can keep an int
// or a slice in registers, and a walk takes an eighth less time.
#[repr(u8)]
pub enum View<'a> {
    /// `null`.
    Nil,
    /// A boolean.
    Bool(bool),
    /// A 64-bit signed integer.
    Int(i64),
    /// A double-precision float; `real` in Godot 3.
    Float(f64),
    /// A string.
    String(&'a str),
    /// Two reals.
    Vector2(RealRef<'a, Vector2<f32>>),
    /// Two integers.
    Vector2i(Vector2<i32>),
    /// A rectangle: position and size.
    Rect2(RealRef<'a, Rect2<f32>>),
    /// A rectangle of integers: position and size.
    Rect2i(Rect2<i32>),
    /// Three reals.
    Vector3(RealRef<'a, Vector3<f32>>),
    /// Three integers.
    Vector3i(Vector3<i32>),
    /// A 2D transform: x axis, y axis, origin.
    Transform2D(RealRef<'a, Transform2D<f32>>),
    /// Four reals.
    Vector4(RealRef<'a, Vector4<f32>>),
    /// Four integers.
    Vector4i(Vector4<i32>),
    /// A plane: normal and distance.
    Plane(RealRef<'a, Plane<f32>>),
    /// A quaternion; `Quat` in Godot 3.
    Quaternion(RealRef<'a, Quaternion<f32>>),
    /// An axis-aligned box: position and size.
    Aabb(RealRef<'a, Aabb<f32>>),
    /// A 3 × 3 matrix, written row by row.
    Basis(RealRef<'a, Basis<f32>>),
    /// A 3D transform: basis and origin; `Transform` in Godot 3.
    Transform3D(RealRef<'a, Transform3D<f32>>),
    /// A 4 × 4 matrix: four columns.
    Projection(RealRef<'a, Projection<f32>>),
    /// A colour: red, green, blue, alpha.
    Color(RealRef<'a, Color<f32>>),
    /// A string that the engine keeps in memory only once.
    StringName(&'a str),
    /// A path in the scene tree.
    NodePath(NodePathRef<'a>),
    /// The id of an RID. It is 0 in dialects that do not write it.
    Rid(u64),
    /// An object: null, its instance id, or its class and properties.
    Object(ObjectRef<'a>),
    /// A function to call. The engines write only its type.
    Callable,
    /// A signal of an object: its name and the object's id.
    Signal(SignalRef<'a>),
    /// Keys and values.
    Dictionary(DictionaryRef<'a>),
    /// Values.
    Array(ArrayRef<'a>),
    /// Values of one type, in Pandemonium 5.
    TypedArray(ArrayRef<'a>),
    /// Values of one type, in Pandemonium 5, which keeps them packed in memory.
    PackedTypedArray(ArrayRef<'a>),
    /// Bytes; `PoolByteArray` in Godot 3.
    PackedByteArray(&'a [u8]),
    /// 32-bit integers; `PoolIntArray` in Godot 3.
    PackedInt32Array(&'a [I32Le]),
    /// 64-bit integers.
    PackedInt64Array(&'a [I64Le]),
    /// Single-precision floats; `PoolRealArray` in Godot 3.
    PackedFloat32Array(&'a [F32Le]),
    /// Double-precision floats.
    PackedFloat64Array(&'a [F64Le]),
    /// Strings; `PoolStringArray` in Godot 3.
    PackedStringArray(StringsRef<'a>),
    /// Pairs of reals; `PoolVector2Array` in Godot 3.
    PackedVector2Array(RealSlice<'a, Vector2<f32>>),
    /// Pairs of integers; `PoolVector2iArray` in Pandemonium.
    PackedVector2iArray(&'a [Vector2<I32Le>]),
    /// Triples of reals; `PoolVector3Array` in Godot 3.
    PackedVector3Array(RealSlice<'a, Vector3<f32>>),
    /// Triples of integers; `PoolVector3iArray` in Pandemonium.
    PackedVector3iArray(&'a [Vector3<I32Le>]),
    /// Quadruples of reals; `PoolVector4Array` in Pandemonium.
    PackedVector4Array(RealSlice<'a, Vector4<f32>>),
    /// Quadruples of integers; `PoolVector4iArray` in Pandemonium.
    PackedVector4iArray(&'a [Vector4<I32Le>]),
    /// Colours; `PoolColorArray` in Godot 3.
    PackedColorArray(RealSlice<'a, Color<f32>>),
}

impl<'a> VariantRef<'a> {
    /// The content of the value, to match on.
    #[inline(always)]
    #[must_use]
    pub fn view(self) -> View<'a> {
        // Strings have the same number in all dialects. As most values are strings, they need no
        // table.
        if let Some(text) = self.string() {
            return View::String(text);
        }
        match self.kind() {
            Kind::Nil => View::Nil,
            Kind::Bool => View::Bool(self.word(4) != [0; 4]),
            Kind::Int => View::Int(self.int()),
            Kind::Float => View::Float(self.float()),
            Kind::String => View::String(self.text_after_header()),
            Kind::Vector2 => View::Vector2(self.reals()),
            Kind::Vector2i => View::Vector2i(self.integers()),
            Kind::Rect2 => View::Rect2(self.reals()),
            Kind::Rect2i => View::Rect2i(self.integers()),
            Kind::Vector3 => View::Vector3(self.reals()),
            Kind::Vector3i => View::Vector3i(self.integers()),
            Kind::Transform2D => View::Transform2D(self.reals()),
            Kind::Vector4 => View::Vector4(self.reals()),
            Kind::Vector4i => View::Vector4i(self.integers()),
            Kind::Plane => View::Plane(self.reals()),
            Kind::Quaternion => View::Quaternion(self.reals()),
            Kind::Aabb => View::Aabb(self.reals()),
            Kind::Basis => View::Basis(self.reals()),
            Kind::Transform3D => View::Transform3D(self.reals()),
            Kind::Projection => View::Projection(self.reals()),
            Kind::Color => View::Color(self.reals()),
            Kind::StringName => View::StringName(self.text_after_header()),
            Kind::NodePath => {
                // SAFETY: the bytes of a view are checked, and this is a node path's content.
                View::NodePath(unsafe { NodePathRef::new(self.from(4), self.text()) })
            }
            Kind::Rid => View::Rid(self.id()),
            // SAFETY: it is an object.
            Kind::Object => View::Object(unsafe { ObjectRef::new(&{ self }) }),
            Kind::Callable => View::Callable,
            // SAFETY: it is a signal.
            Kind::Signal => View::Signal(unsafe { SignalRef::new(&{ self }) }),
            Kind::Dictionary => View::Dictionary(DictionaryRef::new(self)),
            Kind::Array => View::Array(ArrayRef::new(self)),
            Kind::TypedArray => View::TypedArray(ArrayRef::new(self)),
            Kind::PackedTypedArray => View::PackedTypedArray(ArrayRef::new(self)),
            Kind::PackedByteArray => {
                let bytes = self.from(8);
                View::PackedByteArray(bytes.get(..self.count()).unwrap_or(bytes))
            }
            Kind::PackedInt32Array => View::PackedInt32Array(cast(self.from(8))),
            Kind::PackedInt64Array => View::PackedInt64Array(cast(self.from(8))),
            Kind::PackedFloat32Array => View::PackedFloat32Array(cast(self.from(8))),
            Kind::PackedFloat64Array => View::PackedFloat64Array(cast(self.from(8))),
            Kind::PackedStringArray => {
                // SAFETY: the bytes of a view are checked, and this array's strings are there.
                View::PackedStringArray(unsafe { StringsRef::new(self.from(4), self.text()) })
            }
            Kind::PackedVector2Array => View::PackedVector2Array(self.real_slice()),
            Kind::PackedVector2iArray => View::PackedVector2iArray(cast(self.from(8))),
            Kind::PackedVector3Array => View::PackedVector3Array(self.real_slice()),
            Kind::PackedVector3iArray => View::PackedVector3iArray(cast(self.from(8))),
            Kind::PackedVector4Array => View::PackedVector4Array(self.real_slice()),
            Kind::PackedVector4iArray => View::PackedVector4iArray(cast(self.from(8))),
            Kind::PackedColorArray => View::PackedColorArray(self.real_slice()),
        }
    }

    /// The text of a value whose header is that of a string without flags.
    #[inline(always)]
    pub(crate) fn string(self) -> Option<&'a str> {
        if self.header() != Kind::String as u32 {
            return None;
        }
        // SAFETY: the bytes of a view are checked, and a string follows this header.
        Some(match self.text() {
            TextCheck::Plain => unsafe { checked_str(sized(self.bytes, 4)) },
            TextCheck::Cut => unsafe { str_at(self.bytes, 4, TextCheck::Cut).0 },
        })
    }

    /// The text of a String or StringName. Empty for other kinds.
    #[inline(always)]
    fn text_after_header(self) -> &'a str {
        if !matches!(self.kind(), Kind::String | Kind::StringName) {
            return "";
        }
        // SAFETY: the bytes of a view are checked, and both kinds have a string after the header.
        unsafe { str_at(self.as_bytes(), 4, self.text()).0 }
    }

    // For an int or float, the header always determines the width.
    #[inline]
    fn int(&self) -> i64 {
        if self.header() & FLAG_64 == 0 {
            i32::from_le_bytes(self.word(4)).into()
        } else {
            i64::from_le_bytes(self.word(4))
        }
    }

    #[inline]
    fn float(&self) -> f64 {
        if self.header() & FLAG_64 == 0 {
            widened(f32::from_le_bytes(self.word(4)))
        } else {
            f64::from_le_bytes(self.word(4))
        }
    }

    #[inline]
    fn reals<S: Shape>(&self) -> RealRef<'a, S> {
        RealRef::new(self.bytes, self.is_wide())
    }

    #[inline]
    fn integers<M: Math<Component = i32>>(&self) -> M {
        let mut integers = cast::<I32Le>(self.from(4)).iter();
        from_components(|| integers.next().map_or(0, |integer| integer.get()))
    }

    #[inline]
    fn real_slice<S: Shape>(&self) -> RealSlice<'a, S> {
        if self.is_wide() {
            RealSlice::Double(cast(self.from(8)))
        } else {
            RealSlice::Single(cast(self.from(8)))
        }
    }
}

/// A signal: its name and the id of its object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SignalRef<'a> {
    name: &'a str,
    object_id: u64,
}

impl<'a> SignalRef<'a> {
    /// Reads the content of a signal.
    ///
    /// # Safety
    ///
    /// The view must be of a signal.
    unsafe fn new(signal: &VariantRef<'a>) -> SignalRef<'a> {
        // SAFETY: the bytes of a view are checked, and a signal has its name after the header.
        let (name, end) = unsafe { str_at(signal.as_bytes(), 4, signal.text()) };
        let id = signal.from(end).first_chunk().map_or(0, |id| u64::from_le_bytes(*id));
        SignalRef { name, object_id: id }
    }

    /// The signal's name.
    #[must_use]
    pub const fn name(self) -> &'a str {
        self.name
    }

    /// The id of the object in the process that wrote it, or 0 for no object.
    #[must_use]
    pub const fn object_id(self) -> u64 {
        self.object_id
    }
}
