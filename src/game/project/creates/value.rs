//! Values of a script while one of its functions is followed, as far as they are known.

use crate::game::project::ids::{NameId, SceneId};
use crate::game::project::script::ClassId;
use crate::game::project::script::syntax::ScriptFunction;
use crate::game::project::tree::NodeId;
use crate::value::{VariantRef, View};
use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::rc::Rc;
use alloc::vec::Vec;

/// How many different values one expression may have.
const MOST: usize = 256;

/// A value of a script, as far as it is known.
#[derive(Clone, Debug)]
pub(super) enum Traced<'c> {
    Nothing,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(Cow<'c, str>),
    /// A scene, or an instance of it.
    Scene(SceneId),
    /// A node or another object that is no instance of a scene.
    Object,
    /// A node of a scene.
    Node(NodeId),
    /// A script, or an object that has it.
    Class(ClassId),
    /// A part of the packet.
    Given(VariantRef<'c>),
    List(Rc<[Traced<'c>]>),
    Map(Rc<[(Traced<'c>, Traced<'c>)]>),
    Function(Rc<Closure<'c>>),
    /// One of these.
    OneOf(Rc<[Traced<'c>]>),
    Unknown,
}

/// A function with its environment: its object, its bound arguments and the local variables around
/// it.
#[derive(Clone, Debug)]
pub(super) struct Closure<'c> {
    pub(super) function: &'c ScriptFunction,
    /// The class of the object.
    pub(super) own: ClassId,
    /// The class that declares the function.
    pub(super) declared: ClassId,
    /// The arguments after those of the call.
    pub(super) bound: Vec<Traced<'c>>,
    /// The local variables around it.
    pub(super) around: Vec<(NameId, Traced<'c>)>,
}

impl Closure<'_> {
    /// The number of variables that it starts with.
    pub(super) fn len(&self) -> usize {
        self.around.len() + self.bound.len() + self.function.parameters.len()
    }
}

impl<'c> Traced<'c> {
    /// A value of a packet.
    pub(super) fn given(value: VariantRef<'c>) -> Traced<'c> {
        match value.view() {
            View::Nil => Traced::Nothing,
            View::Bool(value) => Traced::Bool(value),
            View::Int(value) => Traced::Int(value),
            View::Float(value) => Traced::Real(value),
            View::Array(_)
            | View::TypedArray(_)
            | View::PackedStringArray(_)
            | View::Dictionary(_) => Traced::Given(value),
            _ => match value.as_str() {
                Some(text) => Traced::Text(Cow::Borrowed(text)),
                None => Traced::Unknown,
            },
        }
    }

    /// Any of these values.
    pub(super) fn any(values: impl IntoIterator<Item = Traced<'c>>) -> Traced<'c> {
        let mut found: Vec<Traced<'c>> = Vec::new();
        let mut scenes = BTreeSet::new();
        let mut has_nothing = false;
        let mut add = |value: Traced<'c>| {
            let is_new = match value {
                Traced::Scene(scene) => scenes.insert(scene),
                Traced::Nothing => !core::mem::replace(&mut has_nothing, true),
                _ => true,
            };
            found.extend(is_new.then_some(value));
            found.len() <= MOST
        };
        for value in values {
            let is_room = match value {
                Traced::Unknown => false,
                Traced::OneOf(values) => values.iter().all(|value| add(value.clone())),
                value => add(value),
            };
            if !is_room {
                return Traced::Unknown;
            }
        }
        match found.pop() {
            None => Traced::Nothing,
            Some(only) if found.is_empty() => only,
            Some(last) => {
                found.push(last);
                Traced::OneOf(found.into())
            }
        }
    }

    /// The value that a function of each possible value gives.
    pub(super) fn each(&self, mut function: impl FnMut(&Traced<'c>) -> Traced<'c>) -> Traced<'c> {
        match self {
            Traced::OneOf(values) => Traced::any(values.iter().map(function)),
            value => function(value),
        }
    }

    /// Whether a condition is true; none if that is not known.
    pub(super) fn is_true(&self) -> Option<bool> {
        Some(match self {
            Traced::Nothing => false,
            Traced::Bool(value) => *value,
            Traced::Int(value) => *value != 0,
            Traced::Real(value) => *value != 0.0,
            Traced::Text(text) => !text.is_empty(),
            Traced::List(items) => !items.is_empty(),
            Traced::Map(entries) => !entries.is_empty(),
            Traced::Scene(_)
            | Traced::Object
            | Traced::Node(_)
            | Traced::Class(_)
            | Traced::Function(_) => true,
            Traced::Given(_) => self.size()? != 0,
            Traced::OneOf(_) | Traced::Unknown => return None,
        })
    }

    /// The number of elements.
    pub(super) fn size(&self) -> Option<usize> {
        Some(match self {
            Traced::List(items) => items.len(),
            Traced::Map(entries) => entries.len(),
            Traced::Given(value) => match value.view() {
                View::Array(items) | View::TypedArray(items) => items.len(),
                View::PackedStringArray(items) => items.into_iter().len(),
                View::Dictionary(entries) => entries.len(),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// The values that a loop over it takes one by one: the elements of a list, or the keys of a dictionary.
    pub(super) fn items(&self) -> Option<Vec<Traced<'c>>> {
        match self {
            Traced::List(items) => Some(items.to_vec()),
            Traced::Map(entries) => Some(entries.iter().map(|(key, _)| key.clone()).collect()),
            _ => None,
        }
    }

    /// Whether it is a dictionary.
    pub(super) fn has_keys(&self) -> bool {
        match self {
            Traced::Map(_) => true,
            Traced::Given(value) => matches!(value.view(), View::Dictionary(_)),
            _ => false,
        }
    }

    /// Whether two values are equal; none if that is not known.
    pub(super) fn same_as(&self, other: &Traced<'c>) -> Option<bool> {
        Some(match (self, other) {
            (Traced::OneOf(_) | Traced::Unknown, _) | (_, Traced::OneOf(_) | Traced::Unknown) => {
                return None;
            }
            (Traced::Nothing, Traced::Nothing) => true,
            (Traced::Nothing, _) | (_, Traced::Nothing) => false,
            (Traced::Bool(a), Traced::Bool(b)) => a == b,
            (Traced::Int(a), Traced::Int(b)) => a == b,
            (Traced::Int(a), Traced::Real(b)) | (Traced::Real(b), Traced::Int(a)) => {
                *a as f64 == *b
            }
            (Traced::Real(a), Traced::Real(b)) => a == b,
            (Traced::Text(a), Traced::Text(b)) => a == b,
            (Traced::Text(_), Traced::Int(_) | Traced::Real(_) | Traced::Bool(_))
            | (Traced::Int(_) | Traced::Real(_) | Traced::Bool(_), Traced::Text(_)) => false,
            _ => return None,
        })
    }

    /// An element by its index or key; none if there is no such element.
    pub(super) fn element(&self, key: &Traced<'c>) -> Option<Traced<'c>> {
        Some(match (self, key) {
            (Traced::OneOf(_), _) => {
                self.each(|value| value.element(key).unwrap_or(Traced::Unknown))
            }
            (_, Traced::OneOf(_)) => key.each(|key| self.element(key).unwrap_or(Traced::Unknown)),
            (Traced::List(items), Traced::Int(at)) => items.get(place(*at, items.len())?)?.clone(),
            (Traced::List(items), Traced::Unknown) => Traced::any(items.iter().cloned()),
            (Traced::Map(entries), Traced::Unknown) => {
                Traced::any(entries.iter().map(|(_, value)| value.clone()))
            }
            (Traced::Map(entries), key) => {
                let mut found = Vec::new();
                for (other, value) in entries.iter().rev() {
                    match other.same_as(key) {
                        Some(true) => {
                            found.push(value.clone());
                            return Some(Traced::any(found));
                        }
                        Some(false) => {}
                        None => found.push(value.clone()),
                    }
                }
                if found.is_empty() {
                    return None;
                }
                Traced::any(found)
            }
            (Traced::Given(value), key) => match (value.view(), key) {
                (View::Array(items) | View::TypedArray(items), Traced::Int(at)) => {
                    Traced::given(items.get(place(*at, items.len())?)?)
                }
                (View::PackedStringArray(items), Traced::Int(at)) => {
                    let count = items.into_iter().len();
                    Traced::Text(Cow::Borrowed(items.get(place(*at, count)?)?))
                }
                (View::Dictionary(entries), Traced::Text(key)) => {
                    Traced::given(entries.get(&**key)?)
                }
                (View::Dictionary(entries), Traced::Int(key)) => Traced::given(entries.get(*key)?),
                _ => Traced::Unknown,
            },
            _ => Traced::Unknown,
        })
    }
}

/// The place of an element. Negative indexes count from the end.
fn place(at: i64, count: usize) -> Option<usize> {
    let place = if at < 0 { at.checked_add(i64::try_from(count).ok()?)? } else { at };
    usize::try_from(place).ok()
}
