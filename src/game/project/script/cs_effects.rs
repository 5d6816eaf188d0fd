//! Finds what C# may change or create at run time, from single tokens.

use super::classes::Effects;
use super::tokens::Token;
use alloc::collections::BTreeSet;

/// Looks at the tokens of a script.
#[derive(Default)]
pub(super) struct Watch<'a> {
    /// Strings that are paths of scenes, or parts of such paths.
    pub(super) paths: BTreeSet<&'a str>,
    pub(super) effects: Effects,
    /// Whether the script may assign a function to a spawner.
    pub(super) assigns_function: bool,
    before: [Option<Token<'a>>; 3],
    load: Load,
}

/// Where the reader is in a call that loads a file.
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

impl<'a> Watch<'a> {
    /// Looks at a token.
    pub(super) fn note(&mut self, token: Token<'a>) {
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
            }
            _ => {}
        }
        self.before = [Some(token), self.before[0], self.before[1]];
    }

    fn computes(&mut self) -> Load {
        self.effects.computes_paths = true;
        Load::Outside
    }

    fn name(&mut self, name: &'a str) {
        const SYNCHRONIZER: Option<Token<'_>> = Some(Token::Name("MultiplayerSynchronizer"));
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
            "SpawnFunction" | "SetSpawnFunction" => self.assigns_function = true,
            "AddProperty" | "RemoveProperty" => effects.adds_properties = true,
            "ClassDB" => effects.makes_synchronizers = true,
            "MultiplayerSynchronizer" => {
                effects.makes_synchronizers |= self.before[0] == Some(Token::Name("new"));
            }
            // `MultiplayerSynchronizer name = new()`
            "new" => effects.makes_synchronizers |= self.before[2] == SYNCHRONIZER,
            _ => {}
        }
    }
}
