//! Reads and writes values of any kind as fields of other types.
//!
//! Input: a `Variant`, a view, or what another format holds. Output: the same value, without
//! any loss in this format, and the nearest equivalent in others.

#[cfg(feature = "alloc")]
mod any;
#[cfg(feature = "alloc")]
mod owned;
mod parts;
mod read;
mod view;
