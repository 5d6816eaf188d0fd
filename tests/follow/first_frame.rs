//! The first packet of a message in several packets, and the bytes of all of them.

use crate::common::corpus;
use gdwire::capture::{Capture, Messages};
use gdwire::follow::{Event, Transport};
use gdwire::net::Side;

fn contains(packet: &[u8], bytes: &[u8]) -> bool {
    packet.windows(bytes.len()).any(|window| window == bytes)
}

/// The number of bytes of the start of a message that its first packet is searched for.
const START: usize = 12;

/// Asserts where the messages of a capture, neither compressed nor masked, start and end. Returns
/// how many messages are in several packets.
fn check(name: &str, from: Option<Side>) -> usize {
    let file = std::fs::read(corpus("captures").join(name)).unwrap();
    let packets: Vec<_> =
        Capture::new(&file).unwrap().map(|packet| packet.unwrap().data.to_vec()).collect();
    let mut messages = Messages::new(&file).unwrap();
    let mut in_several = 0;
    while let Some(event) = messages.next_event() {
        let Event::Message(message) = event else { continue };
        if from.is_some_and(|from| from != message.origin.from) {
            continue;
        }
        let (place, bytes) = (message.place, message.bytes);
        let [first, last] =
            [place.first_frame(), place.frame].map(|frame| &packets[frame as usize - 1]);
        let wire = place.wire_bytes().unwrap() as usize;
        if place.first_frame() == place.frame {
            assert!(contains(last, bytes), "{name} {place:?}");
            assert_eq!(wire, last.len(), "{name} {place:?}");
            continue;
        }
        in_several += 1;
        assert!(place.first_frame() < place.frame, "{name} {place:?}");
        if place.first_frame() + 1 == place.frame {
            assert_eq!(wire, first.len() + last.len(), "{name} {place:?}");
        }
        if message.origin.transport != Transport::WebSocket {
            assert!(!contains(first, bytes), "{name} {place:?}");
            // A segment may end with the length of a message.
            let length = u32::try_from(bytes.len()).unwrap().to_le_bytes();
            let is_begun = contains(first, &bytes[..START]) || first.ends_with(&length);
            assert!(is_begun, "{name} {place:?}");
        }
        let end = bytes.last_chunk::<4>().unwrap();
        assert!((1..=4).any(|len| contains(last, &end[4 - len..])), "{name} {place:?}");
    }
    in_several
}

#[test]
fn a_message_names_its_first_packet() {
    for name in [
        "godot3-tcp.pcapng",
        "godot4-tcp.pcapng",
        "godot3-enet.pcapng",
        "godot4-enet.pcapng",
        "godot4-udp-ipfrag.pcapng",
        "godot4-udp-ipv6frag.pcapng",
    ] {
        assert!(check(name, None) > 0, "{name}");
    }
    assert_eq!(check("godot4-udp.pcapng", None), 0);
    // The frames of clients are masked.
    for name in ["godot3-websocket.pcapng", "godot4-websocket.pcapng"] {
        assert!(check(name, Some(Side::First)) > 0, "{name}");
    }
}
