//! A message as `--where` sees it: the fields that `--format ndjson` prints, in the same order.

use gdwire::VariantRef;
use gdwire::capture::{Content, Message, Peers};
use gdwire::expression::Value;
use gdwire::multiplayer::Packet;

type Fields<'r> = Vec<(&'static str, Value<'r>)>;

/// Passes the fields of a message of a capture to a function.
pub(super) fn of_message<R>(message: &Message<'_>, read: impl FnOnce(&Value<'_>) -> R) -> R {
    let time = &message.place.time;
    let (src, dst) = (message.origin.src(), message.origin.dst());
    let Peers { source, target, .. } = message.peers;
    let peers = [("source", number(source)), ("target", number(target))];
    let mut fields = vec![
        ("frame", message.place.frame.into()),
        ("time", time.as_ref().map_or(Value::NULL, |time| Value::shown(time))),
        ("transport", message.origin.transport.name().into()),
        ("src", Value::shown(&src)),
        ("dst", Value::shown(&dst)),
    ];
    fields.extend(message.channel.map(|channel| ("channel", u64::from(channel).into())));
    fields.extend(message.mode.map(|mode| ("mode", mode.godot_name().into())));
    if source.is_some() || target.is_some() {
        fields.push(("peer", Value::record(&peers)));
    }
    place(&mut fields, message.offset, message.bytes.len());
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
        _ => {}
    }
    read(&Value::record(&fields))
}

/// Passes the fields of a value of another file to a function.
pub(super) fn of_value<R>(
    offset: u64,
    value: VariantRef<'_>,
    read: impl FnOnce(&Value<'_>) -> R,
) -> R {
    let mut fields = Vec::new();
    place(&mut fields, offset, value.as_bytes().len());
    content(&mut fields, value);
    read(&Value::record(&fields))
}

fn place(fields: &mut Fields<'_>, offset: u64, len: usize) {
    fields.extend([("offset", offset.into()), ("len", Value::from(len as u64))]);
}

fn content<'r>(fields: &mut Fields<'r>, value: VariantRef<'r>) {
    fields.extend([("kind", value.kind().name().into()), ("value", value.into())]);
}

fn number<'r>(number: Option<i32>) -> Value<'r> {
    number.map_or(Value::NULL, |number| i64::from(number).into())
}
