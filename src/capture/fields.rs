//! The fields of a message as programs see them: in JSON lines and in expressions.

use super::follow::{Content, Flow, Message, Origin, Peers, Place, Transport};
use crate::game::debugger::DebuggerCommand;
use crate::game::multiplayer::{Context, Packet};
use crate::net::enet::Mode;
use crate::net::packet::Time;
use crate::value::{Kind, VariantRef};
use core::net::SocketAddr;

/// Defines the fields with their names.
macro_rules! fields {
    ($($(#[$doc:meta])* $field:ident($($content:ty),+) = $name:literal,)*) => {
        /// A field of a message: see [`Message::each_field`].
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub enum MessageField<'f> {
            $($(#[$doc])* $field($($content),+),)*
        }

        impl MessageField<'_> {
            /// The names of all fields.
            pub const NAMES: &'static [&'static str] = &[$($name,)*];

            /// The name, as in JSON and in expressions.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    $(MessageField::$field(..) => $name,)*
                }
            }

            /// The name as JSON, between a comma and a colon: `,"frame":`.
            #[must_use]
            pub const fn key(&self) -> &'static str {
                match self {
                    $(MessageField::$field(..) => concat!(",\"", $name, "\":"),)*
                }
            }
        }
    };
}

fields! {
    /// The number of the packet that carried the last of the message's bytes.
    Frame(u64) = "frame",
    /// When the packet was captured.
    Time(Option<Time>) = "time",
    /// The transport.
    Transport(Transport) = "transport",
    /// The sender's address and port.
    Src(SocketAddr) = "src",
    /// The receiver's address and port.
    Dst(SocketAddr) = "dst",
    /// The flow, whose Community ID is the field.
    CommunityId(Flow) = "community_id",
    /// The ENet channel.
    Channel(u8) = "channel",
    /// How the message was sent over ENet.
    Mode(Mode) = "mode",
    /// The sender and receiver as multiplayer peers, if the connection names one of them.
    Peer(Peers) = "peer",
    /// The offset at which the message starts, in bytes, in its datagram or in its stream.
    Offset(u64) = "offset",
    /// How many bytes it has, without headers.
    Len(u64) = "len",
    /// The kind of its value, or of the value in its raw packet.
    Kind(Kind) = "kind",
    /// This value.
    Value(VariantRef<'f>) = "value",
    /// Its packet of the high-level multiplayer API, and the names for the numbers in it.
    Rpc(&'f Packet<'f>, Context<'f>) = "rpc",
    /// The message of the remote debugger.
    Debugger(&'f DebuggerCommand<'f>) = "debugger",
}

impl MessageField<'_> {
    /// The fields of a packet, in their order.
    #[must_use]
    pub const fn of_place(place: Place) -> [Self; 2] {
        [MessageField::Frame(place.frame), MessageField::Time(place.time)]
    }

    /// The fields of a direction of a connection, in their order.
    #[must_use]
    pub const fn of_origin(origin: Origin) -> [Self; 4] {
        [
            MessageField::Transport(origin.transport),
            MessageField::Src(origin.src()),
            MessageField::Dst(origin.dst()),
            MessageField::CommunityId(origin.flow),
        ]
    }
}

impl Message<'_> {
    /// Passes the fields that the message has to a function, in the order of `gdwire decode --format
    /// ndjson`. An error ends the visit.
    ///
    /// # Errors
    ///
    /// Those of the function.
    pub fn each_field<'f, E>(
        &'f self,
        mut take: impl FnMut(MessageField<'f>) -> Result<(), E>,
    ) -> Result<(), E> {
        MessageField::of_place(self.place).into_iter().try_for_each(&mut take)?;
        MessageField::of_origin(self.origin).into_iter().try_for_each(&mut take)?;
        self.each_own_field(take)
    }

    /// Like [`Message::each_field`], without [those of the packet](MessageField::of_place) and [those
    /// of the connection](MessageField::of_origin), which many messages share.
    ///
    /// # Errors
    ///
    /// Those of the function.
    pub fn each_own_field<'f, E>(
        &'f self,
        mut take: impl FnMut(MessageField<'f>) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(channel) = self.delivery.channel {
            take(MessageField::Channel(channel))?;
        }
        if let Some(mode) = self.delivery.mode {
            take(MessageField::Mode(mode))?;
        }
        if self.peers != Peers::default() {
            take(MessageField::Peer(self.peers))?;
        }
        take(MessageField::Offset(self.delivery.offset))?;
        take(MessageField::Len(self.bytes.len() as u64))?;
        let value = match &self.content {
            Content::Value(value) => Some(*value),
            Content::Packet(packet) => {
                take(MessageField::Rpc(packet, self.context()))?;
                if let Packet::Raw(raw) = packet { raw.as_value() } else { None }
            }
            Content::Debugger(command) => {
                take(MessageField::Debugger(command))?;
                None
            }
        };
        let Some(value) = value else { return Ok(()) };
        take(MessageField::Kind(value.kind()))?;
        take(MessageField::Value(value))
    }
}
