//! Copies a capture with comments.

use super::blocks::{self, Order, PacketOptions, section, without_length};
use super::comments::{Comments, Sorted};
use crate::capture::format::Format;
use crate::capture::pcap;
use crate::capture::pcapng::{self, Block};
use crate::capture::record::{Damage, Record};
use crate::net::packet::Error;
use nom::number::Endianness;
use pcap_parser::{SHB_MAGIC, SPB_MAGIC};
use std::io::{self, ErrorKind, Read, Seek, Write};

/// The counts that [`annotate()`] returns.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Annotated {
    /// How many packets were copied.
    pub packets: u64,
    /// How many comments were written.
    pub comments: u64,
    /// How many earlier comments that start with [`PREFIX`](super::PREFIX) were left out.
    pub replaced: u64,
    /// How many comments were not written, because their packets cannot have comments, or are not
    /// in the capture. Packets in Simple Packet Blocks cannot have comments. They are copied
    /// unchanged, because all other blocks for packets require a time, which they do not have.
    pub unplaced: u64,
    /// Where the capture is damaged. The rest of a pcapng file from there on was copied as it is; the
    /// rest of a classic pcap file was not copied.
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
/// longest captured length and the resolution of the file. All packets keep their time, their bytes
/// and their length on the network. A length of the frame check sequence becomes an option of each
/// packet. The additional fields of packets in the "modified" pcap format, which some old programs
/// wrote, are not copied.
///
/// ```
/// use gdwire::capture::annotate::{Comments, annotate};
/// use gdwire::capture::{Capture, Content, Event, Messages};
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
    let invalid = |damage: Damage| io::Error::new(ErrorKind::InvalidData, damage.at(0, len, None));
    let format = Format::begin(file).map_err(invalid)?;
    let (done, options, block) = (Annotated::default(), Vec::new(), Vec::new());
    let mut copy = Copy { out, comments: comments.sorted()?, done, options, block };
    let damage = match format {
        Format::Pcap(reader) => copy.pcap(file, reader)?,
        Format::Pcapng(_) => copy.pcapng(file)?,
    };
    copy.done.unplaced += copy.comments.of_packet(u64::MAX, |_| {})?;
    let frame = copy.done.packets.saturating_add(1);
    copy.done.damage = damage.map(|damage| damage.at(0, len, Some(frame)));
    Ok(copy.done)
}

/// A copy that is being written.
struct Copy<'w, S> {
    out: &'w mut dyn Write,
    comments: Sorted<S>,
    done: Annotated,
    /// Buffers that are reused: the comments of a packet as options, and its block.
    options: Vec<u8>,
    block: Vec<u8>,
}

impl<S: Read + Seek> Copy<'_, S> {
    /// Copies a pcapng file up to its end. Returns where it is damaged.
    fn pcapng(&mut self, file: &[u8]) -> io::Result<Option<Damage>> {
        let mut reader = pcapng::Reader::at_start(file);
        loop {
            match reader.next_block() {
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
        let comments = self.comments_on_next(Order(block.endianness))?;
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

    /// Copies a classic pcap file up to its end. Returns where it is damaged.
    fn pcap(&mut self, file: &[u8], mut reader: pcap::Reader<'_>) -> io::Result<Option<Damage>> {
        let Ok((_, header)) = pcap_parser::parse_pcap_header(file) else { return Ok(None) };
        let network = header.network.0.cast_unsigned();
        let link_type = u16::try_from(network & pcap::LINK_TYPE).map_err(|_| {
            let problem = "pcapng has no room for the link type";
            io::Error::new(ErrorKind::Unsupported, problem)
        })?;
        let (decimals, tick) = if header.is_nanosecond_precision() { (9, 1) } else { (6, 1000) };
        self.block.clear();
        section(&mut self.block, (link_type, header.snaplen), decimals)?;
        self.out.write_all(&self.block)?;
        let flags = check_sequence(network);
        loop {
            let record = match reader.next_record() {
                Ok(Some(record)) => record,
                Ok(None) => return Ok(None),
                Err(damage) => return Ok(Some(damage)),
            };
            self.done.comments += self.comments_on_next(Order(Endianness::Little))?;
            // Classic pcap has unsigned seconds, so no time is before 1970.
            let nanoseconds = record.time.map_or(0, |time| time.as_nanos().unsigned_abs());
            let ticks = nanoseconds / tick;
            let packet = (record.data, record.original_len);
            self.block.clear();
            blocks::packet(&mut self.block, ticks, packet, flags, &mut self.options)?;
            self.out.write_all(&self.block)?;
        }
    }

    /// Takes the comments on the next packet as options. Returns how many there are.
    fn comments_on_next(&mut self, order: Order) -> io::Result<u64> {
        self.done.packets = self.done.packets.saturating_add(1);
        self.options.clear();
        let (mut count, options) = (0_u64, &mut self.options);
        self.done.unplaced += self.comments.of_packet(self.done.packets, |text| {
            order.comment(options, text);
            count = count.saturating_add(1);
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
