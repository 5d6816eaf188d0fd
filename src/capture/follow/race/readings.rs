//! Decides what the messages of a flow are: values, or packets of the high-level multiplayer API.

use crate::capture::follow::{
    Carried, DEFAULT, Decision, Layers, OfPeers, Options, PeerContent, Reason, Transport,
    TransportMessage, given_id,
};
use crate::game::multiplayer::{self, Context, Form, MultiplayerProtocol, Packet, PeerId};
use crate::net::websocket::Compressed;
use crate::value::detect::{Detection, Detector, Fit, readings};
use crate::value::error::Error;
use crate::value::kind::ValueBody;
use crate::value::{Dialect, VariantRef, parse};

/// The statistics of a connection's first messages, read in each possible way.
#[derive(Clone, Default)]
pub struct Readings {
    /// The messages read as values, without ids or packets around them.
    as_values: Detector,
    // Boxed, because most flows do not need these.
    after_peers: Option<Box<Detector>>,
    packets: Option<Box<Detector>>,
    /// The client's peer id, if the start of the connection was seen.
    client: Option<PeerId>,
    /// How many messages most likely come from multiplayer peers that put ids before packets.
    peers: u32,
    /// How many messages may be the id that Godot 4's server gives a client over WebSocket: 1 if
    /// the first one may be, or 0.
    ids: u32,
    /// How many of the messages are values that no engine writes, and how many are after the ids of
    /// the peers.
    unlikely: u32,
    unlikely_after_peers: u32,
    /// Whether one of them is a value that is too long to be one by chance.
    is_strong: bool,
    /// How many more messages are compressed and refer to earlier ones that were not seen. Other
    /// bytes rarely look like these.
    compressed: u32,
    /// Whether raw bytes after the ids of sender and receiver are from or for the server.
    is_raw_addressed: bool,
    /// Whether they are a debugger's messages in several frames, which not every engine sends.
    is_debugger_in_frames: bool,
}

impl Readings {
    pub fn heap_bytes(&self) -> usize {
        let boxes = [&self.after_peers, &self.packets].into_iter().flatten();
        boxes.map(|detector| size_of_val(&**detector)).sum()
    }

    pub fn messages(&self) -> u32 {
        self.as_values.payloads()
    }

    /// How many messages there are, readable or not.
    pub fn carried(&self) -> u32 {
        self.messages().saturating_add(self.compressed)
    }

    /// Whether some messages are compressed, which leaves no doubt that they are messages.
    pub const fn has_compressed(&self) -> bool {
        self.compressed >= SOME
    }

    /// Excludes the engines whose debuggers send arrays, unless the user has named the dialect.
    pub const fn exclude_debugger_arrays(&mut self) {
        self.is_debugger_in_frames = true;
    }

    fn admits(&self, dialect: Dialect, options: &Options<'_>) -> bool {
        options.admits_dialect(dialect)
            && (options.dialect.is_some()
                || !(self.is_debugger_in_frames && dialect.engine().has_debugger_arrays()))
    }

    /// How many of the messages are values from their first byte to the last.
    pub fn values(&self, options: &Options<'_>) -> u32 {
        if self.messages() == 0 {
            return 0;
        }
        self.as_values.detection_among(|it| self.admits(it, options)).payloads_read()
    }

    /// Returns whether the message is a value of any dialect.
    fn value(&mut self, message: &[u8]) -> bool {
        let before = self.as_values.reads();
        self.as_values.payload(message);
        let is_value = self.as_values.reads() > before;
        let is_unlikely = is_value && is_unlikely(message);
        self.unlikely = self.unlikely.saturating_add(u32::from(is_unlikely));
        self.is_strong =
            self.is_strong || is_value && message.len() >= LONG && readings(message).any(varies);
        is_value
    }

    /// Whether the messages, all of which are values, are more than a coincidence.
    pub fn has_evidence(&self) -> bool {
        self.is_strong || self.messages() >= SOME
    }

    /// How many of the messages are values that no engine writes.
    pub const fn unlikely(&self) -> u32 {
        self.unlikely
    }

    /// Examines what a transport delivered.
    pub fn examine(&mut self, transport: Transport, carried: &Carried<'_>) {
        match carried {
            // The engines do not send packets as text.
            Carried::Message(message) if message.delivery.is_text => {
                self.value(message.bytes);
            }
            Carried::Message(message) => self.message(transport, message),
            Carried::Client(id, _) => self.client = Some(*id),
            Carried::Other(_, Reason::Compressed(Compressed::Unseen)) => {
                self.compressed = self.compressed.saturating_add(1);
            }
            _ => {}
        }
    }

    /// Examines a message.
    pub fn message(&mut self, transport: Transport, whole: &TransportMessage<&[u8]>) {
        let message = whole.bytes;
        let is_first = self.as_values.payloads() == 0;
        let may_be_raw = !self.value(message);
        if is_first && given_id(transport, message).is_some() {
            self.ids = 1;
        }
        if !transport.has_multiplayer() {
            return;
        }
        let of_peers = OfPeers::read(transport, whole);
        let is_likely = of_peers.as_ref().is_some_and(|it| it.is_likely(whole, self.client));
        self.peers = self.peers.saturating_add(u32::from(is_likely));
        let is_addressed = of_peers.as_ref().is_some_and(OfPeers::is_of_server);
        let after_peers = match of_peers {
            Some(OfPeers { content: PeerContent::Data(data), .. }) => Some(data),
            _ => None,
        };
        if let Some(rest) = after_peers {
            let after_peers = self.after_peers.get_or_insert_default();
            let before = after_peers.reads();
            after_peers.payload(rest);
            let is_unlikely = after_peers.reads() > before && is_unlikely(rest);
            self.unlikely_after_peers =
                self.unlikely_after_peers.saturating_add(u32::from(is_unlikely));
        }
        let is_raw_addressed = &mut self.is_raw_addressed;
        self.packets.get_or_insert_default().with_values(message, |dialect, found| {
            let has_peers = dialect.engine().has_peer_headers();
            let packet = if has_peers { after_peers } else { Some(message) };
            match packet.map_or(Fit::None, |packet| examine_packet(dialect, packet, found)) {
                Fit::Bytes if !may_be_raw => Fit::None,
                fit => {
                    *is_raw_addressed |= fit == Fit::Bytes && has_peers && is_addressed;
                    fit
                }
            }
        });
    }

    /// The ways in which all messages so far can be read.
    fn candidates(&self, options: &Options<'_>) -> impl Iterator<Item = (Layers, Dialect)> {
        let messages = self.messages();
        let has_peers = |dialect: Dialect| dialect.engine().has_peer_headers();
        let own = move |dialect| if has_peers(dialect) { self.peers } else { self.ids };
        let admits = |(_, dialect): &(Layers, Dialect)| self.admits(*dialect, options);
        let values = move || {
            let as_values =
                self.as_values.readers_of(messages, |_| 0).map(|it| (Layers::default(), it));
            let after_peers = self.after_peers.iter().flat_map(move |it| {
                let readers = it.readers_of(messages, |_| 0).filter(move |it| has_peers(*it));
                readers.map(|it| (Layers { has_peers: true, ..Layers::default() }, it))
            });
            as_values.chain(after_peers).filter(admits)
        };
        // Any bytes can be raw bytes, but that many messages are not values by chance.
        let are_values = messages >= SOME && values().next().is_some();
        let packets = self.packets.iter().flat_map(move |it| {
            let readers = it.readers_of(messages, own);
            let readers = readers.filter(move |dialect| !are_values || it.has_read(*dialect));
            readers.map(move |it| {
                let has_peers = has_peers(it);
                (Layers { has_peers, is_multiplayer: true, ..Layers::default() }, it)
            })
        });
        values().chain(packets.filter(admits))
    }

    /// The dialects that can read all messages so far, if there is no doubt about the layers around
    /// the values. One value is enough, but packets are short, so `SOME` of them are needed.
    pub fn readers(&self, options: &Options<'_>) -> Option<(Layers, Vec<Dialect>)> {
        if self.messages() == 0 {
            return None;
        }
        let (layers, _) = self.candidates(options).next()?;
        let is_value = layers == Layers::default();
        let is_enough = if is_value { self.unlikely == 0 } else { self.messages() >= SOME };
        if !is_enough || self.candidates(options).any(|(others, _)| others != layers) {
            return None;
        }
        // Any bytes can be raw bytes, so they are no evidence on their own.
        if !is_value && self.decide(options).read == 0 {
            return None;
        }
        Some((layers, self.candidates(options).map(|(_, dialect)| dialect).collect()))
    }

    /// Whether the messages so far leave no doubt: all of them can be read in one way, and in no
    /// other.
    pub fn is_certain(&self, options: &Options<'_>) -> bool {
        let Some((layers, dialects)) = self.readers(options) else { return false };
        let [dialect] = dialects[..] else { return false };
        let is_value = layers == Layers::default();
        let detector = if is_value { Some(&self.as_values) } else { self.packets.as_deref() };
        options.dialect.is_some()
            || !dialect.flags_width()
            || detector.is_some_and(Detector::has_seen_reals)
    }

    /// How most of the messages can be read.
    pub fn decide(&self, options: &Options<'_>) -> Decision {
        if self.messages() == 0 {
            return Decision::nothing();
        }
        let has_peers = |dialect: Dialect| dialect.engine().has_peer_headers();
        let admits = |dialect| self.admits(dialect, options);
        let as_values = self.as_values.detection_among(admits);
        let after_peers = self.after_peers.as_deref().cloned().unwrap_or_default();
        let after_peers = after_peers.detection_among(|it| admits(it) && has_peers(it));
        let all_packets = self.packets.as_deref().cloned().unwrap_or_default();
        let mut packets = all_packets.detection_among(admits);
        let likely =
            |packets: &Detection| packets.best().next().or(options.dialect).unwrap_or(DEFAULT);
        if !has_peers(likely(&packets)) {
            // Raw bytes may look like any packet.
            let others = all_packets.detection_among(|it| admits(it) && has_peers(it));
            let read = others.payloads_read().saturating_add(self.peers);
            if (self.peers > 0 || self.is_raw_addressed) && read >= packets.payloads_read() {
                packets = others;
            }
        }
        let has_peers = has_peers(likely(&packets));
        let read = |layers: Layers, detection: &Detection| {
            let peers = if layers.has_peers { self.peers } else { 0 };
            let read = detection.payloads_read().saturating_add(peers);
            // Any bytes can be raw bytes, so they are no evidence on their own.
            let is_raw =
                layers.is_multiplayer && (read > 0 || layers.has_peers && self.is_raw_addressed);
            if is_raw { read.saturating_add(detection.raw()) } else { read }
        };
        // A few messages of any protocol can be read like this by chance.
        let is_mostly = |read: u32| read.saturating_mul(2) >= self.as_values.payloads();
        // Values that no engine writes are no evidence if another reading explains the messages as
        // well.
        let evidence = |layers: Layers, detection: &Detection| {
            let doubt = if layers.has_peers { self.unlikely_after_peers } else { self.unlikely };
            read(layers, detection).saturating_sub(doubt)
        };
        let mut best = (Layers::default(), as_values);
        let mut tied = None;
        for other in [
            (Layers { has_peers: true, ..Layers::default() }, after_peers),
            (Layers { has_peers, is_multiplayer: true, ..Layers::default() }, packets),
        ] {
            let (count, least) = (read(other.0, &other.1), evidence(best.0, &best.1));
            if count < least || count == 0 || !is_mostly(count) {
                continue;
            }
            // A more complex reading has to explain more messages than the simpler one, or be that
            // of a more common engine.
            let is_better = count > least || other.1.is_of_more_common(&best.1);
            let worse = if is_better { core::mem::replace(&mut best, other) } else { other };
            if count == least {
                tied = Some(Box::new(worse));
            } else if is_better {
                tied = None;
            }
        }
        let read = read(best.0, &best.1);
        let (layers, detection) = best;
        Decision { layers, detection, read, tied }
    }
}

/// This many packets of the multiplayer API leave no doubt, and this many values.
const SOME: u32 = 8;

/// Values of this many bytes leave no doubt, unless all values of their kind have that length.
const LONG: usize = 32;

/// Whether the length of a value depends on its content.
fn varies(value: Result<VariantRef<'_>, Error>) -> bool {
    value.is_ok_and(|value| !matches!(value.kind().body(), ValueBody::Cells(..)))
}

/// The bits that an engine may set in the first four bytes of a value: its type, and flags that say
/// whether numbers are wide, an object is an id, and which types a container has.
const HEADER_BITS: u32 = 0x000f_00ff;

/// Whether bytes would be a value that no engine writes: the engines ignore other bits.
pub fn is_unlikely(value: &[u8]) -> bool {
    value.first_chunk().is_none_or(|header| u32::from_le_bytes(*header) & !HEADER_BITS != 0)
}

/// Whether bytes are a value of any dialect.
pub fn is_value(bytes: &[u8]) -> bool {
    readings(bytes).any(|reading| reading.is_ok())
}

/// The largest id of a path. Engines count ids up from 1, so a larger number is not an id.
const MOST_PATHS: u32 = 0x00ff_ffff;

/// Examines a packet in a dialect, and passes the values in it to a function.
fn examine_packet(dialect: Dialect, packet: &[u8], found: &mut dyn FnMut(VariantRef<'_>)) -> Fit {
    let Ok(packet) = multiplayer::parse(MultiplayerProtocol::of(dialect), dialect, packet) else {
        return Fit::None;
    };
    match packet {
        // Pandemonium's confirmations read as Godot 3's announcements whose ids are letters.
        Packet::SimplifyPath(announced) if announced.id > MOST_PATHS => return Fit::None,
        // Any bytes can be raw bytes, but few are a value.
        Packet::Raw(raw) => {
            return raw.as_value().map(found).map_or(Fit::Bytes, |()| Fit::Whole);
        }
        packet => packet.each_argument(&mut |argument| {
            if let Form::Value(value) = argument.form() {
                found(value);
            }
        }),
    }
    Fit::Whole
}

/// The possible readings of a connection: every dialect here can read all messages so far.
pub struct Remaining {
    pub transport: Transport,
    pub layers: Layers,
    /// In the order of preference; at least one.
    pub dialects: Vec<Dialect>,
    /// The indexes of dialects whose literals may differ even for equal values. Dialects that
    /// differ only in the width of floats have only one of them here.
    of_each_text: Vec<usize>,
}

/// The longest message that is compared, in bytes.
const LONGEST: usize = 4096;

impl Remaining {
    pub fn new(transport: Transport, (layers, dialects): (Layers, Vec<Dialect>)) -> Remaining {
        let is_new = |(place, dialect): &(usize, &Dialect)| {
            !dialects.iter().take(*place).any(|it| it.differs_only_in_width(**dialect))
        };
        let of_each_text =
            dialects.iter().enumerate().filter(is_new).map(|(place, _)| place).collect();
        Remaining { transport, layers, dialects, of_each_text }
    }

    /// Whether all these dialects read a message alike.
    pub fn agrees_on(&self, message: &TransportMessage<&[u8]>) -> bool {
        if self.dialects.len() == 1 {
            return true;
        }
        if message.bytes.len() > LONGEST {
            return false;
        }
        let Some(bytes) = self.content(message) else { return true };
        if self.layers.is_multiplayer && !message.delivery.is_text {
            return are_equal(self.dialects.iter().map(|dialect| {
                let packet =
                    multiplayer::parse(MultiplayerProtocol::of(*dialect), *dialect, bytes).ok()?;
                Some(packet.display(Context::new()).to_string())
            }));
        }
        let values: Vec<_> =
            self.dialects.iter().map(|dialect| parse(*dialect, bytes).ok()).collect();
        let text = |place: &usize| Some((*values.get(*place)?)?.to_string());
        are_equal(values.iter()) && are_equal(self.of_each_text.iter().map(text))
    }

    /// The content after the ids of the peers; none for a message that the peers themselves send,
    /// which all dialects read alike.
    fn content<'b>(&self, message: &TransportMessage<&'b [u8]>) -> Option<&'b [u8]> {
        let bytes = message.bytes;
        if !self.layers.has_peers || message.delivery.is_text {
            return Some(bytes);
        }
        match OfPeers::read(self.transport, message) {
            None => Some(bytes),
            Some(OfPeers { content: PeerContent::Data(data), .. }) => Some(data),
            Some(_) => None,
        }
    }
}

fn are_equal<T: PartialEq>(readings: impl IntoIterator<Item = T>) -> bool {
    let mut readings = readings.into_iter();
    let first = readings.next();
    readings.all(|reading| first.as_ref() == Some(&reading))
}
