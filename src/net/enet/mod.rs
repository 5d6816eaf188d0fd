//! ENet 1.3, as Godot and Pandemonium use it for their high-level multiplayer.
//!
//! A [`Session`] is a passive observer of a connection: it takes the datagrams of both ends and
//! delivers each message once, in the order of its channel.
//!
//! ```
//! use gdwire::net::Side;
//! use gdwire::net::enet::{SessionEvent, SessionLimits, Session};
//!
//! let mut session = Session::new(SessionLimits::default());
//! // To peer 0: reliable message 1 of channel 1, "hi", as it was sent and as it was sent again.
//! let first = [0x80, 0, 0, 9, 0x86, 1, 0, 1, 0, 2, b'h', b'i'];
//! let again = [0x80, 0, 1, 9, 0x86, 1, 0, 1, 0, 2, b'h', b'i'];
//! let mut messages = Vec::new();
//! for datagram in [first, again] {
//!     session.receive(Side::First, &datagram, &mut |event| {
//!         if let SessionEvent::Message(message) = event {
//!             messages.push((message.channel, message.payload.to_vec()));
//!         }
//!     })?;
//! }
//! session.finish(&mut |event| println!("{event:?}"));
//! assert_eq!(messages, [(1, b"hi".to_vec())]);
//! # Ok::<(), gdwire::net::enet::Error>(())
//! ```
//!
//! [`Datagram::parse`] reads a single datagram, without allocation. Its checks are so strict that
//! datagrams of other protocols almost never pass for ENet. [`DatagramDecompressor`] decompresses datagrams
//! of Godot's `COMPRESS_RANGE_CODER`, and [`godot`] reads the header that Godot 3 and Pandemonium
//! put in front of their packets.
//!
//! # The protocol
//!
//! All numbers are big-endian. A datagram consists of a u16 header (bit 0x8000: a u16 with the sent
//! time follows; 0x4000: the rest is compressed; bits 0x3000: the session's number; the other bits:
//! the receiver's peer id), a u32 checksum on some hosts, and commands back to back. A command
//! consists of a u8 with its number and flags (0x80: has to be acknowledged, 0x40: unsequenced), a
//! u8 channel (0xff: commands of the protocol itself), a u16 sequence number, and the command's own
//! fields.
//!
//! # Limits
//!
//! - Checksums are skipped, not verified: UDP has its own. A datagram does not say whether it has a
//!   checksum. One is assumed if the commands are only valid after four bytes are skipped.
//! - Without the feature `compression`, the range coder is the only compression that is read. With
//!   it, zlib, Zstandard and FastLZ are, too. Godot has these four.
//! - A missing message or fragment is reported as a [`LostMessage`], if a later sequence number shows
//!   that it is missing. The last unreliable messages before a reliable one, or before the end, may
//!   be missing without a trace. The same holds for messages before the first one that was seen.

mod assembly;
mod channel;
mod command;
mod datagram;
mod event;
pub mod godot;
mod handshake;
mod measure;
mod range_coder;
mod sequence;
mod session;

pub use command::{
    Bandwidth, Body, Command, Connect, Error, Fragment, Problem, Throttle, VerifyConnect,
};
pub(crate) use datagram::{Bounds, Codec, RESENT_WITHIN};
pub use datagram::{
    Commands, Datagram, DatagramDecompressor, Header, MAX_DATAGRAM_LEN, UNASSIGNED_PEER, USUAL_MTU,
};
pub use event::{Connected, LossReason, Lost, LostMessage, Mode, SessionEvent, SessionMessage};
pub(crate) use handshake::{HandshakeCommand, HandshakeReader, session_and_peer};
pub use measure::Meter;
pub use range_coder::{DecodeError, RangeDecoder, RangeEncoder};
pub(crate) use session::SessionProgress;
pub use session::{Scratch, Session, SessionLimits};

use assembly::{FragmentAssembly, OVERHEAD, UNFINISHED};
use channel::{BASE, Channel, HeldMessage, Lane, Overdue, SequenceKey, UNACKNOWLEDGED};
use command::{CommandFault, OWN_CHANNEL};
use sequence::{MissingNumbers, NumberOrder, RecentUnreliable, SeenNumbers, UnsequencedWindow};
