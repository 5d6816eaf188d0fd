//! Views: read the content of a value in its bytes, without copying.
//!
//! Parsing checks a whole value once. After that, no accessor and no iterator can fail, and none
//! copies or allocates.
//!
//! ```
//! use gdwire::{Dialect, View, parse};
//!
//! let bytes = [
//!     18, 0, 0, 0, 1, 0, 0, 0, // a dictionary of one entry
//!     4, 0, 0, 0, 2, 0, 0, 0, b'h', b'p', 0, 0, // "hp"
//!     2, 0, 0, 0, 87, 0, 0, 0, // 87
//! ];
//! let value = parse(Dialect::GODOT_3, &bytes)?;
//! assert_eq!(value.get("hp").and_then(|hp| hp.as_i64()), Some(87));
//! match value.view() {
//!     View::Dictionary(entries) => assert_eq!(entries.len(), 1),
//!     other => println!("no dictionary: {other:?}"),
//! }
//! # Ok::<(), gdwire::Error>(())
//! ```
//!
//! Skipping an element means reading over its bytes. So nested iteration over a value of depth *d*
//! can read its bytes *d* times. [`crate::walk`] reads them once.

mod access;
mod access_error;
mod at;
mod cells;
mod container;
mod content;
mod element_type;
mod follow;
mod from_variant;
mod key;
mod node_path;
mod path;
mod path_text;
mod signal;
mod strings;
mod variant;

pub use access::Index;
pub use access_error::{AccessError, AccessProblem};
pub use at::At;
pub(crate) use cells::Cells;
pub use container::{
    ArrayIndex, ArrayIter, ArrayRef, DictionaryIter, DictionaryRef, InstanceRef, ObjectRef,
    PropertiesIter,
};
pub use content::View;
pub use element_type::ElementTypeRef;
pub use from_variant::FromVariant;
pub use key::Key;
pub use node_path::{NodePathNames, NodePathRef};
pub(crate) use path::Escaped;
pub use path::segment;
#[cfg(feature = "alloc")]
pub(crate) use path::{Path, Segment};
pub use signal::SignalRef;
pub(crate) use strings::str_at;
pub use strings::{StringsIter, StringsRef};
pub use variant::VariantRef;
pub(crate) use variant::header_of;
