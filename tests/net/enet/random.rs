//! Random bytes: nothing panics, no message is invented, and held messages are bounded.

use super::assemble::*;
use super::recorded::{Flow, flow};
use gdwire::net::Side::{First, Second};
use gdwire::net::enet::{RangeDecoder, RangeEncoder, SessionLimits};
use proptest::prelude::*;
use std::sync::LazyLock;

/// Commands with numbers that often collide.
fn commands() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![0_u16..12, 0xfff8_u16..=0xffff, any::<u16>()];
    let payload = prop::collection::vec(any::<u8>(), 0..40);
    let fields = (0_u8..8, 0_u8..3, number.clone(), 0_u16..6, payload, 0_usize..4);
    fields.prop_map(|(kind, channel, sequence, number, payload, part)| {
        let message = vec![sequence as u8; 90];
        let parts = parts(&message, if payload.len() > 35 { 20 } else { 30 }, sequence);
        let part = parts[part % parts.len()];
        match kind {
            0 | 1 => reliable(channel, sequence, &payload),
            2 => unreliable(channel, sequence, number, &payload),
            3 => unsequenced(channel, sequence, &payload),
            4 => part.reliable(channel),
            5 => part.unreliable(channel, number),
            6 => acknowledge(channel, sequence),
            _ => disconnect(sequence, 0),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_commands_are_held_within_bounds(
        datagrams in prop::collection::vec(
            (any::<bool>(), prop::collection::vec(commands(), 1..6)), 1..150),
        held_bytes in prop_oneof![Just(0_usize), 64..2_000_usize, Just(1 << 20)],
        patience in 0_u64..80,
    ) {
        let limits =
            SessionLimits::default().with_held_bytes(held_bytes).with_unfinished(3).with_patience(patience);
        for message_len in [80, 100] {
            let mut watched = Watched::with_limits(limits.with_message_len(message_len));
            for (is_first, commands) in &datagrams {
                let datagram = datagram(commands);
                let side = if *is_first { First } else { Second };
                watched.receive(side, &datagram);
            }
            watched.finish();
            let sent: usize = datagrams.iter().map(|(_, commands)| commands.len()).sum();
            prop_assert!(watched.given.len() <= sent);
        }
    }

    #[test]
    fn overwritten_bytes_are_refused_or_read(at in 0_usize..400, byte in any::<u8>(), place in 0_usize..100) {
        static FLOWS: LazyLock<[Flow; 2]> =
            LazyLock::new(|| ["godot3-enet.pcapng", "godot4-enet-compressed.pcapng"].map(flow));
        for flow in &*FLOWS {
            let index = place % flow.len();
            let mut changed = flow[index].1.clone();
            let at = at % changed.len();
            changed[at] = byte;
            let mut watched = Watched::new();
            for (number, (side, datagram)) in flow.iter().enumerate() {
                let datagram = if number == index { &changed } else { datagram };
                watched.run(|session, sink| session.receive(*side, datagram, sink)).ok();
            }
            watched.finish();
            prop_assert!(watched.given.len() > 30);
        }
    }

    #[test]
    fn random_bytes_are_decompressed_within_the_limit(
        input in prop::collection::vec(any::<u8>(), 0..200), limit in 0_usize..300,
    ) {
        let mut output = Vec::new();
        let result = RangeDecoder::new().decode(&input, &mut output, limit);
        prop_assert!(output.len() <= limit, "{:?}", result);
    }

    #[test]
    fn compressed_bytes_are_decompressed(
        input in prop::collection::vec(prop::sample::select(&b"aaaaaabcd\0\xff"[..]), 0..6_000),
    ) {
        let (mut packed, mut output) = (Vec::new(), Vec::new());
        if RangeEncoder::new().encode(&input, &mut packed) {
            prop_assert!(packed.len() < input.len());
            let result = RangeDecoder::new().decode(&packed, &mut output, input.len());
            prop_assert!(result.is_ok() && output == input, "{:?}", result);
        } else {
            prop_assert!(input.len() < 100, "{} bytes of few kinds are compressible", input.len());
        }
    }

    #[test]
    fn random_bytes_are_not_mistaken_for_enet(input in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut watched = Watched::new();
        let result = watched.run(|session, sink| session.receive(First, &input, sink));
        prop_assert!(result.is_err() && watched.given.is_empty());
    }
}
