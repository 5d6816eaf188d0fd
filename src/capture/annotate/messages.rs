//! Writes messages as packets of their own, alone or between the packets that carried them.

use super::comments::{LONGEST, write_bounded};
use crate::capture::follow::{Origin, Place};
use crate::capture::writer::BlockWriter;
use crate::net::packet::{CapturedPacket, LinkType};
use core::fmt::{self, Display};
use core::net::IpAddr;
use core::time::Duration;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Instant;

/// The link type of packets that consist of tags and a message: "exported PDUs", as Wireshark's own
/// "Export PDUs to File" writes them.
const UPPER_PDU: LinkType = LinkType::WIRESHARK_UPPER_PDU;

/// The tags of exported PDUs. All numbers are big-endian, and lengths include padding.
mod tag {
    pub(super) const END: u16 = 0;
    pub(super) const DISSECTOR: u16 = 12;
    pub(super) const IPV4: [u16; 2] = [20, 21];
    pub(super) const IPV6: [u16; 2] = [22, 23];
    pub(super) const PORT_TYPE: u16 = 24;
    pub(super) const PORTS: [u16; 2] = [25, 26];
    pub(super) const FRAME: u16 = 30;
    pub(super) const PROTOCOL_COLUMN: u16 = 33;
    pub(super) const INFO_COLUMN: u16 = 36;
}

/// The types of ports.
const TCP: u32 = 2;
const UDP: u32 = 3;

/// The longest packet that Wireshark reads, in bytes. It reads nothing after a longer one.
const LONGEST_PACKET: usize = 256 << 10;

/// The longest content of a tag: a multiple of 4 that its length can state.
const LONGEST_TAG: u16 = u16::MAX - 3;

/// How many bytes of packets and messages wait for messages of earlier packets.
const WAITING: usize = 64 << 20;

/// The name of the interface for a link type.
fn name(of: LinkType) -> Option<&'static str> {
    Some(if of == UPPER_PDU { "messages" } else { "packets" })
}

/// Writes messages as packets, which Wireshark shows without a plugin: a pcapng file with one
/// "exported PDU" for each message.
///
/// Such a packet has no headers. It states the dissector, `json`, the addresses and ports, the number
/// of the packet that carried the message, and texts for the columns "Protocol" and "Info". Then
/// follows the message as JSON. Wireshark shows it as a tree, and filters it: `json.value.string ==
/// "take_hit"`. The column "Info" needs Wireshark 4.2.
///
/// [`MessageWriter::with_packets`] also writes the packets that carried the messages, in the order of
/// the capture. A message follows its packet, although a message is often known only after later
/// packets: up to 64 MiB of packets and messages wait for that. A message that comes even later is
/// written at once.
///
/// Wireshark reads packets of up to 256 KiB. Longer JSON is cut, and the packet states its whole
/// length.
///
/// ```
/// use gdwire::capture::annotate::MessageWriter;
/// use gdwire::capture::{Capture, Messages};
/// use gdwire::follow::{Content, Event};
/// use gdwire::json;
///
/// # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-udp.pcapng"))?;
/// let mut messages = Messages::new(&file)?;
/// let mut writer = MessageWriter::new(Vec::new())?;
/// let mut json = Vec::new();
/// while let Some(event) = messages.next_event() {
///     if let Event::Message(message) = event
///         && let Content::Value(value) = message.content
///     {
///         json.clear();
///         json::write_plain(value, &mut json)?;
///         let text = message.display();
///         writer.message(message.place, Some(message.origin), "Godot", &text, &json)?;
///     }
/// }
/// let packets = Capture::new(&writer.finish()?)?.count();
/// assert_eq!(packets, 72);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MessageWriter<W> {
    blocks: BlockWriter<W>,
    /// Whether packets are written, too.
    has_packets: bool,
    /// The blocks that wait, by the number of their packet and their own number: a packet was added
    /// before its messages.
    waiting: BTreeMap<(u64, u64), WaitingBlock>,
    waiting_bytes: usize,
    /// How many packets and messages were added.
    added: u64,
    /// Buffers that are reused: a packet, and the text for a column.
    packet: Vec<u8>,
    text: String,
}

/// A block that waits.
struct WaitingBlock {
    since: Instant,
    block: Vec<u8>,
}

impl<W: Write> MessageWriter<W> {
    /// Begins a file that has only messages, in the order in which they are added.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn new(out: W) -> io::Result<MessageWriter<W>> {
        let mut writer = MessageWriter::begin(out, false)?;
        writer.blocks.interface(UPPER_PDU, name(UPPER_PDU))?;
        Ok(writer)
    }

    /// Begins a file that has packets and messages, each kind on interfaces of its own.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn with_packets(out: W) -> io::Result<MessageWriter<W>> {
        MessageWriter::begin(out, true)
    }

    fn begin(out: W, has_packets: bool) -> io::Result<MessageWriter<W>> {
        Ok(MessageWriter {
            blocks: BlockWriter::new(out)?,
            has_packets,
            waiting: BTreeMap::new(),
            waiting_bytes: 0,
            added: 0,
            packet: Vec::new(),
            text: String::new(),
        })
    }

    /// Adds a packet with its bytes, its length on the network and its time. Add each packet before its
    /// messages.
    ///
    /// # Errors
    ///
    /// If writing fails. [`io::ErrorKind::Unsupported`] if the link type does not fit into pcapng.
    pub fn packet(&mut self, packet: &CapturedPacket<'_>) -> io::Result<()> {
        let data = (packet.data, packet.original_len);
        self.blocks.packet(packet.link_type, name(packet.link_type), packet.time, data)?;
        self.add(packet.frame)
    }

    /// Adds a message as JSON, with the texts for the columns "Protocol" and "Info". `info` is cut
    /// after 4 KiB, and characters that would disturb a line are escaped.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn message(
        &mut self,
        place: Place,
        origin: Option<Origin>,
        protocol: &str,
        info: &dyn Display,
        json: &[u8],
    ) -> io::Result<()> {
        self.text.clear();
        write_bounded(info, LONGEST, &mut self.text);
        let packet = &mut self.packet;
        packet.clear();
        write_tag(packet, tag::DISSECTOR, b"json");
        write_tag(packet, tag::PROTOCOL_COLUMN, protocol.as_bytes());
        write_tag(packet, tag::INFO_COLUMN, self.text.as_bytes());
        if let Some(origin) = origin {
            write_ends(packet, origin);
        }
        if let Ok(frame) = u32::try_from(place.frame) {
            write_tag(packet, tag::FRAME, &frame.to_be_bytes());
        }
        write_tag(packet, tag::END, &[]);
        let whole = packet.len().saturating_add(json.len());
        let room = LONGEST_PACKET.saturating_sub(packet.len()).min(json.len());
        packet.extend_from_slice(json.get(..room).unwrap_or(json));
        let data = (&packet[..], u32::try_from(whole).unwrap_or(u32::MAX));
        self.blocks.packet(UPPER_PDU, name(UPPER_PDU), place.time, data)?;
        self.add(place.frame)
    }

    /// Adds the block, which belongs to this packet.
    fn add(&mut self, frame: u64) -> io::Result<()> {
        if !self.has_packets {
            return self.blocks.write();
        }
        self.added += 1;
        self.waiting_bytes = self.waiting_bytes.saturating_add(cost(&self.blocks.block));
        let waiting = WaitingBlock { since: Instant::now(), block: self.blocks.block.clone() };
        self.waiting.insert((frame, self.added), waiting);
        self.release(|writer, _| writer.waiting_bytes > WAITING)
    }

    /// Writes the blocks that wait, in their order, as long as a condition holds for the next one.
    fn release(&mut self, is_due: impl Fn(&Self, &WaitingBlock) -> bool) -> io::Result<()> {
        while self.waiting.first_key_value().is_some_and(|(_, next)| is_due(self, next))
            && let Some((_, next)) = self.waiting.pop_first()
        {
            self.waiting_bytes = self.waiting_bytes.saturating_sub(cost(&next.block));
            self.blocks.out.write_all(&next.block)?;
        }
        Ok(())
    }

    /// Passes on what was added, except what has waited for messages of earlier packets for less than
    /// this time. Call this when live traffic pauses.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn flush(&mut self, wait: Duration) -> io::Result<()> {
        self.release(|_, next| next.since.elapsed() >= wait)?;
        self.blocks.out.flush()
    }

    /// Writes what waits, and returns the writer, which has the whole file.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn finish(mut self) -> io::Result<W> {
        // A file without messages has their interface nevertheless.
        self.blocks.interface(UPPER_PDU, name(UPPER_PDU))?;
        self.flush(Duration::ZERO)?;
        Ok(self.blocks.out)
    }
}

/// How many bytes a block that waits takes.
const fn cost(block: &[u8]) -> usize {
    block.len().saturating_add(size_of::<WaitingBlock>())
}

/// Adds a tag with its content, which is padded to whole words.
fn write_tag(out: &mut Vec<u8>, tag: u16, content: &[u8]) {
    let content = content.get(..LONGEST_TAG.into()).unwrap_or(content);
    let length = content.len().next_multiple_of(4);
    out.extend(tag.to_be_bytes());
    out.extend(u16::try_from(length).unwrap_or(LONGEST_TAG).to_be_bytes());
    let end = out.len().saturating_add(length);
    out.extend_from_slice(content);
    out.resize(end, 0);
}

/// Adds the addresses and ports of both ends.
fn write_ends(out: &mut Vec<u8>, origin: Origin) {
    let ends = [origin.src(), origin.dst()];
    for (at, end) in ends.iter().enumerate() {
        let [ipv4, ipv6] = [tag::IPV4, tag::IPV6].map(|tags| tags.get(at).copied().unwrap_or(0));
        match end.ip() {
            IpAddr::V4(ip) => write_tag(out, ipv4, &ip.octets()),
            IpAddr::V6(ip) => write_tag(out, ipv6, &ip.octets()),
        }
    }
    let port_type = if origin.flow.is_tcp() { TCP } else { UDP };
    write_tag(out, tag::PORT_TYPE, &port_type.to_be_bytes());
    for (tag, end) in tag::PORTS.into_iter().zip(ends) {
        write_tag(out, tag, &u32::from(end.port()).to_be_bytes());
    }
}

impl<W> fmt::Debug for MessageWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MessageWriter { has_packets, blocks, waiting, .. } = self;
        debug_fields!(f, MessageWriter {
            has_packets, interfaces = blocks.interfaces.len(), waiting = waiting.len(), ..
        })
    }
}
