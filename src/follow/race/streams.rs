//! The race for a connection over TCP: does it carry messages with a length before them, WebSocket,
//! or something unknown?

use super::early::Remaining;
use super::kept::{Bytes, Finds};
use super::looks::{Looks, is_value};
use super::winner::Winner;
use crate::debugger::Evidence;
use crate::dialect::Engine;
use crate::follow::carried::Carried;
use crate::follow::finding::{Finding, Layers};
use crate::follow::place::Place;
use crate::follow::readers::{
    Frames, IsMessage, Read, StreamSink, Streams, WebSocket, frames, websocket,
};
use crate::follow::{Options, Transport};
use crate::net::{Side, tcp};
use crate::packet::Segment;

/// In a stream of which the start was not seen, a message of a debugger is among so many.
const MANY_MESSAGES: u32 = 32;

/// If no messages are found, this many bytes of a stream are examined.
const STREAM_BYTES: u64 = 256 << 10;

pub(super) struct Segments {
    bytes: u64,
    streams: Streams<Pair>,
    /// The segments as they are, if nothing in them is known. None once something is.
    unknown: Option<Finds>,
    framed: Found,
    in_websocket: Found,
    /// Whether the upgrade to WebSocket was seen.
    is_upgraded: bool,
    debugger: Debugger,
}

/// What the frames of the two ends say about whether they are those of a remote debugger.
#[derive(Default)]
struct Debugger {
    evidence: [Evidence; 2],
    /// Whether the start of a stream was seen.
    has_start: bool,
}

impl Debugger {
    fn look(&mut self, from: Side, carried: &Carried<'_>, looks: &mut Looks) {
        let Carried::Message(message) = carried else { return };
        let [first, second] = &mut self.evidence;
        let evidence = if from == Side::First { first } else { second };
        evidence.frame(message.bytes);
        if let Evidence::Found { in_frames: true } = evidence {
            looks.exclude(Engine::Godot4);
        }
    }

    fn is_found(&self) -> bool {
        self.evidence.iter().any(|it| matches!(it, Evidence::Found { .. }))
    }

    /// Whether the next frames may show it.
    fn is_pending(&self) -> bool {
        !self.is_found() && self.evidence.iter().any(|it| it.is_pending())
    }

    /// Whether no more messages need to be looked at. A debugger begins with a message that shows it,
    /// but a capture may begin later.
    fn is_settled(&self, messages: u32) -> bool {
        let is_other = self.has_start && messages > 0 || messages >= MANY_MESSAGES;
        self.is_found() || is_other && !self.is_pending()
    }
}

/// What one of the readers found.
#[derive(Default)]
struct Found {
    looks: Looks,
    finds: Finds,
}

impl Found {
    fn take(
        &mut self,
        transport: Transport,
        from: Side,
        place: Place,
        carried: Carried<'_>,
        bytes: &mut Bytes,
    ) {
        look_at(&mut self.looks, transport, &carried);
        self.finds.push(from, place, carried, bytes);
    }

    fn heap_bytes(&self) -> usize {
        self.looks.heap_bytes().saturating_add(self.finds.heap_bytes())
    }
}

/// The readers of one direction. Each is none once it is known that the other one is right.
#[derive(Clone)]
struct Pair {
    frames: Option<Frames>,
    websocket: Option<WebSocket>,
}

impl Read for Pair {
    fn piece(
        &mut self,
        piece: tcp::Piece<'_, Place>,
        now: Place,
        is_message: IsMessage<'_>,
        sink: StreamSink<'_>,
    ) {
        if let Some(frames) = &mut self.frames {
            frames.piece(piece, now, is_message, sink);
        }
        if let Some(websocket) = &mut self.websocket {
            websocket.piece(piece, now, is_message, sink);
        }
    }

    fn end(&mut self, now: Place, is_message: IsMessage<'_>, sink: StreamSink<'_>) {
        if let Some(frames) = &mut self.frames {
            frames.end(now, is_message, sink);
        }
        if let Some(websocket) = &mut self.websocket {
            websocket.end(now, is_message, sink);
        }
    }

    fn heap_bytes(&self) -> usize {
        let frames = self.frames.as_ref().map_or(0, Frames::heap_bytes);
        frames.saturating_add(self.websocket.as_ref().map_or(0, WebSocket::heap_bytes))
    }
}

impl Segments {
    pub(super) fn new(options: &Options<'_>) -> Segments {
        let Options { ref limits, transport, .. } = *options;
        let admits = |of| transport.is_none_or(|transport| transport == of);
        let pair = || Pair {
            frames: admits(Transport::Tcp).then(|| frames(limits)),
            websocket: admits(Transport::WebSocket).then(|| websocket(limits)),
        };
        Segments {
            bytes: 0,
            streams: Streams::new(limits, pair),
            unknown: transport.is_none().then(Finds::default),
            framed: Found::default(),
            in_websocket: Found::default(),
            is_upgraded: false,
            debugger: Debugger::default(),
        }
    }

    pub(super) fn segment(
        &mut self,
        (from, now): (Side, Place),
        segment: &Segment<'_>,
        bytes: &mut Bytes,
    ) {
        let Segment { payload, missing, .. } = *segment;
        self.bytes = self.bytes.saturating_add(payload.len() as u64);
        self.debugger.has_start |= segment.is_syn;
        if let Some(unknown) = &mut self.unknown
            && (!payload.is_empty() || missing > 0)
        {
            bytes.push(payload);
            unknown.push(from, now, Carried::of_unknown(payload, missing), bytes);
        }
        let Segments { streams, framed, in_websocket, is_upgraded, debugger, .. } = self;
        let was_upgraded = *is_upgraded;
        streams.segment(from, now, segment, &is_value, &mut |transport, from, place, carried| {
            *is_upgraded |= matches!(carried, Carried::Upgraded);
            let is_framed = transport == Transport::Tcp;
            let found = if is_framed { &mut *framed } else { &mut *in_websocket };
            if is_framed {
                debugger.look(from, &carried, &mut found.looks);
            }
            found.take(transport, from, place, carried, bytes);
        });
        bytes.end();
        if self.is_upgraded && !was_upgraded {
            self.unknown = None;
            self.framed = Found::default();
            self.streams.each_reader(|pair| pair.frames = None);
        }
    }

    /// How many messages there are of the one way or the other.
    pub(super) fn messages(&self) -> u32 {
        self.framed.looks.messages().max(self.in_websocket.looks.messages())
    }

    /// Whether nothing more needs to be looked at.
    pub(super) fn is_enough(&self, options: &Options<'_>) -> bool {
        let messages = self.messages();
        let is_framed = || {
            let is_only = options.transport.is_some();
            (is_only || self.in_websocket.looks.messages() == 0)
                && self.framed.looks.is_certain(options)
                && self.debugger.is_settled(messages)
        };
        messages >= options.limits.undecided()
            || messages == 0 && self.bytes >= STREAM_BYTES
            || options.transport == Some(Transport::Tcp)
                && options.dialect.is_some()
                && self.debugger.is_settled(messages)
            || if self.is_upgraded {
                self.in_websocket.looks.is_certain(options)
            } else {
                is_framed()
            }
    }

    /// What the connection can still be, if only one transport has found messages.
    pub(super) fn remaining(&self, options: &Options<'_>) -> Option<Remaining> {
        let is_websocket = self.is_upgraded || options.transport == Some(Transport::WebSocket);
        let (transport, found) = if is_websocket {
            (Transport::WebSocket, &self.in_websocket)
        } else if self.in_websocket.looks.messages() == 0 {
            (Transport::Tcp, &self.framed)
        } else {
            return None;
        };
        let (layers, dialects) = found.looks.readers(options)?;
        let is_framed = transport == Transport::Tcp;
        if is_framed && self.debugger.is_pending() {
            return None;
        }
        let is_debugger = is_framed && self.debugger.is_found();
        Some(Remaining::new(transport, (Layers { is_debugger, ..layers }, dialects)))
    }

    /// Whether only one transport is possible, with or without a debugger.
    pub(super) fn is_transport_known(&self) -> bool {
        self.unknown.is_none() && !self.debugger.is_pending()
    }

    /// The finds of a transport; of none, the segments as they are.
    pub(super) const fn finds(&self, transport: Option<Transport>) -> Option<&Finds> {
        match transport {
            Some(Transport::WebSocket) => Some(&self.in_websocket.finds),
            Some(_) => Some(&self.framed.finds),
            None => self.unknown.as_ref(),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.streams.is_over()
    }

    /// Ends the input: decides with the messages that are held back.
    pub(super) fn finish(&mut self, now: Place, bytes: &mut Bytes) {
        let Segments { streams, framed, in_websocket, is_upgraded, debugger, .. } = self;
        streams.finish(now, &is_value, &mut |transport, from, place, carried| {
            *is_upgraded |= matches!(carried, Carried::Upgraded);
            let is_framed = transport == Transport::Tcp;
            let found = if is_framed { &mut *framed } else { &mut *in_websocket };
            if is_framed {
                debugger.look(from, &carried, &mut found.looks);
            }
            found.take(transport, from, place, carried, bytes);
        });
    }

    /// What has the most evidence if what is held back is looked at as if nothing more came.
    pub(super) fn foresee(&self, now: Place, options: &Options<'_>) -> Finding {
        let Segments { streams, framed, in_websocket, is_upgraded, .. } = self;
        if self.messages() > 0 {
            return self.finding(options);
        }
        let (mut framed, mut in_websocket) = (framed.looks.clone(), in_websocket.looks.clone());
        streams.clone().finish(now, &is_value, &mut |transport, _, _, carried| {
            let is_framed = transport == Transport::Tcp;
            look_at(if is_framed { &mut framed } else { &mut in_websocket }, transport, &carried);
        });
        finding(&framed, &in_websocket, (*is_upgraded, false), options)
    }

    /// What has the most evidence.
    pub(super) fn finding(&self, options: &Options<'_>) -> Finding {
        let are = (self.is_upgraded, self.debugger.is_found());
        finding(&self.framed.looks, &self.in_websocket.looks, are, options)
    }

    /// What the winner has found, and its reader.
    pub(super) fn end(self, transport: Option<Transport>) -> (Finds, Winner) {
        let Segments { streams, unknown, framed, in_websocket, .. } = self;
        match transport {
            Some(Transport::WebSocket) => match streams.with_readers(|pair| pair.websocket) {
                Some(streams) => (in_websocket.finds, Winner::WebSocket(Box::new(streams))),
                None => (in_websocket.finds, Winner::Unknown),
            },
            Some(_) => match streams.with_readers(|pair| pair.frames) {
                Some(streams) => (framed.finds, Winner::Tcp(Box::new(streams))),
                None => (framed.finds, Winner::Unknown),
            },
            None => (unknown.unwrap_or_default(), Winner::Unknown),
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let found = self.framed.heap_bytes().saturating_add(self.in_websocket.heap_bytes());
        let unknown = self.unknown.as_ref().map_or(0, Finds::heap_bytes);
        found.saturating_add(unknown).saturating_add(self.streams.heap_bytes())
    }
}

fn finding(
    framed: &Looks,
    in_websocket: &Looks,
    (is_upgraded, is_debugger): (bool, bool),
    options: &Options<'_>,
) -> Finding {
    let (values, messages) = (framed.values(options), framed.messages());
    let frames = in_websocket.messages();
    let (layers, detection, read) = in_websocket.decide(options);
    let transport = options.transport.or({
        // Without the handshake they may be random bytes, which are frames by chance.
        if is_upgraded || frames > messages && read > 0 {
            Some(Transport::WebSocket)
        } else if values > 0 && values.saturating_mul(2) >= messages {
            Some(Transport::Tcp)
        } else {
            None
        }
    });
    if transport == Some(Transport::WebSocket) {
        let is_certain = read.saturating_mul(2) >= frames;
        let (fitting, seen) = (frames, frames);
        return Finding { transport, layers, detection, fitting, is_certain, seen, read };
    }
    let (layers, detection, read) = framed.decide(options);
    let layers = Layers { is_debugger, ..layers };
    let (fitting, seen) = (values, messages);
    Finding { transport, layers, detection, fitting, is_certain: true, seen, read }
}

fn look_at(looks: &mut Looks, transport: Transport, carried: &Carried<'_>) {
    let Carried::Message(message) = carried else { return };
    if message.is_text {
        looks.text(message.bytes);
    } else {
        looks.message(transport, 0, message.bytes);
    }
}
