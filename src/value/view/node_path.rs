//! Paths in the scene tree.

#![expect(unsafe_code, reason = "it reads text of checked bytes, which is not checked again")]

use super::strings::{StringsIter, StringsRef, str_at};
use crate::value::TOP_BIT;
use crate::value::wire::TextCheck;
use core::fmt::{self, Write};
use core::iter::FusedIterator;

/// A path in the scene tree: names, then subnames that lead into a node's properties.
///
/// `Display` writes it as the engines do: `/root/Game:position:x`.
#[derive(Clone, Copy)]
pub struct NodePathRef<'a>(PathForm<'a>);

#[derive(Clone, Copy)]
enum PathForm<'a> {
    /// Names and subnames, separately. All fields have the size of a register, so that a [`View`]
    /// with an int in this place is copied by whole registers.
    ///
    /// [`View`]: crate::value::View
    Names { names: usize, total: StringsRef<'a>, flags: usize },
    /// The obsolete form: the path as text.
    Spelled(&'a str),
}

/// The flag of a path that starts at the root of the tree.
const FLAG_ABSOLUTE: usize = 1;

impl<'a> NodePathRef<'a> {
    /// The path with the content `bytes`.
    ///
    /// # Safety
    ///
    /// The grammar must have read and checked the content of a node path in `bytes`, and must have
    /// found `knowledge`.
    pub(crate) unsafe fn new(bytes: &'a [u8], knowledge: TextCheck) -> NodePathRef<'a> {
        // SAFETY: the top bit of the first word is clear here, because a path with that bit has at
        // least 12 bytes. So the word is the length of the one string.
        let spelled = || NodePathRef(PathForm::Spelled(unsafe { str_at(bytes, 0, knowledge).0 }));
        let Some((words, strings)) = bytes.split_at_checked(12) else {
            return spelled();
        };
        let mut words = words.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
        let mut word = || words.next().unwrap_or(0);
        let (names, subnames, flags) = (word(), word(), word());
        if names & TOP_BIT == 0 {
            return spelled();
        }
        let names = names & !TOP_BIT;
        let total = names.wrapping_add(subnames).wrapping_add(u32::from(flags & 2 != 0));
        // SAFETY: the grammar has read this many strings after the three words.
        let total = unsafe { StringsRef::of(strings, total, knowledge) };
        NodePathRef(PathForm::Names { names: names as usize, total, flags: flags as usize })
    }

    /// Whether it starts at the root of the tree.
    #[must_use]
    pub fn is_absolute(self) -> bool {
        match self.0 {
            PathForm::Names { flags, .. } => flags & FLAG_ABSOLUTE != 0,
            PathForm::Spelled(text) => text.starts_with('/'),
        }
    }

    /// The names of the nodes along the path.
    #[must_use]
    pub fn names(self) -> NodePathNames<'a> {
        NodePathNames(match self.0 {
            PathForm::Names { names, total, .. } => PathNames::Wire(total.first(names).iter()),
            PathForm::Spelled(text) => {
                let names = text.split_once(':').map_or(text, |(names, _)| names);
                PathNames::Spelled { rest: names, separator: '/' }
            }
        })
    }

    /// The names of the property and its parts, after the first colon.
    #[must_use]
    pub fn subnames(self) -> NodePathNames<'a> {
        NodePathNames(match self.0 {
            PathForm::Names { names, total, .. } => {
                let mut strings = total.iter();
                for _ in 0..names {
                    if strings.next().is_none() {
                        break;
                    }
                }
                PathNames::Wire(strings)
            }
            PathForm::Spelled(text) => {
                let subnames = text.split_once(':').map_or("", |(_, subnames)| subnames);
                PathNames::Spelled { rest: subnames, separator: ':' }
            }
        })
    }

    /// Whether the path has neither names nor subnames, such as the path `/` of the root.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.names().next().is_none() && self.subnames().next().is_none()
    }
}

/// The path that a text spells, as the engines read it: slashes separate names, colons precede
/// subnames. Empty names are left out. A text with an empty subname that is not the last one is
/// invalid, and spells the empty path.
impl<'a> From<&'a str> for NodePathRef<'a> {
    fn from(text: &'a str) -> NodePathRef<'a> {
        let subnames = text.split_once(':').map_or("", |(_, subnames)| subnames);
        let is_invalid = subnames.starts_with(':') || subnames.contains("::");
        NodePathRef(PathForm::Spelled(if is_invalid { "" } else { text }))
    }
}

impl fmt::Display for NodePathRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_absolute() {
            f.write_char('/')?;
        }
        for (place, name) in self.names().enumerate() {
            if place > 0 {
                f.write_char('/')?;
            }
            f.write_str(name)?;
        }
        self.subnames().try_for_each(|name| write!(f, ":{name}"))
    }
}

impl fmt::Debug for NodePathRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NodePath({self})")
    }
}

impl PartialEq for NodePathRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.is_absolute() == other.is_absolute()
            && self.names().eq(other.names())
            && self.subnames().eq(other.subnames())
    }
}

/// Iterates over the names of a node path.
#[derive(Clone, Debug)]
pub struct NodePathNames<'a>(PathNames<'a>);

#[derive(Clone, Debug)]
enum PathNames<'a> {
    Wire(StringsIter<'a>),
    /// Empty names are skipped.
    Spelled {
        rest: &'a str,
        separator: char,
    },
}

impl<'a> Iterator for NodePathNames<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        match &mut self.0 {
            PathNames::Wire(strings) => strings.next(),
            PathNames::Spelled { rest, separator } => {
                *rest = rest.trim_start_matches(*separator);
                let (name, after) = rest.split_once(*separator).unwrap_or((rest, ""));
                *rest = after;
                (!name.is_empty()).then_some(name)
            }
        }
    }
}

impl FusedIterator for NodePathNames<'_> {}
