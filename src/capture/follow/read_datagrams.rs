//! The reader of connections over ENet.

use super::{
    Carried, Cause, Options, Place, Reason, Sent, TakeCarried, Transport, TransportMessage,
};
use crate::game::multiplayer::PeerId;
use crate::net::packet::{Time, UdpDatagram};
use crate::net::{Between, Measures, Side, enet};

/// A datagram that is not ENet.
pub struct Refused<'d> {
    /// The content that is delivered for it: an unknown datagram or a loss.
    pub carried: Carried<'d>,
    /// Whether it may be ENet, compressed in an unknown way.
    pub may_be_compressed: bool,
}

/// The reader of one connection.
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

/// Checks whether a first datagram may be ENet. Most flows never need a reader.
pub fn check_enet(from: Side, payload: &[u8]) -> Result<(), Box<Refused<'_>>> {
    match enet::Datagram::parse(payload) {
        Ok(_) | Err(enet::Error { problem: enet::Problem::Compressed, .. }) => Ok(()),
        Err(error) => Err(refused(from, payload, error)),
    }
}

impl EnetReader {
    /// Makes a reader for a new connection.
    pub fn new(options: &Options<'_>) -> Box<EnetReader> {
        let session = enet::Session::new(options.limits.enet());
        let meter = options.is_measuring.then(Box::default);
        Box::new(EnetReader { session, meter, marks: Default::default() })
    }

    /// Reads a datagram.
    ///
    /// # Errors
    ///
    /// The datagram is not ENet.
    #[inline]
    pub fn datagram<'d>(
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

    /// Ends the input: delivers what was held back.
    pub fn finish(&mut self, now: Place, sink: &mut (impl TakeCarried + ?Sized)) {
        self.session.finish(&mut |event| give_enet(event, now, &self.marks, sink));
    }

    /// Whether an end has sent something on a channel.
    pub fn has_channel(&self, from: Side, channel: u8) -> bool {
        self.session.has_channel(from, channel)
    }

    /// How far the connection is, as later datagrams may repeat messages.
    pub fn progress(&self) -> enet::SessionProgress {
        self.session.progress()
    }

    /// Continues a connection that another reader has read.
    pub fn resume(&mut self, progress: &enet::SessionProgress) {
        self.session.resume(progress);
    }

    /// The measurements of what an end has sent.
    pub fn measures(&self, from: Side) -> Option<&Measures> {
        Some(self.meter.as_ref()?.measures(from))
    }

    /// How many bytes of memory the reader takes, including itself.
    pub fn heap_bytes(&self) -> usize {
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
