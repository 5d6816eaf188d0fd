//! What documents and interfaces promise.

mod interface;
mod readme;
