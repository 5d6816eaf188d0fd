//! The passive observer of an ENet connection: takes the datagrams of both ends, and delivers the
//! messages.

mod deliver;

use super::datagram::{Bounds, Codec};
use super::{
    Body, Channel, Command, Connect, Connected, Datagram, DatagramDecompressor, Error,
    FragmentAssembly, Lane, LossReason, Lost, LostMessage, MAX_DATAGRAM_LEN, Mode, OWN_CHANNEL,
    Problem, RangeDecoder, SequenceKey, SessionEvent, SessionMessage, UnsequencedWindow,
};
use crate::net::{Between, Side, Tag, tree_bytes};
use std::collections::BTreeSet;
use std::mem;

/// Up to this many datagrams of a connection may be captured before its connect command.
const OVERTAKING: u64 = 16;

/// Overdue messages are searched for whenever this many datagrams have arrived.
const INTERVAL: u64 = 8;

/// The most unused work of earlier datagrams that decompression may use later, in the units of
/// [`RangeDecoder::fair_work`].
const SAVED_WORK: u32 = 1 << 20;

/// How much a session holds back, and for how long.
///
/// ```
/// use gdwire::net::enet::{SessionLimits, Session};
///
/// let session: Session = Session::new(SessionLimits::default().with_held_bytes(1 << 20));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SessionLimits {
    /// The most bytes that are held back. Each message and each fragment counts 64 bytes more than
    /// it has, and each incomplete message 320 bytes more. The session's own memory for each
    /// channel is not included.
    pub held_bytes: usize,
    /// The longest message that is reassembled from fragments, in bytes.
    pub message_len: u32,
    /// How many unreliable messages may be incomplete at once.
    pub unfinished: usize,
    /// How long to wait for a missing message that the other side has acknowledged, counted in
    /// datagrams of the session. For a message without an acknowledgement, as for all unreliable
    /// ones, the session waits 16 times as long.
    pub patience: u64,
}

impl Default for SessionLimits {
    /// 32 MiB held, messages of up to 32 MiB (ENet's own limit), 64 incomplete unreliable messages,
    /// and a patience of 64 datagrams.
    fn default() -> SessionLimits {
        SessionLimits { held_bytes: 32 << 20, message_len: 32 << 20, unfinished: 64, patience: 64 }
    }
}

impl SessionLimits {
    /// These limits, with other [`held_bytes`](SessionLimits::held_bytes).
    #[must_use]
    pub const fn with_held_bytes(self, held_bytes: usize) -> SessionLimits {
        SessionLimits { held_bytes, ..self }
    }

    /// These limits, with another [`message_len`](SessionLimits::message_len).
    #[must_use]
    pub const fn with_message_len(self, message_len: u32) -> SessionLimits {
        SessionLimits { message_len, ..self }
    }

    /// These limits, with another number of [`unfinished`](SessionLimits::unfinished) messages.
    #[must_use]
    pub const fn with_unfinished(self, unfinished: usize) -> SessionLimits {
        SessionLimits { unfinished, ..self }
    }

    /// These limits, with another [`patience`](SessionLimits::patience).
    #[must_use]
    pub const fn with_patience(self, patience: u64) -> SessionLimits {
        SessionLimits { patience, ..self }
    }
}

/// A passive observer of an ENet connection: takes the datagrams of both ends, and delivers the
/// messages.
///
/// Each complete message is delivered once, even if its datagrams were sent again, captured twice
/// or captured in another order. Reliable messages are delivered in the order of their channel and
/// wait for missing earlier ones. Unreliable messages wait for the reliable messages before them,
/// but not for each other.
///
/// A missing message is reported as a [`LostMessage`] if a later one shows that it is missing. This
/// happens after some more datagrams (see [`SessionLimits::patience`]), when the limits are reached, or at
/// the end. If the message arrives after that, it is delivered then. Unreliable messages are
/// numbered anew after each reliable message of their channel, so the last ones before it may be
/// missing without a trace.
///
/// A session that begins in the middle of a connection starts each channel with the first sequence
/// number that it sees. Messages that are missing soon after it are lost as
/// [earlier ones](LossReason::Earlier). A connect command starts a new connection.
///
/// One session observes one pair of peers. If two hosts have several connections over the same
/// ports, the caller has to separate them by [`super::Header::peer`].
#[derive(Debug)]
pub struct Session<T = ()> {
    limits: SessionLimits,
    first: SessionEnd<T>,
    second: SessionEnd<T>,
    /// Incomplete messages that no other message waits for: unreliable or late ones.
    unfinished: Vec<UnfinishedMessage<T>>,
    /// The channels in which messages wait, ordered by the datagrams of their first waiting
    /// messages.
    waiting: BTreeSet<(u64, Lane)>,
    /// About how much memory the channels use, apart from the held messages.
    channel_bytes: usize,
    held: usize,
    datagrams: u64,
    connect_id: Option<u32>,
    /// The id of another connection that may have begun, and the number of the datagram that
    /// announced it.
    doubted: Option<(u32, u64)>,
    is_announced: bool,
    scratch: Scratch,
    /// How the next datagrams are decompressed, and how much work that may take.
    bounds: Bounds,
    /// About how much memory is in use: most datagrams do not change that.
    heap: usize,
}

/// A callback that sees each datagram that was read.
type Observe<'o> = &'o mut dyn FnMut(&Datagram<'_>);

/// How far each channel of a connection is: the number of its next reliable message.
#[derive(Clone, Debug)]
pub struct SessionProgress(Box<[(Lane, u16)]>);

impl SessionProgress {
    /// How much memory it takes, apart from itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.0)
    }
}

/// The buffers of a [`Session`] that are reused for each datagram. They hold no state of the
/// connection, so sessions can [share](Session::swap_scratch) them. They take up to 70 KiB if
/// datagrams are compressed.
#[derive(Debug, Default)]
pub struct Scratch {
    decompressor: DatagramDecompressor,
    decompressed: Vec<u8>,
}

/// The state of what one end sends.
#[derive(Debug)]
struct SessionEnd<T> {
    /// The channels, in the order in which they were seen.
    channels: Vec<Channel<T>>,
    /// The numbers of the channels, sorted, and their places among `channels`.
    places: Vec<(u8, usize)>,
    /// None before the first unsequenced message.
    window: Option<Box<UnsequencedWindow<T>>>,
    /// The number of the datagram after the last one that could not be read in full.
    unread: u64,
    is_disconnected: bool,
    /// Whether it has acknowledged anything.
    has_acknowledged: bool,
}

impl<T> Default for SessionEnd<T> {
    fn default() -> SessionEnd<T> {
        SessionEnd {
            channels: Vec::new(),
            places: Vec::new(),
            window: None,
            unread: 0,
            is_disconnected: false,
            has_acknowledged: false,
        }
    }
}

impl<T> SessionEnd<T> {
    /// Why a reliable message of the other end is lost that was not acknowledged. An
    /// acknowledgement may have been in a datagram that was not read.
    const fn reason_without_acknowledgement(&self) -> LossReason {
        match self.unread {
            0 if self.has_acknowledged => LossReason::Unacknowledged,
            _ => LossReason::NotSeen,
        }
    }

    /// The channel with a number.
    #[inline]
    fn channel_of(&mut self, channel: u8) -> Option<&mut Channel<T>> {
        let at = self.places.binary_search_by_key(&channel, |(number, _)| *number).ok()?;
        self.channel_at(at).map(|(_, channel)| channel)
    }

    /// A channel and its number. `at` is its index among the channels sorted by number.
    fn channel_at(&mut self, at: usize) -> Option<(u8, &mut Channel<T>)> {
        let (number, place) = *self.places.get(at)?;
        Some((number, self.channels.get_mut(place)?))
    }
}

#[derive(Debug)]
struct UnfinishedMessage<T> {
    lane: Lane,
    key: SequenceKey,
    assembly: FragmentAssembly<T>,
}

/// The origin of a command: its channel, sequence number, datagram and offset.
#[derive(Clone, Copy)]
struct CommandOrigin<T> {
    lane: Lane,
    sequence: u16,
    datagram: u64,
    tag: T,
    /// The number of its message: see [`SessionMessage::number`].
    number: u32,
    /// The offset of the payload.
    offset: usize,
}

/// The number of the message that a command carries, or a part of it.
fn message_number(command: &Command<'_>) -> u32 {
    let (reliable, further) = match command.body {
        Body::SendUnsequenced { group, .. } => (command.sequence, group),
        Body::SendUnreliable { unreliable_sequence, .. } => (command.sequence, unreliable_sequence),
        Body::SendFragment(fragment) => (fragment.start_sequence, 0),
        Body::SendUnreliableFragment(fragment) => (command.sequence, fragment.start_sequence),
        _ => (command.sequence, 0),
    };
    u32::from(reliable) << 16 | u32::from(further)
}

impl<T: Tag> CommandOrigin<T> {
    fn message(self, mode: Mode, payload: &[u8]) -> SessionEvent<'_, T> {
        let CommandOrigin { lane: Lane { from, channel }, tag, number, offset, .. } = self;
        SessionEvent::Message(SessionMessage { from, channel, mode, number, tag, offset, payload })
    }
}

impl<T: Tag> Session<T> {
    /// A session that has not seen any datagram.
    #[must_use]
    pub fn new(limits: SessionLimits) -> Session<T> {
        Session {
            limits,
            first: SessionEnd::default(),
            second: SessionEnd::default(),
            unfinished: Vec::new(),
            waiting: BTreeSet::new(),
            channel_bytes: 0,
            held: 0,
            datagrams: 0,
            connect_id: None,
            doubted: None,
            is_announced: false,
            scratch: Scratch::default(),
            bounds: Bounds { codec: Codec::default(), work: 0 },
            heap: 0,
        }
    }

    /// Takes a datagram that has a tag, for example the number of its packet. The messages that it
    /// completes have this tag. The last `missing` bytes of the datagram were not captured.
    ///
    /// # Errors
    ///
    /// Those of [`receive`](Session::receive) and [`receive_cut`](Session::receive_cut).
    pub fn receive_tagged(
        &mut self,
        from: Side,
        datagram: &[u8],
        missing: usize,
        tag: T,
        sink: &mut dyn FnMut(SessionEvent<'_, T>),
    ) -> Result<(), Error> {
        let mut scratch = mem::take(&mut self.scratch);
        let whose = (from, tag);
        let result = self.receive_with(&mut scratch, whose, datagram, missing, &mut |_| {}, sink);
        self.scratch = scratch;
        result
    }

    /// Like [`receive_tagged`](Session::receive_tagged), with other buffers than those of the
    /// session. `observe` sees the datagram before the session does.
    #[inline]
    pub(crate) fn receive_with(
        &mut self,
        scratch: &mut Scratch,
        (from, tag): (Side, T),
        datagram: &[u8],
        missing: usize,
        observe: Observe<'_>,
        sink: &mut (impl FnMut(SessionEvent<'_, T>) + ?Sized),
    ) -> Result<(), Error> {
        let result = if missing == 0 {
            self.whole(scratch, (from, tag), datagram, observe, sink)
        } else {
            self.cut((from, tag), datagram, missing, observe, &mut |event| sink(event))
        };
        self.datagrams += 1;
        if missing > 0 || result.is_err() {
            self.end(from).unread = self.datagrams;
        }
        if self.datagrams.is_multiple_of(INTERVAL) {
            self.give_up_overdue(&mut |event| sink(event));
            self.note_heap();
        }
        result
    }

    #[inline]
    fn whole(
        &mut self,
        Scratch { decompressor, decompressed }: &mut Scratch,
        from: (Side, T),
        datagram: &[u8],
        observe: Observe<'_>,
        sink: &mut (impl FnMut(SessionEvent<'_, T>) + ?Sized),
    ) -> Result<(), Error> {
        let fair = RangeDecoder::fair_work(datagram.len());
        self.bounds.work = self.bounds.work.saturating_add(fair).min(SAVED_WORK);
        let datagram =
            Datagram::parse_within(datagram, decompressor, decompressed, &mut self.bounds)?;
        observe(&datagram);
        self.take(from, &datagram, sink);
        Ok(())
    }

    fn cut(
        &mut self,
        from: (Side, T),
        datagram: &[u8],
        missing: usize,
        observe: Observe<'_>,
        sink: &mut dyn FnMut(SessionEvent<'_, T>),
    ) -> Result<(), Error> {
        let len = datagram.len().saturating_add(missing);
        if len > MAX_DATAGRAM_LEN {
            return Err(Error { offset: 0, problem: Problem::TooLong { len } });
        }
        let len = match Datagram::parse_cut(datagram) {
            Ok(parsed) => {
                observe(&parsed);
                self.take(from, &parsed, sink);
                parsed.cut_len().saturating_add(missing)
            }
            Err(Error { problem: Problem::Compressed | Problem::UnexpectedEnd, .. }) => len,
            Err(error) => return Err(error),
        };
        let (lost, reason) = (Lost::Rest { len }, LossReason::Cut);
        let lost = LostMessage { from: from.0, channel: None, lost, reason };
        sink(SessionEvent::Lost(lost, &Between::UNKNOWN));
        Ok(())
    }

    /// Ends the session: delivers the messages that were held back, and reports those that are
    /// missing.
    pub fn finish(&mut self, sink: &mut dyn FnMut(SessionEvent<'_, T>)) {
        self.flush(sink);
        self.first = SessionEnd::default();
        self.second = SessionEnd::default();
        self.channel_bytes = 0;
        self.connect_id = None;
        self.doubted = None;
        self.is_announced = false;
        self.note_heap();
    }

    /// How many bytes are held back, counted as in [`SessionLimits::held_bytes`].
    #[must_use]
    pub const fn held_bytes(&self) -> usize {
        self.held
    }

    /// Exchanges the session's buffers for `scratch`. Sessions can share buffers if only one works
    /// at a time.
    pub const fn swap_scratch(&mut self, scratch: &mut Scratch) {
        mem::swap(&mut self.scratch, scratch);
    }

    /// How far each channel is, to [resume](Session::resume) the connection in another session.
    pub(crate) fn progress(&self) -> SessionProgress {
        let of = |from: Side, end: &SessionEnd<T>| {
            let channels = end.places.iter().filter_map(move |&(channel, place)| {
                Some((Lane { from, channel }, end.channels.get(place)?.end()?))
            });
            channels.collect::<Vec<_>>()
        };
        let channels = [of(Side::First, &self.first), of(Side::Second, &self.second)].concat();
        SessionProgress(channels.into_boxed_slice())
    }

    /// Continues a connection that an earlier session has observed. Reliable messages that are sent
    /// again, and that the earlier session has seen, are skipped. The messages since then may be
    /// missing, which is no loss.
    pub(crate) fn resume(&mut self, progress: &SessionProgress) {
        for &(lane, next) in &progress.0 {
            *self.channel(lane) = Channel::resumed(next);
        }
        self.note_heap();
    }

    /// Whether an end has sent something on a channel.
    pub(crate) fn has_channel(&self, side: Side, channel: u8) -> bool {
        let end = if side == Side::First { &self.first } else { &self.second };
        end.places.binary_search_by_key(&channel, |(number, _)| *number).is_ok()
    }

    /// About how much memory is in use, in bytes, without the buffers in [`Scratch`].
    #[must_use]
    pub const fn heap_bytes(&self) -> usize {
        self.heap
    }

    /// Notes how much memory is in use now.
    fn note_heap(&mut self) {
        // The buffers of incomplete messages are up to a quarter longer than their content.
        let held = self.held.saturating_add(self.held / 4);
        let unfinished =
            self.unfinished.capacity().saturating_mul(size_of::<UnfinishedMessage<T>>());
        let waiting = tree_bytes::<(u64, Lane)>(self.waiting.len());
        let ends = [&self.first, &self.second].map(|end| {
            let channels = end.channels.capacity().saturating_mul(size_of::<Channel<T>>());
            let places = end.places.capacity().saturating_mul(size_of::<(u8, usize)>());
            let window = end.window.as_deref().map_or(0, UnsequencedWindow::heap_bytes);
            channels.saturating_add(places).saturating_add(window)
        });
        self.heap = [held, unfinished, waiting, self.channel_bytes].into_iter().chain(ends).sum();
    }

    fn end(&mut self, side: Side) -> &mut SessionEnd<T> {
        side.of_mut(&mut self.first, &mut self.second)
    }

    #[inline(always)]
    fn take(
        &mut self,
        from: (Side, T),
        datagram: &Datagram<'_>,
        sink: &mut (impl FnMut(SessionEvent<'_, T>) + ?Sized),
    ) {
        let mut commands = datagram.commands();
        let mut are_usual = true;
        while let Some(command) = commands.next_command() {
            if let Some(message) = self.usual(from, &command, commands.offset()) {
                sink(SessionEvent::Message(message));
            } else {
                self.command(from, &command, commands.offset(), &mut |event| sink(event));
                are_usual = false;
            }
        }
        if !are_usual {
            self.note_heap();
        }
    }

    /// Takes a reliable message that is next on a channel where nothing waits, as most messages are.
    /// Others are left to [`command`](Session::command).
    #[inline(always)]
    fn usual<'p>(
        &mut self,
        (from, tag): (Side, T),
        command: &Command<'p>,
        end: usize,
    ) -> Option<SessionMessage<'p, T>> {
        let Command { channel, sequence, body: Body::SendReliable { payload }, .. } = *command
        else {
            return None;
        };
        if self.doubted.is_some() || !self.end(from).channel_of(channel)?.pass_next(sequence, tag) {
            return None;
        }
        Some(SessionMessage {
            from,
            channel,
            mode: Mode::Reliable,
            number: message_number(command),
            tag,
            // The payload is the last field of a command.
            offset: end.saturating_sub(payload.len()),
            payload,
        })
    }

    #[inline(never)]
    fn command(
        &mut self,
        (from, tag): (Side, T),
        command: &Command<'_>,
        end: usize,
        sink: &mut dyn FnMut(SessionEvent<'_, T>),
    ) {
        if let Some((connect_id, since)) = self.doubted
            && self.begins_anew(from, command, since)
        {
            self.restart(connect_id, sink);
        }
        let is_of_sender = !matches!(command.body, Body::Acknowledge { .. });
        self.end(from).has_acknowledged |= !is_of_sender;
        let sender = if is_of_sender { from } else { from.other() };
        let lane = Lane { from: sender, channel: command.channel };
        let origin = |payload: &[u8]| CommandOrigin {
            lane,
            sequence: command.sequence,
            datagram: self.datagrams,
            tag,
            number: message_number(command),
            // The payload is the last field of a command.
            offset: end.saturating_sub(payload.len()),
        };
        match command.body {
            Body::Acknowledge { received, .. } if command.channel != OWN_CHANNEL => {
                let now = (self.datagrams, tag);
                if !self.channel(lane).acknowledge(received, now) {
                    return;
                }
            }
            Body::Connect(connect) => return self.connect(from, &connect, sink),
            Body::VerifyConnect(verify) => return self.verify(verify.connect_id),
            Body::Disconnect { data } => {
                if !mem::replace(&mut self.end(from).is_disconnected, true) {
                    sink(SessionEvent::Disconnected { from, data });
                }
                return;
            }
            Body::SendUnsequenced { group, payload } => {
                let origin = origin(payload);
                let is_from_start = self.connect_id.is_some();
                let SessionEnd { window, unread, .. } = self.end(from);
                let window =
                    window.get_or_insert_with(|| UnsequencedWindow::new(is_from_start).into());
                if window.insert(group, (origin.datagram, tag), *unread) {
                    sink(origin.message(Mode::Unsequenced, payload));
                }
                return;
            }
            Body::SendReliable { payload } => {
                return self.reliable(origin(payload), payload, sink);
            }
            Body::SendUnreliable { unreliable_sequence, payload } => {
                self.unreliable(origin(payload), unreliable_sequence, payload, sink);
            }
            Body::SendFragment(fragment) => {
                self.reliable_fragment(origin(fragment.payload), &fragment, sink);
            }
            Body::SendUnreliableFragment(fragment) => {
                self.unreliable_fragment(origin(fragment.payload), &fragment, sink);
            }
            Body::Acknowledge { .. }
            | Body::Ping
            | Body::BandwidthLimit(_)
            | Body::ThrottleConfigure(_) => return,
        }
        self.note(lane);
    }

    /// The state of a channel, which is created when the channel is first seen.
    fn channel(&mut self, lane: Lane) -> &mut Channel<T> {
        let is_from_start = self.connect_id.is_some();
        let SessionEnd { channels, places, .. } = self.end(lane.from);
        let place = match places.binary_search_by_key(&lane.channel, |(number, _)| *number) {
            Ok(at) => places.get(at).map_or(0, |(_, place)| *place),
            Err(at) => {
                let new = if is_from_start { Channel::from_start() } else { Channel::default() };
                // Most connections use one or two channels, so the lists have no room for more.
                if channels.len() == channels.capacity() {
                    channels.reserve_exact(channels.len().max(1));
                    places.reserve_exact(channels.len().max(1));
                }
                places.insert(at, (lane.channel, channels.len()));
                channels.push(new);
                channels.len().saturating_sub(1)
            }
        };
        #[expect(clippy::indexing_slicing, reason = "the channel was found or created")]
        &mut channels[place]
    }

    fn connect(
        &mut self,
        from: Side,
        connect: &Connect,
        sink: &mut dyn FnMut(SessionEvent<'_, T>),
    ) {
        let parameters = &connect.parameters;
        if self.is_overtaken() {
            self.start(parameters.connect_id);
        } else if self.connect_id != Some(parameters.connect_id) {
            self.restart(parameters.connect_id, sink);
        }
        if !mem::replace(&mut self.is_announced, true) {
            sink(SessionEvent::Connected(Connected {
                from,
                connect_id: parameters.connect_id,
                data: connect.data,
                channels: parameters.channels,
                mtu: parameters.mtu,
            }));
        }
    }

    /// Takes the answer to a connect command. The command itself may not have been captured.
    fn verify(&mut self, connect_id: u32) {
        if self.connect_id.is_none() && self.datagrams < self.limits.patience {
            // Datagrams captured before it may belong to the same connection.
            self.start(connect_id);
        } else if self.connect_id != Some(connect_id) {
            // The answer may be forged, so the current connection continues for now.
            self.doubted = Some((connect_id, self.datagrams));
        }
    }

    /// Whether a command is the first message of a channel that was used before, soon after the
    /// answer to another connect command.
    fn begins_anew(&self, from: Side, command: &Command<'_>, since: u64) -> bool {
        matches!(command.body, Body::SendReliable { .. } | Body::SendFragment(_))
            && command.sequence == 1
            && self.datagrams.saturating_sub(since) < self.limits.patience
            && self.has_channel(from, command.channel)
    }

    /// Whether a connect command belongs to the datagrams before it: the first few of a connection
    /// may be captured before the command.
    fn is_overtaken(&self) -> bool {
        let is_new = |end: &SessionEnd<T>| {
            let is_first = end.channels.iter().all(Channel::has_started_with_first);
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
            end.channels.iter_mut().for_each(Channel::start);
        }
    }

    fn restart(&mut self, connect_id: u32, sink: &mut dyn FnMut(SessionEvent<'_, T>)) {
        self.finish(sink);
        self.start(connect_id);
    }
}

impl Session {
    /// Takes a datagram. Messages are borrowed from it, unless they are compressed, fragmented or
    /// held back.
    ///
    /// # Errors
    ///
    /// If it is not ENet, or uses an unknown compression. Then nothing of it is delivered, and the
    /// session continues as if the datagram had not arrived.
    pub fn receive(
        &mut self,
        from: Side,
        datagram: &[u8],
        sink: &mut dyn FnMut(SessionEvent<'_>),
    ) -> Result<(), Error> {
        self.receive_tagged(from, datagram, 0, (), sink)
    }

    /// Takes a datagram whose last `missing` bytes were not captured, and delivers the messages in
    /// its complete commands. The rest is reported as a [`LostMessage`]; for a compressed datagram,
    /// that is the whole datagram.
    ///
    /// # Errors
    ///
    /// If the captured part is not ENet.
    pub fn receive_cut(
        &mut self,
        from: Side,
        datagram: &[u8],
        missing: usize,
        sink: &mut dyn FnMut(SessionEvent<'_>),
    ) -> Result<(), Error> {
        self.receive_tagged(from, datagram, missing, (), sink)
    }
}
