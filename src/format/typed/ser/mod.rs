//! Writes types as bytes.
//!
//! Input: a type's `Serialize`, and a builder. Output: the bytes in the builder's sink, or an
//! error with its path.

mod compound;
mod methods;
mod serializer;

pub(super) use serializer::Serializer;
