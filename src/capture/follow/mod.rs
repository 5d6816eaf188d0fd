//! Follows connections while their packets arrive, and returns the messages in them.
//!
//! A [`Follower`] takes packets from any source: a capture file, a pipe, or your own socket. It
//! detects the transport of each connection and the engine that wrote its messages. It reassembles
//! IP fragments, and follows TCP, ENet and WebSocket. It returns every value, every packet of the
//! high-level multiplayer API with the node paths that were announced, and every message of the
//! remote debugger. It also reports losses and packets of other programs. It does no input or
//! output, and [`Limits`] bound its memory. To read a capture file, use
//! [`capture::Messages`](crate::capture::Messages).
//!
//! # What a connection carries
//!
//! No field of a packet names its transport or its engine. So the follower passes the first packets
//! of a connection to the readers of all possible transports, and keeps what each reader finds. The
//! first reader with enough evidence wins. The follower then returns what this reader has found and
//! continues with it alone.
//!
//! - Some evidence is enough at once: ENet's connect command, the upgrade to WebSocket, a message
//!   that is a value in only one dialect.
//! - Other evidence is collected, from up to 64 messages or 1 MiB of them. If a connection ends before
//!   that, the evidence so far decides. If that does not show the dialect, the other connections
//!   decide. The default is Godot 4.
//! - [`Options`] name the transport or the dialect in advance.
//!
//! # What waits
//!
//! A message waits for this decision only if the decision affects how the message is read:
//!
//! - If all dialects that can read the messages so far read a message alike, it is returned at once:
//!   for example ints and strings. "Alike" means equal values that have the same text, because the
//!   literals of the engines differ: `Vector2( 1, 2 )` and `Vector2(1, 2)`. The dialect is named
//!   later, by [`Event::Recognized`]; until then [`Message::is_decided`] is false. Messages of more
//!   than 4 KiB are not compared, but wait.
//! - Over UDP, a datagram that is a value is returned as one, even if the connection turns out to
//!   be ENet. Over TCP, messages are returned until one is not a value. If the connection then
//!   turns out to carry nothing known, the values at its start have been returned nevertheless.
//! - Messages over TCP that begin like those of the remote debugger wait until it is known whether
//!   they are.
//! - Messages over ENet or WebSocket that are not values may be packets of the multiplayer API, or
//!   of any other program. They wait until there are eight of them.
//! - If transport and dialect are named or certain, no readable message waits. If a message can be
//!   both a value and a packet, the messages so far decide, and later ones can change that.
//! - In live traffic, messages wait no longer than [`Limits::undecided_time`], if
//!   [`Follower::tick`] is called. Then the best guess reads them and those that follow. As soon as
//!   later messages contradict the guess, they are read by a better one, and [`Event::Recognized`]
//!   occurs again. Events that were returned cannot be taken back.
//! - Messages that arrive before their predecessors always wait for these.
//!
//! # Order
//!
//! The events of one connection are returned in the order of its stream or channel. Events of
//! different connections are returned in the order of the packets, unless one has to wait. A
//! connection is opened before its first event and closed after its last one.

mod batch;
mod carried;
mod choice;
mod connection;
mod cut;
mod cut_packets;
mod debugger;
mod direction;
mod event;
mod finding;
mod flow;
mod follower;
mod given_up;
mod lend;
mod limits;
mod loss;
mod names;
mod opened;
mod options;
mod output;
mod peers;
mod place;
mod queue;
mod race;
mod readers;
mod summary;
mod table;
mod transport;
mod wire;

pub use batch::Batch;
pub use cut_packets::{CutFlow, CutPackets};
pub use direction::{Direction, Missing, USUAL_MTU};
pub use event::{Content, Event, Message, Other, Reason};
pub use flow::Flow;
pub use follower::{Events, Follower};
pub use limits::Limits;
pub use loss::{Cause, Loss};
pub use options::Options;
pub use place::{Origin, Peers, Place};
pub use summary::{Closed, Summary, Traffic};
pub use transport::Transport;
pub use wire::Wire;
