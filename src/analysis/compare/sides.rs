//! Compares the two sides of one session: which messages never arrived, how long the others took, and
//! what else the network did.

use super::Which;
use super::clocks::{Clocks, NearEnd};
use super::log::{Lane, LoggedConnection, LoggedMessage, MessageLog};
use super::matching::Matching;
use super::pairs::{Pair, pairs};
use crate::capture::follow::Transport;
use crate::net::Side;
use core::net::SocketAddr;
use core::time::Duration;
use std::collections::{HashMap, HashSet};

/// The comparison of the two sides of one session: their common messages, and those that one of
/// them lacks.
#[derive(Clone, Debug)]
pub struct Sides {
    ways: Vec<Way>,
    clocks: Clocks,
    /// The places of the messages that never arrived among those of their sender, by recording.
    pub(super) lost: [LostPlaces; 2],
    /// How many connections only the first or only the second recording has.
    only_in: [u64; 2],
}

/// By the number of the connection and the sender; the places are in order.
pub type LostPlaces = HashMap<(u64, Side), Vec<usize>>;

/// The traffic that one end of a connection sent, in both recordings.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Way {
    /// The transport.
    pub transport: Transport,
    /// The sender's address and port in the recording at its side.
    pub src: SocketAddr,
    /// The receiver's address and port in that recording.
    pub dst: SocketAddr,
    /// Whether the sender opened the connection, or was called. None if that is not known.
    pub sender: Option<NearEnd>,
    /// The recording at the sender's side; none if that is not known.
    pub sent_in: Option<Which>,
    /// How many packets the first and the second recording have.
    pub packets: [u64; 2],
    /// How many messages the first and the second recording have.
    pub messages: [u64; 2],
    /// How many messages both have.
    pub common: u64,
    /// How many messages were sent and never arrived. If it is not known which recording is at the
    /// sender's side, these are the messages that only one of them has.
    pub never_arrived: u64,
    /// How many messages were sent so early or so late that the other recording may have begun after,
    /// or ended before, they arrived.
    pub undecided: u64,
    /// How many messages arrived that the recording of the sender lacks, without doubled ones.
    pub not_captured: u64,
    /// How many messages arrived after one that was sent later, over ENet in the same channel and mode.
    pub overtaken: u64,
    /// How many commands or segments the sender sent again.
    pub resent: u64,
    /// How many the network doubled. Over UDP, these are the equal messages that arrived more often than
    /// they were sent.
    pub doubled: u64,
    /// How long the messages took; none if the recordings have no times, or are at the same place.
    pub delays: Option<Delays>,
}

/// How long messages took from one recording to the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Delays {
    /// The least.
    pub min: Duration,
    /// The median.
    pub p50: Duration,
    /// The time that 95% of the messages did not exceed.
    pub p95: Duration,
    /// The greatest.
    pub max: Duration,
}

/// A pair of connections, and the messages of its ends: first the client, then the server.
struct Compared<'l> {
    connections: [&'l LoggedConnection; 2],
    pair: Pair,
    /// The client, in the first recording.
    client: Side,
    is_client_known: bool,
    ends: [Matching; 2],
}

impl Compared<'_> {
    /// The messages that an end of the first recording has sent, in both recordings.
    fn messages(&self, from: Side) -> [&[LoggedMessage]; 2] {
        let [first, second] = self.connections;
        [first.messages(from), second.messages(self.pair.in_second(from))]
    }
}

impl Sides {
    /// Compares two recordings. None if they are not of one session, or, if `is_one_session`, if they
    /// have no messages in common.
    pub(super) fn compare(logs: [&MessageLog; 2], is_one_session: bool) -> Option<Sides> {
        let [first, second] = logs;
        let mut compared = Vec::new();
        for pair in pairs(logs).into_iter().filter(|pair| pair.is_same || is_one_session) {
            let [one, two] = pair.places;
            let connections = first.connections.get(one).zip(second.connections.get(two));
            let Some((one, two)) = connections else { continue };
            compared.push(compare([one, two], pair));
        }
        if compared.is_empty() {
            return None;
        }
        let clocks = compare_clocks(&compared);
        let mut sides = Sides {
            ways: Vec::new(),
            clocks,
            lost: [LostPlaces::new(), LostPlaces::new()],
            only_in: logs.map(|log| {
                let games = log.connections.iter().filter(|it| it.transport.is_some()).count();
                (games as u64).saturating_sub(compared.len() as u64)
            }),
        };
        let spans = logs.map(MessageLog::span);
        for compared in &compared {
            let server = compared.client.other();
            for (from, matching) in [compared.client, server].into_iter().zip(&compared.ends) {
                let way = sides.way(compared, from, matching, spans);
                // A client of plain UDP may send all, and get nothing.
                if way.packets != [0, 0] {
                    sides.ways.push(way);
                }
            }
        }
        Some(sides)
    }

    fn way(
        &mut self,
        compared: &Compared<'_>,
        from: Side,
        matching: &Matching,
        spans: [Option<(i64, i64)>; 2],
    ) -> Way {
        let messages = compared.messages(from);
        let [first, second] = messages;
        let sent_in = self.clocks.is_first_before(from, compared.client);
        let sent_in = sent_in.map(|is| if is { Which::First } else { Which::Second });
        let common: Vec<_> = matching.common(first, second).collect();
        let mut delays = matching.delays(first, second);
        // On the clock of the first recording, and from the sender's side on.
        for delay in &mut delays {
            *delay = delay.saturating_sub(self.clocks.offset);
            if sent_in == Some(Which::Second) {
                *delay = delay.saturating_neg();
            }
        }
        // A message that seems to arrive before it was sent had been sent once before: the sender's
        // recording began after that.
        delays.retain(|delay| *delay >= 0);
        delays.sort_unstable();
        let most = delays.last().copied().unwrap_or(0);
        let ends = [from, compared.pair.in_second(from)];
        let transport = compared.connections[0].transport.unwrap_or(Transport::Udp);
        let mut missing = [0_u64; 2];
        let mut copies = 0_u64;
        let mut undecided = 0_u64;
        let places = [&matching.of_first[..], &matching.of_second[..]];
        for which in Which::BOTH {
            let offset = match which {
                Which::First => self.clocks.offset,
                Which::Second => self.clocks.offset.saturating_neg(),
            };
            // A message arrives after it was sent, so the sender's recording has it at an earlier time.
            let is_arrival = sent_in == Some(which.other());
            let range = if is_arrival { (most.saturating_neg(), 0) } else { (0, most) };
            let window = Window::new(which.other().of(spans), offset, range, which.of(places));
            let mut lost = Vec::new();
            for (at, place) in which.of(places).iter().enumerate() {
                let message = which.of(messages).get(at);
                match message.filter(|_| place.is_none()) {
                    None => {}
                    Some(message) => {
                        let is_reliable = transport.is_over_tcp() || message.lane.is_reliable();
                        let patience = if is_reliable && !is_arrival { SENT_AGAIN } else { 0 };
                        if window.has(at, message.time(), patience) {
                            lost.push(at);
                        } else {
                            undecided += u64::from(sent_in.is_none_or(|it| it == which));
                        }
                    }
                }
            }
            *which.of_mut(&mut missing) = lost.len() as u64;
            if transport == Transport::Udp && is_arrival {
                let sent = which.other().of(messages);
                let sent: HashSet<u64> = sent.iter().map(|it| it.content).collect();
                let arrived = lost.iter().filter_map(|at| which.of(messages).get(*at));
                copies = arrived.filter(|it| sent.contains(&it.content)).count() as u64;
            }
            if sent_in.is_none_or(|it| it == which) && !lost.is_empty() {
                let number = which.of(compared.connections).summary.connection();
                which.of_mut(&mut self.lost).insert((number, which.of(ends)), lost);
            }
        }
        let shown = sent_in.unwrap_or(Which::First);
        let ([src, dst], networks) = (
            which_ends(shown.of(compared.connections), shown.of(ends)),
            [Which::First, Which::Second]
                .map(|which| which.of(compared.connections).network(which.of(ends))),
        );
        let never_arrived = sent_in.map_or(missing.iter().sum(), |which| which.of(missing));
        let doubled = [shown.other(), shown].map(|which| which.of(networks).doubled);
        let sender = if from == compared.client { NearEnd::Client } else { NearEnd::Server };
        Way {
            transport,
            src,
            dst,
            sender: compared.is_client_known.then_some(sender),
            sent_in,
            packets: Which::BOTH.map(|which| {
                let summary = &which.of(compared.connections).summary;
                summary.direction(which.of(ends)).packets
            }),
            messages: messages.map(|it| it.len() as u64),
            common: common.len() as u64,
            never_arrived,
            undecided,
            not_captured: sent_in
                .map_or(0, |which| which.other().of(missing).saturating_sub(copies)),
            overtaken: overtaken(&common, sent_in),
            resent: shown.of(networks).resent,
            doubled: doubled[0].saturating_sub(doubled[1]).saturating_add(copies),
            delays: Delays::of(&delays).filter(|_| sent_in.is_some()),
        }
    }

    /// The traffic of each end of each connection.
    #[must_use]
    pub fn ways(&self) -> &[Way] {
        &self.ways
    }

    /// The result of comparing the clocks of the recordings.
    #[must_use]
    pub const fn clocks(&self) -> Clocks {
        self.clocks
    }

    /// How many connections only one of the recordings has. They are not compared.
    #[must_use]
    pub fn only_in(&self, which: Which) -> u64 {
        which.of(self.only_in)
    }

    /// How many messages may have arrived before the other recording began, or after it ended.
    #[must_use]
    pub fn undecided(&self) -> u64 {
        self.ways.iter().map(|way| way.undecided).fold(0, u64::saturating_add)
    }

    /// How many messages never arrived.
    #[must_use]
    pub fn never_arrived(&self) -> u64 {
        self.ways.iter().map(|way| way.never_arrived).fold(0, u64::saturating_add)
    }
}

/// How much later than others a reliable message may arrive, because it is sent again, in nanoseconds.
const SENT_AGAIN: i64 = 2_000_000_000;

/// The part of a sender's messages that the other recording would have if they arrived.
struct Window {
    /// On the sender's clock, in nanoseconds.
    times: Option<(i64, i64)>,
    /// The first and the last message that both have.
    places: Option<(usize, usize)>,
}

impl Window {
    fn new(
        arrived: Option<(i64, i64)>,
        offset: i64,
        (least, most): (i64, i64),
        places: &[Option<usize>],
    ) -> Window {
        let times = arrived.map(|(start, end)| {
            let on_clock =
                |time: i64, delay: i64| time.saturating_sub(offset).saturating_sub(delay);
            (on_clock(start, least), on_clock(end, most))
        });
        let common = |place: &Option<usize>| place.is_some();
        let places = places.iter().position(common).zip(places.iter().rposition(common));
        Window { times, places }
    }

    /// Whether a message is in it that may arrive later than the others.
    fn has(&self, at: usize, time: Option<i64>, patience: i64) -> bool {
        match self.times.zip(time) {
            Some(((start, end), time)) => start <= time && time.saturating_add(patience) <= end,
            // Without times, the order of the messages decides.
            None => self.places.is_some_and(|(first, last)| first < at && at < last),
        }
    }
}

impl Delays {
    /// The delays from sorted times.
    fn of(times: &[i64]) -> Option<Delays> {
        let at = |share: f64| {
            let place = (times.len() as f64 * share).ceil() as usize;
            let time = times.get(place.max(1).saturating_sub(1))?;
            Some(Duration::from_nanos((*time).max(0).unsigned_abs()))
        };
        Some(Delays { min: at(0.0)?, p50: at(0.5)?, p95: at(0.95)?, max: at(1.0)? })
    }

    /// The names of the delays, in JSON, and the delays.
    pub(super) const fn named(self) -> [(&'static str, Duration); 4] {
        [("min", self.min), ("p50", self.p50), ("p95", self.p95), ("max", self.max)]
    }
}

fn compare<'l>(connections: [&'l LoggedConnection; 2], pair: Pair) -> Compared<'l> {
    let [first, second] = connections;
    let of_second = second.summary.client().map(|side| pair.in_second(side));
    let known = first.summary.client().or(of_second);
    let (low, high) = first.summary.flow().ends();
    // Clients have ports that the system chooses, which are high.
    let is_second = high.port() > low.port();
    let client = known.unwrap_or(if is_second { Side::Second } else { Side::First });
    let is_numbered = first.is_numbered() || second.is_numbered();
    let ends = [client, client.other()].map(|side| {
        let sent = (first.messages(side), second.messages(pair.in_second(side)));
        Matching::new(sent.0, sent.1, is_numbered)
    });
    Compared { connections, pair, client, is_client_known: known.is_some(), ends }
}

fn compare_clocks(compared: &[Compared<'_>]) -> Clocks {
    let mut times = [Vec::new(), Vec::new()];
    for it in compared {
        let sides = [it.client, it.client.other()];
        for ((side, matching), times) in sides.into_iter().zip(&it.ends).zip(&mut times) {
            let [first, second] = it.messages(side);
            times.extend(matching.delays(first, second));
        }
    }
    let [mut from_clients, mut from_servers] = times;
    Clocks::compare(&mut from_clients, &mut from_servers)
}

fn which_ends(connection: &LoggedConnection, from: Side) -> [SocketAddr; 2] {
    let (low, high) = connection.summary.flow().ends();
    if from == Side::First { [low, high] } else { [high, low] }
}

/// How many messages arrived after one of their lane that was sent later.
fn overtaken(common: &[(LoggedMessage, LoggedMessage)], sent_in: Option<Which>) -> u64 {
    let mut pairs: Vec<_> = match sent_in {
        Some(Which::Second) => common.iter().map(|(one, two)| (*two, *one)).collect(),
        _ => common.to_vec(),
    };
    // A message that waited for earlier ones is listed after them.
    pairs.sort_by_key(|(sent, _)| sent.frame());
    // The first to arrive of those that were sent later, by lane.
    let mut firsts: HashMap<Lane, LoggedMessage> = HashMap::new();
    let mut overtaken = 0;
    for (_, arrived) in pairs.into_iter().rev() {
        let first = firsts.entry(arrived.lane).or_insert(arrived);
        if first.is_before(arrived) {
            overtaken += 1;
        } else {
            *first = arrived;
        }
    }
    overtaken
}
