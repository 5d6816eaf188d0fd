//! Values in plain form that are not containers.

use crate::value::view::{Cells, NodePathRef, ObjectRef, StringsRef};
use crate::value::{Body, Kind, VariantRef, View};

/// A value in plain form that is not a container.
///
/// Numbers are not converted here: a float may be infinite or NaN, which JSON cannot express.
#[derive(Clone, Copy)]
pub(crate) enum Leaf<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Id(u64),
    Float(f64),
    Text(&'a str),
    Path(NodePathRef<'a>),
    /// A string of hexadecimal digits.
    Bytes(&'a [u8]),
    Strings(StringsRef<'a>),
    /// The numbers of a math value or a packed array: an array of arrays if its [`width`] is not 1.
    Numbers(Kind, Cells<'a>),
    /// An object of these fields.
    Handle {
        name: Option<&'a str>,
        id: u64,
    },
}

impl<'a> Leaf<'a> {
    /// The form of a value. Containers are null.
    pub(super) fn of(value: VariantRef<'a>) -> Leaf<'a> {
        match value.cells() {
            Some(Cells::Bytes(bytes)) => return Leaf::Bytes(bytes),
            Some(cells) => return Leaf::Numbers(value.kind(), cells),
            None => {}
        }
        match value.view() {
            View::Bool(content) => Leaf::Bool(content),
            View::Int(number) => Leaf::Int(number),
            View::Float(number) => Leaf::Float(number),
            View::String(text) | View::StringName(text) => Leaf::Text(text),
            View::NodePath(path) => Leaf::Path(path),
            View::Rid(id) => Leaf::Id(id),
            View::Object(ObjectRef::Id(id)) => Leaf::Handle { name: None, id },
            View::Signal(signal) => {
                Leaf::Handle { name: Some(signal.name()), id: signal.object_id() }
            }
            View::PackedStringArray(strings) => Leaf::Strings(strings),
            // Null, a null object, a callable. All other kinds consist of cells or are containers.
            _ => Leaf::Null,
        }
    }
}

/// How many numbers an element of a value has: more than one in arrays of math values.
pub(super) const fn width(kind: Kind) -> u8 {
    match kind.body() {
        Body::Packed(_, width) => width,
        _ => 1,
    }
}
