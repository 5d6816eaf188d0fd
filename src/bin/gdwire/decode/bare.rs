//! Writes messages without their packets: as lossless JSON documents, or as bytes in hex.

use data_encoding::HEXLOWER;
use gdwire::capture::{Content, Message};
use gdwire::json::Spelling;
use gdwire::multiplayer::{ArgumentBytes, write_json};
use gdwire::{VariantRef, debugger, json};
use std::io::{self, Write};

pub(super) fn native(value: VariantRef<'_>, out: &mut impl Write) -> io::Result<()> {
    json::write(value, &mut *out)?;
    writeln!(out)
}

pub(super) fn native_message(message: &Message<'_>, out: &mut impl Write) -> io::Result<()> {
    match &message.content {
        Content::Value(value) => json::write(*value, &mut *out)?,
        Content::Packet(packet) => {
            let (context, bytes) = (message.context(), ArgumentBytes::Omitted);
            write_json(packet, context, Spelling::Native, bytes, &mut *out)?;
        }
        Content::Debugger(command) => {
            debugger::write_json(command, Spelling::Native, ArgumentBytes::Omitted, &mut *out)?;
        }
        _ => return Ok(()),
    }
    writeln!(out)
}

pub(super) fn hex(bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    let encoding = HEXLOWER;
    writeln!(out, "{}", encoding.encode_display(bytes))
}
