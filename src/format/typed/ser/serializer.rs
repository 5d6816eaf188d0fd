//! The serializer, and what it becomes in an array or dictionary.

use super::super::error::Result;
use super::super::{dialects, direct};
use crate::value::Kind;
use crate::write::encode::{Builder, Open, Patch};

/// Writes one value with a builder.
pub(crate) struct Serializer<'b, S> {
    pub(super) builder: &'b mut Builder<S>,
    pub(super) asking: Asking,
}

/// What the serializer asks a type for: see [`crate::typed::direct`].
#[derive(Clone, Copy)]
pub(super) enum Asking {
    /// Nothing. The type can be any type.
    Nothing,
    /// The whole value.
    Value,
    /// The content of the value. The index gives the value's kind.
    Part(u32),
}

impl<'b, S: Patch> Serializer<'b, S> {
    #[inline]
    pub(crate) fn new(builder: &'b mut Builder<S>) -> Serializer<'b, S> {
        Serializer { builder, asking: Asking::Nothing }
    }

    #[inline]
    pub(super) fn asking(builder: &'b mut Builder<S>) -> Serializer<'b, S> {
        Serializer { builder, asking: Asking::Value }
    }

    /// The kind of the value whose content comes next.
    #[inline]
    pub(super) fn part(&self) -> Option<Kind> {
        match self.asking {
            Asking::Part(index) => Some(direct::kind_of(index)),
            Asking::Nothing | Asking::Value => None,
        }
    }

    /// Starts the dictionary of a variant with its name.
    #[inline]
    pub(super) fn variant(&mut self, name: &'static str) -> Result<()> {
        self.builder.begin_dictionary(1)?;
        Ok(self.builder.string(name)?)
    }

    /// Starts a variant and the array or dictionary in it.
    pub(super) fn container_of(
        mut self,
        name: &'static str,
        kind: Kind,
        len: usize,
    ) -> Result<Container<'b, S>> {
        self.variant(name)?;
        Container::new(self.builder, kind, Some(len), Some(name))
    }
}

/// Writes an array or a dictionary.
pub(crate) struct Container<'b, S> {
    pub(super) builder: &'b mut Builder<S>,
    pub(super) open: Open,
    /// In an array, the index of the next element. In a map, the offset of the latest key.
    pub(super) place: usize,
    /// The name of the variant, if this is its content.
    pub(super) variant: Option<&'static str>,
}

impl<'b, S: Patch> Container<'b, S> {
    #[inline(always)]
    pub(super) fn new(
        builder: &'b mut Builder<S>,
        kind: Kind,
        len: Option<usize>,
        variant: Option<&'static str>,
    ) -> Result<Container<'b, S>> {
        let open = builder.begin_open(kind, len)?;
        Ok(Container { builder, open, place: 0, variant })
    }
}

/// Writes a tuple struct, or an answer of a type of this crate: see [`crate::typed::direct`].
pub(crate) enum Fields<'b, S> {
    /// An ordinary array.
    Elements(Container<'b, S>),
    /// A value in every dialect. Only one of them is written.
    Offers {
        builder: &'b mut Builder<S>,
        /// How many values come before the one that is written. The number wraps around after that
        /// one.
        before: u32,
    },
    /// The bytes of a value.
    Pieces(&'b mut Builder<S>),
}

impl<'b, S: Patch> Fields<'b, S> {
    #[inline]
    pub(super) fn offers(builder: &'b mut Builder<S>) -> Fields<'b, S> {
        let before = dialects::number(builder.dialect());
        Fields::Offers { builder, before }
    }
}
