//! Finds, from single tokens of C#, what a script may change or create at run time, and which methods
//! it makes remote.

use super::aliases::Aliases;
use super::tokens::{Brackets, Token};
use super::{CONFIG_CHANGES, Effects, has_word, is_name};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// Looks at the tokens of a script.
#[derive(Default)]
pub(super) struct CsWatch<'a> {
    /// Strings that are paths of scenes, or parts of such paths.
    pub(super) paths: BTreeSet<&'a str>,
    pub(super) effects: Effects,
    /// The fields and properties of any object that the script may change.
    pub(super) changed: BTreeSet<&'a str>,
    before: [Option<Token<'a>>; 3],
    load: Load,
    /// The names before brackets.
    brackets: Brackets<&'a str>,
    /// The names since the last opening parenthesis.
    listed: Vec<&'a str>,
    aliases: Aliases<'a>,
}

/// How many names in brackets are remembered.
const REMEMBERED: usize = 64;

/// The state of the reader in a call that loads a file.
#[derive(Clone, Copy, Default)]
enum Load {
    #[default]
    Outside,
    /// After the name, or in `<…>`.
    Named,
    /// After the opening parenthesis.
    Open,
    /// After a string.
    Literal,
}

impl<'a> CsWatch<'a> {
    /// Looks at a token; `next` is the byte after it. Returns whether the token assigns a function
    /// to a spawner.
    pub(super) fn note(&mut self, token: Token<'a>, next: Option<u8>) -> bool {
        self.load = match (self.load, token) {
            (
                _,
                Token::Name(
                    "Load" | "LoadThreadedGet" | "LoadThreadedRequest" | "ChangeSceneToFile",
                ),
            ) => Load::Named,
            (Load::Named, Token::Mark('(')) => Load::Open,
            (Load::Named, Token::Mark('<' | '>' | '.') | Token::Name(_)) => Load::Named,
            // The function itself may be passed on.
            (Load::Named, _) => self.computes(),
            (Load::Open, Token::Text(text)) if !text.contains('{') => Load::Literal,
            (Load::Open, _) => self.computes(),
            (Load::Literal, Token::Mark(')' | ',')) => Load::Outside,
            (Load::Literal, _) => self.computes(),
            (Load::Outside, _) => Load::Outside,
        };
        match token {
            Token::Name(name) => self.name(name),
            Token::Text(text) => {
                let begins = ["res://", "uid://"].iter().any(|start| text.starts_with(start));
                if begins || text.contains(".tscn") {
                    self.paths.insert(text);
                }
                self.effects.changes_properties |= has_word(CONFIG_CHANGES, text);
            }
            _ => {}
        }
        let last = match self.before[0] {
            Some(Token::Name(name)) => Some(name),
            Some(Token::Mark(']')) => self.brackets.closed,
            _ => None,
        };
        let called = self.brackets.innermost().copied();
        self.aliases.note(token, self.before, last, called);
        self.aliases.csharp(token, self.before, called);
        if token == Token::Mark('=') && next != Some(b'=') {
            self.aliases.assign(last, self.before);
        }
        let is_spawn_function = self.change(token, next);
        self.before = [Some(token), self.before[0], self.before[1]];
        is_spawn_function
    }

    /// Looks for changes of fields and properties. Returns whether a function is assigned to a
    /// spawner.
    fn change(&mut self, token: Token<'a>, next: Option<u8>) -> bool {
        let [last, before, _] = self.before;
        match token {
            Token::Mark('=') if !matches!(next, Some(b'=' | b'>')) => return self.assignment(),
            // `name++`, and `++name`
            Token::Mark(mark @ ('+' | '-')) if last == Some(Token::Mark(mark)) => match before {
                Some(Token::Name(name)) => drop(self.changed.insert(name)),
                Some(Token::Mark(']')) => self.change_inside(self.brackets.closed),
                _ => {}
            },
            Token::Name(name) => {
                let is_counted =
                    ['+', '-'].iter().any(|mark| [last, before] == [Some(Token::Mark(*mark)); 2]);
                if is_counted || matches!(last, Some(Token::Name("ref" | "out"))) {
                    self.changed.insert(name);
                }
                // `Set(PropertyName.Name, …)`
                let is_named =
                    [last, before] == [Some(Token::Mark('.')), Some(Token::Name("PropertyName"))];
                if is_named {
                    self.changed.insert(name);
                }
                if self.listed.len() < REMEMBERED {
                    self.listed.push(name);
                }
                let is_name = is_named
                    || [last, before] == [Some(Token::Mark('(')), Some(Token::Name("nameof"))];
                return name == "SetSpawnFunction" || (name == "SpawnFunction" && is_name);
            }
            Token::Text(text) => {
                let is_set = matches!(
                    (last, before),
                    (
                        Some(Token::Mark('(')),
                        Some(Token::Name("Set" | "SetDeferred" | "SetIndexed"))
                    )
                );
                if is_set {
                    self.changed.insert(text);
                }
                return matches!(text, "spawn_function" | "set_spawn_function" | "SpawnFunction");
            }
            Token::Mark('(' | '[') => {
                self.call(token);
                if token == Token::Mark('(') {
                    self.listed.clear();
                }
                self.brackets.open(match last {
                    Some(Token::Name(name)) => Some(name),
                    Some(Token::Mark(']')) => self.brackets.closed,
                    _ => None,
                });
            }
            Token::Mark(')' | ']') => self.brackets.close(),
            _ => {}
        }
        false
    }

    /// Looks at what is before `=`. Returns whether that is the function of a spawner.
    fn assignment(&mut self) -> bool {
        let [last, before, before_that] = self.before;
        let target = match last {
            Some(Token::Mark('+' | '-' | '*' | '/' | '%' | '|' | '&' | '^')) => before,
            Some(Token::Mark('<' | '>' | '?')) if last == before => before_that,
            _ => last,
        };
        match target {
            Some(Token::Name(name)) => {
                let is_declared = match before {
                    Some(Token::Name(word)) if target == last => {
                        !matches!(word, "else" | "do" | "in" | "return")
                    }
                    // `=>` begins the body of a function.
                    Some(Token::Mark('>')) => {
                        target == last && before_that != Some(Token::Mark('='))
                    }
                    Some(Token::Mark(']' | '?')) => target == last,
                    _ => false,
                };
                if !is_declared {
                    self.changed.insert(name);
                }
                return name == "SpawnFunction";
            }
            Some(Token::Mark(']')) => self.change_inside(self.brackets.closed),
            // Several variables at once.
            Some(Token::Mark(')')) => self.changed.extend(self.listed.iter().copied()),
            _ => {}
        }
        false
    }

    /// Looks for methods that change a container.
    fn call(&mut self, token: Token<'a>) {
        let [Some(Token::Name(method)), Some(Token::Mark('.' | '?' | '!')), name] = self.before
        else {
            return;
        };
        if token != Token::Mark('(') {
            return;
        }
        // `Array.Reverse(name)`
        if has_word("Clear Copy CopyTo Fill Reverse Shuffle Sort", method) {
            self.aliases.changed.insert(method);
        }
        if changes_in_csharp(method) {
            match name {
                Some(Token::Name(name)) => self.change_inside(Some(name)),
                Some(Token::Mark(']')) => self.change_inside(self.brackets.closed),
                _ => {}
            }
        }
    }

    /// Notes that the content of a container is changed.
    fn change_inside(&mut self, name: Option<&'a str>) {
        self.changed.extend(name);
        self.aliases.changed.extend(name);
    }

    /// The containers whose content the script changes by other names.
    pub(super) fn end(&mut self) -> Vec<&'a str> {
        self.aliases.by_others(&BTreeSet::new())
    }

    fn computes(&mut self) -> Load {
        self.effects.computes_paths = true;
        Load::Outside
    }

    fn name(&mut self, name: &'a str) {
        const NEW: Option<Token<'_>> = Some(Token::Name("new"));
        const SYNCHRONIZER: Option<Token<'_>> = Some(Token::Name("MultiplayerSynchronizer"));
        const SPAWNER: Option<Token<'_>> = Some(Token::Name("MultiplayerSpawner"));
        let effects = &mut self.effects;
        match name {
            "DirAccess" | "FileAccess" | "File" | "Directory" | "ConfigFile" | "Json"
            | "JsonSerializer" | "PathJoin" | "Combine" | "GetBaseDir" | "SceneFilePath"
            | "ResourcePath" | "GetSetting" | "Replace" | "HttpRequest" | "HttpClient"
            | "StrToVar" | "BytesToVar" => effects.reads_paths = true,
            "ReplicationConfig"
            | "SceneReplicationConfig"
            | "RootPath"
            | "PropertySetSpawn"
            | "PropertySetSync"
            | "PropertySetWatch"
            | "PropertySetReplicationMode" => {
                effects.changes_properties = true;
            }
            "AddProperty" | "RemoveProperty" => effects.adds_properties = true,
            "ClassDB" => {
                effects.makes_synchronizers = true;
                effects.changes_spawners = true;
            }
            "MultiplayerSynchronizer" => effects.makes_synchronizers |= self.before[0] == NEW,
            "MultiplayerSpawner" => effects.changes_spawners |= self.before[0] == NEW,
            // `MultiplayerSynchronizer name = new()`
            "new" => {
                effects.makes_synchronizers |= self.before[2] == SYNCHRONIZER;
                effects.changes_spawners |= self.before[2] == SPAWNER;
            }
            _ => {}
        }
    }
}

/// Finds the names of methods in calls of `RpcConfig`.
#[derive(Default)]
pub(super) struct CsRpcCalls<'a> {
    state: CallState,
    last: Option<&'a str>,
    is_sure: bool,
    /// Whether the argument of a call is not clearly the name of a method.
    pub(super) is_loose: bool,
    /// All strings that can be names of methods.
    pub(super) texts: BTreeSet<&'a str>,
}

/// The state of the reader in a call of `RpcConfig`.
#[derive(Clone, Copy, Default)]
enum CallState {
    #[default]
    Outside,
    Called,
    Inside {
        depth: usize,
    },
}

impl<'a> CsRpcCalls<'a> {
    /// Looks at a token. Returns the name of a method if the token ends a call that makes it
    /// remote.
    pub(super) fn note(&mut self, token: Token<'a>) -> Option<&'a str> {
        if let Token::Text(text) = token
            && is_name(text)
        {
            self.texts.insert(text);
        }
        let depth = match (self.state, token) {
            (CallState::Outside | CallState::Called, Token::Name("RpcConfig")) => {
                self.state = CallState::Called;
                return None;
            }
            (CallState::Outside, _) => return None,
            (CallState::Called, Token::Mark('(')) => {
                (self.last, self.is_sure) = (None, false);
                1
            }
            (CallState::Called, _) => {
                self.state = CallState::Outside;
                return None;
            }
            (CallState::Inside { depth }, Token::Mark('(')) => depth + 1,
            (CallState::Inside { depth: 2.. }, Token::Mark(',')) => return None,
            (CallState::Inside { depth: 1 }, Token::Mark(',' | ')')) => {
                self.state = CallState::Outside;
                let sure = self.last.take().filter(|name| self.is_sure && is_name(name));
                self.is_loose |= sure.is_none();
                return sure;
            }
            (CallState::Inside { depth }, Token::Mark(')')) => depth - 1,
            (CallState::Inside { depth }, token) => {
                match token {
                    Token::Name("nameof" | "MethodName") => self.is_sure = true,
                    Token::Name("new" | "StringName") => {}
                    Token::Name(name) => self.last = Some(name),
                    Token::Text(text) => (self.last, self.is_sure) = (Some(text), true),
                    _ => {}
                }
                depth
            }
        };
        self.state = CallState::Inside { depth };
        None
    }
}

/// Whether a method of containers in C# changes them.
pub(super) fn changes_in_csharp(method: &str) -> bool {
    const CHANGING: &str = "Add AddRange Clear Dequeue Enqueue Fill Insert InsertRange Merge Pop Push Remove \
        RemoveAll RemoveAt RemoveRange Resize Reverse SetItems SetValue Shuffle Sort \
        TryAdd";
    has_word(CHANGING, method)
}
