//! Decodes lines of hex or base64.

use data_encoding::{BASE64_NOPAD, DecodeError, DecodeKind, Encoding, HEXLOWER_PERMISSIVE};

/// The longest line that is read: 32 MiB.
pub(crate) const LIMIT: usize = 32 << 20;

/// A notation for bytes in a line.
pub(crate) struct Notation {
    name: &'static str,
    encoding: &'static Encoding,
    is_digit: fn(u8) -> bool,
    /// Describes the problem of a line whose number of digits is impossible.
    wrong_length: fn(usize) -> String,
}

pub(crate) const HEX: Notation = Notation {
    name: "hex",
    encoding: &HEXLOWER_PERMISSIVE,
    is_digit: |byte| byte.is_ascii_hexdigit(),
    wrong_length: |digits| {
        let noun = if digits == 1 { "digit" } else { "digits" };
        format!("{digits} {noun}, but each byte needs two")
    },
};

/// Base64, with or without padding.
pub(crate) const BASE64: Notation = Notation {
    name: "base64",
    encoding: &BASE64_NOPAD,
    is_digit: |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'),
    wrong_length: |digits| {
        let noun = if digits == 1 { "character" } else { "characters" };
        format!("{digits} {noun}; the last one alone makes no byte")
    },
};

impl Notation {
    /// Decodes a line into `bytes`. The content of `line` is not specified afterwards.
    pub(crate) fn decode(&self, line: &mut Vec<u8>, bytes: &mut Vec<u8>) -> Result<(), String> {
        if line.len() == LIMIT {
            return Err(format!("the line is longer than {LIMIT} bytes"));
        }
        let (mut column, mut kept) = (0_usize, 0);
        let mut wrong: Option<Wrong> = None;
        line.retain(|&byte| {
            // Continuation bytes of UTF-8, which belong to the character before, have this pattern.
            column += usize::from(byte & 0xc0 != 0x80);
            if byte.is_ascii_whitespace() {
                return false;
            }
            if wrong.is_none() && !(self.is_digit)(byte) {
                wrong = Some(Wrong { at: kept, column: column.max(1) });
            }
            kept += 1;
            true
        });
        if line.is_empty() {
            return Err("the line is empty".to_owned());
        }
        while self.encoding.specification().padding.is_none() && line.last() == Some(&b'=') {
            line.pop();
        }
        let problem = |what: &str| format!("not a {} string: {what}", self.name);
        if let Some(wrong) = wrong
            && let Some(rest @ [first, ..]) = line.get(wrong.at..)
        {
            return Err(problem(&wrong.describe(rest, *first)));
        }
        let refused = |error: DecodeError| {
            problem(&match error.kind {
                DecodeKind::Length => (self.wrong_length)(line.len()),
                _ => "the unused bits of the last character are not zero".to_owned(),
            })
        };
        bytes.clear();
        bytes.resize(self.encoding.decode_len(line.len()).map_err(refused)?, 0);
        let length =
            self.encoding.decode_mut(line, bytes).map_err(|partial| refused(partial.error))?;
        bytes.truncate(length);
        Ok(())
    }
}

/// The first byte of a line that is neither a digit nor white space.
#[derive(Clone, Copy)]
struct Wrong {
    /// Its offset in the line without white space.
    at: usize,
    /// The number of its character in the line, counted from 1.
    column: usize,
}

impl Wrong {
    /// Describes the byte `first` that `rest` starts with.
    fn describe(self, rest: &[u8], first: u8) -> String {
        let column = self.column;
        let character = rest.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
        match character {
            Some(character) => {
                let advice = match character {
                    'x' | 'X' => "; write the digits without 0x or \\x",
                    _ => "",
                };
                format!("unexpected character {character:?} at column {column}{advice}")
            }
            None => format!("unexpected byte {first:#04x} at column {column}"),
        }
    }
}
