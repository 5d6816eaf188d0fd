//! The sources: their architecture, their documents, the examples.

mod architecture;
mod common;
mod documents;
mod programs;
