//! Reads types from bytes, without a tree in between.
//!
//! Input: the bytes of one or more values, and a type's `Deserialize`. Output: the type, or an
//! error with its path and offset.

mod access;
mod cells;
mod compound;
mod deserializer;
mod methods;
mod names;
mod number;
mod raw;
mod scalar;
mod variants;

pub use deserializer::Deserializer;
pub(crate) use number::{One, transparent, visit_numbers};
