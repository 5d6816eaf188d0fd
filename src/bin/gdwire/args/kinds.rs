//! The value of the option that names kinds of values.

use clap::builder::{PossibleValue, TypedValueParser};
use gdwire::Kind;
use gdwire::multiplayer::Pattern;
use std::ffi::OsStr;
use std::iter::once;

/// The kinds of values that an option selects.
#[derive(Clone)]
pub(crate) struct Kinds(Vec<Kind>);

impl Kinds {
    pub(crate) fn contains(&self, kind: Kind) -> bool {
        self.0.contains(&kind)
    }
}

/// The names of a kind in all engines.
fn names_of(kind: Kind) -> impl Iterator<Item = &'static str> {
    once(kind.name()).chain(kind.other_names())
}

/// Parses the name of a kind in any engine, or a pattern for such names. The case does not matter.
#[derive(Clone)]
pub(crate) struct KindParser;

impl TypedValueParser for KindParser {
    type Value = Kinds;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Kinds, clap::Error> {
        let name = value.to_string_lossy();
        let pattern = Pattern::new(&name.to_lowercase());
        let is_meant = |kind: &Kind| names_of(*kind).any(|it| pattern.matches(&it.to_lowercase()));
        let named: Vec<Kind> = match Kind::from_name(&name) {
            Some(kind) => vec![kind],
            None => Kind::ALL.iter().copied().filter(is_meant).collect(),
        };
        if !named.is_empty() {
            return Ok(Kinds(named));
        }
        let parse = |_: &str| Err::<Kinds, _>(unknown_kind());
        parse.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Kind::ALL.iter().copied().flat_map(names_of).map(PossibleValue::new)))
    }
}

fn unknown_kind() -> String {
    let mut message = "unknown kind of value; the kinds are:".to_owned();
    // Rows that fit on a terminal.
    for row in Kind::ALL.chunks(5) {
        let names: Vec<_> = row.iter().map(|kind| kind.name()).collect();
        message += &format!("\n    {}", names.join(", "));
    }
    message
}
