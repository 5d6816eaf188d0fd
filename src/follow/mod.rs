//! Follows connections while their packets arrive, and returns the messages in them.
//!
//! A [`Follower`] takes packets from any source: a capture file, a pipe, or your own socket. It
//! detects the transport of each connection and the engine that wrote its messages. It follows TCP,
//! ENet and WebSocket, and puts IP fragments together. It returns every value, and every packet of
//! the high-level multiplayer API with the node paths that were announced. It also reports losses
//! and packets of other programs. It does no input or output, and [`Limits`] bound its memory. To
//! read a capture file, use [`capture::Messages`](crate::capture::Messages).
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
//! - Other evidence is collected, from up to 64 messages. If a connection ends before that, the
//!   evidence so far decides. If that does not show the dialect, the other connections decide. The
//!   default is Godot 4.
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
