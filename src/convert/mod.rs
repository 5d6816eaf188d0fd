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
//! | the id of a `RID` | nothing |
//! | reals of eight bytes | those of four bytes; a loss if that changes them |
//!
//! The bytes are those that the engine writes for the value. Nothing is ever lost when a value is
//! converted to its own dialect.
//!
//! Reals of eight bytes keep eight if the other dialect can write them: if it has double reals, or
//! if it is Godot 4, where the header of each value gives the width of its reals. From a dialect
//! with double reals to one without, reals take four bytes. If that changes a number, it is a loss.

mod duplicates;
mod error;
mod nearest;

pub use error::{Error, Problem};

use crate::dialect::Dialect;
use crate::encode::{Builder, EncodeProblem, Width, changed_by_rounding, encode, path};
use crate::kind::{Body, Cell, Kind};
use crate::number::F64Le;
use crate::owned::Variant;
use crate::parse::parse;
use crate::view::{Cells, ObjectRef, VariantRef, View};
use crate::walk::{Container, Event, WalkStack};
use alloc::string::String;
use alloc::vec::Vec;
use nearest::Fidelity;

/// What to do with values that the other dialect cannot express.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum OnLoss {
    /// Return an error.
    #[default]
    Refuse,
    /// Write the nearest value in their place.
    Allow,
}

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
/// An [`Error`] if the dialect cannot express a value and loss is not allowed, or if no loss
/// would help.
pub fn convert(value: VariantRef<'_>, to: Dialect, loss: OnLoss) -> Result<Converted, Error> {
    if !duplicates::may_be_in(value) {
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
        converted.changed = converted.changed.saturating_add(1);
    }
    Ok(converted)
}

impl Converted {
    /// Merges keys that have become the same. Returns the number of the event that begins the first
    /// dictionary with such keys, if there is one.
    fn merge_keys(&mut self, dialect: Dialect) -> Option<usize> {
        let value = parse(dialect, &self.bytes).ok()?;
        if !duplicates::may_be_in(value) {
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
        self.changed = self.changed.saturating_add(1);
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
        let (Body::Cells(cell, _) | Body::Packed(cell, _)) = kind.body() else {
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
