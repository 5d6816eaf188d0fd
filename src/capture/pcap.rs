//! Reads classic pcap files.

use super::{FileDamage, Record};
use crate::net::packet::{Clock, LinkType, Problem};
use core::fmt;
use nom::IResult;
use pcap_parser::{LegacyPcapBlock, PcapError};

type ReadFrame =
    for<'a> fn(&'a [u8]) -> IResult<&'a [u8], LegacyPcapBlock<'a>, PcapError<&'a [u8]>>;

#[derive(Clone)]
pub struct PcapReader<'a> {
    rest: &'a [u8],
    state: PcapHeader,
}

/// The properties of all packets that the file's header states.
#[derive(Clone, Copy)]
pub struct PcapHeader {
    read_frame: ReadFrame,
    /// Whether the headers of packets have the most common form.
    is_usual: bool,
    clock: Clock,
    link_type: LinkType,
}

impl PcapHeader {
    /// Continues to read with other bytes.
    pub const fn resume(self, rest: &[u8]) -> PcapReader<'_> {
        PcapReader { rest, state: self }
    }
}

/// The bits of the header's last field that are the link type. The others state the length of the
/// frame check sequence.
pub const LINK_TYPE: u32 = 0x03ff_ffff;

/// Whether another file begins here, which was appended to the first. As the header of a packet, its
/// first 16 bytes would be those of an empty packet in the second half of the century.
fn begins_file(bytes: &[u8]) -> bool {
    let (version, rest) = (bytes.get(4..8), bytes.get(8..16));
    let is_version = matches!(version, Some([2, 0, 4, 0] | [0, 2, 0, 4]));
    recognizes(bytes) && is_version && rest == Some(&[0; 8])
}

pub fn recognizes(file: &[u8]) -> bool {
    file.first_chunk().is_some_and(|magic| {
        matches!(
            u32::from_le_bytes(*magic),
            0xa1b2_c3d4 | 0xd4c3_b2a1 | 0xa1b2_3c4d | 0x4d3c_b2a1 | 0xa1b2_cd34
        )
    })
}

impl<'a> PcapReader<'a> {
    pub fn new(file: &'a [u8]) -> Result<PcapReader<'a>, FileDamage> {
        let (rest, header) = pcap_parser::parse_pcap_header(file).map_err(|e| damage(file, &e))?;
        let read_frame = match (header.is_bigendian(), header.is_modified_format()) {
            (true, _) => pcap_parser::parse_pcap_frame_be,
            (false, true) => pcap_parser::parse_pcap_frame_modified,
            (false, false) => pcap_parser::parse_pcap_frame,
        };
        let is_usual = !header.is_bigendian() && !header.is_modified_format();
        let clock =
            if header.is_nanosecond_precision() { Clock::NANOSECONDS } else { Clock::MICROSECONDS };
        let link_type = LinkType(header.network.0.cast_unsigned() & LINK_TYPE);
        Ok(PcapReader { rest, state: PcapHeader { read_frame, is_usual, clock, link_type } })
    }

    pub const fn into_state(self) -> PcapHeader {
        self.state
    }

    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next packet; none at the end of the file, or where another file begins.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<Record<'a>>, FileDamage> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let (rest, frame) = match self.usual_frame() {
            Some(read) => read,
            None if begins_file(self.rest) => return Ok(None),
            None => (self.state.read_frame)(self.rest).map_err(|e| damage(self.rest, &e))?,
        };
        self.rest = rest;
        Ok(Some(Record {
            time: Some(self.state.clock.at_second(frame.ts_sec, frame.ts_usec)),
            link_type: self.state.link_type,
            data: frame.data,
            original_len: frame.origlen,
            rest: rest.len(),
        }))
    }
}

impl<'a> PcapReader<'a> {
    /// The next packet and what follows it, if its header has the most common form, and it is not empty
    /// and all there. `read_frame` reads the others.
    #[inline]
    fn usual_frame(&self) -> Option<(&'a [u8], LegacyPcapBlock<'a>)> {
        let (header, after) =
            self.rest.split_first_chunk::<16>().filter(|_| self.state.is_usual)?;
        let (&[seconds, ticks, captured, original], []) = header.as_chunks::<4>() else {
            return None;
        };
        let caplen = Some(u32::from_le_bytes(captured)).filter(|caplen| *caplen > 0)?;
        let (data, rest) = after.split_at_checked(usize::try_from(caplen).ok()?)?;
        let (ts_sec, ts_usec) = (u32::from_le_bytes(seconds), u32::from_le_bytes(ticks));
        let origlen = u32::from_le_bytes(original);
        Some((rest, LegacyPcapBlock { ts_sec, ts_usec, caplen, origlen, data }))
    }
}

/// A classic pcap has nothing to check: the only possible damage is that it ends too early.
fn damage(at: &[u8], error: &nom::Err<PcapError<&[u8]>>) -> FileDamage {
    let missing = match error {
        nom::Err::Incomplete(nom::Needed::Size(missing)) => missing.get(),
        _ => 1,
    };
    FileDamage { rest: at.len(), problem: Problem::Cut { missing, available: at.len() } }
}

impl fmt::Debug for PcapReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("pcap::PcapReader")
            .field("rest", &self.rest.len())
            .field("clock", &self.state.clock)
            .field("link_type", &self.state.link_type)
            .finish_non_exhaustive()
    }
}
