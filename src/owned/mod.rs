//! Values that own what they hold.
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

mod clone;
mod dictionary;
mod from;
mod into;
mod key;
mod macros;
mod numbers;
mod to_bytes;
mod variant;

pub use dictionary::{Dictionary, IntoIter, Iter};
pub use into::WrongKind;
#[cfg(feature = "serde")]
pub(crate) use numbers::Flat;
pub(crate) use numbers::Number;
pub use variant::{Array, ElementType, NodePath, Object, Signal, Variant};
