//! The race for a connection over UDP: either its datagrams are messages, or they are ENet.

use super::{Backlog, BacklogBytes, Contender, Readings, Remaining};
use crate::capture::follow::{
    Carried, Classification, ConnectionState, EnetReader, Options, Place, Sent, Transport,
    TransportMessage, Trust, check_enet,
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
    /// The datagrams read as messages. None once it is known that they are ENet.
    udp: Option<Contender>,
    enet: Option<Box<EnetContender>>,
}

/// The datagrams read as ENet.
struct EnetContender {
    /// None as long as no datagram can be ENet.
    reader: Option<Box<EnetReader>>,
    found: Contender,
    /// How many datagrams are ENet.
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
        let enet =
            options.admits_transport(Transport::Enet).then(|| Box::new(EnetContender::new()));
        DatagramRace { is_again, datagrams: 0, udp, enet }
    }

    /// Continues a connection over ENet that was given up.
    pub fn resumed(options: &Options<'_>, progress: &enet::SessionProgress) -> DatagramRace {
        let mut datagrams = DatagramRace::new(false, options);
        if let Some(enet) = &mut datagrams.enet {
            enet.reader.get_or_insert_with(|| EnetReader::new(options)).resume(progress);
        }
        datagrams
    }

    /// The reader of ENet, if a datagram can be ENet.
    fn reader(&self) -> Option<&EnetReader> {
        self.enet.as_ref()?.reader.as_deref()
    }

    /// How far a connection over ENet is.
    pub fn progress(&self) -> Option<enet::SessionProgress> {
        self.reader().map(EnetReader::progress)
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
            if is_whole && readings.messages() < options.limits.undecided() {
                readings.examine(*transport, &carried);
            }
            backlog.push(from, now, carried, bytes);
        }
        if let Some(enet) = &mut self.enet {
            enet.datagram(from, now, datagram, bytes, scratch, options);
            if enet.is_connected && enet.found.readings.messages() > 0 {
                self.udp = None;
            }
        }
        bytes.end();
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
        match (&self.udp, &self.enet) {
            (Some(udp), None) => options.dialect.is_some() || is_shown(&udp.readings),
            (None, Some(enet)) => is_shown(&enet.found.readings),
            (Some(udp), Some(enet)) if enet.is_connected && udp.readings.values(options) == 0 => {
                is_shown(&enet.found.readings)
            }
            (Some(_), Some(enet)) if enet.is_it(self.datagrams) => is_many(&enet.found.readings),
            (Some(udp), Some(enet)) => {
                is_many(&udp.readings) || enet.fitting == 0 && is_certain(&udp.readings)
            }
            (None, None) => true,
        }
    }

    /// The possible readings of the connection, if only one transport has read every datagram.
    pub fn remaining(&self, options: &Options<'_>) -> Option<Remaining> {
        let udp = self.udp.as_ref().and_then(|udp| {
            Some((udp.readings.readers(options)?, self.has_evidence(&udp.readings, options)))
        });
        let enet = self.enet.as_ref().filter(|it| it.fitting == self.datagrams);
        let (transport, readers) = match (udp, enet) {
            (Some((readers, true)), None) => (Transport::Udp, readers),
            (None, Some(enet)) => (Transport::Enet, enet.found.readings.readers(options)?),
            _ => return None,
        };
        Some(Remaining::new(transport, readers))
    }

    /// Whether only one transport is possible.
    pub const fn is_transport_known(&self) -> bool {
        self.udp.is_none() || self.enet.is_none()
    }

    fn found(&self) -> impl Iterator<Item = &Contender> {
        self.udp.iter().chain(self.enet.iter().map(|it| &it.found))
    }

    /// The backlog of a transport; without a transport, the datagrams as they are.
    pub fn backlog(&self, transport: Option<Transport>) -> Option<&Backlog> {
        let transport = transport.unwrap_or(Transport::Udp);
        self.found().find(|it| it.transport == transport).map(|it| &it.backlog)
    }

    /// Whether a reader has found a message.
    pub fn has_messages(&self) -> bool {
        let fitting = self.enet.as_ref().map_or(0, |it| it.fitting);
        self.enet.as_ref().is_some_and(|it| it.found.readings.messages() > 0)
            || self.udp.as_ref().is_some_and(|udp| udp.readings.messages() > fitting)
    }

    /// Whether an end has sent a disconnect command, and nothing since.
    pub fn is_over(&self) -> bool {
        self.enet.as_ref().is_some_and(|it| it.disconnected.is_some())
    }

    /// Whether an end has sent something on a channel.
    pub fn has_channel(&self, from: Side, channel: u8) -> bool {
        self.reader().is_some_and(|reader| reader.has_channel(from, channel))
    }

    /// Ends the input: decides with the messages that are held back.
    pub fn finish(&mut self, now: Place, bytes: &mut BacklogBytes) {
        let Some(EnetContender { reader, found, .. }) = self.enet.as_deref_mut() else { return };
        if let Some(reader) = reader {
            reader.finish(now, &mut |sent: Sent, carried: Carried<'_>| {
                found.take(sent.from, sent.place, carried, bytes);
            });
        }
    }

    pub fn classification(&self, options: &Options<'_>) -> Classification {
        let values = self.udp.as_ref().map_or(0, |udp| udp.readings.values(options));
        let enet = self.enet.as_deref().filter(|enet| match &self.udp {
            Some(_) if enet.is_connected && values == 0 => true,
            Some(_) => enet.is_it(self.datagrams) && enet.fitting > values,
            None => true,
        });
        if let Some(EnetContender { found, fitting, .. }) = enet {
            let (transport, decision) = (Some(Transport::Enet), found.readings.decide(options));
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
        let Some(enet) = self.enet.filter(|_| transport == Some(Transport::Enet)) else {
            let backlog = self.udp.map(|udp| udp.backlog).unwrap_or_default();
            return (backlog, ConnectionState::Udp);
        };
        let EnetContender { reader, found, disconnected, .. } = *enet;
        let reader = reader.unwrap_or_else(|| EnetReader::new(options));
        (found.backlog, ConnectionState::Enet { reader, disconnected })
    }

    pub fn heap_bytes(&self) -> usize {
        let reader = self.reader().map(EnetReader::heap_bytes);
        let enet = self.enet.as_deref().map(size_of_val);
        self.found().map(Contender::heap_bytes).chain(reader).chain(enet).sum()
    }
}

impl EnetContender {
    fn new() -> EnetContender {
        EnetContender {
            reader: None,
            found: Contender::new(Transport::Enet),
            fitting: 0,
            compressed: 0,
            is_connected: false,
            disconnected: None,
        }
    }

    /// Whether the flow is ENet: two datagrams in three have to fit, so that a few of
    /// another protocol do no harm. Datagrams that may be compressed in an unknown way count only
    /// if others are uncompressed. Every connection has such datagrams: acknowledgements are too
    /// short to be compressed.
    fn is_it(&self, datagrams: u32) -> bool {
        let EnetContender { fitting, compressed, .. } = *self;
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
            && let Err(refused) = check_enet(from, datagram.payload)
        {
            self.found.backlog.push(from, now, refused.carried, bytes);
            return;
        }
        let EnetContender { reader, found, fitting, compressed, is_connected, disconnected } = self;
        let reader = reader.get_or_insert_with(|| EnetReader::new(options));
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
                found.readings.examine(Transport::Enet, &carried);
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
