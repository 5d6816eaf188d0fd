//! Values as JSON: lossless, in the spelling of Godot 4's `JSON.from_native`, or plain.
//!
//! ```
//! use gdwire::{Dialect, json, parse};
//!
//! let bytes = [
//!     18, 0, 0, 0, 1, 0, 0, 0, // a dictionary of one entry
//!     4, 0, 0, 0, 3, 0, 0, 0, b'p', b'o', b's', 0, // "pos"
//!     5, 0, 0, 0, 0, 0, 192, 63, 0, 0, 0, 64, // Vector2( 1.5, 2 )
//! ];
//! let value = parse(Dialect::GODOT_3, &bytes)?;
//! let text = json::to_string(value);
//! assert_eq!(
//!     text,
//!     r#"{"type":"Dictionary","args":["s:pos",{"type":"Vector2","args":[1.5,2.0]}]}"#
//! );
//! assert_eq!(gdwire::encode(Dialect::GODOT_3, &json::parse(&text)?)?, bytes);
//! assert_eq!(json::to_plain_string(value), r#"{"pos":[1.5,2.0]}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The two spellings
//!
//! The native spelling is lossless. Two keys may be the same in Godot 4, but not in Godot 3 or Pandemonium,
//! so [`parse_for`] takes the dialect. The plain spelling is what programs such as jq expect: values without
//! the types of the engine.
//!
//! | kind | native | plain |
//! |---|---|---|
//! | Nil | `null` | `null` |
//! | bool | `true` | `true` |
//! | int | `"i:9007199254740993"` | `9007199254740993` |
//! | float | `"f:1.0"` | `1.0` |
//! | float that is infinite or NaN | `"f:nan"` | `"nan"` |
//! | String | `"s:text"` | `"text"` |
//! | StringName | `"sn:text"` | `"text"` |
//! | NodePath | `"np:/root/Game:hp"` | `"/root/Game:hp"` |
//! | Array | `[true,"i:1"]` | `[true,1]` |
//! | Array of a type | `{"type":"Array","elem_type":"int","args":["i:1"]}` | `[1]` |
//! | TypedArray | `{"type":"TypedArray","elem_type":"int","args":["i:1"]}` | `[1]` |
//! | PackedTypedArray | `{"type":"PackedTypedArray","elem_type":"int","args":["i:1"]}` | `[1]` |
//! | Dictionary | `{"type":"Dictionary","args":["s:hp","i:87","i:2",null]}` | `{"hp":87,"2":null}` |
//! | Object | `{"type":"Gradient","props":["width","i:9"]}` | `{"class":"Gradient","properties":{"width":9}}` |
//! | Object that is only an id | `{"type":"Object","id":"i:1290"}` | `{"id":1290}` |
//! | RID | `{"type":"RID","id":"i:7"}` | `7` |
//! | RID without an id | `{"type":"RID"}` | `0` |
//! | Signal | `{"type":"Signal","name":"pressed","id":"i:1290"}` | `{"name":"pressed","id":1290}` |
//! | Callable | `{"type":"Callable"}` | `null` |
//! | Vector2 | `{"type":"Vector2","args":[1.5,2.0]}` | `[1.5,2.0]` |
//! | Vector2i | `{"type":"Vector2i","args":[1,2]}` | `[1,2]` |
//! | Rect2 | `{"type":"Rect2","args":[1.0,2.0,3.0,4.0]}` | `[1.0,2.0,3.0,4.0]` |
//! | Rect2i | `{"type":"Rect2i","args":[1,2,3,4]}` | `[1,2,3,4]` |
//! | Vector3 | `{"type":"Vector3","args":[1.0,2.0,1e99999]}` | `[1.0,2.0,"inf"]` |
//! | Vector3i | `{"type":"Vector3i","args":[1,2,3]}` | `[1,2,3]` |
//! | Transform2D | `{"type":"Transform2D","args":[1.0,2.0,3.0,4.0,5.0,6.0]}` | `[1.0,2.0,3.0,4.0,5.0,6.0]` |
//! | Vector4 | `{"type":"Vector4","args":[1.0,2.0,3.0,4.0]}` | `[1.0,2.0,3.0,4.0]` |
//! | Vector4i | `{"type":"Vector4i","args":[1,2,3,4]}` | `[1,2,3,4]` |
//! | Plane | `{"type":"Plane","args":[1.0,2.0,3.0,4.0]}` | `[1.0,2.0,3.0,4.0]` |
//! | Quaternion | `{"type":"Quaternion","args":[1.0,2.0,3.0,4.0]}` | `[1.0,2.0,3.0,4.0]` |
//! | AABB | `{"type":"AABB","args":[1.0,2.0,3.0,4.0,5.0,6.0]}` | `[1.0,2.0,3.0,4.0,5.0,6.0]` |
//! | Basis | `{"type":"Basis","args":[1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0]}` | `[1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0]` |
//! | Transform3D | `{"type":"Transform3D","args":[1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0,10.0,11.0,12.0]}` | `[1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0,10.0,11.0,12.0]` |
//! | Projection | `{"type":"Projection","args":[1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0,10.0,11.0,12.0,13.0,14.0,15.0,16.0]}` | `[1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0,10.0,11.0,12.0,13.0,14.0,15.0,16.0]` |
//! | Color | `{"type":"Color","args":[1.0,0.5,0.0,1.0]}` | `[1.0,0.5,0.0,1.0]` |
//! | PackedByteArray | `{"type":"PackedByteArray","args":[0,255]}` | `"00ff"` |
//! | PackedInt32Array | `{"type":"PackedInt32Array","args":[1,-2]}` | `[1,-2]` |
//! | PackedInt64Array | `{"type":"PackedInt64Array","args":[1,-2]}` | `[1,-2]` |
//! | PackedFloat32Array | `{"type":"PackedFloat32Array","args":[0.1,1e+20]}` | `[0.1,1e+20]` |
//! | PackedFloat64Array | `{"type":"PackedFloat64Array","args":[0.1,-1e99999]}` | `[0.1,"-inf"]` |
//! | PackedStringArray | `{"type":"PackedStringArray","args":["a","b"]}` | `["a","b"]` |
//! | PackedVector2Array | `{"type":"PackedVector2Array","args":[1.0,2.0,3.0,4.0]}` | `[[1.0,2.0],[3.0,4.0]]` |
//! | PackedVector2iArray | `{"type":"PackedVector2iArray","args":[1,2,3,4]}` | `[[1,2],[3,4]]` |
//! | PackedVector3Array | `{"type":"PackedVector3Array","args":[1.0,2.0,3.0]}` | `[[1.0,2.0,3.0]]` |
//! | PackedVector3iArray | `{"type":"PackedVector3iArray","args":[1,2,3]}` | `[[1,2,3]]` |
//! | PackedVector4Array | `{"type":"PackedVector4Array","args":[1.0,2.0,3.0,4.0]}` | `[[1.0,2.0,3.0,4.0]]` |
//! | PackedVector4iArray | `{"type":"PackedVector4iArray","args":[1,2,3,4]}` | `[[1,2,3,4]]` |
//! | PackedColorArray | `{"type":"PackedColorArray","args":[1.0,0.5,0.0,1.0]}` | `[[1.0,0.5,0.0,1.0]]` |
//!
//! In both spellings:
//!
//! - Numbers have as many digits as are needed to read them back. Ints of 64 bits keep all their digits;
//!   many readers of JSON round those beyond 2^53. A real always has a decimal point or an exponent.
//! - A real that is infinite or NaN is the string `"inf"`, `"-inf"` or `"nan"`, except that in the
//!   native spelling an infinite component is `1e99999` or `-1e99999`, as Godot 4.6 writes it.
//! - A basis is written by its axes, as the engine's constructor takes them, and not by its rows, as on
//!   the wire.
//!
//! # Plain
//!
//! [`write_plain`] writes it; nothing reads it back. A byte array is a string of hexadecimal digits.
//!
//! The keys of a dictionary are strings in JSON. A key that is not a string is spelled as its
//! literal in one line, such as `7` or `Vector2(1, 2)`. If the dictionary also has a string key
//! with this text, the kind is put around the literal: `{"7":…,"int(7)":…}`. If there is even a
//! string key like that, a number follows: `int(7)#2`. A key that occurs twice is written twice;
//! readers of JSON keep the last one, as the engine does. A `String` and a `StringName` with the
//! same text are the same key.
//!
//! # Native
//!
//! [`write()`] writes it, [`parse()`] reads it. Types have the names of Godot 4 in every dialect.
//! The reader also accepts the names of the other engines. The type of a container's elements is
//! the name of the type or class, or the path of the script. If that is ambiguous, it is
//! `class:int` or `script:a.gd`. A typed dictionary has `key_type` and `value_type`.
//!
//! As in the engine's literals, names in a node path that are empty or contain slashes or colons
//! are read as other names, all NaNs are read as the same NaN, and reals have no width.
//!
//! The engine writes some things differently:
//!
//! - It writes a fixed number of digits.
//! - It writes a component that is NaN as `null`, and reads that as 0. Here, `null` is read as NaN.
//! - Before Godot 4.6, it wrote a component that is infinite or NaN as a bare `inf` or `nan`, which is
//!   not JSON.
//! - It does not write the ids of references to objects.
//! - It has no typed arrays of Pandemonium, `TypedArray` and `PackedTypedArray`.

pub(crate) mod emit;
mod keys;
#[cfg(feature = "capture")]
pub(crate) mod object;
pub(crate) mod plain;
mod read;
mod write;

pub use super::text::{ParseError, ParseProblem};
pub use read::{parse, parse_for};
pub(crate) use write::write_value;
pub use write::{to_plain_string, to_string, write, write_plain, write_string};

use crate::value::{ElementTypeRef, Kind};
use crate::write::owned::ElementType;
use std::borrow::Cow;

/// The type name of an object that is only an id.
const BY_ID: &str = "Object";

/// How values are spelled in JSON.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Spelling {
    /// Lossless: see [`write`](write()).
    #[default]
    Native,
    /// Plain JSON, as programs expect it: see [`write_plain`].
    Plain,
}

/// Converts the place of a component in JSON to its place on the wire, and back. JSON lists the
/// axes of a basis, which are columns on the wire.
const fn transposed(kind: Kind, place: usize) -> usize {
    match kind {
        Kind::Basis | Kind::Transform3D if place < 9 => place % 3 * 3 + place / 3,
        _ => place,
    }
}

/// The numbers of a math value in the order of JSON.
fn ordered<T: Copy>(kind: Kind, numbers: &[T]) -> impl Iterator<Item = T> {
    (0..numbers.len()).filter_map(move |place| numbers.get(transposed(kind, place)).copied())
}

const CLASS: &str = "class:";
const SCRIPT: &str = "script:";
/// The beginning of the path of every script that the engine writes.
const PROJECT: &str = "res://";

/// The name of a type or class, or the path of a script, as the engine writes it. If that is
/// ambiguous, it adds a prefix: `class:int` is a class that has the name of a type, and
/// `script:a.gd` is a script that is not a resource of the project. `None` for any type.
fn spell_element_type(element: ElementTypeRef<'_>) -> Option<Cow<'_, str>> {
    let (prefix, name) = match element {
        ElementTypeRef::Any => return None,
        ElementTypeRef::Kind(kind) => return Some(kind.name().into()),
        ElementTypeRef::Class(name) => (CLASS, name),
        ElementTypeRef::Script(path) => (SCRIPT, path),
    };
    if read_element_type(name).as_ref() == element {
        return Some(name.into());
    }
    Some(format!("{prefix}{name}").into())
}

/// Reads the spelling of an element type.
fn read_element_type(name: &str) -> ElementType {
    if let Some(name) = name.strip_prefix(CLASS) {
        return ElementType::Class(name.to_string());
    }
    if let Some(path) = name.strip_prefix(SCRIPT) {
        return ElementType::Script(path.to_string());
    }
    match Kind::from_name(name) {
        Some(Kind::Nil) => ElementType::Any,
        Some(kind) => ElementType::Kind(kind),
        None if name.starts_with(PROJECT) => ElementType::Script(name.to_string()),
        None => ElementType::Class(name.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back() {
        use ElementTypeRef::{Class, Kind as Of, Script};
        for (element, text) in [
            (Of(Kind::Int), "int"),
            (Of(Kind::Object), "Object"),
            (Class("OwnedNode"), "OwnedNode"),
            (Class("int"), "class:int"),
            (Class("Nil"), "class:Nil"),
            (Class("PoolIntArray"), "class:PoolIntArray"),
            (Class("class:int"), "class:class:int"),
            (Class("a://b"), "a://b"),
            (Class("res://b"), "class:res://b"),
            (Class(""), ""),
            (Script("res://a.gd"), "res://a.gd"),
            (Script("a.gd"), "script:a.gd"),
            (Script("int"), "script:int"),
            (Script("class:res://a"), "script:class:res://a"),
            (Script(""), "script:"),
        ] {
            assert_eq!(spell_element_type(element).as_deref(), Some(text));
            assert_eq!(read_element_type(text).as_ref(), element);
        }
        assert_eq!(spell_element_type(ElementTypeRef::Any), None);
    }
}
