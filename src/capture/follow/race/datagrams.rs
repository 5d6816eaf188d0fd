//! The race for a connection over UDP: either its datagrams are messages, or they are those of
//! another transport.

use super::{Backlog, BacklogBytes, Contender, Readings, Remaining};
use crate::capture::follow::{
    Carried, Classification, ConnectionState, DatagramReader, InDatagrams, Options, Place, Sent,
    Transport, TransportMessage, Trust, in_datagrams,
};
use crate::net::packet::UdpDatagram;
use crate::net::{Side, enet};

/// If no messages are found, this many datagrams are examined.
const DATAGRAMS: u32 = 4096;

/// If at least this many datagrams are mostly values, this is not by chance.
const MANY_DATAGRAMS: u32 = 8;

pub struct DatagramRace {
    /// Whether the datagrams before these were not recognized.
    is_again: bool,
    datagrams: u32,
    /// The datagrams read as messages. None once it is known that they are of another transport.
    udp: Option<Contender>,
    others: Vec<DatagramContender>,
}

/// The datagrams read as those of a transport that has a reader.
struct DatagramContender {
    of: InDatagrams,
    /// None as long as no datagram can be one of the transport.
    reader: Option<DatagramReader>,
    found: Contender,
    /// How many datagrams fit the transport.
    fitting: u32,
    /// How many datagrams would fit if they were compressed in an unknown way.
    compressed: u32,
    /// Whether a connect command was seen. It may be forged: other evidence has to follow.
    is_connected: bool,
    /// The end that has sent a disconnect command, and no message since.
    disconnected: Option<Side>,
}

impl DatagramRace {
    pub fn new(is_again: bool, options: &Options<'_>) -> DatagramRace {
        let udp = options.admits_transport(Transport::Udp).then(|| Contender::new(Transport::Udp));
        let others = in_datagrams(options).map(DatagramContender::new).collect();
        DatagramRace { is_again, datagrams: 0, udp, others }
    }

    /// Continues a connection over ENet that was given up.
    pub fn resumed(options: &Options<'_>, progress: &enet::SessionProgress) -> DatagramRace {
        let mut datagrams = DatagramRace::new(false, options);
        for other in &mut datagrams.others {
            other.reader.get_or_insert_with(|| (other.of.reader)(options)).resume(progress);
        }
        datagrams
    }

    /// How far a connection over ENet is.
    pub fn progress(&self) -> Option<enet::SessionProgress> {
        self.others.iter().find_map(|it| it.reader.as_ref()?.progress())
    }

    /// Whether the datagrams, all of which are values, are more than a coincidence.
    fn has_evidence(&self, udp: &Readings, options: &Options<'_>) -> bool {
        options.transport.is_some()
            || options.dialect.is_some()
            || udp.messages() >= MANY_DATAGRAMS
            || udp.has_evidence() && !self.is_again
    }

    pub fn datagram(
        &mut self,
        from: Side,
        now: Place,
        datagram: &UdpDatagram<'_>,
        bytes: &mut BacklogBytes,
        scratch: &mut enet::Scratch,
        options: &Options<'_>,
    ) {
        let UdpDatagram { payload, missing, .. } = *datagram;
        let is_whole = missing == 0;
        self.datagrams = self.datagrams.saturating_add(u32::from(is_whole));
        if let Some(Contender { transport, readings, backlog }) = &mut self.udp {
            bytes.push(payload);
            let carried = if is_whole {
                Carried::Message(TransportMessage::new(payload, 0))
            } else {
                Carried::Cut { bytes: payload, missing }
            };
            if readings.messages() < options.limits.undecided() {
                readings.examine(*transport, &carried);
            }
            backlog.push(from, now, carried, bytes);
        }
        for other in &mut self.others {
            other.datagram(from, now, datagram, bytes, scratch, options);
        }
        let is_certain =
            |it: &DatagramContender| it.is_connected && it.found.readings.messages() > 0;
        if self.others.iter().any(is_certain) {
            self.udp = None;
            self.others.retain(is_certain);
        }
        bytes.end();
    }

    /// The transport with the most evidence, among those that have readers.
    fn best(&self) -> Option<&DatagramContender> {
        let evidence = |it: &&DatagramContender| (it.is_connected, it.fitting);
        self.others.iter().rev().max_by_key(evidence)
    }

    /// Whether the evidence suffices to end the race.
    pub fn is_enough(&self, options: &Options<'_>) -> bool {
        if self.datagrams >= DATAGRAMS {
            return true;
        }
        let is_many = |readings: &Readings| readings.messages() >= options.limits.undecided();
        let is_shown = |readings: &Readings| is_many(readings) || readings.is_certain(options);
        let is_certain =
            |udp: &Readings| udp.is_certain(options) && self.has_evidence(udp, options);
        match (&self.udp, self.best()) {
            (Some(udp), None) => options.dialect.is_some() || is_shown(&udp.readings),
            (None, Some(other)) => is_shown(&other.found.readings),
            (Some(udp), Some(other)) if other.is_connected && udp.readings.values(options) == 0 => {
                is_shown(&other.found.readings)
            }
            (Some(_), Some(other)) if other.is_it(self.datagrams) => is_many(&other.found.readings),
            (Some(udp), Some(other)) => {
                is_many(&udp.readings) || other.fitting == 0 && is_certain(&udp.readings)
            }
            (None, None) => true,
        }
    }

    /// The possible readings of the connection, if only one transport has read every datagram.
    pub fn remaining(&self, options: &Options<'_>) -> Option<Remaining> {
        let udp = self.udp.as_ref().and_then(|udp| {
            Some((udp.readings.readers(options)?, self.has_evidence(&udp.readings, options)))
        });
        let mut others = self.others.iter().filter(|it| it.fitting == self.datagrams);
        let (transport, readers) = match (udp, others.next(), others.next()) {
            (Some((readers, true)), None, _) => (Transport::Udp, readers),
            (None, Some(other), None) => {
                (other.of.transport, other.found.readings.readers(options)?)
            }
            _ => return None,
        };
        Some(Remaining::new(transport, readers))
    }

    /// Whether only one transport is possible.
    pub const fn is_transport_known(&self) -> bool {
        let udp = if self.udp.is_some() { 1 } else { 0 };
        self.others.len().saturating_add(udp) <= 1
    }

    fn found(&self) -> impl Iterator<Item = &Contender> {
        self.udp.iter().chain(self.others.iter().map(|it| &it.found))
    }

    /// The backlog of a transport; without a transport, the datagrams as they are.
    pub fn backlog(&self, transport: Option<Transport>) -> Option<&Backlog> {
        let transport = transport.unwrap_or(Transport::Udp);
        self.found().find(|it| it.transport == transport).map(|it| &it.backlog)
    }

    /// Whether a reader has found a message.
    pub fn has_messages(&self) -> bool {
        let fitting = self.best().map_or(0, |it| it.fitting);
        self.others.iter().any(|it| it.found.readings.messages() > 0)
            || self.udp.as_ref().is_some_and(|udp| udp.readings.messages() > fitting)
    }

    /// Whether an end has sent a disconnect command, and nothing since.
    pub fn is_over(&self) -> bool {
        self.others.iter().any(|it| it.disconnected.is_some())
    }

    /// Whether an end has sent something on a channel.
    pub fn has_channel(&self, from: Side, channel: u8) -> bool {
        let mut readers = self.others.iter().filter_map(|it| it.reader.as_ref());
        readers.any(|reader| reader.has_channel(from, channel))
    }

    /// Ends the input: decides with the messages that are held back.
    pub fn finish(&mut self, now: Place, bytes: &mut BacklogBytes) {
        for DatagramContender { reader, found, .. } in &mut self.others {
            if let Some(reader) = reader {
                reader.finish(now, &mut |sent: Sent, carried: Carried<'_>| {
                    found.take(sent.from, sent.place, carried, bytes);
                });
            }
        }
    }

    pub fn classification(&self, options: &Options<'_>) -> Classification {
        let values = self.udp.as_ref().map_or(0, |udp| udp.readings.values(options));
        let other = self.best().filter(|other| match &self.udp {
            Some(_) if other.is_connected && values == 0 => true,
            Some(_) => other.is_it(self.datagrams) && other.fitting > values,
            None => true,
        });
        if let Some(DatagramContender { of, found, fitting, .. }) = other {
            let (transport, decision) = (Some(of.transport), found.readings.decide(options));
            let is_named = options.transport == transport;
            let trust = decision.trust(found.readings.messages(), is_named);
            let (seen, fitting) = (self.datagrams, *fitting);
            return Classification { transport, decision, fitting, trust, seen };
        }
        let none = Readings::default();
        let readings = self.udp.as_ref().map_or(&none, |udp| &udp.readings);
        let seen = readings.messages();
        let (transport, decision) = (Some(Transport::Udp), readings.decide(options));
        let likely = values.saturating_sub(readings.unlikely());
        let is_enough = seen >= MANY_DATAGRAMS;
        let trust = match (Trust::of(likely, seen), Trust::of(values, seen)) {
            _ if options.transport == transport => Trust::Everything,
            _ if self.is_again && values < MANY_DATAGRAMS => Trust::Nothing,
            (_, Trust::Everything) if is_enough => Trust::Everything,
            (trust, _) => trust,
        };
        let fitting = match trust {
            Trust::Nothing => 0,
            Trust::Written => likely,
            Trust::Everything => values,
        };
        Classification { transport, decision, fitting, trust, seen }
    }

    /// Returns what the winner has found, and its reader.
    pub fn end(
        self,
        transport: Option<Transport>,
        options: &Options<'_>,
    ) -> (Backlog, ConnectionState) {
        let other = self.others.into_iter().find(|it| Some(it.of.transport) == transport);
        let Some(DatagramContender { of, reader, found, disconnected, .. }) = other else {
            let backlog = self.udp.map(|udp| udp.backlog).unwrap_or_default();
            return (backlog, ConnectionState::Udp);
        };
        let reader = reader.unwrap_or_else(|| (of.reader)(options));
        (found.backlog, ConnectionState::Datagrams { reader, disconnected })
    }

    pub fn heap_bytes(&self) -> usize {
        let readers = self.others.iter().filter_map(|it| it.reader.as_ref());
        let readers = readers.map(|it| it.heap_bytes());
        let others = self.others.capacity().saturating_mul(size_of::<DatagramContender>());
        self.found().map(Contender::heap_bytes).chain(readers).chain([others]).sum()
    }
}

impl DatagramContender {
    fn new(of: InDatagrams) -> DatagramContender {
        DatagramContender {
            of,
            reader: None,
            found: Contender::new(of.transport),
            fitting: 0,
            compressed: 0,
            is_connected: false,
            disconnected: None,
        }
    }

    /// Whether the flow uses the transport: two datagrams in three have to fit, so that a few of
    /// another protocol do no harm. Datagrams that may be compressed in an unknown way count only
    /// if others are uncompressed. Every connection has such datagrams: acknowledgements are too
    /// short to be compressed.
    fn is_it(&self, datagrams: u32) -> bool {
        let DatagramContender { fitting, compressed, .. } = *self;
        let possible = fitting.saturating_add(compressed.min(fitting.saturating_mul(16)));
        possible.saturating_mul(3) >= datagrams.saturating_mul(2)
    }

    /// Reads a datagram.
    fn datagram(
        &mut self,
        from: Side,
        now: Place,
        datagram: &UdpDatagram<'_>,
        bytes: &mut BacklogBytes,
        scratch: &mut enet::Scratch,
        options: &Options<'_>,
    ) {
        let is_whole = datagram.missing == 0;
        if self.reader.is_none()
            && is_whole
            && let Err(refused) = (self.of.check)(from, datagram.payload)
        {
            self.found.backlog.push(from, now, refused.carried, bytes);
            return;
        }
        let DatagramContender {
            of,
            reader,
            found,
            fitting,
            compressed,
            is_connected,
            disconnected,
        } = self;
        let reader = reader.get_or_insert_with(|| (of.reader)(options));
        let take = &mut |Sent { from, place, .. }: Sent, carried: Carried<'_>| {
            match carried {
                Carried::Client(..) => *is_connected = true,
                Carried::Disconnected => *disconnected = Some(from),
                // The disconnect command was forged: its sender continues to send.
                Carried::Message(_) if place.is_same_packet(now) && *disconnected == Some(from) => {
                    *disconnected = None;
                }
                _ => {}
            }
            if is_whole {
                found.readings.examine(of.transport, &carried);
            }
            found.backlog.push(from, place, carried, bytes);
        };
        let result = reader.datagram(from, now, datagram, scratch, take);
        match result {
            Ok(()) => *fitting = fitting.saturating_add(u32::from(is_whole)),
            Err(refused) => {
                let is_compressed = refused.may_be_compressed && is_whole;
                *compressed = compressed.saturating_add(u32::from(is_compressed));
                found.backlog.push(from, now, refused.carried, bytes);
            }
        }
    }
}
