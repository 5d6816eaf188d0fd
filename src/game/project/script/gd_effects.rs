//! Finds what GDScript may change or create at run time, from single tokens.

use super::classes::Effects;
use super::containers::changes_container;
use super::tokens::Token;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// How many open brackets are remembered.
const BRACKETS: usize = 64;

/// Looks at the tokens of a script.
#[derive(Default)]
pub(super) struct Watch<'a> {
    /// The variables to which the script assigns, or whose content it may change: its own ones and
    /// those of any object.
    pub(super) own: BTreeSet<&'a str>,
    pub(super) others: BTreeSet<&'a str>,
    /// Strings that are paths of scenes, or parts of such paths.
    pub(super) paths: BTreeSet<&'a str>,
    pub(super) effects: Effects,
    before: [Option<Token<'a>>; 3],
    /// The name before each open bracket, and whether a dot is before it.
    open: Vec<Option<(&'a str, bool)>>,
    /// Whether the last `load` belongs to an object other than `ResourceLoader`.
    is_other_loader: bool,
    /// The name before the brackets that were closed last.
    indexed: Option<(&'a str, bool)>,
}

impl<'a> Watch<'a> {
    /// Looks at a token; `next` is the byte after it. Returns whether the token assigns a function
    /// to a spawner.
    pub(super) fn note(&mut self, token: Token<'a>, next: Option<u8>) -> bool {
        let mut is_spawn_function = false;
        self.loading(token);
        match token {
            Token::Mark('=') if next != Some(b'=') => is_spawn_function = self.assignment(),
            Token::Mark('[' | '(' | '{') => {
                let index = token == Token::Mark('[');
                let named = self.named().filter(|_| index);
                if self.open.len() < BRACKETS {
                    self.open.push(named);
                }
                is_spawn_function = token == Token::Mark('(')
                    && self.before[0] == Some(Token::Name("set_spawn_function"));
                self.call(token);
            }
            Token::Mark(')' | ']' | '}') => self.indexed = self.open.pop().flatten(),
            Token::Name(name) => {
                if matches!(name, "load") {
                    self.is_other_loader = self.before[0] == Some(Token::Mark('.'))
                        && self.before[1] != Some(Token::Name("ResourceLoader"));
                }
                self.name(name);
            }
            Token::Text(text) => {
                is_spawn_function = matches!(text, "spawn_function" | "set_spawn_function");
                self.text(text);
            }
            _ => {}
        }
        self.before = [Some(token), self.before[0], self.before[1]];
        is_spawn_function
    }

    /// Looks for files and scenes whose path is not a literal.
    fn loading(&mut self, token: Token<'a>) {
        let [last, before, before_that] = self.before;
        let is_load = |at: Option<Token<'a>>| {
            let Some(Token::Name(name)) = at else { return false };
            matches!(
                name,
                "load" | "load_threaded_get" | "load_threaded_request" | "change_scene_to_file"
            )
        };
        let open = Some(Token::Mark('('));
        self.effects.computes_paths |= match token {
            // The function itself is passed on, or its path is not a text.
            Token::Mark('(') => false,
            Token::Text(_) if last == open => false,
            _ if last == open => is_load(before) && self.is_of_engine(before_that),
            // The path goes on after its first part.
            Token::Mark(')' | ',') => false,
            _ if before == open && matches!(last, Some(Token::Text(_))) => is_load(before_that),
            _ => last == Some(Token::Name("load")) && self.is_of_engine(before),
        };
    }

    /// Whether a function is the engine's, by the token before it.
    fn is_of_engine(&self, before: Option<Token<'a>>) -> bool {
        match before {
            Some(Token::Name("func" | "var" | "const" | "signal")) => false,
            Some(Token::Mark('.')) => !self.is_other_loader,
            _ => true,
        }
    }

    /// The name that the last token is, and whether a dot is before it.
    fn named(&self) -> Option<(&'a str, bool)> {
        let Some(Token::Name(name)) = self.before[0] else { return None };
        Some((name, self.before[1] == Some(Token::Mark('.'))))
    }

    fn change(&mut self, (name, is_member): (&'a str, bool)) {
        if is_member { &mut self.others } else { &mut self.own }.insert(name);
    }

    /// Looks at what is before `=`.
    fn assignment(&mut self) -> bool {
        match self.before[0] {
            Some(Token::Name(name)) => {
                if matches!(self.before[1], Some(Token::Name("var" | "const"))) {
                    return false;
                }
                let is_member = self.before[1] == Some(Token::Mark('.'));
                self.change((name, is_member));
                name == "spawn_function"
            }
            Some(Token::Mark(']')) => {
                if let Some(indexed) = self.indexed {
                    self.change(indexed);
                }
                false
            }
            Some(Token::Mark('+' | '-' | '*' | '/' | '%' | '|' | '&')) => {
                if let Some(Token::Name(name)) = self.before[1] {
                    self.change((name, self.before[2] == Some(Token::Mark('.'))));
                }
                false
            }
            _ => false,
        }
    }

    /// Looks at what is before `(`.
    fn call(&mut self, token: Token<'a>) {
        let Some(Token::Name(method)) = self.before[0].filter(|_| token == Token::Mark('(')) else {
            return;
        };
        if let (true, Some(Token::Mark('.')), Some(Token::Name(name))) =
            (changes_container(method), self.before[1], self.before[2])
        {
            // The object may be one's own variable or that of another object.
            self.own.insert(name);
            self.others.insert(name);
        }
    }

    fn name(&mut self, name: &'a str) {
        let effects = &mut self.effects;
        match name {
            "DirAccess" | "FileAccess" | "ConfigFile" | "JSON" | "list_directory" | "path_join"
            | "get_base_dir" | "scene_file_path" | "get_setting" | "replace" | "str_to_var"
            | "bytes_to_var" | "http_get" | "HTTPRequest" | "resource_path" => {
                effects.reads_paths = true;
            }
            "replication_config"
            | "property_set_spawn"
            | "property_set_sync"
            | "property_set_watch"
            | "property_set_replication_mode" => effects.changes_properties = true,
            // Other classes have such methods, too.
            "add_property" | "remove_property" if self.before[0] == Some(Token::Mark('.')) => {
                effects.adds_properties = true;
            }
            "instantiate" if self.before[1] == Some(Token::Name("ClassDB")) => {
                effects.makes_synchronizers = true;
            }
            "root_path" if self.before[1] != Some(Token::Name("multiplayer")) => {
                effects.changes_properties = true;
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &'a str) {
        // `node.set("name", …)` or `node.set(&"name", …)`
        let function = match self.before {
            [Some(Token::Mark('(')), function, _] => function,
            [Some(Token::Mark('&')), Some(Token::Mark('(')), function] => function,
            _ => None,
        };
        if let Some(Token::Name("set" | "set_deferred" | "set_indexed")) = function {
            self.others.insert(text);
        }
        if matches!(text, "replication_config" | "root_path") {
            self.effects.changes_properties = true;
        }
        if text.starts_with("res://") || text.starts_with("uid://") || text.contains(".tscn") {
            self.paths.insert(text);
        }
    }
}
