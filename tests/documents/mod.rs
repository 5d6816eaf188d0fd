//! Tests that the documents and the public interface keep their promises.

mod interface;
mod readme;
