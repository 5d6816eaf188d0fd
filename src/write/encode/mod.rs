//! Writing values: the same bytes that an engine writes for the same value.
//!
//! [`encode`] and similar functions write values that are in memory: Rust types, views and owned
//! values. A [`Builder`] writes a value piece by piece, without having it in memory. [`patch()`]
//! changes one value in a packet and copies the rest.
//!
//! ```
//! use gdwire::{Dialect, encode};
//!
//! let packet = encode(Dialect::GODOT_3, &"hi")?;
//! assert_eq!(packet, [4, 0, 0, 0, 2, 0, 0, 0, b'h', b'i', 0, 0]);
//!
//! let mut datagram = [0; 16];
//! let length = gdwire::encode_to_slice(Dialect::GODOT_3, &42, &mut datagram)?;
//! assert_eq!(datagram[..length], [2, 0, 0, 0, 42, 0, 0, 0]);
//! # Ok::<(), gdwire::EncodeError>(())
//! ```

#[cfg(feature = "alloc")]
mod allocated;
mod builder;
mod error;
mod packed;
mod patch;
#[cfg(feature = "alloc")]
pub(crate) mod path;
mod sink;
#[cfg(feature = "serde")]
mod sink_patch;
mod value;
mod whole;

pub use builder::Builder;
#[cfg(feature = "serde")]
pub(crate) use builder::Open;
#[cfg(feature = "alloc")]
pub(crate) use builder::{Width, changed_by_rounding};
pub use error::{EncodeError, EncodeProblem};
#[cfg(any(feature = "glam", feature = "serde"))]
pub(crate) use packed::Content;
#[cfg(feature = "alloc")]
pub(crate) use packed::Owned;
#[cfg(any(feature = "alloc", feature = "glam"))]
pub(crate) use packed::sealed::Sealed as PackedElement;
pub use packed::{Element, Elements, Packed};
pub use patch::{PatchError, patch, patch_into};
#[cfg(feature = "std")]
pub use sink::WriteSink;
pub use sink::{CountSink, Sink, SliceSink};
#[cfg(feature = "serde")]
pub(crate) use sink_patch::Patch;
pub use value::Encode;
#[cfg(feature = "alloc")]
pub use whole::encode;
#[cfg(feature = "std")]
pub use whole::encode_to_writer;
pub use whole::{encode_into, encode_to_slice, encoded_len};
