//! What is known of a value while a function is followed.

use crate::game::project::ids::SceneId;
use crate::game::project::names::NameId;
use crate::game::project::script::ClassId;
use crate::game::project::script::syntax::Function;
use crate::value::{VariantRef, View};
use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::vec::Vec;

/// How many different values one expression may have.
const MOST: usize = 256;

/// What is known of a value.
#[derive(Clone, Debug)]
pub(super) enum Value<'c> {
    Nothing,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(Cow<'c, str>),
    /// A scene, or an instance of it.
    Scene(SceneId),
    /// A node or another object that is no instance of a scene.
    Object,
    /// A script, or an object that has it.
    Class(ClassId),
    /// A part of the packet.
    Given(VariantRef<'c>),
    List(Rc<[Value<'c>]>),
    Map(Rc<[(Value<'c>, Value<'c>)]>),
    Function(Rc<Closure<'c>>),
    /// One of these.
    OneOf(Rc<[Value<'c>]>),
    Unknown,
}

/// A function with what it needs to run.
#[derive(Clone, Debug)]
pub(super) struct Closure<'c> {
    pub(super) function: &'c Function,
    /// The class of the object.
    pub(super) own: ClassId,
    /// The class that declares the function.
    pub(super) declared: ClassId,
    /// The arguments after those of the call.
    pub(super) bound: Vec<Value<'c>>,
    /// The local variables around it.
    pub(super) around: Vec<(NameId, Value<'c>)>,
}

impl<'c> Value<'c> {
    /// A value of a packet.
    pub(super) fn given(value: VariantRef<'c>) -> Value<'c> {
        match value.view() {
            View::Nil => Value::Nothing,
            View::Bool(value) => Value::Bool(value),
            View::Int(value) => Value::Int(value),
            View::Float(value) => Value::Real(value),
            View::Array(_)
            | View::TypedArray(_)
            | View::PackedStringArray(_)
            | View::Dictionary(_) => Value::Given(value),
            _ => match value.as_str() {
                Some(text) => Value::Text(Cow::Borrowed(text)),
                None => Value::Unknown,
            },
        }
    }

    /// Any of these values.
    pub(super) fn any(values: impl IntoIterator<Item = Value<'c>>) -> Value<'c> {
        let mut found: Vec<Value<'c>> = Vec::new();
        let mut scenes = alloc::collections::BTreeSet::new();
        let mut add = |value: Value<'c>| match value {
            Value::Scene(scene) if !scenes.insert(scene) => true,
            value => {
                let is_known = match &value {
                    Value::Object | Value::Nothing => {
                        found.iter().any(|other| other.same_as(&value) == Some(true))
                    }
                    _ => false,
                };
                if !is_known {
                    found.push(value);
                }
                found.len() <= MOST
            }
        };
        for value in values {
            let is_room = match value {
                Value::Unknown => false,
                Value::OneOf(values) => values.iter().all(|value| add(value.clone())),
                value => add(value),
            };
            if !is_room {
                return Value::Unknown;
            }
        }
        match (found.pop(), found.is_empty()) {
            (Some(only), true) => only,
            (Some(last), false) => {
                found.push(last);
                Value::OneOf(found.into())
            }
            (None, _) => Value::Nothing,
        }
    }

    /// The value that a function of each possible value gives.
    pub(super) fn each(&self, mut function: impl FnMut(&Value<'c>) -> Value<'c>) -> Value<'c> {
        match self {
            Value::OneOf(values) => Value::any(values.iter().map(function)),
            value => function(value),
        }
    }

    /// Whether a condition is true; none if that is not known.
    pub(super) fn is_true(&self) -> Option<bool> {
        Some(match self {
            Value::Nothing => false,
            Value::Bool(value) => *value,
            Value::Int(value) => *value != 0,
            Value::Real(value) => *value != 0.0,
            Value::Text(text) => !text.is_empty(),
            Value::List(items) => !items.is_empty(),
            Value::Map(entries) => !entries.is_empty(),
            Value::Scene(_) | Value::Object | Value::Class(_) | Value::Function(_) => true,
            Value::Given(_) => self.size()? != 0,
            Value::OneOf(_) | Value::Unknown => return None,
        })
    }

    /// The number of elements.
    pub(super) fn size(&self) -> Option<usize> {
        Some(match self {
            Value::List(items) => items.len(),
            Value::Map(entries) => entries.len(),
            Value::Given(value) => match value.view() {
                View::Array(items) | View::TypedArray(items) => items.len(),
                View::PackedStringArray(items) => items.into_iter().len(),
                View::Dictionary(entries) => entries.len(),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Whether it is a dictionary.
    pub(super) fn has_keys(&self) -> bool {
        match self {
            Value::Map(_) => true,
            Value::Given(value) => matches!(value.view(), View::Dictionary(_)),
            _ => false,
        }
    }

    /// Whether two values are equal; none if that is not known.
    pub(super) fn same_as(&self, other: &Value<'c>) -> Option<bool> {
        Some(match (self, other) {
            (Value::OneOf(_) | Value::Unknown, _) | (_, Value::OneOf(_) | Value::Unknown) => {
                return None;
            }
            (Value::Nothing, Value::Nothing) => true,
            (Value::Nothing, _) | (_, Value::Nothing) => false,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Int(a), Value::Real(b)) | (Value::Real(b), Value::Int(a)) => *a as f64 == *b,
            (Value::Real(a), Value::Real(b)) => a == b,
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Text(_), Value::Int(_) | Value::Real(_) | Value::Bool(_))
            | (Value::Int(_) | Value::Real(_) | Value::Bool(_), Value::Text(_)) => false,
            (Value::Object, Value::Object) => return None,
            _ => return None,
        })
    }

    /// An element by its index or key; none if there is no such element.
    pub(super) fn element(&self, key: &Value<'c>) -> Option<Value<'c>> {
        Some(match (self, key) {
            (Value::OneOf(_), _) => self.each(|value| value.element(key).unwrap_or(Value::Unknown)),
            (_, Value::OneOf(_)) => key.each(|key| self.element(key).unwrap_or(Value::Unknown)),
            (Value::List(items), Value::Int(at)) => items.get(place(*at, items.len())?)?.clone(),
            (Value::List(items), Value::Unknown) => Value::any(items.iter().cloned()),
            (Value::Map(entries), Value::Unknown) => {
                Value::any(entries.iter().map(|(_, value)| value.clone()))
            }
            (Value::Map(entries), key) => {
                let mut found = Vec::new();
                for (other, value) in entries.iter().rev() {
                    match other.same_as(key) {
                        Some(true) => {
                            found.push(value.clone());
                            return Some(Value::any(found));
                        }
                        Some(false) => {}
                        None => found.push(value.clone()),
                    }
                }
                if found.is_empty() {
                    return None;
                }
                Value::any(found)
            }
            (Value::Given(value), key) => match (value.view(), key) {
                (View::Array(items) | View::TypedArray(items), Value::Int(at)) => {
                    Value::given(items.get(place(*at, items.len())?)?)
                }
                (View::PackedStringArray(items), Value::Int(at)) => {
                    let count = items.into_iter().len();
                    Value::Text(Cow::Borrowed(items.get(place(*at, count)?)?))
                }
                (View::Dictionary(entries), Value::Text(key)) => Value::given(entries.get(&**key)?),
                (View::Dictionary(entries), Value::Int(key)) => Value::given(entries.get(*key)?),
                _ => Value::Unknown,
            },
            _ => Value::Unknown,
        })
    }
}

/// The place of an element. Negative indexes count from the end.
fn place(at: i64, count: usize) -> Option<usize> {
    let place = if at < 0 { at.checked_add(i64::try_from(count).ok()?)? } else { at };
    usize::try_from(place).ok()
}
