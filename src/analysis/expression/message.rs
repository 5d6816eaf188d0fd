//! The objects that expressions evaluate for messages of captures.

use super::value::Value;
use crate::capture::follow::{Content, Message, Peers};
use crate::game::multiplayer::{Packet, PeerId};
use crate::value::VariantRef;
use core::net::SocketAddr;

type Fields<'r> = Vec<(&'static str, Value<'r>)>;

impl Value<'_> {
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
    /// | `rpc` | the packet of the multiplayer API: see [`Value::packet`] |
    /// | `debugger` | `command`, `thread` and `args` of a message of the debugger |
    ///
    /// ```
    /// use gdwire::capture::{Event, Messages};
    /// use gdwire::expression::{Expression, Value};
    ///
    /// # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot3-rpc.pcapng"))?;
    /// let calls = Expression::parse(r#".transport == "enet" and .rpc.command == "call""#)?;
    /// let mut messages = Messages::new(&file)?;
    /// let mut selected = 0;
    /// while let Some(event) = messages.next_event() {
    ///     if let Event::Message(message) = event
    ///         && Value::with_message(&message, |message| calls.selects(message))?
    ///     {
    ///         selected += 1;
    ///     }
    /// }
    /// assert_eq!(selected, 101);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_message<R>(message: &Message<'_>, read: impl FnOnce(&Value<'_>) -> R) -> R {
        Value::with_named_ends(message, [None; 2], read)
    }

    /// Like [`Value::with_message`], with names for the sender and the receiver: `src` and `dst` are
    /// equal to their address and to their name.
    pub fn with_named_ends<R>(
        message: &Message<'_>,
        [sender, receiver]: [Option<&str>; 2],
        read: impl FnOnce(&Value<'_>) -> R,
    ) -> R {
        let time = &message.place.time;
        let (src, dst) = (message.origin.src(), message.origin.dst());
        let Peers { source, target, .. } = message.peers;
        let peers = [
            ("source", number(source.map(PeerId::get))),
            ("target", number(target.map(PeerId::get))),
        ];
        let mut fields = vec![
            ("frame", message.place.frame.into()),
            ("time", time.as_ref().map_or(Value::NULL, |time| Value::shown(time))),
            ("transport", message.origin.transport.name().into()),
            ("src", end(&src, sender)),
            ("dst", end(&dst, receiver)),
        ];
        fields
            .extend(message.delivery.channel.map(|channel| ("channel", u64::from(channel).into())));
        fields.extend(message.delivery.mode.map(|mode| ("mode", mode.godot_name().into())));
        if source.is_some() || target.is_some() {
            fields.push(("peer", Value::record(&peers)));
        }
        let len = message.bytes.len() as u64;
        fields.extend([("offset", message.delivery.offset.into()), ("len", len.into())]);
        let command;
        match &message.content {
            Content::Debugger(of_debugger) => {
                command = [
                    ("command", of_debugger.name.into()),
                    ("thread", of_debugger.thread.map_or(Value::NULL, Value::from)),
                    ("args", Value::arguments(of_debugger.arguments)),
                ];
                fields.push(("debugger", Value::record(&command)));
            }
            Content::Value(value) => content(&mut fields, *value),
            Content::Packet(packet) => {
                fields.push(("rpc", Value::packet(packet, message.context())));
                if let Packet::Raw(raw) = packet
                    && let Some(value) = raw.as_value()
                {
                    content(&mut fields, value);
                }
            }
        }
        read(&Value::record(&fields))
    }
}

fn end<'r>(address: &'r SocketAddr, name: Option<&'r str>) -> Value<'r> {
    name.map_or_else(|| Value::shown(address), |name| Value::named(address, name))
}

fn content<'r>(fields: &mut Fields<'r>, value: VariantRef<'r>) {
    fields.extend([("kind", value.kind().name().into()), ("value", value.into())]);
}

fn number<'r>(number: Option<i32>) -> Value<'r> {
    number.map_or(Value::NULL, |number| i64::from(number).into())
}
