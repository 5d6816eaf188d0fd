//! gdwire reads and writes the binary Variant serialization of the Godot and Pandemonium engines:
//! the bytes that `var2bytes` returns, that `put_var` and remote calls send over the network, and
//! that `store_var` writes to files. You do not need an engine to use it.
//!
//! # Read a packet
//!
//! [`parse`] checks the structure once and returns a view of the bytes, without allocating memory.
//! After that, `get` returns a field, or `None` if there is none.
//!
//! ```
//! use gdwire::{Dialect, parse};
//!
//! let packet = b"\x12\0\0\0\x01\0\0\0\x04\0\0\0\x02\0\0\0hp\0\0\x02\0\0\0\x57\0\0\0"; // {"hp": 87}
//! let value = parse(Dialect::GODOT_3, packet)?;
//! assert_eq!(value.get("hp").and_then(|hp| hp.as_i64()), Some(87));
//! # Ok::<(), gdwire::Error>(())
//! ```
//!
//! # Read a stream
//!
//! TCP streams, and files that `store_var` wrote, have a length before each value.
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use gdwire::{Dialect, parse, stream::FrameReader};
//!
//! let stream = &[8, 0, 0, 0, 2, 0, 0, 0, 42, 0, 0, 0][..]; // or a `TcpStream`
//! let mut frames = FrameReader::new(stream);
//! while let Some(frame) = frames.next_frame()? {
//!     println!("{:?}", parse(Dialect::GODOT_3, frame)?);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Send a value
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use gdwire::{Dialect, encode, math::Vector3, stream::write_frame, variant};
//!
//! let state = variant!({ "id": 7, "position": Vector3::new(1.0, 2.0, 3.0) });
//! let packet = encode(Dialect::GODOT_3, &state)?; // for a datagram
//!
//! let mut stream = Vec::new(); // or a `TcpStream`
//! write_frame(&mut stream, &packet)?;
//! # assert_eq!((packet.len(), stream.len()), (60, 64));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Use your own types
//!
//! The feature `serde` adds functions like those of `serde_json`; see [`typed`].
//!
#![cfg_attr(all(feature = "serde", feature = "alloc"), doc = "```")]
#![cfg_attr(not(all(feature = "serde", feature = "alloc")), doc = "```ignore")]
//! # use gdwire::Dialect;
//! # #[derive(serde::Serialize, serde::Deserialize)]
//! # struct State { hp: i32 }
//! # let state = State { hp: 87 };
//! let packet = gdwire::to_vec(Dialect::GODOT_3, &state)?;
//! let state: State = gdwire::from_slice(Dialect::GODOT_3, &packet)?;
//! # assert_eq!(state.hp, 87);
//! # Ok::<(), gdwire::typed::Error>(())
//! ```
//!
//! # Where to start
//!
//! To read values:
//!
//! - [`Dialect`] names the engine that wrote the bytes; [`detect`] finds out which one it was.
//! - [`VariantRef`] is a view of a value; [`view`] describes how to read it without copying.
//! - [`VariantRef::at`] finds a value by its path, [`VariantRef::to`] returns it as a Rust type.
//! - [`walk`] visits everything in a parsed value in one pass; [`walk::events`] does so on bytes
//!   that are not parsed yet.
//! - [`stream`] reads values that arrive in pieces, with or without a length before each.
//! - [`grammar`] has nom parsers of values, to build your own parsers from.
//! - [`explain`] says what each byte of a value or a packet is.
//!
//! To hold, write and convert values:
//!
//! - [`Variant`] is a value that owns its content; see [`owned`] and the [`variant!`] macro.
//! - [`Packed`] writes a slice or a vector as a packed array; without it, they become an Array.
//! - [`encode()`] writes a value into a new vector. Its module, [`mod@encode`], also writes values
//!   piece by piece, without an allocator.
//! - [`encode::patch`] changes one value of a packet and copies everything else.
//! - [`edit`] changes parts of the values of a file, which paths such as `[19].player.hp` name.
//! - [`text`] writes and reads values as text, such as `Vector2( 1, 2 )`.
//! - [`convert`] rewrites a value for another engine.
//!
//! To read network traffic:
//!
//! - [`capture`] reads the messages of a capture file, over any transport.
//! - [`follow`] does the same packet by packet, for packets that your program captures or receives
//!   on its own sockets.
//! - [`packet`] reads the link, IP, UDP and TCP headers of packets.
//! - [`compression`] reads captures that gzip, Zstandard or LZ4 compressed.
//! - [`net`] decodes captured ENet, TCP and WebSocket traffic. It opens no connections.
//! - [`multiplayer`] reads and writes the packets of remote calls.
//! - [`debugger`] reads the messages of the remote debugger.
//! - [`project`] finds names for the numbers in packets of remote calls, from the game's project.
//! - [`stats`] counts what a capture contains, and [`diagnose`] finds what is wrong in it. [`report`]
//!   shows both as a page of HTML.
//! - [`compare`] compares two recordings: of two builds, or of the two sides of one session.
//! - [`export`] makes tables of messages, states, losses and connections, for analysis engines.
//! - [`top`] counts what is sent now, second by second.
//! - [`versions`] finds the version of a project that each end of a recording has.
//! - [`states`] has the values of properties over time.
//! - [`expression`] evaluates conditions on messages and values.
//! - [`codec`] sends and receives values with tokio.
//!
//! Longer pages are in [`docs`]: [recipes](docs::recipes), the [wire format](docs::wire_format), the
//! [transports](docs::transports), the [command](docs::command_line),
//! [hostile input](docs::hostile_input), [benchmarks](docs::benchmarks), the
//! [architecture](docs::architecture), and the [design](docs::design) with its reasons.
//!
//! # Features
//!
//! | feature | adds | types of other crates in the API |
//! |---|---|---|
//! | `std` (default) | reading from and writing to streams; includes `alloc` | |
//! | `alloc` | owned values, the function [`encode`], assembling values that arrive in pieces, reading values from text, [`explain`], and [`project`], reading the scripts and scenes of a Godot project, which name the methods, scenes and properties in packets | |
//! | `bytes` | [`VariantBytes`], a value together with its bytes | `bytes` 1 |
//! | `capture` | [`capture`], [`follow`], [`packet`] and [`net`], reading the messages in capture files, in packets that your program captures, or in datagrams of its own sockets; [`stats`], [`top`], [`diagnose`], [`compare`], and [`expression`], conditions on messages in a part of the language of jq; includes `json` | |
//! | `codec` | [`codec`], sending and receiving values over tokio's streams and datagrams; includes `bytes` | `tokio-util` 0.7 |
//! | `compression` | [`compression`], reading streams of gzip, Zstandard and LZ4; with `capture`, also ENet connections that are compressed with zlib, Zstandard or FastLZ | |
//! | `export` | [`export`], tables of messages, states, losses and connections, as Arrow batches and Parquet files; the command `gdwire export` if `cli` is on, too; includes `capture` | `arrow-array`, `arrow-schema` and `parquet` 60 |
//! | `glam` | [`interop`], conversion to and from glam's math types; reads arrays of vectors without a copy | `glam` 0.34 |
//! | `json` | [`json`], reading and writing the lossless JSON of Godot 4's `JSON.from_native` | |
//! | `peer` | [`peer`], servers and clients of real games over ENet and WebSocket; includes `capture` and `compression` | |
//! | `mint` | [`interop`], conversion to and from mint's math types, which nalgebra and others support | `mint` 0.5 |
//! | `report` | [`report`], a page of HTML with plots of a capture; includes `capture` | |
//! | `save` | [`save`], reading and writing compressed and encrypted save files; includes `compression` | |
//! | `serde` | [`typed`], reading and writing your own types with [`from_slice`] and [`to_vec`] | `serde` 1 |
//! | `cli` | the command `gdwire`; [`text::Show`] fits values and packets to a width | |
//! | `full` | all features: the command with everything, and the whole library | |
//!
//! [`docs::dependencies`] lists the crates that each feature adds to your build. The last column names
//! the crates whose types a feature adds to the public API. Without features,
//! the crate needs neither the standard library nor an allocator, and its API has only two kinds of
//! items from other crates: types of nom 8, in the module [`grammar`], and the marker traits of
//! bytemuck 1.
//!
//! # Hostile input
//!
//! No input makes a function of this crate panic. Parsing and walking do not recurse. The time and
//! the memory that functions need depend on the number of bytes, not on the counts that the bytes
//! announce. An error contains the byte offset and the reason. [`docs::hostile_input`] has the
//! details, and lists the operations that recurse up to a depth limit.
//!
//! [`convert`]: mod@crate::convert
//! [`encode`]: crate::encode()
#![cfg_attr(
    not(feature = "full"),
    allow(rustdoc::broken_intra_doc_links, reason = "what is linked may be left out")
)]
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// No input may make the library panic; `clippy.toml` exempts the tests. Everything `pub` is for
// users.
#![warn(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    unreachable_pub
)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(all(test, not(feature = "std")))]
extern crate std;

#[macro_use]
mod value;

mod analysis;
#[cfg(feature = "capture")]
pub mod capture;
pub mod docs;
mod format;
mod game;
pub mod net;
mod write;

pub use format::text::{self, ErrorPath};
pub use game::{debugger, multiplayer};
pub use value::{
    Component, Dialect, Engine, Error, F32Le, F64Le, I32Le, I64Le, Kind, MAX_DEPTH, Problem,
    ReadOptions, Reading, Real, Streamed, VariantRef, View, detect, grammar, math, parse,
    parse_prefix, parse_streaming, view, walk,
};
pub use write::encode::{
    self, Encode, EncodeError, Packed, encode_into, encode_to_slice, encoded_len,
};
pub use write::stream;

#[cfg(feature = "alloc")]
pub use self::{
    analysis::explain,
    format::edit,
    game::project,
    write::convert,
    write::encode::encode,
    write::owned::{self, Array, Dictionary, ElementType, NodePath, Object, Signal, Variant},
};
#[cfg(feature = "export")]
pub use analysis::export;
#[cfg(feature = "report")]
pub use analysis::report;
#[cfg(feature = "capture")]
pub use analysis::{compare, diagnose, expression, states, stats, top, versions};
#[cfg(feature = "codec")]
pub use format::codec;
#[cfg(feature = "compression")]
pub use format::compression;
#[cfg(any(feature = "glam", feature = "mint"))]
pub use format::interop;
#[cfg(feature = "json")]
pub use format::json;
#[cfg(feature = "save")]
pub use format::save;
#[cfg(all(feature = "serde", feature = "std"))]
pub use format::typed::to_writer;
#[cfg(feature = "serde")]
pub use format::typed::{self, from_slice, from_slice_prefix, from_view, to_slice};
#[cfg(all(feature = "serde", feature = "alloc"))]
pub use format::typed::{from_variant, to_variant, to_vec};
#[cfg(feature = "peer")]
pub use game::peer;
#[cfg(feature = "std")]
pub use write::encode::encode_to_writer;
#[cfg(feature = "bytes")]
pub use write::shared::VariantBytes;

#[cfg(feature = "capture")]
pub mod follow {
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

    pub use crate::capture::follow::{
        Batch, Cause, Closed, CommunityId, ConnectionNumbers, Content, CutFlow, CutPackets,
        Delivery, Direction, Event, Events, Flow, Follower, Limits, Loss, LossKind, Message,
        Missing, Options, Order, Origin, Other, Peers, Place, Reason, Share, Summary, Traffic,
        Transport, Wire,
    };
}

#[cfg(feature = "capture")]
pub mod measure {
    //! Distributions and time series that are measured in one pass and in bounded memory.
    //!
    //! A [`Histogram`] counts values, for example sizes or times, and gives their quantiles. A [`Series`]
    //! shows how values change over time.

    pub use crate::net::measure::{Histogram, Point, Series, Spread};
}

#[cfg(feature = "capture")]
pub mod packet {
    //! Packets: from link, IP, UDP and TCP headers to datagrams and segments.
    //!
    //! A [`CapturedPacket`] is what a capture file, a libpcap callback or a packet socket gives.
    //! [`CapturedPacket::payload`] reads its headers and lends the datagram, segment or IP fragment in it.
    //! A [`Defragmenter`] puts fragments together. Only fragments are copied, and only they need
    //! allocated memory.
    //!
    //! Clouds and switches mirror traffic through tunnels. The packets inside of them are read, with their
    //! own addresses: VXLAN ([RFC 7348]), GENEVE ([RFC 8926]), GRE ([RFC 2890]), ERSPAN ([draft]), and IP in
    //! IP ([RFC 2003], [RFC 2473]).
    //!
    //! [RFC 2003]: https://www.rfc-editor.org/rfc/rfc2003
    //! [RFC 2473]: https://www.rfc-editor.org/rfc/rfc2473
    //! [RFC 2890]: https://www.rfc-editor.org/rfc/rfc2890
    //! [RFC 7348]: https://www.rfc-editor.org/rfc/rfc7348#section-5
    //! [RFC 8926]: https://www.rfc-editor.org/rfc/rfc8926#section-3
    //! [draft]: https://datatracker.ietf.org/doc/html/draft-foschiano-erspan-03

    pub use crate::net::packet::{
        CapturedPacket, Defragmenter, Error, IpFragment, LinkType, LostPacket, Payload, Problem,
        Protocol, TcpSegment, Time, UdpDatagram,
    };
}

/// Names that the macros of this crate use in the code of other crates.
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub mod __private {
    pub use alloc::vec;
}

#[cfg(all(doctest, feature = "serde", feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
