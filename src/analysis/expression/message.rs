//! The objects that expressions evaluate for messages of captures.

use super::value::JsonValue;
use crate::capture::MessageField;
use crate::follow::{Content, Message, Peers};
use crate::game::multiplayer::PeerId;
use core::convert::Infallible;
use core::net::SocketAddr;

impl JsonValue<'_> {
    /// Passes a message of a capture to a function, as an object. It has the fields that `gdwire
    /// decode --format ndjson` prints, in the same order:
    ///
    /// | field | meaning |
    /// |---|---|
    /// | `frame` | the number of the packet |
    /// | `time` | its time in UTC, or null |
    /// | `transport`, `src`, `dst` | the transport, and both ends with their ports |
    /// | `channel`, `mode` | ENet's channel, and how ENet sends the message |
    /// | `peer` | `source` and `target`: the ids of peers that precede the message |
    /// | `offset`, `len` | where the message starts in its stream or packet, and its length in bytes |
    /// | `kind`, `value` | the kind and the value, if the message or the content of its raw packet is a value |
    /// | `rpc` | the packet of the multiplayer API: see [`JsonValue::packet`] |
    /// | `debugger` | `command`, `thread` and `args` of a message of the debugger |
    ///
    /// ```
    /// use gdwire::capture::Messages;
    /// use gdwire::follow::Event;
    /// use gdwire::expression::{Expression, JsonValue};
    ///
    /// # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot3-rpc.pcapng"))?;
    /// let calls = Expression::parse(r#".transport == "enet" and .rpc.command == "call""#)?;
    /// let mut messages = Messages::new(&file)?;
    /// let mut selected = 0;
    /// while let Some(event) = messages.next_event() {
    ///     if let Event::Message(message) = event
    ///         && JsonValue::with_message(&message, |message| calls.selects(message))?
    ///     {
    ///         selected += 1;
    ///     }
    /// }
    /// assert_eq!(selected, 101);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_message<R>(message: &Message<'_>, read: impl FnOnce(&JsonValue<'_>) -> R) -> R {
        JsonValue::with_named_ends(message, [None; 2], read)
    }

    /// Like [`JsonValue::with_message`], with names for the sender and the receiver: `src` and `dst` are
    /// equal to their address and to their name.
    pub fn with_named_ends<R>(
        message: &Message<'_>,
        [sender, receiver]: [Option<&str>; 2],
        read: impl FnOnce(&JsonValue<'_>) -> R,
    ) -> R {
        let time = message.place.time.as_ref();
        let (src, dst) = (message.origin.src(), message.origin.dst());
        let community_id = message.origin.flow.community_id();
        let peer = |id: Option<PeerId>| id.map_or(JsonValue::NULL, |id| i64::from(id.get()).into());
        let Peers { source, target, .. } = message.peers;
        let peers = [("source", peer(source)), ("target", peer(target))];
        let command = match &message.content {
            Content::Debugger(command) => Some([
                ("command", command.name.into()),
                ("thread", command.thread.map_or(JsonValue::NULL, JsonValue::from)),
                ("args", JsonValue::arguments(command.arguments)),
            ]),
            _ => None,
        };
        let mut fields = Vec::with_capacity(MessageField::NAMES.len());
        let Ok(()) = message.each_field::<Infallible>(|field| {
            let value = match field {
                MessageField::Frame(number)
                | MessageField::Offset(number)
                | MessageField::Len(number) => number.into(),
                MessageField::Time(_) => {
                    time.map_or(JsonValue::NULL, |time| JsonValue::shown(time))
                }
                MessageField::Transport(transport) => transport.name().into(),
                MessageField::Src(_) => end(&src, sender),
                MessageField::Dst(_) => end(&dst, receiver),
                MessageField::CommunityId(_) => JsonValue::shown(&community_id),
                MessageField::Channel(channel) => u64::from(channel).into(),
                MessageField::Mode(mode) => mode.godot_name().into(),
                MessageField::Peer(_) => JsonValue::record(&peers),
                MessageField::Kind(kind) => kind.name().into(),
                MessageField::Value(value) => value.into(),
                MessageField::Rpc(packet, context) => JsonValue::packet(packet, context),
                MessageField::Debugger(_) => {
                    command.as_ref().map_or(JsonValue::NULL, |it| JsonValue::record(it))
                }
            };
            fields.push((field.name(), value));
            Ok(())
        });
        read(&JsonValue::record(&fields))
    }
}

fn end<'r>(address: &'r SocketAddr, name: Option<&'r str>) -> JsonValue<'r> {
    name.map_or_else(|| JsonValue::shown(address), |name| JsonValue::named(address, name))
}
