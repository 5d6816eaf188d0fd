//! Converts values from one dialect to another.
//!
//! ```
//! use gdwire::convert::{OnLoss, convert};
//! use gdwire::{Dialect, encode, parse, variant};
//!
//! let old = encode(Dialect::GODOT_3, &variant!({"hp": 87}))?;
//! let new = convert(parse(Dialect::GODOT_3, &old)?, Dialect::GODOT_4, OnLoss::Refuse)?;
//! assert_eq!(parse(Dialect::GODOT_4, &new.bytes)?.get("hp").and_then(|hp| hp.as_i64()), Some(87));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A kind that the other dialect lacks becomes the nearest kind there. A string name becomes a
//! string, and a typed array becomes the other engine's sort of typed array; nothing is lost by
//! that. Everything else is a loss, which is refused or counted:
//!
//! | what | becomes |
//! |---|---|
//! | vectors and rectangles of integers, and packed arrays of them | those of reals |
//! | `Vector4`, `PackedVector4Array` | `Quaternion`, `PackedColorArray` |
//! | `Projection` | `PackedFloat32Array` of 16 numbers |
//! | `PackedInt64Array`, `PackedFloat64Array` | the same with 32 bits; integers saturate |
//! | `Callable`, `Signal` | null |
//! | `PackedTypedArray` | a typed array |
//! | typed arrays and dictionaries | untyped ones |
//! | the id of an `RID` | nothing |
//! | reals of eight bytes | those of four bytes; a loss if that changes them |
//!
//! The bytes are those that the engine writes for the value. Nothing is ever lost when a value is
//! converted to its own dialect.
//!
//! Reals of eight bytes keep eight if the other dialect can write them: if it has double reals, or
//! if it is Godot 4, where the header of each value gives the width of its reals. From a dialect
//! with double reals to one without, reals take four bytes. If that changes a number, it is a loss.
//! A NaN whose width changes stays a NaN, but may get other bits; that does not count as a loss.

mod conversion;
mod duplicates;
mod error;
mod nearest;
mod whole;

pub use conversion::OnLoss;
pub use error::{Error, Problem};
pub use whole::{Converted, convert};
