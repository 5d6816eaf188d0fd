//! Capture files, built packet by packet, split into several files, or read in pieces.

use gdwire::capture::Capture;
use gdwire::packet::CapturedPacket;
use std::io::{self, ErrorKind, Read};

/// A pcapng file with some packets. Those without a time get one.
pub(crate) fn pcapng(packets: &[CapturedPacket<'_>]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut block = |block_type: u32, content: &[u8]| {
        let padding = vec![0; content.len().wrapping_neg() % 4];
        let length = ((12 + content.len() + padding.len()) as u32).to_le_bytes();
        for part in [&block_type.to_le_bytes()[..], &length, content, &padding, &length] {
            file.extend_from_slice(part);
        }
    };
    let numbers = |numbers: &[u32]| -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    };
    block(0x0a0d_0d0a, &numbers(&[0x1a2b_3c4d, 1, u32::MAX, u32::MAX]));
    let decimals = |packet: &CapturedPacket<'_>| packet.time.map_or(6, |time| time.decimals());
    let interface = |packet: &CapturedPacket<'_>| (packet.link_type, decimals(packet));
    let mut interfaces: Vec<_> = packets.iter().map(interface).collect();
    interfaces.dedup();
    for (link_type, decimals) in &interfaces {
        // The option if_tsresol: how many decimals a time has.
        let resolution = [1 << 16 | 9, u32::from(*decimals), 0];
        block(1, &[numbers(&[link_type.0, 0]), numbers(&resolution)].concat());
    }
    for packet in packets {
        let interface = interfaces.iter().position(|it| *it == interface(packet)).unwrap() as u32;
        let nanoseconds = packet.time.map_or(0, |time| time.as_nanos());
        let ticks = nanoseconds / 10_i64.pow(9 - u32::from(decimals(packet)));
        let (high, low) = ((ticks >> 32) as u32, ticks as u32);
        let len = packet.data.len() as u32;
        let head = numbers(&[interface, high, low, len, packet.original_len]);
        block(6, &[&head, packet.data].concat());
    }
    file
}

/// Splits a capture into several files, and returns the number of packets in each. One file has no
/// packets.
pub(crate) fn split(file: &[u8]) -> Vec<(Vec<u8>, usize)> {
    let packets: Vec<_> = Capture::new(file).unwrap().map(Result::unwrap).collect();
    let (first, rest) = packets.split_at(packets.len() / 3);
    let (second, rest) = rest.split_at(rest.len().min(1));
    let (third, fourth) = rest.split_at(rest.len() / 2);
    let files = [first, second, &[], third, fourth];
    files.iter().map(|packets| (pcapng(packets), packets.len())).collect()
}

/// Returns a file in pieces of different sizes, most of them small, and sometimes the error
/// `Interrupted`.
pub(crate) struct Pieces<'f> {
    rest: &'f [u8],
    random: u32,
}

impl Pieces<'_> {
    pub(crate) fn new(file: &[u8], seed: u32) -> Pieces<'_> {
        Pieces { rest: file, random: seed }
    }
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.random = self.random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let most = match self.random >> 28 {
            0 => return Err(ErrorKind::WouldBlock.into()),
            1 | 2 => 5_000,
            _ => 40,
        };
        let len = 1 + (self.random >> 8) as usize % most;
        let len = len.min(buffer.len()).min(self.rest.len());
        let (piece, rest) = self.rest.split_at(len);
        buffer[..len].copy_from_slice(piece);
        self.rest = rest;
        Ok(len)
    }
}
