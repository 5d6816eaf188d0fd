//! Explains the header that the multiplayer peers of Godot 3 put before a message: its sender and
//! its receiver.

use super::out::{Explained, FieldWriter, Stopped};
use crate::net::enet::godot::PeerHeader;
use core::fmt::Display;

/// The length of the header over ENet, in bytes.
pub(super) const ENET: usize = 8;

/// The length of the header over WebSocket, in bytes.
pub(super) const WEBSOCKET: usize = 9;

/// Explains the header at the start of a payload, and returns whether it is there.
pub(super) fn of_enet(out: &mut FieldWriter<'_, '_>, payload: &[u8]) -> Result<bool, Stopped> {
    let Some((PeerHeader { source, target }, _)) = PeerHeader::split(payload) else {
        return Ok(false);
    };
    out.field(4, 0, "source peer", source)?;
    out.field(4, 0, "target peer", target)?;
    Ok(true)
}

/// Explains the header over WebSocket, which starts at the next byte.
pub(super) fn of_websocket(out: &mut FieldWriter<'_, '_>, kind: impl Display) -> Explained {
    out.field(1, 0, "kind", kind)?;
    for name in ["source peer", "target peer"] {
        let peer = out.unexplained().first_chunk().map_or(0, |peer| i32::from_le_bytes(*peer));
        out.field(4, 0, name, peer)?;
    }
    Ok(())
}
