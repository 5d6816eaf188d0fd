//! Why a text is not an expression, and why an expression failed.

use std::borrow::Cow;
use std::fmt;

/// Why a text is not an expression.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{problem}")]
pub struct ExpressionError {
    offset: usize,
    problem: Cow<'static, str>,
}

impl ExpressionError {
    pub(super) fn new(offset: usize, problem: impl Into<Cow<'static, str>>) -> ExpressionError {
        ExpressionError { offset, problem: problem.into() }
    }

    /// Where in the text the problem is, in bytes.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Shows the problem, the line of the text that has it, and a caret under the place.
    #[must_use]
    pub fn with_text<'e>(&'e self, text: &'e str) -> impl fmt::Display + use<'e> {
        Marked { error: self, text }
    }
}

struct Marked<'e> {
    error: &'e ExpressionError,
    text: &'e str,
}

impl fmt::Display for Marked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// How much of a long line is shown before and after the place, in characters.
        const AROUND: usize = 60;
        let (before, after) =
            self.text.split_at_checked(self.error.offset).unwrap_or((self.text, ""));
        let before = before.rsplit('\n').next().unwrap_or_default();
        let after = after.split('\n').next().unwrap_or_default();
        let start = before.char_indices().rev().take(AROUND).last().map_or(0, |(place, _)| place);
        let shown = |text: &str| -> String {
            // A tab or another control character would move the caret to a wrong place.
            text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect()
        };
        let before = shown(before.get(start..).unwrap_or_default());
        let after: String = after.chars().take(AROUND).collect();
        let column = before.chars().count();
        write!(f, "{}\n  {before}{}\n  {:column$}^", self.error, shown(&after), "")
    }
}

/// Why an expression failed on an input.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct EvalError(Box<str>);

impl EvalError {
    pub(super) fn new(problem: impl Into<Box<str>>) -> EvalError {
        EvalError(problem.into())
    }
}
