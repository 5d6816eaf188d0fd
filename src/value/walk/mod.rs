//! Visits a value and everything in it in one pass, in the order of the bytes.
//!
//! A walk reads every byte once, however deep the value is nested. It neither allocates nor
//! recurses. Use it to print, convert or compare values. The caller provides the stack of open
//! containers and can use it again for the next value.
//!
//! - [`walk`](crate::VariantRef::walk) iterates over the events of a parsed value. [`events`]
//!   iterates over the events of unparsed bytes, and checks them on the way.
//! - Methods that take a closure are faster: `fold`, `for_each`, `sum` and similar methods of both
//!   iterators. [`visit`] and [`VariantRef::visit`](crate::VariantRef::visit) can also stop early.
//!
//! ```
//! use gdwire::{Dialect, parse, walk::{Event, WalkStack}};
//!
//! // [1, [2, 3]]
//! let bytes = [
//!     19, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 19, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0,
//!     0, 0, 2, 0, 0, 0, 3, 0, 0, 0,
//! ];
//! let value = parse(Dialect::GODOT_3, &bytes)?;
//! let mut stack = WalkStack::new();
//! let mut sum = 0;
//! for event in value.walk(&mut stack) {
//!     if let Event::Value(_, leaf) = event {
//!         sum += leaf.as_i64().unwrap_or(0);
//!     }
//! }
//! assert_eq!(sum, 6);
//! # Ok::<(), gdwire::Error>(())
//! ```

mod compare;
mod cursor;
mod event;
mod item;
mod parsed;
mod stack;
mod unparsed;

pub use event::{Container, Ended, Event, Place};
#[cfg(feature = "serde")]
pub(crate) use item::{Item, item, property_name};
pub use parsed::Walk;
pub use stack::WalkStack;
pub use unparsed::{Events, events, visit};
