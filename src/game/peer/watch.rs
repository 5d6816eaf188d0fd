//! The traffic of a peer's sockets, for observers that record or measure it.

use core::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// Something that a socket of a peer sent or received: see [`EnetPeer::watch`](super::EnetPeer::watch)
/// and [`WebSocketPeer::watch`](super::WebSocketPeer::watch).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Traffic<'t> {
    /// The address of the sender.
    pub src: SocketAddr,
    /// The address of the receiver.
    pub dst: SocketAddr,
    /// Whether this peer has sent it.
    pub is_sent: bool,
    /// The content.
    pub content: TrafficContent<'t>,
}

/// The content of [`Traffic`].
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrafficContent<'t> {
    /// The payload of a UDP datagram.
    Datagram(&'t [u8]),
    /// A TCP connection was opened. The source is the client.
    Opened,
    /// The next bytes of a TCP connection. With TLS, they are not encrypted here.
    Bytes(&'t [u8]),
    /// This end of a TCP connection was closed.
    Closed,
}

impl fmt::Debug for TrafficContent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrafficContent::Datagram(bytes) => write!(f, "Datagram({} bytes)", bytes.len()),
            TrafficContent::Opened => f.write_str("Opened"),
            TrafficContent::Bytes(bytes) => write!(f, "Bytes({} bytes)", bytes.len()),
            TrafficContent::Closed => f.write_str("Closed"),
        }
    }
}

type Watch = dyn FnMut(Traffic<'_>) + Send;

/// The observer of a peer's traffic, if there is one. All sockets of the peer share it.
#[derive(Clone, Default)]
pub(super) struct Watcher(Option<Arc<Mutex<Watch>>>);

impl Watcher {
    pub(super) fn new(watch: impl FnMut(Traffic<'_>) + Send + 'static) -> Watcher {
        Watcher(Some(Arc::new(Mutex::new(watch))))
    }

    pub(super) fn show(&self, traffic: Traffic<'_>) {
        if let Some(watch) = &self.0 {
            watch.lock().unwrap_or_else(PoisonError::into_inner)(traffic);
        }
    }
}
