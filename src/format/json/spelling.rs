//! The two spellings of values in JSON.

/// The type name of an object that is only an id.
pub(super) const BY_ID: &str = "Object";

/// How values are spelled in JSON.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Spelling {
    /// Lossless: see [`write`](super::write()).
    #[default]
    Native,
    /// As programs expect it: see [`write_plain`](super::write_plain).
    Plain,
}
