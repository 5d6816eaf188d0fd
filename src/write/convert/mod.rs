//! Converts values from one dialect to another.
//!
//! ```
//! use gdwire::convert::{OnLoss, convert};
//! use gdwire::{Dialect, encode, parse, variant};
//!
//! let old = encode(Dialect::GODOT_3, &variant!({"hp": 87}))?;
//! let new = convert(parse(Dialect::GODOT_3, &old)?, Dialect::GODOT_4, OnLoss::Refuse)?;
//! assert_eq!(parse(Dialect::GODOT_4, &new.bytes)?.get("hp").and_then(|hp| hp.as_i64()), Some(87));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A kind that the other dialect lacks becomes the nearest kind there. A string name becomes a
//! string, and a typed array becomes the other engine's sort of typed array; nothing is lost by
//! that. Everything else is a loss, which is refused or counted:
//!
//! | what | becomes |
//! |---|---|
//! | vectors and rectangles of integers, and packed arrays of them | those of reals |
//! | `Vector4`, `PackedVector4Array` | `Quaternion`, `PackedColorArray` |
//! | `Projection` | `PackedFloat32Array` of 16 numbers |
//! | `PackedInt64Array`, `PackedFloat64Array` | the same with 32 bits; integers saturate |
//! | `Callable`, `Signal` | null |
//! | `PackedTypedArray` | a typed array |
//! | typed arrays and dictionaries | untyped ones |
//! | the id of an `RID` | nothing |
//! | reals of eight bytes | those of four bytes; a loss if that changes them |
//!
//! The bytes are those that the engine writes for the value. Nothing is ever lost when a value is
//! converted to its own dialect.
//!
//! Reals of eight bytes keep eight if the other dialect can write them: if it has double reals, or
//! if it is Godot 4, where the header of each value gives the width of its reals. From a dialect
//! with double reals to one without, reals take four bytes. If that changes a number, it is a loss.
//! A NaN whose width changes stays a NaN, but may get other bits; that does not count as a loss.

mod nearest;

use super::encode::{
    Builder, EncodeError, EncodeProblem, Width, changed_by_rounding, encode, path,
};
use super::owned::Variant;
use crate::value::{
    Cell, Cells, Component, Container, Dialect, Event, F64Le, Kind, ObjectRef, Real, Slot,
    ValueBody, VariantRef, View, WalkStack, parse,
};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};
use nearest::Fidelity;

/// A value in another dialect.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Converted {
    /// The bytes that the engine of the dialect writes for the value.
    pub bytes: Vec<u8>,
    /// How many values in it were changed. It is 0 unless a loss is allowed.
    pub changed: usize,
}

/// Converts a value to another dialect, or to canonical bytes in its own.
///
/// If a key occurs twice, the place of the first and the value of the last remain. The engine of
/// the value decides whether two keys are the same. If they differ for that engine but are the same
/// for the other engine, that is a loss: Godot 3 and Pandemonium treat two empty dictionaries, or a
/// string and a string name of the same text, as different keys, and Godot 4 does not. All keys
/// that are merged in this way count as one change.
///
/// # Errors
///
/// An [`Error`] if the dialect cannot express a value and loss is not allowed, or if loss does not
/// help, for example because the value is nested too deep.
pub fn convert(value: VariantRef<'_>, to: Dialect, loss: OnLoss) -> Result<Converted, Error> {
    if !may_be_in(value) {
        return convert_entries(value, to, loss, false);
    }
    // Keys that are different for the value's own engine may be the same for the other engine.
    let from = value.dialect();
    let may_merge = from.layout().keys_by_identity() && !to.layout().keys_by_identity();
    if let Ok(merged) = encode(from, &Variant::from(value))
        && let Ok(value) = parse(from, &merged)
    {
        return convert_entries(value, to, loss, may_merge);
    }
    convert_entries(value, to, loss, may_merge)
}

/// Converts a value in which no key occurs twice by the rule of its own engine. `may_merge` is
/// whether keys may be the same by the rule of the other engine.
fn convert_entries(
    value: VariantRef<'_>,
    to: Dialect,
    loss: OnLoss,
    may_merge: bool,
) -> Result<Converted, Error> {
    let (from, kind) = (value.dialect(), value.kind());
    let mut conversion = Conversion {
        builder: Builder::new(to, Vec::new()),
        to,
        loss,
        narrows: from.has_double_reals() && !to.has_double_reals(),
        may_merge,
        changed: 0,
    };
    let mut stack = WalkStack::new();
    for (number, event) in value.walk(&mut stack).enumerate() {
        if let Err(problem) = conversion.event(event) {
            let kind = match event {
                Event::Value(_, leaf) => leaf.kind(),
                Event::Begin(_, container) => container.kind(),
                Event::Property(_) | Event::End { .. } => Kind::Object,
            };
            return Err(Error { path: path::to_event(value, number), kind, problem });
        }
    }
    let Conversion { builder, may_merge, changed, .. } = conversion;
    let bytes = builder.finish().map_err(|error| {
        let problem = error.into();
        Error { path: String::new(), kind, problem }
    })?;
    let mut converted = Converted { bytes, changed };
    if may_merge && let Some(dictionary) = converted.merge_keys(to) {
        if loss == OnLoss::Refuse {
            // Each event of the value became one event of the converted value.
            let path = path::to_event(value, dictionary);
            let problem = Problem::MergedKeys { dialect: to };
            return Err(Error { path, kind: Kind::Dictionary, problem });
        }
        converted.changed += 1;
    }
    Ok(converted)
}

impl Converted {
    /// Merges keys that have become the same. Returns the number of the event that begins the first
    /// dictionary with such keys, if there is one.
    fn merge_keys(&mut self, dialect: Dialect) -> Option<usize> {
        let value = parse(dialect, &self.bytes).ok()?;
        if !may_be_in(value) {
            return None;
        }
        let merged = encode(dialect, &Variant::from(value)).ok()?;
        let dictionary = first_shorter(value, parse(dialect, &merged).ok()?)?;
        self.bytes = merged;
        Some(dictionary)
    }
}

/// The number of the first event that begins a container which is shorter in the merged value. All
/// events before it are the same in both values.
fn first_shorter(value: VariantRef<'_>, merged: VariantRef<'_>) -> Option<usize> {
    let (mut stack, mut merged_stack) = (WalkStack::new(), WalkStack::new());
    let mut pairs = value.walk(&mut stack).zip(merged.walk(&mut merged_stack));
    pairs.position(|pair| match pair {
        (Event::Begin(_, one), Event::Begin(_, other)) => one.len() != other.len(),
        _ => false,
    })
}

/// How to convert values that the other dialect cannot express.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum OnLoss {
    /// Return an error.
    #[default]
    Refuse,
    /// Write the nearest value in their place.
    Allow,
}

struct Conversion {
    builder: Builder<Vec<u8>>,
    to: Dialect,
    loss: OnLoss,
    /// Whether reals of eight bytes take four.
    narrows: bool,
    /// Whether keys may have become the same, because the other engine compares them in another
    /// way, because their kind was changed, or because they were rounded.
    may_merge: bool,
    changed: usize,
}

type Result<T = (), E = Problem> = core::result::Result<T, E>;

impl Conversion {
    fn event(&mut self, event: Event<'_>) -> Result {
        match event {
            Event::Value(_, leaf) => self.leaf(&leaf),
            Event::Begin(_, container) => self.begin(&container),
            Event::Property(name) => Ok(self.builder.property(name)?),
            Event::End { .. } => Ok(self.builder.end()?),
        }
    }

    /// Counts a change if loss is allowed, or returns the problem.
    fn change(&mut self, problem: impl Into<Problem>) -> Result {
        if self.loss == OnLoss::Refuse {
            return Err(problem.into());
        }
        self.changed += 1;
        Ok(())
    }

    fn begin(&mut self, container: &Container<'_>) -> Result {
        let dialect = self.to;
        let problem = |kind| match dialect.type_number(kind) {
            Some(_) => EncodeProblem::ElementType { kind, dialect },
            None => EncodeProblem::Unsupported { kind, dialect },
        };
        let types = container.element_types();
        match container.kind() {
            Kind::Object => self.builder.begin_object(container.class(), container.len())?,
            Kind::Dictionary => {
                let ([keys, values], fidelity) = nearest::dictionary(types, dialect);
                if fidelity == Fidelity::Loss {
                    self.change(problem(Kind::Dictionary))?;
                }
                self.builder.begin_dictionary_of(keys, values, container.len())?;
            }
            kind => {
                let [elements, _] = types;
                let (near, elements, fidelity) = nearest::array(kind, elements, dialect);
                if fidelity == Fidelity::Loss {
                    self.change(problem(kind))?;
                }
                self.may_merge |= near != kind;
                self.builder.begin_array_of(near, elements, container.len())?;
            }
        }
        Ok(())
    }

    /// Writes a value that contains no other values.
    fn leaf(&mut self, leaf: &VariantRef<'_>) -> Result {
        let (kind, fidelity) = nearest::kind(leaf.kind(), self.to);
        self.may_merge |= kind != leaf.kind();
        if fidelity == Fidelity::Loss {
            self.change(EncodeProblem::Unsupported { kind: leaf.kind(), dialect: self.to })?;
        }
        if let Some(cells) = leaf.cells() {
            return self.cells(kind, cells, fidelity);
        }
        Ok(match leaf.view() {
            View::Bool(content) => self.builder.bool(content),
            View::Int(content) => self.builder.int(content),
            View::Float(content) => self.builder.float(content),
            View::NodePath(content) => self.builder.node_path(content),
            View::String(content) => self.builder.string(content),
            View::StringName(content) if kind == Kind::String => self.builder.string(content),
            View::StringName(content) => self.builder.string_name(content),
            View::Callable if kind == Kind::Callable => self.builder.callable(),
            View::Signal(signal) if kind == Kind::Signal => {
                self.builder.signal(signal.name(), signal.object_id())
            }
            View::Object(ObjectRef::Id(id)) => self.builder.object_id(id),
            View::PackedStringArray(strings) => self.builder.string_array(strings),
            View::Rid(id) if id != 0 && !self.to.layout().has_rid_ids() => {
                self.may_merge = true;
                self.change(EncodeProblem::RidId { id, dialect: self.to })?;
                self.builder.rid(0)
            }
            View::Rid(id) => self.builder.rid(id),
            // The engines write an object that is null as null.
            _ => self.builder.nil(),
        }?)
    }

    /// Writes the numbers of a math value or packed array as a value of this kind.
    fn cells(&mut self, kind: Kind, cells: Cells<'_>, fidelity: Fidelity) -> Result {
        let (ValueBody::Cells(cell, _) | ValueBody::Packed(cell, _)) = kind.body() else {
            return Ok(self.builder.nil()?);
        };
        match (cells, cell) {
            (Cells::I32(integers), Cell::Real | Cell::Channel) => {
                let reals: Vec<f64> = integers.iter().map(|it| f64::from(it.get())).collect();
                self.builder.rounded(kind, &reals)?;
            }
            (Cells::I64(integers), Cell::I32) => {
                let limits = (i64::from(i32::MIN), i64::from(i32::MAX));
                let saturated = |it: i64| it.clamp(limits.0, limits.1) as i32;
                let integers: Vec<i32> = integers.iter().map(|it| saturated(it.get())).collect();
                self.builder.integers(kind, &integers)?;
            }
            (Cells::F64(reals), _) => self.doubles(kind, reals, fidelity)?,
            (cells, _) => self.builder.cells(kind, cells)?,
        }
        Ok(())
    }

    /// Writes reals of eight bytes.
    fn doubles(&mut self, kind: Kind, reals: &[F64Le], fidelity: Fidelity) -> Result {
        let layout = self.to.layout();
        let is_wide = layout.writes_wide(kind) || !self.narrows && layout.wide_flag(kind).is_some();
        if is_wide {
            return Ok(self.builder.doubles(kind, reals, Width::Keep)?);
        }
        // If the value gets another kind, the loss has already been counted.
        if let (Fidelity::Same, Some((component, value))) = (fidelity, changed_by_rounding(reals)) {
            self.may_merge = true;
            self.change(EncodeProblem::Real { kind, dialect: self.to, component, value })?;
        }
        Ok(self.builder.rounded(kind, reals)?)
    }
}

/// Up to this number of keys, every key is compared with every other.
const FEW: usize = 16;

/// Whether an engine may treat two keys of a dictionary in the value as the same key. If the result
/// is false, no two keys are the same.
///
/// Keys that are the same have the same hash. Other keys can have the same hash by chance, so the
/// result can be true without such keys. This is harmless: the caller then only does more work.
fn may_be_in(value: VariantRef<'_>) -> bool {
    let mut stack = WalkStack::new();
    // The hashes of the keys of all open dictionaries.
    let mut keys: Vec<u64> = Vec::new();
    let mut open: Vec<ConvertedContainer> = Vec::new();
    // How many keys are open containers. Only keys and the values in them need a hash.
    let mut open_keys = 0_usize;
    for event in value.walk(&mut stack) {
        let (place, hash) = match event {
            Event::Value(place, leaf) if place == Slot::Key || open_keys > 0 => {
                (place, hash_of(leaf))
            }
            Event::Begin(place, container) => {
                let mut hash = Fnv::new();
                // A container never equals one of another kind or length.
                (container.kind(), container.len()).hash(&mut hash);
                open.push(ConvertedContainer { place, hash, first_key: keys.len() });
                open_keys = open_keys.saturating_add((place == Slot::Key).into());
                continue;
            }
            Event::End(_) => {
                let Some(ConvertedContainer { place, hash, first_key }) = open.pop() else {
                    continue;
                };
                if has_twice(keys.get_mut(first_key..).unwrap_or(&mut [])) {
                    return true;
                }
                keys.truncate(first_key);
                open_keys = open_keys.saturating_sub((place == Slot::Key).into());
                (place, Some(hash.finish()))
            }
            _ => continue,
        };
        if open_keys > 0
            && let (Some(around), Some(hash)) = (open.last_mut(), hash)
        {
            hash.hash(&mut around.hash);
        }
        if place == Slot::Key {
            keys.extend(hash);
        }
    }
    false
}

/// A container whose end was not seen yet.
struct ConvertedContainer {
    place: Slot,
    /// The hash of what it contains so far, if it is a key or in one.
    hash: Fnv,
    /// The place of the first key among those of all open dictionaries.
    first_key: usize,
}

fn has_twice(hashes: &mut [u64]) -> bool {
    if hashes.len() > FEW {
        hashes.sort_unstable();
        return hashes.windows(2).any(|pair| pair.first() == pair.last());
    }
    let mut rest = &*hashes;
    while let Some((first, others)) = rest.split_first() {
        if others.contains(first) {
            return true;
        }
        rest = others;
    }
    false
}

/// The hash of a key that contains no other values. `None` for a key that equals no other key.
fn hash_of(key: VariantRef<'_>) -> Option<u64> {
    let mut hash = Fnv::new();
    if let Some(text) = key.as_str() {
        // In Godot 4, strings and string names with the same text are the same key.
        text.hash(&mut hash);
        return Some(hash.finish());
    }
    key.kind().hash(&mut hash);
    if let Some(cells) = key.cells() {
        match cells {
            Cells::Bytes(numbers) => numbers.hash(&mut hash),
            Cells::I32(numbers) => numbers.iter().for_each(|it| it.get().hash(&mut hash)),
            Cells::I64(numbers) => numbers.iter().for_each(|it| it.get().hash(&mut hash)),
            Cells::F32(numbers) => reals(numbers, &mut hash),
            Cells::F64(numbers) => reals(numbers, &mut hash),
        }
        return Some(hash.finish());
    }
    match key.view() {
        View::Bool(content) => content.hash(&mut hash),
        View::Int(content) => content.hash(&mut hash),
        View::Float(content) => real(content, &mut hash),
        View::Rid(id) => id.hash(&mut hash),
        View::Signal(signal) => (signal.name(), signal.object_id()).hash(&mut hash),
        View::NodePath(path) => {
            path.names().for_each(|name| name.hash(&mut hash));
            path.subnames().for_each(|name| name.hash(&mut hash));
        }
        View::PackedStringArray(strings) => strings.iter().for_each(|text| text.hash(&mut hash)),
        View::Object(ObjectRef::Id(_)) => return None,
        _ => {}
    }
    Some(hash.finish())
}

fn reals<T: Component<Native: Real>>(numbers: &[T], hash: &mut Fnv) {
    numbers.iter().for_each(|number| real(number.get().to_f64(), hash));
}

/// Equal numbers have the same hash, and so do all NaNs.
fn real(number: f64, hash: &mut Fnv) {
    // Adding zero turns negative zero into zero.
    let number = if number.is_nan() { f64::NAN } else { number + 0.0 };
    number.to_bits().hash(hash);
}

/// The hash function of Fowler, Noll and Vo.
struct Fnv(u64);

impl Fnv {
    const fn new() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A value that the other dialect cannot express, and its path.
///
/// ```
/// use gdwire::convert::{OnLoss, convert};
/// use gdwire::{Dialect, encode, parse, math::Vector2, variant};
///
/// let bytes = encode(Dialect::GODOT_4, &variant!({"cells": [1, (Vector2::new(2, 3))]}))?;
/// let error = convert(parse(Dialect::GODOT_4, &bytes)?, Dialect::GODOT_3, OnLoss::Refuse);
/// assert_eq!(error.unwrap_err().to_string(), "/cells/1: godot3 has no Vector2i");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{}{problem}", PathPrefix(path))]
#[non_exhaustive]
pub struct Error {
    /// The path from the root to the value, such as `/inventory/3`, in the form that
    /// [`VariantRef::at`](crate::VariantRef::at) accepts. It is empty for the root. A key that a
    /// path cannot express is shown as its literal, or as `<key 2>` if it is a container. A key
    /// longer than 40 characters is cut.
    pub path: String,
    /// The kind of the value.
    pub kind: Kind,
    /// Why the value cannot be expressed.
    pub problem: Problem,
}

/// Why a value cannot be expressed in a dialect.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The dialect lacks a kind, an element type, the id of an RID or reals of eight bytes, or the
    /// value is too long or too deep.
    #[error(transparent)]
    Encode(#[from] EncodeProblem),
    /// Different keys of a dictionary are the same key in the other dialect, so only one of them
    /// would remain.
    #[error("keys that differ are the same in {dialect}")]
    MergedKeys {
        /// The dialect in which they are the same.
        dialect: Dialect,
    },
}

/// Shows the path before the message.
struct PathPrefix<'p>(&'p str);

impl fmt::Display for PathPrefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "{}: ", self.0) }
    }
}

impl From<EncodeError> for Problem {
    fn from(error: EncodeError) -> Problem {
        error.problem().into()
    }
}
