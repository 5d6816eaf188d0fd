//! Views of values: reading, access, detection, promises.

mod access;
mod agreement;
#[cfg(feature = "json")]
mod cases;
mod casts;
mod corpus;
mod detect;
mod sizes;
mod streaming;
mod threads;
mod views;
