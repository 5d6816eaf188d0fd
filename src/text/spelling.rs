//! The spelling of literals: one table for each family of engines.

use crate::dialect::Dialect;
use crate::kind::Kind;

/// The text before and after the items of a list, and the text of an empty list.
#[derive(Clone, Copy)]
pub(super) struct Brackets {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    pub(super) empty: &'static str,
}

/// The names of infinities and NaN.
pub(super) struct NonFinite {
    pub(super) infinity: &'static str,
    pub(super) negative_infinity: &'static str,
    pub(super) nan: &'static str,
}

/// How the bytes of a packed array are spelled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteSpelling {
    Numbers,
    /// A string in base64.
    Base64,
}

/// The spelling of one family of engines.
pub(super) struct Spelling {
    /// The kinds whose names differ from those of Godot 4.
    names: &'static [(Kind, &'static str)],
    /// The name of the type that stands for any type.
    pub(super) any_type: &'static str,
    pub(super) array: Brackets,
    /// A dictionary with one entry on each line, and in one line.
    pub(super) lines: Brackets,
    pub(super) line: Brackets,
    /// The arguments of a constructor. Some kinds are exceptions.
    arguments: Brackets,
    arguments_of: &'static [(Kind, Brackets)],
    /// The elements of an array that is typed by its kind, after their type.
    pub(super) elements: Brackets,
    pub(super) bytes: ByteSpelling,
    /// The character before the quotes of a string name.
    pub(super) string_name: char,
    /// A float on its own, and a component of a vector or a packed array.
    pub(super) float: NonFinite,
    pub(super) component: NonFinite,
    /// The characters that are escaped in names, node paths and packed strings, in addition to
    /// quotes, backslashes and control characters.
    pub(super) escaped_in_names: &'static str,
}

impl Spelling {
    /// The spelling of the dialect's engine.
    pub(super) fn of(dialect: Dialect) -> &'static Spelling {
        let found = SPELLINGS.iter().find(|(name, _)| *name == dialect.name());
        found.map_or(&GODOT_4, |(_, spelling)| spelling)
    }

    /// The engine's name for a kind.
    pub(super) fn name(&self, kind: Kind) -> &'static str {
        let found = self.names.iter().find(|(own, _)| *own == kind);
        found.map_or(kind.name(), |(_, name)| name)
    }

    /// The text around the arguments of a kind's constructor.
    pub(super) fn arguments(&self, kind: Kind) -> &Brackets {
        let found = self.arguments_of.iter().find(|(own, _)| *own == kind);
        found.map_or(&self.arguments, |(_, brackets)| brackets)
    }
}

/// The kind that has this name in any of the engines.
pub(crate) fn kind_of_name(name: &str) -> Option<Kind> {
    if let Some(kind) = Kind::ALL.iter().find(|kind| kind.name() == name) {
        return Some(*kind);
    }
    let mut aliases = SPELLINGS.iter().flat_map(|(_, spelling)| spelling.names);
    aliases.find(|(_, alias)| *alias == name).map(|(kind, _)| *kind)
}

/// The names that a kind has in some engines beside its name in Godot 4, each once.
pub(crate) fn other_names(kind: Kind) -> impl Iterator<Item = &'static str> {
    let name_in = move |spelling: &Spelling| {
        spelling.names.iter().find(|(named, _)| *named == kind).map(|(_, name)| *name)
    };
    let mut last = Some(kind.name());
    SPELLINGS.iter().filter_map(move |(_, spelling)| {
        let name = name_in(spelling).filter(|name| Some(*name) != last)?;
        last = Some(name);
        Some(name)
    })
}

/// Whether this is the name for any type in one of the engines.
pub(crate) fn is_any_type(name: &str) -> bool {
    SPELLINGS.iter().any(|(_, spelling)| spelling.any_type == name)
}

/// The spelling of each dialect, by the dialect's name.
const SPELLINGS: &[(&str, &Spelling)] = &[
    ("godot3", &GODOT_3),
    ("godot4", &GODOT_4),
    ("pandemonium4", &PANDEMONIUM),
    ("pandemonium5", &PANDEMONIUM),
];

const SPACED: Brackets = Brackets { open: "( ", close: " )", empty: "(  )" };
const CLOSE: Brackets = Brackets { open: "(", close: ")", empty: "()" };
const ELEMENTS: Brackets = Brackets { open: " , ", close: " )", empty: " ,  )" };

/// `var2str` of Godot 3, which has neither string names nor typed containers.
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
    any_type: "Nil",
    array: Brackets { open: "[ ", close: " ]", empty: "[  ]" },
    lines: Brackets { open: "{\n", close: "\n}", empty: "{\n\n}" },
    line: Brackets { open: "{ ", close: " }", empty: "{  }" },
    arguments: SPACED,
    arguments_of: &[],
    elements: ELEMENTS,
    bytes: ByteSpelling::Numbers,
    string_name: '&',
    float: NonFinite { infinity: "inf", negative_infinity: "-inf.0", nan: "nan" },
    component: NonFinite { infinity: "inf", negative_infinity: "-inf", nan: "nan" },
    escaped_in_names: "'?",
};

/// `var_to_str` of Godot 4.
const GODOT_4: Spelling = Spelling {
    names: &[],
    any_type: "Variant",
    array: Brackets { open: "[", close: "]", empty: "[]" },
    lines: Brackets { open: "{\n", close: "\n}", empty: "{}" },
    line: Brackets { open: "{ ", close: " }", empty: "{}" },
    arguments: CLOSE,
    arguments_of: &[],
    elements: ELEMENTS,
    bytes: ByteSpelling::Numbers,
    string_name: '&',
    float: NEGATIVE_IN_WORDS,
    component: NEGATIVE_IN_WORDS,
    escaped_in_names: "'",
};

/// `var2str` of Pandemonium, versions 4 and 5.
const PANDEMONIUM: Spelling = Spelling {
    names: &[
        (Kind::Transform3D, "Transform"),
        (Kind::PackedByteArray, "PoolByteArray"),
        (Kind::PackedInt32Array, "PoolIntArray"),
        (Kind::PackedFloat32Array, "PoolRealArray"),
        (Kind::PackedStringArray, "PoolStringArray"),
        (Kind::PackedVector2Array, "PoolVector2Array"),
        (Kind::PackedVector2iArray, "PoolVector2iArray"),
        (Kind::PackedVector3Array, "PoolVector3Array"),
        (Kind::PackedVector3iArray, "PoolVector3iArray"),
        (Kind::PackedVector4Array, "PoolVector4Array"),
        (Kind::PackedVector4iArray, "PoolVector4iArray"),
        (Kind::PackedColorArray, "PoolColorArray"),
    ],
    any_type: "Nil",
    array: Brackets { open: "[ ", close: " ]", empty: "[  ]" },
    lines: Brackets { open: "{\n", close: "\n}", empty: "{\n}" },
    line: Brackets { open: "{ ", close: " }", empty: "{  }" },
    arguments: SPACED,
    arguments_of: &[(Kind::Projection, CLOSE)],
    elements: ELEMENTS,
    bytes: ByteSpelling::Base64,
    string_name: '@',
    float: NEGATIVE_IN_WORDS,
    component: NEGATIVE_IN_WORDS,
    escaped_in_names: "'?",
};

const NEGATIVE_IN_WORDS: NonFinite =
    NonFinite { infinity: "inf", negative_infinity: "inf_neg", nan: "nan" };
