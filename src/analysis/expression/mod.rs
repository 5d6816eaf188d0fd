//! Conditions on messages and values, in a subset of the language of [jq].
//!
//! ```
//! use gdwire::expression::{Expression, JsonValue};
//! use gdwire::{Dialect, parse, variant, encode};
//!
//! let wounded = Expression::parse(".value.hp < 50 and .value.position.x > 100")?;
//! let bytes = encode(
//!     Dialect::GODOT_4,
//!     &variant!({ "hp": 12, "position": (gdwire::math::Vector2 { x: 120.5_f32, y: 0.0 }) }),
//! )?;
//! let fields = [("frame", JsonValue::from(7_u64)), ("value", parse(Dialect::GODOT_4, &bytes)?.into())];
//! assert!(wounded.selects(&JsonValue::record(&fields))?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Values
//!
//! An expression sees values as [plain JSON](crate::json#the-two-spellings), without the types of the
//! engine. In addition, the parts of math values have their names: `.x`, `.r`, `.origin.y`.
//!
//! A float of four bytes is the number that its shortest spelling means: 0.1 equals `0.1`. NaN and
//! infinities are numbers here, not strings. Every comparison with NaN is false, except `!=`.
//!
//! # The language
//!
//! | | |
//! |---|---|
//! | paths | `.`, `.name`, `."name"`, `.["name"]`, `.[0]`, `.[-1]`, `.[]`, `..`, each with `?` |
//! | literals | `null`, `true`, `false`, numbers, `"text"`, `[1, 2]` |
//! | operators | `\|`, `,`, `//`, `or`, `and`, `== != < <= > >=`, `+ - * / %`, `(…)` |
//! | conditions | `if … then … elif … then … else … end` |
//! | strings | `test("regex")`, `test("regex"; "i")`, `startswith`, `endswith`, `contains`, `ascii_downcase`, `ascii_upcase`, `tostring`, `tonumber` |
//! | numbers | `abs`, `floor`, `ceil`, `round`, `sqrt`, `isnan`, `isinfinite` |
//! | arrays and objects | `length`, `keys`, `has`, `map`, `any`, `all`, `min`, `max`, `add`, `first`, `last` |
//! | others | `not`, `type`, `select`, `values`, `empty`, `isempty`, `IN` |
//!
//! All of these mean the same as in jq, with one exception: a value is neither less nor greater
//! than a value of another type. So `.hp < 50` does not hold where there is no `hp`; in jq it does,
//! because null is less than every number.
//!
//! `+ - * /` take numbers, and `+` also strings. With arrays, objects or other strings they are an error
//! here, and so are `add` of arrays or objects, `tostring` of them, and `tonumber` of a string with spaces.
//!
//! Variables, assignments, definitions, and loops without a bound are not supported, so every
//! evaluation ends. An evaluation that takes more than a million steps on one value is an error.
//!
//! [jq]: https://jqlang.org/manual/

mod eval;
mod functions;
mod lex;
mod message;
mod parse;
mod term;
#[cfg(test)]
mod tests;
mod value;

pub use value::JsonValue;

use eval::each;
use parse::parse;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use term::{Constant, StepKind, Term, TermKind};
use value::{Budget, EvalStop};

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
    #[doc(hidden)]
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

/// Why a text is not an expression.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{problem}")]
pub struct ExpressionError {
    offset: usize,
    problem: Cow<'static, str>,
}

impl ExpressionError {
    fn new(offset: usize, problem: impl Into<Cow<'static, str>>) -> ExpressionError {
        ExpressionError { offset, problem: problem.into() }
    }

    /// The offset of the problem in the text, in bytes.
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
    fn new(problem: impl Into<Box<str>>) -> EvalError {
        EvalError(problem.into())
    }
}
