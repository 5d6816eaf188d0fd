//! A parsed expression, which runs on values.

use super::error::{EvalError, ParseError};
use super::eval::each;
use super::parse::parse;
use super::term::Term;
use super::value::Value;
use super::work::{Stop, Work};
use std::sync::Arc;

/// A parsed expression. Copies share their memory.
#[derive(Clone, Debug)]
pub struct Expression(Arc<Term>);

impl Expression {
    /// Parses an expression of at most 16 KiB.
    ///
    /// # Errors
    ///
    /// The first place where it is not an expression.
    pub fn parse(text: &str) -> Result<Expression, ParseError> {
        parse(text).map(|term| Expression(Arc::new(term)))
    }

    /// Whether the expression gives at least one value for `input` that is neither `false` nor
    /// null.
    ///
    /// # Errors
    ///
    /// The expression does not fit the input, such as `.name` for a number, or it takes too many
    /// steps.
    pub fn selects(&self, input: &Value<'_>) -> Result<bool, EvalError> {
        let work = Work::new();
        let mut is_selected = false;
        let result = each(&self.0, input, &work, &mut |value| {
            is_selected = value.is_true();
            if is_selected { Err(Stop::Enough) } else { Ok(()) }
        });
        match result {
            Ok(()) | Err(Stop::Enough) => Ok(is_selected),
            Err(Stop::Failed(problem)) => Err(EvalError::new(problem)),
            Err(Stop::TooMuch) => Err(EvalError::new("it takes more than 1,000,000 steps")),
        }
    }
}
