//! Values that contain no other values, in one form for views and for owned values: what literals,
//! JSON and serde write, and what comparisons look at.

use super::{NodePathRef, ObjectRef, StringsRef, VariantRef, View};
use crate::value::number::cast;
use crate::value::{Cell, Component, F32Le, F64Le, I32Le, I64Le, ValueBody};
use core::fmt::Display;

/// The place where the content of values is stored: in a packet ([`WireNumbers`]), or in memory.
pub(crate) trait Storage {
    type I32: Component<Native = i32>;
    type I64: Component<Native = i64>;
    type F32: Component<Native = f32>;
    type F64: Component<Native = f64>;
    type Path<'a>: Copy + Display + PartialEq;
    type Strings<'a>: Copy + PartialEq;

    /// The strings of a packed array, in order.
    fn texts<'a>(strings: Self::Strings<'a>) -> impl ExactSizeIterator<Item = &'a str>;
}

/// Content in a packet.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct WireNumbers;

impl Storage for WireNumbers {
    type I32 = I32Le;
    type I64 = I64Le;
    type F32 = F32Le;
    type F64 = F64Le;
    type Path<'a> = NodePathRef<'a>;
    type Strings<'a> = StringsRef<'a>;

    #[inline]
    fn texts<'a>(strings: Self::Strings<'a>) -> impl ExactSizeIterator<Item = &'a str> {
        strings.iter()
    }
}

/// A value that contains no other values.
#[derive(PartialEq)]
pub(crate) enum Leaf<'a, S: Storage = WireNumbers> {
    /// Null, or an object that is null.
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    String(&'a str),
    StringName(&'a str),
    NodePath(S::Path<'a>),
    Rid(u64),
    ObjectId(u64),
    Callable,
    Signal {
        name: &'a str,
        object_id: u64,
    },
    Strings(S::Strings<'a>),
    Cells(Cells<'a, S>),
}

impl<'a> Leaf<'a> {
    /// The content of a value; nothing for a container, which a walk enters.
    #[inline]
    pub(crate) fn of(value: VariantRef<'a>) -> Leaf<'a> {
        if let Some(cells) = value.cells() {
            return Leaf::Cells(cells);
        }
        match value.view() {
            View::Bool(content) => Leaf::Bool(content),
            View::Int(number) => Leaf::Int(number),
            View::Float(number) => Leaf::Float(number),
            View::String(text) => Leaf::String(text),
            View::StringName(name) => Leaf::StringName(name),
            View::NodePath(path) => Leaf::NodePath(path),
            View::Rid(id) => Leaf::Rid(id),
            View::Object(ObjectRef::Id(id)) => Leaf::ObjectId(id),
            View::Callable => Leaf::Callable,
            View::Signal(signal) => {
                Leaf::Signal { name: signal.name(), object_id: signal.object_id() }
            }
            View::PackedStringArray(strings) => Leaf::Strings(strings),
            _ => Leaf::Null,
        }
    }
}

/// The numbers that a math value or a packed array consists of, in the order of the wire.
#[derive(Debug)]
pub(crate) enum Cells<'a, S: Storage = WireNumbers> {
    Bytes(&'a [u8]),
    I32(&'a [S::I32]),
    I64(&'a [S::I64]),
    F32(&'a [S::F32]),
    F64(&'a [S::F64]),
}

impl<S: Storage> Clone for Cells<'_, S> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Storage> Copy for Cells<'_, S> {}

impl<S: Storage> Cells<'_, S> {
    /// How many numbers there are.
    pub(crate) const fn len(&self) -> usize {
        match self {
            Cells::Bytes(numbers) => numbers.len(),
            Cells::I32(numbers) => numbers.len(),
            Cells::I64(numbers) => numbers.len(),
            Cells::F32(numbers) => numbers.len(),
            Cells::F64(numbers) => numbers.len(),
        }
    }
}

impl<'a> VariantRef<'a> {
    /// The numbers of a math value or a packed array. `None` for other kinds.
    pub(crate) fn cells(&self) -> Option<Cells<'a>> {
        let (cell, bytes) = match self.kind().body() {
            ValueBody::Cells(cell, _) => (cell, self.from(4)),
            ValueBody::Packed(cell, _) => (cell, self.from(8)),
            _ => return None,
        };
        Some(match cell {
            Cell::Byte => Cells::Bytes(bytes.get(..self.count()).unwrap_or(bytes)),
            Cell::I32 => Cells::I32(cast(bytes)),
            Cell::I64 => Cells::I64(cast(bytes)),
            Cell::F64 => Cells::F64(cast(bytes)),
            Cell::Real | Cell::Channel if self.is_wide() => Cells::F64(cast(bytes)),
            Cell::F32 | Cell::Real | Cell::Channel => Cells::F32(cast(bytes)),
        })
    }
}

/// Two are equal if their numbers are equal. Floats of different widths can be equal, integers of
/// different widths cannot.
impl<S: Storage> PartialEq for Cells<'_, S> {
    fn eq(&self, other: &Self) -> bool {
        match (*self, *other) {
            (Cells::Bytes(one), Cells::Bytes(other)) => one == other,
            (Cells::I32(one), Cells::I32(other)) => one == other,
            (Cells::I64(one), Cells::I64(other)) => one == other,
            (Cells::F32(one), Cells::F32(other)) => one == other,
            (Cells::F64(one), Cells::F64(other)) => one == other,
            (Cells::F32(single), Cells::F64(double)) | (Cells::F64(double), Cells::F32(single)) => {
                let single = single.iter().map(|number| f64::from(number.get()));
                single.eq(double.iter().map(|number| number.get()))
            }
            _ => false,
        }
    }
}
