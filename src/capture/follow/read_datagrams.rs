//! Readers of connections over UDP: the table of transports, and the reader of ENet.

use super::{
    Carried, Cause, Options, Place, Reason, Sent, TakeCarried, Transport, TransportMessage,
};
use crate::game::multiplayer::PeerId;
use crate::net::packet::{Time, UdpDatagram};
use crate::net::{Between, Measures, Side, enet};

/// The reader of one connection over UDP.
pub enum DatagramReader {
    Enet(Box<EnetReader>),
}

impl DatagramReader {
    /// Reads a datagram.
    ///
    /// # Errors
    ///
    /// The datagram is not of the transport.
    #[inline(always)]
    pub fn datagram<'d>(
        &mut self,
        from: Side,
        now: Place,
        datagram: &UdpDatagram<'d>,
        scratch: &mut enet::Scratch,
        sink: &mut (impl TakeCarried + ?Sized),
    ) -> Result<(), Box<Refused<'d>>> {
        match self {
            DatagramReader::Enet(reader) => reader.datagram(from, now, datagram, scratch, sink),
        }
    }

    /// Ends the input: delivers what was held back.
    pub fn finish(&mut self, now: Place, sink: &mut (impl TakeCarried + ?Sized)) {
        match self {
            DatagramReader::Enet(reader) => {
                reader.session.finish(&mut |event| give_enet(event, now, &reader.marks, sink));
            }
        }
    }

    /// Whether an end has sent something on a channel.
    pub fn has_channel(&self, from: Side, channel: u8) -> bool {
        self.enet().is_some_and(|reader| reader.session.has_channel(from, channel))
    }

    /// How far the connection is, if later datagrams may repeat messages.
    pub fn progress(&self) -> Option<enet::SessionProgress> {
        self.enet().map(|reader| reader.session.progress())
    }

    /// The measurements of what an end has sent.
    pub fn measures(&self, from: Side) -> Option<&Measures> {
        Some(self.enet()?.meter.as_ref()?.measures(from))
    }

    /// The reader of ENet, the only transport here with channels, repeated messages and measurements.
    const fn enet(&self) -> Option<&EnetReader> {
        match self {
            DatagramReader::Enet(reader) => Some(reader),
        }
    }

    /// Continues a connection that another reader has read.
    pub fn resume(&mut self, progress: &enet::SessionProgress) {
        match self {
            DatagramReader::Enet(reader) => reader.session.resume(progress),
        }
    }

    /// How many bytes of memory the reader takes, including itself.
    pub fn heap_bytes(&self) -> usize {
        match self {
            DatagramReader::Enet(reader) => reader.heap_bytes(),
        }
    }
}

/// A datagram that is not of the transport.
pub struct Refused<'d> {
    /// The content that is delivered for it: an unknown datagram or a loss.
    pub carried: Carried<'d>,
    /// Whether it may be of the transport, compressed in an unknown way.
    pub may_be_compressed: bool,
}

/// A transport over UDP.
#[derive(Clone, Copy)]
pub struct InDatagrams {
    pub transport: Transport,
    /// Checks whether a datagram may be the first one of a connection. Most flows never need a
    /// reader.
    pub check: fn(Side, &[u8]) -> Result<(), Box<Refused<'_>>>,
    pub reader: fn(&Options<'_>) -> DatagramReader,
}

/// The transports over UDP, apart from the one that needs no reader: [`Transport::Udp`].
const IN_DATAGRAMS: [InDatagrams; 1] =
    [InDatagrams { transport: Transport::Enet, check: check_enet, reader: enet_reader }];

/// The transports over UDP that a connection may have.
pub fn in_datagrams(options: &Options<'_>) -> impl Iterator<Item = InDatagrams> {
    IN_DATAGRAMS.into_iter().filter(|it| options.admits_transport(it.transport))
}

/// The reader of a connection over ENet.
pub struct EnetReader {
    session: enet::Session<Place>,
    meter: Option<Box<enet::Meter>>,
    marks: (Marks, Marks),
}

/// The times of two datagrams of one end: of one among the last 16, and of one 16 before that.
#[derive(Clone, Copy, Default)]
struct Marks {
    older: Option<Time>,
    newer: Option<Time>,
    since: u8,
}

impl Marks {
    const EACH: u8 = 16;

    const fn note(&mut self, time: Option<Time>) {
        self.since = self.since.saturating_add(1);
        if self.since >= Marks::EACH {
            *self = Marks { older: self.newer, newer: time, since: 0 };
        }
    }

    /// Whether the end has gone on sending for so long after something that it would have sent it
    /// again. The last datagrams do not count: they may have been sent after a pause.
    fn are_long_after(&self, before: Option<Place>) -> bool {
        let before = before.and_then(|before| before.time);
        self.older.zip(before).is_some_and(|(older, before)| {
            older.as_nanos().saturating_sub(before.as_nanos()) >= enet::RESENT_WITHIN
        })
    }
}

/// Makes a reader for a new connection.
pub fn enet_reader(options: &Options<'_>) -> DatagramReader {
    let session = enet::Session::new(options.limits.enet());
    let meter = options.is_measuring.then(Box::default);
    DatagramReader::Enet(Box::new(EnetReader { session, meter, marks: Default::default() }))
}

/// Checks whether a first datagram may be ENet.
pub fn check_enet(from: Side, payload: &[u8]) -> Result<(), Box<Refused<'_>>> {
    match enet::Datagram::parse(payload) {
        Ok(_) | Err(enet::Error { problem: enet::Problem::Compressed, .. }) => Ok(()),
        Err(error) => Err(refused(from, payload, error)),
    }
}

impl EnetReader {
    #[inline]
    fn datagram<'d>(
        &mut self,
        from: Side,
        now: Place,
        datagram: &UdpDatagram<'d>,
        scratch: &mut enet::Scratch,
        sink: &mut (impl TakeCarried + ?Sized),
    ) -> Result<(), Box<Refused<'d>>> {
        let UdpDatagram { payload, missing, .. } = *datagram;
        let EnetReader { session, meter, marks } = self;
        let sink = &mut |event: enet::SessionEvent<'_, Place>| give_enet(event, now, marks, sink);
        let observe = &mut |datagram: &enet::Datagram<'_>| {
            if let Some(meter) = meter {
                meter.datagram(from, now.time.map(Time::as_nanos), datagram);
            }
        };
        let result = session.receive_with(scratch, (from, now), payload, missing, observe, sink);
        let (first, second) = marks;
        from.of_mut(first, second).note(now.time);
        result.map_err(|error| refused(from, payload, error))
    }

    fn heap_bytes(&self) -> usize {
        let meter = self.meter.as_deref();
        let meter = meter.map_or(0, |it| size_of_val(it).saturating_add(it.heap_bytes()));
        let own = size_of_val(self).saturating_add(self.session.heap_bytes());
        own.saturating_add(meter)
    }
}

#[inline(always)]
fn give_enet(
    event: enet::SessionEvent<'_, Place>,
    now: Place,
    (first, second): &(Marks, Marks),
    sink: &mut (impl TakeCarried + ?Sized),
) {
    let sent = |from, place| Sent { transport: Transport::Enet, from, place };
    match event {
        enet::SessionEvent::Message(message) => {
            let mut carried = TransportMessage::new(message.payload, message.offset as u64);
            carried.delivery.channel = Some(message.channel);
            carried.delivery.mode = Some(message.mode);
            carried.delivery.sequence = Some(message.number);
            sink.message(sent(message.from, message.tag), carried);
        }
        enet::SessionEvent::Connected(connected) => {
            let id = PeerId::new(connected.data.cast_signed());
            sink.other(sent(connected.from, now), Carried::Client(id, connected.connect_id));
        }
        enet::SessionEvent::Lost(mut loss, between) => {
            // Its acknowledgement is not in the capture either.
            if loss.reason == enet::LossReason::Unacknowledged
                && loss.from.of(first, second).are_long_after(between.before)
            {
                loss.reason = enet::LossReason::NotSeen;
            }
            sink.other(sent(loss.from, now), Carried::Lost(Cause::Enet(loss), between));
        }
        enet::SessionEvent::Disconnected { from, .. } => {
            sink.other(sent(from, now), Carried::Disconnected);
        }
    }
}

/// A refused datagram. It is delivered as a loss if a limit is the reason.
fn refused(from: Side, payload: &[u8], error: enet::Error) -> Box<Refused<'_>> {
    let carried = if error.problem == enet::Problem::TooMuchWork {
        let (lost, reason) = (enet::Lost::Rest { len: payload.len() }, enet::LossReason::Work);
        let loss = enet::LostMessage { from, channel: None, lost, reason };
        Carried::Lost(Cause::Enet(loss), &Between::UNKNOWN)
    } else {
        Carried::Other(payload, Reason::NoEnet(error))
    };
    let may_be_compressed = error.problem == enet::Problem::UnknownCompression;
    Box::new(Refused { carried, may_be_compressed })
}
