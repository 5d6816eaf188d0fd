//! Writes the events of a value in another dialect, and counts what it changes.

use super::error::Problem;
use super::nearest::{self, Fidelity};
use crate::value::view::{Cells, ObjectRef};
use crate::value::walk::{Container, Event};
use crate::value::{Body, Cell, Dialect, F64Le, Kind, VariantRef, View};
use crate::write::encode::{Builder, EncodeProblem, Width, changed_by_rounding};
use alloc::vec::Vec;

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

pub(super) struct Conversion {
    pub(super) builder: Builder<Vec<u8>>,
    pub(super) to: Dialect,
    pub(super) loss: OnLoss,
    /// Whether reals of eight bytes take four.
    pub(super) narrows: bool,
    /// Whether keys may have become the same, because the other engine compares them in another
    /// way, because their kind was changed, or because they were rounded.
    pub(super) may_merge: bool,
    pub(super) changed: usize,
}

type Result<T = (), E = Problem> = core::result::Result<T, E>;

impl Conversion {
    pub(super) fn event(&mut self, event: Event<'_>) -> Result {
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
