//! What every transport over UDP implements.

use crate::follow::carried::{Carried, Sink};
use crate::follow::place::Place;
use crate::follow::{Options, Transport};
use crate::net::{Measures, Side, enet};
use crate::packet::Datagram;

/// The reader of one connection over UDP.
pub(in crate::follow) trait ReadDatagrams: Send + Sync {
    /// Reads a datagram.
    ///
    /// # Errors
    ///
    /// The datagram is not of the transport.
    fn datagram<'d>(
        &mut self,
        from: (Side, Place),
        datagram: &Datagram<'d>,
        scratch: &mut enet::Scratch,
        sink: Sink<'_>,
    ) -> Result<(), Box<Refused<'d>>>;

    /// Ends the input: delivers what was held back.
    fn finish(&mut self, _now: Place, _sink: Sink<'_>) {}

    /// Whether an end has sent something on a channel.
    fn has_channel(&self, _from: Side, _channel: u8) -> bool {
        false
    }

    /// How far the connection is, if later datagrams may repeat messages.
    fn progress(&self) -> Option<enet::Progress> {
        None
    }

    /// Continues a connection that another reader has read.
    fn resume(&mut self, _progress: &enet::Progress) {}

    /// The measurements of what an end has sent.
    fn measures(&self, _from: Side) -> Option<&Measures> {
        None
    }

    /// How many bytes of memory the reader takes, including itself.
    fn heap_bytes(&self) -> usize;
}

/// A datagram that is not of the transport.
pub(in crate::follow) struct Refused<'d> {
    /// What is delivered for it.
    pub(in crate::follow) carried: Carried<'d>,
    /// Whether it may be of the transport, compressed in an unknown way.
    pub(in crate::follow) may_be_compressed: bool,
}

/// A transport over UDP.
#[derive(Clone, Copy)]
pub(in crate::follow) struct InDatagrams {
    pub(in crate::follow) transport: Transport,
    /// Checks whether a datagram may be the first one of a connection. Most flows never need a
    /// reader.
    pub(in crate::follow) check: fn(Side, &[u8]) -> Result<(), Box<Refused<'_>>>,
    pub(in crate::follow) reader: fn(&Options<'_>) -> Box<dyn ReadDatagrams>,
}
