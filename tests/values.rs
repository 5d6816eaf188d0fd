//! Values: read, written, converted and spelled; compared with what real engines recorded.

mod common;
mod format;
#[cfg(feature = "serde")]
mod serde;
mod value;
mod write;
