//! The compressions that the engines use for packets and files, where they need code of this crate.

pub(crate) mod fastlz;
#[cfg(feature = "net")]
mod packets;

#[cfg(feature = "net")]
pub(crate) use packets::{Inflate, Zstandard};
