//! Recognizes packets that open a further connection between the same two ends.

use crate::net::Side;
use crate::net::enet::{self, Body, RangeDecoder};
use crate::packet::{Datagram, Segment};

/// A segment captured before the SYN of its stream is less than this many bytes after it.
const REORDERED: u32 = 1 << 16;

/// Up to this many ENet datagrams captured before a connect command may belong to it.
const OVERTAKING: u64 = 16;

/// What distinguishes a connection from the next one: for each end, its initial TCP sequence
/// number, if it is known, or the connect id that it chose for ENet.
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

    /// Whether a segment opens a new connection. A repeated SYN does not, nor does one that was
    /// captured after later segments of its connection.
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
        // The SYN that it answers may be captured later, or not at all.
        if let Some(next) = segment.acknowledgement {
            self.of(from.other()).get_or_insert(next.wrapping_sub(1));
        }
        is_new
    }

    /// Whether a datagram opens a new ENet connection, after `before` datagrams of the flow.
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

/// Decompresses datagrams that may open a connection.
#[derive(Default)]
pub(super) struct Decompressor {
    decoder: RangeDecoder,
    decompressed: Vec<u8>,
}

impl Decompressor {
    /// The id of the connection that a datagram opens.
    fn connect_id(&mut self, datagram: &Datagram<'_>) -> Option<u32> {
        let [high, low] = datagram.payload.first_chunk().copied()?;
        // The receiver's peer id is not assigned yet: the lower twelve bits are 4095.
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
