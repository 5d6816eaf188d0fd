//! A parsed expression, which runs on values.

use super::error::{EvalError, ExpressionError};
use super::eval::each;
use super::parse::parse;
use super::term::{Constant, StepKind, Term, TermKind};
use super::value::JsonValue;
use super::work::{Budget, EvalStop};
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
    pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
        parse(text).map(|term| Expression(Arc::new(term)))
    }

    /// The names of the fields that the expression reads from its input itself, in order: `hp` and
    /// `tags` in `.hp < 50 and any(.tags[]; .id == 1)`.
    #[must_use]
    pub fn fields(&self) -> Vec<&str> {
        let mut fields = Vec::new();
        self.0.each(true, &mut |term, has_input| {
            if let TermKind::Path(start, steps) = &term.kind
                && let (TermKind::Identity, Some(step)) = (&start.kind, steps.first())
                && let (StepKind::Field(name), true) = (&step.kind, has_input)
            {
                fields.push(&**name);
            }
        });
        fields
    }

    /// The names of the fields that the expression reads directly inside a field of its input, in
    /// order: `method` and `args` in `.rpc.method == "say" and .rpc.args[0] == "hi"` for `rpc`.
    #[must_use]
    pub fn fields_inside(&self, field: &str) -> Vec<&str> {
        let mut fields = Vec::new();
        self.0.each(true, &mut |term, has_input| {
            if let TermKind::Path(start, steps) = &term.kind
                && let (TermKind::Identity, [outer, inner, ..]) = (&start.kind, &steps[..])
                && let (StepKind::Field(name), true) = (&outer.kind, has_input)
                && let (true, StepKind::Field(inner)) = (**name == *field, &inner.kind)
            {
                fields.push(&**inner);
            }
        });
        fields
    }

    /// The strings in the expression, in order, without regular expressions and their flags.
    #[must_use]
    pub fn strings(&self) -> Vec<&str> {
        let mut strings = Vec::new();
        self.0.each(true, &mut |term, _| {
            if let TermKind::Literal(Constant::Text(text)) = &term.kind {
                strings.push(&**text);
            }
        });
        strings
    }

    /// Whether the expression gives at least one value for `input` that is neither `false` nor
    /// null.
    ///
    /// # Errors
    ///
    /// The expression does not fit the input, such as `.name` for a number, or it takes too many
    /// steps.
    pub fn selects(&self, input: &JsonValue<'_>) -> Result<bool, EvalError> {
        let work = Budget::new();
        let mut is_selected = false;
        let result = each(&self.0, input, &work, &mut |value| {
            is_selected = value.is_true();
            if is_selected { Err(EvalStop::Enough) } else { Ok(()) }
        });
        match result {
            Ok(()) | Err(EvalStop::Enough) => Ok(is_selected),
            Err(EvalStop::Failed(problem)) => Err(EvalError::new(problem)),
            Err(EvalStop::TooMuch) => Err(EvalError::new("it takes more than 1,000,000 steps")),
        }
    }
}
