//! Parses the values of options: names, kinds of values, lengths of time and sizes of memory.

use clap::builder::{PossibleValue, PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use gdwire::follow::Transport;
use gdwire::multiplayer::Pattern;
use gdwire::{Dialect, Kind};
use jiff::SignedDuration;
use std::ffi::OsStr;
use std::iter::once;
use std::time::Duration;

/// Parses one of some names. Each value has its name and a description.
pub fn named<T: Clone + Send + Sync + 'static>(
    values: Vec<(T, &'static str, &'static str)>,
) -> impl TypedValueParser<Value = T> {
    let names = values.iter().map(|(_, name, help)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(names.collect::<Vec<_>>()).try_map(move |given| {
        let value = values.iter().find(|(_, name, _)| *name == given);
        value.map(|(value, ..)| value.clone()).ok_or("unknown name")
    })
}

/// Parses the name of a dialect.
pub fn dialect() -> impl TypedValueParser<Value = Dialect> {
    named(Dialect::ALL.iter().map(|it| (*it, it.name(), it.description())).collect())
}

/// Something that the user names, or that is detected.
#[derive(Clone, Copy)]
pub enum Choice<T> {
    Auto,
    Named(T),
}

impl<T> Choice<T> {
    pub fn named(self) -> Option<T> {
        match self {
            Choice::Auto => None,
            Choice::Named(named) => Some(named),
        }
    }
}

/// Parses `auto` or the name of a dialect.
pub fn dialect_or_auto() -> impl TypedValueParser<Value = Choice<Dialect>> {
    let auto = (Choice::Auto, "auto", "Detect from the first values of each file or connection");
    let dialects = Dialect::ALL.iter();
    let dialects = dialects.map(|it| (Choice::Named(*it), it.name(), it.description()));
    named(once(auto).chain(dialects).collect())
}

/// Parses `auto` or the name of a transport.
pub fn transport_or_auto() -> impl TypedValueParser<Value = Choice<Transport>> {
    let auto = (Choice::Auto, "auto", "Detect from the first packets of each connection");
    let transports = Transport::ALL.iter();
    let transports = transports.map(|it| (Choice::Named(*it), it.name(), it.description()));
    named(once(auto).chain(transports).collect())
}

/// The dialect with single- or double-precision reals.
pub fn of_width(dialect: Dialect, is_double: bool) -> Dialect {
    if is_double { dialect.with_double_reals() } else { dialect }
}

/// The kinds of values that an option selects.
#[derive(Clone)]
pub struct KindFilter(Vec<Kind>);

impl KindFilter {
    pub fn contains(&self, kind: Kind) -> bool {
        self.0.contains(&kind)
    }
}

/// The names of a kind in all engines.
fn names_of(kind: Kind) -> impl Iterator<Item = &'static str> {
    once(kind.name()).chain(kind.other_names())
}

/// Parses the name of a kind in any engine, or a pattern for such names. The case does not matter.
#[derive(Clone)]
pub struct KindParser;

impl TypedValueParser for KindParser {
    type Value = KindFilter;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<KindFilter, clap::Error> {
        let name = value.to_string_lossy();
        let pattern = Pattern::new(&name.to_lowercase());
        let is_meant = |kind: &Kind| names_of(*kind).any(|it| pattern.matches(&it.to_lowercase()));
        let named: Vec<Kind> = match Kind::from_name(&name) {
            Some(kind) => vec![kind],
            None => Kind::ALL.iter().copied().filter(is_meant).collect(),
        };
        if !named.is_empty() {
            return Ok(KindFilter(named));
        }
        let parse = |_: &str| Err::<KindFilter, _>(unknown_kind());
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

/// Parses a length of time, of at least a microsecond.
pub fn time(text: &str) -> Result<Duration, String> {
    let length: Result<SignedDuration, _> = text.parse();
    let length = length.map_err(|_| "expected a number and its unit, such as 1s, 500ms or 1m")?;
    match Duration::try_from(length) {
        Ok(length) if length >= Duration::from_micros(1) => Ok(length),
        _ => Err("the shortest time is one microsecond, 1us".to_owned()),
    }
}

/// Parses a number of at least one.
pub fn count<T: TryFrom<u64> + Clone + Send + Sync + 'static>() -> RangedU64ValueParser<T> {
    RangedU64ValueParser::new().range(1..=u64::from(u32::MAX))
}

/// The smallest limit on memory, in bytes.
const LEAST: usize = 64 << 10;

/// Parses a number of bytes: 65536, 64K, 64M, 1G.
pub fn size(text: &str) -> Result<usize, String> {
    let (number, unit) = match text.char_indices().last() {
        Some((at, 'K' | 'k')) => (text.get(..at), 1 << 10),
        Some((at, 'M' | 'm')) => (text.get(..at), 1 << 20),
        Some((at, 'G' | 'g')) => (text.get(..at), 1 << 30),
        _ => (Some(text), 1_usize),
    };
    let number: usize =
        number.and_then(|it| it.parse().ok()).ok_or("write a size such as 512K, 64M or 2G")?;
    match number.checked_mul(unit) {
        Some(size) if size >= LEAST => Ok(size),
        Some(_) => Err("the least size is 64K".to_owned()),
        None => Err("this is more than can be addressed".to_owned()),
    }
}
