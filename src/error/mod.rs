//! The error of reading bytes: what is wrong, at which byte, and in which part of the format.

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
