//! A packet as it was captured.

use super::link::LinkType;
use super::time::Time;
use core::fmt;

/// A packet as it was captured.
///
/// ```
/// use gdwire::packet::{LinkType, Packet, Payload};
///
/// // IPv4 and UDP headers, and the payload "hi".
/// let bytes = b"\x45\0\0\x1e\0\0\0\0\x40\x11\0\0\x0a\0\0\x01\x0a\0\0\x02\x23\x28\x23\x29\0\x0a\0\0hi";
/// let packet = Packet::new(LinkType::RAW, bytes).with_frame(1);
/// let Payload::Udp(datagram) = packet.payload() else { return Err("not UDP") };
/// assert_eq!((datagram.src.to_string(), datagram.payload), ("10.0.0.1:9000".into(), &b"hi"[..]));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Packet<'a> {
    /// Its number in the capture, counted from 1, as Wireshark's `frame.number`.
    pub frame: u64,
    /// The number of its file, from 0, if several files are read as one capture.
    pub file: u32,
    /// The offset of [`Packet::data`] in the file, in bytes.
    pub offset: u64,
    /// When it was captured. A pcapng file may have packets without a time.
    pub time: Option<Time>,
    /// The type of its first header.
    pub link_type: LinkType,
    /// The captured bytes, from the first header on.
    pub data: &'a [u8],
    /// How many bytes it had on the network, from the first header on.
    pub original_len: u32,
}

impl<'a> Packet<'a> {
    /// A packet that was captured as a whole. Its frame number is 0, and it has no time.
    #[must_use]
    pub const fn new(link_type: LinkType, data: &'a [u8]) -> Packet<'a> {
        let original_len =
            if data.len() > u32::MAX as usize { u32::MAX } else { data.len() as u32 };
        Packet { frame: 0, file: 0, offset: 0, time: None, link_type, data, original_len }
    }

    /// The same packet with a frame number.
    #[must_use]
    pub const fn with_frame(self, frame: u64) -> Packet<'a> {
        Packet { frame, ..self }
    }

    /// The same packet with the number of its file.
    #[must_use]
    pub const fn with_file(self, file: u32) -> Packet<'a> {
        Packet { file, ..self }
    }

    /// The same packet with the time at which it was captured.
    #[must_use]
    pub const fn with_time(self, time: Time) -> Packet<'a> {
        Packet { time: Some(time), ..self }
    }

    /// The same packet with the number of bytes that it had on the network. It is larger than the
    /// length of [`Packet::data`] if the rest was not captured.
    #[must_use]
    pub const fn with_original_len(self, original_len: u32) -> Packet<'a> {
        Packet { original_len, ..self }
    }

    /// Whether the packet had more bytes on the network than were captured.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        (self.data.len() as u64) < self.original_len as u64
    }
}

impl fmt::Debug for Packet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Packet { frame, file, offset, time, link_type, data, original_len, .. } = self;
        debug_fields!(f, Packet {
            frame, file, offset, time, link_type, len = data.len(), original_len
        })
    }
}
