//! The value of the option that names a transport.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use gdwire::capture::Transport;

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
            TransportChoice::Auto => ("auto", "Detect from the first packets of each connection"),
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
