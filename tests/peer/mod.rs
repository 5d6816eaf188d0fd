//! Peers over sockets of this computer.

mod enet;
mod websocket;

use gdwire::multiplayer::session::SessionEvent;
use gdwire::peer::GamePeer;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest time to wait for anything.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Polls peers until their events fulfil a condition, and returns the events of each.
fn poll_until(
    peers: &mut [&mut GamePeer],
    is_done: impl Fn(&[Vec<SessionEvent>]) -> bool,
) -> Vec<Vec<SessionEvent>> {
    let start = Instant::now();
    let mut events: Vec<_> = peers.iter().map(|_| Vec::new()).collect();
    while !is_done(&events) {
        assert!(start.elapsed() < TIMEOUT, "{events:?} {peers:?}");
        for (peer, events) in peers.iter_mut().zip(&mut events) {
            while let Some(event) = peer.poll().unwrap() {
                events.push(event);
            }
        }
        sleep(Duration::from_millis(1));
    }
    events
}

/// Polls peers until this one is closed, and returns the reason.
fn poll_until_closed(peer: &mut GamePeer, others: &mut [&mut GamePeer]) -> String {
    let start = Instant::now();
    while !peer.is_closed() {
        assert!(start.elapsed() < TIMEOUT, "{peer:?}");
        while peer.poll().unwrap().is_some() {}
        for other in &mut *others {
            while other.poll().unwrap().is_some() {}
        }
        sleep(Duration::from_millis(1));
    }
    peer.close_reason().unwrap().to_owned()
}
