//! How many frames packets took on the network.

/// The frames of some packets, as they were on the network.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Wire {
    /// How many frames: more than packets if IP packets were sent in fragments.
    pub frames: u64,
    /// Their bytes, headers included: of the link, of IP and of UDP or TCP, as Wireshark counts them.
    /// Packets from [`Follower::ip`](super::Follower::ip) have no link header.
    pub bytes: u64,
}

impl Wire {
    pub(super) const fn of_frame(bytes: u32) -> Wire {
        Wire { frames: 1, bytes: bytes as u64 }
    }

    pub(super) const fn plus(self, other: Wire) -> Wire {
        Wire {
            frames: self.frames.saturating_add(other.frames),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    pub(super) const fn minus(self, other: Wire) -> Wire {
        Wire {
            frames: self.frames.saturating_sub(other.frames),
            bytes: self.bytes.saturating_sub(other.bytes),
        }
    }
}
