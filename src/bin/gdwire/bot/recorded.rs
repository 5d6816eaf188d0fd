//! Reads what clients sent in a recording, so that bots can send it again.

use super::Diagnostics;
use crate::args::places::{EndName, EndRole};
use crate::input::{self, OpenedInput};
use crate::opened::{self, name, reason};
use crate::terminal::number;
use gdwire::Dialect;
use gdwire::capture::Messages;
use gdwire::follow::{Content, Event, Message, Options};
use gdwire::multiplayer::{Names, PeerId};
use gdwire::net::enet::Mode;
use gdwire::packet::Time;
use gdwire::peer::{NewPacket, Replay};
use gdwire::project::TransferMode;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The most bytes of packets that are kept.
const LIMIT: usize = 256 << 20;

/// The clients whose packets are sent again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RecordedEnd {
    /// All clients, each by a bot of its own.
    Clients,
    /// The client with this number, from 1.
    Client(usize),
    /// The client with this address.
    Address(SocketAddr),
}

/// Parses `client`, `client 2` or an address.
pub fn recorded_end(text: &str) -> Result<RecordedEnd, String> {
    if text == "client" {
        return Ok(RecordedEnd::Clients);
    }
    match EndName::of(text) {
        Some(EndName { role: EndRole::Client, number }) => Ok(RecordedEnd::Client(number)),
        Some(EndName { role: EndRole::Server, .. }) => {
            Err("bots are clients, so they cannot send what a server sent".to_owned())
        }
        _ => text.parse().map(RecordedEnd::Address).map_err(|_| {
            "expected client for all of them, 'client 1' or an address such as 127.0.0.1:50123"
                .to_owned()
        }),
    }
}

/// A connection of the recording.
struct RecordedConnection {
    /// The number of its client.
    number: usize,
    address: SocketAddr,
    replay: Replay,
}

/// Reads a recording. Returns the packets of each of the clients.
pub fn read(
    path: &Path,
    end: RecordedEnd,
    names: Option<Arc<Names>>,
    dialect: Option<Dialect>,
    diagnostics: &Diagnostics,
) -> Result<Vec<Replay>, String> {
    let title = name(path);
    let named = |problem: &str| format!("{title}: {problem}");
    opened::inputs(&[path.to_owned()]);
    let file = OpenedInput::open(path).and_then(|opened| match opened {
        OpenedInput::Unpacked(stream) => input::unpack(stream),
        opened => opened.whole(),
    });
    let file = file.map_err(|error| named(&reason(&error)))?;
    let mut options = Options::new();
    if let Some(names) = names {
        options = options.with_names(names);
    }
    if let Some(dialect) = dialect {
        options = options.with_dialect(dialect);
    }
    let mut messages =
        Messages::with_options(&file, options).map_err(|error| named(&error.to_string()))?;
    let mut connections = BTreeMap::<u64, RecordedConnection>::new();
    let (mut first, mut lost, mut bytes) = (None, 0_u64, 0_usize);
    while let Some(event) = messages.next_event() {
        match event {
            Event::Message(message) => {
                bytes = bytes.saturating_add(message.bytes.len());
                if bytes > LIMIT {
                    let limit = LIMIT >> 20;
                    return Err(named(&format!("the messages have more than {limit} MiB")));
                }
                note(&message, &mut first, &mut connections);
            }
            Event::Lost(loss) if loss.origin.is_some_and(|it| it.client == Some(it.from)) => {
                lost = lost.saturating_add(loss.cause.count());
            }
            Event::Damaged(error) => return Err(named(&error.to_string())),
            _ => {}
        }
    }
    if lost > 0 {
        let problem = format!("the recording lacks {} of its clients", number(lost, "message"));
        diagnostics.warning(&title, &problem);
    }
    let is_meant = |recorded: &RecordedConnection| match end {
        RecordedEnd::Clients => true,
        RecordedEnd::Client(number) => recorded.number == number,
        RecordedEnd::Address(address) => recorded.address == address,
    };
    let meant = connections.into_values().filter(is_meant).map(|recorded| recorded.replay);
    // A client that sent nothing joins, too: the others may have called it.
    let replays: Vec<_> = meant.collect();
    if replays.iter().all(Replay::is_empty) {
        let nothing = match end {
            RecordedEnd::Clients => "no client sent packets of the multiplayer API there",
            _ => "this client sent no packets of the multiplayer API there",
        };
        return Err(named(nothing));
    }
    Ok(replays)
}

/// Notes a message, if it is a packet of a client.
fn note(
    message: &Message<'_>,
    first: &mut Option<Time>,
    connections: &mut BTreeMap<u64, RecordedConnection>,
) {
    let (Content::Packet(packet), Some(client)) = (message.content, message.origin.client) else {
        return;
    };
    let time = message.place.time;
    let begin = first.or(time);
    *first = begin;
    let since =
        time.zip(begin).map(|(time, begin)| time.as_nanos().saturating_sub(begin.as_nanos()));
    let at = Duration::from_nanos(since.and_then(|it| u64::try_from(it).ok()).unwrap_or(0));
    let is_of_client = message.origin.from == client;
    let number = connections.len().saturating_add(1);
    let recorded = connections.entry(message.origin.connection).or_insert_with(|| {
        let origin = message.origin;
        let address = if is_of_client { origin.src() } else { origin.dst() };
        RecordedConnection { number, address, replay: Replay::new(message.dialect, at) }
    });
    if !is_of_client {
        return;
    }
    let RecordedConnection { replay, .. } = recorded;
    replay.set_dialect(message.dialect);
    if let Some(peer) = message.peers.source {
        replay.set_peer(peer);
    }
    let mode = message.delivery.mode.map(|mode| match mode {
        Mode::Reliable => TransferMode::Reliable,
        Mode::Unreliable => TransferMode::UnreliableOrdered,
        _ => TransferMode::Unreliable,
    });
    let sending = mode.zip(message.delivery.channel);
    let target = message.peers.target.unwrap_or(PeerId::SERVER);
    let (bytes, context) = (message.bytes, message.context());
    let new = NewPacket::new(at, target, bytes, packet, context);
    replay.note(&sending.map_or(new, |(mode, channel)| new.with_sending(mode, channel)));
}
