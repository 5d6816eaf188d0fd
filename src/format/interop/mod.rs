//! Converts the engine's math types from and to the types of glam and mint.
//!
//! With the feature `mint`, the types of [`crate::math`] convert from and to the types of the crate
//! `mint`, and so also of cgmath, nalgebra and other crates that support `mint`:
//!
#![cfg_attr(feature = "mint", doc = "```")]
#![cfg_attr(not(feature = "mint"), doc = "```ignore")]
//! use gdwire::{Dialect, math::Vector3, parse};
//!
//! # let packet = gdwire::encode(Dialect::GODOT_3, &Vector3::new(1.0, 2.0, 3.0))?;
//! let value = parse(Dialect::GODOT_3, &packet)?;
//! let position = value.as_vector3::<f32>().ok_or("no position")?;
//! let position = cgmath::Vector3::from(mint::Vector3::from(position));
//! assert_eq!(position, cgmath::vec3(1.0, 2.0, 3.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With the feature `glam`, they convert from and to the types of glam. Those types can also be
//! encoded and converted into a [`crate::Variant`]. [`glam_slice`] borrows packed arrays without a
//! copy:
//!
#![cfg_attr(feature = "glam", doc = "```")]
#![cfg_attr(not(feature = "glam"), doc = "```ignore")]
//! use gdwire::{Dialect, Packed, encode, interop::glam_slice, parse, variant};
//! use glam::Vec3;
//! use std::borrow::Cow;
//!
//! let packet = encode(Dialect::GODOT_3, &variant!({
//!     "position": Vec3::new(1.0, 2.0, 3.0),
//!     "path": Packed([Vec3::ZERO, Vec3::X]),
//! }))?;
//! let value = parse(Dialect::GODOT_3, &packet)?;
//! let position = value.get("position").and_then(|position| position.as_vector3());
//! assert_eq!(position.map(Vec3::from), Some(Vec3::new(1.0, 2.0, 3.0)));
//!
//! let path = value.get("path").and_then(|path| path.as_vector3_array()).ok_or("no path")?;
//! let points: Cow<[Vec3]> = match path.as_single().and_then(glam_slice::<Vec3, _>) {
//!     Some(points) => points.into(),
//!     // The array is not aligned in the packet, or has doubles.
//!     None => path.iter().map(Vec3::from).collect(),
//! };
//! let length: f32 = points.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
//! assert_eq!(length, 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | here | `mint` | `glam` |
//! |---|---|---|
//! | [`Vector2`] of `f32`, `f64`, `i32` | `Vector2`, `Point2` | `Vec2`, `DVec2`, `IVec2` |
//! | [`Vector3`] | `Vector3`, `Point3` | `Vec3`, `Vec3A`, `DVec3`, `IVec3` |
//! | [`Vector4`] | `Vector4` | `Vec4`, `DVec4`, `IVec4` |
//! | [`Color`] | `Vector4` | `Vec4`, `DVec4` |
//! | [`Quaternion`] | `Quaternion` | `Quat`, `DQuat` |
//! | [`Basis`] | `ColumnMatrix3`, `RowMatrix3` | `Mat3`, `Mat3A`, `DMat3` |
//! | [`Transform2D`] | `ColumnMatrix2x3`, `RowMatrix2x3` | `Affine2`, `DAffine2` |
//! | [`Transform3D`] | `ColumnMatrix3x4`, `RowMatrix3x4` | `Affine3`, `Affine3A`, `DAffine3` |
//! | [`Projection`] | `ColumnMatrix4`, `RowMatrix4` | `Mat4`, `DMat4` |
//!
//! Both types of a pair transform vectors in the same way. The columns of a `Mat3` are the axes of
//! the [`Basis`], although a basis is written row by row. A transform also converts into a square
//! matrix, whose last row is zeros and a one. There is no conversion back, because the last row of a
//! matrix can be different.

#[cfg(feature = "glam")]
mod glam;
#[cfg(feature = "mint")]
mod mint;

#[cfg(feature = "glam")]
pub use self::glam::{InPlace, glam_slice, math_slice};

#[cfg(doc)]
use crate::value::math::{
    Basis, Color, Projection, Quaternion, Transform2D, Transform3D, Vector2, Vector3, Vector4,
};
