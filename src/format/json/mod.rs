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
//! The native spelling is lossless. The plain spelling is what programs such as jq expect: values
//! without the types of the engine.
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
//! the name of the type or class, or the path of the script. Where that is ambiguous, it is
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

mod build;
mod element_type;
pub(crate) mod emit;
mod keys;
#[cfg(feature = "capture")]
pub(crate) mod object;
mod order;
pub(crate) mod plain;
mod read;
mod spelling;
mod write;

pub use crate::format::text::{ParseError, ParseProblem};
pub use read::parse;
pub use spelling::Spelling;
pub(crate) use write::write_value;
pub use write::{to_plain_string, to_string, write, write_plain, write_string};
