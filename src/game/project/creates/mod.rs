//! The scenes that scripts create at run time.
//!
//! [`assigned`] finds the functions that scripts assign to spawners, [`code`] reads these functions
//! and all that they use, and [`evaluate`] follows them to the scenes that they return. What is not
//! understood is [`value::Value::Unknown`], so a result is either complete or says that it is not.

pub(super) mod assigned;
pub(super) mod code;
mod evaluate;
pub(super) mod made;
pub(super) mod possible;
#[cfg(test)]
#[cfg(feature = "std")]
mod tests;
mod value;
