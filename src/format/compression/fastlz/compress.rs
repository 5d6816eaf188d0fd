//! Writes FastLZ: the same bytes as Godot 4 writes. The engines use level 2 from 64 KiB on; blocks of
//! files and datagrams are shorter, so this is level 1 only.

use super::{LEAST, NEAR};
use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;

/// The longest run of literals in one instruction, in bytes.
const LITERALS: usize = 32;

/// How many bits the hash of three bytes has.
const HASH_BITS: u32 = 13;

/// A match starts more than this many bytes before the end of the content.
const START_MARGIN: usize = 12;
/// A match ends at least this many bytes before the end of the content.
const END_MARGIN: usize = 2;

/// The longest match that one instruction expresses, in bytes.
const LONGEST: usize = 264;

/// Compresses to the end of `out`.
pub(crate) fn compress(content: &[u8], out: &mut Vec<u8>) {
    let mut content = Cow::Borrowed(content);
    if content.len() < LEAST {
        content.to_mut().resize(LEAST, 0);
    }
    FastLzWriter { content: &content, out }.run();
}

struct FastLzWriter<'c, 'o> {
    content: &'c [u8],
    out: &'o mut Vec<u8>,
}

impl FastLzWriter<'_, '_> {
    fn run(&mut self) {
        // The last place of three bytes with each hash.
        let mut table = vec![0_usize; 1 << HASH_BITS];
        let end = self.content.len().saturating_sub(START_MARGIN);
        let (mut at, mut literals) = (2, 0);
        while at < end {
            let Some(distance) = self.find(at, &mut table) else {
                at += 1;
                continue;
            };
            self.literals(literals, at);
            let len = self.match_len(at, distance);
            self.repeat(len, distance.saturating_sub(1));
            // Only the last two positions of the match are remembered.
            at += len;
            for _ in 0..2 {
                self.remember(at, &mut table);
                at += 1;
            }
            literals = at;
        }
        self.literals(literals, self.content.len());
    }

    /// The distance to an earlier occurrence of the bytes at a position.
    fn find(&self, at: usize, table: &mut [usize]) -> Option<usize> {
        let bytes = self.bytes::<3>(at)?;
        let distance = at.saturating_sub(self.remember(at, table));
        let seen = at.saturating_sub(distance);
        let is_match = distance > 0 && distance < NEAR && self.bytes::<3>(seen)? == bytes;
        is_match.then_some(distance)
    }

    /// Remembers a place, and returns where bytes with the same hash were seen last.
    fn remember(&self, at: usize, table: &mut [usize]) -> usize {
        let Some([a, b, c]) = self.bytes::<3>(at) else { return at };
        let (low, high) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([b, c]));
        let hash = (low ^ high ^ low >> (16 - HASH_BITS)) & ((1 << HASH_BITS) - 1);
        table.get_mut(usize::from(hash)).map_or(at, |place| core::mem::replace(place, at))
    }

    fn bytes<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.content.get(at..)?.first_chunk().copied()
    }

    /// The length of a match, less 2.
    fn match_len(&self, at: usize, distance: usize) -> usize {
        let bound = self.content.len().saturating_sub(END_MARGIN);
        let start = at.saturating_add(3);
        let now = self.content.get(start..bound).unwrap_or_default();
        let seen = self.content.get(start.saturating_sub(distance)..).unwrap_or_default();
        let same = now.iter().zip(seen).take_while(|(now, seen)| now == seen).count();
        // A match that reaches the bound is a byte shorter than it could be, as in the engines.
        if same < now.len() { same.saturating_add(1) } else { same }
    }

    fn literals(&mut self, start: usize, end: usize) {
        for run in self.content.get(start..end).unwrap_or_default().chunks(LITERALS) {
            self.byte(run.len().saturating_sub(1));
            self.out.extend_from_slice(run);
        }
    }

    /// Writes a match: its length less 2, and its distance less 1.
    fn repeat(&mut self, mut len: usize, distance: usize) {
        while len > LONGEST - 2 {
            self.begin(7, distance);
            self.byte(LONGEST - 2 - 7 - 2);
            self.byte(distance & 0xff);
            len = len.saturating_sub(LONGEST - 2);
        }
        self.begin(len.min(7), distance);
        if let Some(more) = len.checked_sub(7) {
            self.byte(more);
        }
        self.byte(distance & 0xff);
    }

    fn begin(&mut self, len: usize, distance: usize) {
        self.byte(len << 5 | distance >> 8);
    }

    fn byte(&mut self, byte: usize) {
        // Its callers pass no more than a byte.
        self.out.push(u8::try_from(byte).unwrap_or(u8::MAX));
    }
}
