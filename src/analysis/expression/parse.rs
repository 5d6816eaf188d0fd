//! Parses an expression: one function for each level of precedence, from the loosest.

use super::ExpressionError;
use super::lex::{Lexeme, LexemeKind, tokens};
use super::term::{
    CompareOperator, FUNCTIONS, Function, Operation, Step, StepKind, Term, TermKind,
};
use regex::RegexBuilder;

/// How deeply brackets, calls and signs may be nested.
const DEPTH: usize = 64;

/// The longest expression, in bytes.
const LENGTH: usize = 16 << 10;

/// How many terms may give several values. Each of them takes a part of the stack.
const GENERATORS: usize = 100;

/// How many tokens an expression may have if one of its terms may give several values: each part
/// after such a term takes a part of the stack.
const TOKENS: usize = 2_500;

/// How much memory a compiled regular expression may take, in bytes.
const REGEX: usize = 1 << 20;

pub fn parse(text: &str) -> Result<Term, ExpressionError> {
    if text.len() > LENGTH {
        return Err(ExpressionError::new(LENGTH, "the expression is longer than 16 KiB"));
    }
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, place: 0, depth: 0, generators: 0 };
    let term = parser.pipe()?;
    match parser.peek() {
        LexemeKind::End if parser.generators > 0 && tokens.len() > TOKENS => {
            Err(ExpressionError::new(0, "the expression is too complex"))
        }
        LexemeKind::End => Ok(term),
        _ => Err(parser.expected("an operator or the end")),
    }
}

struct Parser<'p, 't> {
    tokens: &'p [Lexeme<'t>],
    place: usize,
    depth: usize,
    generators: usize,
}

type Parsed = Result<Term, ExpressionError>;

impl<'p, 't> Parser<'p, 't> {
    fn token(&self) -> Option<&'p Lexeme<'t>> {
        // The last token is the end, which is never taken.
        self.tokens.get(self.place).or(self.tokens.last())
    }

    fn peek(&self) -> &'p LexemeKind<'t> {
        self.token().map_or(&LexemeKind::End, |token| &token.content)
    }

    fn at(&self) -> usize {
        self.token().map_or(0, |token| token.at)
    }

    fn advance(&mut self) {
        self.place = self.place.saturating_add(1).min(self.tokens.len().saturating_sub(1));
    }

    fn takes(&mut self, content: &LexemeKind<'_>) -> bool {
        let is_next = self.peek() == content;
        if is_next {
            self.advance();
        }
        is_next
    }

    fn takes_symbol(&mut self, symbol: &'static str) -> bool {
        self.takes(&LexemeKind::Symbol(symbol))
    }

    fn takes_word(&mut self, word: &str) -> bool {
        self.takes(&LexemeKind::Word(word))
    }

    fn expected(&self, what: &str) -> ExpressionError {
        let problem = match self.peek() {
            // A function stands after a value, as an operator does.
            LexemeKind::Word(name) if *name == "in" => after_pipe(name, "IN"),
            LexemeKind::Word(name) if FUNCTIONS.iter().any(|(other, ..)| other == name) => {
                after_pipe(name, name)
            }
            found => {
                let lower =
                    if let LexemeKind::Word(name) = found { in_lower_case(name) } else { None };
                let hint = lower.map_or(String::new(), |lower| format!("; write '{lower}'"));
                format!("expected {what}, found {}{hint}", found.show())
            }
        };
        ExpressionError::new(self.at(), problem)
    }

    /// Whether the next token begins a value.
    fn is_at_value(&self) -> bool {
        match self.peek() {
            LexemeKind::Field(_)
            | LexemeKind::Text(_)
            | LexemeKind::Int(_)
            | LexemeKind::Real(_) => true,
            LexemeKind::Symbol(symbol) => matches!(*symbol, "(" | "[" | "." | ".."),
            LexemeKind::Word(word) => {
                !matches!(*word, "and" | "or" | "then" | "elif" | "else" | "end")
            }
            LexemeKind::End => false,
        }
    }

    fn require(&mut self, symbol: &'static str) -> Result<(), ExpressionError> {
        if self.takes_symbol(symbol) {
            return Ok(());
        }
        Err(self.expected(&format!("'{symbol}'")))
    }

    /// A term of this kind, if there are not too many that give several values.
    fn term(&mut self, kind: TermKind) -> Parsed {
        let term = Term::new(kind);
        if !term.is_single {
            self.generators += 1;
            if self.generators > GENERATORS {
                return Err(ExpressionError::new(self.at(), "the expression is too complex"));
            }
        }
        Ok(term)
    }

    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        if self.depth == DEPTH {
            return Err(ExpressionError::new(self.at(), "the expression is nested too deeply"));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth = self.depth.saturating_sub(1);
        parsed
    }

    /// Terms with an operator between them. A single term is returned unchanged.
    fn chain(
        &mut self,
        operator: &LexemeKind<'_>,
        kind: fn(Vec<Term>) -> TermKind,
        operand: fn(&mut Self) -> Parsed,
    ) -> Parsed {
        let first = operand(self)?;
        if self.peek() != operator {
            return Ok(first);
        }
        let mut terms = vec![first];
        while self.takes(operator) {
            terms.push(operand(self)?);
        }
        self.term(kind(terms))
    }

    fn pipe(&mut self) -> Parsed {
        self.chain(&LexemeKind::Symbol("|"), TermKind::Pipe, Self::comma)
    }

    fn comma(&mut self) -> Parsed {
        self.chain(&LexemeKind::Symbol(","), TermKind::Comma, Self::alternative)
    }

    fn alternative(&mut self) -> Parsed {
        let left = self.or()?;
        if !self.takes_symbol("//") {
            return Ok(left);
        }
        // The operator `//` is right-associative.
        let right = self.nested(Self::alternative)?;
        self.term(TermKind::Alternative(Box::new(left), Box::new(right)))
    }

    fn or(&mut self) -> Parsed {
        self.chain(&LexemeKind::Word("or"), TermKind::Or, Self::and)
    }

    fn and(&mut self) -> Parsed {
        self.chain(&LexemeKind::Word("and"), TermKind::And, Self::comparison)
    }

    fn comparison(&mut self) -> Parsed {
        let left = self.sum()?;
        let comparison = match self.peek() {
            LexemeKind::Symbol("==") => CompareOperator::Equal,
            LexemeKind::Symbol("!=") => CompareOperator::NotEqual,
            LexemeKind::Symbol("<") => CompareOperator::Less,
            LexemeKind::Symbol("<=") => CompareOperator::LessOrEqual,
            LexemeKind::Symbol(">") => CompareOperator::Greater,
            LexemeKind::Symbol(">=") => CompareOperator::GreaterOrEqual,
            _ => return Ok(left),
        };
        self.advance();
        let right = self.sum()?;
        self.term(TermKind::Compare(Box::new(left), comparison, Box::new(right)))
    }

    fn sum(&mut self) -> Parsed {
        let operation = |content: &LexemeKind<'_>| match content {
            LexemeKind::Symbol("+") => Some(Operation::Add),
            LexemeKind::Symbol("-") => Some(Operation::Subtract),
            _ => None,
        };
        self.calculation(operation, Self::product)
    }

    fn product(&mut self) -> Parsed {
        let operation = |content: &LexemeKind<'_>| match content {
            LexemeKind::Symbol("*") => Some(Operation::Multiply),
            LexemeKind::Symbol("/") => Some(Operation::Divide),
            LexemeKind::Symbol("%") => Some(Operation::Remainder),
            _ => None,
        };
        self.calculation(operation, Self::sign)
    }

    fn calculation(
        &mut self,
        operation: fn(&LexemeKind<'_>) -> Option<Operation>,
        operand: fn(&mut Self) -> Parsed,
    ) -> Parsed {
        let mut left = operand(self)?;
        let depth = self.depth;
        while let Some(operation) = operation(self.peek()) {
            // The operators are left-associative, so each one nests the terms before it one level
            // deeper.
            self.depth += 1;
            if self.depth > DEPTH {
                return Err(ExpressionError::new(self.at(), "the calculation is too long"));
            }
            self.advance();
            let right = operand(self)?;
            left = self.term(TermKind::Calculate(Box::new(left), operation, Box::new(right)))?;
        }
        self.depth = depth;
        Ok(left)
    }

    fn sign(&mut self) -> Parsed {
        if !self.takes_symbol("-") {
            return self.path();
        }
        let term = self.nested(Self::sign)?;
        self.term(TermKind::Negate(Box::new(term)))
    }

    /// A term and the steps after it.
    fn path(&mut self) -> Parsed {
        let mut steps = Vec::new();
        let mut start = match self.peek() {
            LexemeKind::Field(_) => Term::new(TermKind::Identity),
            LexemeKind::Symbol(".") => {
                self.advance();
                if let LexemeKind::Text(name) = self.peek() {
                    steps.push(field(name));
                    self.advance();
                }
                Term::new(TermKind::Identity)
            }
            _ => self.operand()?,
        };
        loop {
            match self.peek() {
                LexemeKind::Field(name) => {
                    steps.push(field(name));
                    self.advance();
                }
                LexemeKind::Symbol(".") => {
                    self.advance();
                    match self.peek() {
                        LexemeKind::Text(name) => {
                            steps.push(field(name));
                            self.advance();
                        }
                        LexemeKind::Symbol("[") => {}
                        _ => return Err(self.expected("a name or '['")),
                    }
                }
                LexemeKind::Symbol("[") => {
                    self.advance();
                    let kind = if self.peek() == &LexemeKind::Symbol("]") {
                        StepKind::Each
                    } else {
                        StepKind::Index(self.nested(Self::pipe)?)
                    };
                    self.require("]")?;
                    steps.push(Step { kind, is_optional: false });
                }
                LexemeKind::Symbol("?") => {
                    match steps.last_mut() {
                        Some(step) => step.is_optional = true,
                        None => start = self.term(TermKind::Try(Box::new(start)))?,
                    }
                    self.advance();
                }
                _ if steps.is_empty() => return Ok(start),
                _ => return self.term(TermKind::Path(Box::new(start), steps)),
            }
        }
    }

    /// An operand: a term without a sign before it and without steps after it.
    fn operand(&mut self) -> Parsed {
        let at = self.at();
        if let Some(literal) = self.peek().literal() {
            self.advance();
            return Ok(Term::new(TermKind::Literal(literal)));
        }
        match self.peek() {
            LexemeKind::Symbol("..") => {
                self.advance();
                self.term(TermKind::Recurse)
            }
            LexemeKind::Symbol("(") => {
                self.advance();
                let term = self.nested(Self::pipe)?;
                self.require(")")?;
                Ok(term)
            }
            LexemeKind::Symbol("[") => {
                self.advance();
                if self.takes_symbol("]") {
                    return Ok(Term::new(TermKind::Collect(None)));
                }
                let term = self.nested(Self::pipe)?;
                self.require("]")?;
                self.term(TermKind::Collect(Some(Box::new(term))))
            }
            LexemeKind::Word("if") => {
                self.advance();
                self.nested(Self::condition)
            }
            LexemeKind::Word(word @ ("and" | "or" | "then" | "elif" | "else" | "end")) => {
                Err(ExpressionError::new(at, format!("expected a value before '{word}'")))
            }
            LexemeKind::Word(
                word @ ("def" | "reduce" | "foreach" | "as" | "try" | "catch" | "label" | "import"),
            ) => Err(ExpressionError::new(at, format!("'{word}' is not supported"))),
            LexemeKind::Word(name) => {
                self.advance();
                self.call(name, at)
            }
            _ => Err(self.expected("a value")),
        }
    }

    fn condition(&mut self) -> Parsed {
        let mut branches = Vec::new();
        loop {
            let condition = self.pipe()?;
            if !self.takes_word("then") {
                return Err(self.expected("'then'"));
            }
            branches.push((condition, self.pipe()?));
            if !self.takes_word("elif") {
                break;
            }
        }
        let otherwise = if self.takes_word("else") { Some(Box::new(self.pipe()?)) } else { None };
        if !self.takes_word("end") {
            return Err(self.expected("'end'"));
        }
        self.term(TermKind::If(branches, otherwise))
    }

    /// A call of a function: its name has been read.
    fn call(&mut self, name: &str, at: usize) -> Parsed {
        let mut arguments = Vec::new();
        if name == "not" && self.is_at_value() {
            return Err(ExpressionError::new(at, "'not' stands after its condition: '(…) | not'"));
        }
        if self.takes_symbol("(") {
            loop {
                arguments.push(self.nested(Self::pipe)?);
                if !self.takes_symbol(";") {
                    break;
                }
            }
            self.require(")")?;
        }
        let mut named = FUNCTIONS.iter().filter(|(other, ..)| *other == name).peekable();
        if named.peek().is_none() {
            // A bare word may have been meant as a field or a string.
            let problem = match in_lower_case(name) {
                Some(lower) => format!("unknown function '{name}'; write '{lower}'"),
                None => format!(
                    "unknown function '{name}'; a field is '.{name}', a string '\"{name}\"'"
                ),
            };
            return Err(ExpressionError::new(at, problem));
        }
        let Some((.., function)) = named.find(|(_, arity, _)| *arity == arguments.len()) else {
            let problem =
                format!("'{name}' does not take {} arguments; ';' separates them", arguments.len());
            return Err(ExpressionError::new(at, problem));
        };
        if matches!(function, Function::Test | Function::TestWith) {
            return test(&arguments, at);
        }
        self.term(TermKind::Call(*function, arguments))
    }
}

/// A word that is an operator, a constant or a function in lower case only.
fn in_lower_case(name: &str) -> Option<String> {
    const WORDS: [&str; 10] =
        ["and", "or", "if", "then", "elif", "else", "end", "true", "false", "null"];
    let lower = name.to_ascii_lowercase();
    let is_known = WORDS.contains(&&*lower) || FUNCTIONS.iter().any(|(known, ..)| *known == lower);
    (lower != name && is_known).then_some(lower)
}

fn after_pipe(name: &str, function: &str) -> String {
    format!("'{name}' is not an operator; a function is called with '| {function}(…)'")
}

fn field(name: &str) -> Step {
    Step { kind: StepKind::Field(name.into()), is_optional: false }
}

/// `test(PATTERN)` or `test(PATTERN; FLAGS)`, which are compiled once.
fn test(arguments: &[Term], at: usize) -> Parsed {
    let mut texts = arguments.iter().map(|argument| match &argument.kind {
        TermKind::Literal(super::term::Constant::Text(text)) => Ok(&**text),
        _ => Err(ExpressionError::new(at, "'test' needs a string in quotes")),
    });
    let pattern = texts.next().unwrap_or(Ok(""))?;
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(REGEX).dfa_size_limit(REGEX);
    for flag in texts.next().unwrap_or(Ok(""))?.chars() {
        match flag {
            'i' => builder.case_insensitive(true),
            'x' => builder.ignore_whitespace(true),
            's' => builder.dot_matches_new_line(true),
            _ => {
                return Err(ExpressionError::new(
                    at,
                    format!("unknown flag '{flag}'; there are i, s, x"),
                ));
            }
        };
    }
    match builder.build() {
        Ok(regex) => Ok(Term::new(TermKind::Test(Box::new(regex)))),
        Err(error) => Err(ExpressionError::new(
            at,
            format!("not a regular expression: {}", last_line(&error)),
        )),
    }
}

/// The last line of a regular expression's error, which says what is wrong.
fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let line = text.lines().last().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}
