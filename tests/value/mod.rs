//! Views of values: reading, access, detection, promises.

mod access;
mod agreement;
mod casts;
mod corpus;
mod detect;
mod sizes;
mod streaming;
mod threads;
