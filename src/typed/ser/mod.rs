//! Writes types as bytes.
//!
//! Comes in: a type's `Serialize`, and a builder. Goes out: the bytes in the builder's sink, or an
//! error with its path.

mod compound;
mod methods;
mod serializer;

pub(super) use serializer::Serializer;
