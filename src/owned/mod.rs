//! Owned values: trees that can be built, edited and compared.
//!
//! ```
//! use gdwire::{Dialect, Variant, encode, variant};
//!
//! let state = variant!({
//!     "id": 7,
//!     "name": "player_one",
//!     "inventory": ["sword", null, 2.5],
//! });
//! let packet = encode(Dialect::GODOT_3, &state)?;
//!
//! let view = gdwire::parse(Dialect::GODOT_3, &packet)?;
//! assert_eq!(Variant::from(view), state);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod array;
mod clone;
mod dictionary;
mod from;
mod held;
mod into;
mod key;
mod macros;
mod numbers;
mod reals;
mod steps;
mod to_bytes;
mod variant;

pub use access::Index;
pub use array::Array;
pub use dictionary::{Dictionary, Entry, IntoIter, Iter, IterMut, OccupiedEntry, VacantEntry};
pub use into::WrongKind;
pub(crate) use numbers::{Flat, Number};
pub use reals::{RealArray, RealValue};
pub(crate) use steps::{Node, Step, visit};
pub use variant::{ElementType, Instance, NodePath, Object, Signal, Variant};
