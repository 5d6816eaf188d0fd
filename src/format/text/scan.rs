//! Splits a literal into tokens, for the reader of literals, and reads the digits of numbers.

use super::{ParseError, ParseProblem};
use crate::value::{Cell, Kind, ValueBody};
use crate::write::owned::{Number, Variant};
use alloc::string::String;

/// The place of the first half of a surrogate pair in the string with which a text begins.
#[cfg(feature = "json")]
pub(crate) fn lone_surrogate(text: &[u8]) -> Option<usize> {
    let text = text.utf8_chunks().next()?.valid();
    let error = LiteralScanner::new(text).string("a string").err()?;
    (error.problem == ParseProblem::LoneSurrogate).then_some(error.offset)
}

/// A text, and how far it has been read.
pub(super) struct LiteralScanner<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> LiteralScanner<'a> {
    pub(super) const fn new(text: &'a str) -> LiteralScanner<'a> {
        LiteralScanner { text, offset: 0 }
    }

    pub(super) const fn offset(&self) -> usize {
        self.offset
    }

    /// The part that has not been read.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.offset..).unwrap_or("")
    }

    pub(super) fn error_at(&self, offset: usize, problem: ParseProblem) -> ParseError {
        ParseError::new(self.text.as_bytes(), offset, problem)
    }

    pub(super) fn expected<T>(&self, what: &'static str) -> Result<T, ParseError> {
        Err(self.error_at(self.offset, ParseProblem::Expected(what)))
    }

    /// Skips white space, and returns the next byte without reading it.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let white = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
        self.offset += self.rest().bytes().take_while(|byte| white(byte)).count();
        self.rest().bytes().next()
    }

    /// Skips white space. If `byte` comes next, reads it and returns true.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.offset += usize::from(is_next);
        is_next
    }

    /// Reads a byte that must come next.
    pub(super) fn require(&mut self, byte: u8, what: &'static str) -> Result<(), ParseError> {
        if self.take(byte) { Ok(()) } else { self.expected(what) }
    }

    /// Reads bytes for as long as `belongs` returns true.
    fn run(&mut self, belongs: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().take_while(|byte| belongs(*byte)).count();
        self.offset += length;
        rest.get(..length).unwrap_or("")
    }

    /// The name at the front, or an empty string.
    pub(super) fn name(&mut self) -> &'a str {
        if self.rest().starts_with(|first: char| first.is_ascii_digit()) {
            return "";
        }
        self.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }

    /// The digits of a number with its sign and its exponent, in the form that Rust's `parse`
    /// accepts. If the number has no digits, its name: see [`non_finite`].
    pub(super) fn number(&mut self) -> Result<&'a str, ParseError> {
        let number = self.digits()?;
        // `0x10` and `1_000` are not the numbers that their first digits spell.
        let goes_on = |next: char| next.is_alphanumeric() || matches!(next, '_' | '.' | '+' | '-');
        if self.rest().starts_with(goes_on) {
            self.expected("the end of the number")
        } else {
            Ok(number)
        }
    }

    fn digits(&mut self) -> Result<&'a str, ParseError> {
        self.peek();
        let number = self.rest();
        let start = self.offset;
        self.run(|byte| byte == b'-');
        if self.rest().starts_with(|first: char| first.is_ascii_alphabetic()) {
            self.name();
            let word = number.get(..self.offset - start).unwrap_or("");
            if non_finite(word).is_none() {
                self.offset = start;
                return self.expected("a number");
            }
            // Godot 3 appends this to make the name look like a float.
            if self.rest().starts_with(".0") {
                self.offset += 2;
            }
            return Ok(word);
        }
        let is_digit = |byte: u8| byte.is_ascii_digit();
        if self.offset - start > 1 || self.run(is_digit).is_empty() {
            self.offset = start;
            return self.expected("a number");
        }
        if self.rest().starts_with('.') {
            self.offset += 1;
            self.run(is_digit);
        }
        if self.rest().starts_with(['e', 'E']) {
            self.offset += 1;
            self.offset += usize::from(self.rest().starts_with(['+', '-']));
            if self.run(is_digit).is_empty() {
                return self.expected("the digits of an exponent");
            }
        }
        Ok(number.get(..self.offset - start).unwrap_or(""))
    }

    /// A string between quotes.
    pub(super) fn string(&mut self, what: &'static str) -> Result<String, ParseError> {
        self.require(b'"', what)?;
        let mut string = String::new();
        loop {
            string.push_str(self.run(|byte| !matches!(byte, b'"' | b'\\')));
            let mut characters = self.rest().chars();
            match characters.next() {
                Some('"') => {
                    self.offset += 1;
                    return Ok(string);
                }
                Some(_) => string.push(self.escape()?),
                None => return self.expected("the `\"` that ends the string"),
            }
        }
    }

    /// The character for which an escape stands.
    fn escape(&mut self) -> Result<char, ParseError> {
        let start = self.offset;
        let Some(letter) = self.rest().chars().nth(1) else {
            self.offset += 1;
            return self.expected("a character after the backslash");
        };
        self.offset += 1 + letter.len_utf8();
        let code = match letter {
            'a' => return Ok('\u{7}'),
            'b' => return Ok('\u{8}'),
            't' => return Ok('\t'),
            'n' => return Ok('\n'),
            'v' => return Ok('\u{b}'),
            'f' => return Ok('\u{c}'),
            'r' => return Ok('\r'),
            'u' => self.utf16()?,
            'U' => self.hex(6, "6 hexadecimal digits")?,
            // The engines read any other character as itself.
            other => return Ok(other),
        };
        match code {
            0xd800..0xe000 => Err(self.error_at(start, ParseProblem::LoneSurrogate)),
            _ => match char::from_u32(code) {
                Some(character) => Ok(character),
                None => {
                    self.offset = start;
                    self.expected("a character of Unicode, up to 10ffff")
                }
            },
        }
    }

    /// The character of a `\u` escape. If it is the first half of a surrogate pair, the second half
    /// is read as well.
    fn utf16(&mut self) -> Result<u32, ParseError> {
        const DIGITS: &str = "4 hexadecimal digits";
        let code = self.hex(4, DIGITS)?;
        let after = self.offset;
        if (0xd800..0xdc00).contains(&code) && self.rest().starts_with("\\u") {
            self.offset += 2;
            let low = self.hex(4, DIGITS)?;
            if (0xdc00..0xe000).contains(&low) {
                return Ok(0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00));
            }
            self.offset = after;
        }
        Ok(code)
    }

    fn hex(&mut self, count: usize, what: &'static str) -> Result<u32, ParseError> {
        let digits = self.rest().get(..count);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(code) => {
                self.offset += count;
                Ok(code)
            }
            None => self.expected(what),
        }
    }
}

/// Reads a component of this kind from its digits, or from the name of a number without digits,
/// such as `inf`.
///
/// An integer may be spelled as a real, as `3.0`, because many JSON tools know no other numbers.
pub(crate) fn parse_component(kind: Kind, digits: &str) -> Result<Number, ParseProblem> {
    let out_of_range = ParseProblem::OutOfRange { kind };
    let range = match kind.body() {
        ValueBody::Cells(cell, _) | ValueBody::Packed(cell, _) => match cell {
            Cell::Byte => 0..=i64::from(u8::MAX),
            Cell::I64 => i64::MIN..=i64::MAX,
            Cell::I32 => i64::from(i32::MIN)..=i64::from(i32::MAX),
            Cell::F32 | Cell::F64 | Cell::Real | Cell::Channel => {
                let finite = |number: &f64| cell != Cell::F32 || (*number as f32).is_finite();
                let number = non_finite(digits).or_else(|| parse_real(digits).filter(finite));
                return number.map(Number::Float).ok_or(out_of_range);
            }
        },
        _ => return Err(out_of_range),
    };
    let real = non_finite(digits).or_else(|| parse_real(digits));
    if real.is_some_and(has_fraction) {
        return Err(ParseProblem::Expected(A_WHOLE_NUMBER));
    }
    // Digits alone are an integer, which is not rounded.
    let is_real = digits.contains(['.', 'e', 'E']);
    let number = digits.parse().ok().or_else(|| whole(real.filter(|_| is_real)?));
    number.filter(|number| range.contains(number)).map(Number::Int).ok_or(out_of_range)
}

/// Errors name an integer that is missing by these words.
pub(crate) const A_WHOLE_NUMBER: &str = "a whole number";

/// Reads a real from its digits. `None` if it is not finite.
pub(crate) fn parse_real(digits: &str) -> Option<f64> {
    digits.parse().ok().filter(|number: &f64| number.is_finite())
}

fn whole(number: f64) -> Option<i64> {
    // The conversion turns any larger number into the largest integer, which rounds to this one.
    const TOO_LARGE: f64 = 9_223_372_036_854_775_808.0;
    let integer = number as i64;
    (integer as f64 == number && number < TOO_LARGE).then_some(integer)
}

/// Whether it is not a number or has digits after the point.
fn has_fraction(number: f64) -> bool {
    // Every double from here on is whole.
    const LEAST_WHOLE: f64 = 9_007_199_254_740_992.0;
    number.is_nan() || (number.abs() < LEAST_WHOLE && whole(number).is_none())
}

/// Creates the math value or packed array of these numbers, each of which is a `component` of it.
pub(crate) fn collect_numbers(kind: Kind, numbers: &[Number]) -> Result<Variant, ParseProblem> {
    Variant::from_numbers(kind, numbers).ok_or_else(|| {
        let needed = match kind.body() {
            ValueBody::Cells(_, components) | ValueBody::Packed(_, components) => components,
            _ => 0,
        };
        ParseProblem::Count { kind, needed: needed.into(), found: numbers.len() }
    })
}

/// Whether values of this kind consist only of numbers.
pub(crate) fn is_numeric(kind: Kind) -> bool {
    matches!(kind.body(), ValueBody::Cells(..) | ValueBody::Packed(..))
}

/// The number with this name: infinity or NaN. Godot 4.6 writes infinity into JSON as a number that
/// is too large, which every engine reads as infinity.
pub(crate) fn non_finite(word: &str) -> Option<f64> {
    match word {
        "inf" | "1e99999" => Some(f64::INFINITY),
        "-inf" | "inf_neg" | "-1e99999" => Some(f64::NEG_INFINITY),
        "nan" | "-nan" => Some(f64::NAN),
        _ => None,
    }
}
