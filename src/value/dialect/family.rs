//! The differences between the dialects.

use crate::value::engine::Engine;
use crate::value::kind::{Cell, Kind};

/// Where an engine writes the width of reals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reals {
    /// Nowhere in a value. The width depends on how the engine was built.
    Built,
    /// In flag 64 of the header. The reals of colours always have four bytes.
    Flagged,
    /// In flag 64 of the header, for colours, too.
    #[cfg(feature = "serde")]
    AllFlagged,
}

/// The differences between the families of engines.
#[derive(Debug)]
pub(super) struct Family {
    pub(super) name: &'static str,
    /// The engine and its versions, for people.
    pub(super) description: &'static str,
    pub(super) engine: Engine,
    /// The index of a kind in this list is its type number.
    pub(super) types: &'static [Kind],
    pub(super) reals: Reals,
    /// Whether an RID's id is written.
    pub(super) has_rid_ids: bool,
    /// Whether the headers of arrays and dictionaries declare the types of their values.
    pub(super) has_typed_containers: bool,
    /// Whether dictionaries and objects with the same content are different keys of a dictionary.
    #[cfg_attr(not(feature = "alloc"), expect(dead_code, reason = "only owned values merge keys"))]
    pub(super) keys_by_identity: bool,
}

impl Reals {
    /// Whether flag 64 of the header gives the width of these cells.
    pub(super) const fn has_flag(self, cell: Cell) -> bool {
        match self {
            Reals::Built => false,
            Reals::Flagged => matches!(cell, Cell::Real),
            #[cfg(feature = "serde")]
            Reals::AllFlagged => matches!(cell, Cell::Real | Cell::Channel),
        }
    }

    /// Whether these cells are reals that have the width with which the engine was built.
    pub(super) const fn is_built(self, cell: Cell) -> bool {
        matches!(self, Reals::Built) && matches!(cell, Cell::Real | Cell::Channel)
    }
}
