//! Files that were cut off or overwritten.

use crate::capture::recorded::read;
use gdwire::capture::Capture;

const FILES: [&str; 3] =
    ["godot3-udp-usec.pcap", "godot3-udp.pcapng", "godot3-udp-bigendian.pcapng"];

#[test]
fn a_cut_file_gives_every_packet_before_the_cut_and_one_error() {
    for name in FILES {
        let file = read(name);
        let whole: Vec<_> = Capture::new(&file).unwrap().map(Result::unwrap).collect();
        let ends: Vec<_> = whole.iter().map(|p| p.offset as usize + p.data.len()).collect();
        for len in (0..4_000).chain((4_000..file.len()).step_by(61)) {
            let Ok(mut capture) = Capture::new(&file[..len]) else {
                assert!(len < 300, "{name} {len}");
                continue;
            };
            let mut packets = 0;
            let mut errors = 0;
            for packet in capture.by_ref() {
                match packet {
                    Ok(packet) => {
                        assert_eq!(packet.data, whole[packets].data);
                        packets += 1;
                    }
                    Err(error) => {
                        assert!(error.offset < len as u64);
                        errors += 1;
                    }
                }
            }
            let before = ends.iter().filter(|&&end| end <= len).count();
            // A block of pcapng ends a little after its packet.
            assert!(packets == before || packets + 1 == before && errors == 1, "{name} {len}");
            assert!(errors <= 1 && (errors == 1 || capture.position() == len as u64));
            assert!(capture.next().is_none());
        }
    }
}

#[test]
fn overwriting_a_byte_causes_no_panic_and_no_endless_loop() {
    for name in FILES {
        let mut file = read(name);
        file.truncate(3_000);
        for at in 0..file.len() {
            for byte in [0, 0xff, file[at] ^ 0x80, file[at].wrapping_add(1)] {
                let before = std::mem::replace(&mut file[at], byte);
                if let Ok(capture) = Capture::new(&file) {
                    let limit = file.len() / 12;
                    let read = capture.take(limit).inspect(|packet| {
                        packet.as_ref().map(|packet| format!("{:?}", packet.payload())).ok();
                    });
                    assert!(read.count() < limit, "{name} {at} {byte}");
                }
                file[at] = before;
            }
        }
    }
}
