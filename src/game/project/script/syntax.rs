//! The parts of functions that say which scenes they create, in GDScript or C#, and what their readers
//! have in common.

use super::tokens::{ReadTokens, Token};
use crate::game::project::ids::{Interner, NameId};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// An expression.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    /// `null`.
    Nothing,
    Bool(bool),
    Int(i64),
    /// A string, a string name or a path of nodes, without escape sequences.
    Text(Box<str>),
    Name(NameId),
    /// A file to which a scene refers, by its uid, its path, or both.
    File {
        uid: Option<NameId>,
        path: Option<NameId>,
    },
    /// `$Path` or `%Unique`.
    Node(Box<str>),
    List(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Member(Box<Expr>, NameId),
    Index(Box<[Expr; 2]>),
    Call(Box<Expr>, Vec<Expr>),
    Not(Box<Expr>),
    Binary(Operator, Box<[Expr; 2]>),
    /// The condition, the value if it is true, and the other value.
    Choice(Box<[Expr; 3]>),
    Function(Box<ScriptFunction>),
    /// Any one of these, by the node.
    OneOf(Vec<Expr>),
    /// Any other value.
    Other,
}

impl Expr {
    /// The expressions in it, without those in functions.
    pub(in crate::game::project) fn parts(&self) -> Vec<&Expr> {
        match self {
            Expr::Member(of, _) | Expr::Not(of) => Vec::from([&**of]),
            Expr::Call(function, arguments) => {
                core::iter::once(&**function).chain(arguments).collect()
            }
            Expr::List(items) | Expr::OneOf(items) => items.iter().collect(),
            Expr::Map(entries) => entries.iter().flat_map(|(key, value)| [key, value]).collect(),
            Expr::Index(parts) | Expr::Binary(_, parts) => parts.iter().collect(),
            Expr::Choice(parts) => parts.iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// An operator between two expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    And,
    Or,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    Add,
    Remainder,
    Other,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScriptFunction {
    pub(crate) parameters: Vec<NameId>,
    pub(crate) body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    /// A new local variable, with its value if it has one.
    Declare(NameId, Expr),
    /// The target of an assignment, and the value. With an operator such as `+=`, the value is
    /// [`Expr::Other`].
    Assign(Expr, Expr),
    /// The conditions with their blocks, and the block after `else`.
    If(Vec<(Expr, Vec<Statement>)>, Vec<Statement>),
    Match(Expr, Vec<Arm>),
    /// A loop, with the variable that it declares and what this goes through.
    Loop(Option<(NameId, Expr)>, Vec<Statement>),
    /// `break` or `continue`.
    Leave,
    Return(Expr),
    Do(Expr),
}

impl Statement {
    /// The blocks in the statement, without those in functions.
    pub(in crate::game::project) fn blocks(&self) -> Vec<&[Statement]> {
        match self {
            Statement::If(branches, otherwise) => {
                branches.iter().map(|(_, body)| &**body).chain([&**otherwise]).collect()
            }
            Statement::Match(_, arms) => arms.iter().map(|arm| &*arm.body).collect(),
            Statement::Loop(_, body) => Vec::from([&**body]),
            _ => Vec::new(),
        }
    }
}

/// A branch of `match`.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) patterns: Vec<ArmPattern>,
    pub(crate) body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) enum ArmPattern {
    /// `_`.
    Any,
    Value(Expr),
    /// A pattern that may or may not match, with the names that it declares.
    Other(Vec<NameId>),
}

/// The common interface of the readers of functions, for GDScript and C#.
pub(super) trait ReadCode<'a>: ReadTokens<'a> {
    /// How deeply expressions and blocks may be nested.
    const DEPTH: usize;

    fn names(&mut self) -> &mut Interner;

    /// How deeply the current expression or block is nested.
    fn depth(&mut self) -> &mut usize;

    fn expression(&mut self) -> Option<Expr>;

    fn take_name(&mut self) -> Option<NameId> {
        let name = self.take_text()?;
        Some(self.names().add(name))
    }

    /// Takes this character, which has to come next.
    fn expect(&mut self, mark: char) -> Option<()> {
        self.take_mark(mark).then_some(())
    }

    /// Takes the comma before the next part, unless a closing bracket comes next.
    fn expect_comma(&mut self, end: char) -> Option<()> {
        (self.take_mark(',') || self.is_mark(end)).then_some(())
    }

    /// Takes the operators before `=`, if there are any.
    fn take_operators(&mut self) -> bool {
        const OPERATORS: [char; 10] = ['+', '-', '*', '/', '%', '|', '&', '^', '<', '>'];
        let is_operator = |token| matches!(token, Some(Token::Mark(c)) if OPERATORS.contains(&c));
        let mut is_taken = false;
        while is_operator(self.peek()) {
            self.take();
            is_taken = true;
        }
        is_taken
    }

    /// Reads something nested, unless it is nested too deeply.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if *self.depth() >= Self::DEPTH {
            return None;
        }
        *self.depth() += 1;
        let found = read(self);
        *self.depth() -= 1;
        found
    }

    /// Reads expressions between commas, up to the closing bracket.
    fn items(&mut self, end: char) -> Option<Vec<Expr>> {
        let mut items = Vec::new();
        while !self.take_mark(end) {
            items.push(self.expression()?);
            self.expect_comma(end)?;
        }
        Some(items)
    }
}
