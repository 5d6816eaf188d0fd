//! The error of reading bytes: what is wrong, at which byte, and in which part of the format.
//!
//! Readers put an [`Error`] together from a [`Problem`], the [`Reading`] at which it was met, and an
//! offset. `Display` makes a sentence of them. A [`Refusal`] comes from a grammar of your own.

mod located;
mod problem;
mod reading;
mod refusal;
mod words;

pub use located::Error;
pub use problem::Problem;
pub use reading::Reading;
pub use refusal::Refusal;
pub(crate) use words::{Article, Missing, bytes};
