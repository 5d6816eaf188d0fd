//! How literals are laid out.

/// How a literal is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Layout {
    /// As the engine does it: every entry of a dictionary is on its own line, and line breaks in
    /// strings are written as they are.
    #[default]
    Multiline,
    /// Every value is on exactly one line. Control characters in strings are escaped.
    Line,
}
