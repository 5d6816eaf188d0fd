//! Errors of edits.

use crate::value::{ElementTypeRef, Kind};
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// An edit that cannot be read or done.
#[derive(Clone, PartialEq, Debug)]
pub struct Error {
    edit: String,
    problem: Problem,
}

impl Error {
    pub(super) fn new(edit: &str, problem: Problem) -> Error {
        Error { edit: edit.to_owned(), problem }
    }

    /// The edit, as the user wrote it.
    #[must_use]
    pub fn edit(&self) -> &str {
        &self.edit
    }

    /// The reason why it fails.
    #[must_use]
    pub const fn problem(&self) -> &Problem {
        &self.problem
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", crate::format::text::AsWritten(&self.edit), self.problem)
    }
}

impl core::error::Error for Error {}

/// The reason why an edit fails.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A key or a name is missing in the path.
    #[error("a key is missing at byte {at}")]
    NoName {
        /// The offset in the edit.
        at: usize,
    },
    /// The content of brackets is not a literal.
    #[error("byte {at}: {problem}; brackets contain an index or a key, such as [2] or [\"name\"]")]
    PathLiteral {
        /// The offset in the edit.
        at: usize,
        /// The error of the literal.
        problem: String,
    },
    /// A bracket is missing.
    #[error("a closing bracket is missing at byte {at}")]
    NotClosed {
        /// The offset in the edit.
        at: usize,
    },
    /// Something follows the path.
    #[error("the path ends before {rest:?}")]
    NotExpected {
        /// The text after the path.
        rest: String,
    },
    /// The equals sign after the path is missing.
    #[error("an equals sign and a value are missing after the path")]
    NoEquals,
    /// The new value or key is not a literal.
    #[error("the new value is not a literal ({0}); texts are in quotes: name=\"Zoë\"")]
    Literal(
        /// The error, with its place in the literal.
        String,
    ),
    /// No text follows the equals sign where the new key should be.
    #[error("the new key is missing")]
    NoKey,
    /// The path of an item to add does not end with a key.
    #[error("the path does not end with a new key")]
    NoNewKey,
    /// The value to rename has no key.
    #[error("an element or a whole value has no key")]
    NoOldKey,
    /// There is no value with this number.
    #[error("there is no value [{number}]: {}", CountOf(*.count))]
    NoValue {
        /// The number in the path.
        number: u64,
        /// How many values there are.
        count: usize,
    },
    /// The path leads nowhere in any value.
    #[error("the path leads nowhere in any of the {count} values")]
    Nowhere {
        /// How many values there are.
        count: usize,
    },
    /// Several values have such a part, or the container that an element is to be added to.
    #[error(
        "{} values have this path; put the number of one of them before it: {}",
        .numbers.len(), NumbersOf(.numbers)
    )]
    Ambiguous {
        /// Their numbers.
        numbers: Vec<usize>,
    },
    /// A step leads into a value that contains no other values.
    #[error(
        "{step} leads into a value of type {kind}, whose parts cannot be edited; replace it as a whole"
    )]
    NoContainer {
        /// The kind of the value.
        kind: Kind,
        /// The step of the path.
        step: String,
    },
    /// A container has no such item.
    #[error("the {kind} has no {step}{}", NamesOf(.names, *.count))]
    Missing {
        /// The step of the path.
        step: String,
        /// The kind of the container.
        kind: Kind,
        /// The keys that it has. A long list is cut.
        names: String,
        /// How many items it has.
        count: usize,
    },
    /// The container already has an item with this key.
    #[error("this key exists already")]
    KeyExists,
    /// An element can only be added at the end.
    #[error("elements are added at the end, which is [{len}]")]
    NotNext {
        /// How many elements there are.
        len: usize,
    },
    /// The type would change.
    #[error("the old value is of type {old}, the new one of type {new}{}", HintOf(.hint.as_deref()))]
    TypeChange {
        /// The type of the old value or key.
        old: String,
        /// The type of the new one.
        new: String,
        /// The new value in the type of the old one, if there is one.
        hint: Option<String>,
    },
    /// A typed container cannot contain the new value.
    #[error(
        "the container is declared for values of type {allowed}, and the new one is of type {found}"
    )]
    ElementType {
        /// The declared type.
        allowed: String,
        /// The kind of the new value.
        found: Kind,
    },
    /// Another edit changes the same part.
    #[error("another edit changes the same part")]
    Twice,
    /// A container would have too many items.
    #[error("the container has too many items")]
    TooLong,
    /// The dialect cannot express the new value.
    #[error("{0}")]
    Encode(
        /// The reason.
        String,
    ),
    /// No engine could read the edited value.
    #[error("the edited value cannot be read: {0}")]
    Unreadable(
        /// The reason.
        String,
    ),
}

struct CountOf(usize);

impl fmt::Display for CountOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("there are no values"),
            1 => {
                f.write_str("the only value is [0], and its elements are [0][0], [0][1] and so on")
            }
            count => write!(f, "the values are [0] to [{}]", count.saturating_sub(1)),
        }
    }
}

struct NumbersOf<'n>(&'n [usize]);

impl fmt::Display for NumbersOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// How many numbers are shown.
        const SHOWN: usize = 10;
        for (place, number) in self.0.iter().take(SHOWN).enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            write!(f, "{comma}[{number}]")?;
        }
        if self.0.len() > SHOWN { f.write_str(", …") } else { Ok(()) }
    }
}

struct NamesOf<'n>(&'n str, usize);

impl fmt::Display for NamesOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NamesOf("", 0) => f.write_str(": it is empty"),
            NamesOf("", 1) => f.write_str(": it has 1 element, [0]"),
            NamesOf("", count) => {
                write!(f, ": its elements are [0] to [{}]", count.saturating_sub(1))
            }
            NamesOf(names, _) => write!(f, "; it has {names}"),
        }
    }
}

struct HintOf<'h>(Option<&'h str>);

impl fmt::Display for HintOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(hint) => write!(f, "; write {hint}"),
            None => Ok(()),
        }
    }
}

/// The name of a type with the types of its elements: `Array[Int]`.
pub(super) fn typed_name(kind: Kind, types: &[ElementTypeRef<'_>]) -> String {
    if types.iter().all(|declared| *declared == ElementTypeRef::Any) {
        return kind.name().to_owned();
    }
    let types: Vec<_> = types.iter().copied().map(element_name).collect();
    alloc::format!("{}[{}]", kind.name(), types.join(", "))
}

/// The name of a declared type of elements.
pub(super) fn element_name(declared: ElementTypeRef<'_>) -> String {
    match declared {
        ElementTypeRef::Any => "any".to_owned(),
        ElementTypeRef::Kind(kind) => kind.name().to_owned(),
        ElementTypeRef::Class(name) | ElementTypeRef::Script(name) => {
            crate::format::text::OneLine(name).to_string()
        }
    }
}
