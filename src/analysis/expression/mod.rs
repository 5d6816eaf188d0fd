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
//! Variables, assignments, definitions, and loops without a bound are not supported, so every
//! evaluation ends. An evaluation that takes more than a million steps on one value is an error.
//!
//! [jq]: https://jqlang.org/manual/

mod compare;
mod error;
mod eval;
mod functions;
mod lex;
mod message;
mod operators;
mod parse;
mod program;
mod steps;
mod term;
#[cfg(test)]
mod tests;
mod value;
mod work;

pub use error::{EvalError, ExpressionError};
pub use program::Expression;
pub use value::JsonValue;
