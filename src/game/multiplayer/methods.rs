//! Names for the methods that Godot 4 calls by number.

use super::glob::Pattern;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// The remote methods of a game's nodes: all methods with `@rpc` in a node's script and in the
/// scripts that it extends.
///
/// The list is a text with one line for each kind of node: a pattern for the paths of these nodes,
/// a colon, and their methods in any order. Without a colon, the pattern ends at the first space. A
/// `#` starts a comment.
///
/// [`Pattern`] says what a pattern matches. The first line that matches a path applies.
///
/// A plus sign stands before methods that became remote with `Node.rpc_config()`: they have numbers
/// of their own.
///
/// ```
/// use gdwire::multiplayer::Methods;
///
/// let methods = Methods::parse("
///     # The engine numbers methods in the order of their names.
///     Game/Players/*: move, take_hit, chat
///     Game/World      set_score respawn +wave
/// ")?;
/// assert_eq!(methods.name("Game/Players/P1", 1), Some("move"));
/// assert_eq!(methods.name("Game/World", 0), Some("respawn"));
/// assert_eq!(methods.name("Game/World", 2), None);
/// assert_eq!(methods.own_name("Game/World", 0), Some("wave"));
/// # Ok::<(), gdwire::multiplayer::MethodsError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Methods {
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    pattern: Pattern,
    /// The methods of the scripts. Sorted by code points, as the engine sorts them.
    names: Box<[Box<str>]>,
    /// The methods from `rpc_config()`, sorted in the same way.
    own: Box<[Box<str>]>,
}

/// The error for a list of methods.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
#[non_exhaustive]
pub struct MethodsError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: MethodsProblem,
}

/// A problem in a line of a list of methods.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MethodsProblem {
    /// There is a colon, but nothing before it.
    #[error("no pattern before the colon")]
    NoPattern,
    /// There is a pattern, but no method.
    #[error("no methods after the pattern")]
    NoMethods,
    /// The name of a method has a slash, colon, star, question mark or plus sign, like a pattern.
    #[error("a pattern in place of a method name: names have no `/`, `:`, `*`, `?` or `+`")]
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

    /// The name of a method of the node's scripts, by the path of the node and its number.
    #[must_use]
    pub fn name(&self, path: &str, number: u16) -> Option<&str> {
        self.name_in(self.line_of(path)?, number, false)
    }

    /// Like [`Methods::name`], for a method from `Node.rpc_config()`.
    #[must_use]
    pub fn own_name(&self, path: &str, number: u16) -> Option<&str> {
        self.name_in(self.line_of(path)?, number, true)
    }

    /// The first line that matches a path.
    pub(super) fn line_of(&self, path: &str) -> Option<usize> {
        self.lines.iter().position(|line| line.pattern.matches(path))
    }

    /// The name of a method in a line.
    pub(super) fn name_in(&self, line: usize, number: u16, is_own: bool) -> Option<&str> {
        let name = self.names_in(line, is_own)?.get(usize::from(number))?;
        Some(name)
    }

    /// The names in a line: those from `rpc_config()` if `is_own` is set, or else those of the
    /// scripts.
    pub(super) fn names_in(&self, line: usize, is_own: bool) -> Option<&[Box<str>]> {
        let line = self.lines.get(line)?;
        Some(if is_own { &line.own } else { &line.names })
    }

    /// The patterns of the lines.
    pub(super) fn patterns(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| line.pattern.as_str())
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
        let (mut script, mut own) = (Vec::new(), Vec::new());
        for name in names.split(|character: char| character == ',' || character.is_whitespace()) {
            let (names, name) = match name.strip_prefix('+') {
                Some(name) => (&mut own, name),
                None => (&mut script, name),
            };
            if name.contains(['/', ':', '*', '?', '+']) {
                return Err(MethodsProblem::NotAName);
            }
            if !name.is_empty() {
                names.push(name);
            }
        }
        if script.is_empty() && own.is_empty() {
            return Err(MethodsProblem::NoMethods);
        }
        Ok(Line { pattern: Pattern::new(pattern), names: sorted(script), own: sorted(own) })
    }
}

/// Sorts the names as the engine does, so that their indexes are the engine's numbers.
fn sorted(mut names: Vec<&str>) -> Box<[Box<str>]> {
    // UTF-8 sorts by code points.
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(Box::from).collect()
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
            ("Game/Chat: a++b", 1, MethodsProblem::NotAName),
        ] {
            assert_eq!(Methods::parse(text).unwrap_err(), MethodsError { line, problem }, "{text}");
        }
    }

    #[test]
    fn names_are_numbered_as_the_engine_does() {
        let methods =
            Methods::parse("\u{feff}/root/My Game/**: zoo _x +b Zoo a, a1,\tü,a,+a\r\n*: other")
                .unwrap();
        for (number, name) in (0..).zip(["Zoo", "_x", "a", "a1", "zoo", "ü"]) {
            assert_eq!(methods.name("My Game/a/b", number), Some(name));
            assert_eq!(methods.name("/root/My Game/a/b", number), Some(name));
        }
        let own = |number| methods.own_name("My Game/a", number);
        assert_eq!([own(0), own(1), own(2)], [Some("a"), Some("b"), None]);
        assert_eq!(methods.name("My Game", 6), None);
        assert_eq!(methods.name("Other", 0), Some("other"));
        assert_eq!(methods.name("Other/Node", 0), None);
    }
}
