//! One peer of a multiplayer game. It has no sockets: packets go in and come out.

use crate::captures::GameNames;
use crate::{dialect, failure};
use gdwire::multiplayer::PeerId;
use gdwire::multiplayer::session::{self, SessionEvent, SessionOptions};
use gdwire::project::TransferMode;
use gdwire::{Dialect, VariantRef, encode, parse};
use std::time::Duration;
use wasm_bindgen::prelude::*;

fn raise(error: impl ToString) -> JsValue {
    failure(error.to_string(), None, "")
}

/// A peer of the high-level multiplayer API.
#[wasm_bindgen]
pub struct Session {
    session: session::Session,
    dialect: Dialect,
}

#[wasm_bindgen]
impl Session {
    /// The server, or with an id a client.
    #[wasm_bindgen(constructor)]
    pub fn new(number: u32, id: Option<i32>, names: Option<GameNames>) -> Session {
        let dialect = dialect(number);
        let mut options = match id {
            Some(id) => SessionOptions::client(dialect, PeerId::new(id)),
            None => SessionOptions::server(dialect),
        };
        if let Some(names) = names {
            options = options.with_names(names.into_names());
        }
        Session { session: session::Session::new(options), dialect }
    }

    /// A connection to a peer has opened.
    pub fn connected(&mut self, peer: i32) -> Result<(), JsValue> {
        self.session.connected(PeerId::new(peer)).map_err(raise)
    }

    /// The connection to a peer has closed.
    pub fn disconnected(&mut self, peer: i32) {
        self.session.disconnected(PeerId::new(peer));
    }

    /// A packet has arrived.
    pub fn receive(&mut self, peer: i32, packet: &[u8], channel: Option<u8>) {
        let channel = channel.unwrap_or(0);
        self.session.receive(PeerId::new(peer), packet, TransferMode::Reliable, channel);
    }

    /// The time, in milliseconds since any moment.
    #[wasm_bindgen(js_name = handleTime)]
    pub fn handle_time(&mut self, milliseconds: f64) {
        self.session.handle_time(Duration::from_micros((milliseconds * 1000.0) as u64));
    }

    /// Calls a method of a node on a peer; 0 stands for all others. Each argument is a value as bytes.
    pub fn call(
        &mut self,
        target: i32,
        path: &str,
        method: &str,
        arguments: Vec<js_sys::Uint8Array>,
    ) -> Result<(), JsValue> {
        let bytes: Vec<Vec<u8>> = arguments.iter().map(js_sys::Uint8Array::to_vec).collect();
        let parsed = bytes.iter().map(|bytes| parse(self.dialect, bytes));
        let values: Vec<VariantRef<'_>> = parsed.collect::<Result<_, _>>().map_err(raise)?;
        self.session.call(PeerId::new(target), path, method, values).map_err(raise)
    }

    /// The next packet to send; undefined if there is none.
    #[wasm_bindgen(js_name = nextPacket)]
    pub fn next_packet(&mut self) -> Option<OutgoingPacket> {
        let sent = self.session.poll_transmit()?;
        let mode = match sent.mode {
            TransferMode::Unreliable => "unreliable",
            TransferMode::UnreliableOrdered => "unreliable_ordered",
            _ => "reliable",
        };
        Some(OutgoingPacket { to: sent.to.get(), channel: sent.channel, mode, bytes: sent.bytes })
    }

    /// The next event; undefined if there is none.
    #[wasm_bindgen(js_name = nextEvent)]
    pub fn next_event(&mut self) -> Result<Option<GameEvent>, JsValue> {
        let Some(event) = self.session.poll_event() else { return Ok(None) };
        let plain = |kind, peer: PeerId, text: String| GameEvent {
            kind,
            peer: peer.get(),
            path: String::new(),
            text,
            arguments: Vec::new(),
        };
        Ok(Some(match event {
            SessionEvent::PeerConnected { peer } => plain("connected", peer, String::new()),
            SessionEvent::PeerDisconnected { peer } => plain("disconnected", peer, String::new()),
            SessionEvent::Call(call) => GameEvent { kind: "call", ..self.called(&call)? },
            SessionEvent::Set(call) => GameEvent { kind: "set", ..self.called(&call)? },
            SessionEvent::Bytes { from, bytes } => {
                GameEvent { arguments: vec![bytes], ..plain("bytes", from, String::new()) }
            }
            SessionEvent::Mismatch { peer, path } => {
                GameEvent { path, ..plain("mismatch", peer, String::new()) }
            }
            SessionEvent::Refused { from, reason } => plain("refused", from, reason.to_string()),
            event => plain("other", PeerId::EVERYONE, format!("{event:?}")),
        }))
    }

    fn called(&self, call: &session::ReceivedCall) -> Result<GameEvent, JsValue> {
        let arguments = call.arguments();
        let arguments = arguments.iter().map(|argument| encode(self.dialect, &argument));
        Ok(GameEvent {
            kind: "call",
            peer: call.from().get(),
            path: call.path.clone(),
            text: call.method.clone().unwrap_or_default(),
            arguments: arguments.collect::<Result<_, _>>().map_err(raise)?,
        })
    }
}

/// A packet to send.
#[wasm_bindgen]
pub struct OutgoingPacket {
    /// The peer at the other end of the connection.
    pub to: i32,
    pub channel: u8,
    mode: &'static str,
    bytes: Vec<u8>,
}

#[wasm_bindgen]
impl OutgoingPacket {
    #[wasm_bindgen(getter)]
    pub fn mode(&self) -> String {
        self.mode.to_owned()
    }

    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> Vec<u8> {
        self.bytes.clone()
    }
}

/// Something that happened.
#[wasm_bindgen]
pub struct GameEvent {
    kind: &'static str,
    /// The peer that did it.
    pub peer: i32,
    path: String,
    text: String,
    arguments: Vec<Vec<u8>>,
}

#[wasm_bindgen]
impl GameEvent {
    #[wasm_bindgen(getter)]
    pub fn kind(&self) -> String {
        self.kind.to_owned()
    }

    #[wasm_bindgen(getter)]
    pub fn path(&self) -> String {
        self.path.clone()
    }

    /// The method, the property, or the reason of a refusal.
    #[wasm_bindgen(getter)]
    pub fn text(&self) -> String {
        self.text.clone()
    }

    /// The arguments, each as the bytes of a value; of raw bytes, these.
    #[wasm_bindgen(getter)]
    pub fn arguments(&self) -> Vec<js_sys::Uint8Array> {
        self.arguments.iter().map(|bytes| js_sys::Uint8Array::from(bytes.as_slice())).collect()
    }
}
