//! The stack that the caller of a walk provides.

use crate::value::wire::nesting::Stack;

/// The open containers of a walk. It takes 8 KiB; most of that is only used for values nested
/// deeper than 16 containers.
#[derive(Debug, Clone)]
pub struct WalkStack(pub(super) Stack);

impl WalkStack {
    /// Creates a stack that any value can use.
    #[inline]
    #[must_use]
    pub const fn new() -> WalkStack {
        WalkStack(Stack::new())
    }
}

impl Default for WalkStack {
    fn default() -> WalkStack {
        WalkStack::new()
    }
}
