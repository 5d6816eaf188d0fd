//! Joins [sessions](crate::multiplayer::session) to sockets: servers and clients that real games connect
//! to.
//!
//! [`EnetPeer`] speaks ENet, the default transport of Godot 3 and 4, with the crate `rusty_enet`.
//! [`WebSocketPeer`] speaks WebSocket, which games in browsers need, with the crate `tungstenite`, and
//! `rustls` for `wss://`. Both are used in the same way. This client calls a method of the server's world, prints what it is called, and leaves with the server:
//!
//! ```no_run
//! use gdwire::Dialect;
//! use gdwire::multiplayer::PeerId;
//! use gdwire::multiplayer::session::{SessionEvent, SessionOptions};
//! use gdwire::peer::{EnetOptions, EnetPeer};
//! use std::{thread::sleep, time::Duration};
//!
//! let session = SessionOptions::client(Dialect::GODOT_3, PeerId::new(77));
//! let mut peer = EnetPeer::connect("127.0.0.1:7777".parse()?, session, EnetOptions::default())?;
//! loop {
//!     while let Some(event) = peer.poll()? {
//!         match event {
//!             SessionEvent::PeerConnected { peer: PeerId::SERVER } => {
//!                 peer.session().call(PeerId::SERVER, "Game/World", "say", ("hello",))?;
//!             }
//!             SessionEvent::Call(call) => println!("{}({})", call.path, call.arguments()),
//!             SessionEvent::PeerDisconnected { peer: PeerId::SERVER } => return Ok(()),
//!             _ => {}
//!         }
//!     }
//!     sleep(Duration::from_millis(10));
//! }
//! # #[allow(unreachable_code)] Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bots;
mod compressor;
mod enet;
mod game_peer;
mod watch;
mod websocket;

pub use bots::{
    BotCounts, BotOptions, Bots, MethodCounts, NamedCounts, NewPacket, Replay, ScriptError,
    ScriptedCall, UnknownMethod, parse_rate,
};
pub use compressor::EnetCompression;
pub use enet::{EnetOptions, EnetPeer};
pub use game_peer::{GamePeer, ServerAddress};
pub use watch::{Traffic, TrafficContent};
pub use websocket::{WebSocketOptions, WebSocketPeer};
