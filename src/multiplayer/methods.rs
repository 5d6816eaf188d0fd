//! Names for the methods that Godot 4 calls by number.

use super::glob;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// The remote methods of a game's nodes: all methods with `@rpc` in a node's script and in the
/// scripts that it extends.
///
/// The list is a text with one line for each kind of node: a pattern for its path, a colon, and its
/// methods in any order. Without a colon, the pattern ends at the first space. A `#` starts a
/// comment.
///
/// In a pattern, `*` matches any part of a name, `?` matches any character, and `**` in place of a
/// name matches any number of names. A leading `/root/` or `/` is ignored. The first line that
/// matches a path applies.
///
/// ```
/// use gdwire::multiplayer::Methods;
///
/// let methods = Methods::parse("
///     # The engine numbers methods in the order of their names.
///     Game/Players/*: move, take_hit, chat
///     Game/World      set_score respawn
/// ")?;
/// assert_eq!(methods.name("Game/Players/P1", 1), Some("move"));
/// assert_eq!(methods.name("Game/World", 0), Some("respawn"));
/// assert_eq!(methods.name("Game/World", 2), None);
/// # Ok::<(), gdwire::multiplayer::MethodsError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Methods {
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    pattern: Box<str>,
    /// Sorted by code points, as the engine sorts them.
    names: Box<[Box<str>]>,
}

/// What is wrong with a list of methods.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
#[non_exhaustive]
pub struct MethodsError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: MethodsProblem,
}

/// What can be wrong with a line of a list of methods.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MethodsProblem {
    /// There is a colon, but nothing before it.
    #[error("no pattern before the colon")]
    NoPattern,
    /// There is a pattern, but no method.
    #[error("no methods after the pattern")]
    NoMethods,
    /// The name of a method has a slash, colon, star or question mark, like a pattern.
    #[error("a pattern in place of a method name: names have no `/`, `:`, `*` or `?`")]
    NotAName,
}

impl Methods {
    /// Reads a list.
    ///
    /// # Errors
    ///
    /// The first line that is not valid.
    pub fn parse(text: &str) -> Result<Methods, MethodsError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split_once('#').map_or(line, |(line, _)| line).trim();
            if !line.is_empty() {
                let line =
                    Line::parse(line).map_err(|problem| MethodsError { line: number, problem })?;
                lines.push(line);
            }
        }
        Ok(Methods { lines })
    }

    /// The name of a method, by the path of its node and its number.
    #[must_use]
    pub fn name(&self, path: &str, number: u16) -> Option<&str> {
        let path = from_root(path);
        let line = self.lines.iter().find(|line| glob::matches(&line.pattern, path))?;
        line.names.get(usize::from(number)).map(|name| &**name)
    }
}

impl Line {
    fn parse(line: &str) -> Result<Line, MethodsProblem> {
        let (pattern, names) = match line.split_once(':') {
            Some((pattern, names)) => (pattern.trim_end(), names),
            None => line.split_once(char::is_whitespace).ok_or(MethodsProblem::NoMethods)?,
        };
        if pattern.is_empty() {
            return Err(MethodsProblem::NoPattern);
        }
        let names = names.split(|character: char| character == ',' || character.is_whitespace());
        let mut names: Vec<Box<str>> =
            names.filter(|name| !name.is_empty()).map(Box::from).collect();
        if names.is_empty() {
            return Err(MethodsProblem::NoMethods);
        }
        if names.iter().any(|name| name.contains(['/', ':', '*', '?'])) {
            return Err(MethodsProblem::NotAName);
        }
        // UTF-8 sorts by code points.
        names.sort_unstable();
        names.dedup();
        Ok(Line { pattern: from_root(pattern).into(), names: names.into() })
    }
}

/// A path without the root of the scene tree.
fn from_root(path: &str) -> &str {
    path.strip_prefix("/root/").or_else(|| path.strip_prefix('/')).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::{Methods, MethodsError, MethodsProblem};

    #[test]
    fn a_line_is_refused_with_its_number() {
        for (text, line, problem) in [
            ("a: b\n\n: c", 3, MethodsProblem::NoPattern),
            ("Game/Chat", 1, MethodsProblem::NoMethods),
            ("Game/Chat: , ,", 1, MethodsProblem::NoMethods),
            ("# none\na: b\nGame/Chat # chat", 3, MethodsProblem::NoMethods),
            ("Game Game/Chat", 1, MethodsProblem::NotAName),
        ] {
            assert_eq!(Methods::parse(text).unwrap_err(), MethodsError { line, problem }, "{text}");
        }
    }

    #[test]
    fn names_are_numbered_as_the_engine_does() {
        let methods =
            Methods::parse("\u{feff}/root/My Game/**: zoo _x Zoo a, a1,\tü,a\r\n*: other").unwrap();
        for (number, name) in (0..).zip(["Zoo", "_x", "a", "a1", "zoo", "ü"]) {
            assert_eq!(methods.name("My Game/a/b", number), Some(name));
            assert_eq!(methods.name("/root/My Game/a/b", number), Some(name));
        }
        assert_eq!(methods.name("My Game", 6), None);
        assert_eq!(methods.name("Other", 0), Some("other"));
        assert_eq!(methods.name("Other/Node", 0), None);
    }
}
