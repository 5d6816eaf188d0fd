//! Whether a packet opens another connection between two ends that had one before.

use crate::capture::{Datagram, Segment};
use crate::net::Side;
use crate::net::enet::{self, Body, RangeDecoder};

/// A segment that was captured before the SYN of its stream is not so many bytes behind it.
const REORDERED: u32 = 1 << 16;

/// So few datagrams of ENet that were captured before a connect command may have overtaken it.
const OVERTAKING: u64 = 16;

/// By what a connection can be told from the next one: for each end, the sequence number of TCP
/// that it began with, as far as is known, or the connect id that it chose for ENet.
#[derive(Clone, Copy, Default)]
pub(super) struct Opened {
    first: Option<u32>,
    second: Option<u32>,
}

impl Opened {
    fn of(&mut self, side: Side) -> &mut Option<u32> {
        match side {
            Side::First => &mut self.first,
            Side::Second => &mut self.second,
        }
    }

    /// Whether a segment opens another connection than those before it. A SYN that is sent again
    /// does not, nor does one that comes later than what was sent after it.
    pub(super) fn segment(&mut self, from: Side, segment: &Segment<'_>) -> bool {
        if segment.is_reset {
            return false;
        }
        let is_syn = segment.is_syn;
        let number = segment.sequence.wrapping_sub(u32::from(!is_syn));
        let known = *self.of(from);
        let is_new = is_syn && known.is_some_and(|first| first.wrapping_sub(number) >= REORDERED);
        if is_new {
            *self = Opened::default();
        }
        self.of(from).get_or_insert(number);
        // The SYN that it answers may come later, or may not have been captured.
        if let Some(next) = segment.acknowledgement {
            self.of(from.other()).get_or_insert(next.wrapping_sub(1));
        }
        is_new
    }

    /// Whether a datagram opens another connection of ENet than those before it, which were `before`
    /// in number.
    pub(super) fn datagram(
        &mut self,
        (from, before): (Side, u64),
        datagram: &Datagram<'_>,
        decompressor: &mut Decompressor,
    ) -> bool {
        let Some(id) = decompressor.connect_id(datagram) else { return false };
        let is_none = self.first.is_none() && self.second.is_none();
        // Both ends may connect to each other at once.
        let known = self.of(from).replace(id);
        known.map_or(is_none && before >= OVERTAKING, |known| known != id)
    }
}

/// For what is compressed of the datagrams that open a connection.
#[derive(Default)]
pub(super) struct Decompressor {
    decoder: RangeDecoder,
    decompressed: Vec<u8>,
}

impl Decompressor {
    /// The id of the connection that a datagram opens.
    fn connect_id(&mut self, datagram: &Datagram<'_>) -> Option<u32> {
        let [high, low] = datagram.payload.first_chunk().copied()?;
        // It is sent to no peer yet: 4095 in the lower twelve bits.
        if high & 0x0f != 0x0f || low != 0xff || datagram.missing > 0 {
            return None;
        }
        let Decompressor { decoder, decompressed } = self;
        let datagram = enet::Datagram::parse_with(datagram.payload, decoder, decompressed).ok()?;
        datagram.commands().find_map(|command| match command.body {
            Body::Connect(connect) => Some(connect.parameters.connect_id),
            _ => None,
        })
    }
}
