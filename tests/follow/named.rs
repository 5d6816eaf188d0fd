//! If the transport and the dialect are options, no message waits to be recognized.

use crate::follow::captures;
use crate::follow::given::Given;
use gdwire::Dialect;
use gdwire::capture::Capture;
use gdwire::follow::{Event, Follower, Options, Transport};
use std::collections::BTreeSet;
use std::net::SocketAddr;

/// A message without its dialect, and the push that returned it.
struct Returned {
    ends: (SocketAddr, SocketAddr),
    frame: u64,
    bytes: Vec<u8>,
    shown: String,
    pushed: u64,
}

/// The messages of a capture, those of each connection in their order.
fn messages(file: &[u8], options: Options<'_>) -> Vec<Returned> {
    messages_from(1, file, options)
}

/// Like [`messages`], for a capture that begins with the packet of number `first`.
fn messages_from(first: u64, file: &[u8], options: Options<'_>) -> Vec<Returned> {
    let mut follower = Follower::with_options(options);
    let mut messages = Vec::new();
    let mut take = |event: Event<'_>, pushed| {
        let Event::Message(message) = &event else { return };
        let dialect = message.dialect.to_string();
        let Given::Message { frame, ends: (src, dst), bytes, shown, .. } = Given::of(&event) else {
            panic!("{event:?}");
        };
        let shown = shown.trim_start_matches(&dialect).to_owned();
        let ends = (src.min(dst), src.max(dst));
        messages.push(Returned { ends, frame, bytes, shown, pushed });
    };
    let mut last = 0;
    for packet in Capture::new(file).unwrap().map(Result::unwrap) {
        if packet.frame < first {
            continue;
        }
        last = packet.frame;
        follower.packet(&packet).for_each(|event| take(event, last));
    }
    follower.finish().for_each(|event| take(event, last + 1));
    messages.sort_by_key(|message| message.ends);
    messages
}

/// The transport and dialect of all connections with messages, if they are all the same.
fn named(file: &[u8]) -> Option<(Transport, Dialect)> {
    let mut follower = Follower::new();
    let mut found: Vec<(Transport, Dialect)> = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Closed(summary) = event
            && let (Some(transport), Some(dialect)) = (summary.transport(), summary.dialect())
        {
            found.push((transport, dialect));
        }
    };
    for packet in Capture::new(file).unwrap() {
        follower.packet(&packet.unwrap()).for_each(&mut take);
    }
    follower.finish().for_each(&mut take);
    found.dedup();
    let [found] = found[..] else { return None };
    Some(found)
}

#[test]
fn nothing_waits_if_transport_and_dialect_are_named() {
    let mut transports = BTreeSet::new();
    for (name, file) in captures() {
        let Some((transport, dialect)) = named(&file) else { continue };
        let options = || Options::new().with_transport(transport).with_dialect(dialect);
        let (named, detected) = (messages(&file, options()), messages(&file, Options::new()));
        assert_eq!(named.len(), detected.len(), "{name}");
        for (one, other) in named.iter().zip(&detected) {
            let is_same = (one.ends, one.frame, &one.bytes, &one.shown)
                == (other.ends, other.frame, &other.bytes, &other.shown);
            assert!(is_same, "{name}: {} and {}", one.shown, other.shown);
            // The packet that completes a message returns it, unless earlier messages are missing.
            assert!(one.pushed == one.frame || name.contains("lossy"), "{name}");
        }
        transports.insert(transport);
    }
    assert_eq!(transports.len(), 4);
}

/// Values between the peers of Godot 3 could be raw bytes of the multiplayer API. After a few
/// values, the follower excludes that, and nothing waits.
#[test]
fn values_after_peer_ids_wait_only_for_a_few_others() {
    for name in ["godot3-enet.pcapng", "godot3-enet-compressed.pcapng"] {
        let (_, file) = captures().into_iter().find(|(other, _)| other == name).unwrap();
        let messages = messages(&file, Options::new());
        let waiting = messages.iter().filter(|it| it.frame != it.pushed).count();
        assert!((1..10).contains(&waiting) && messages.len() > 50, "{name} {waiting}");
    }
}

/// The peer ids before Godot 3's messages are not mistaken for the type of a value.
#[test]
fn captures_that_begin_in_the_middle_have_no_other_messages() {
    for name in ["godot3-enet.pcapng", "godot3-enet-compressed.pcapng", "godot3-rpc.pcapng"] {
        let (_, file) = captures().into_iter().find(|(other, _)| other == name).unwrap();
        let options =
            || Options::new().with_transport(Transport::Enet).with_dialect(Dialect::GODOT_3);
        let key = |it: Returned| (it.ends, it.bytes);
        let all: BTreeSet<_> = messages(&file, options()).into_iter().map(key).collect();
        for first in 2..12 {
            let later = messages_from(first, &file, options());
            assert!(later.len() > 20, "{name} {first}");
            assert!(later.into_iter().all(|it| all.contains(&key(it))), "{name} {first}");
        }
    }
}
