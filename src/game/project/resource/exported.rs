//! The values that scenes set for variables of scripts.

use crate::game::project::limits;
use crate::game::project::names::Names;
use crate::game::project::script::parser;
use crate::game::project::script::syntax::Expression;
use alloc::vec::Vec;

/// Reads a value; `file` gives the file that has an id. What is no string, reference or container of them is [`Expression::Other`].
pub(super) fn value(
    text: &str,
    file: impl Fn(&str) -> Option<Expression>,
    names: &mut Names,
) -> Expression {
    let may_name = ["ExtResource", "res://", "uid://", "NodePath", ".tscn"];
    if text == "null" {
        return Expression::Nothing;
    }
    if text.len() > limits::VALUE_BYTES || !may_name.iter().any(|word| text.contains(word)) {
        return Expression::Other;
    }
    let Some(read) = parser::scene_value(text, names) else { return Expression::Other };
    simple(read, names, &file)
}

fn simple(
    value: Expression,
    names: &Names,
    file: &impl Fn(&str) -> Option<Expression>,
) -> Expression {
    match value {
        Expression::Text(_) | Expression::Nothing => value,
        Expression::List(items) => all(items, names, file),
        Expression::Map(entries) => {
            let both = |(key, value)| (key_of(key), simple(value, names, file));
            Expression::Map(entries.into_iter().map(both).collect())
        }
        Expression::Call(function, mut arguments) => {
            let name = match *function {
                Expression::Name(name) => names.text(name),
                // A typed container.
                Expression::Index(_) | Expression::Other => "Array",
                _ => "",
            };
            match (name, arguments.as_slice()) {
                ("ExtResource", [Expression::Text(id)]) => file(id).unwrap_or(Expression::Other),
                ("ExtResource", [Expression::Int(id)]) => {
                    file(&alloc::format!("{id}")).unwrap_or(Expression::Other)
                }
                ("NodePath", [Expression::Text(_)]) | ("Array", [_]) => {
                    let inside = arguments.pop().unwrap_or(Expression::Other);
                    simple(inside, names, file)
                }
                ("PackedStringArray", _) => all(arguments, names, file),
                _ => Expression::Other,
            }
        }
        _ => Expression::Other,
    }
}

/// A key of a dictionary, which may be a number, too.
fn key_of(key: Expression) -> Expression {
    match key {
        Expression::Text(_) | Expression::Int(_) => key,
        _ => Expression::Other,
    }
}

fn all(
    items: Vec<Expression>,
    names: &Names,
    file: &impl Fn(&str) -> Option<Expression>,
) -> Expression {
    Expression::List(items.into_iter().map(|item| simple(item, names, file)).collect())
}
