//! Tests how many bytes a follower holds while it reads recordings: `held.txt` lists them. The
//! sizes of types are those of one architecture.
#![cfg(target_arch = "x86_64")]

use crate::common::{corpus, written_down};
use crate::follow::damaged::{RECORDINGS, swapped, without};
use gdwire::capture::{Capture, Messages};
use gdwire::follow::{Batch, Follower, Options};
use gdwire::packet::CapturedPacket;

/// The bytes that are held after some of the packets.
fn held(packets: Vec<CapturedPacket<'_>>, options: Options<'_>) -> String {
    let mut follower = Follower::with_options(options);
    let mut held = Vec::new();
    let (mut number, mut next) = (0, 1_u32);
    for packet in packets {
        drop(follower.packet(&packet));
        number += 1;
        if number == next {
            held.push(follower.held_bytes().to_string());
            next += next.div_ceil(3);
        }
    }
    drop(follower.finish());
    assert_eq!(follower.held_bytes(), 0);
    held.join(" ")
}

#[test]
fn recordings_take_as_much_memory_as_is_written_down() {
    let mut text = String::new();
    for name in RECORDINGS {
        let file = std::fs::read(corpus("captures").join(name)).unwrap();
        let packets: Vec<_> = Capture::new(&file).unwrap().map(Result::unwrap).take(160).collect();
        let measured = Options::new().with_measures();
        let (late, few) = (packets[30..].to_vec(), without(packets.clone(), 9));
        text += &format!("{name}\n  whole {}\n", held(packets.clone(), Options::new()));
        text += &format!("  measured {}\n", held(packets.clone(), measured));
        text += &format!("  from its middle {}\n", held(late, Options::new()));
        text += &format!("  swapped without each ninth {}\n", held(swapped(few), Options::new()));
        let (mut batch, mut messages) = (Batch::new(usize::MAX), Messages::new(&file).unwrap());
        assert_eq!(messages.held_bytes(), 0);
        messages.next_event();
        assert!(messages.held_bytes() > 0);
        Messages::new(&file).unwrap().fill(&mut batch);
        text += &format!("  as a batch {}\n", batch.held_bytes());
    }
    written_down("tests/follow/held.txt", &text);
}
