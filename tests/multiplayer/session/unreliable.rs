//! Sessions whose network loses, doubles, reorders and damages packets agree on what was called.

use crate::multiplayer::session::network::play;
use proptest::prelude::*;

proptest! {
    #[test]
    fn sessions_agree_on_what_was_called(
        choice in any::<[u8; 2]>(),
        steps in prop::collection::vec(any::<u8>(), 0..1_200),
    ) {
        play(&[&choice[..], &steps].concat());
    }
}

/// The same, with so many steps that much happens.
#[test]
fn much_is_delivered_and_called() {
    let (mut delivered, mut calls) = (0, 0);
    for seed in 0..90_u32 {
        let mut state = seed.wrapping_mul(2_654_435_761) | 1;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 11) as u8
        };
        let choice = [seed as u8, (seed / 3) as u8];
        let steps: Vec<u8> = (0..1_200).map(|_| random()).collect();
        let played = play(&[&choice[..], &steps].concat());
        delivered += played.0;
        calls += played.1;
    }
    assert!(delivered > 10_000 && calls > 2_000, "{delivered} {calls}");
}
