//! ENet 1.3, as Godot and Pandemonium use it for their high-level multiplayer.
//!
//! For who reads along: a [`Session`] is given the datagrams of both ends of a connection and
//! gives the messages in them, each once, in the order of its channel.
//!
//! ```
//! use gdwire::net::Side;
//! use gdwire::net::enet::{Event, Limits, Session};
//!
//! let mut session = Session::new(Limits::default());
//! // To peer 0: reliable message 1 of channel 1, "hi", as it was sent and as it was sent again.
//! let first = [0x80, 0, 0, 9, 0x86, 1, 0, 1, 0, 2, b'h', b'i'];
//! let again = [0x80, 0, 1, 9, 0x86, 1, 0, 1, 0, 2, b'h', b'i'];
//! let mut messages = Vec::new();
//! for datagram in [first, again] {
//!     session.receive(Side::First, &datagram, &mut |event| {
//!         if let Event::Message(message) = event {
//!             messages.push((message.channel, message.payload.to_vec()));
//!         }
//!     })?;
//! }
//! session.finish(&mut |event| println!("{event:?}"));
//! assert_eq!(messages, [(1, b"hi".to_vec())]);
//! # Ok::<(), gdwire::net::enet::Error>(())
//! ```
//!
//! A single datagram is read by [`Datagram::parse`], without allocation, and so strictly that
//! what is not ENet is hardly ever taken for it. [`RangeDecoder`] decompresses what Godot's
//! `COMPRESS_RANGE_CODER` sends, [`godot`] reads what Godot 3 puts in front of its packets.
//!
//! # The protocol
//!
//! All numbers are big-endian. A datagram is a u16 (0x8000: a u16 with the sent time follows;
//! 0x4000: compressed from there on; 0x3000: the session's number; the rest: the receiver's peer
//! id), on some hosts a u32 checksum, and commands back to back. A command is a u8 with its number
//! and flags (0x80: to be acknowledged, 0x40: unsequenced), a u8 channel (0xff: the protocol's own),
//! a u16 sequence number, and what the command has.
//!
//! # What is not done
//!
//! A checksum is stepped over, not compared: UDP has its own. Nothing in a datagram tells that
//! there is one; it is believed if the commands are whole behind it and not without it. Of the
//! compressors only the range coder is read; datagrams of the others are refused.

mod assembly;
mod channel;
mod command;
mod datagram;
mod error;
mod event;
pub mod godot;
mod grammar;
mod range_coder;
mod session;
mod unsequenced;

pub use command::{Bandwidth, Body, Command, Connect, Fragment, Throttle, VerifyConnect};
pub use datagram::{Commands, Datagram, Header, MAX_DATAGRAM_LEN, UNASSIGNED_PEER};
pub use error::{Error, Problem};
pub use event::{Connected, Event, Loss, Lost, Message, Mode, Reason};
pub use range_coder::{RangeDecoder, Undecodable};
#[cfg(feature = "capture")]
pub(crate) use session::Scratch;
pub use session::{Limits, Session};
