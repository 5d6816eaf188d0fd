//! Paths to parts of values, as users write them: `[19].player.items[2]`.

use super::{Error, Problem};
use crate::format::text::{self, AsWritten};
use crate::write::owned::Variant;
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

/// A path to a part of a value: see [the module](super).
#[derive(Clone, PartialEq, Debug)]
pub struct ValuePath {
    number: Option<u64>,
    segments: Vec<PathStep>,
}

/// One step of a path.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum PathStep {
    /// A key or a name without quotes. It may also be an index or an int key.
    Name(String),
    /// An index or a key, as a literal.
    Key(Variant),
}

impl PathStep {
    /// The step to a key or a name.
    pub(super) fn of_text(text: &str) -> PathStep {
        if text.is_empty() || text.contains(['.', '[', '=']) {
            return PathStep::Key(Variant::String(text.to_owned()));
        }
        PathStep::Name(text.to_owned())
    }

    /// The index or int key that it may be.
    pub(super) fn index(&self) -> Option<i64> {
        match self {
            PathStep::Name(name) => name.parse().ok(),
            PathStep::Key(Variant::Int(index)) => Some(*index),
            PathStep::Key(_) => None,
        }
    }
}

impl ValuePath {
    /// The number of the value in its file, if the path names it.
    #[must_use]
    pub const fn number(&self) -> Option<u64> {
        self.number
    }

    pub(super) fn segments(&self) -> &[PathStep] {
        &self.segments
    }

    /// Reads the path at the start of a text. Returns the text after it.
    pub(super) fn parse_prefix(text: &str) -> Result<(ValuePath, &str), Error> {
        let failed = |problem| Error::new(text, problem);
        let mut path = ValuePath { number: None, segments: Vec::new() };
        let mut rest = text;
        if let Some((digits, after)) = text.strip_prefix('[').and_then(|it| it.split_once(']'))
            && let Ok(number) = digits.parse()
        {
            (path.number, rest) = (Some(number), after);
        }
        let mut is_first = path.number.is_none();
        loop {
            if let Some(inner) = rest.strip_prefix('[') {
                let (after, key) = text::parse_prefix(inner).map_err(|error| {
                    let at = text.len().saturating_sub(inner.len()).saturating_add(error.offset);
                    failed(Problem::PathLiteral { at, problem: error.problem.to_string() })
                })?;
                let at = text.len().saturating_sub(after.len());
                rest = after.strip_prefix(']').ok_or_else(|| failed(Problem::NotClosed { at }))?;
                path.segments.push(PathStep::Key(key));
            } else if is_first || rest.starts_with('.') {
                let name = rest.strip_prefix('.').unwrap_or(rest);
                let end = name.find(['.', '[', '=']).unwrap_or(name.len());
                let (name, after) = name.split_at_checked(end).unwrap_or((name, ""));
                if name.is_empty() {
                    let at = text.len().saturating_sub(after.len());
                    return Err(failed(Problem::NoName { at }));
                }
                path.segments.push(PathStep::Name(name.to_owned()));
                rest = after;
            } else {
                break;
            }
            is_first = false;
        }
        Ok((path, rest))
    }
}

impl FromStr for ValuePath {
    type Err = Error;

    fn from_str(text: &str) -> Result<ValuePath, Error> {
        match ValuePath::parse_prefix(text)? {
            (path, "") => Ok(path),
            (_, rest) => Err(Error::new(text, Problem::NotExpected { rest: rest.to_owned() })),
        }
    }
}

impl fmt::Display for ValuePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(number) = self.number {
            write!(f, "[{number}]")?;
        }
        for (place, segment) in self.segments.iter().enumerate() {
            if place == 0 && self.number.is_none() && matches!(segment, PathStep::Name(_)) {
                write!(f, "{segment}")?;
            } else {
                match segment {
                    PathStep::Name(_) => write!(f, ".{segment}")?,
                    PathStep::Key(_) => write!(f, "{segment}")?,
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for PathStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathStep::Name(name) => write!(f, "{}", AsWritten(name)),
            PathStep::Key(key) => write!(f, "[{key}]"),
        }
    }
}
