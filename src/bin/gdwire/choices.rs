//! Names of dialects and kinds on the command line.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use gdwire::{Dialect, Kind};
use std::ffi::OsStr;

/// A dialect as it was asked for.
#[derive(Clone, Copy)]
pub(crate) enum DialectChoice {
    Auto,
    Named(Dialect),
}

impl DialectChoice {
    pub(crate) fn dialect(self, is_double: bool) -> Dialect {
        let dialect = match self {
            DialectChoice::Auto => Dialect::GODOT_3,
            DialectChoice::Named(dialect) => dialect,
        };
        if is_double { dialect.with_double_reals() } else { dialect }
    }
}

const AUTO: &str = "auto";

/// The dialects that people will ask for.
const PLANNED: &[&str] = &["godot4", "pandemonium4", "pandemonium5"];

/// Reads the name of a dialect that the library knows.
#[derive(Clone)]
pub(crate) struct DialectParser {
    pub(crate) has_auto: bool,
}

impl DialectParser {
    fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        let auto = self.has_auto.then_some(AUTO);
        auto.into_iter().chain(Dialect::ALL.iter().map(|dialect| dialect.name()))
    }
}

impl TypedValueParser for DialectParser {
    type Value = DialectChoice;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<DialectChoice, clap::Error> {
        let name = value.to_string_lossy();
        if self.has_auto && name == AUTO {
            return Ok(DialectChoice::Auto);
        }
        if let Some(dialect) = Dialect::from_name(&name) {
            return Ok(DialectChoice::Named(dialect));
        }
        let problem = if PLANNED.contains(&&*name) { "is not supported yet" } else { "is unknown" };
        let option = arg.map_or_else(String::new, |arg| format!(" of {arg}"));
        let names = self.names().collect::<Vec<_>>().join(", ");
        let message = format!("the dialect {name:?}{option} {problem}; there are: {names}\n");
        Err(clap::Error::raw(ErrorKind::InvalidValue, message).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names().map(PossibleValue::new)))
    }
}

/// What Godot 3 calls the kinds that have another name in Godot 4.
const GODOT_3_NAMES: &[(&str, Kind)] = &[
    ("null", Kind::Nil),
    ("real", Kind::Float),
    ("Quat", Kind::Quaternion),
    ("Transform", Kind::Transform3D),
    ("PoolByteArray", Kind::PackedByteArray),
    ("PoolIntArray", Kind::PackedInt32Array),
    ("PoolRealArray", Kind::PackedFloat32Array),
    ("PoolStringArray", Kind::PackedStringArray),
    ("PoolVector2Array", Kind::PackedVector2Array),
    ("PoolVector3Array", Kind::PackedVector3Array),
    ("PoolColorArray", Kind::PackedColorArray),
];

/// The kind that Godot 4 or Godot 3 calls so, whatever its case.
pub(crate) fn kind_of_name(name: &str) -> Result<Kind, String> {
    let named = Kind::ALL.iter().map(|kind| (kind.name(), *kind));
    let mut names = named.chain(GODOT_3_NAMES.iter().copied());
    match names.find(|(of, _)| of.eq_ignore_ascii_case(name)) {
        Some((_, kind)) => Ok(kind),
        None => {
            let names: Vec<_> = Kind::ALL.iter().map(|kind| kind.name()).collect();
            Err(format!("no such kind; there are: {}", names.join(", ")))
        }
    }
}
