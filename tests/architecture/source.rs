//! Reads source files: the modules, imports, definitions and paths in them.
//!
//! The tokens suffice for this: a path in the arguments of a macro looks like one in a function.
//! Comments, documentation and items with `#[cfg(test)]` or `#[cfg(doc)]` are left out.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use std::collections::BTreeSet;

/// A module: a file, or `mod name { … }` within a file.
#[derive(Debug, Default)]
pub struct Module {
    /// The modules in it: with their content if that is in this file.
    pub children: Vec<(String, Option<Module>)>,
    pub imports: Vec<Import>,
    pub definitions: BTreeSet<String>,
    pub paths: Vec<Path>,
}

/// A part of a `use`: `use a::{b, c as d};` has two.
#[derive(Debug)]
pub struct Import {
    /// The name that it has here; `*` for everything.
    pub name: String,
    pub path: Path,
    /// Whether it only passes the name on: `pub use`.
    pub passed_on: bool,
}

#[derive(Clone, Debug)]
pub struct Path {
    pub segments: Vec<String>,
    pub line: usize,
}

/// Reads a file.
///
/// # Panics
///
/// If it is not Rust.
pub fn module(file: &str, text: &str) -> Module {
    let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut module = Module::default();
    module.read(&tokens.into_iter().collect::<Vec<_>>(), true);
    module
}

impl Module {
    /// Reads tokens. Only outside of functions and types (`items`) they define names of the module.
    fn read(&mut self, tokens: &[TokenTree], items: bool) {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let next = tokens.get(at + 1);
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '#' => {
                    let inner = usize::from(is(next, '!'));
                    if let Some(TokenTree::Group(group)) = tokens.get(at + 1 + inner) {
                        at += 2 + inner;
                        if for_tests_or_docs(&group.stream()) {
                            at = end_of_item(tokens, at);
                        }
                        continue;
                    }
                }
                TokenTree::Group(group) => {
                    let of_macro = at > 0 && is(tokens.get(at - 1), '!')
                        || at > 1 && is(tokens.get(at - 2), '!');
                    let inner: Vec<_> = group.stream().into_iter().collect();
                    self.read(&inner, items && of_macro);
                }
                TokenTree::Ident(word) => {
                    let word = word.to_string();
                    let line = token.span().start().line;
                    match (word.as_str(), next) {
                        ("use", Some(next)) if !is(Some(next), '<') => {
                            let end = end_of_item(tokens, at);
                            let tree = &tokens[at + 1..end.min(tokens.len())];
                            self.import(&[], tree, is_public(&tokens[..at]));
                            at = end;
                            continue;
                        }
                        ("mod", Some(TokenTree::Ident(name))) => {
                            let content = match tokens.get(at + 2) {
                                Some(TokenTree::Group(group)) => {
                                    let mut content = Self::default();
                                    let inner: Vec<_> = group.stream().into_iter().collect();
                                    content.read(&inner, true);
                                    Some(content)
                                }
                                _ => None,
                            };
                            self.children.push((name.to_string(), content));
                            at += 3;
                            continue;
                        }
                        ("pub", Some(TokenTree::Group(_))) => {
                            at += 2;
                            continue;
                        }
                        ("macro_rules", Some(_)) => {
                            if let Some(name) = tokens.get(at + 2) {
                                self.definitions.insert(name.to_string());
                            }
                            at += 3;
                            continue;
                        }
                        (
                            "const" | "enum" | "fn" | "static" | "struct" | "trait" | "type"
                            | "union",
                            Some(TokenTree::Ident(name)),
                        ) if items && name != "fn" && name != "unsafe" => {
                            self.definitions.insert(name.to_string());
                            at += 2;
                            continue;
                        }
                        _ if starts_path(&tokens[..at], &word) => {
                            let mut segments = vec![word];
                            while let Some(segment) = segment(tokens, at + 1) {
                                segments.push(segment);
                                at += 3;
                            }
                            // Alone, a word in small letters names a function or macro only in a
                            // call: elsewhere it is a variable, field or parameter.
                            let variable = segments.len() == 1
                                && segments[0].starts_with(char::is_lowercase)
                                && !is_call(tokens.get(at + 1))
                                && !is_path_mark(tokens, at + 1);
                            if !variable {
                                self.paths.push(Path { segments, line });
                            }
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Reads the tree of a `use`.
    fn import(&mut self, before: &[String], tree: &[TokenTree], passed_on: bool) {
        let mut segments = before.to_vec();
        let mut renamed = None;
        let mut line = 0;
        let mut tokens = tree.iter().peekable();
        while let Some(token) = tokens.next() {
            line = token.span().start().line;
            match token {
                TokenTree::Group(group) => {
                    let inner: Vec<_> = group.stream().into_iter().collect();
                    for part in inner.split(|token| is(Some(token), ',')) {
                        self.import(&segments, part, passed_on);
                    }
                    return;
                }
                TokenTree::Ident(word) if word == "as" => {
                    renamed = tokens.next().map(ToString::to_string);
                }
                TokenTree::Ident(word) if word == "self" && !segments.is_empty() => {}
                TokenTree::Ident(word) => segments.push(word.to_string()),
                TokenTree::Punct(mark) if mark.as_char() == '*' => renamed = Some("*".to_owned()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
        let Some(last) = segments.last() else { return };
        let name = renamed.unwrap_or_else(|| last.clone());
        self.imports.push(Import { name, path: Path { segments, line }, passed_on });
    }
}

fn is(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == mark)
}

/// Whether `::` is at this place.
fn is_path_mark(tokens: &[TokenTree], at: usize) -> bool {
    let joined = matches!(tokens.get(at), Some(TokenTree::Punct(mark))
        if mark.as_char() == ':' && mark.spacing() == Spacing::Joint);
    joined && is(tokens.get(at + 1), ':')
}

/// Whether a word before this is called.
fn is_call(next: Option<&TokenTree>) -> bool {
    let arguments = matches!(next, Some(TokenTree::Group(group))
        if group.delimiter() == Delimiter::Parenthesis);
    arguments || is(next, '!')
}

/// The word after `::` at this place.
fn segment(tokens: &[TokenTree], at: usize) -> Option<String> {
    match tokens.get(at + 2) {
        Some(TokenTree::Ident(word)) if is_path_mark(tokens, at) => Some(word.to_string()),
        _ => None,
    }
}

/// Whether a word after these tokens is the start of a path: not a method, a lifetime, the rest of
/// `<T>::word` or the variable of a macro.
fn starts_path(before: &[TokenTree], word: &str) -> bool {
    let before_that = before.len().checked_sub(2).and_then(|at| before.get(at));
    match before.last() {
        Some(TokenTree::Punct(mark)) => match mark.as_char() {
            '\'' => false,
            '$' => word == "crate",
            '.' => is(before_that, '.'),
            ':' => !is(before_that, ':'),
            _ => true,
        },
        _ => true,
    }
}

/// Whether these tokens end in `pub` or `pub(…)`.
fn is_public(before: &[TokenTree]) -> bool {
    let before = match before.split_last() {
        Some((TokenTree::Group(group), rest)) if group.delimiter() == Delimiter::Parenthesis => {
            rest
        }
        _ => before,
    };
    before.last().is_some_and(|token| token.to_string() == "pub")
}

/// Whether an attribute is `cfg(test)` or `cfg(doc)`, or a `cfg` of several conditions that all must
/// hold, one of them such.
fn for_tests_or_docs(attribute: &TokenStream) -> bool {
    let text: String = attribute.to_string().split_whitespace().collect();
    let condition = text.strip_prefix("cfg(").and_then(|rest| rest.strip_suffix(')'));
    condition.is_some_and(|condition| {
        let all = condition.strip_prefix("all(").and_then(|rest| rest.strip_suffix(')'));
        all.unwrap_or(condition).split(',').any(|part| ["test", "doctest", "doc"].contains(&part))
    })
}

/// The index after the item, statement or field that starts here.
fn end_of_item(tokens: &[TokenTree], from: usize) -> usize {
    let mut to_semicolon = false;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match token {
            TokenTree::Ident(word) => {
                to_semicolon |=
                    ["use", "const", "static", "let", "type"].iter().any(|it| word == it);
                to_semicolon &= word != "fn";
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && !to_semicolon => {
                return at + 1;
            }
            TokenTree::Punct(mark) if mark.as_char() == ';' => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}
