//! How the engines of a family spell what they print: one table each.

use crate::dialect::Dialect;
use crate::kind::Kind;

/// What stands around the items of a list, and what an empty list is.
pub(super) struct Brackets {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    pub(super) empty: &'static str,
}

/// What numbers that have no digits are called.
pub(super) struct NonFinite {
    pub(super) infinity: &'static str,
    pub(super) negative_infinity: &'static str,
    pub(super) nan: &'static str,
}

/// The spelling of one family of engines.
pub(super) struct Spelling {
    /// The kinds that have another name than in Godot 4.
    names: &'static [(Kind, &'static str)],
    pub(super) array: Brackets,
    /// A dictionary on lines of its own, and in one line.
    pub(super) lines: Brackets,
    pub(super) line: Brackets,
    /// The arguments of a constructor.
    pub(super) arguments: Brackets,
    /// A float on its own, and a component of a vector or a packed array.
    pub(super) float: NonFinite,
    pub(super) component: NonFinite,
    /// What is escaped in node paths and packed strings beside quotes, backslashes and control
    /// characters.
    pub(super) escaped_in_names: &'static str,
}

impl Spelling {
    /// The spelling of the dialect's engine.
    pub(super) fn of(dialect: Dialect) -> &'static Spelling {
        let found = SPELLINGS.iter().find(|(name, _)| *name == dialect.name());
        found.map_or(&GODOT_3, |(_, spelling)| spelling)
    }

    /// What the engine calls a kind.
    pub(super) fn name(&self, kind: Kind) -> &'static str {
        let found = self.names.iter().find(|(own, _)| *own == kind);
        found.map_or(kind.name(), |(_, name)| name)
    }
}

/// The kind that any of the engines calls so.
#[cfg(feature = "alloc")]
pub(crate) fn kind_of_name(name: &str) -> Option<Kind> {
    if let Some(kind) = Kind::ALL.iter().find(|kind| kind.name() == name) {
        return Some(*kind);
    }
    let mut aliases = SPELLINGS.iter().flat_map(|(_, spelling)| spelling.names);
    aliases.find(|(_, alias)| *alias == name).map(|(kind, _)| *kind)
}

/// By the name of the dialect.
const SPELLINGS: &[(&str, &Spelling)] = &[("godot3", &GODOT_3)];

/// `var2str` of Godot 3.
const GODOT_3: Spelling = Spelling {
    names: &[
        (Kind::Quaternion, "Quat"),
        (Kind::Transform3D, "Transform"),
        (Kind::PackedByteArray, "PoolByteArray"),
        (Kind::PackedInt32Array, "PoolIntArray"),
        (Kind::PackedFloat32Array, "PoolRealArray"),
        (Kind::PackedStringArray, "PoolStringArray"),
        (Kind::PackedVector2Array, "PoolVector2Array"),
        (Kind::PackedVector3Array, "PoolVector3Array"),
        (Kind::PackedColorArray, "PoolColorArray"),
    ],
    array: Brackets { open: "[ ", close: " ]", empty: "[  ]" },
    lines: Brackets { open: "{\n", close: "\n}", empty: "{\n\n}" },
    line: Brackets { open: "{ ", close: " }", empty: "{  }" },
    arguments: Brackets { open: "( ", close: " )", empty: "(  )" },
    float: NonFinite { infinity: "inf", negative_infinity: "-inf.0", nan: "nan" },
    component: NonFinite { infinity: "inf", negative_infinity: "-inf", nan: "nan" },
    escaped_in_names: "'?",
};
