//! Explains the bytes of a message itself, whatever headers precede it.

use super::out::{Explained, FieldWriter, Stopped};
use super::text::ByteCount;
use super::{packet, peers, value};
use crate::capture::follow::{Content, Message, Transport};
use crate::game::debugger::{DebuggerCommand, LENGTH};
use crate::game::multiplayer::{MultiplayerProtocol, Packet};
use crate::value::ReadOptions;
use core::fmt::Display;

/// Where a message is in relation to a packet that was explained.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    /// In the packet, or in its decompressed content. It was explained there.
    Explained,
    /// In several packets, one of which is this packet.
    Parted,
    /// In several packets, or alone in this one; its bytes are masked by WebSocket.
    Masked,
    /// In several packets, or alone in this one; its bytes are compressed by WebSocket.
    Compressed,
    /// Its place in the packet is not known.
    Unknown,
}

/// The result of explaining what precedes a message.
pub(super) type Located = Result<Where, Stopped>;

/// Explains the next bytes, which are the message.
pub(super) fn body(out: &mut FieldWriter<'_, '_>, message: &Message<'_>) -> Explained {
    let (len, dialect) = (message.bytes.len(), message.dialect);
    let end = out.at().saturating_add(len);
    match &message.content {
        Content::Value(_) => value::of_bytes(out, dialect.into(), end, 0, "value"),
        Content::Packet(Packet::PeerAdded { .. } | Packet::PeerRemoved { .. })
            if MultiplayerProtocol::of(dialect) != MultiplayerProtocol::Godot4 =>
        {
            own(out, message)
        }
        Content::Debugger(command) => debugger(out, command, end, dialect.into()),
        Content::Packet(_) => {
            let read = (MultiplayerProtocol::of(dialect), dialect.into());
            packet::of_bytes(out, read, message.context(), len)
        }
    }
}

/// Explains a message of the remote debugger, which ends before `end`.
fn debugger(
    out: &mut FieldWriter<'_, '_>,
    command: &DebuggerCommand<'_>,
    end: usize,
    options: ReadOptions,
) -> Explained {
    let Some([name, arguments]) = command.frames else {
        return value::of_bytes(out, options, end, 0, "debugger's message");
    };
    let start = out.at();
    value::of_bytes(out, options, start.saturating_add(name), 0, "command")?;
    frame(out, options, start.saturating_add(arguments), "number of arguments")?;
    for (place, (_, len)) in command.arguments.with_lengths().enumerate() {
        let rest = end.saturating_sub(out.at());
        if out.is_spent() || place >= out.items {
            return out.field(rest, 0, "more arguments", ByteCount(rest));
        }
        let end = out.at().saturating_add(len);
        frame(out, options, end, format_args!("argument {place}"))?;
    }
    Ok(())
}

/// Explains a frame with a value, which ends before `end`.
fn frame(
    out: &mut FieldWriter<'_, '_>,
    options: ReadOptions,
    end: usize,
    name: impl Display,
) -> Explained {
    let len = end.saturating_sub(out.at()).saturating_sub(LENGTH);
    out.field(LENGTH, 0, "length", ByteCount(len))?;
    value::of_bytes(out, options, end, 0, name)
}

/// The length that precedes a message over TCP: that of its first frame.
pub(super) fn first_length(message: &Message<'_>) -> usize {
    match &message.content {
        Content::Debugger(DebuggerCommand { frames: Some([name, _]), .. }) => *name,
        _ => message.bytes.len(),
    }
}

/// Explains a message that the multiplayer peers of Godot 3 and Pandemonium themselves send.
fn own(out: &mut FieldWriter<'_, '_>, message: &Message<'_>) -> Explained {
    let Content::Packet(own) = &message.content else { return Ok(()) };
    let name = own.command();
    match message.origin.transport {
        Transport::WebSocket => peers::of_websocket(out, name)?,
        _ => out.field(4, 0, "system message", name)?,
    }
    if let Packet::PeerAdded { peer } | Packet::PeerRemoved { peer } = own {
        out.field(4, 0, "peer", peer)?;
    }
    Ok(())
}
