//! Follows containers that a script changes by another name than that of their variable.

use super::tokens::Token;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// Names for the containers in variables: other variables, and parameters of functions.
#[derive(Default)]
pub(super) struct Aliases<'a> {
    /// Each with the name of the variable whose value it may have. A parameter may have what its
    /// function gets.
    pairs: BTreeSet<(&'a str, &'a str)>,
    /// The names whose content is changed.
    pub(super) changed: BTreeSet<&'a str>,
    /// The variable to which a value is assigned, and how many brackets are open in the value.
    target: Option<(&'a str, usize)>,
    /// The variable that is declared.
    declared: Option<&'a str>,
    /// The function that is declared.
    function: Option<&'a str>,
}

impl<'a> Aliases<'a> {
    /// Looks at a token. `last` is the last name in the expression before it, and `called` the function
    /// whose arguments are read.
    pub(super) fn note(
        &mut self,
        token: Token<'a>,
        before: [Option<Token<'a>>; 3],
        last: Option<&'a str>,
        called: Option<&'a str>,
    ) {
        let is_variable = matches!(before[0], Some(Token::Name(_) | Token::Mark(']')));
        if is_variable && !matches!(token, Token::Mark('(' | '[' | '.')) {
            let ends = matches!(token, Token::Mark(',' | ')'));
            let by = match self.target {
                Some((target, 0)) => Some(target),
                _ => called.filter(|_| ends),
            };
            self.pairs.extend(by.zip(last));
        }
        match token {
            Token::Mark('(' | '[' | '{') => {
                self.target = self.target.map(|(name, depth)| (name, depth.saturating_add(1)));
            }
            Token::Mark(')' | ']' | '}') => {
                self.target =
                    self.target.and_then(|(name, depth)| Some((name, depth.checked_sub(1)?)));
            }
            Token::Line { .. } | Token::Mark(';') => {
                (self.target, self.declared, self.function) = (None, None, None);
            }
            _ => {}
        }
    }

    /// Looks for names that GDScript declares.
    pub(super) fn gdscript(
        &mut self,
        token: Token<'a>,
        before: [Option<Token<'a>>; 3],
        called: Option<&'a str>,
    ) {
        let Token::Name(name) = token else { return };
        match before[0] {
            Some(Token::Name(item)) if name == "in" && before[1] == Some(Token::Name("for")) => {
                self.target = Some((item, 0));
            }
            Some(Token::Name("var")) => self.declared = Some(name),
            Some(Token::Name("func")) => self.function = Some(name),
            Some(Token::Mark('(' | ',')) if called == self.function => {
                self.pairs.extend(called.map(|function| (name, function)));
            }
            _ => {}
        }
    }

    /// Looks for names that C# declares.
    pub(super) fn csharp(
        &mut self,
        token: Token<'a>,
        before: [Option<Token<'a>>; 3],
        called: Option<&'a str>,
    ) {
        match (token, before[0]) {
            (Token::Name("in"), Some(Token::Name(item))) => self.target = Some((item, 0)),
            // The name of a parameter follows its type.
            (Token::Name(name), Some(Token::Name(_) | Token::Mark(']' | '>' | '?'))) => {
                self.pairs.extend(called.map(|function| (name, function)));
            }
            _ => {}
        }
    }

    /// Notes that a value is assigned: to the variable that is declared, or else to one with this name.
    pub(super) fn assign(&mut self, name: Option<&'a str>, before: [Option<Token<'a>>; 3]) {
        let is_plain = matches!(before[0], Some(Token::Name(_) | Token::Mark(']' | ':')));
        if let Some(name) = self.declared.take().or(name).filter(|_| is_plain) {
            self.target = Some((name, 0));
        }
    }

    /// The variables whose content changes by other names.
    pub(super) fn by_others(&mut self, others: &BTreeSet<&'a str>) -> Vec<&'a str> {
        let mut found = Vec::new();
        let mut new: Vec<_> = self.changed.iter().chain(others).copied().collect();
        while let Some(name) = new.pop() {
            for (_, of) in self.pairs.range((name, "")..).take_while(|(by, _)| *by == name) {
                if self.changed.insert(of) {
                    new.push(of);
                    found.push(*of);
                }
            }
        }
        found
    }
}
