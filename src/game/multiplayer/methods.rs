//! Names for the methods that Godot 4 calls by number, from a list by the patterns of node paths.

use super::packet::Method;
use crate::game::project::digest;
use alloc::boxed::Box;
use alloc::string::String;
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
    lines: Vec<MethodLine>,
}

#[derive(Clone, Debug)]
struct MethodLine {
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
    /// The problem in that line.
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
                let line = MethodLine::parse(line)
                    .map_err(|problem| MethodsError { line: number, problem })?;
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

    /// The number of a method, by the path of the node and the method's name. If both the script and
    /// `rpc_config()` have the method, it is the number in the script's list, as in the engine.
    ///
    /// ```
    /// use gdwire::multiplayer::{Method, Methods};
    ///
    /// let methods = Methods::parse("Game/World: set_score respawn")?;
    /// let number = methods.number("Game/World", "set_score");
    /// assert_eq!(number, Some(Method::Number { index: 1, is_own: false }));
    /// # Ok::<(), gdwire::multiplayer::MethodsError>(())
    /// ```
    #[must_use]
    pub fn number(&self, path: &str, name: &str) -> Option<Method<'static>> {
        self.number_in(self.line_of(path)?, name)
    }

    /// The digest of a node's methods, by the path of the node: 32 hexadecimal digits, as in a
    /// *simplify path* packet.
    ///
    /// ```
    /// let methods = gdwire::multiplayer::Methods::parse("Chat: say clear")?;
    /// assert_eq!(methods.digest("Chat").as_deref(), Some("f370dba7cf121edab116d38140347a19"));
    /// # Ok::<(), gdwire::multiplayer::MethodsError>(())
    /// ```
    #[must_use]
    pub fn digest(&self, path: &str) -> Option<String> {
        self.digest_in(self.line_of(path)?)
    }

    /// The number of a method in a line.
    pub(super) fn number_in(&self, line: usize, name: &str) -> Option<Method<'static>> {
        let find = |is_own| {
            let names = self.names_in(line, is_own)?;
            let place = names.binary_search_by(|other| (**other).cmp(name)).ok()?;
            Some(Method::Number { index: u16::try_from(place).ok()?, is_own })
        };
        find(false).or_else(|| find(true))
    }

    /// The digest of a line.
    pub(super) fn digest_in(&self, line: usize) -> Option<String> {
        let [own, script] = [self.names_in(line, true)?, self.names_in(line, false)?];
        Some(digest(own.iter().chain(script).map(|name| &**name)))
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

impl MethodLine {
    fn parse(line: &str) -> Result<MethodLine, MethodsProblem> {
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
        Ok(MethodLine { pattern: Pattern::new(pattern), names: sorted(script), own: sorted(own) })
    }
}

/// Sorts the names as the engine does, so that their indexes are the engine's numbers.
fn sorted(mut names: Vec<&str>) -> Box<[Box<str>]> {
    // UTF-8 sorts by code points.
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(Box::from).collect()
}

/// A pattern for paths of nodes or names of methods.
///
/// `*` matches any part of a name, `?` matches any character, and `**` in place of a name matches
/// any number of names, or none. A leading `/root/` or `/` is ignored, in the pattern and in the
/// path.
///
/// ```
/// use gdwire::multiplayer::Pattern;
///
/// let players = Pattern::new("/root/Game/Players/*");
/// assert!(players.matches("Game/Players/P1"));
/// assert!(!players.matches("Game/Players/P1/Gun"));
/// assert!(Pattern::new("**/Gun").matches("Game/Players/P1/Gun"));
/// ```
///
/// A pattern of *m* characters examines each character of a path at most *m* times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern(Box<str>);

impl Pattern {
    /// Makes a pattern. Every text is a valid pattern.
    #[must_use]
    pub fn new(text: &str) -> Pattern {
        Pattern(from_root(text).into())
    }

    /// The pattern, without a leading `/root/` or `/`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the whole path or name matches.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        matches(&self.0, from_root(path))
    }
}

/// A path without the root of the scene tree.
pub(super) fn from_root(path: &str) -> &str {
    path.strip_prefix("/root/").or_else(|| path.strip_prefix('/')).unwrap_or(path)
}

/// Whether a pattern matches a path: `?` matches any character, `*` any characters within a name,
/// and `**` in place of a name any number of names.
///
/// At a mismatch, only the last star before it is tried again. So a pattern of *m* characters
/// examines each character of the path at most *m* times.
fn matches(pattern: &str, path: &str) -> bool {
    let (mut patterns, mut names) = (Some(pattern), Some(path));
    // The pattern after the last `**`, and the name from which it was last tried.
    let mut again: Option<(Option<&str>, &str)> = None;
    loop {
        let first = patterns.map(first_name);
        if let Some(("**", after)) = first {
            patterns = after;
            if let Some(left) = names {
                again = Some((patterns, left));
            }
            continue;
        }
        match (first, names.map(first_name)) {
            (None, None) => return true,
            (Some((pattern, after)), Some((name, left))) if matches_name(pattern, name) => {
                (patterns, names) = (after, left);
            }
            _ => {
                let Some((after, from)) = again else { return false };
                // The `**` takes one name more.
                let left = first_name(from).1;
                (patterns, names) = (after, left);
                match left {
                    Some(left) => again = Some((after, left)),
                    None => again = None,
                }
            }
        }
    }
}

/// The first name of a path, and the rest after its slash.
fn first_name(path: &str) -> (&str, Option<&str>) {
    match path.split_once('/') {
        Some((name, rest)) => (name, Some(rest)),
        None => (path, None),
    }
}

fn matches_name(pattern: &str, name: &str) -> bool {
    let (mut patterns, mut characters) = (pattern.chars(), name.chars());
    // The pattern after the last star, and the character from which it was last tried.
    let mut again = None;
    loop {
        let (mut after, mut left) = (patterns.clone(), characters.clone());
        match (after.next(), left.next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                again = Some((after.clone(), characters.clone()));
                patterns = after;
            }
            (Some(pattern), Some(character)) if pattern == '?' || pattern == character => {
                (patterns, characters) = (after, left);
            }
            _ => {
                let Some((after, from)) = &mut again else { return false };
                if from.next().is_none() {
                    return false;
                }
                (patterns, characters) = (after.clone(), from.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Methods, MethodsError, MethodsProblem, matches};

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

    #[test]
    fn a_star_stays_in_its_name() {
        for (pattern, path, is_match) in [
            ("Game/Chat", "Game/Chat", true),
            ("Game/Chat", "Game/Chats", false),
            ("Game/Chat", "Game", false),
            ("Game", "Game/Chat", false),
            ("Game/*", "Game/Chat", true),
            ("Game/*", "Game/", true),
            ("Game/*", "Game", false),
            ("Game/*", "Game/Players/P1", false),
            ("*/P?", "Players/P1", true),
            ("*/P?", "Players/P12", false),
            ("*a*b", "xaxbxb", true),
            ("*a*b", "xaxbxc", false),
            ("?", "ü", true),
            ("**", "Game/Players/P1", true),
            ("**", "", true),
            ("Game/**", "Game", true),
            ("Game/**", "Game/Players/P1", true),
            ("Game/**", "Gamer", false),
            ("**/Gun", "Game/Players/P1/Gun", true),
            ("**/Gun", "Gun", true),
            ("**/Gun", "Game/Gun/x", false),
            ("**/P*/**/Gun", "Game/P1/a/b/Gun", true),
            ("**/P*/**/Gun", "Game/Gun/P1", false),
            ("**/**/Gun/**/**", "Game/Gun", true),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, path), is_match, "{pattern} {path}");
        }
    }
}
