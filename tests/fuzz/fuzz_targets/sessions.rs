//! A server and two clients, and between them a network that loses, doubles, reorders and damages
//! packets: they agree on what was called, and do not wait for each other for ever.

#![no_main]

#[path = "../../multiplayer/session/network.rs"]
mod network;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    network::play(input);
});
