//! A packet, or damage, as the readers of pcap and pcapng return it.

use crate::net::packet::{Error, LinkType, Problem, Time};

/// A packet, before its number and its place in the file are known.
pub(super) struct Record<'a> {
    pub(super) time: Option<Time>,
    pub(super) link_type: LinkType,
    pub(super) data: &'a [u8],
    pub(super) original_len: u32,
    /// The number of bytes in the file after [`Record::data`].
    pub(super) rest: usize,
}

/// An error in a capture file, and the number of bytes from there to the end of the file.
pub(super) struct Damage {
    pub(super) rest: usize,
    pub(super) problem: Problem,
}

impl Damage {
    /// The error with its place, in a file with this number and length.
    pub(super) fn at(self, file: u32, len: u64, frame: Option<u64>) -> Error {
        Error::new(file, len.saturating_sub(self.rest as u64), frame, self.problem)
    }
}
