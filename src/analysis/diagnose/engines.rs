//! The versions of Godot 4 that an end of a connection can have, by its packets.

use crate::game::multiplayer::{ConfirmPath, Form, Node, Packet};
use crate::value::view::ElementTypeRef;
use crate::value::walk::{Event, WalkStack};
use crate::value::{Dialect, Kind, VariantRef, View};
use core::fmt;

/// The versions in which something changed on the wire.
const VERSIONS: [&str; 7] = ["4.0", "4.1", "4.2", "4.3", "4.4", "4.6.2", "4.6.3"];

/// The places of some of them.
const V4_1: u8 = 1;
const V4_2: u8 = 2;
const V4_3: u8 = 3;
const V4_4: u8 = 4;
const V4_6_2: u8 = 5;
const LAST: u8 = 6;

/// A range of versions of Godot 4. `Display` shows it: `Godot 4.3 to 4.6.2`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EngineVersions {
    least: u8,
    most: u8,
}

impl Default for EngineVersions {
    fn default() -> EngineVersions {
        EngineVersions { least: 0, most: LAST }
    }
}

impl EngineVersions {
    /// Whether nothing has excluded a version.
    #[must_use]
    pub fn is_any(self) -> bool {
        self == EngineVersions::default()
    }

    /// Whether a version is in both ranges.
    #[must_use]
    pub const fn meets(self, other: EngineVersions) -> bool {
        self.least <= other.most && other.least <= self.most
    }

    /// Both ends as a number, for a finding.
    pub(super) fn packed(self) -> u64 {
        u64::from(self.least) << 8 | u64::from(self.most)
    }

    /// The range of such a number.
    pub(super) const fn unpacked(number: u64) -> EngineVersions {
        EngineVersions { least: (number >> 8) as u8, most: number as u8 }
    }

    const fn at_least(&mut self, version: u8) {
        if version > self.least {
            self.least = version;
        }
    }

    const fn at_most(&mut self, version: u8) {
        if version < self.most {
            self.most = version;
        }
    }

    /// Excludes versions that do not send a packet in this way.
    pub(super) fn note(&mut self, packet: &Packet<'_>, stack: &mut WalkStack) {
        match packet {
            // A relayed packet was written by another peer.
            Packet::Relay(_) => return,
            Packet::ConfirmPath(ConfirmPath { node, is_valid: Some(_), .. }) => match node {
                Node::Path(_) => self.at_most(V4_2),
                Node::Id(_) => self.at_least(V4_3),
            },
            Packet::Delta(_) => self.at_least(V4_1),
            _ => {}
        }
        packet.each_argument(&mut |argument| {
            if let Form::Value(value) = argument.form()
                && value.dialect().with_double_reals() == Dialect::GODOT_4.with_double_reals()
            {
                self.note_value(value, stack);
            }
        });
    }

    fn note_value(&mut self, value: VariantRef<'_>, stack: &mut WalkStack) {
        let kind = value.kind();
        if !matches!(kind, Kind::Array | Kind::Dictionary | Kind::Object) {
            return self.note_leaf(value);
        }
        value.walk(stack).for_each(|event| match event {
            Event::Value(_, leaf) => self.note_leaf(leaf),
            Event::Begin(_, container) => {
                let is_typed =
                    container.element_types().iter().any(|it| *it != ElementTypeRef::Any);
                match container.kind() {
                    Kind::Array if is_typed => self.at_least(V4_3),
                    Kind::Dictionary if is_typed => self.at_least(V4_4),
                    _ => {}
                }
            }
            Event::Property(_) | Event::End(_) => {}
        });
    }

    fn note_leaf(&mut self, value: VariantRef<'_>) {
        match value.view() {
            View::NodePath(_) if has_padding(value.as_bytes()) => self.at_most(V4_6_2),
            _ if value.kind() == Kind::PackedVector4Array => self.at_least(V4_3),
            _ => {}
        }
    }
}

impl fmt::Display for EngineVersions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |place: u8| VERSIONS.get(usize::from(place)).copied().unwrap_or_default();
        match (self.least, self.most) {
            (least, most) if least == most => write!(f, "Godot {}", name(least)),
            (least, LAST) => write!(f, "Godot {} or later", name(least)),
            (least, most) => write!(f, "Godot {} to {}", name(least), name(most)),
        }
    }
}

/// Whether the padding of a node path is not zero. The engine left what its buffer held there up to
/// version 4.6.2.
fn has_padding(bytes: &[u8]) -> bool {
    let number = |at: usize| {
        let bytes = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes)) as usize
    };
    let mut at = 16_usize;
    while at < bytes.len() {
        let end = at.saturating_add(4).saturating_add(number(at));
        let next = end.next_multiple_of(4);
        if bytes.get(end..next).is_some_and(|padding| padding.iter().any(|byte| *byte != 0)) {
            return true;
        }
        at = next;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::EngineVersions;
    use crate::Dialect;
    use crate::game::multiplayer::{MultiplayerProtocol, parse};
    use crate::value::walk::WalkStack;

    fn of(packets: &[&[u8]]) -> EngineVersions {
        let mut versions = EngineVersions::default();
        for packet in packets {
            let packet = parse(MultiplayerProtocol::Godot4, Dialect::GODOT_4, packet).unwrap();
            versions.note(&packet, &mut WalkStack::new());
        }
        versions
    }

    #[test]
    fn packets_exclude_versions() {
        let with_path: &[u8] = b"\x02\x01Main/World\0";
        let with_id: &[u8] = b"\x02\x01\x03\0\0\0";
        // A call with a typed array, and one with a node path whose padding is not zero.
        let typed: &[u8] = b"\0\x02\0\x01\x1c\0\x01\0\x02\0\0\0\0\0\0\0";
        let padded: &[u8] = b"\0\x02\0\x01\x16\0\0\0\x01\0\0\x80\0\0\0\0\0\0\0\0\x01\0\0\0a\0x\0";
        for (packets, shown) in [
            (&[][..], "Godot 4.0 or later"),
            (&[with_path], "Godot 4.0 to 4.2"),
            (&[with_id], "Godot 4.3 or later"),
            (&[typed], "Godot 4.3 or later"),
            (&[with_id, padded], "Godot 4.3 to 4.6.2"),
        ] {
            assert_eq!(of(packets).to_string(), shown, "{packets:?}");
        }
        assert!(!of(&[with_path]).meets(of(&[with_id])));
        assert!(of(&[padded]).meets(of(&[with_id])));
        let range = of(&[with_id, padded]);
        assert_eq!(EngineVersions::unpacked(range.packed()), range);
    }
}
