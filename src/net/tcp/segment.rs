//! A segment of TCP.

use core::fmt;

/// A segment of one direction of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Segment<'a, T = ()> {
    /// The sequence number of the payload's first byte, or of the SYN.
    pub sequence: u32,
    /// Whether it opens the stream: SYN.
    pub is_syn: bool,
    /// Whether it ends the stream: FIN.
    pub is_fin: bool,
    /// Whether it aborts the connection: RST. Its payload does not belong to the stream.
    pub is_reset: bool,
    /// The captured part of its payload.
    pub payload: &'a [u8],
    /// How many bytes at the end of the payload were not captured.
    pub missing: usize,
    /// The caller's tag, which the messages in it get.
    pub tag: T,
}

impl<'a> Segment<'a> {
    /// A segment without flags and without a tag that was captured completely.
    #[must_use]
    pub const fn new(sequence: u32, payload: &'a [u8]) -> Segment<'a> {
        let (is_syn, is_fin, is_reset) = (false, false, false);
        Segment { sequence, is_syn, is_fin, is_reset, payload, missing: 0, tag: () }
    }
}

impl<'a, T: Copy> Segment<'a, T> {
    /// This segment, with the flag SYN: it opens the stream.
    #[must_use]
    pub const fn with_syn(self) -> Segment<'a, T> {
        Segment { is_syn: true, ..self }
    }

    /// This segment, with the flag FIN: it ends the stream.
    #[must_use]
    pub const fn with_fin(self) -> Segment<'a, T> {
        Segment { is_fin: true, ..self }
    }

    /// This segment, with the flag RST: it aborts the connection.
    #[must_use]
    pub const fn with_reset(self) -> Segment<'a, T> {
        Segment { is_reset: true, ..self }
    }

    /// This segment, with a number of bytes at the end of the payload that were not captured.
    #[must_use]
    pub const fn with_missing(self, missing: usize) -> Segment<'a, T> {
        Segment { missing, ..self }
    }

    /// This segment, with a tag of the caller's choice, for example the number of its packet.
    #[must_use]
    pub const fn with_tag<U: Copy>(self, tag: U) -> Segment<'a, U> {
        let Segment { sequence, is_syn, is_fin, is_reset, payload, missing, .. } = self;
        Segment { sequence, is_syn, is_fin, is_reset, payload, missing, tag }
    }
}

impl<T: fmt::Debug> fmt::Debug for Segment<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Segment { sequence, is_syn, is_fin, is_reset, payload, missing, tag, .. } = self;
        debug_fields!(f, Segment {
            sequence, is_syn, is_fin, is_reset, len = payload.len(), missing, tag
        })
    }
}
