//! What every transport over UDP implements.

use crate::capture::follow::carried::{Carried, Sink};
use crate::capture::follow::place::Place;
use crate::capture::follow::{Options, Transport};
use crate::net::packet::Datagram;
use crate::net::{Measures, Side, enet};

/// The reader of one connection over UDP.
pub(crate) trait ReadDatagrams: Send + Sync {
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
pub(crate) struct Refused<'d> {
    /// What is delivered for it.
    pub(crate) carried: Carried<'d>,
    /// Whether it may be of the transport, compressed in an unknown way.
    pub(crate) may_be_compressed: bool,
}

/// A transport over UDP.
#[derive(Clone, Copy)]
pub(crate) struct InDatagrams {
    pub(crate) transport: Transport,
    /// Checks whether a datagram may be the first one of a connection. Most flows never need a
    /// reader.
    pub(crate) check: fn(Side, &[u8]) -> Result<(), Box<Refused<'_>>>,
    pub(crate) reader: fn(&Options<'_>) -> Box<dyn ReadDatagrams>,
}
