//! The owned path in the scene tree.

use crate::value::view::NodePathRef;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// A path in the scene tree: names, then subnames that lead into a node's properties.
///
/// ```
/// use gdwire::NodePath;
///
/// let path = NodePath::from("/root/Enemies/boss:position:x");
/// assert_eq!(path.names, ["root", "Enemies", "boss"]);
/// assert_eq!(path.subnames, ["position", "x"]);
/// assert!(path.is_absolute);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodePath {
    /// Whether it starts at the root of the tree.
    pub is_absolute: bool,
    /// The names of the nodes along the path.
    pub names: Vec<String>,
    /// The names of the property and its parts.
    pub subnames: Vec<String>,
}

impl NodePath {
    /// Whether the path has neither names nor subnames, such as the path `/` of the root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.subnames.is_empty()
    }
}

impl From<NodePathRef<'_>> for NodePath {
    fn from(path: NodePathRef<'_>) -> NodePath {
        NodePath {
            is_absolute: path.is_absolute(),
            names: owned_names(path.names()),
            subnames: owned_names(path.subnames()),
        }
    }
}

fn owned_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut owned: Vec<String> = names.map(ToString::to_string).collect();
    // Most paths are short, but a vector reserves room for four names at once.
    owned.shrink_to_fit();
    owned
}

/// The path that a text spells, as the engines read it: slashes separate names, colons precede
/// subnames. Empty names are left out. A text with an empty subname that is not the last one is
/// invalid, and spells the empty path.
impl From<&str> for NodePath {
    fn from(text: &str) -> NodePath {
        NodePathRef::from(text).into()
    }
}

impl fmt::Display for NodePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_absolute {
            f.write_str("/")?;
        }
        for (place, name) in self.names.iter().enumerate() {
            if place > 0 {
                f.write_str("/")?;
            }
            f.write_str(name)?;
        }
        self.subnames.iter().try_for_each(|name| write!(f, ":{name}"))
    }
}
