//! The wire format: type numbers, errors of the published specification, and the few places where
//! this crate differs from the engines.
//!
//! The documentation of Godot 3 and of Pandemonium describes the format on the page "Binary
//! serialization API". A value starts with a header of four bytes: the lowest bits are the type
//! number, the highest 16 bits are flags. The content follows. All numbers are little-endian, and a
//! whole value always takes a multiple of four bytes.
//!
//! # Types
//!
//! The engines number their types differently. In this crate, each variety of the format is a
//! [`Dialect`](crate::Dialect). The table lists the type numbers of each dialect. The last column
//! says what a view of the value ([`VariantRef`](crate::VariantRef)) returns.
//!
//! | kind | Godot 3 | Godot 4 | Pandemonium 3.8–4.9 | Pandemonium 5 | a view gives |
//! |---|---|---|---|---|---|
//! | Nil | 0 | 0 | 0 | 0 | |
//! | bool | 1 | 1 | 1 | 1 | `bool` |
//! | int | 2 | 2 | 2 | 2 | `i64` |
//! | float | 3 | 3 | 3 | 3 | `f64` |
//! | String | 4 | 4 | 4 | 4 | `&str` |
//! | Vector2 | 5 | 5 | 7 | 7 | reals |
//! | Vector2i | – | 6 | 8 | 8 | `i32` components |
//! | Rect2 | 6 | 7 | 5 | 5 | reals |
//! | Rect2i | – | 8 | 6 | 6 | `i32` components |
//! | Vector3 | 7 | 9 | 9 | 9 | reals |
//! | Vector3i | – | 10 | 10 | 10 | `i32` components |
//! | Transform2D | 8 | 11 | 18 | 18 | reals |
//! | Vector4 | – | 12 | 11 | 11 | reals |
//! | Vector4i | – | 13 | 12 | 12 | `i32` components |
//! | Plane | 9 | 14 | 13 | 13 | reals |
//! | Quaternion | 10 | 15 | 14 | 14 | reals |
//! | AABB | 11 | 16 | 15 | 15 | reals |
//! | Basis | 12 | 17 | 16 | 16 | reals |
//! | Transform3D | 13 | 18 | 17 | 17 | reals |
//! | Projection | – | 19 | 19 | 19 | reals |
//! | Color | 14 | 20 | 20 | 20 | reals |
//! | StringName | – | 21 | 24 | 24 | `&str` |
//! | NodePath | 15 | 22 | 21 | 21 | names, subnames |
//! | RID | 16 | 23 | 22 | 22 | `u64` |
//! | Object | 17 | 24 | 23 | 23 | null, id, or class and properties |
//! | Callable | – | 25 | – | – | |
//! | Signal | – | 26 | – | – | name, object id |
//! | Dictionary | 18 | 27 | 25 | 25 | keys and values |
//! | Array | 19 | 28 | 26 | 26 | values |
//! | TypedArray | – | – | – | 27 | values |
//! | PackedTypedArray | – | – | – | 28 | values |
//! | PackedByteArray | 20 | 29 | 27 | 29 | `&[u8]` |
//! | PackedInt32Array | 21 | 30 | 28 | 30 | `&[I32Le]` |
//! | PackedInt64Array | – | 31 | – | – | `&[I64Le]` |
//! | PackedFloat32Array | 22 | 32 | 29 | 31 | `&[F32Le]` |
//! | PackedFloat64Array | – | 33 | – | – | `&[F64Le]` |
//! | PackedStringArray | 23 | 34 | 30 | 32 | strings |
//! | PackedVector2Array | 24 | 35 | 31 | 33 | slice of vectors |
//! | PackedVector2iArray | – | – | 32 | 34 | slice of `I32Le` vectors |
//! | PackedVector3Array | 25 | 36 | 33 | 35 | slice of vectors |
//! | PackedVector3iArray | – | – | 34 | 36 | slice of `I32Le` vectors |
//! | PackedVector4Array | – | 38 | 35 | 37 | slice of vectors |
//! | PackedVector4iArray | – | – | 36 | 38 | slice of `I32Le` vectors |
//! | PackedColorArray | 26 | 37 | 37 | 39 | slice of colours |
//!
//! - Kinds have the names of Godot 4. Godot 3 calls some of them `Quat`, `Transform` and
//!   `Pool…Array`.
//! - Reals are the components of vectors, matrices and colours. A real has four bytes, or eight in
//!   engines that were built with double precision. In Godot 4 the header of a value says which,
//!   and every reader accepts both. In the other engines nothing in a value says which: choose a
//!   dialect [`with_double_reals`](crate::Dialect::with_double_reals), or the option `--double` of
//!   the command.
//! - Arrays and dictionaries of Godot 4 can have element types. The crate reads, keeps and writes
//!   them.
//!
//! # Where the specification is wrong
//!
//! The specification describes the outline correctly. The list below shows what the engines do
//! differently, and what the specification does not mention.
//!
//! - **Types.** The documentation of Pandemonium prints the type numbers of Godot 3. The engine
//!   writes the numbers in the table above.
//! - **Header.** The type number has 8 bits, not 16. The engines ignore bits 8 to 15, and they
//!   ignore flags that a type does not define.
//! - **Numbers.** An int has 64 bits only if it does not fit into 32. A float has 32 bits whenever
//!   that keeps its value, and otherwise 64. So a NaN always has 64 bits.
//! - **Strings** end at their first NUL, whatever their length says. A byte order mark at the start
//!   is dropped. In string arrays, each string is written with a NUL at its end, and its length
//!   counts that NUL.
//! - **Basis and Transform** are written row by row. A basis with the axes (1, 2, 3), (4, 5, 6) and
//!   (7, 8, 9) is written as 1 4 7 2 5 8 3 6 9. The specification describes the transpose.
//! - **NodePath.** The padding after each name contains whatever was in the engine's buffer, so two
//!   encodings of one path may differ. Godot 3.6.2, Godot 4.6.3 and this crate write zeros. The
//!   specification also describes an old form, which is a plain string. No engine of version 3 or newer
//!   reads the old form.
//! - **Padding** after a byte array is not checked. The last bytes of a buffer may lack it.
//! - **Counts.** The top bit of a container's count is ignored. The engines refuse a packed array
//!   with that bit, except that they read a string array with that bit as empty.
//! - **Dictionaries.** If a key occurs twice, the dictionary keeps the first position and the last
//!   value. Equal floats are the same key, and so are all NaNs. Two objects are never the same key.
//!   In Godot 3, two dictionaries are never the same key either.
//! - **Depth.** Engines since Godot 3.4 refuse more than 1,024 nested containers.
//! - **Doubles.** In the specification, an engine that was built with double precision writes every
//!   real with eight bytes, and nothing in a header says so. In Godot 4, flag 64 (bit 16 of the
//!   header) says so, and colours keep four bytes.
//! - **Typed containers.** Godot 4 writes their element types into the header and after it: those of
//!   arrays since 4.3, those of dictionaries since 4.4. Pandemonium 5 has separate types for them,
//!   TypedArray and PackedTypedArray.
//!
//! All of this can be seen in the recorded data in `corpus/`, with two exceptions. No recorded
//! value reaches the depth limit, and no engine that writes doubles by the specification's rule was
//! available. `corpus/README.md` describes the recordings.
//!
//! # Versions of Godot
//!
//! This table lists changes between versions, as far as they can be seen in values, saves or
//! packets. The tests run Godot 3.2.3, 3.6.2, 4.6 in a browser, and 4.6.3. Recordings of a 4.6
//! development version, Pandemonium 4.9 and 5.3 are in `corpus/`. Other versions are known from the
//! history of the engine.
//!
//! | version | change |
//! |---|---|
//! | 3.0.3 | The padding of strings is zero. |
//! | 3.2 | The header of the engine in ENet packets has 8 bytes instead of 12. |
//! | 3.4 | ENet compresses with the range coder by default. Nesting is limited. |
//! | 3.6 | `var2str` writes minus infinity as `inf_neg`; 3.2.3 writes `-inf` and `-inf.0`, and reads neither. |
//! | 4.1 | Watched properties are sent as deltas. |
//! | 4.2 | Scenes save `replication_mode` instead of `sync` and `watch`. |
//! | 4.3 | Arrays keep their element types. PackedVector4Array is added. Scripts of whole objects are paths. A confirmed path is named by its id, and no longer by the path. |
//! | 4.4 | Dictionaries keep their element types. Spawners list scenes by `uid://`. |
//! | 4.6 | `JSON.from_native` writes infinity as `1e99999`; before, it wrote `inf`. |
//! | 4.6.3 | The padding in node paths is zero. |
//!
//! # Where this crate differs from the engines
//!
//! The tests compare this crate with the engines on inputs that are damaged at random: 20,000 with each
//! version of Godot, and 18,000 that were recorded, also from Pandemonium. The deliberate differences:
//!
//! - Text must be valid UTF-8. Godot 3 accepts some text that is not, such as code points above
//!   U+10FFFF.
//! - The old form of a node path is read. The path `/` stays absolute. The engines write it like that,
//!   but read an empty path.
//! - A key of a dictionary stays as it is. Godot 3.2.3 does not find a packed array with NaN again if it
//!   is a key, and writes the text `[Deleted Object]` and null instead of the entry.
//! - Objects are data. This crate reads an object with its class and its properties; an engine does
//!   that only if the game allows objects. An object that is written as an id stays an id, and the
//!   class of a typed container's elements stays what was written.
//! - An element of a typed container is kept even if it has another type. The engines drop such
//!   elements, or empty the whole container.
//! - Pandemonium 5 reads typed arrays whose element type does not exist. This crate refuses them.
//! - This crate does not repeat two errors of Pandemonium's reader. Its reader requires 248 bytes
//!   after the header of a Projection, although the content has only 64. In each vector of a
//!   Vector4 array, it uses the third component for the fourth, too. This crate reads what
//!   Pandemonium writes.
//! - One error of Pandemonium's writer cannot be undone. In a Vector4i, it writes the third
//!   component twice instead of the fourth.
//!
//! This crate accepts at most 1,024 nested containers, like the newer engines; Godot 3.2.3 has no
//! limit.
//!
//! Literals and JSON cannot express everything, neither here nor in the engines. They cannot
//! express a node path with a name that is empty or contains a slash or a colon, and they do not
//! distinguish the bit patterns of NaN.
