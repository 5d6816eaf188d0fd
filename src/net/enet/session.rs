//! The observer of an ENet connection: takes the datagrams of both ends, gives the messages.

mod deliver;
mod room;

use super::assembly::Assembly;
use super::channel::{Channel, Key, Lane};
use super::command::{Body, Command, Connect};
use super::datagram::{Datagram, MAX_DATAGRAM_LEN};
use super::error::{Error, Problem};
use super::event::{Connected, Event, Loss, Lost, Message, Mode, Reason};
use super::grammar::OWN_CHANNEL;
use super::range_coder::RangeDecoder;
use super::unsequenced::Window;
use crate::net::Side;
use std::mem;

/// Up to this many datagrams of a connection may be captured before its connect command.
const OVERTAKING: u64 = 16;

/// How much a session holds back, and for how long.
///
/// ```
/// use gdwire::net::enet::{Limits, Session};
///
/// let session = Session::new(Limits::default().with_held_bytes(1 << 20));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// The most bytes that are held back. Each message and each fragment counts 64 bytes more than
    /// it has, and each incomplete message 320 bytes more. A few bytes for each channel come on
    /// top.
    pub held_bytes: usize,
    /// The longest message that is put together from fragments, in bytes.
    pub message_len: u32,
    /// How many unreliable messages may be incomplete at once.
    pub unfinished: usize,
    /// How long to wait for a missing message that the other side has acknowledged, counted in
    /// datagrams of the session. Without an acknowledgement, the session waits 16 times as long.
    pub patience: u64,
}

impl Default for Limits {
    /// 32 MiB, messages as long as ENet accepts them, 64 incomplete ones, 64 datagrams.
    fn default() -> Limits {
        Limits { held_bytes: 32 << 20, message_len: 32 << 20, unfinished: 64, patience: 64 }
    }
}

impl Limits {
    /// The same with other [`held_bytes`](Limits::held_bytes).
    #[must_use]
    pub const fn with_held_bytes(self, held_bytes: usize) -> Limits {
        Limits { held_bytes, ..self }
    }

    /// The same with another [`message_len`](Limits::message_len).
    #[must_use]
    pub const fn with_message_len(self, message_len: u32) -> Limits {
        Limits { message_len, ..self }
    }

    /// The same with another number of [`unfinished`](Limits::unfinished) messages.
    #[must_use]
    pub const fn with_unfinished(self, unfinished: usize) -> Limits {
        Limits { unfinished, ..self }
    }

    /// The same with another [`patience`](Limits::patience).
    #[must_use]
    pub const fn with_patience(self, patience: u64) -> Limits {
        Limits { patience, ..self }
    }
}

/// A passive observer of an ENet connection: takes the datagrams of both ends, gives the messages.
///
/// Each complete message is given once, even if its datagrams were sent again, captured twice or
/// captured in another order. Reliable messages are given in the order of their channel and wait
/// for missing earlier ones. Unreliable messages wait for the reliable messages before them, but
/// not for each other.
///
/// A missing reliable message is given up and reported as a [`Loss`] once the other side has
/// acknowledged it and some more datagrams have passed, when the limits are reached, or at the end.
/// If it comes later, it is given then. The sequence numbers of unreliable messages show gaps too,
/// but the session does not report them: it reports an unreliable message only if some of its
/// fragments were seen.
///
/// A session that begins in the middle of a connection starts each channel with the first sequence
/// number that it sees. A connect command starts a new connection.
///
/// One session observes one pair of peers. If two hosts have several connections over the same
/// ports, the caller has to separate them by [`super::Header::peer`].
#[derive(Debug)]
pub struct Session {
    limits: Limits,
    first: End,
    second: End,
    /// Incomplete messages that no other message waits for: unreliable or late ones.
    unfinished: Vec<Unfinished>,
    held: usize,
    datagrams: u64,
    connect_id: Option<u32>,
    is_announced: bool,
    scratch: Scratch,
}

/// Buffers that are reused for the next datagram. They hold no state of the connection.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    decoder: RangeDecoder,
    decompressed: Vec<u8>,
}

/// The state of what one end sends.
#[derive(Debug, Default)]
struct End {
    /// The channels that were seen, sorted by number.
    channels: Vec<(u8, Channel)>,
    window: Window,
    is_disconnected: bool,
}

#[derive(Debug)]
struct Unfinished {
    lane: Lane,
    key: Key,
    assembly: Assembly,
}

/// The channel, sequence number and place of a command.
#[derive(Clone, Copy)]
struct Origin {
    lane: Lane,
    sequence: u16,
    datagram: u64,
    /// The offset of the payload.
    offset: usize,
}

impl Origin {
    fn message(self, mode: Mode, payload: &[u8]) -> Event<'_> {
        let Origin { lane: Lane { from, channel }, datagram, offset, .. } = self;
        Event::Message(Message { from, channel, mode, datagram, offset, payload })
    }
}

impl Session {
    /// A session that has not seen any datagram.
    #[must_use]
    pub fn new(limits: Limits) -> Session {
        Session {
            limits,
            first: End::default(),
            second: End::default(),
            unfinished: Vec::new(),
            held: 0,
            datagrams: 0,
            connect_id: None,
            is_announced: false,
            scratch: Scratch::default(),
        }
    }

    /// Takes a datagram. Messages are borrowed from it, unless they are compressed, fragmented or
    /// held back.
    ///
    /// # Errors
    ///
    /// If it is not ENet, or uses an unknown compression. Nothing of it is given then, and the
    /// session continues as if the datagram had not come.
    pub fn receive(
        &mut self,
        from: Side,
        datagram: &[u8],
        sink: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), Error> {
        let mut decompressed = mem::take(&mut self.scratch.decompressed);
        let parsed = Datagram::parse_with(datagram, &mut self.scratch.decoder, &mut decompressed);
        let result = parsed.map(|datagram| self.take(from, &datagram, sink));
        self.scratch.decompressed = decompressed;
        self.datagrams = self.datagrams.saturating_add(1);
        self.give_up_overdue(sink);
        result
    }

    /// Takes a datagram of which the last `missing` bytes were not captured, and gives its complete
    /// commands. The rest is reported as a [`Loss`]; for a compressed datagram that is all of it.
    ///
    /// # Errors
    ///
    /// If the captured part is not ENet.
    pub fn receive_cut(
        &mut self,
        from: Side,
        datagram: &[u8],
        missing: usize,
        sink: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), Error> {
        if missing == 0 {
            return self.receive(from, datagram, sink);
        }
        let len = datagram.len().saturating_add(missing);
        let result = match Datagram::parse_cut(datagram) {
            _ if len > MAX_DATAGRAM_LEN => {
                Err(Error { offset: 0, problem: Problem::TooLong { len } })
            }
            Ok(parsed) => {
                self.take(from, &parsed, sink);
                Ok(parsed.cut_len().saturating_add(missing))
            }
            Err(Error { problem: Problem::Compressed | Problem::UnexpectedEnd, .. }) => Ok(len),
            Err(error) => Err(error),
        };
        let result = result.map(|len| {
            let lost = Lost::Rest { len };
            sink(Event::Lost(Loss { from, channel: None, lost, reason: Reason::Cut }));
        });
        self.datagrams = self.datagrams.saturating_add(1);
        self.give_up_overdue(sink);
        result
    }

    /// Ends the session: gives the messages that were held back and reports those that are missing.
    pub fn finish(&mut self, sink: &mut dyn FnMut(Event<'_>)) {
        self.flush(sink);
        self.first = End::default();
        self.second = End::default();
        self.connect_id = None;
        self.is_announced = false;
    }

    /// How many bytes are held back, counted as in [`Limits::held_bytes`].
    #[must_use]
    pub const fn buffered(&self) -> usize {
        self.held
    }

    /// How many datagrams the session has got, those that it refused included.
    #[must_use]
    pub const fn datagrams(&self) -> u64 {
        self.datagrams
    }

    /// Exchanges the buffers: sessions can share them, because only one works at a time.
    #[cfg(feature = "capture")]
    pub(crate) const fn swap_scratch(&mut self, scratch: &mut Scratch) {
        mem::swap(&mut self.scratch, scratch);
    }

    /// The numbers of the datagrams that completed the messages that are held back.
    #[cfg(feature = "capture")]
    pub(crate) fn held_datagrams(&self) -> impl Iterator<Item = u64> {
        let channels = self.first.channels.iter().chain(&self.second.channels);
        channels.flat_map(|(_, channel)| channel.held_datagrams())
    }

    /// About how much memory is in use, without the shared buffers.
    #[cfg(feature = "capture")]
    pub(crate) fn heap_bytes(&self) -> usize {
        // Fragments are put together in buffers that are up to a quarter longer.
        let held = self.held.saturating_add(self.held / 4);
        let unfinished = self.unfinished.capacity().saturating_mul(size_of::<Unfinished>());
        let ends = [&self.first, &self.second].map(|end| {
            let channels = end.channels.capacity().saturating_mul(size_of::<(u8, Channel)>());
            let in_channels = end.channels.iter().map(|(_, channel)| channel.heap_bytes());
            in_channels.fold(channels, usize::saturating_add)
        });
        ends.into_iter().fold(held.saturating_add(unfinished), usize::saturating_add)
    }

    fn end(&mut self, side: Side) -> &mut End {
        match side {
            Side::First => &mut self.first,
            Side::Second => &mut self.second,
        }
    }

    fn take(&mut self, from: Side, datagram: &Datagram<'_>, sink: &mut dyn FnMut(Event<'_>)) {
        let mut commands = datagram.commands();
        while let Some(command) = commands.next() {
            self.command(from, &command, commands.offset(), sink);
        }
    }

    fn command(
        &mut self,
        from: Side,
        command: &Command<'_>,
        end: usize,
        sink: &mut dyn FnMut(Event<'_>),
    ) {
        let origin = |payload: &[u8]| Origin {
            lane: Lane { from, channel: command.channel },
            sequence: command.sequence,
            datagram: self.datagrams,
            // The payload is the last field of a command.
            offset: end.saturating_sub(payload.len()),
        };
        match command.body {
            Body::Acknowledge { received, .. } if command.channel != OWN_CHANNEL => {
                let lane = Lane { from: from.other(), channel: command.channel };
                let now = self.datagrams;
                self.channel(lane).acknowledge(received, now);
            }
            Body::Connect(connect) => self.connect(from, &connect, sink),
            Body::VerifyConnect(verify) => self.verify(verify.connect_id, sink),
            Body::Disconnect { data } => {
                if !mem::replace(&mut self.end(from).is_disconnected, true) {
                    sink(Event::Disconnected { from, data });
                }
            }
            Body::SendReliable { payload } => self.reliable(origin(payload), payload, sink),
            Body::SendUnreliable { unreliable_sequence, payload } => {
                self.unreliable(origin(payload), unreliable_sequence, payload, sink);
            }
            Body::SendFragment(fragment) => {
                self.reliable_fragment(origin(fragment.payload), &fragment, sink);
            }
            Body::SendUnsequenced { group, payload } => {
                let origin = origin(payload);
                if self.end(from).window.insert(group) {
                    sink(origin.message(Mode::Unsequenced, payload));
                }
            }
            Body::SendUnreliableFragment(fragment) => {
                self.unreliable_fragment(origin(fragment.payload), &fragment, sink);
            }
            Body::Acknowledge { .. }
            | Body::Ping
            | Body::BandwidthLimit(_)
            | Body::ThrottleConfigure(_) => {}
        }
    }

    /// The state of a channel, which is created when the channel is first seen.
    fn channel(&mut self, lane: Lane) -> &mut Channel {
        let is_from_start = self.connect_id.is_some();
        let channels = &mut self.end(lane.from).channels;
        let place = channels.binary_search_by_key(&lane.channel, |(number, _)| *number);
        let at = place.unwrap_or_else(|at| {
            let new = if is_from_start { Channel::from_start() } else { Channel::default() };
            channels.insert(at, (lane.channel, new));
            at
        });
        #[expect(clippy::indexing_slicing, reason = "it was found or made")]
        &mut channels[at].1
    }

    fn connect(&mut self, from: Side, connect: &Connect, sink: &mut dyn FnMut(Event<'_>)) {
        let parameters = &connect.parameters;
        if self.is_overtaken() {
            self.start(parameters.connect_id);
        } else if self.connect_id != Some(parameters.connect_id) {
            self.restart(parameters.connect_id, sink);
        }
        if !mem::replace(&mut self.is_announced, true) {
            sink(Event::Connected(Connected {
                from,
                connect_id: parameters.connect_id,
                data: connect.data,
                channels: parameters.channels,
                mtu: parameters.mtu,
            }));
        }
    }

    /// Takes the answer to a connect command. The command itself may not have been captured.
    fn verify(&mut self, connect_id: u32, sink: &mut dyn FnMut(Event<'_>)) {
        if self.connect_id.is_none() && self.datagrams < self.limits.patience {
            // Datagrams captured before it may belong to the same connection.
            self.start(connect_id);
        } else if self.connect_id != Some(connect_id) {
            self.restart(connect_id, sink);
        }
    }

    /// Whether a connect command belongs to the datagrams before it: the first few of a connection
    /// may be captured before the command.
    fn is_overtaken(&self) -> bool {
        let is_new = |end: &End| {
            let is_first = end.channels.iter().all(|(_, channel)| channel.has_started_with_first());
            is_first && !end.is_disconnected
        };
        self.connect_id.is_none()
            && self.datagrams < OVERTAKING
            && is_new(&self.first)
            && is_new(&self.second)
    }

    /// Assigns what was seen so far to this connection.
    fn start(&mut self, connect_id: u32) {
        self.connect_id = Some(connect_id);
        for end in [&mut self.first, &mut self.second] {
            end.channels.iter_mut().for_each(|(_, channel)| channel.start());
        }
    }

    fn restart(&mut self, connect_id: u32, sink: &mut dyn FnMut(Event<'_>)) {
        self.finish(sink);
        self.connect_id = Some(connect_id);
    }
}
