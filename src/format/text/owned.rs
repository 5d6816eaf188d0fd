//! Owned values as literals: `Display`, `Debug` and `FromStr`.

use super::Layout;
use super::error::ParseError;
use super::read::parse;
use super::write;
use crate::value::Kind;
use crate::write::owned::{Array, Dictionary, OwnedNode, Variant};
use core::fmt;

/// The literal of Godot 4: in one line, or with `{:#}` as [`Layout::Multiline`].
///
/// ```
/// use gdwire::{Variant, variant};
///
/// let state = variant!({ "hp": 87, "tags": ["boss"] });
/// assert_eq!(state.to_string(), r#"{ "hp": 87, "tags": ["boss"] }"#);
/// assert_eq!(state.to_string().parse::<Variant>()?, state);
/// # Ok::<(), gdwire::text::ParseError>(())
/// ```
impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        owned(OwnedNode::of(self), f)
    }
}

/// The same as `Display`.
impl fmt::Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        owned(OwnedNode::of(self), f)
    }
}

/// The same as [`parse()`].
impl core::str::FromStr for Variant {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Variant, ParseError> {
        parse(text)
    }
}

/// Writes an owned value without indentation, so that deep nesting does not make the text longer.
fn owned(root: OwnedNode<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let layout = if f.alternate() { Layout::Multiline } else { Layout::Line };
    write::owned(root, layout, f)
}

/// The same as for [`Variant`]: the literal in one line, or with `{:#?}` on several lines.
impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        owned(OwnedNode::Array(Kind::Array, self), f)
    }
}

/// The same as for [`Variant`]: the literal in one line, or with `{:#?}` one line for each entry.
impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        owned(OwnedNode::Dictionary(self), f)
    }
}
