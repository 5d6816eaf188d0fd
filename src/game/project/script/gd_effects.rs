//! Finds, from single tokens of GDScript, what a script may change or create at run time, which
//! methods it makes remote, and which scripts it may give to nodes.

use super::aliases::Aliases;
use super::cs_effects::changes_in_csharp;
use super::tokens::{Brackets, Token};
use super::{CONFIG_CHANGES, Effects, has_word, is_name};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// Looks at the tokens of a script.
#[derive(Default)]
pub(super) struct GdWatch<'a> {
    /// The variables to which the script assigns, or whose content it may change: its own ones and
    /// those of any object.
    pub(super) own: BTreeSet<&'a str>,
    pub(super) others: BTreeSet<&'a str>,
    /// Names before dots and indexes in front of these. If one is that of a container, its content may
    /// change.
    pub(super) inside: BTreeSet<&'a str>,
    /// Strings that are paths of scenes, or parts of such paths.
    pub(super) paths: BTreeSet<&'a str>,
    pub(super) effects: Effects,
    /// Whether nodes of classes are made that may be any.
    pub(super) makes_any: bool,
    before: [Option<Token<'a>>; 3],
    /// The names in the last expression such as `a.b[0].c`, and whether a dot is before each.
    chain: Vec<(&'a str, bool)>,
    /// The same before each open bracket.
    brackets: Brackets<Vec<(&'a str, bool)>>,
    /// Whether the last `load` belongs to an object other than `ResourceLoader`.
    is_other_loader: bool,
    aliases: Aliases<'a>,
}

impl<'a> GdWatch<'a> {
    /// Looks at a token; `next` is the byte after it. Returns whether the token assigns a function
    /// to a spawner.
    pub(super) fn note(&mut self, token: Token<'a>, next: Option<u8>) -> bool {
        let mut is_spawn_function = false;
        self.loading(token);
        let last = |chain: &Vec<(&'a str, bool)>| chain.last().map(|(name, _)| *name);
        let called = self.brackets.innermost().and_then(last);
        self.aliases.note(token, self.before, last(&self.chain), called);
        self.aliases.gdscript(token, self.before, called);
        match token {
            Token::Mark('=') if next != Some(b'=') => {
                let last = self.chain.last().map(|(name, _)| *name);
                is_spawn_function = self.assignment();
                self.aliases.assign(last, self.before);
            }
            Token::Mark('[' | '(' | '{') => {
                let last = self.before[0];
                if token == Token::Mark('(') {
                    is_spawn_function = last == Some(Token::Name("set_spawn_function"));
                    self.call();
                }
                let chain = core::mem::take(&mut self.chain);
                let goes_on = matches!(last, Some(Token::Name(_) | Token::Mark(')' | ']')));
                self.brackets.open(goes_on.then_some(chain));
            }
            Token::Mark(')' | ']' | '}') => {
                self.brackets.close();
                self.chain = self.brackets.closed.take().unwrap_or_default();
            }
            Token::Name(name) => {
                let is_member = self.before[0] == Some(Token::Mark('.'));
                // The chain is bounded: each further name replaces the last one.
                self.chain.truncate(if is_member { CHAIN } else { 0 });
                self.chain.push((name, is_member));
                if name == "load" {
                    self.is_other_loader =
                        is_member && self.before[1] != Some(Token::Name("ResourceLoader"));
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

    fn change(&mut self, chain: &[(&'a str, bool)]) {
        let Some(((name, is_member), before)) = chain.split_last() else { return };
        if *is_member { &mut self.others } else { &mut self.own }.insert(name);
        self.inside.extend(before.iter().map(|(name, _)| *name));
    }

    /// Looks at what is before `=`.
    fn assignment(&mut self) -> bool {
        let [last, before, of] = self.before;
        let is_target = match (last, before) {
            (Some(Token::Name(_)), Some(Token::Name("var" | "const"))) => false,
            (Some(Token::Name(_) | Token::Mark(']')), _) => true,
            (Some(Token::Mark('+' | '-' | '*' | '/' | '%' | '|' | '&' | '^')), _) => true,
            (Some(Token::Mark('<' | '>')), _) => last == before,
            _ => false,
        };
        if is_target {
            let chain = core::mem::take(&mut self.chain);
            if let (Some(Token::Mark(']')), Some((name, _))) = (last, chain.last()) {
                self.aliases.changed.insert(name);
            }
            self.change(&chain);
        }
        let is_changed = match last {
            Some(Token::Name("replication_config")) => is_target,
            Some(Token::Name("root_path")) => is_target && of != Some(Token::Name("multiplayer")),
            _ => false,
        };
        self.effects.changes_properties |= is_changed;
        is_target && last == Some(Token::Name("spawn_function"))
    }

    /// Looks at what is before `(`.
    fn call(&mut self) {
        let chain = core::mem::take(&mut self.chain);
        if let [of @ .., (method, true)] = &*chain
            && changes_container(method)
        {
            self.change(of);
            // The object may be one's own variable or that of another object.
            if let Some((name, _)) = of.last() {
                self.own.insert(name);
                self.others.insert(name);
                self.aliases.changed.insert(name);
            }
        }
        self.chain = chain;
    }

    /// Adds the containers whose content the script changes by other names.
    pub(super) fn end(&mut self) {
        self.note(Token::Line { indent: 0 }, None);
        self.inside.extend(self.aliases.by_others(&self.inside));
    }

    fn name(&mut self, name: &'a str) {
        let effects = &mut self.effects;
        match name {
            "DirAccess" | "FileAccess" | "ConfigFile" | "JSON" | "list_directory" | "path_join"
            | "get_base_dir" | "scene_file_path" | "get_setting" | "replace" | "str_to_var"
            | "bytes_to_var" | "http_get" | "HTTPRequest" | "resource_path" => {
                effects.reads_paths = true;
            }
            "property_set_spawn"
            | "property_set_sync"
            | "property_set_watch"
            | "property_set_replication_mode"
            | "set_replication_config" => effects.changes_properties = true,
            "replication_config" => effects.reads_configs = true,
            // Other classes have such methods, too.
            "add_property" | "remove_property" if self.before[0] == Some(Token::Mark('.')) => {
                effects.adds_properties = true;
            }
            "instantiate" if self.before[1] == Some(Token::Name("ClassDB")) => {
                self.makes_any = true;
            }
            "set_root_path" if self.before[1] != Some(Token::Name("multiplayer")) => {
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
        if self.before[1] == Some(Token::Name("instantiate")) {
            self.effects.makes_synchronizers |= text == "MultiplayerSynchronizer";
            self.effects.changes_spawners |= text == "MultiplayerSpawner";
        }
        self.effects.changes_properties |= has_word(CONFIG_CHANGES, text);
        if text.starts_with("res://") || text.starts_with("uid://") || text.contains(".tscn") {
            self.paths.insert(text);
        }
    }
}

/// How many names of an expression are remembered.
const CHAIN: usize = 8;

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
    name: SeenName<'a>,
}

/// The state of the reader after a name that may be that of a class.
#[derive(Clone, Copy, Default)]
enum SeenName<'a> {
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
        // The first token of an argument of `load` or `set_script`.
        if last == Some(Token::Mark('('))
            && let Some(Token::Name(
                "load" | "load_threaded_get" | "load_threaded_request" | "set_script",
            )) = before_last
        {
            let is_script = before_last == Some(Token::Name("set_script"));
            let is_clear = match token {
                Token::Text(_) => true,
                // `load(path)` returns any script.
                Token::Name(name) => is_script && (is_capital(name) || name == "preload"),
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
        let is_no_value = match last {
            Some(Token::Name(last)) => {
                matches!(last, "extends" | "class_name" | "class" | "as" | "is")
            }
            Some(Token::Mark('>')) => before_last == Some(Token::Mark('-')),
            // `$Node/Other` and `%Node` are nodes.
            Some(Token::Mark(mark)) => matches!(mark, '$' | '%' | '/'),
            _ => false,
        };
        if is_capital(name) && !is_member && !is_no_value {
            let is_type = match last {
                Some(Token::Mark(':')) => self.braces == 0,
                Some(Token::Mark('[')) => {
                    matches!(before_last, Some(Token::Name("Array" | "Dictionary")))
                }
                _ => false,
            };
            self.name = SeenName::Seen { name, is_type };
        }
    }

    /// Decides on the name before a token.
    fn end_name(&mut self, token: Token<'a>) {
        self.name = match (core::mem::take(&mut self.name), token) {
            (SeenName::Seen { name, .. }, Token::Mark('.')) => SeenName::Member(name),
            (SeenName::Member(name), Token::Name("new"))
            | (SeenName::Seen { name, is_type: false }, _) => {
                self.names.insert(name);
                SeenName::None
            }
            _ => SeenName::None,
        }
    }
}

fn is_capital(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// Finds the names of methods in calls of `rpc_config`.
#[derive(Default)]
pub(super) struct GdRpcCalls<'a> {
    /// The number of further tokens within which the name of the method is expected.
    left: u8,
    /// The number of commas that are expected before the name.
    commas: u8,
    /// Whether the argument of a call is not a literal.
    pub(super) is_loose: bool,
    /// All strings that can be names of methods.
    pub(super) texts: BTreeSet<&'a str>,
}

impl<'a> GdRpcCalls<'a> {
    /// Looks at a token. Returns the name of a method if the token names it in a call that makes it
    /// remote.
    pub(super) fn note(&mut self, token: Token<'a>) -> Option<&'a str> {
        const REACH: u8 = 6;
        let was_left = self.left;
        self.left = self.left.saturating_sub(1);
        match token {
            Token::Name("rpc_config") => (self.left, self.commas) = (REACH, 0),
            // call("rpc_config", "name", …)
            Token::Text("rpc_config") => (self.left, self.commas) = (REACH, 1),
            Token::Text(text) if is_name(text) => {
                self.texts.insert(text);
                if was_left > 0 {
                    self.left = 0;
                    return Some(text);
                }
            }
            Token::Mark(',') if was_left > 0 && self.commas > 0 => self.commas -= 1,
            Token::Mark(',' | ')') | Token::Line { .. } if was_left > 0 => {
                self.left = 0;
                self.is_loose = true;
            }
            _ => self.is_loose |= was_left == 1,
        }
        None
    }
}

/// Whether a method of arrays or dictionaries changes them, in GDScript or C#.
pub(crate) fn changes_container(method: &str) -> bool {
    const CHANGING: &str = "append append_array assign clear erase fill get_or_add insert invert merge \
        pop_at pop_back pop_front push_back push_front remove remove_at resize reverse \
        set shuffle sort sort_custom";
    has_word(CHANGING, method) || changes_in_csharp(method)
}
