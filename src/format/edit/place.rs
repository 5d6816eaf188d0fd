//! Finds the part of a value that a path leads to, with its place in the bytes.

use super::Problem;
use super::path::{PathStep, ValuePath};
use crate::value::{ElementTypeRef, Kind, ObjectRef, VariantRef, View};
use crate::write::owned::Variant;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;
use core::ops::{ControlFlow, Range};

/// The part of a value to which a path leads. Ranges are those in the bytes of the whole value.
pub(super) enum PathTarget<'v> {
    /// To the whole value.
    Root,
    /// To items of a container: several if a key occurs more than once, which are then in order.
    Inside { parent: Parent<'v>, entries: Vec<ContainerItem<'v>> },
    /// To an item that the container does not have yet.
    New { parent: Parent<'v>, key: NewKey },
}

/// An element, entry or property.
pub(super) struct ContainerItem<'v> {
    /// All its bytes, with the key or the name.
    pub(super) range: Range<usize>,
    pub(super) key: EntryKey<'v>,
    pub(super) value: VariantRef<'v>,
}

pub(super) enum EntryKey<'v> {
    /// An element has no key.
    None,
    /// The place of the name of a property, and the name.
    Name(Range<usize>, &'v str),
    Value(VariantRef<'v>),
}

/// The key of an item that is added.
pub(super) enum NewKey {
    None,
    Name(String),
    Value(Variant),
}

/// A container.
#[derive(Clone, Copy)]
pub(super) struct Parent<'v> {
    root: VariantRef<'v>,
    value: VariantRef<'v>,
    /// The number of containers around it.
    pub(super) depth: usize,
}

impl<'v> PathTarget<'v> {
    /// Follows a path. With `adds`, the last step must lead to an item that does not exist.
    pub(super) fn find(
        root: VariantRef<'v>,
        path: &ValuePath,
        adds: bool,
    ) -> Result<PathTarget<'v>, Problem> {
        let Some((last, before)) = path.segments().split_last() else {
            return if adds { Err(Problem::NoNewKey) } else { Ok(PathTarget::Root) };
        };
        let mut parent = Parent { root, value: root, depth: 0 };
        for segment in before {
            match parent.matching(segment)?.pop() {
                Some(entry) => {
                    parent = Parent { root, value: entry.value, depth: parent.depth + 1 };
                }
                None => return Err(parent.missing(segment)),
            }
        }
        let entries = parent.matching(last)?;
        match (adds, entries.is_empty()) {
            (false, false) => Ok(PathTarget::Inside { parent, entries }),
            (false, true) => Err(parent.missing(last)),
            (true, false) => Err(Problem::KeyExists),
            (true, true) => Ok(PathTarget::New { parent, key: parent.new_key(last)? }),
        }
    }

    /// Whether the first step of a path leads somewhere.
    pub(super) fn begins(root: VariantRef<'v>, path: &ValuePath) -> bool {
        let parent = Parent { root, value: root, depth: 0 };
        let first = path.segments().first().map(|first| parent.matching(first));
        first.is_some_and(|found| found.is_ok_and(|entries| !entries.is_empty()))
    }
}

impl<'v> Parent<'v> {
    /// The declared type of its elements or values.
    pub(super) fn value_type(&self) -> ElementTypeRef<'v> {
        match self.value.view() {
            View::Array(array) | View::TypedArray(array) | View::PackedTypedArray(array) => {
                array.element_type()
            }
            View::Dictionary(entries) => entries.value_type(),
            _ => ElementTypeRef::Any,
        }
    }

    /// The declared type of its keys.
    pub(super) fn key_type(&self) -> ElementTypeRef<'v> {
        match self.value.view() {
            View::Dictionary(entries) => entries.key_type(),
            _ => ElementTypeRef::Any,
        }
    }

    /// Whether an entry has this key, or a property this name.
    pub(super) fn has_key(&self, wanted: &Variant) -> bool {
        self.each(|entry| match entry.key {
            EntryKey::Name(_, name) if wanted.as_str() == Some(name) => ControlFlow::Break(()),
            EntryKey::Value(key) if is_key(key, wanted) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        })
        .is_some_and(|flow| flow.is_break())
    }

    /// The place of the count of its items.
    pub(super) fn count(&self) -> Range<usize> {
        let mut first = self.range_of(self.value).end;
        let _ = self.each(|entry| {
            first = entry.range.start;
            ControlFlow::Break(())
        });
        first.saturating_sub(4)..first
    }

    /// The place after its last item.
    pub(super) fn end(&self) -> usize {
        self.range_of(self.value).end
    }

    pub(super) fn is_object(&self) -> bool {
        self.value.kind() == Kind::Object
    }

    fn range_of(&self, value: VariantRef<'_>) -> Range<usize> {
        value.range_in(self.root.as_bytes()).unwrap_or_default()
    }

    /// Calls `visit` with each item, until it stops. `None` if the value has no items.
    fn each(
        &self,
        mut visit: impl FnMut(ContainerItem<'v>) -> ControlFlow<()>,
    ) -> Option<ControlFlow<()>> {
        match self.value.view() {
            View::Array(array) | View::TypedArray(array) | View::PackedTypedArray(array) => {
                Some(array.iter().try_for_each(|value| {
                    visit(ContainerItem { range: self.range_of(value), key: EntryKey::None, value })
                }))
            }
            View::Dictionary(entries) => Some(entries.iter().try_for_each(|(key, value)| {
                let range = self.range_of(key).start..self.range_of(value).end;
                visit(ContainerItem { range, key: EntryKey::Value(key), value })
            })),
            View::Object(ObjectRef::Instance(instance)) => {
                let start = self.root.as_bytes().as_ptr().addr();
                Some(instance.properties().try_for_each(|(name, value)| {
                    // The length of the name is before it.
                    let name_at = name.as_ptr().addr().saturating_sub(start).saturating_sub(4);
                    let Range { start: value_at, end } = self.range_of(value);
                    let key = EntryKey::Name(name_at..value_at, name);
                    visit(ContainerItem { range: name_at..end, key, value })
                }))
            }
            _ => None,
        }
    }

    /// The items that a step of a path leads to.
    fn matching(&self, segment: &PathStep) -> Result<Vec<ContainerItem<'v>>, Problem> {
        let mut found = Vec::new();
        let mut numbered = Vec::new();
        let mut index = 0_u64;
        let wanted = segment.index();
        let visited = self.each(|entry| {
            let (is_found, is_number) = match (&entry.key, segment) {
                (EntryKey::None, _) => (u64::try_from(wanted.unwrap_or(-1)) == Ok(index), false),
                (EntryKey::Name(_, name), PathStep::Name(wanted)) => (name == wanted, false),
                (EntryKey::Name(_, name), PathStep::Key(wanted)) => {
                    (wanted.as_str() == Some(name), false)
                }
                (EntryKey::Value(key), PathStep::Name(text)) => (
                    key.as_str() == Some(text),
                    key.kind() == Kind::Int && key.as_i64().is_some() && key.as_i64() == wanted,
                ),
                (EntryKey::Value(key), PathStep::Key(wanted)) => (is_key(*key, wanted), false),
            };
            index = index.saturating_add(1);
            let is_element = matches!(entry.key, EntryKey::None);
            if is_found {
                found.push(entry);
            } else if is_number {
                numbered.push(entry);
            }
            if is_found && is_element { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match visited {
            None => {
                Err(Problem::NoContainer { kind: self.value.kind(), step: segment.to_string() })
            }
            Some(_) if found.is_empty() => Ok(numbered),
            Some(_) => Ok(found),
        }
    }

    /// The key of an item that a step adds.
    fn new_key(&self, segment: &PathStep) -> Result<NewKey, Problem> {
        match (self.value.view(), segment) {
            (View::Object(_), PathStep::Name(name)) => Ok(NewKey::Name(name.clone())),
            (View::Object(_), PathStep::Key(key)) => match key.as_str() {
                Some(name) => Ok(NewKey::Name(name.into())),
                None => Err(Problem::NoNewKey),
            },
            (View::Dictionary(_), PathStep::Key(key)) => Ok(NewKey::Value(key.clone())),
            (View::Dictionary(entries), PathStep::Name(name)) => {
                let first = entries.keys().next().map(VariantRef::kind);
                let is_name = match entries.key_type() {
                    ElementTypeRef::Kind(kind) => kind == Kind::StringName,
                    _ => first == Some(Kind::StringName),
                };
                let key = if is_name { Variant::StringName } else { Variant::String };
                Ok(NewKey::Value(key(name.clone())))
            }
            (View::Array(array) | View::TypedArray(array) | View::PackedTypedArray(array), _) => {
                let len = array.len();
                let next = segment.index().and_then(|index| usize::try_from(index).ok());
                if next == Some(len) { Ok(NewKey::None) } else { Err(Problem::NotNext { len }) }
            }
            (_, _) => Err(self.missing(segment)),
        }
    }

    /// The problem of a step that leads to nothing.
    fn missing(&self, segment: &PathStep) -> Problem {
        let kind = self.value.kind();
        let mut names = String::new();
        let mut count = 0_usize;
        let _ = self.each(|entry| {
            count = count.saturating_add(1);
            let comma = if names.is_empty() { "" } else { ", " };
            if names.len() < SHOWN {
                // Writing to a string does not fail.
                let _ = match entry.key {
                    EntryKey::None => Ok(()),
                    EntryKey::Name(_, name) => write!(names, "{comma}{}", PathStep::of_text(name)),
                    EntryKey::Value(key) => match key.as_str() {
                        Some(text) => write!(names, "{comma}{}", PathStep::of_text(text)),
                        None => write!(names, "{comma}[{key}]"),
                    },
                };
            }
            ControlFlow::Continue(())
        });
        if names.len() >= SHOWN {
            names = names.chars().take(SHOWN).chain(['…']).collect();
        }
        Problem::Missing { step: segment.to_string(), kind, names, count }
    }
}

/// How many characters of the keys that exist are shown.
const SHOWN: usize = 200;

/// Whether a key is the wanted one. A String and a StringName with the same text are the same key.
fn is_key(key: VariantRef<'_>, wanted: &Variant) -> bool {
    match (key.as_str(), wanted.as_str()) {
        (Some(key), Some(wanted)) => key == wanted,
        (None, None) => key.kind() == wanted.kind() && Variant::from(key) == *wanted,
        _ => false,
    }
}
