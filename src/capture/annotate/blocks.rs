//! The blocks of pcapng that an annotated copy changes or adds.

use super::comments::PREFIX;
use crate::capture::pcapng::Block;
use nom::number::Endianness;
use pcap_parser::{BOM_MAGIC, EPB_MAGIC, IDB_MAGIC, OptionCode, SHB_MAGIC};
use std::io;

/// The option that ends a list of options: its number and its length are 0.
const END: [u8; 4] = [0; 4];

/// The option `epb_flags`: the flags of a packet.
const FLAGS: OptionCode = OptionCode(2);

/// Where a section header states the length of the section, and the length that means that it is not
/// stated.
const SECTION_LENGTH: std::ops::Range<usize> = 16..24;
const NOT_STATED: [u8; 8] = [0xff; 8];

/// How many bytes of padding follow `len` bytes, up to a multiple of 4.
const fn padding(len: usize) -> usize {
    len.next_multiple_of(4).saturating_sub(len)
}

/// Writes numbers in a byte order.
#[derive(Clone, Copy)]
pub(super) struct Order(pub(super) Endianness);

impl Order {
    fn u16(self, out: &mut Vec<u8>, number: u16) {
        match self.0 {
            Endianness::Big => out.extend(number.to_be_bytes()),
            _ => out.extend(number.to_le_bytes()),
        }
    }

    fn u32(self, out: &mut Vec<u8>, number: u32) {
        match self.0 {
            Endianness::Big => out.extend(number.to_be_bytes()),
            _ => out.extend(number.to_le_bytes()),
        }
    }

    /// Adds an option. Its content has to be shorter than 64 KiB.
    fn option(self, out: &mut Vec<u8>, code: OptionCode, content: &[u8]) {
        self.u16(out, code.0);
        self.u16(out, u16::try_from(content.len()).unwrap_or(u16::MAX));
        out.extend_from_slice(content);
        out.resize(out.len().saturating_add(padding(content.len())), 0);
    }

    pub(super) fn comment(self, out: &mut Vec<u8>, text: &[u8]) {
        self.option(out, OptionCode::Comment, text);
    }

    /// Adds a block with these parts as its body.
    fn block(self, out: &mut Vec<u8>, block_type: u32, parts: &[&[u8]]) -> io::Result<()> {
        let len = parts.iter().fold(12_usize, |len, part| len.saturating_add(part.len()));
        let len = length(len)?;
        self.u32(out, block_type);
        self.u32(out, len);
        parts.iter().for_each(|part| out.extend_from_slice(part));
        self.u32(out, len);
        Ok(())
    }
}

/// The length of a block as a number of 32 bits, or an error if it has more.
fn length(len: usize) -> io::Result<u32> {
    u32::try_from(len).map_err(|error| io::Error::new(io::ErrorKind::FileTooLarge, error))
}

/// Writes a section header that does not state the section's length, and the section's only
/// interface.
pub(super) fn section(
    out: &mut Vec<u8>,
    (link_type, snap_len): (u16, u32),
    decimals: u8,
) -> io::Result<()> {
    let order = Order(Endianness::Little);
    let mut content = Vec::new();
    order.u32(&mut content, BOM_MAGIC);
    order.u16(&mut content, 1);
    order.u16(&mut content, 0);
    content.extend(NOT_STATED);
    order.block(out, SHB_MAGIC, &[&content])?;
    content.clear();
    order.u16(&mut content, link_type);
    order.u16(&mut content, 0);
    order.u32(&mut content, snap_len);
    order.option(&mut content, OptionCode::IfTsresol, &[decimals]);
    content.extend(END);
    order.block(out, IDB_MAGIC, &[&content])
}

/// Writes a packet of the only interface, with its comments as options.
pub(super) fn packet(
    out: &mut Vec<u8>,
    ticks: u64,
    (data, original_len): (&[u8], u32),
    flags: Option<u32>,
    comments: &mut Vec<u8>,
) -> io::Result<()> {
    let order = Order(Endianness::Little);
    if let Some(flags) = flags {
        order.option(comments, FLAGS, &flags.to_le_bytes());
    }
    if !comments.is_empty() {
        comments.extend(END);
    }
    let mut head = Vec::with_capacity(20);
    order.u32(&mut head, 0);
    #[expect(clippy::cast_possible_truncation, reason = "this is the lower half")]
    let halves = [(ticks >> 32) as u32, ticks as u32];
    halves.iter().for_each(|half| order.u32(&mut head, *half));
    order.u32(&mut head, length(data.len())?);
    order.u32(&mut head, original_len);
    let padding = END.get(..padding(data.len())).unwrap_or(&[]);
    order.block(out, EPB_MAGIC, &[&head, data, padding, comments])
}

/// A section header that does not state the length of the section.
pub(super) fn without_length(header: &[u8]) -> Vec<u8> {
    let mut header = header.to_vec();
    if let Some(stated) = header.get_mut(SECTION_LENGTH) {
        stated.copy_from_slice(&NOT_STATED);
    }
    header
}

/// The options of a packet's block.
pub(super) struct PacketOptions<'a> {
    /// The fields before the options, without the type and the length of the block.
    head: &'a [u8],
    /// The options that are kept.
    kept: Vec<u8>,
    /// How many comments that start with [`PREFIX`] are not kept.
    pub(super) replaced: u64,
}

impl<'a> PacketOptions<'a> {
    /// Reads the options in a block. `data` is the packet in it, and `rest` is how many bytes
    /// follow the packet in the block.
    pub(super) fn of(block: &Block<'a>, data: &[u8], rest: usize) -> PacketOptions<'a> {
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
        if replaced > 0 && kept == END {
            kept.clear();
        }
        PacketOptions { head, kept, replaced }
    }

    /// Writes the block with these comments before the options that are kept.
    pub(super) fn write(
        &self,
        block: &Block<'_>,
        comments: &[u8],
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let kept = if self.kept.is_empty() && !comments.is_empty() { &END } else { &self.kept[..] };
        Order(block.endianness).block(out, block.block_type, &[self.head, comments, kept])
    }
}
