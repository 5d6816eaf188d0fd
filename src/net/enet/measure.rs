//! Measures an ENet connection: round-trip times, resends and the order of commands.

use super::{Body, Command, Datagram, NumberOrder, SeenNumbers};
use crate::net::Side;
use crate::net::measures::{Measures, count};
use core::mem;

/// Commands are remembered until they are acknowledged, in a hash table with this many places for
/// `WAYS` commands each. ENet has fewer unacknowledged commands. If a place is full, a command
/// replaces the oldest one there, which is then not measured.
const PLACES: usize = 64;
const WAYS: usize = 4;

/// The number of reliable commands of a channel whose sent times are kept.
const SENT_TIMES: usize = 32;

/// Measures an ENet connection from the datagrams of both ends.
///
/// ```
/// use gdwire::net::Side;
/// use gdwire::net::enet::{Datagram, Meter};
///
/// let mut meter = Meter::new();
/// // Reliable message 1 of channel 1, sent at 9 ms, and its acknowledgement.
/// let message = [0x80, 0, 0, 9, 0x86, 1, 0, 1, 0, 2, b'h', b'i'];
/// let acknowledgement = [0, 1, 0x01, 1, 0, 1, 0, 1, 0, 9];
/// meter.datagram(Side::First, Some(5_000_000), &Datagram::parse(&message)?);
/// meter.datagram(Side::Second, Some(45_000_000), &Datagram::parse(&acknowledgement)?);
/// let measures = meter.measures(Side::First);
/// assert_eq!(measures.round_trips.times.min(), Some(40_000));
/// # Ok::<(), gdwire::net::enet::Error>(())
/// ```
///
/// It takes bounded memory: about 70 KiB for each end, if all 256 channels are used.
#[derive(Debug, Default)]
pub struct Meter {
    first: EnetSender,
    second: EnetSender,
    connect_id: Option<u32>,
}

/// The traffic of one end.
#[derive(Debug, Default)]
struct EnetSender {
    /// The channels, sorted by their numbers.
    channels: Vec<(u8, MeteredChannel)>,
    unsequenced: SeenNumbers,
    /// Commands by their [`place`]. Allocated with the first one.
    sent: Vec<Option<SentCommand>>,
    measures: Measures,
}

/// The commands of one channel.
#[derive(Debug, Default)]
struct MeteredChannel {
    reliable: SeenNumbers,
    /// The sent times of the newest reliable commands, by their numbers modulo the length.
    sent_times: [u16; SENT_TIMES],
    /// The number of the reliable message that the newest unreliable messages follow, and their own
    /// numbers.
    after: Option<u16>,
    unreliable: SeenNumbers,
}

/// A command that has to be acknowledged.
#[derive(Clone, Copy, Debug)]
struct SentCommand {
    key: Key,
    /// When it was captured, in nanoseconds.
    captured: Option<i64>,
    is_acknowledged: bool,
}

/// The fields of an acknowledgement that identify a command: its channel, its number and its sent
/// time.
type Key = (u8, u16, u16);

impl Meter {
    /// A meter that has seen nothing.
    #[must_use]
    pub fn new() -> Meter {
        Meter::default()
    }

    /// Measures a datagram that was captured at a time, in nanoseconds.
    pub fn datagram(&mut self, from: Side, captured: Option<i64>, datagram: &Datagram<'_>) {
        self.end(from.other()).measures.unanswered = 0;
        let sent_time = datagram.header().sent_time.unwrap_or(0);
        for command in datagram.commands() {
            if let Body::Connect(connect) = command.body {
                self.connect(connect.parameters.connect_id);
            }
            if let Body::Acknowledge { received, sent_time } = command.body {
                count(&mut self.end(from).measures.acknowledgements);
                let key = (command.channel, received, sent_time);
                self.end(from.other()).acknowledge(key, captured);
            } else {
                self.end(from).command(&command, sent_time, captured);
            }
        }
    }

    /// The measures of the commands that one end has sent.
    #[must_use]
    pub const fn measures(&self, from: Side) -> &Measures {
        from.of(&self.first.measures, &self.second.measures)
    }

    /// About how much memory is in use, in bytes, in addition to the meter itself.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let ends = [&self.first, &self.second].into_iter().map(|end| {
            let channels =
                end.channels.capacity().saturating_mul(size_of::<(u8, MeteredChannel)>());
            let sent = end.sent.capacity().saturating_mul(size_of::<Option<SentCommand>>());
            channels.saturating_add(sent).saturating_add(end.measures.heap_bytes())
        });
        ends.sum()
    }

    const fn end(&mut self, side: Side) -> &mut EnetSender {
        side.of_mut(&mut self.first, &mut self.second)
    }

    /// Forgets all sequence numbers if another connection begins. The measures stay.
    fn connect(&mut self, connect_id: u32) {
        let before = self.connect_id.replace(connect_id);
        if before.is_some_and(|before| before != connect_id) {
            for end in [&mut self.first, &mut self.second] {
                let measures = mem::take(&mut end.measures);
                *end = EnetSender { measures, ..EnetSender::default() };
            }
        }
    }
}

impl EnetSender {
    fn command(&mut self, command: &Command<'_>, sent_time: u16, captured: Option<i64>) {
        let Command { channel, sequence, ref body, .. } = *command;
        let is_first = !command.needs_acknowledgement
            || self.reliable((channel, sequence, sent_time), payload(body).len(), captured);
        let order = match body {
            Body::SendUnsequenced { group, .. } => self.unsequenced.note(*group),
            Body::SendUnreliable { unreliable_sequence, .. } => {
                self.channel(channel).unreliable(sequence, *unreliable_sequence)
            }
            Body::SendUnreliableFragment(fragment) => {
                // All fragments have the number of their message.
                match self.channel(channel).unreliable(sequence, fragment.start_sequence) {
                    NumberOrder::Again => NumberOrder::New,
                    order => order,
                }
            }
            _ => NumberOrder::New,
        };
        let measures = &mut self.measures;
        match order {
            NumberOrder::New => {}
            NumberOrder::Again => count(&mut measures.doubled),
            NumberOrder::Late { .. } | NumberOrder::Old => count(&mut measures.out_of_order),
        }
        match *body {
            _ if !is_first => {}
            Body::Ping => count(&mut measures.pings),
            Body::Disconnect { .. } => count(&mut measures.disconnects),
            Body::BandwidthLimit(bandwidth) => {
                count(&mut measures.throttlings);
                measures.bandwidth = Some(bandwidth);
            }
            Body::ThrottleConfigure(throttle) => {
                count(&mut measures.throttlings);
                measures.throttle = Some(throttle);
            }
            _ => {}
        }
    }

    /// Notes a command that has to be acknowledged. Returns whether it is seen for the first time.
    fn reliable(&mut self, key: Key, bytes: usize, captured: Option<i64>) -> bool {
        let (channel, sequence, sent_time) = key;
        let lane = self.channel(channel);
        let order = lane.reliable.note(sequence);
        let next_sent_time = match order {
            NumberOrder::Late { next, behind } if behind < SENT_TIMES as u16 => {
                lane.sent_time(next)
            }
            _ => sent_time,
        };
        if order == NumberOrder::New {
            lane.set_sent_time(sequence, sent_time);
        }
        let is_copy = self.sent_with(key).is_some();
        let measures = &mut self.measures;
        match order {
            NumberOrder::New => count(&mut measures.reliable),
            NumberOrder::Late { .. } => {
                count(&mut measures.reliable);
                // A command that is sent again has a later sent time than the one after it.
                if sent_time.wrapping_sub(next_sent_time).cast_signed() > 0 {
                    measures.resend_unseen(captured);
                } else {
                    count(&mut measures.out_of_order);
                }
            }
            NumberOrder::Again | NumberOrder::Old if is_copy => {
                count(&mut measures.doubled);
                return false;
            }
            NumberOrder::Again | NumberOrder::Old => measures.resend(bytes, captured),
        }
        self.remember(SentCommand { key, captured, is_acknowledged: false });
        matches!(order, NumberOrder::New | NumberOrder::Late { .. })
    }

    /// Measures the round trip of a command that is acknowledged.
    fn acknowledge(&mut self, key: Key, now: Option<i64>) {
        let Some(sent) = self.sent_with(key) else {
            return self.measures.round_trips.miss();
        };
        let captured = sent.captured;
        if mem::replace(&mut sent.is_acknowledged, true) {
            return;
        }
        match captured.zip(now) {
            Some((captured, now)) => self.measures.round_trips.add(captured, now),
            None => self.measures.round_trips.miss(),
        }
    }

    /// A command that was sent, if it is remembered.
    fn sent_with(&mut self, key: Key) -> Option<&mut SentCommand> {
        self.sent.chunks_mut(WAYS).nth(place(key))?.iter_mut().flatten().find(|it| it.key == key)
    }

    /// Remembers a command. If there is no room, it replaces a command that was acknowledged, or
    /// else the oldest one.
    fn remember(&mut self, sent: SentCommand) {
        if self.sent.is_empty() {
            self.sent = vec![None; PLACES * WAYS];
        }
        let slots = self.sent.chunks_mut(WAYS).nth(place(sent.key));
        let use_of = |slot: &&mut Option<SentCommand>| {
            slot.map(|sent| (!sent.is_acknowledged, sent.captured))
        };
        if let Some(slot) = slots.and_then(|slots| slots.iter_mut().min_by_key(use_of)) {
            *slot = Some(sent);
        }
    }

    /// The state of a channel. It is created when the channel is first used.
    fn channel(&mut self, number: u8) -> &mut MeteredChannel {
        let at = match self.channels.binary_search_by_key(&number, |(number, _)| *number) {
            Ok(at) => at,
            Err(at) => {
                self.channels.insert(at, (number, MeteredChannel::default()));
                at
            }
        };
        #[expect(clippy::indexing_slicing, reason = "the channel was found or inserted")]
        &mut self.channels[at].1
    }
}

impl MeteredChannel {
    fn sent_time(&self, number: u16) -> u16 {
        self.sent_times.get(usize::from(number) % SENT_TIMES).copied().unwrap_or(0)
    }

    fn set_sent_time(&mut self, number: u16, sent_time: u16) {
        if let Some(known) = self.sent_times.get_mut(usize::from(number) % SENT_TIMES) {
            *known = sent_time;
        }
    }

    /// Notes an unreliable message, by the number of the reliable message before it and its own.
    fn unreliable(&mut self, after: u16, number: u16) -> NumberOrder {
        let ahead = self.after.map_or(1, |before| after.wrapping_sub(before).cast_signed());
        if ahead < 0 {
            return NumberOrder::Old;
        }
        if ahead > 0 {
            self.after = Some(after);
            self.unreliable = SeenNumbers::default();
        }
        self.unreliable.note(number)
    }
}

/// The index at which a command is remembered. Commands that are sent one after the other have
/// different indexes.
fn place((channel, sequence, sent_time): Key) -> usize {
    let spread =
        usize::from(channel).wrapping_mul(37).wrapping_add(usize::from(sent_time).wrapping_mul(61));
    usize::from(sequence).wrapping_add(spread) % PLACES
}

/// The bytes of a message in a reliable command.
const fn payload<'a>(body: &Body<'a>) -> &'a [u8] {
    match body {
        Body::SendReliable { payload } => payload,
        Body::SendFragment(fragment) => fragment.payload,
        _ => &[],
    }
}
