//! Splits an expression into tokens.

use super::ExpressionError;
use super::term::Constant;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{digit1, multispace0, one_of};
use nom::combinator::{opt, recognize};
use nom::{IResult, Parser};

/// A token and where it starts, in bytes.
#[derive(Clone, Debug)]
pub struct Lexeme<'t> {
    pub at: usize,
    pub content: LexemeKind<'t>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum LexemeKind<'t> {
    /// `.name`, without the dot.
    Field(&'t str),
    /// A name, or a word of the language.
    Word(&'t str),
    Text(String),
    Int(i128),
    Real(f64),
    Symbol(&'static str),
    /// The end of the expression.
    End,
}

impl LexemeKind<'_> {
    /// The token, as an error shows it.
    pub fn show(&self) -> String {
        match self {
            LexemeKind::Field(name) => format!("'.{name}'"),
            LexemeKind::Word(word) => format!("'{word}'"),
            LexemeKind::Text(_) => "a string".to_owned(),
            LexemeKind::Int(_) | LexemeKind::Real(_) => "a number".to_owned(),
            LexemeKind::Symbol(symbol) => format!("'{symbol}'"),
            LexemeKind::End => "the end".to_owned(),
        }
    }

    /// The literal, if the token is one.
    pub fn literal(&self) -> Option<Constant> {
        Some(match self {
            LexemeKind::Text(text) => Constant::Text(text.as_str().into()),
            LexemeKind::Int(number) => Constant::Int(*number),
            LexemeKind::Real(number) => Constant::Real(*number),
            LexemeKind::Word("null") => Constant::Null,
            LexemeKind::Word("true") => Constant::Bool(true),
            LexemeKind::Word("false") => Constant::Bool(false),
            _ => return None,
        })
    }
}

/// All symbols. A symbol comes before the shorter ones that it begins with.
const SYMBOLS: [&str; 23] = [
    "..", "==", "!=", "<=", ">=", "//", ".", "<", ">", "+", "-", "*", "/", "%", "|", ",", "(", ")",
    "[", "]", "?", ";", ":",
];

/// Beginnings of tokens that are not part of an expression, and the expressions to write instead.
/// They come from jq or from other languages. A beginning comes before the shorter ones that it
/// begins with.
const MISSING: [(&str, &str); 18] = [
    ("===", "write '==' instead of '==='"),
    ("!==", "write '!=' instead of '!=='"),
    ("=~", "write '| test(\"…\")' to match a regular expression"),
    ("==", ""),
    ("!=", ""),
    ("=", ASSIGNMENT),
    ("|=", ASSIGNMENT),
    ("+=", ASSIGNMENT),
    ("-=", ASSIGNMENT),
    ("<>", "write '!=' instead of '<>'"),
    ("&&", "write 'and' instead of '&&'"),
    ("&", "write 'and' instead of '&'"),
    ("||", "write 'or' instead of '||'"),
    ("!", "write '(…) | not' instead of '!(…)'"),
    ("{", "objects cannot be made in an expression"),
    ("$", "variables are not supported"),
    ("@", "formats are not supported"),
    ("'", "strings are written in double quotes"),
];

const ASSIGNMENT: &str = "write '==' to compare; assignments are not supported";

pub fn tokens(text: &str) -> Result<Vec<Lexeme<'_>>, ExpressionError> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = space(rest).map_or(rest, |(rest, _)| rest);
        let at = text.len().saturating_sub(rest.len());
        if rest.is_empty() {
            tokens.push(Lexeme { at, content: LexemeKind::End });
            return Ok(tokens);
        }
        let missing = MISSING.iter().find(|(start, _)| rest.starts_with(start));
        if let Some((_, instead)) = missing.filter(|(_, instead)| !instead.is_empty()) {
            return Err(ExpressionError::new(at, *instead));
        }
        let (after, content) = match rest.strip_prefix('"') {
            Some(inside) => string(inside, at.saturating_add(1))?,
            None => alt((number, field, word, symbol)).parse_complete(rest).map_err(|_| {
                ExpressionError::new(at, "this character is not part of an expression")
            })?,
        };
        tokens.push(Lexeme { at, content });
        rest = after;
    }
}

/// White space, and comments up to the end of their line.
fn space(mut text: &str) -> IResult<&str, ()> {
    loop {
        (text, _) = multispace0(text)?;
        if !text.starts_with('#') {
            return Ok((text, ()));
        }
        (text, _) = take_while(|it| it != '\n').parse_complete(text)?;
    }
}

fn name(text: &str) -> IResult<&str, &str> {
    let start = take_while1(|it: char| it.is_ascii_alphabetic() || it == '_');
    let rest = take_while(|it: char| it.is_ascii_alphanumeric() || it == '_');
    recognize((start, rest)).parse_complete(text)
}

fn field(text: &str) -> IResult<&str, LexemeKind<'_>> {
    (tag("."), name).map(|(_, name)| LexemeKind::Field(name)).parse_complete(text)
}

fn word(text: &str) -> IResult<&str, LexemeKind<'_>> {
    name.map(LexemeKind::Word).parse_complete(text)
}

fn symbol(text: &str) -> IResult<&str, LexemeKind<'_>> {
    let found = SYMBOLS.iter().find_map(|symbol| Some((text.strip_prefix(symbol)?, *symbol)));
    match found {
        Some((rest, symbol)) => Ok((rest, LexemeKind::Symbol(symbol))),
        None => Err(nom::Err::Error(nom::error::Error::new(text, nom::error::ErrorKind::Tag))),
    }
}

fn number(text: &str) -> IResult<&str, LexemeKind<'_>> {
    let fraction = (tag("."), opt(digit1));
    let exponent = (one_of("eE"), opt(one_of("+-")), digit1);
    let leading = (digit1, opt(fraction), opt(exponent));
    let exponent = (one_of("eE"), opt(one_of("+-")), digit1);
    let pointed = (tag("."), digit1, opt(exponent));
    let (rest, digits) = alt((recognize(leading), recognize(pointed))).parse_complete(text)?;
    let content = match digits.parse() {
        Ok(number) => LexemeKind::Int(number),
        // Everything that the parser above accepts is also a float in Rust.
        Err(_) => LexemeKind::Real(digits.parse().unwrap_or(f64::NAN)),
    };
    Ok((rest, content))
}

/// Reads a string up to its closing quote. `at` is the offset of its first byte, after the opening
/// quote.
fn string(text: &str, at: usize) -> Result<(&str, LexemeKind<'_>), ExpressionError> {
    let mut content = String::new();
    let mut characters = text.char_indices();
    while let Some((place, character)) = characters.next() {
        let at = at.saturating_add(place);
        match character {
            '"' => return Ok((characters.as_str(), LexemeKind::Text(content))),
            '\\' => {
                let escaped = characters.next().map(|(_, escaped)| escaped);
                content.push(match escaped {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('r') => '\r',
                    Some('b') => '\u{8}',
                    Some('f') => '\u{c}',
                    Some(same @ ('"' | '\\' | '/')) => same,
                    Some('u') => unicode(&mut characters)
                        .ok_or_else(|| ExpressionError::new(at, "'\\u' needs four hex digits"))?,
                    Some('(') => {
                        return Err(ExpressionError::new(
                            at,
                            "a string cannot contain an expression",
                        ));
                    }
                    _ => return Err(ExpressionError::new(at, "unknown escape in a string")),
                });
            }
            _ => content.push(character),
        }
    }
    Err(ExpressionError::new(at.saturating_sub(1), "this string has no closing quote"))
}

/// The character of a `\u` escape, or of two escapes that are a surrogate pair.
fn unicode(characters: &mut std::str::CharIndices<'_>) -> Option<char> {
    let mut unit = || {
        let digits = characters.as_str().get(..4)?;
        let unit = u16::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?;
        characters.nth(3)?;
        Some(unit)
    };
    let first = unit()?;
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first.into());
    }
    let after = characters.as_str().strip_prefix("\\u")?.get(..4)?;
    let second = u16::from_str_radix(after, 16).ok()?;
    characters.nth(5)?;
    char::decode_utf16([first, second]).next()?.ok()
}
