//! The values of options that name a dialect, a transport or a kind.

use clap::ValueEnum;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use gdwire::capture::Transport;
use gdwire::multiplayer::Pattern;
use gdwire::{Dialect, Kind};
use std::ffi::OsStr;
use std::iter::once;

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

const AUTO: &str = "auto";

/// Parses the name of a dialect that the library knows.
#[derive(Clone)]
pub(crate) struct DialectParser {
    pub(crate) has_auto: bool,
}

impl DialectParser {
    /// The names, each with its description.
    fn names(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        let auto = (AUTO, "Detect from the first values of each file or connection");
        let dialects = Dialect::ALL.iter().map(|dialect| (dialect.name(), description(*dialect)));
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

fn description(dialect: Dialect) -> &'static str {
    match dialect.name() {
        "godot3" => "Godot 3",
        "godot4" => "Godot 4",
        "pandemonium4" => "Pandemonium 3.8 to 4.9",
        "pandemonium5" => "Pandemonium 5",
        other => other,
    }
}

/// The value of an option that names a transport.
#[derive(Clone, Copy)]
pub(crate) enum TransportChoice {
    Auto,
    Named(Transport),
}

impl TransportChoice {
    pub(crate) fn named(self) -> Option<Transport> {
        match self {
            TransportChoice::Auto => None,
            TransportChoice::Named(transport) => Some(transport),
        }
    }
}

impl ValueEnum for TransportChoice {
    fn value_variants<'a>() -> &'a [TransportChoice] {
        const ALL: [TransportChoice; 5] = [
            TransportChoice::Auto,
            TransportChoice::Named(Transport::Udp),
            TransportChoice::Named(Transport::Tcp),
            TransportChoice::Named(Transport::Enet),
            TransportChoice::Named(Transport::WebSocket),
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            TransportChoice::Auto => (AUTO, "Detect from the first packets of each connection"),
            TransportChoice::Named(transport) => (
                transport.name(),
                match transport {
                    Transport::Udp => "One value in each datagram (PacketPeerUDP)",
                    Transport::Tcp => {
                        "Values, each after its length (StreamPeer, PacketPeerStream)"
                    }
                    Transport::Enet => "ENet (ENetMultiplayerPeer, NetworkedMultiplayerENet)",
                    _ => "WebSocket (WebSocketPeer, WebSocketMultiplayerPeer)",
                },
            ),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

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
