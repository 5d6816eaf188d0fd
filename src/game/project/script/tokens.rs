//! Splits GDScript and C# into tokens.

use alloc::vec::Vec;

/// A token of a script. Comments and white space are skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// The start of a line that has tokens. Only GDScript has it, and not in brackets.
    Line {
        /// The number of tabs and spaces at the start of the line.
        indent: usize,
    },
    /// A name or a keyword.
    Name(&'a str),
    /// The content of a string or of a character of C#, with its escape sequences.
    Text(&'a str),
    /// A number.
    Number(&'a str),
    /// Any other character.
    Mark(char),
}

/// The common interface of the readers of tokens.
pub(super) trait ReadTokens<'a> {
    /// The next token. It is not taken.
    fn peek(&mut self) -> Option<Token<'a>>;

    fn take(&mut self) -> Option<Token<'a>>;

    fn is_mark(&mut self, mark: char) -> bool {
        self.peek() == Some(Token::Mark(mark))
    }

    fn is_word(&mut self, word: &str) -> bool {
        self.peek() == Some(Token::Name(word))
    }

    /// Takes the next token if it is this character.
    fn take_mark(&mut self, mark: char) -> bool {
        self.is_mark(mark) && self.take().is_some()
    }

    /// Takes the next token if it is this word.
    fn take_word(&mut self, word: &str) -> bool {
        self.is_word(word) && self.take().is_some()
    }

    /// Takes the next token if it is a name.
    fn take_text(&mut self) -> Option<&'a str> {
        let Some(Token::Name(name)) = self.peek() else { return None };
        self.take();
        Some(name)
    }

    /// Skips the rest of brackets whose first one was taken. Returns whether they end.
    fn skip_brackets(&mut self) -> bool {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.take() {
                Some(Token::Mark('(' | '[' | '{')) => depth += 1,
                Some(Token::Mark(')' | ']' | '}')) => depth -= 1,
                Some(_) => {}
                None => return false,
            }
        }
        true
    }
}

/// The tokens of a script.
pub(super) struct Tokens<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) is_line_start: bool,
    /// The number of the line, from 1.
    pub(super) line: u32,
    /// The number of open brackets. It is counted only in GDScript.
    pub(super) depth: usize,
    /// The line of the first problem, and the token that is missing or superfluous.
    pub(super) problem: Option<(u32, &'static str)>,
    /// The open `#if` of C#, and whether what is read is compiled in each build.
    conditions: Vec<bool>,
    next: fn(&mut Tokens<'a>) -> Option<Token<'a>>,
    ahead: Option<Token<'a>>,
}

impl<'a> Tokens<'a> {
    pub(super) const fn new(
        text: &'a str,
        next: fn(&mut Tokens<'a>) -> Option<Token<'a>>,
    ) -> Tokens<'a> {
        Tokens {
            text,
            at: 0,
            is_line_start: true,
            line: 1,
            depth: 0,
            problem: None,
            conditions: Vec::new(),
            next,
            ahead: None,
        }
    }

    pub(super) fn take(&mut self) -> Option<Token<'a>> {
        self.ahead.take().or_else(|| (self.next)(self))
    }

    pub(super) fn peek(&mut self) -> Option<Token<'a>> {
        if self.ahead.is_none() {
            self.ahead = (self.next)(self);
        }
        self.ahead
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Reads bytes for as long as `belongs` returns true.
    pub(super) fn run(&mut self, belongs: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().position(|byte| !belongs(byte)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or("")
    }

    /// Reads a name.
    pub(super) fn name(&mut self) -> Token<'a> {
        Token::Name(self.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 128))
    }

    /// Reads a number.
    pub(super) fn number(&mut self) -> Token<'a> {
        Token::Number(self.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
    }
}

impl<'a> Tokens<'a> {
    /// Reads a string, starting at its first quote.
    fn gdscript_string(&mut self, quote: u8) -> &'a str {
        let triple: &str = if quote == b'"' { "\"\"\"" } else { "'''" };
        let end = if self.rest().starts_with(triple) { 3 } else { 1 };
        self.at += end;
        let (start, line) = (self.at, self.line);
        loop {
            match self.byte() {
                None => {
                    self.problem.get_or_insert((line, "the end of this string"));
                    return self.text.get(start..).unwrap_or("");
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.line += u32::from(self.byte() == Some(b'\n'));
                }
                Some(byte) if byte == quote && (end == 1 || self.rest().starts_with(triple)) => {
                    let inside = self.text.get(start..self.at).unwrap_or("");
                    self.at += end;
                    return inside;
                }
                Some(byte) => self.line += u32::from(byte == b'\n'),
            }
            // After a backslash, `at` may be in the middle of a character. The other bytes of that
            // character are not ASCII, so none is taken for a quote.
            self.at += 1;
        }
    }

    fn gdscript_mark(&mut self, character: char) -> Token<'a> {
        self.at += character.len_utf8();
        match character {
            '(' | '[' | '{' => self.depth += 1,
            ')' | ']' | '}' if self.depth == 0 => {
                self.problem.get_or_insert((self.line, "a bracket that this one closes"));
            }
            ')' | ']' | '}' => self.depth -= 1,
            _ => {}
        }
        Token::Mark(character)
    }

    /// Reads the next token of GDScript. Line ends in brackets are skipped.
    pub(super) fn gdscript(&mut self) -> Option<Token<'a>> {
        let mut indent = 0;
        loop {
            match self.byte() {
                Some(b' ' | b'\t' | b'\r') => {
                    indent += self.run(|byte| matches!(byte, b' ' | b'\t' | b'\r')).len();
                }
                Some(b'\n') => {
                    self.at += 1;
                    self.line += 1;
                    self.is_line_start |= self.depth == 0;
                    indent = 0;
                }
                Some(b'#') => drop(self.run(|byte| byte != b'\n')),
                // A backslash continues the line.
                Some(b'\\') => {
                    self.at += 1;
                    self.run(|byte| byte == b'\r');
                    if self.byte() == Some(b'\n') {
                        self.at += 1;
                        self.line += 1;
                    }
                }
                _ => break,
            }
        }
        let first = self.rest().chars().next();
        if first.is_some() && core::mem::take(&mut self.is_line_start) {
            return Some(Token::Line { indent });
        }
        Some(match first {
            None => {
                if self.depth > 0 {
                    self.problem.get_or_insert((self.line, "the closing bracket"));
                }
                return None;
            }
            Some('"') => Token::Text(self.gdscript_string(b'"')),
            Some('\'') => Token::Text(self.gdscript_string(b'\'')),
            Some('r') if self.rest().starts_with("r\"") || self.rest().starts_with("r'") => {
                self.at += 1;
                return self.gdscript();
            }
            Some('0'..='9') => self.number(),
            Some('a'..='z' | 'A'..='Z' | '_' | '\u{80}'..) => self.name(),
            Some(mark) => self.gdscript_mark(mark),
        })
    }
}

impl<'a> Tokens<'a> {
    /// Moves past one byte, which may end a line.
    fn step(&mut self) {
        self.line += u32::from(self.byte() == Some(b'\n'));
        self.at += 1;
    }

    fn missing(&mut self, line: u32, what: &'static str) {
        self.problem.get_or_insert((line, what));
    }

    fn block_comment(&mut self) {
        let line = self.line;
        while !self.rest_starts_with(b"*/") {
            if self.byte().is_none() {
                return self.missing(line, "the end of this comment");
            }
            self.step();
        }
        self.at += 2;
    }

    /// Like `rest().starts_with`, but `at` may be in the middle of a character.
    fn rest_starts_with(&self, bytes: &[u8]) -> bool {
        self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(bytes))
    }

    /// Reads a string up to its closing quotes. `holes` is the number of braces that begin an
    /// interpolated expression, or 0 if the string has none.
    fn csharp_string(&mut self, is_verbatim: bool, holes: usize) -> &'a str {
        let line = self.line;
        let quotes = if is_verbatim { 1 } else { self.run(|byte| byte == b'"').len() };
        self.at += usize::from(is_verbatim);
        if quotes == 2 {
            return "";
        }
        let start = self.at;
        let end = loop {
            match self.byte() {
                None => {
                    self.missing(line, "the end of this string");
                    break self.at;
                }
                Some(b'"') => {
                    let at = self.at;
                    let found = self.run(|byte| byte == b'"').len();
                    if quotes == 1 && is_verbatim {
                        // Two quotes are an escaped quote.
                        if found % 2 == 1 {
                            break self.at - 1;
                        }
                    } else if quotes == 1 {
                        self.at = at + 1;
                        break at;
                    } else if found >= quotes {
                        break self.at - quotes;
                    }
                }
                Some(b'\\') if quotes == 1 && !is_verbatim => {
                    self.at += 1;
                    self.step();
                }
                Some(b'{') if holes > 0 => {
                    let braces = self.run(|byte| byte == b'{').len();
                    // Doubled braces are escaped braces.
                    if braces >= holes && (holes > 1 || braces % 2 == 1) {
                        self.hole(quotes);
                    }
                }
                Some(_) => self.step(),
            }
        };
        self.text.get(start..end).unwrap_or("")
    }

    /// Skips an interpolated expression and the strings in it, up to its closing brace.
    fn hole(&mut self, quotes: usize) {
        let mut depth = 1_usize;
        while let Some(byte) = self.byte() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                b'"' if quotes > 1 && self.rest_starts_with(b"\"\"\"") => return,
                b'"' => {
                    let prefix = self.text.as_bytes().get(self.at.saturating_sub(2)..self.at);
                    let is_verbatim = prefix.is_some_and(|prefix| prefix.contains(&b'@'));
                    self.at += 1;
                    while let Some(byte) = self.byte().filter(|byte| *byte != b'"') {
                        self.at += usize::from(byte == b'\\' && !is_verbatim);
                        self.step();
                    }
                }
                _ => {}
            }
            self.step();
            if depth == 0 {
                return;
            }
        }
    }

    /// The characters `@` and `$` before a string, if a string comes next.
    fn prefix(&self) -> Option<&'a str> {
        let rest = self.rest();
        let length = rest.bytes().take_while(|byte| matches!(byte, b'@' | b'$')).count();
        rest.get(..length).filter(|_| rest.as_bytes().get(length) == Some(&b'"'))
    }

    /// Whether only some builds of a C# project compile what is read.
    pub(super) fn is_conditional(&self) -> bool {
        self.conditions.iter().any(|is_always| !is_always)
    }

    /// Reads a line of C#'s preprocessor, and skips what no build compiles. All branches
    /// of other conditions are read.
    fn directive(&mut self) {
        let (word, condition) = self.directive_line();
        match (word, self.conditions.last()) {
            ("if", _) => self.branch(condition),
            ("elif" | "else", Some(true)) => self.skip_branches(|_, _| false),
            ("endif", _) => {
                self.conditions.pop();
            }
            _ => {}
        }
    }

    /// Takes a line of the preprocessor, and returns its first word and the rest without a comment.
    fn directive_line(&mut self) -> (&'a str, &'a str) {
        let line = self.run(|byte| byte != b'\n').trim_start_matches('#').trim_start();
        let length = line.bytes().position(|byte| !byte.is_ascii_alphabetic());
        let (word, rest) = line.split_at_checked(length.unwrap_or(line.len())).unwrap_or_default();
        (word, rest.split("//").next().unwrap_or_default().trim())
    }

    /// Begins a branch of a condition that no branch before fulfils.
    fn branch(&mut self, condition: &str) {
        if condition != "false" {
            return self.conditions.push(condition == "true");
        }
        self.conditions.push(true);
        self.skip_branches(|word, condition| word == "else" || condition != "false");
    }

    /// Skips the branches of the innermost `#if` up to one that is compiled, or to the end.
    fn skip_branches(&mut self, is_compiled: impl Fn(&str, &str) -> bool) {
        let mut depth = 0_usize;
        while self.byte().is_some() {
            self.run(|byte| byte != b'\n');
            self.step();
            self.run(|byte| matches!(byte, b' ' | b'\t'));
            if self.byte() != Some(b'#') {
                continue;
            }
            match self.directive_line() {
                ("if", _) => depth += 1,
                ("endif", _) if depth > 0 => depth -= 1,
                ("endif", _) => {
                    self.conditions.pop();
                    return;
                }
                ("elif", condition) if depth == 0 && is_compiled("elif", condition) => {
                    self.conditions.pop();
                    return self.conditions.push(condition == "true");
                }
                ("else", _) if depth == 0 && is_compiled("else", "") => return,
                _ => {}
            }
        }
    }

    /// Reads the next token of C#.
    pub(super) fn csharp(&mut self) -> Option<Token<'a>> {
        loop {
            match self.byte() {
                Some(b'\n') => {
                    self.step();
                    self.is_line_start = true;
                }
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'#') if self.is_line_start => self.directive(),
                Some(b'/') if self.rest_starts_with(b"//") => {
                    self.run(|byte| byte != b'\n');
                }
                Some(b'/') if self.rest_starts_with(b"/*") => {
                    self.at += 2;
                    self.block_comment();
                }
                _ => break,
            }
        }
        self.is_line_start = false;
        let first = self.rest().chars().next()?;
        if let Some(prefix) = self.prefix() {
            self.at += prefix.len();
            let holes = prefix.bytes().filter(|byte| *byte == b'$').count();
            return Some(Token::Text(self.csharp_string(prefix.contains('@'), holes)));
        }
        Some(match first {
            '\'' => {
                self.at += 1;
                let start = self.at;
                // The longest spelling of a character is `\U0010ffff`.
                for _ in 0..12 {
                    match self.byte() {
                        None | Some(b'\'' | b'\n') => break,
                        Some(b'\\') => self.at += 2,
                        Some(_) => self.at += 1,
                    }
                }
                let inside = self.text.get(start..self.at).unwrap_or("");
                self.at += usize::from(self.byte() == Some(b'\''));
                while !self.text.is_char_boundary(self.at) && self.at < self.text.len() {
                    self.at += 1;
                }
                Token::Text(inside)
            }
            '0'..='9' => self.number(),
            'a'..='z' | 'A'..='Z' | '_' | '\u{80}'.. => self.name(),
            mark => {
                self.at += mark.len_utf8();
                Token::Mark(mark)
            }
        })
    }
}

/// Remembers what is before each open bracket, to the depth of 64.
#[derive(Default)]
pub(super) struct Brackets<T> {
    open: Vec<Option<T>>,
    /// The number of further open brackets.
    deeper: usize,
    /// The value that was passed for the brackets that were closed last.
    pub(super) closed: Option<T>,
}

impl<T> Brackets<T> {
    pub(super) fn open(&mut self, before: Option<T>) {
        const DEPTH: usize = 64;
        if self.open.len() < DEPTH {
            self.open.push(before);
        } else {
            self.deeper += 1;
        }
    }

    /// The value that was passed to [`open`](Brackets::open) for the innermost open bracket. None
    /// if there was no value, or if too many brackets are open.
    pub(super) fn innermost(&self) -> Option<&T> {
        self.open.last().filter(|_| self.deeper == 0)?.as_ref()
    }

    pub(super) fn close(&mut self) {
        self.closed = match self.deeper.checked_sub(1) {
            Some(deeper) => {
                self.deeper = deeper;
                None
            }
            None => self.open.pop().flatten(),
        };
    }
}
