//! Finds the methods that GDScript makes remote at run time.

use super::classes::is_name;
use super::tokens::Token;
use alloc::collections::BTreeSet;

/// Finds the names of methods in calls of `rpc_config`.
#[derive(Default)]
pub(super) struct Runtime<'a> {
    /// The number of further tokens within which the name of the method is expected.
    left: u8,
    /// The number of commas that are expected before the name.
    commas: u8,
    /// Whether the argument of a call is not a literal.
    pub(super) is_loose: bool,
    /// All strings that can be names of methods.
    pub(super) texts: BTreeSet<&'a str>,
}

impl<'a> Runtime<'a> {
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
