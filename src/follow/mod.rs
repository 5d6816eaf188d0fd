//! Follows connections as their packets come: packets in, messages out.
//!
//! A [`Follower`] takes packets from whoever has them: a capture file, a pipe, a socket of your own.
//! It finds out what carries the messages of each connection and which engine wrote them, follows
//! TCP, ENet and WebSocket, puts IP fragments together, and gives every value and every packet of
//! the high-level multiplayer API with the paths that were announced. It also gives what is lost
//! and what is other traffic. It does no input or output, and its memory is bounded by [`Limits`].
//! [`capture::Messages`](crate::capture::Messages) is the same for a capture file.
//!
//! # What a connection carries
//!
//! Nothing in a packet says which transport and which engine it is of. So the first packets of a
//! connection go through the readers of every transport that they can be of, and the follower keeps
//! what each reader finds. The first reader with enough evidence wins. What it has found is given at
//! once, and it reads on.
//!
//! - Some evidence is enough at once: ENet's connect command, the upgrade to WebSocket, a message
//!   that is a value in only one dialect.
//! - Other evidence is collected, from up to 64 messages. A connection that ends before is decided
//!   by what was seen of it, and where that does not tell the dialect, by what the other connections
//!   are. The default is Godot 4.
//! - [`Options`] name the transport or the dialect in advance.
//!
//! # Order
//!
//! The events of one connection come in the order of its stream or channel. Across connections they
//! come in the order of the packets, wherever nothing has to wait.

mod arrivals;
mod carried;
mod connection;
mod event;
mod finding;
mod flow;
mod follower;
mod limits;
mod names;
mod opened;
mod options;
mod output;
mod place;
mod queue;
mod race;
mod readers;
mod summary;
mod table;
mod transport;

pub use event::{Content, Event, Loss, Lost, Message, Other, Reason};
pub use flow::Flow;
pub use follower::{Events, Follower};
pub use limits::Limits;
pub use options::Options;
pub use place::{Origin, Peers, Place};
pub use summary::{Closed, Summary, Traffic};
pub use transport::Transport;
