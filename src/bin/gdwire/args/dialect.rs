//! The value of an option that names a dialect.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use gdwire::Dialect;
use std::ffi::OsStr;

/// The value of an option that names a dialect.
#[derive(Clone, Copy)]
pub(crate) enum DialectChoice {
    Auto,
    Named(Dialect),
}

impl DialectChoice {
    /// The dialect, or nothing for `auto`.
    pub(crate) fn named(self, is_double: bool) -> Option<Dialect> {
        match self {
            DialectChoice::Auto => None,
            DialectChoice::Named(dialect) => Some(of_width(dialect, is_double)),
        }
    }
}

/// The dialect with single- or double-precision reals.
pub(crate) fn of_width(dialect: Dialect, is_double: bool) -> Dialect {
    if is_double { dialect.with_double_reals() } else { dialect }
}

/// The name of [`DialectChoice::Auto`].
const AUTO: &str = "auto";

/// Parses the name of a dialect of the library.
#[derive(Clone)]
pub(crate) struct DialectParser {
    pub(crate) has_auto: bool,
}

impl DialectParser {
    /// The names, each with its description.
    fn names(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        let auto = (AUTO, "Detect from the first values of each file or connection");
        let dialects = Dialect::ALL.iter().map(|dialect| (dialect.name(), dialect.description()));
        self.has_auto.then_some(auto).into_iter().chain(dialects)
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
        let names: Vec<_> = self.names().map(|(name, _)| name.to_owned()).collect();
        let similar = names.iter().find(|other| other.eq_ignore_ascii_case(&name)).cloned();
        let mut error = clap::Error::new(ErrorKind::InvalidValue).with_cmd(command);
        if let Some(arg) = arg {
            error.insert(ContextKind::InvalidArg, ContextValue::String(arg.to_string()));
        }
        error.insert(ContextKind::InvalidValue, ContextValue::String(name.into_owned()));
        error.insert(ContextKind::ValidValue, ContextValue::Strings(names));
        if let Some(similar) = similar {
            error.insert(ContextKind::SuggestedValue, ContextValue::String(similar));
        }
        Err(error)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names().map(|(name, help)| PossibleValue::new(name).help(help))))
    }
}
