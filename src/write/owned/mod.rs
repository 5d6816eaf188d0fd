//! Owned values: trees that can be built, edited and compared.
//!
//! Input: Rust types, views and literals, as conversions into [`Variant`]. Output: Rust types,
//! and the encoded bytes. `variant` has the types; the other files have what they can do.
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
mod dictionary;
mod element_type;
mod entry;
mod from;
mod from_view;
mod held;
mod index;
mod into;
mod iter;
mod key;
mod macros;
mod node_path;
mod numbers;
mod reals;
mod signal;
mod steps;
mod to_bytes;
mod variant;

pub use element_type::ElementType;
pub use entry::{Entry, OccupiedEntry, VacantEntry};
pub use index::Index;
pub use into::WrongKind;
pub use iter::{IntoIter, Iter, IterMut};
pub use node_path::NodePath;
pub(crate) use numbers::{Flat, Number};
pub use reals::{RealArray, RealValue};
pub use signal::Signal;
pub(crate) use steps::{Node, Step, visit};
pub use variant::{Array, Dictionary, Instance, Object, Variant};
