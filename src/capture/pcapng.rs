//! Reads pcapng files, which consist of sections of blocks.

use super::{FileDamage, Record};
use crate::net::packet::{Clock, LinkType, Problem};
use core::fmt;
use nom::Parser;
use nom::number::Endianness;
use nom::number::complete::{u16, u32};
use pcap_parser::{BOM_MAGIC, EPB_MAGIC, IDB_MAGIC, OptionCode, PcapError, SHB_MAGIC, SPB_MAGIC};

/// The obsolete Packet Block, whose interface number has 16 bits.
const PACKET_BLOCK: u32 = 2;

/// Blocks without packets that Wireshark numbers like packets: entries of systemd's journal, and custom
/// blocks.
const NUMBERED: [u32; 3] = [9, 0xbad, 0x4000_0bad];

/// The length of an empty block: its type, and its length at the start and at the end.
const SMALLEST_BLOCK: u32 = 12;

/// The length of the required fields of a section header: byte-order mark, version, section length.
const SECTION_CONTENT: usize = 16;

/// The resolution of interfaces that do not state one.
const MICROSECONDS: u8 = 6;

#[derive(Clone)]
pub struct PcapngReader<'a> {
    rest: &'a [u8],
    state: Section,
}

/// A block as it is in the file.
pub struct Block<'a> {
    pub bytes: &'a [u8],
    pub block_type: u32,
    pub endianness: Endianness,
    /// The packet in it, if it has one.
    pub record: Option<Record<'a>>,
}

/// The state of a section, from the blocks read so far: the order of bytes, and the interfaces of
/// the packets.
#[derive(Clone)]
pub struct Section {
    endianness: Endianness,
    /// The interfaces of the section so far. Each takes a block of at least 20 bytes, so they are
    /// bounded by what was read.
    interfaces: Vec<Interface>,
    /// How many [`NUMBERED`] blocks were read since [`PcapngReader::take_numbered`].
    numbered: u64,
}

#[derive(Clone, Copy, Debug)]
struct Interface {
    link_type: LinkType,
    snap_len: u32,
    clock: Clock,
}

pub fn recognizes(file: &[u8]) -> bool {
    file.first_chunk().is_some_and(|magic| u32::from_le_bytes(*magic) == SHB_MAGIC)
}

impl Section {
    /// Continues to read with other bytes.
    pub const fn resume(self, rest: &[u8]) -> PcapngReader<'_> {
        PcapngReader { rest, state: self }
    }
}

impl<'a> PcapngReader<'a> {
    pub fn new(file: &'a [u8]) -> Result<PcapngReader<'a>, FileDamage> {
        let mut reader = PcapngReader::at_start(file);
        match reader.block() {
            Ok(_) => Ok(reader),
            Err(problem) => Err(FileDamage { rest: file.len(), problem }),
        }
    }

    /// Starts before the first block.
    pub const fn at_start(file: &'a [u8]) -> PcapngReader<'a> {
        let state = Section { endianness: Endianness::Little, interfaces: Vec::new(), numbered: 0 };
        PcapngReader { rest: file, state }
    }

    pub fn into_state(self) -> Section {
        self.state
    }

    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// How many blocks without a packet have a number, among those read since the last call.
    pub const fn take_numbered(&mut self) -> u64 {
        core::mem::replace(&mut self.state.numbered, 0)
    }

    #[inline]
    pub fn next_record(&mut self) -> Result<Option<Record<'a>>, FileDamage> {
        while let Some(block) = self.next_block()? {
            if block.record.is_some() {
                return Ok(block.record);
            }
        }
        Ok(None)
    }

    pub fn next_block(&mut self) -> Result<Option<Block<'a>>, FileDamage> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        self.block().map(Some).map_err(|problem| FileDamage { rest: self.rest.len(), problem })
    }

    /// Reads the next block. If that fails, the reader stays where it is.
    ///
    /// pcap-parser reads only the type and the lengths of the block, because its functions for
    /// whole blocks collect all options in memory.
    fn block(&mut self) -> Result<Block<'a>, Problem> {
        if recognizes(self.rest) {
            self.state.endianness = section_endianness(self.rest)?;
        }
        let (rest, block) = match self.state.endianness {
            Endianness::Big => pcap_parser::parse_unknownblock_be(self.rest),
            _ => pcap_parser::parse_unknownblock_le(self.rest),
        }
        .map_err(|error| self.framing(&error))?;
        let length = block.block_len1;
        if length != block.block_len2 || !length.is_multiple_of(4) {
            return Err(Problem::BlockLength { len: length });
        }
        // pcap-parser reads the type as little-endian in any section.
        let block_type = match self.state.endianness {
            Endianness::Big => block.block_type.swap_bytes(),
            _ => block.block_type,
        };
        let too_short = Problem::BlockTooShort { block_type, len: length };
        let mut record = None;
        match block_type {
            EPB_MAGIC | PACKET_BLOCK | SPB_MAGIC => {
                record = Some(self.packet(block_type, block.data, rest.len(), too_short)?);
            }
            IDB_MAGIC => {
                let interface = self.interface(block.data).ok_or(too_short)?;
                self.state.interfaces.push(interface);
            }
            SHB_MAGIC if block.data.len() < SECTION_CONTENT => return Err(too_short),
            SHB_MAGIC => self.state.interfaces.clear(),
            other if NUMBERED.contains(&other) => self.state.numbered += 1,
            _ => {}
        }
        let (read, endianness) =
            (self.rest.len().saturating_sub(rest.len()), self.state.endianness);
        let bytes = self.rest.get(..read).unwrap_or(&[]);
        self.rest = rest;
        Ok(Block { bytes, block_type, endianness, record })
    }

    /// The interface that a block describes.
    fn interface(&self, content: &[u8]) -> Option<Interface> {
        let half = || u16::<_, ()>(self.state.endianness);
        let fields = (half(), half(), u32::<_, ()>(self.state.endianness)).parse(content);
        let (mut rest, (link_type, _reserved, snap_len)) = fields.ok()?;
        let parse_option = match self.state.endianness {
            Endianness::Big => pcap_parser::parse_option_be::<()>,
            _ => pcap_parser::parse_option_le::<()>,
        };
        let (mut resolution, mut offset) = (MICROSECONDS, 0);
        while let Ok((after, option)) = parse_option(rest) {
            rest = after;
            match (option.code, option.value(), option.value().first_chunk()) {
                (OptionCode::EndOfOpt, ..) => break,
                (OptionCode::IfTsresol, &[first, ..], _) => resolution = first,
                (OptionCode::IfTsoffset, _, Some(bytes)) => {
                    offset = match self.state.endianness {
                        Endianness::Big => i64::from_be_bytes(*bytes),
                        _ => i64::from_le_bytes(*bytes),
                    };
                }
                _ => {}
            }
        }
        let clock = Clock::new(resolution, offset);
        Some(Interface { link_type: LinkType(link_type.into()), snap_len, clock })
    }

    /// The packet in a block. The options after it are not read, so that nothing is allocated.
    fn packet(
        &self,
        block_type: u32,
        content: &'a [u8],
        after_block: usize,
        too_short: Problem,
    ) -> Result<Record<'a>, Problem> {
        let word = || u32::<_, ()>(self.state.endianness);
        let half = || u16::<_, ()>(self.state.endianness);
        let times = || (word(), word(), word(), word());
        let (data, (interface, times)) = match block_type {
            EPB_MAGIC => (word(), times().map(Some)).parse(content),
            PACKET_BLOCK => (
                (half(), half()).map(|(interface, _drops)| u32::from(interface)),
                times().map(Some),
            )
                .parse(content),
            _ => Ok((content, (0, None))),
        }
        .map_err(|_| too_short)?;
        let described =
            usize::try_from(interface).ok().and_then(|at| self.state.interfaces.get(at));
        let described = described.ok_or(Problem::UnknownInterface { interface })?;
        let (time, len, original_len, data) = match times {
            Some((high, low, len, original_len)) => {
                let ticks = u64::from(high) << 32 | u64::from(low);
                (Some(described.clock.at(ticks)), len, original_len, data)
            }
            None => {
                let (data, original_len) = word().parse(data).map_err(|_| too_short)?;
                let limit = if described.snap_len == 0 { u32::MAX } else { described.snap_len };
                (None, original_len.min(limit), original_len, data)
            }
        };
        let available = data.len();
        let (data, padding) = usize::try_from(len)
            .ok()
            .and_then(|len| data.split_at_checked(len))
            .ok_or(Problem::PacketTooLong { len, available })?;
        // The length is repeated at the end of the block.
        let rest = after_block.saturating_add(4).saturating_add(padding.len());
        Ok(Record { time, link_type: described.link_type, data, original_len, rest })
    }

    /// The problem of the block at the start of `rest`.
    fn framing(&self, error: &nom::Err<PcapError<&[u8]>>) -> Problem {
        let available = self.rest.len();
        let length =
            self.rest.get(4..).and_then(|rest| u32::<_, ()>(self.state.endianness)(rest).ok());
        let length = length.map_or(SMALLEST_BLOCK, |(_, length)| length);
        match error {
            nom::Err::Incomplete(_) => {
                let needed = usize::try_from(length).unwrap_or(usize::MAX);
                Problem::Cut { missing: needed.saturating_sub(available), available }
            }
            _ => Problem::BlockLength { len: length },
        }
    }
}

/// The byte order of a section, from the mark after its type and length.
fn section_endianness(block: &[u8]) -> Result<Endianness, Problem> {
    let Some(magic) = block.get(8..).and_then(|rest| rest.first_chunk()) else {
        let available = block.len();
        return Err(Problem::Cut { missing: 12_usize.saturating_sub(available), available });
    };
    match (u32::from_le_bytes(*magic), u32::from_be_bytes(*magic)) {
        (BOM_MAGIC, _) => Ok(Endianness::Little),
        (_, BOM_MAGIC) => Ok(Endianness::Big),
        _ => Err(Problem::SectionHeader),
    }
}

impl fmt::Debug for PcapngReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("pcapng::PcapngReader")
            .field("rest", &self.rest.len())
            .field("endianness", &self.state.endianness)
            .field("interfaces", &self.state.interfaces)
            .finish()
    }
}
