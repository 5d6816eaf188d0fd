//! The formats of capture files, detected by their first bytes.

use super::record::{Damage, Record};
use super::{pcap, pcapng};
use crate::net::packet::Problem;

#[derive(Debug, Clone)]
pub(super) enum Format<'a> {
    Pcap(pcap::Reader<'a>),
    Pcapng(pcapng::Reader<'a>),
}

impl<'a> Format<'a> {
    /// Whether a file is in one of the formats, judged by its first four bytes.
    pub(super) fn recognizes(file: &[u8]) -> bool {
        pcap::recognizes(file) || pcapng::recognizes(file)
    }

    /// Reads the first header.
    pub(super) fn begin(file: &'a [u8]) -> Result<Format<'a>, Damage> {
        if pcap::recognizes(file) {
            pcap::Reader::new(file).map(Format::Pcap)
        } else if pcapng::recognizes(file) {
            pcapng::Reader::new(file).map(Format::Pcapng)
        } else {
            Err(Damage { rest: file.len(), problem: Problem::UnknownFormat })
        }
    }

    /// The bytes that have not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        match self {
            Format::Pcap(reader) => reader.rest(),
            Format::Pcapng(reader) => reader.rest(),
        }
    }

    pub(super) fn next_record(&mut self) -> Result<Option<Record<'a>>, Damage> {
        match self {
            Format::Pcap(reader) => reader.next_record(),
            Format::Pcapng(reader) => reader.next_record(),
        }
    }
}
