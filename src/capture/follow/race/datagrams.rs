//! The race for a connection over UDP: either its datagrams are messages, or they are those of
//! another transport.

use super::early::Remaining;
use super::found::Found;
use super::kept::{Bytes, Finds};
use super::looks::{Decision, Looks};
use super::winner::Winner;
use crate::capture::follow::carried::{Carried, Whole};
use crate::capture::follow::finding::{Finding, Trust};
use crate::capture::follow::place::Place;
use crate::capture::follow::readers::{InDatagrams, ReadDatagrams, in_datagrams};
use crate::capture::follow::{Options, Transport};
use crate::net::packet::Datagram;
use crate::net::{Side, enet};

/// If no messages are found, this many datagrams are examined.
const DATAGRAMS: u32 = 4096;

/// If at least this many datagrams are mostly values, this is not by chance.
const MANY_DATAGRAMS: u32 = 8;

pub(super) struct Datagrams {
    /// Whether the datagrams before these were not recognized.
    is_again: bool,
    datagrams: u32,
    /// The datagrams read as messages. None once it is known that they are of another transport.
    bare: Option<Found>,
    others: Vec<Other>,
}

/// The datagrams read as those of a transport that has a reader.
struct Other {
    of: InDatagrams,
    /// None as long as no datagram can be one of the transport.
    reader: Option<Box<dyn ReadDatagrams>>,
    found: Found,
    /// How many datagrams fit the transport.
    fitting: u32,
    /// How many datagrams would fit if they were compressed in an unknown way.
    compressed: u32,
    /// Whether a connect command was seen. It may be forged: other evidence has to follow.
    is_connected: bool,
    /// The end that has sent a disconnect command, and no message since.
    disconnected: Option<Side>,
}

impl Datagrams {
    pub(super) fn new(is_again: bool, options: &Options<'_>) -> Datagrams {
        let bare = options.admits_transport(Transport::Udp).then(|| Found::new(Transport::Udp));
        let others = in_datagrams(options).map(Other::new).collect();
        Datagrams { is_again, datagrams: 0, bare, others }
    }

    /// Continues a connection over ENet that was given up.
    pub(super) fn resumed(options: &Options<'_>, progress: &enet::Progress) -> Datagrams {
        let mut datagrams = Datagrams::new(false, options);
        for other in &mut datagrams.others {
            other.reader.get_or_insert_with(|| (other.of.reader)(options)).resume(progress);
        }
        datagrams
    }

    /// How far a connection over ENet is.
    pub(super) fn progress(&self) -> Option<enet::Progress> {
        self.others.iter().find_map(|it| it.reader.as_ref()?.progress())
    }

    /// Whether the datagrams, all of which are values, are more than a coincidence.
    fn has_evidence(&self, bare: &Looks, options: &Options<'_>) -> bool {
        options.transport.is_some()
            || options.dialect.is_some()
            || bare.messages() >= MANY_DATAGRAMS
            || bare.has_evidence() && !self.is_again
    }

    pub(super) fn datagram(
        &mut self,
        (from, now): (Side, Place),
        datagram: &Datagram<'_>,
        bytes: &mut Bytes,
        (scratch, options): (&mut enet::Scratch, &Options<'_>),
    ) {
        let Datagram { payload, missing, .. } = *datagram;
        let is_whole = missing == 0;
        self.datagrams = self.datagrams.saturating_add(u32::from(is_whole));
        if let Some(Found { transport, looks, finds }) = &mut self.bare {
            bytes.push(payload);
            let carried = if is_whole {
                Carried::Message(Whole::new(payload, 0))
            } else {
                Carried::Cut { bytes: payload, missing }
            };
            if is_whole && looks.messages() < options.limits.undecided() {
                looks.look_at(*transport, &carried);
            }
            finds.push(from, now, carried, bytes);
        }
        for other in &mut self.others {
            other.datagram((from, now), datagram, bytes, (scratch, options));
        }
        let is_certain = |it: &Other| it.is_connected && it.found.looks.messages() > 0;
        if self.others.iter().any(is_certain) {
            self.bare = None;
            self.others.retain(is_certain);
        }
        bytes.end();
    }

    /// The transport with the most evidence, among those that have readers.
    fn best(&self) -> Option<&Other> {
        let evidence = |it: &&Other| (it.is_connected, it.fitting);
        self.others.iter().rev().max_by_key(evidence)
    }

    /// Whether the evidence suffices to end the race.
    pub(super) fn is_enough(&self, options: &Options<'_>) -> bool {
        if self.datagrams >= DATAGRAMS {
            return true;
        }
        let is_many = |looks: &Looks| looks.messages() >= options.limits.undecided();
        let is_shown = |looks: &Looks| is_many(looks) || looks.is_certain(options);
        let is_certain =
            |bare: &Looks| bare.is_certain(options) && self.has_evidence(bare, options);
        match (&self.bare, self.best()) {
            (Some(bare), None) => options.dialect.is_some() || is_shown(&bare.looks),
            (None, Some(other)) => is_shown(&other.found.looks),
            (Some(bare), Some(other)) if other.is_connected && bare.looks.values(options) == 0 => {
                is_shown(&other.found.looks)
            }
            (Some(_), Some(other)) if other.is_it(self.datagrams) => is_many(&other.found.looks),
            (Some(bare), Some(other)) => {
                is_many(&bare.looks) || other.fitting == 0 && is_certain(&bare.looks)
            }
            (None, None) => true,
        }
    }

    /// What the connection can still be, if only one transport has read every datagram.
    pub(super) fn remaining(&self, options: &Options<'_>) -> Option<Remaining> {
        let bare = self.bare.as_ref().and_then(|bare| {
            Some((bare.looks.readers(options)?, self.has_evidence(&bare.looks, options)))
        });
        let mut others = self.others.iter().filter(|it| it.fitting == self.datagrams);
        let (transport, readers) = match (bare, others.next(), others.next()) {
            (Some((readers, true)), None, _) => (Transport::Udp, readers),
            (None, Some(other), None) => (other.of.transport, other.found.looks.readers(options)?),
            _ => return None,
        };
        Some(Remaining::new(transport, readers))
    }

    /// Whether only one transport is possible.
    pub(super) const fn is_transport_known(&self) -> bool {
        let bare = if self.bare.is_some() { 1 } else { 0 };
        self.others.len().saturating_add(bare) <= 1
    }

    fn found(&self) -> impl Iterator<Item = &Found> {
        self.bare.iter().chain(self.others.iter().map(|it| &it.found))
    }

    /// The finds of a transport; without a transport, the datagrams as they are.
    pub(super) fn finds(&self, transport: Option<Transport>) -> Option<&Finds> {
        let transport = transport.unwrap_or(Transport::Udp);
        self.found().find(|it| it.transport == transport).map(|it| &it.finds)
    }

    /// Whether a reader has found a message.
    pub(super) fn has_messages(&self) -> bool {
        let fitting = self.best().map_or(0, |it| it.fitting);
        self.others.iter().any(|it| it.found.looks.messages() > 0)
            || self.bare.as_ref().is_some_and(|bare| bare.looks.messages() > fitting)
    }

    pub(super) fn disconnected(&self) -> Option<Side> {
        self.others.iter().find_map(|it| it.disconnected)
    }

    /// Whether an end has sent something on a channel.
    pub(super) fn has_channel(&self, from: Side, channel: u8) -> bool {
        let mut readers = self.others.iter().filter_map(|it| it.reader.as_ref());
        readers.any(|reader| reader.has_channel(from, channel))
    }

    /// Ends the input: decides with the messages that are held back.
    pub(super) fn finish(&mut self, now: Place, bytes: &mut Bytes) {
        for Other { reader, found, .. } in &mut self.others {
            if let Some(reader) = reader {
                reader.finish(now, &mut |from, place, carried| {
                    found.take(from, place, carried, bytes);
                });
            }
        }
    }

    pub(super) fn finding(&self, options: &Options<'_>) -> Finding {
        let values = self.bare.as_ref().map_or(0, |bare| bare.looks.values(options));
        let other = self.best().filter(|other| match &self.bare {
            Some(_) if other.is_connected && values == 0 => true,
            Some(_) => other.is_it(self.datagrams) && other.fitting > values,
            None => true,
        });
        if let Some(Other { of, found, fitting, .. }) = other {
            let Decision { layers, detection, read, tied } = found.looks.decide(options);
            let transport = Some(of.transport);
            let trust = match Trust::of(read, found.looks.messages()) {
                Trust::Nothing if options.transport == transport => Trust::Written,
                trust => trust,
            };
            let (seen, fitting) = (self.datagrams, *fitting);
            return Finding { transport, layers, detection, fitting, trust, seen, read, tied };
        }
        let none = Looks::default();
        let looks = self.bare.as_ref().map_or(&none, |bare| &bare.looks);
        let seen = looks.messages();
        let Decision { layers, detection, read, tied } = looks.decide(options);
        let transport = Some(Transport::Udp);
        let likely = values.saturating_sub(looks.unlikely());
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
        Finding { transport, layers, detection, fitting, trust, seen, read, tied }
    }

    /// Returns what the winner has found, and its reader.
    pub(super) fn end(
        self,
        transport: Option<Transport>,
        options: &Options<'_>,
    ) -> (Finds, Winner) {
        let other = self.others.into_iter().find(|it| Some(it.of.transport) == transport);
        match (other, self.bare) {
            (Some(Other { reader: Some(reader), found, .. }), _) => {
                (found.finds, Winner::Datagrams(reader))
            }
            (_, Some(bare)) => (bare.finds, Winner::Udp),
            (Some(Other { of, found, .. }), None) => {
                (found.finds, Winner::Datagrams((of.reader)(options)))
            }
            (None, None) => (Finds::default(), Winner::Udp),
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let readers = self.others.iter().filter_map(|it| it.reader.as_ref());
        let readers = readers.map(|it| it.heap_bytes()).fold(0, usize::saturating_add);
        let found = self.found().map(Found::heap_bytes).fold(readers, usize::saturating_add);
        found.saturating_add(self.others.capacity().saturating_mul(size_of::<Other>()))
    }
}

impl Other {
    fn new(of: InDatagrams) -> Other {
        Other {
            of,
            reader: None,
            found: Found::new(of.transport),
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
        let Other { fitting, compressed, .. } = *self;
        let possible = fitting.saturating_add(compressed.min(fitting.saturating_mul(16)));
        possible.saturating_mul(3) >= datagrams.saturating_mul(2) && fitting > 0
    }

    /// Reads a datagram.
    fn datagram(
        &mut self,
        (from, now): (Side, Place),
        datagram: &Datagram<'_>,
        bytes: &mut Bytes,
        (scratch, options): (&mut enet::Scratch, &Options<'_>),
    ) {
        let is_whole = datagram.missing == 0;
        if self.reader.is_none()
            && is_whole
            && let Err(refused) = (self.of.check)(from, datagram.payload)
        {
            self.found.finds.push(from, now, refused.carried, bytes);
            return;
        }
        let Other { of, reader, found, fitting, compressed, is_connected, disconnected } = self;
        let reader = reader.get_or_insert_with(|| (of.reader)(options));
        let result =
            reader.datagram((from, now), datagram, scratch, &mut |from, place, carried| {
                match carried {
                    Carried::Client(_) => *is_connected = true,
                    Carried::Disconnected => *disconnected = Some(from),
                    // The disconnect command was forged: its sender continues to send.
                    Carried::Message(_)
                        if place.is_same_packet(now) && *disconnected == Some(from) =>
                    {
                        *disconnected = None;
                    }
                    _ => {}
                }
                if is_whole {
                    found.looks.look_at(of.transport, &carried);
                }
                found.finds.push(from, place, carried, bytes);
            });
        match result {
            Ok(()) => *fitting = fitting.saturating_add(u32::from(is_whole)),
            Err(refused) => {
                let is_compressed = refused.may_be_compressed && is_whole;
                *compressed = compressed.saturating_add(u32::from(is_compressed));
                found.finds.push(from, now, refused.carried, bytes);
            }
        }
    }
}
