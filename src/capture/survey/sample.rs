//! Examines the first packets of one flow and decides its transport.

use super::layers::{Layers, Looks, is_value};
use crate::capture::table::Held;
use crate::capture::{Datagram, Limits, Options, Segment, Transport};
use crate::detect::Detection;
use crate::net::websocket::{self, WebSocketEvent};
use crate::net::{Side, enet, tcp};

/// How many messages are examined.
const MESSAGES: u32 = 64;

/// How many datagrams are examined if there are fewer messages.
const DATAGRAMS: u32 = 4096;

/// How many bytes of a stream are examined if there are no messages.
const STREAM_BYTES: u64 = 256 << 10;

/// The longest message that is examined.
const MESSAGE_BYTES: usize = 4 << 20;

/// This many datagrams are not all values by chance.
const MANY_DATAGRAMS: u32 = 8;

/// The bits that an engine sets in the header of a value: its type, and the flags for wide numbers,
/// objects by id and typed containers.
const HEADER_BITS: u32 = 0x000f_00ff;

/// Whether bytes would be a value that no engine writes: the engines ignore other header bits.
pub(in crate::capture) fn is_unlikely(value: &[u8]) -> bool {
    value.first_chunk().is_none_or(|header| u32::from_le_bytes(*header) & !HEADER_BITS != 0)
}

/// The result for one flow.
#[derive(Clone)]
pub(super) struct Finding {
    /// None if no message of an engine was recognized.
    pub(super) transport: Option<Transport>,
    pub(super) layers: Layers,
    pub(super) detection: Detection,
    /// How many packets or messages fit the transport; `seen` is their total.
    pub(super) fitting: u32,
    /// Whether everything that reads as a value is one, even if no engine writes it like that.
    pub(super) is_certain: bool,
    pub(super) seen: u32,
    /// How many messages could be read.
    pub(super) read: u32,
}

impl Finding {
    /// Whether it has traffic of the engines.
    pub(super) fn is_of_engines(&self) -> bool {
        self.transport.is_some() && self.fitting > 0 && (self.read > 0 || self.is_enet())
    }

    fn is_enet(&self) -> bool {
        self.transport == Some(Transport::Enet)
    }
}

pub(super) enum Sample {
    Udp(Box<UdpSample>),
    Tcp(Box<TcpSample>),
}

impl Sample {
    pub(super) fn new(is_tcp: bool, limits: &Limits) -> Sample {
        if is_tcp {
            Sample::Tcp(Box::new(TcpSample::new(limits)))
        } else {
            Sample::Udp(Box::default())
        }
    }

    /// Whether enough has been examined.
    pub(super) fn is_enough(&self) -> bool {
        match self {
            Sample::Udp(sample) => sample.is_enough(),
            Sample::Tcp(sample) => sample.is_enough(),
        }
    }

    /// Whether there was a message in one of the possible readings.
    pub(super) fn has_messages(&self) -> bool {
        match self {
            Sample::Udp(sample) => sample.has_messages(),
            Sample::Tcp(sample) => sample.messages.most() > 0,
        }
    }

    pub(super) fn decide(self, options: &Options<'_>) -> Finding {
        match self {
            Sample::Udp(sample) => sample.decide(options),
            Sample::Tcp(sample) => sample.decide(options),
        }
    }
}

impl Held for Sample {
    fn held(&self) -> usize {
        match self {
            Sample::Udp(sample) => {
                let session = sample.session.as_deref();
                let session =
                    session.map_or(0, |it| size_of_val(it).saturating_add(it.heap_bytes()));
                let looks = sample.bare.heap_bytes().saturating_add(sample.in_enet.heap_bytes());
                size_of_val(&**sample).saturating_add(session).saturating_add(looks)
            }
            Sample::Tcp(sample) => {
                let Messages { framed, in_websocket, .. } = &sample.messages;
                let looks = framed.heap_bytes().saturating_add(in_websocket.heap_bytes());
                let sides = sample.sides.iter().map(Direction::heap_bytes);
                let own = size_of_val(&**sample).saturating_add(looks);
                sides.fold(own, usize::saturating_add)
            }
        }
    }
}

#[derive(Default)]
pub(super) struct UdpSample {
    datagrams: u32,
    bare: Looks,
    /// How many messages are values that no engine writes.
    unlikely: u32,
    /// How many datagrams are ENet.
    enet: u32,
    /// How many may be ENet, compressed by something other than its range coder.
    compressed: u32,
    session: Option<Box<enet::Session>>,
    in_enet: Looks,
}

impl UdpSample {
    pub(super) fn datagram(
        &mut self,
        from: Side,
        datagram: &Datagram<'_>,
        scratch: &mut enet::Scratch,
        limits: &Limits,
    ) {
        if datagram.missing > 0 {
            return;
        }
        self.datagrams = self.datagrams.saturating_add(1);
        if self.bare.messages() < MESSAGES {
            self.bare.message(Transport::Udp, 0, datagram.payload);
            let is_unlikely = is_unlikely(datagram.payload) && is_value(datagram.payload);
            self.unlikely = self.unlikely.saturating_add(u32::from(is_unlikely));
        }
        let is_possible = match enet::Datagram::parse(datagram.payload) {
            Ok(_) => true,
            Err(error) => error.problem == enet::Problem::Compressed,
        };
        if !is_possible {
            return;
        }
        let in_enet = &mut self.in_enet;
        let new = || Box::new(enet::Session::new(limits.enet()));
        let session = self.session.get_or_insert_with(new);
        session.swap_scratch(scratch);
        let sink = &mut |event: enet::Event<'_>| look_at_enet(in_enet, event);
        let result = session.receive(from, datagram.payload, sink);
        session.swap_scratch(scratch);
        let count = match result {
            Ok(()) => &mut self.enet,
            Err(error) if error.problem == enet::Problem::UnknownCompression => {
                &mut self.compressed
            }
            Err(_) => return,
        };
        *count = count.saturating_add(1);
    }

    fn is_enough(&self) -> bool {
        let is_told = if self.is_enet() {
            self.in_enet.messages() >= MESSAGES
        } else {
            self.bare.messages() >= MESSAGES
        };
        is_told || self.datagrams >= DATAGRAMS
    }

    fn has_messages(&self) -> bool {
        self.in_enet.messages() > 0 || self.bare.messages() > self.enet
    }

    /// Two datagrams in three have to be ENet, so that a few of another protocol do no harm.
    /// Datagrams that are compressed in an unknown way count only next to uncompressed ones: every
    /// connection has acknowledgements that are too short to compress.
    fn is_enet(&self) -> bool {
        let possible = self.enet.saturating_add(self.compressed.min(self.enet.saturating_mul(16)));
        possible.saturating_mul(3) >= self.datagrams.saturating_mul(2) && self.enet > 0
    }

    /// Examines what is still held back: it may wait for packets that were not captured.
    fn finish(&mut self) {
        let in_enet = &mut self.in_enet;
        if let Some(session) = &mut self.session {
            session.finish(&mut |event| look_at_enet(in_enet, event));
        }
    }

    fn decide(mut self, options: &Options<'_>) -> Finding {
        self.finish();
        let values = self.bare.values(options);
        let is_enet = match options.transport {
            Some(transport) => transport == Transport::Enet,
            None => self.is_enet() && self.enet > values,
        };
        if is_enet {
            let messages = self.in_enet.messages();
            let (layers, detection, read) = self.in_enet.decide(options);
            let is_certain = read.saturating_mul(2) >= messages;
            let (transport, fitting, seen) = (Some(Transport::Enet), self.enet, self.datagrams);
            return Finding { transport, layers, detection, fitting, is_certain, seen, read };
        }
        let seen = self.bare.messages();
        let (layers, detection, read) = self.bare.decide(options);
        let transport = Some(Transport::Udp);
        let is_mostly = |values: u32| values > 0 && values.saturating_mul(2) >= seen;
        let likely = values.saturating_sub(self.unlikely);
        let is_certain = options.transport == transport
            || is_mostly(likely)
            || is_mostly(values) && seen >= MANY_DATAGRAMS;
        let fitting = if is_certain { values } else { likely };
        Finding { transport, layers, detection, fitting, is_certain, seen, read }
    }
}

pub(super) struct TcpSample {
    sides: [Direction; 2],
    messages: Messages,
    bytes: u64,
}

/// The messages of a stream, read as length-prefixed frames and as WebSocket.
#[derive(Default)]
struct Messages {
    framed: Looks,
    in_websocket: Looks,
    /// Whether the upgrade to WebSocket was seen.
    is_upgraded: bool,
}

impl Messages {
    /// The number of messages in the reading that has more.
    fn most(&self) -> u32 {
        self.framed.messages().max(self.in_websocket.messages())
    }
}

fn look_at_enet(in_enet: &mut Looks, event: enet::Event<'_>) {
    match event {
        enet::Event::Message(message) => {
            in_enet.message(Transport::Enet, message.channel, message.payload);
        }
        enet::Event::Connected(connected) => in_enet.connected(connected.data),
        _ => {}
    }
}

fn look_at_frame(framed: &mut Looks, event: tcp::FrameEvent<'_>) {
    if let tcp::FrameEvent::Message { bytes, .. } = event {
        framed.message(Transport::Tcp, 0, bytes);
    }
}

fn look_at_websocket(in_websocket: &mut Looks, is_upgraded: &mut bool, event: WebSocketEvent<'_>) {
    match event {
        WebSocketEvent::Handshake(_) => *is_upgraded = true,
        WebSocketEvent::Message { is_text: true, payload, .. } => in_websocket.text(payload),
        WebSocketEvent::Message { payload, .. } => {
            in_websocket.message(Transport::WebSocket, 0, payload);
        }
        _ => {}
    }
}

struct Direction {
    reassembler: tcp::Reassembler,
    frames: tcp::Frames,
    websocket: websocket::Stream,
}

impl Direction {
    fn new(limits: &Limits) -> Direction {
        let message = limits.message().min(MESSAGE_BYTES);
        Direction {
            reassembler: tcp::Reassembler::new(limits.out_of_order().min(MESSAGE_BYTES)),
            frames: tcp::Frames::new(u32::try_from(message).unwrap_or(u32::MAX)),
            websocket: websocket::Stream::new(message),
        }
    }

    fn heap_bytes(&self) -> usize {
        let Direction { reassembler, frames, websocket } = self;
        let readers = frames.heap_bytes().saturating_add(websocket.heap_bytes());
        reassembler.heap_bytes().saturating_add(readers)
    }
}

impl TcpSample {
    fn new(limits: &Limits) -> TcpSample {
        TcpSample {
            sides: [Direction::new(limits), Direction::new(limits)],
            messages: Messages::default(),
            bytes: 0,
        }
    }

    pub(super) fn segment(&mut self, from: Side, segment: &Segment<'_>) {
        self.bytes = self.bytes.saturating_add(segment.payload.len() as u64);
        self.work(from, |reassembler, sink| reassembler.push(segment.in_stream(), sink));
        if let Some(number) = segment.acknowledgement {
            self.work(from.other(), |reassembler, sink| reassembler.acknowledged(number, sink));
        }
    }

    fn work(
        &mut self,
        from: Side,
        give: impl FnOnce(&mut tcp::Reassembler, &mut dyn FnMut(tcp::Piece<'_>)),
    ) {
        let [first, second] = &mut self.sides;
        let Direction { reassembler, frames, websocket } = match from {
            Side::First => first,
            Side::Second => second,
        };
        let Messages { framed, in_websocket, is_upgraded } = &mut self.messages;
        give(reassembler, &mut |piece| {
            frames.push(piece, &is_value, &mut |event| look_at_frame(framed, event));
            websocket.push(piece, &mut |event| {
                look_at_websocket(in_websocket, is_upgraded, event);
            });
        });
    }

    /// Examines what is still held back.
    fn finish(&mut self) {
        for side in [Side::First, Side::Second] {
            self.work(side, |reassembler, sink| reassembler.finish(sink));
        }
        let Messages { framed, in_websocket, is_upgraded } = &mut self.messages;
        for Direction { frames, websocket, .. } in &mut self.sides {
            frames.finish(&is_value, &mut |event| look_at_frame(framed, event));
            websocket.finish(&mut |event| look_at_websocket(in_websocket, is_upgraded, event));
        }
    }

    fn is_enough(&self) -> bool {
        let messages = self.messages.most();
        messages >= MESSAGES || messages == 0 && self.bytes >= STREAM_BYTES
    }

    fn decide(mut self, options: &Options<'_>) -> Finding {
        self.finish();
        let Messages { framed: in_frames, in_websocket, is_upgraded } = self.messages;
        let (values, framed) = (in_frames.values(options), in_frames.messages());
        let frames = in_websocket.messages();
        let (layers, detection, read) = in_websocket.decide(options);
        let transport = options.transport.or({
            // Without the handshake, random bytes may be frames by chance.
            if is_upgraded || frames > framed && read > 0 {
                Some(Transport::WebSocket)
            } else if values > 0 && values.saturating_mul(2) >= framed {
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
        let (layers, detection, read) = in_frames.decide(options);
        let (fitting, seen) = (values, framed);
        Finding { transport, layers, detection, fitting, is_certain: true, seen, read }
    }
}
