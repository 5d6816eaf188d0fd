//! The spelling of literals: one table for each family of engines.

use super::gather::Short;
use crate::value::{Dialect, Engine, Kind};

/// The constructor of an object that was sent as its id: the name of the engine's class.
pub(super) const BY_ID: &str = "EncodedObjectAsID";

/// The names of the constructors of an object, and of a script as an element type. `CLASS` also
/// quotes the name of a class that could be mistaken for a type.
pub(super) const CLASS: &str = "Object";
pub(super) const SCRIPT: &str = "Resource";

/// The text before and after the items of a list, and the text of an empty list.
#[derive(Clone, Copy)]
pub(super) struct Brackets {
    pub(super) open: Short,
    pub(super) close: Short,
    pub(super) empty: Short,
}

impl Brackets {
    const fn new(open: &str, close: &str, empty: &str) -> Brackets {
        Brackets { open: Short::new(open), close: Short::new(close), empty: Short::new(empty) }
    }
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
pub(super) struct LiteralSpelling {
    engine: Engine,
    /// The name of the type that stands for any type.
    pub(super) any_type: &'static str,
    pub(super) array: Brackets,
    /// A dictionary with one entry on each line, and in one line.
    pub(super) lines: Brackets,
    pub(super) line: Brackets,
    /// The arguments of a constructor. Some kinds are exceptions.
    arguments: Brackets,
    arguments_of: &'static [(Kind, Brackets)],
    /// The elements of an array of the kind `TypedArray` or `PackedTypedArray`, after their type.
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

impl LiteralSpelling {
    /// The spelling of an engine.
    pub(super) const fn of(engine: Engine) -> &'static LiteralSpelling {
        match engine {
            Engine::Godot3 => &GODOT_3,
            Engine::Godot4 => &GODOT_4,
            Engine::Pandemonium => &PANDEMONIUM,
        }
    }

    /// The engine's name for a kind.
    pub(super) const fn name(&self, kind: Kind) -> &'static str {
        kind.name_in(self.engine)
    }

    /// The text around the arguments of a kind's constructor.
    pub(super) fn arguments(&self, kind: Kind) -> &Brackets {
        let found = self.arguments_of.iter().find(|(own, _)| *own == kind);
        found.map_or(&self.arguments, |(_, brackets)| brackets)
    }
}

/// Whether this is the name for any type in one of the engines.
pub(crate) fn is_any_type(name: &str) -> bool {
    let spelling = |dialect: &Dialect| LiteralSpelling::of(dialect.engine());
    Dialect::ALL.iter().map(spelling).any(|spelling| spelling.any_type == name)
}

const SPACED: Brackets = Brackets::new("( ", " )", "(  )");
const CLOSE: Brackets = Brackets::new("(", ")", "()");
const ELEMENTS: Brackets = Brackets::new(" , ", " )", " ,  )");

/// `var2str` of Godot 3, which has neither string names nor typed containers.
const GODOT_3: LiteralSpelling = LiteralSpelling {
    engine: Engine::Godot3,
    any_type: "Nil",
    array: Brackets::new("[ ", " ]", "[  ]"),
    lines: Brackets::new("{\n", "\n}", "{\n\n}"),
    line: Brackets::new("{ ", " }", "{  }"),
    arguments: SPACED,
    arguments_of: &[],
    elements: ELEMENTS,
    bytes: ByteSpelling::Numbers,
    string_name: '&',
    // Godot 3.2 writes `-inf.0` and `-inf`, and Godot 3.6 `inf_neg`. Godot 3.2 reads neither, and in
    // vectors and arrays no names at all. These numbers are read by both.
    float: NonFinite { infinity: "inf", negative_infinity: "-1e99999", nan: "nan" },
    component: NonFinite { infinity: "1e99999", negative_infinity: "-1e99999", nan: "nan" },
    escaped_in_names: "'?",
};

/// `var_to_str` of Godot 4.
const GODOT_4: LiteralSpelling = LiteralSpelling {
    engine: Engine::Godot4,
    any_type: "Variant",
    array: Brackets::new("[", "]", "[]"),
    lines: Brackets::new("{\n", "\n}", "{}"),
    line: Brackets::new("{ ", " }", "{}"),
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
const PANDEMONIUM: LiteralSpelling = LiteralSpelling {
    engine: Engine::Pandemonium,
    any_type: "Nil",
    array: Brackets::new("[ ", " ]", "[  ]"),
    lines: Brackets::new("{\n", "\n}", "{\n}"),
    line: Brackets::new("{ ", " }", "{  }"),
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
