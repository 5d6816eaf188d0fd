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
    /// The dialect that was named.
    pub(crate) fn named(self, is_double: bool) -> Option<Dialect> {
        match self {
            DialectChoice::Auto => None,
            DialectChoice::Named(dialect) => Some(of_width(dialect, is_double)),
        }
    }
}

/// The dialect, or the same with double-precision reals.
pub(crate) fn of_width(dialect: Dialect, is_double: bool) -> Dialect {
    if is_double { dialect.with_double_reals() } else { dialect }
}

const AUTO: &str = "auto";

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
        let option = arg.map_or_else(String::new, |arg| format!(" of {arg}"));
        let names = self.names().collect::<Vec<_>>().join(", ");
        let message = format!("the dialect {name:?}{option} is unknown; there are: {names}\n");
        Err(clap::Error::raw(ErrorKind::InvalidValue, message).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names().map(PossibleValue::new)))
    }
}

/// The kind that any of the engines calls so; of Godot 4's names the case does not matter.
pub(crate) fn kind_of_name(name: &str) -> Result<Kind, String> {
    let ignoring_case = || Kind::ALL.iter().find(|kind| kind.name().eq_ignore_ascii_case(name));
    Kind::from_name(name).or_else(|| ignoring_case().copied()).ok_or_else(|| {
        let names: Vec<_> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        format!("no such kind; there are: {}", names.join(", "))
    })
}
