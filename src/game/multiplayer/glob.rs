//! Matches node paths and the names of methods against patterns.

use alloc::boxed::Box;

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
fn from_root(path: &str) -> &str {
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
        let first = patterns.map(first);
        if let Some(("**", after)) = first {
            patterns = after;
            if let Some(left) = names {
                again = Some((patterns, left));
            }
            continue;
        }
        match (first, names.map(self::first)) {
            (None, None) => return true,
            (Some((pattern, after)), Some((name, left))) if matches_name(pattern, name) => {
                (patterns, names) = (after, left);
            }
            _ => {
                let Some((after, from)) = again else { return false };
                // The `**` takes one name more.
                let left = self::first(from).1;
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
fn first(path: &str) -> (&str, Option<&str>) {
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
    use super::matches;

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
