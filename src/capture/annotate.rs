//! Writes captures that show messages in Wireshark: as comments on the packets, or as packets of
//! their own.
//!
//! [`Comments`] takes comments with the numbers of their packets, and sorts them. [`annotate`] reads
//! a capture and writes a copy with them. [`MessageWriter`] writes messages as packets, alone or
//! between those that carried them, while they arrive.

mod comments;
mod messages;

use super::pcapng::{self, Block};
use super::writer::{
    ByteOrder, END, NOT_STATED, interface, link_type, padding, section, write_packet,
};
use super::{CaptureFormat, FileDamage, Record, pcap};
use crate::net::packet::Error;
use comments::SortedComments;
pub use comments::{Comments, PREFIX};
pub use messages::MessageWriter;
use nom::number::Endianness;
use pcap_parser::{OptionCode, SHB_MAGIC, SPB_MAGIC};
use std::io::{self, ErrorKind, Read, Seek, Write};

/// The counts that [`annotate()`] returns.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Annotated {
    /// How many packets were copied.
    pub packets: u64,
    /// How many comments were written.
    pub comments: u64,
    /// How many earlier comments that start with [`PREFIX`] were left out.
    pub replaced: u64,
    /// How many comments were not written, because their packets cannot have comments, or are not
    /// in the capture. Packets in Simple Packet Blocks cannot have comments. They are copied
    /// unchanged, because all other blocks for packets require a time, which they do not have.
    pub unplaced: u64,
    /// The place where the capture is damaged. The rest of a pcapng file from there on was copied
    /// as it is; the rest of a classic pcap file was not copied.
    pub damage: Option<Error>,
}

/// Copies a capture with comments on its packets, in the format pcapng.
///
/// Everything else in a pcapng file is copied byte for byte: all sections in their byte order,
/// interfaces, other blocks, and options. Only one field changes: the copy does not state the
/// length of a section, which is optional. Annotating the copy with no comments removes the
/// comments again.
///
/// The copy of a classic pcap file has one section and one interface, with the link type, the
/// longest captured length and the resolution of the file. Files that were appended to it become
/// further sections. All packets keep their time, their bytes
/// and their length on the network. A length of the frame check sequence becomes an option of each
/// packet. The additional fields of packets in the "modified" pcap format, which some old programs
/// wrote, are not copied.
///
/// ```
/// use gdwire::capture::annotate::{Comments, annotate};
/// use gdwire::capture::{Capture, Messages};
/// use gdwire::follow::{Content, Event};
/// use std::io::Cursor;
///
/// # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot3-rpc.pcapng"))?;
/// let mut comments = Comments::new(|| Ok(Cursor::new(Vec::new())));
/// let mut messages = Messages::new(&file)?;
/// while let Some(event) = messages.next_event() {
///     if let Event::Message(message) = event
///         && let Content::Packet(packet) = message.content
///     {
///         let text = packet.display(message.context());
///         comments.add(message.place.frame, message.bytes.len(), &text)?;
///     }
/// }
/// let mut copy = Vec::new();
/// let annotated = annotate(&file, comments, &mut copy)?;
/// assert!(annotated.comments > 50);
/// assert_eq!(Capture::new(&copy)?.count(), Capture::new(&file)?.count());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the copy cannot be written, or if the comments cannot be read from their file.
/// [`io::ErrorKind::InvalidData`] if the file is in another format or ends within its first header.
/// [`io::ErrorKind::Unsupported`] if a classic pcap file has a link type that does not fit into
/// pcapng.
pub fn annotate<S: Read + Write + Seek>(
    file: &[u8],
    comments: Comments<S>,
    out: &mut dyn Write,
) -> io::Result<Annotated> {
    let len = file.len() as u64;
    let invalid =
        |damage: FileDamage| io::Error::new(ErrorKind::InvalidData, damage.at(0, len, None));
    let format = CaptureFormat::begin(file).map_err(invalid)?;
    let (done, options, block) = (Annotated::default(), Vec::new(), Vec::new());
    let comments = comments.sorted()?;
    let mut copy = AnnotatedCopy { out, comments, done, frames: 0, options, block };
    let damage = match format {
        CaptureFormat::Pcap(_) => copy.pcap(file)?,
        CaptureFormat::Pcapng(_) => copy.pcapng(file)?,
    };
    copy.done.unplaced += copy.comments.of_packet(u64::MAX, |_| {})?;
    let frame = copy.frames.saturating_add(1);
    copy.done.damage = damage.map(|damage| damage.at(0, len, Some(frame)));
    Ok(copy.done)
}

/// A copy that is being written.
struct AnnotatedCopy<'w, S> {
    out: &'w mut dyn Write,
    comments: SortedComments<S>,
    done: Annotated,
    /// The number of the last packet or other numbered block.
    frames: u64,
    /// Buffers that are reused: the comments of a packet as options, and its block.
    options: Vec<u8>,
    block: Vec<u8>,
}

impl<S: Read + Seek> AnnotatedCopy<'_, S> {
    /// Copies a pcapng file up to its end. Returns where it is damaged.
    fn pcapng(&mut self, file: &[u8]) -> io::Result<Option<FileDamage>> {
        let mut reader = pcapng::PcapngReader::at_start(file);
        loop {
            let block = reader.next_block();
            self.frames += reader.take_numbered();
            match block {
                Ok(Some(block)) => self.block(&block, reader.rest())?,
                Ok(None) => return Ok(None),
                Err(damage) => {
                    self.out.write_all(reader.rest())?;
                    return Ok(Some(damage));
                }
            }
        }
    }

    fn block(&mut self, block: &Block<'_>, rest: &[u8]) -> io::Result<()> {
        let Some(Record { data, rest: after_data, .. }) = block.record else {
            if block.block_type == SHB_MAGIC {
                return self.out.write_all(&without_length(block.bytes));
            }
            return self.out.write_all(block.bytes);
        };
        let has_options = block.block_type != SPB_MAGIC;
        let comments = self.comments_on_next(ByteOrder(block.endianness))?;
        if !has_options {
            self.done.unplaced += comments;
            return self.out.write_all(block.bytes);
        }
        self.done.comments += comments;
        let options = PacketOptions::of(block, data, after_data.saturating_sub(rest.len()));
        self.done.replaced += options.replaced;
        if comments == 0 && options.replaced == 0 {
            return self.out.write_all(block.bytes);
        }
        self.block.clear();
        options.write(block, &self.options, &mut self.block)?;
        self.out.write_all(&self.block)
    }

    /// Copies a classic pcap file, and those that were appended to it, up to the end. Returns where they
    /// are damaged.
    fn pcap(&mut self, mut file: &[u8]) -> io::Result<Option<FileDamage>> {
        while !file.is_empty() {
            let mut reader = match pcap::PcapReader::new(file) {
                Ok(reader) => reader,
                Err(damage) => return Ok(Some(damage)),
            };
            if let Some(damage) = self.pcap_section(file, &mut reader)? {
                return Ok(Some(damage));
            }
            file = reader.rest();
        }
        Ok(None)
    }

    /// Copies one of them as a section.
    fn pcap_section(
        &mut self,
        file: &[u8],
        reader: &mut pcap::PcapReader<'_>,
    ) -> io::Result<Option<FileDamage>> {
        let Ok((_, header)) = pcap_parser::parse_pcap_header(file) else { return Ok(None) };
        let network = header.network.0.cast_unsigned();
        let link_type = link_type(network & pcap::LINK_TYPE)?;
        let (decimals, tick) = if header.is_nanosecond_precision() { (9, 1) } else { (6, 1000) };
        self.block.clear();
        section(&mut self.block)?;
        interface(&mut self.block, link_type, header.snaplen, decimals, None)?;
        self.out.write_all(&self.block)?;
        let flags = check_sequence(network);
        loop {
            let record = match reader.next_record() {
                Ok(Some(record)) => record,
                Ok(None) => return Ok(None),
                Err(damage) => return Ok(Some(damage)),
            };
            self.done.comments += self.comments_on_next(ByteOrder(Endianness::Little))?;
            // Classic pcap has unsigned seconds, so no time is before 1970.
            let nanoseconds = record.time.map_or(0, |time| time.as_nanos().unsigned_abs());
            let ticks = nanoseconds / tick;
            self.block.clear();
            let Record { data, original_len, .. } = record;
            if let Some(flags) = flags {
                let order = ByteOrder(Endianness::Little);
                order.option(&mut self.options, FLAGS, &flags.to_le_bytes());
            }
            if !self.options.is_empty() {
                self.options.extend(END);
            }
            let data = (data, original_len);
            write_packet(&mut self.block, 0, ticks, data, &self.options)?;
            self.out.write_all(&self.block)?;
        }
    }

    /// Takes the comments on the next packet as options. Returns how many there are.
    fn comments_on_next(&mut self, order: ByteOrder) -> io::Result<u64> {
        self.done.packets += 1;
        self.frames += 1;
        self.options.clear();
        let (mut count, options) = (0_u64, &mut self.options);
        self.done.unplaced += self.comments.of_packet(self.frames, |text| {
            order.comment(options, text);
            count += 1;
        })?;
        Ok(count)
    }
}

/// The flags of packets that state the length of the frame check sequence in bytes; none if the
/// last field of the file's header does not state the length. That field counts words of 16 bits.
const fn check_sequence(network: u32) -> Option<u32> {
    let (is_stated, words) = (network & 0x0400_0000 != 0, network >> 28);
    if is_stated && words < 8 { Some(words << 6) } else { None }
}

/// The option `epb_flags`: the flags of a packet.
const FLAGS: OptionCode = OptionCode(2);

/// The bytes of a section header that state the length of the section.
const SECTION_LENGTH: std::ops::Range<usize> = 16..24;

/// A section header that does not state the length of the section.
fn without_length(header: &[u8]) -> Vec<u8> {
    let mut header = header.to_vec();
    if let Some(stated) = header.get_mut(SECTION_LENGTH) {
        stated.copy_from_slice(&NOT_STATED);
    }
    header
}

/// The options of a packet's block.
struct PacketOptions<'a> {
    /// The fields before the options, without the type and the length of the block.
    head: &'a [u8],
    /// The options that are kept.
    kept: Vec<u8>,
    /// How many comments that start with [`PREFIX`] are not kept.
    replaced: u64,
}

impl<'a> PacketOptions<'a> {
    /// Reads the options in a block. `data` is the packet in it, and `rest` is how many bytes
    /// follow the packet in the block.
    fn of(block: &Block<'a>, data: &[u8], rest: usize) -> PacketOptions<'a> {
        let content = block.bytes.get(8..block.bytes.len().saturating_sub(4)).unwrap_or(&[]);
        let after = rest.saturating_sub(4).saturating_sub(padding(data.len()));
        let (head, all) = content.split_at(content.len().saturating_sub(after));
        let (mut kept, mut replaced) = (Vec::new(), 0);
        let parse = match block.endianness {
            Endianness::Big => pcap_parser::parse_option_be::<()>,
            _ => pcap_parser::parse_option_le::<()>,
        };
        let (mut rest, mut unwritten) = (all, all);
        while let Ok((after, option)) = parse(rest) {
            if option.code == OptionCode::EndOfOpt {
                break;
            }
            let is_own =
                option.code == OptionCode::Comment && option.value().starts_with(PREFIX.as_bytes());
            if is_own {
                let before = unwritten.len().saturating_sub(rest.len());
                kept.extend_from_slice(unwritten.get(..before).unwrap_or(&[]));
                unwritten = after;
                replaced += 1;
            }
            rest = after;
        }
        kept.extend_from_slice(unwritten);
        // Nothing but the end of the list is left.
        if kept == END {
            kept.clear();
        }
        PacketOptions { head, kept, replaced }
    }

    /// Writes the block with these comments before the options that are kept.
    fn write(&self, block: &Block<'_>, comments: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        let kept = if self.kept.is_empty() && !comments.is_empty() { &END } else { &self.kept[..] };
        ByteOrder(block.endianness).block(out, block.block_type, &[self.head, comments, kept])
    }
}
