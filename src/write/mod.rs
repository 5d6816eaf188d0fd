//! From values to bytes: the encoder, values that own their content, conversion between engines, and
//! streams of frames.

#[cfg(feature = "alloc")]
pub mod convert;
pub mod encode;
#[cfg(feature = "alloc")]
pub mod owned;
#[cfg(feature = "bytes")]
pub(crate) mod shared;
pub mod stream;
