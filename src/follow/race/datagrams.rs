//! The race for a connection over UDP: are its datagrams messages, or is it ENet?

use super::early::Remaining;
use super::kept::{Bytes, Finds};
use super::looks::Looks;
use super::winner::Winner;
use crate::follow::carried::{Carried, Whole};
use crate::follow::finding::Finding;
use crate::follow::place::Place;
use crate::follow::readers::{Enet, refused};
use crate::follow::{Options, Transport};
use crate::net::{Side, enet};
use crate::packet::Datagram;

/// If no messages are found, this many datagrams are examined.
const DATAGRAMS: u32 = 4096;

/// Of so many datagrams, not all are values by chance.
const MANY_DATAGRAMS: u32 = 8;

pub(super) struct Datagrams {
    datagrams: u32,
    /// Whether a connect command of ENet was seen. It may be forged: other evidence has to follow.
    is_connected: bool,
    /// None once it is known that the datagrams are ENet's.
    bare: Option<Bare>,
    enet: Option<InEnet>,
}

/// The datagrams as messages.
#[derive(Default)]
struct Bare {
    looks: Looks,
    finds: Finds,
}

/// The datagrams as those of ENet.
#[derive(Default)]
struct InEnet {
    /// None as long as no datagram can be one of ENet.
    reader: Option<Box<Enet>>,
    looks: Looks,
    finds: Finds,
    /// How many datagrams are ENet's.
    fitting: u32,
    /// How many could be ENet's, compressed in an unknown way.
    compressed: u32,
    /// The end that has sent a disconnect command, and nothing since.
    disconnected: Option<Side>,
}

impl Datagrams {
    pub(super) fn new(options: &Options<'_>) -> Datagrams {
        let admits = |of| options.transport.is_none_or(|transport| transport == of);
        Datagrams {
            datagrams: 0,
            is_connected: false,
            bare: admits(Transport::Udp).then(Bare::default),
            enet: admits(Transport::Enet).then(InEnet::default),
        }
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
        if self.bare.is_some() {
            bytes.push(payload);
        }
        if let Some(Bare { looks, finds }) = &mut self.bare {
            let carried = if is_whole {
                Carried::Message(Whole::new(payload, 0))
            } else {
                Carried::Cut { bytes: payload, missing }
            };
            finds.push(from, now, carried, bytes);
            if is_whole && looks.messages() < options.limits.undecided() {
                looks.message(Transport::Udp, 0, payload);
            }
        }
        if let Some(in_enet) = &mut self.enet {
            self.is_connected |= in_enet.datagram((from, now), datagram, bytes, (scratch, options));
            if self.is_connected && in_enet.looks.messages() > 0 {
                self.bare = None;
            }
        }
        bytes.end();
    }

    /// Whether nothing more needs to be looked at.
    pub(super) fn is_enough(&self, options: &Options<'_>) -> bool {
        if self.datagrams >= DATAGRAMS {
            return true;
        }
        let is_many = |looks: &Looks| looks.messages() >= options.limits.undecided();
        let is_told = |looks: &Looks| is_many(looks) || looks.is_certain(options);
        match (&self.bare, &self.enet) {
            (Some(bare), None) => options.dialect.is_some() || is_told(&bare.looks),
            (None, Some(in_enet)) => is_told(&in_enet.looks),
            (Some(bare), Some(in_enet)) if self.is_connected && bare.looks.values(options) == 0 => {
                is_told(&in_enet.looks)
            }
            (Some(_), Some(in_enet)) if self.is_enet() => is_many(&in_enet.looks),
            (Some(bare), Some(in_enet)) => {
                is_many(&bare.looks) || in_enet.fitting == 0 && bare.looks.is_certain(options)
            }
            (None, None) => true,
        }
    }

    /// What the connection can still be, if only one transport has read every datagram.
    pub(super) fn remaining(&self, options: &Options<'_>) -> Option<Remaining> {
        let bare = self.bare.as_ref().and_then(|bare| bare.looks.readers(options));
        let in_enet = self.enet.as_ref().filter(|it| it.fitting == self.datagrams);
        let (transport, readers) = match (bare, in_enet) {
            (Some(readers), None) => (Transport::Udp, readers),
            (None, Some(in_enet)) => (Transport::Enet, in_enet.looks.readers(options)?),
            _ => return None,
        };
        Some(Remaining::new(transport, readers))
    }

    /// Whether only one transport is possible.
    pub(super) const fn is_transport_known(&self) -> bool {
        self.bare.is_none() || self.enet.is_none()
    }

    /// The finds of a transport.
    pub(super) fn finds(&self, transport: Option<Transport>) -> Option<&Finds> {
        match transport {
            Some(Transport::Enet) => self.enet.as_ref().map(|it| &it.finds),
            _ => self.bare.as_ref().map(|it| &it.finds),
        }
    }

    /// Whether there was a message in it, of those that it is looked at for.
    pub(super) fn has_messages(&self) -> bool {
        let in_enet = self.enet.as_ref();
        let fitting = in_enet.map_or(0, |it| it.fitting);
        in_enet.is_some_and(|it| it.looks.messages() > 0)
            || self.bare.as_ref().is_some_and(|bare| bare.looks.messages() > fitting)
    }

    pub(super) fn disconnected(&self) -> Option<Side> {
        self.enet.as_ref().and_then(|in_enet| in_enet.disconnected)
    }

    /// Whether an end has sent something on a channel of ENet.
    pub(super) fn has_channel(&self, from: Side, channel: u8) -> bool {
        let reader = self.enet.as_ref().and_then(|in_enet| in_enet.reader.as_ref());
        reader.is_some_and(|reader| reader.has_channel(from, channel))
    }

    /// Two datagrams in three, so that a few of another protocol do no harm. What is compressed
    /// in an unknown way speaks for ENet only beside what is not, as in every connection some
    /// acknowledgements are, which are too short to become shorter.
    fn is_enet(&self) -> bool {
        let Some(InEnet { fitting, compressed, .. }) = self.enet else { return false };
        let possible = fitting.saturating_add(compressed.min(fitting.saturating_mul(16)));
        possible.saturating_mul(3) >= self.datagrams.saturating_mul(2) && fitting > 0
    }

    /// Ends the input: decides with the messages that are held back.
    pub(super) fn finish(&mut self, now: Place, bytes: &mut Bytes) {
        if let Some(in_enet) = &mut self.enet
            && let Some(reader) = &mut in_enet.reader
        {
            let InEnet { looks, finds, .. } = in_enet;
            reader.finish(now, &mut |from, place, carried| {
                look_at(looks, &carried);
                finds.push(from, place, carried, bytes);
            });
        }
    }

    pub(super) fn finding(&self, options: &Options<'_>) -> Finding {
        let values = self.bare.as_ref().map_or(0, |bare| bare.looks.values(options));
        let is_enet = match (&self.bare, &self.enet) {
            (Some(_), Some(_)) if self.is_connected && values == 0 => true,
            (Some(_), Some(in_enet)) => self.is_enet() && in_enet.fitting > values,
            (bare, _) => bare.is_none(),
        };
        let none = Looks::default();
        if is_enet {
            let (looks, fitting) =
                self.enet.as_ref().map_or((&none, 0), |it| (&it.looks, it.fitting));
            let messages = looks.messages();
            let (layers, detection, read) = looks.decide(options);
            let is_certain = read.saturating_mul(2) >= messages;
            let (transport, seen) = (Some(Transport::Enet), self.datagrams);
            return Finding { transport, layers, detection, fitting, is_certain, seen, read };
        }
        let looks = self.bare.as_ref().map_or(&none, |bare| &bare.looks);
        let seen = looks.messages();
        let (layers, detection, read) = looks.decide(options);
        let transport = Some(Transport::Udp);
        let is_mostly = |values: u32| values > 0 && values.saturating_mul(2) >= seen;
        let likely = values.saturating_sub(looks.unlikely());
        let is_certain = options.transport == transport
            || is_mostly(likely)
            || is_mostly(values) && seen >= MANY_DATAGRAMS;
        let fitting = if is_certain { values } else { likely };
        Finding { transport, layers, detection, fitting, is_certain, seen, read }
    }

    /// What the winner has found, and its reader.
    pub(super) fn end(self, transport: Option<Transport>) -> (Finds, Winner) {
        match (transport, self.bare, self.enet) {
            (Some(Transport::Enet), _, Some(InEnet { reader: Some(reader), finds, .. })) => {
                (finds, Winner::Enet(reader))
            }
            (_, Some(Bare { finds, .. }), _) => (finds, Winner::Udp),
            (_, None, in_enet) => {
                let finds = in_enet.map(|it| it.finds).unwrap_or_default();
                (finds, Winner::NewEnet)
            }
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let bare = self
            .bare
            .as_ref()
            .map_or(0, |bare| bare.looks.heap_bytes().saturating_add(bare.finds.heap_bytes()));
        let in_enet = self.enet.as_ref().map_or(0, |it| {
            let reader = it.reader.as_deref();
            let reader = reader.map_or(0, |it| size_of_val(it).saturating_add(it.heap_bytes()));
            reader.saturating_add(it.looks.heap_bytes()).saturating_add(it.finds.heap_bytes())
        });
        bare.saturating_add(in_enet)
    }
}

impl InEnet {
    /// Reads a datagram; whether it opens a connection of ENet.
    fn datagram(
        &mut self,
        (from, now): (Side, Place),
        datagram: &Datagram<'_>,
        bytes: &mut Bytes,
        (scratch, options): (&mut enet::Scratch, &Options<'_>),
    ) -> bool {
        let Datagram { payload, missing, .. } = *datagram;
        if self.reader.is_none()
            && let Err(error) = enet::Datagram::parse(payload)
            && error.problem != enet::Problem::Compressed
            && missing == 0
        {
            self.finds.push(from, now, refused(from, payload, error), bytes);
            return false;
        }
        let InEnet { reader, looks, finds, fitting, compressed, disconnected } = self;
        let reader = reader.get_or_insert_with(|| Box::new(Enet::new(options)));
        let mut is_connected = false;
        let result = reader.datagram(from, now, datagram, scratch, &mut |from, place, carried| {
            match carried {
                Carried::Client(_) => is_connected = true,
                Carried::Disconnected => *disconnected = Some(from),
                // The command was forged: its sender goes on.
                Carried::Message(_) if place.is_same_packet(now) && *disconnected == Some(from) => {
                    *disconnected = None;
                }
                _ => {}
            }
            if missing == 0 {
                look_at(looks, &carried);
            }
            finds.push(from, place, carried, bytes);
        });
        match result {
            Ok(()) => *fitting = fitting.saturating_add(u32::from(missing == 0)),
            Err(error) => {
                let is_compressed = error.problem == enet::Problem::UnknownCompression;
                *compressed = compressed.saturating_add(u32::from(is_compressed && missing == 0));
                finds.push(from, now, refused(from, payload, error), bytes);
            }
        }
        is_connected
    }
}

fn look_at(looks: &mut Looks, carried: &Carried<'_>) {
    match carried {
        Carried::Message(message) => {
            looks.message(Transport::Enet, message.channel.unwrap_or(0), message.bytes);
        }
        Carried::Client(id) => looks.connected(id.cast_unsigned()),
        _ => {}
    }
}
