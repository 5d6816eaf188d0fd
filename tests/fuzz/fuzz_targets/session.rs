//! Sessions that get any packets: they refuse what is wrong, and keep only what the limits allow.

#![no_main]

use gdwire::Dialect;
use gdwire::multiplayer::session::{Session, SessionEvent, SessionLimits, SessionOptions};
use gdwire::multiplayer::{Methods, Names, PeerId};
use gdwire::project::TransferMode;
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

static NAMES: LazyLock<Arc<Names>> =
    LazyLock::new(|| Arc::new(Names::from(Methods::parse("Game/**: a b +c").unwrap())));

/// A packet after a byte that says how it arrives, and its length in one byte.
fn packets(mut input: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    std::iter::from_fn(move || {
        let ([how, length], rest) = input.split_first_chunk()?;
        let (packet, rest) = rest.split_at_checked(usize::from(*length)).unwrap_or((rest, &[]));
        input = rest;
        Some((*how, packet))
    })
}

fuzz_target!(|input: &[u8]| {
    let Some((&choice, input)) = input.split_first() else { return };
    let dialect = Dialect::ALL[usize::from(choice >> 2) % Dialect::ALL.len()];
    let limits = SessionLimits::default().with_peers(4).with_announcements(8).with_path_bytes(64);
    let options = match choice & 1 {
        0 => SessionOptions::server(dialect),
        _ => SessionOptions::client(dialect, PeerId::new(2)),
    };
    let options = options.with_names(NAMES.clone()).with_limits(limits);
    let options = match choice & 2 {
        0 => options,
        _ => options.with_unknown_nodes().with_authentication(Duration::from_millis(50)),
    };
    let mut session = Session::new(options);
    let others = if choice & 1 == 0 { [3, 4] } else { [1, 1] };
    for (time, (how, packet)) in (0..).zip(packets(input)) {
        let from = PeerId::new(others[usize::from(how & 1)]);
        let _ = session.connected(from);
        let mode = if how & 2 == 0 { TransferMode::Reliable } else { TransferMode::Unreliable };
        session.receive(from, packet, mode, how >> 2 & 3);
        if how & 16 != 0 {
            let _ = session.complete_auth(from);
            let _ = session.call(PeerId::EVERYONE, "Game/World", "a", (1,));
        }
        if how & 32 != 0 {
            session.disconnected(from);
        }
        session.handle_time(Duration::from_millis(time));
        assert!(session.peers().len() <= 4 + 1);
        while let Some(sent) = session.poll_transmit() {
            assert!(!sent.bytes.is_empty());
        }
        while let Some(event) = session.poll_event() {
            match event {
                SessionEvent::Call(call) => drop(call.arguments().to_string()),
                SessionEvent::States(states) => assert!(states.states().count() > 0),
                SessionEvent::Spawned(spawned) => assert!(spawned.spawn().is_some()),
                SessionEvent::Refused { reason, .. } => assert!(!reason.to_string().is_empty()),
                _ => {}
            }
        }
    }
});
