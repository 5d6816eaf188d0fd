//! The sources of bytes.
//!
//! Opens a file, a pipe or an interface by its name, and returns its bytes, decompressed: piece by
//! piece ([`Buffer`]), or whole ([`Bytes`]).

mod buffer;
mod directory;
mod growing;
mod interface;
mod live;
mod source;
mod whole;

pub(super) use buffer::{Buffer, Idle, Stream};
pub(super) use directory::expand;
pub(super) use growing::follow;
pub(super) use interface::capture;
pub(super) use live::Live;
pub(crate) use source::{Content, unpack};
pub(super) use source::{damage, is_compressed, read_all};
pub(super) use whole::RegularFile;
pub(crate) use whole::{Bytes, report_change};
