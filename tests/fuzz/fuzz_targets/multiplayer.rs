//! Packets of the multiplayer API: a packet that is read can be displayed, and has the same bytes when
//! it is written again.

#![no_main]

use gdwire::multiplayer::{
    Context, Methods, MultiplayerProtocol, Names, Packet, PacketEncoder, Paths, PeerId, parse,
};
use gdwire::{Dialect, encode};
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, LazyLock};

static NAMES: LazyLock<Arc<Names>> =
    LazyLock::new(|| Arc::new(Names::from(Methods::parse("Game/**: a b c").unwrap())));

// The input: a byte for the protocol and the dialect, and for others in which the packet is written, too;
// and the packet.
fuzz_target!(|input: &[u8]| {
    let Some((&choice, bytes)) = input.split_first() else { return };
    let protocols = [
        MultiplayerProtocol::Godot3,
        MultiplayerProtocol::Godot4,
        MultiplayerProtocol::Pandemonium,
    ];
    let protocol = protocols[usize::from(choice & 3) % protocols.len()];
    let dialect = Dialect::ALL[usize::from(choice >> 2) % Dialect::ALL.len()];
    let packet = match parse(protocol, dialect, bytes) {
        Ok(packet) => packet,
        Err(error) => return assert!(error.offset <= bytes.len() && !error.to_string().is_empty()),
    };
    let encoder = PacketEncoder::new(protocol, dialect);
    assert_eq!(encoder.packet(&packet, Vec::new()).unwrap(), bytes);
    // In another dialect or protocol, some packets cannot be written.
    let others = [
        (MultiplayerProtocol::Godot3, Dialect::GODOT_3),
        (MultiplayerProtocol::Godot4, Dialect::GODOT_4),
        (MultiplayerProtocol::Pandemonium, Dialect::PANDEMONIUM_5),
    ];
    let (other, other_dialect) = others[usize::from(choice >> 4) % others.len()];
    match PacketEncoder::new(other, other_dialect).packet(&packet, Vec::new()) {
        Ok(bytes) => assert!(parse(other, other_dialect, &bytes).is_ok()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let mut paths = Paths::new().with_max_names(8).with_max_bytes(64).with_names(NAMES.clone());
    for _ in 0..2 {
        let context =
            Context::new().with_paths(&paths, PeerId::SERVER).with_receiver(PeerId::SERVER);
        let context = context.with_relayed(PeerId::SERVER, Some(PeerId::SERVER));
        assert!(!packet.display(context).to_string().contains(char::is_control));
        paths.note(PeerId::SERVER, &packet);
    }
    let values = match packet {
        Packet::Call(call) => call.arguments,
        Packet::Set(set) => set.value,
        Packet::Spawn(spawn) => spawn.state,
        Packet::Sync(sync) => sync.states.iter().next().unwrap().values,
        Packet::Delta(states) => states.iter().next().unwrap().values,
        _ => return,
    };
    assert_eq!(values.iter().count(), values.len());
    for value in values {
        // A value that was read in a dialect can be written in it.
        encode(dialect, &value).unwrap();
    }
});
