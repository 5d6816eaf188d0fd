//! Messages over ENet after the ids of their sender and receiver.

use crate::common::unhex;
use crate::follow::given::Given;
use crate::follow::refused::CONNECT;
use crate::follow::reopening::push_of;
use crate::follow::waiting::{Pushed, distinctive};
use gdwire::Dialect;
use gdwire::follow::Options;
use gdwire::net::tcp;

/// The id that the client chooses in [`CONNECT`].
const CLIENT: u32 = 77;

/// A datagram with a reliable message on the channel of the game.
pub(crate) fn reliable(sequence: u8, message: &[u8]) -> Vec<u8> {
    let header = [0x80, 1, 0x12, 0x34, 0x86, 1, 0, sequence, 0, message.len() as u8];
    [&header[..], message].concat()
}

/// Only Godot 3 and Pandemonium write such ids. Godot 4 would read the rest as values, too, but
/// that does not count.
#[test]
fn values_after_peer_ids_do_not_wait_for_an_engine_without_ids() {
    let (ids, value) = ([CLIENT, 1].map(u32::to_le_bytes), distinctive(Dialect::GODOT_4));
    let message = [ids.as_flattened(), &value].concat();
    let mut pushed = Pushed::new(Options::new());
    pushed.datagram(40_000, &unhex(CONNECT));
    for sequence in 1..=10 {
        pushed.datagram(40_000, &reliable(sequence, &message));
        let others = pushed.given.iter().filter(|it| matches!(it, Given::Other(..))).count();
        assert_eq!(others, if sequence < 8 { 0 } else { sequence.into() });
    }
}

/// Packets of Godot 4 whose first bytes could be peer ids. After such ids, the rest is also a
/// packet of Godot 3, which another connection carries.
#[test]
fn packets_of_an_engine_without_peer_ids_are_recognized() {
    let call = b"\x80\x01\x02bytes\0\x01\0\0\0hit\0\0";
    let mut pushed = Pushed::new(Options::new());
    pushed.datagram(1, &distinctive(Dialect::GODOT_3));
    pushed.datagram(40_000, &unhex(CONNECT));
    for sequence in 1..=10 {
        pushed.datagram(40_000, &reliable(sequence, call));
    }
    pushed.finish();
    let shown = pushed.shown();
    assert!(shown.len() == 11 && shown[1..].iter().all(|it| it.starts_with("#1.#2(")), "{shown:?}");
}

/// Over WebSocket, the first message of Godot 4's server is the id of the client, which is above 1.
#[test]
fn only_the_first_message_of_a_server_is_an_id() {
    let (call, four) = (&b"\x80\x01\x02bytes\0\x01\0\0\0hit\0\0"[..], &b"\x03abc"[..]);
    for (first, ids) in [([9, 0, 0, 0], 1), ([2, 0, 0, 0], 1), ([1, 0, 0, 0], 0)] {
        let request = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        let response = b"HTTP/1.1 101 Yes\r\nupgrade: websocket\r\nsec-websocket-accept: y\r\n\r\n";
        let frame = |it: &[u8]| [&[0x82, it.len() as u8][..], it].concat();
        let masked = |it: &[u8]| [&[0x82, 0x80 | it.len() as u8, 0, 0, 0, 0][..], it].concat();
        let from_client = [&request[..], &masked(four), &masked(call)].concat();
        let calls = frame(call).repeat(10);
        let from_server = [&response[..], &frame(&first), &calls, &frame(four)].concat();
        let mut pushed = Pushed::new(Options::new());
        pushed.open(99);
        push_of(&mut pushed, false, tcp::Segment::new(499, &[]).with_syn(), 100);
        pushed.segment(100, &from_client[..request.len()]);
        push_of(&mut pushed, false, tcp::Segment::new(500, &from_server), 100);
        pushed.segment(100 + request.len() as u32, &from_client[request.len()..]);
        pushed.finish();
        let is_id = |it: &&Given| matches!(it, Given::Other(_, why) if why.contains("peer id"));
        let found = pushed.given.iter().filter(is_id).count();
        assert_eq!((found, pushed.shown().len()), (ids, 13), "{first:?} {:?}", pushed.given);
    }
}
