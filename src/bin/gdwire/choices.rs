//! Names of dialects and kinds on the command line.

use clap::ValueEnum;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use gdwire::capture::Transport;
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

/// A transport as it was asked for.
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
            TransportChoice::Auto => (AUTO, "By the first packets of each flow"),
            TransportChoice::Named(transport) => (
                transport.name(),
                match transport {
                    Transport::Udp => "A datagram is a value: PacketPeerUDP",
                    Transport::Tcp => "Values behind their length: StreamPeer, PacketPeerStream",
                    Transport::Enet => "ENetMultiplayerPeer, NetworkedMultiplayerENet",
                    _ => "WebSocketPeer, WebSocketMultiplayerPeer",
                },
            ),
        };
        Some(PossibleValue::new(name).help(help))
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
