//! Other spellings of values: the engines' literals, JSON, serde, save files, compressed streams, and
//! the types of other crates.

#[cfg(feature = "codec")]
pub mod codec;
#[cfg(feature = "compression")]
pub mod compression;
#[cfg(feature = "alloc")]
pub mod edit;
#[cfg(any(feature = "glam", feature = "mint"))]
pub mod interop;
#[cfg(feature = "json")]
pub mod json;
#[cfg(feature = "save")]
pub mod save;
pub mod text;
#[cfg(feature = "serde")]
pub mod typed;
