//! Helpers for tests: the facts that are found in a text if one token of it is missing or replaced.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A letter or digit that stands for the facts that are found. A dot is the same as in the whole
/// text.
fn letter(facts: &[String], whole: &[String]) -> char {
    const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let number = facts.iter().fold(0, |sum: u32, fact| sum.rotate_left(5) ^ number(fact));
    let place = (number >> 8) as usize % LETTERS.len();
    if facts == whole { '.' } else { char::from(LETTERS[place]) }
}

/// A short number for a long text.
pub(super) fn number(text: &str) -> u32 {
    text.bytes().fold(2_166_136_261, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619))
}

/// The words and other characters of a text, and the indentations of its lines.
fn tokens(text: &str) -> Vec<core::ops::Range<usize>> {
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let mut tokens: Vec<core::ops::Range<usize>> = Vec::new();
    let mut last = '\n';
    for (at, c) in text.char_indices() {
        let goes_on = is_word(c) && is_word(last) || c == ' ' && last == ' ';
        match tokens.last_mut() {
            Some(token) if goes_on && token.end == at => token.end = at + c.len_utf8(),
            _ if c == ' ' && last != '\n' => {}
            _ => tokens.push(at..at + c.len_utf8()),
        }
        last = c;
    }
    tokens
}

/// Writes down the facts that are found in a text, and each line of it. Below the line, at the
/// place of each token, is a letter for what is found without it, and one for what is found if
/// there is a name in its place.
pub(super) fn altered(text: &str, mut found: impl FnMut(&str) -> Vec<String>) -> String {
    let whole = found(text);
    let mut rows = [BTreeMap::new(), BTreeMap::new()];
    for token in tokens(text) {
        let (before, after) = (&text[..token.start], &text[token.end..]);
        for (row, with) in rows.iter_mut().zip(["", "x"]) {
            let facts = found(&[before, with, after].concat());
            row.insert(token.start, letter(&facts, &whole));
        }
    }
    let mut shown: String = whole.iter().map(|fact| format!("{fact}\n")).collect();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        shown += &format!("| {}\n", line.trim_end_matches('\n'));
        for row in &rows {
            let letters = line.char_indices().map(|(place, _)| row.get(&(at + place)));
            let letters: String = letters.map(|letter| letter.unwrap_or(&' ')).collect();
            shown += &format!("  {}\n", letters.trim_end());
        }
        at += line.len();
    }
    shown
}

/// The largest number up to `bound` for which something is still so, if it is so for all smaller ones.
pub(super) fn largest(bound: usize, is_so: impl Fn(usize) -> bool) -> String {
    if is_so(bound) {
        return format!("{bound} or more");
    }
    let (mut known, mut unknown) = (0, bound);
    while unknown - known > 1 {
        let middle = usize::midpoint(known, unknown);
        if is_so(middle) {
            known = middle;
        } else {
            unknown = middle;
        }
    }
    known.to_string()
}

/// Tells, when a test fails, how to write its file again.
const REWRITE: &str = "GDWIRE_WRITE_DOWN=1 writes the file anew, if the change is meant";

/// Compares a text with that in a file of the tests, as the integration tests do.
#[track_caller]
pub(super) fn written_down(path: &str, found: &str) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("GDWIRE_WRITE_DOWN").is_some() {
        std::fs::write(&file, found).expect("the folder of the tests is there");
    }
    let expected = std::fs::read_to_string(&file).expect("the file is there");
    for (number, (found, expected)) in (1..).zip(found.lines().zip(expected.lines())) {
        assert_eq!(found, expected, "line {number} of {path}: {REWRITE}");
    }
    assert_eq!(found.len(), expected.len(), "{path}: {REWRITE}");
}
