//! Prints the kinds of values that each address sent to each other one over UDP in a capture.
//!
//! ```sh
//! cargo run --example capture_summary --features capture corpus/captures/godot3-udp.pcapng
//! ```

use gdwire::capture::Capture;
use gdwire::packet::Payload;
use gdwire::{Dialect, Kind, parse};
use std::collections::BTreeMap;
use std::error::Error;

#[derive(Default)]
struct Flow {
    packets: u64,
    kinds: BTreeMap<Kind, u64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: capture_summary FILE")?;
    let file = std::fs::read(path)?;
    let mut flows = BTreeMap::<_, Flow>::new();
    for packet in Capture::new(&file)? {
        if let Payload::Udp(datagram) = packet?.payload() {
            let flow = flows.entry((datagram.src, datagram.dst)).or_default();
            flow.packets += 1;
            if let Ok(value) = parse(Dialect::GODOT_3, datagram.payload) {
                *flow.kinds.entry(value.kind()).or_default() += 1;
            }
        }
    }
    for ((src, dst), flow) in flows {
        let values: u64 = flow.kinds.values().sum();
        println!("{src} -> {dst}: {} packets, {values} values", flow.packets);
        for (kind, count) in flow.kinds {
            println!("{count:>8} {kind}");
        }
    }
    Ok(())
}
