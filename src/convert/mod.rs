//! The same value in another dialect.
//!
//! ```
//! use gdwire::convert::{Loss, convert};
//! use gdwire::{Dialect, encode, parse, variant};
//!
//! let old = encode(Dialect::GODOT_3, &variant!({"hp": 87}))?;
//! let new = convert(parse(Dialect::GODOT_3, &old)?, Dialect::GODOT_4, Loss::Refuse)?;
//! assert_eq!(parse(Dialect::GODOT_4, &new.bytes)?.get("hp").and_then(|hp| hp.as_i64()), Some(87));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What the other dialect lacks has a nearest kind there. A string name becomes a string, and a
//! typed array one of the other engine's sort; that is no loss. All else is, and is refused or
//! counted:
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
//! | reals of eight bytes | those of four bytes, if they are other numbers then |
//!
//! The bytes are those that the engine writes for the value. Into the value's own dialect and
//! width of reals nothing is ever lost.

mod error;
mod nearest;
mod path;

pub use error::{ConvertError, ConvertProblem};

use crate::dialect::{Dialect, MAX_DEPTH};
use crate::encode::{Builder, EncodeError, encode};
use crate::kind::{Body, Cell, Kind};
use crate::owned::Variant;
use crate::parse::parse;
use crate::view::{Cells, ObjectRef, VariantRef, View};
use crate::walk::{Container, Event, WalkStack};
use alloc::string::String;
use alloc::vec::Vec;
use nearest::Fidelity;

/// What is done with what the other dialect cannot express.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Loss {
    /// It is an error.
    #[default]
    Refuse,
    /// What is nearest takes its place.
    Allow,
}

/// A value in another dialect.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Converted {
    /// What the engine of the dialect writes for it.
    pub bytes: Vec<u8>,
    /// How many values in it are not quite what they were: 0 unless a loss is allowed, or wide
    /// reals go to their own dialect with narrow ones, whose engine rounds them when it reads
    /// them.
    pub changed: usize,
}

/// Writes a value in another dialect, or in its own in the bytes that the engine writes.
///
/// Of keys that come twice the first place and the last value are left.
///
/// # Errors
///
/// What the dialect cannot express, unless a loss is allowed.
pub fn convert(value: VariantRef<'_>, to: Dialect, loss: Loss) -> Result<Converted, ConvertError> {
    let from = value.dialect();
    let kind = value.kind();
    let at_root =
        move |error: EncodeError| ConvertError { path: String::new(), kind, problem: error.into() };
    // A tree merges keys. Wide reals hold all that it does.
    let wide = from.with_double_reals();
    let merged = encode(wide, &Variant::from(value)).map_err(at_root)?;
    let Ok(value) = parse(wide, &merged) else {
        return Err(at_root(EncodeError::TooDeep { limit: MAX_DEPTH }));
    };
    let mut conversion = Conversion {
        builder: Builder::new(to, Vec::new()),
        to,
        loss,
        is_same: from.layout() == to.layout(),
        may_merge: false,
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
            return Err(ConvertError { path: path::to_event(value, number), kind, problem });
        }
    }
    let Conversion { builder, may_merge, changed, .. } = conversion;
    let bytes = builder.finish().map_err(at_root)?;
    let converted = Converted { bytes, changed };
    let loss = if from.layout() == to.layout() { Loss::Allow } else { loss };
    if may_merge { converted.with_merged_keys(to, loss, kind) } else { Ok(converted) }
}

impl Converted {
    /// Merges the keys that have become the same.
    fn with_merged_keys(
        mut self,
        to: Dialect,
        loss: Loss,
        kind: Kind,
    ) -> Result<Converted, ConvertError> {
        let problem = ConvertProblem::MergedKeys { dialect: to };
        let refusal = ConvertError { path: String::new(), kind, problem };
        let Ok(value) = parse(to, &self.bytes) else { return Ok(self) };
        let Ok(merged) = encode(to, &Variant::from(value)) else { return Ok(self) };
        if merged.len() == self.bytes.len() {
            return Ok(self);
        }
        if loss == Loss::Refuse {
            return Err(refusal);
        }
        self.changed = self.changed.saturating_add(1);
        self.bytes = merged;
        Ok(self)
    }
}

struct Conversion {
    builder: Builder<Vec<u8>>,
    to: Dialect,
    loss: Loss,
    /// Whether it is from a dialect to itself.
    is_same: bool,
    /// Whether keys may have become the same: of another kind, or rounded.
    may_merge: bool,
    changed: usize,
}

type Result<T = (), E = ConvertProblem> = core::result::Result<T, E>;

impl Conversion {
    fn event(&mut self, event: Event<'_>) -> Result {
        match event {
            Event::Value(_, leaf) => self.leaf(&leaf),
            Event::Begin(_, container) => self.begin(&container),
            Event::Property(name) => Ok(self.builder.property(name)?),
            Event::End { .. } => Ok(self.builder.end()?),
        }
    }

    /// Counts a change, if one is allowed.
    fn change(&mut self, problem: impl Into<ConvertProblem>) -> Result {
        if self.loss == Loss::Refuse {
            return Err(problem.into());
        }
        self.changed = self.changed.saturating_add(1);
        Ok(())
    }

    fn begin(&mut self, container: &Container<'_>) -> Result {
        let dialect = self.to;
        let problem = |kind| match dialect.type_number(kind) {
            Some(_) => EncodeError::ElementType { kind, dialect },
            None => EncodeError::Unsupported { kind, dialect },
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

    /// Writes a value without values in it.
    fn leaf(&mut self, leaf: &VariantRef<'_>) -> Result {
        let (kind, fidelity) = nearest::kind(leaf.kind(), self.to);
        self.may_merge |= kind != leaf.kind();
        if fidelity == Fidelity::Loss {
            self.change(EncodeError::Unsupported { kind: leaf.kind(), dialect: self.to })?;
        }
        if let Some(cells) = leaf.cells() {
            if fidelity == Fidelity::Same && self.narrows(kind, cells) {
                self.may_merge = true;
                if self.is_same {
                    self.changed = self.changed.saturating_add(1);
                } else {
                    self.change(ConvertProblem::Narrowed { kind, dialect: self.to })?;
                }
            }
            return Ok(self.cells(kind, cells)?);
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
                self.change(EncodeError::RidId { id, dialect: self.to })?;
                self.builder.rid(0)
            }
            View::Rid(id) => self.builder.rid(id),
            // The engines write an object that is none as null.
            _ => self.builder.nil(),
        }?)
    }

    /// Whether numbers are not the same in the dialect's width.
    fn narrows(&self, kind: Kind, cells: Cells<'_>) -> bool {
        let Cells::F64(reals) = cells else { return false };
        !self.to.layout().writes_wide(kind)
            && reals.iter().map(|real| real.get()).any(|real| {
                let is_same = f64::from(real as f32) == real;
                !is_same && !real.is_nan()
            })
    }

    /// Writes the numbers of a math value or packed array as one of that kind.
    fn cells(&mut self, kind: Kind, cells: Cells<'_>) -> Result<(), EncodeError> {
        let (Body::Cells(cell, _) | Body::Packed(cell, _)) = kind.body() else {
            return self.builder.nil();
        };
        match (cells, cell) {
            (Cells::I32(integers), Cell::Real | Cell::Channel) => {
                let reals: Vec<f64> = integers.iter().map(|it| f64::from(it.get())).collect();
                self.builder.reals(kind, &reals)
            }
            (Cells::I64(integers), Cell::I32) => {
                let limits = (i64::from(i32::MIN), i64::from(i32::MAX));
                let saturated = |it: i64| it.clamp(limits.0, limits.1) as i32;
                let integers: Vec<i32> = integers.iter().map(|it| saturated(it.get())).collect();
                self.builder.integers(kind, &integers)
            }
            (cells, _) => self.builder.cells(kind, cells),
        }
    }
}
