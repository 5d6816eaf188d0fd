//! Edits of values in files: one part of a value is replaced, added, removed or renamed, and everything
//! else keeps its bytes.
//!
//! ```
//! use gdwire::edit::{Edit, Types, edit};
//! use gdwire::{Dialect, encode, parse, variant};
//!
//! let first = encode(Dialect::GODOT_4, &variant!("level 3"))?;
//! let second = encode(Dialect::GODOT_4, &variant!({ "player": { "hp": 87, "speed": 2.5 } }))?;
//! let values = [parse(Dialect::GODOT_4, &first)?, parse(Dialect::GODOT_4, &second)?];
//!
//! let edits = [Edit::set("player.hp=100")?, Edit::rename("[1].player.speed=pace")?];
//! let edited = edit(&values, &edits, Types::Keep)?;
//! assert_eq!(edited.len(), 1);
//! let new = edited[0].bytes.as_deref().unwrap_or_default();
//! assert_eq!(edited[0].index, 1);
//! assert_eq!(new, encode(Dialect::GODOT_4, &variant!({ "player": { "hp": 100, "pace": 2.5 } }))?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Paths
//!
//! `[19].player.items[2]` is an element of the value with number 19 of a file, counted from 0. A path
//! without such a number at its start is looked up in all values, and must lead somewhere in exactly one
//! of them. If an edit adds an element, exactly one value must have the container that the element is
//! added to.
//!
//! Keys and names follow, each after a dot, and indexes in brackets. Brackets may also contain any key as
//! a literal: `scores[7]`, `cells[Vector2i(1, 2)]`, `player["last name"]`. A key without quotes contains
//! no dot, bracket or equals sign.
//!
//! All paths are those of the values before the edits, so the order of edits does not matter. Two edits
//! of the same part are an error.

mod error;
mod path;
mod place;
mod splice;

pub use error::{Error, Problem};
pub use path::ValuePath;

use crate::format::text;
use crate::value::{Dialect, ElementTypeRef, Kind, VariantRef, View, parse};
use crate::write::encode::encode;
use crate::write::owned::Variant;
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use error::{element_name, typed_name};
use place::{ContainerItem, EntryKey, NewKey, Parent, PathTarget};
use splice::Splices;

/// One edit, which was parsed from a text.
#[derive(Clone, PartialEq, Debug)]
pub struct Edit {
    path: ValuePath,
    change: EditKind,
    /// The edit as the user wrote it, for errors.
    text: String,
}

#[derive(Clone, PartialEq, Debug)]
enum EditKind {
    Set(Variant),
    Add(Variant),
    Delete,
    Rename(String),
}

impl Edit {
    /// Replaces a value: `player.hp=100`. The new value is a literal, as [`text::parse`] reads it.
    ///
    /// # Errors
    ///
    /// If the path, or what follows the equals sign, cannot be read.
    pub fn set(text: &str) -> Result<Edit, Error> {
        Edit::assignment(text, EditKind::Set)
    }

    /// Adds an entry to a dictionary, or an element to the end of an array: `player.mana=10`,
    /// `player.items[3]="sword"` if there are three.
    ///
    /// # Errors
    ///
    /// Those of [`Edit::set`].
    pub fn add(text: &str) -> Result<Edit, Error> {
        Edit::assignment(text, EditKind::Add)
    }

    /// Removes an entry of a dictionary, a property of an object, an element of an array, or a whole
    /// value of a file: `player.items[2]`.
    ///
    /// # Errors
    ///
    /// If the path cannot be read.
    pub fn delete(text: &str) -> Result<Edit, Error> {
        let (path, rest) = ValuePath::parse_prefix(text)?;
        if !rest.is_empty() {
            return Err(Error::new(text, Problem::NotExpected { rest: rest.to_owned() }));
        }
        Ok(Edit { path, change: EditKind::Delete, text: text.to_owned() })
    }

    /// Replaces a key of a dictionary, or the name of an object's property: `player.hp=health`. The new
    /// key has the type of the old one. If that is not a text, the new key is a literal.
    ///
    /// # Errors
    ///
    /// If the path cannot be read, or no key follows it.
    pub fn rename(text: &str) -> Result<Edit, Error> {
        let (path, key) = after_equals(text)?;
        if key.is_empty() {
            return Err(Error::new(text, Problem::NoKey));
        }
        Ok(Edit { path, change: EditKind::Rename(key.to_owned()), text: text.to_owned() })
    }

    fn assignment(text: &str, change: fn(Variant) -> EditKind) -> Result<Edit, Error> {
        let (path, literal) = after_equals(text)?;
        let value = text::parse(literal)
            .map_err(|error| Error::new(text, Problem::Literal(error.to_string())))?;
        Ok(Edit { path, change: change(value), text: text.to_owned() })
    }

    /// The path of the part that is edited.
    #[must_use]
    pub const fn path(&self) -> &ValuePath {
        &self.path
    }
}

/// The path before an equals sign, and the text after it.
fn after_equals(text: &str) -> Result<(ValuePath, &str), Error> {
    let (path, rest) = ValuePath::parse_prefix(text)?;
    match rest.strip_prefix('=') {
        Some(rest) => Ok((path, rest)),
        None => Err(Error::new(text, Problem::NoEquals)),
    }
}

/// Whether an edit may change the type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Types {
    /// A new value has the type of the one that it replaces, and a new key that of the old one.
    #[default]
    Keep,
    /// New values and keys may have any type that their container allows.
    Change,
}

/// A value that was edited.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Edited {
    /// Its number among the values.
    pub index: usize,
    /// Its new bytes; none if it is removed.
    pub bytes: Option<Vec<u8>>,
}

/// Edits values. Returns those that change, in the order of their numbers.
///
/// # Errors
///
/// If a path leads nowhere or is ambiguous, if a type would change that must not, if two edits change
/// the same part, or if the dialect of the value cannot express a new value. Then nothing is edited.
pub fn edit(values: &[VariantRef<'_>], edits: &[Edit], types: Types) -> Result<Vec<Edited>, Error> {
    let mut of_values: BTreeMap<usize, Vec<(&Edit, PathTarget<'_>)>> = BTreeMap::new();
    for edit in edits {
        let (index, place) = find(values, edit)?;
        of_values.entry(index).or_default().push((edit, place));
    }
    let mut edited = Vec::new();
    for (index, edits) in of_values {
        let Some(value) = values.get(index) else { continue };
        let is_removed = |(edit, place): &(&Edit, PathTarget<'_>)| {
            edit.change == EditKind::Delete && matches!(place, PathTarget::Root)
        };
        let bytes = match (edits.iter().find(|edit| is_removed(edit)), edits.len()) {
            (Some(_), 1) => None,
            (Some((edit, _)), _) => return Err(Error::new(&edit.text, Problem::Twice)),
            (None, _) => Some(spliced(*value, &edits, types)?),
        };
        edited.push(Edited { index, bytes });
    }
    Ok(edited)
}

/// Finds the value that an edit changes, and the place in it.
fn find<'v>(values: &[VariantRef<'v>], edit: &Edit) -> Result<(usize, PathTarget<'v>), Error> {
    let adds = matches!(edit.change, EditKind::Add(_));
    let locate = |value| PathTarget::find(value, &edit.path, adds);
    let failed = |problem| Error::new(&edit.text, problem);
    if let Some(number) = edit.path.number() {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        let value = values.get(index);
        let value =
            value.ok_or_else(|| failed(Problem::NoValue { number, count: values.len() }))?;
        return Ok((index, locate(*value).map_err(failed)?));
    }
    if let [value] = values {
        return Ok((0, locate(*value).map_err(failed)?));
    }
    let (mut found, mut begun) = (Vec::new(), Vec::new());
    for (index, value) in values.iter().enumerate() {
        match locate(*value) {
            // If the new key exists in one value, that one may be meant as well as one that lacks it.
            place @ (Ok(_) | Err(Problem::KeyExists)) => found.push((index, place)),
            Err(problem) if PathTarget::begins(*value, &edit.path) => begun.push(problem),
            Err(_) => {}
        }
    }
    match (found.pop(), begun.pop()) {
        (Some((index, place)), _) if found.is_empty() => Ok((index, place.map_err(failed)?)),
        (Some(last), _) => {
            let numbers = found.into_iter().chain([last]).map(|(index, _)| index).collect();
            Err(failed(Problem::Ambiguous { numbers }))
        }
        // If the path begins in one value only, that one is meant.
        (None, Some(problem)) if begun.is_empty() => Err(failed(problem)),
        (None, _) => Err(failed(Problem::Nowhere { count: values.len() })),
    }
}

/// The bytes of a value after all edits of it.
fn spliced(
    value: VariantRef<'_>,
    edits: &[(&Edit, PathTarget<'_>)],
    types: Types,
) -> Result<Vec<u8>, Error> {
    let mut splices = Splices::new(value);
    for (edit, place) in edits {
        change(value, &edit.change, place, types, &mut splices)
            .map_err(|problem| Error::new(&edit.text, problem))?;
        splices.end_edit();
    }
    let bytes = splices.apply().map_err(|(edit, problem)| {
        Error::new(edits.get(edit).map_or("", |(edit, _)| &edit.text), problem)
    })?;
    match parse(value.dialect(), &bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => {
            let text = edits.first().map_or("", |(edit, _)| &edit.text);
            Err(Error::new(text, Problem::Unreadable(error.to_string())))
        }
    }
}

/// Adds the changes of an edit to the splices.
fn change(
    root: VariantRef<'_>,
    change: &EditKind,
    place: &PathTarget<'_>,
    types: Types,
    splices: &mut Splices<'_>,
) -> Result<(), Problem> {
    match (change, place) {
        (EditKind::Set(new), PathTarget::Root) => {
            check_type(root, None, new, types)?;
            splices.replace_value(root, encoded(dialect_of(root), new)?);
        }
        (EditKind::Set(new), PathTarget::Inside { parent, entries }) => {
            // If a key occurs twice, the engines keep the last value.
            let Some(entry) = entries.last() else { return Ok(()) };
            check_type(entry.value, Some(parent), new, types)?;
            splices.replace_value(entry.value, encoded(dialect_of(entry.value), new)?);
        }
        (EditKind::Delete, PathTarget::Inside { parent, entries }) => {
            for entry in entries {
                splices.remove(entry);
            }
            splices
                .count(parent, i64::try_from(entries.len()).unwrap_or(i64::MAX).saturating_neg());
        }
        (EditKind::Rename(key), PathTarget::Inside { parent, entries }) => {
            for entry in entries {
                rename(root.dialect(), key, parent, entry, types, splices)?;
            }
        }
        (EditKind::Add(new), PathTarget::New { parent, key }) => {
            if !fits(parent.value_type(), new) {
                let allowed = element_name(parent.value_type());
                return Err(Problem::ElementType { allowed, found: new.kind() });
            }
            let dialect = root.dialect();
            let mut bytes = match key {
                NewKey::None => Vec::new(),
                NewKey::Name(name) => name_bytes(dialect, name)?,
                NewKey::Value(key) => {
                    check_key(parent, key)?;
                    encoded(dialect, key)?
                }
            };
            bytes.extend(encoded(dialect, new)?);
            splices.insert(parent, bytes);
            splices.count(parent, 1);
        }
        (EditKind::Rename(_), _) => return Err(Problem::NoOldKey),
        // Whole values are removed by the caller, and only `Add` has a new place.
        (EditKind::Delete | EditKind::Add(_), _) | (EditKind::Set(_), PathTarget::New { .. }) => {}
    }
    Ok(())
}

fn rename(
    dialect: Dialect,
    text: &str,
    parent: &Parent<'_>,
    entry: &ContainerItem<'_>,
    types: Types,
    splices: &mut Splices<'_>,
) -> Result<(), Problem> {
    match &entry.key {
        EntryKey::None => return Err(Problem::NoOldKey),
        EntryKey::Name(old, _) => {
            let new = unquoted(text)?;
            splices.replace(old.clone(), name_bytes(dialect, &new)?);
            if parent.has_key(&Variant::String(new)) {
                return Err(Problem::KeyExists);
            }
        }
        EntryKey::Value(old) => {
            let old = *old;
            let new = match old.kind() {
                Kind::String => Variant::String(unquoted(text)?),
                Kind::StringName => Variant::StringName(unquoted(text)?),
                _ => text::parse(text).map_err(|error| Problem::Literal(error.to_string()))?,
            };
            if types == Types::Keep && new.kind() != old.kind() {
                return Err(Problem::TypeChange {
                    old: type_name(old),
                    new: new.kind().name().to_owned(),
                    hint: None,
                });
            }
            check_key(parent, &new)?;
            if parent.has_key(&new) {
                return Err(Problem::KeyExists);
            }
            splices.replace_value(old, encoded(dialect, &new)?);
        }
    }
    Ok(())
}

/// Checks that a container may have a key.
fn check_key(parent: &Parent<'_>, key: &Variant) -> Result<(), Problem> {
    if fits(parent.key_type(), key) {
        return Ok(());
    }
    Err(Problem::ElementType { allowed: element_name(parent.key_type()), found: key.kind() })
}

/// The name of a property, which is a string without its header.
fn name_bytes(dialect: Dialect, name: &str) -> Result<Vec<u8>, Problem> {
    let mut bytes = encoded(dialect, &Variant::String(name.to_owned()))?;
    bytes.drain(..4.min(bytes.len()));
    Ok(bytes)
}

/// A text as it is, or the content of a literal in quotes.
fn unquoted(text: &str) -> Result<String, Problem> {
    if !text.starts_with(['"', '&']) {
        return Ok(text.to_owned());
    }
    let value = text::parse(text).map_err(|error| Problem::Literal(error.to_string()))?;
    value.as_str().map(ToOwned::to_owned).ok_or(Problem::NoKey)
}

fn encoded(dialect: Dialect, value: &Variant) -> Result<Vec<u8>, Problem> {
    encode(dialect, value).map_err(|error| Problem::Encode(error.to_string()))
}

/// The dialect that gives a new value numbers as wide as those of the old one.
fn dialect_of(old: VariantRef<'_>) -> Dialect {
    let is_real = !matches!(old.kind(), Kind::Int | Kind::Float);
    if is_real && old.is_wide() { old.dialect().with_double_reals() } else { old.dialect() }
}

/// Checks that a new value may replace an old one.
fn check_type(
    old: VariantRef<'_>,
    parent: Option<&Parent<'_>>,
    new: &Variant,
    types: Types,
) -> Result<(), Problem> {
    if has_type(old, new) {
        return Ok(());
    }
    if types == Types::Keep {
        let hint = match new {
            Variant::Int(int) if old.kind() == Kind::Float => Some(alloc::format!("{int}.0")),
            _ => None,
        };
        return Err(Problem::TypeChange { old: type_name(old), new: own_type_name(new), hint });
    }
    match parent.map(Parent::value_type) {
        Some(allowed) if !fits(allowed, new) => {
            let allowed = element_name(allowed);
            Err(Problem::ElementType { allowed, found: new.kind() })
        }
        _ => Ok(()),
    }
}

/// Whether a new value has the type of the old one, with the same types of elements.
fn has_type(old: VariantRef<'_>, new: &Variant) -> bool {
    let same = |old: ElementTypeRef<'_>, new: &crate::ElementType| old == new.as_ref();
    match (old.view(), new) {
        (View::Array(old), Variant::Array(new))
        | (View::TypedArray(old), Variant::TypedArray(new))
        | (View::PackedTypedArray(old), Variant::PackedTypedArray(new)) => {
            same(old.element_type(), new.element_type())
        }
        (View::Dictionary(old), Variant::Dictionary(new)) => {
            same(old.key_type(), new.key_type()) && same(old.value_type(), new.value_type())
        }
        (..) => old.kind() == new.kind(),
    }
}

/// Whether a container with this declared type of elements may contain a value.
fn fits(declared: ElementTypeRef<'_>, new: &Variant) -> bool {
    let kind = match declared {
        ElementTypeRef::Any => return true,
        ElementTypeRef::Kind(kind) => kind,
        _ => Kind::Object,
    };
    // A variable of an object type may be null.
    new.kind() == kind || (kind, new.kind()) == (Kind::Object, Kind::Nil)
}

fn type_name(value: VariantRef<'_>) -> String {
    let types = match value.view() {
        View::Array(array) => alloc::vec![array.element_type()],
        View::Dictionary(entries) => alloc::vec![entries.key_type(), entries.value_type()],
        _ => Vec::new(),
    };
    typed_name(value.kind(), &types)
}

fn own_type_name(value: &Variant) -> String {
    let types = match value {
        Variant::Array(array) => alloc::vec![array.element_type().as_ref()],
        Variant::Dictionary(entries) => {
            alloc::vec![entries.key_type().as_ref(), entries.value_type().as_ref()]
        }
        _ => Vec::new(),
    };
    typed_name(value.kind(), &types)
}
