//! Finds the methods that a C# script makes remote at run time.

use super::classes::is_name;
use super::tokens::Token;
use alloc::collections::BTreeSet;

/// Finds the names of methods in calls of `RpcConfig`.
#[derive(Default)]
pub(super) struct Runtime<'a> {
    state: Argument,
    last: Option<&'a str>,
    is_sure: bool,
    /// Whether the argument of a call is not clearly the name of a method.
    pub(super) is_loose: bool,
    /// All strings that can be names of methods.
    pub(super) texts: BTreeSet<&'a str>,
}

/// Where the reader is in a call of `RpcConfig`.
#[derive(Clone, Copy, Default)]
enum Argument {
    #[default]
    Outside,
    Called,
    Inside {
        depth: usize,
    },
}

impl<'a> Runtime<'a> {
    /// Looks at a token. Returns the name of a method if the token ends a call that makes it
    /// remote.
    pub(super) fn note(&mut self, token: Token<'a>) -> Option<&'a str> {
        if let Token::Text(text) = token
            && is_name(text)
        {
            self.texts.insert(text);
        }
        let depth = match (self.state, token) {
            (Argument::Outside | Argument::Called, Token::Name("RpcConfig")) => {
                self.state = Argument::Called;
                return None;
            }
            (Argument::Outside, _) => return None,
            (Argument::Called, Token::Mark('(')) => {
                (self.last, self.is_sure) = (None, false);
                1
            }
            (Argument::Called, _) => {
                self.state = Argument::Outside;
                return None;
            }
            (Argument::Inside { depth }, Token::Mark('(')) => depth + 1,
            (Argument::Inside { depth: 2.. }, Token::Mark(',')) => return None,
            (Argument::Inside { depth: 1 }, Token::Mark(',' | ')')) => {
                self.state = Argument::Outside;
                let sure = self.last.take().filter(|name| self.is_sure && is_name(name));
                self.is_loose |= sure.is_none();
                return sure;
            }
            (Argument::Inside { depth }, Token::Mark(')')) => depth - 1,
            (Argument::Inside { depth }, token) => {
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
        self.state = Argument::Inside { depth };
        None
    }
}
