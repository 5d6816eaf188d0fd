//! The value of the option that names a transport.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use gdwire::capture::Transport;
use std::iter::once;
use std::sync::LazyLock;

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
