//! Makes captures for tests: recorded ones with changes, and small ones from bytes.

use crate::common::corpus;
use gdwire::capture::Capture;
use gdwire::packet::{LinkType, Payload};
use std::fs;
use std::path::Path;

pub(crate) fn capture(name: &str) -> Vec<u8> {
    fs::read(corpus("captures").join(name)).unwrap()
}

/// A little-endian pcapng file with only the packets that stay, selected by frame number.
pub(crate) fn with_frames(name: &str, stays: impl Fn(u64) -> bool) -> Vec<u8> {
    const ENHANCED_PACKET: u32 = 6;
    let file = capture(name);
    let (mut kept, mut rest, mut frame) = (Vec::new(), &file[..], 0);
    while !rest.is_empty() {
        let number = |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().unwrap());
        let (block, after) = rest.split_at(number(4) as usize);
        let is_packet = number(0) == ENHANCED_PACKET;
        frame += u64::from(is_packet);
        if !is_packet || stays(frame) {
            kept.extend_from_slice(block);
        }
        rest = after;
    }
    assert!(frame > 20);
    kept
}

/// A little-endian classic pcap file without its first packets.
pub(crate) fn without_first(name: &str, packets: usize) -> Vec<u8> {
    let file = capture(name);
    let (header, mut rest) = file.split_at(24);
    for _ in 0..packets {
        let len = u32::from_le_bytes(rest[8..12].try_into().unwrap());
        rest = &rest[16 + len as usize..];
    }
    [header, rest].concat()
}

/// A recorded capture, cut to its first packets, with a few bytes of some of their payloads replaced,
/// and some packets left out. The number picks which.
pub(crate) fn with_edits(name: &str, number: u32) -> Vec<u8> {
    let mut random = number;
    let mut next = |below: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as usize % below
    };
    let (last, dropped) = (40 + next(40) as u64, next(80) as u64);
    let mut file = with_frames(name, |frame| frame <= last && frame != dropped);
    let payloads = Capture::new(&file).unwrap().filter_map(|packet| {
        let packet = packet.unwrap();
        let payload = match packet.payload() {
            Payload::Udp(datagram) => datagram.payload,
            Payload::Tcp(segment) => segment.payload,
            Payload::Fragment(fragment) => fragment.payload,
            _ => &[],
        };
        let start = payload.as_ptr().addr() - file.as_ptr().addr();
        (!payload.is_empty()).then(|| start..start + payload.len())
    });
    for payload in payloads.collect::<Vec<_>>() {
        if next(3) > 0 {
            continue;
        }
        let payload = &mut file[payload];
        let at = next(payload.len());
        for byte in payload[at..].iter_mut().take(1 + next(6)) {
            *byte = [0, 1, 2, 4, 10, 0x1b, 0x7f, 0x80, 0xc2, 0xff, *byte ^ 1, next(256) as u8]
                [next(12)];
        }
    }
    file
}

/// Replaces all occurrences of some bytes by others.
pub(crate) fn replace(file: &mut [u8], from: &[u8], to: &[u8]) {
    assert_eq!(from.len(), to.len());
    let mut count = 0;
    for at in 0..=file.len() - from.len() {
        if file[at..].starts_with(from) {
            file[at..at + to.len()].copy_from_slice(to);
            count += 1;
        }
    }
    assert!(count > 0, "{from:?}");
}

/// A classic pcap of UDP datagrams to port 7777, without headers below IP. Each datagram is given by
/// the host and port of its sender and its payload.
pub(crate) fn datagrams<'d>(sent: impl IntoIterator<Item = (u32, u16, &'d [u8])>) -> Vec<u8> {
    let numbers = [0xa1b2_c3d4_u32, 4 << 16 | 2, 0, 0, 65_535, 101];
    let mut file: Vec<u8> = numbers.into_iter().flat_map(u32::to_le_bytes).collect();
    for (at, (host, port, payload)) in (0_u32..).zip(sent) {
        let len = u16::try_from(28 + payload.len()).unwrap();
        let time = [1_700_000_000 + at / 1_000, at % 1_000 * 1_000];
        let record = [time[0], time[1], len.into(), len.into()];
        file.extend(record.into_iter().flat_map(u32::to_le_bytes));
        file.extend([0x45, 0, (len >> 8) as u8, len as u8, 0, 0, 0, 0, 64, 17, 0, 0]);
        file.extend(host.to_be_bytes());
        file.extend([192, 168, 0, 1]);
        file.extend([port, 7777, len - 20, 0].into_iter().flat_map(u16::to_be_bytes));
        file.extend(payload);
    }
    file
}

/// A recorded pcapng file as a classic pcap that has only the first bytes of each packet.
pub(crate) fn cut_to(name: &str, len: usize) -> Vec<u8> {
    let original = capture(name);
    let mut file: Option<Vec<u8>> = None;
    for packet in Capture::new(&original).unwrap().map(Result::unwrap) {
        let LinkType(link) = packet.link_type;
        let numbers = [0xa1b2_c3d4, 4 << 16 | 2, 0, 0, 65_535, link];
        let file = file.get_or_insert_with(|| numbers.map(u32::to_le_bytes).concat());
        let data = &packet.data[..len.min(packet.data.len())];
        let captured = u32::try_from(data.len()).unwrap();
        let numbers = [1_700_000_000, 0, captured, packet.original_len];
        file.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
        file.extend(data);
    }
    file.unwrap()
}

/// Two classic pcap files as one.
pub(crate) fn joined(one: &[u8], other: &[u8]) -> Vec<u8> {
    assert_eq!(one[20..24], other[20..24]);
    [one, &other[24..]].concat()
}

/// Copies a folder.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::write(target, fs::read(path).unwrap()).unwrap();
        }
    }
}
