//! The owned signal.

use alloc::string::String;

/// A signal: its name and its object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal {
    /// The signal's name.
    pub name: String,
    /// The id of the object in the process that wrote it, or 0 for no object.
    pub object_id: u64,
}
