//! Other spellings of values.

#[cfg(feature = "codec")]
mod codec;
#[cfg(feature = "compression")]
mod compression;
#[cfg(all(feature = "glam", feature = "mint"))]
mod interop;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "save")]
mod save;
mod text;
