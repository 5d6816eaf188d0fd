//! The value of an option that names a dialect.

use clap::ValueEnum;
use clap::builder::{PossibleValue, RangedU64ValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use gdwire::capture::Transport;
use gdwire::multiplayer::Pattern;
use gdwire::{Dialect, Kind};
use jiff::SignedDuration;
use std::ffi::OsStr;
use std::iter::once;
use std::sync::LazyLock;
use std::time::Duration;

/// The value of an option that names a dialect.
#[derive(Clone, Copy)]
pub enum DialectChoice {
    Auto,
    Named(Dialect),
}

impl DialectChoice {
    /// The dialect, or nothing for `auto`.
    pub fn named(self, is_double: bool) -> Option<Dialect> {
        match self {
            DialectChoice::Auto => None,
            DialectChoice::Named(dialect) => Some(of_width(dialect, is_double)),
        }
    }
}

/// The dialect with single- or double-precision reals.
pub fn of_width(dialect: Dialect, is_double: bool) -> Dialect {
    if is_double { dialect.with_double_reals() } else { dialect }
}

/// The name of [`DialectChoice::Auto`].
const AUTO: &str = "auto";

/// Parses the name of a dialect of the library.
#[derive(Clone)]
pub struct DialectParser {
    pub has_auto: bool,
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

/// The value of an option that names a transport.
#[derive(Clone, Copy)]
pub enum TransportChoice {
    Auto,
    Named(Transport),
}

impl TransportChoice {
    pub fn named(self) -> Option<Transport> {
        match self {
            TransportChoice::Auto => None,
            TransportChoice::Named(transport) => Some(transport),
        }
    }
}

impl ValueEnum for TransportChoice {
    fn value_variants<'a>() -> &'a [TransportChoice] {
        static ALL: LazyLock<Vec<TransportChoice>> = LazyLock::new(|| {
            let named = Transport::ALL.iter().copied().map(TransportChoice::Named);
            once(TransportChoice::Auto).chain(named).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            TransportChoice::Auto => ("auto", "Detect from the first packets of each connection"),
            TransportChoice::Named(transport) => (transport.name(), transport.description()),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

/// The kinds of values that an option selects.
#[derive(Clone)]
pub struct Kinds(Vec<Kind>);

impl Kinds {
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
