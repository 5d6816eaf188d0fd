//! Finds the scripts that a script in GDScript may give to nodes that it creates.

use super::tokens::Token;
use alloc::collections::BTreeSet;

/// Finds mentions of other scripts: their class names and paths, apart from types and base classes.
#[derive(Default)]
pub(super) struct Mentions<'a> {
    /// Names that begin with a capital letter, which may be those of classes.
    pub(super) names: BTreeSet<&'a str>,
    /// Paths and uids of files.
    pub(super) paths: BTreeSet<&'a str>,
    /// Whether the script may create an instance of itself.
    pub(super) is_self: bool,
    /// Whether a file is loaded whose path is not a literal.
    pub(super) loads_any: bool,
    /// Whether nodes may get a script that is not named where they get it.
    pub(super) gives_any: bool,
    before: [Option<Token<'a>>; 2],
    /// The number of open braces, in which a colon stands before a value.
    braces: usize,
    name: Name<'a>,
}

/// What is known of a name that may be that of a class.
#[derive(Clone, Copy, Default)]
enum Name<'a> {
    #[default]
    None,
    Seen {
        name: &'a str,
        is_type: bool,
    },
    /// After the dot.
    Member(&'a str),
}

impl<'a> Mentions<'a> {
    /// Looks at a token.
    pub(super) fn note(&mut self, token: Token<'a>) {
        self.end_name(token);
        let [last, before_last] = self.before;
        match token {
            Token::Name(name) => self.name(name),
            Token::Text(text) if !matches!(last, Some(Token::Name("extends"))) => {
                if text.ends_with(".gd") || text.ends_with(".cs") || text.starts_with("uid://") {
                    self.paths.insert(text);
                }
                self.gives_any |= text == "set_script";
            }
            Token::Mark('{') => self.braces += 1,
            Token::Mark('}') => self.braces = self.braces.saturating_sub(1),
            _ => {}
        }
        // What a call of `load` begins with.
        if last == Some(Token::Mark('('))
            && let Some(Token::Name(
                "load" | "load_threaded_get" | "load_threaded_request" | "set_script",
            )) = before_last
        {
            let is_script = before_last == Some(Token::Name("set_script"));
            let is_clear = match token {
                Token::Text(_) => true,
                Token::Name(name) => is_script && (is_capital(name) || is_load(name)),
                _ => false,
            };
            self.loads_any |= !is_clear && !is_script;
            self.gives_any |= !is_clear && is_script;
        }
        // The path continues after its first part.
        if let (Token::Mark('+' | '%' | '.'), Some(Token::Text(text))) = (token, last) {
            self.loads_any |= text.starts_with("res://") && !text.ends_with(".tscn");
        }
        self.before = [Some(token), last];
    }

    fn name(&mut self, name: &'a str) {
        let [last, before_last] = self.before;
        let is_member = last == Some(Token::Mark('.'));
        if name == "new" {
            let of = before_last.filter(|_| is_member);
            self.is_self |= of.is_none_or(|of| of == Token::Name("self"));
            self.gives_any |=
                of.is_some_and(|of| !matches!(of, Token::Name(name) if is_capital(name)));
        }
        let is_no_value =
            matches!(last, Some(Token::Name("extends" | "class_name" | "class" | "as" | "is")))
                || (last, before_last) == (Some(Token::Mark('>')), Some(Token::Mark('-')));
        if is_capital(name) && !is_member && !is_no_value {
            let is_type = match last {
                Some(Token::Mark(':')) => self.braces == 0,
                Some(Token::Mark('[')) => {
                    matches!(before_last, Some(Token::Name("Array" | "Dictionary")))
                }
                _ => false,
            };
            self.name = Name::Seen { name, is_type };
        }
    }

    /// Decides on the name before a token.
    fn end_name(&mut self, token: Token<'a>) {
        self.name = match (core::mem::take(&mut self.name), token) {
            (Name::Seen { name, .. }, Token::Mark('.')) => Name::Member(name),
            (Name::Member(name), Token::Name("new")) | (Name::Seen { name, is_type: false }, _) => {
                self.names.insert(name);
                Name::None
            }
            _ => Name::None,
        }
    }
}

fn is_capital(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

fn is_load(name: &str) -> bool {
    matches!(name, "load" | "preload")
}
