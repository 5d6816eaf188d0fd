//! Recordings that are mixed and damaged by chance, read with small limits and other options: `stories.txt`
//! says what is read of each. The limits on memory depend on the sizes of types, which are those of one
//! architecture.
#![cfg(target_arch = "x86_64")]

use crate::common::{Numbers, corpus, written_down};
use crate::follow::damaged::{Packets, RECORDINGS, Told};
use gdwire::Dialect;
use gdwire::capture::Capture;
use gdwire::follow::{Follower, Limits, Options, Transport};
use gdwire::multiplayer::Names;
use gdwire::packet::{CapturedPacket, Time};
use std::sync::Arc;
use std::time::Duration;

/// The packets of up to three recordings at the same time, each with its time and its bytes. Some begin
/// later, or without their start. Some packets are missing, doubled, late, cut or changed.
fn mixed<'a>(
    numbers: &mut Numbers,
    recordings: &[Packets<'a>],
) -> Vec<(i64, CapturedPacket<'a>, Vec<u8>)> {
    let rate = numbers.one_of(&[u32::MAX, 60, 20, 6]);
    let pause = numbers.one_of(&[1_000_000, 20_000_000, 700_000_000]);
    let mut mixed = Vec::new();
    for _ in 0..=numbers.below(3) {
        let recording = &recordings[numbers.below(recordings.len() as u32) as usize];
        let start = numbers.one_of(&[0, 0, 1]) * numbers.below(70) as usize;
        let (begin, step) = (i64::from(numbers.below(80)), numbers.one_of(&[1, 1, 2, 5]));
        for (at, packet) in (begin..).zip(&recording[start.min(recording.len())..]) {
            let (mut at, mut data) = (at * step, packet.data.to_vec());
            let place = numbers.below(data.len() as u32) as usize;
            match if numbers.below(rate) == 0 { numbers.below(6) } else { u32::MAX } {
                0 | 1 => continue,
                2 => mixed.push((at, *packet, data.clone())),
                3 => at += 3,
                4 => data.truncate(place),
                5 => data[place] ^= 1 << numbers.below(8),
                _ => {}
            }
            mixed.push((at, *packet, data));
        }
    }
    mixed.sort_by_key(|(at, ..)| *at);
    mixed.iter_mut().for_each(|(at, ..)| *at *= pause);
    mixed
}

fn options(numbers: &mut Numbers) -> Options<'static> {
    let Limits { flows, flow_bytes, total_bytes, undecided_bytes, .. } = Limits::default();
    let limits = Limits::default()
        .with_flows(numbers.one_of(&[1, 2, flows, flows]))
        .with_flow_bytes(numbers.one_of(&[3_000, 12_000, 40_000, flow_bytes, flow_bytes]))
        .with_total_bytes(numbers.one_of(&[9_000, 30_000, total_bytes, total_bytes]))
        .with_undecided_messages(numbers.one_of(&[0, 2, 9, 64, 64]))
        .with_undecided_bytes(numbers.one_of(&[90, 900, undecided_bytes, undecided_bytes]))
        .with_undecided_time(Duration::from_millis(numbers.one_of(&[0, 50, 500])));
    let options = Options::new().with_limits(limits);
    let transports = [Transport::Udp, Transport::Enet, Transport::Tcp, Transport::WebSocket];
    let dialects = [Dialect::GODOT_3, Dialect::GODOT_4, Dialect::PANDEMONIUM_5];
    let options = match numbers.below(8) {
        0 => options.with_dialect(numbers.one_of(&dialects)),
        1 => options.with_transport(numbers.one_of(&transports)),
        2 => options.with_dialect(dialects[1]).with_transport(numbers.one_of(&transports)),
        3 => options.with_names(Arc::new(Names::new())),
        4 => options.with_double_reals(),
        _ => options,
    };
    if numbers.below(2) == 0 { options.with_measures() } else { options }
}

fn story(seed: u32, recordings: &[Packets<'_>]) -> String {
    let numbers = &mut Numbers::new(seed);
    let mut follower = Follower::with_options(options(numbers));
    let (is_live, mixed) = (numbers.below(2) == 0, mixed(numbers, recordings));
    let (mut told, mut most) = (Told::default(), 0);
    for (frame, (at, packet, data)) in (1..).zip(&mixed) {
        let time = Time::from_nanos(*at, 9);
        let whole = packet.original_len;
        let packet = CapturedPacket::new(packet.link_type, data).with_frame(frame).with_time(time);
        told.take(follower.packet(&packet.with_original_len(whole)));
        if is_live {
            told.take(follower.tick(time));
        }
        most = most.max(follower.held_bytes());
    }
    told.take(follower.finish());
    assert_eq!(follower.held_bytes(), 0);
    format!("{seed}: {} packets, {most} bytes, {:x}\n", mixed.len(), told.checksum)
}

#[test]
fn every_story_gives_what_is_written_down() {
    let read = |name| std::fs::read(corpus("captures").join(name)).unwrap();
    let files = RECORDINGS.map(read);
    let packets = |file| Capture::new(file).unwrap().map(Result::unwrap).take(130).collect();
    let recordings: Vec<Packets<'_>> = files.iter().map(|file| packets(&file[..])).collect();
    let text: String = (1..=150).map(|seed| story(seed, &recordings)).collect();
    written_down("tests/follow/stories.txt", &text);
}
