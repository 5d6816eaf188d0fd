//! The frames that carried packets on the network.

/// Counts of the frames that carried some packets.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Wire {
    /// How many frames: more than there are packets if IP packets were sent in fragments.
    pub frames: u64,
    /// How many bytes these frames had, including the headers of the link, of IP and of UDP or TCP,
    /// as Wireshark counts them. Packets from [`Follower::ip`](super::Follower::ip) have no link
    /// header.
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
