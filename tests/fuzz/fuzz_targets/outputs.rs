//! What is written about recorded captures with edited payloads: all analyses count the same
//! messages, their JSON can be read, and no text from the network disturbs a line.

#![no_main]

use arrow_array::{Array, RecordBatch, StringArray};
use gdwire::capture::annotate::{Annotated, Comments, PREFIX, annotate};
use gdwire::capture::{Capture, Messages};
use gdwire::debugger;
use gdwire::diagnose::Diagnosis;
use gdwire::export::{Rows, Table};
use gdwire::follow::{Batch, Content, Event, Limits, Message, Options};
use gdwire::json::{self, Spelling};
use gdwire::multiplayer::{self, ArgumentBytes};
use gdwire::net::Side;
use gdwire::packet::{LinkType, Payload};
use gdwire::report::{Page, Report};
use gdwire::stats::{Amount, Stats};
use gdwire::text::disturbs_line;
use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::fmt::Display;
use std::io::Cursor;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};
use std::time::Duration;

/// The most packets of a recording.
const PACKETS: usize = 48;

/// The length of a capture of which no packet can have so many comments that some are left out.
const FEW: usize = 64 << 10;

/// A recorded capture.
struct Recording {
    link_type: LinkType,
    packets: Vec<Edited>,
}

/// A recorded packet, and where its payload is. Only the payload is edited, so the headers stay
/// valid.
#[derive(Clone)]
struct Edited {
    nanoseconds: i64,
    data: Vec<u8>,
    original_len: u32,
    payload: Range<usize>,
}

/// The recorded captures. Each is read once it is needed.
static RECORDINGS: LazyLock<Vec<(PathBuf, OnceLock<Recording>)>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/captures");
    let mut files: Vec<_> = (std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "pcap" || it == "pcapng"))
        .collect();
    files.sort();
    files.into_iter().map(|path| (path, OnceLock::new())).collect()
});

impl Recording {
    fn of(path: &Path) -> Recording {
        let file = std::fs::read(path).unwrap();
        let mut link_type = LinkType::ETHERNET;
        let packets = Capture::new(&file).unwrap().take(PACKETS).map(|packet| {
            let packet = packet.unwrap();
            link_type = packet.link_type;
            let payload = match packet.payload() {
                Payload::Udp(datagram) => datagram.payload,
                Payload::Tcp(segment) => segment.payload,
                Payload::Fragment(fragment) => fragment.payload,
                _ => &[],
            };
            let start = payload.as_ptr().addr().saturating_sub(packet.data.as_ptr().addr());
            Edited {
                nanoseconds: packet.time.unwrap().as_nanos(),
                data: packet.data.to_vec(),
                original_len: packet.original_len,
                payload: if payload.is_empty() { 0..0 } else { start..start + payload.len() },
            }
        });
        Recording { packets: packets.collect(), link_type }
    }
}

/// Edits packets. Each edit is a number of a packet, a byte for what is done with it, the offset of a
/// byte in its payload, and the bytes to put there if there are any.
fn edit(packets: &mut Vec<Edited>, mut rest: &[u8]) {
    while let Some((&[which, what, low, high], after)) = rest.split_first_chunk() {
        rest = after;
        let (which, at) = (usize::from(which), usize::from(u16::from_le_bytes([low, high])));
        let Some(which) = which.checked_rem(packets.len()) else { return };
        let count = usize::from(what >> 3) + 1;
        let source = match what & 7 {
            0 => {
                packets.remove(which);
                continue;
            }
            1 if packets.len() < 2 * PACKETS => {
                let packet = packets[which].clone();
                packets.insert(which, packet);
                continue;
            }
            1 | 2 => {
                let next = (which + 1) % packets.len();
                packets.swap(which, next);
                continue;
            }
            // Bytes of another packet, from the same offset on.
            3 => {
                let other = &packets[count % packets.len()];
                let payload = &other.data[other.payload.clone()];
                payload.get(at..).unwrap_or(&[]).to_vec()
            }
            4 => vec![rest.first().copied().unwrap_or(0); count],
            _ => {
                let (bytes, after) = rest.split_at(count.min(rest.len()));
                rest = after;
                bytes.to_vec()
            }
        };
        let packet = &mut packets[which];
        let payload = &mut packet.data[packet.payload.clone()];
        if let Some(at) = at.checked_rem(payload.len()) {
            let count = source.len().min(payload.len() - at);
            payload[at..at + count].copy_from_slice(&source[..count]);
        }
    }
}

/// A classic pcap file with times in nanoseconds.
fn capture(LinkType(link_type): LinkType, packets: &[Edited]) -> Vec<u8> {
    let header = [0xa1b2_3c4d, 4 << 16 | 2, 0, 0, 0xffff, link_type];
    let mut file: Vec<u8> = header.into_iter().flat_map(u32::to_le_bytes).collect();
    for packet in packets {
        let [seconds, rest] =
            [packet.nanoseconds / 1_000_000_000, packet.nanoseconds % 1_000_000_000];
        let record = [seconds as u32, rest as u32, packet.data.len() as u32, packet.original_len];
        file.extend(record.into_iter().flat_map(u32::to_le_bytes));
        file.extend_from_slice(&packet.data);
    }
    file
}

/// A text that is shown on one line.
fn line(text: impl Display) -> String {
    let text = text.to_string();
    assert!(!text.contains(disturbs_line), "{text:?}");
    text
}

/// What a function writes, which must be JSON on one line.
fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    let text = line(str::from_utf8(&out).unwrap());
    if let Err(error) = serde_json::from_str::<IgnoredAny>(&text) {
        panic!("{error}: {text}");
    }
    text
}

/// What is written about one message.
fn shown(message: &Message<'_>) -> [String; 3] {
    let json = [Spelling::Plain, Spelling::Native].map(|spelling| {
        written(|out| match &message.content {
            Content::Value(value) if spelling == Spelling::Plain => json::write_plain(*value, out),
            Content::Value(value) => json::write(*value, out),
            Content::Packet(packet) => {
                let context = message.context();
                multiplayer::write_json(packet, context, spelling, ArgumentBytes::Hex, out)
            }
            Content::Debugger(command) => {
                debugger::write_json(command, spelling, ArgumentBytes::Hex, out)
            }
            content => panic!("{content:?}"),
        })
    });
    let [plain, native] = json;
    [line(message.display()), plain, native]
}

/// Everything that takes the events of a capture.
struct Outputs {
    stats: Stats,
    diagnosis: Diagnosis,
    report: Report,
    rows: Rows,
    comments: Comments<Cursor<Vec<u8>>>,
    commented: u64,
    /// All messages, in order.
    shown: Vec<[String; 3]>,
    bytes: u64,
    values: u64,
    closed: usize,
}

impl Outputs {
    fn new() -> Outputs {
        Outputs {
            stats: Stats::new().with_intervals(Duration::from_millis(100)),
            diagnosis: Diagnosis::new(),
            report: Report::new(),
            rows: Rows::new(),
            comments: Comments::new(|| Ok(Cursor::new(Vec::new()))),
            commented: 0,
            shown: Vec::new(),
            bytes: 0,
            values: 0,
            closed: 0,
        }
    }

    fn event(&mut self, event: &Event<'_>) {
        self.stats.event(event);
        self.diagnosis.event(event);
        self.report.event(event);
        self.rows.event(event);
        let (place, len, text) = match event {
            Event::Message(message) => {
                let shown = shown(message);
                let text = shown[0].clone();
                self.shown.push(shown);
                self.bytes += message.bytes.len() as u64;
                self.values += u64::from(matches!(message.content, Content::Value(_)));
                (message.place, message.bytes.len(), text)
            }
            Event::Other(other) => (other.place, other.bytes.len(), line(other.reason)),
            Event::Lost(loss) => (loss.place, 16, line(loss.cause)),
            Event::Opened(summary) | Event::Recognized(summary) | Event::Closed(summary) => {
                line(summary);
                self.closed += usize::from(summary.closed().is_some());
                return;
            }
            event => panic!("{event:?}"),
        };
        self.commented += 1;
        self.comments.add(place.frame, len, &text).unwrap();
    }

    fn check_counts(&self) {
        let messages = self.shown.len() as u64;
        let all = |stats: &Stats| {
            let sum = |amounts: &mut dyn Iterator<Item = Amount>| {
                amounts.fold((0, 0), |(count, bytes), it| (count + it.count, bytes + it.bytes))
            };
            assert_eq!((stats.messages().count, stats.messages().bytes), (messages, self.bytes));
            let sides = [Side::First, Side::Second];
            let ends = stats.connections().flat_map(|it| sides.map(|side| it.messages(side)));
            assert_eq!(sum(&mut ends.into_iter()), (messages, self.bytes));
            let (commands, _) = sum(&mut stats.commands().map(|(_, amount)| amount));
            assert_eq!(commands + self.values, messages);
            if let Some(intervals) = stats.intervals() {
                let timed = intervals.iter().map(|it| it.amount);
                let all = sum(&mut timed.chain([intervals.untimed()]));
                assert_eq!(all, (messages, self.bytes));
            }
            assert_eq!(stats.connections().len(), self.closed);
        };
        all(&self.stats);
        all(self.report.stats());
        assert_eq!(self.diagnosis.connections().len(), self.closed);
        assert_eq!(self.diagnosis.findings(), self.report.diagnosis().findings());
    }

    fn check_json(&self) {
        let messages = self.shown.len();
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let stats = read(&written(|out| self.stats.write_json("\u{202e}\n.pcap", out)));
        assert_eq!(stats["messages"], messages);
        let flows = stats["flows"].as_array().unwrap();
        let of_flows = flows.iter().map(|flow| flow["messages"].as_u64().unwrap());
        assert_eq!(of_flows.sum::<u64>(), messages as u64);

        let diagnosis = read(&written(|out| self.diagnosis.write_json("a", out)));
        let findings = self.diagnosis.findings();
        assert_eq!(diagnosis["findings"].as_array().map(Vec::len), Some(findings.len()));
        for finding in findings {
            assert!(1 <= finding.first_frame && finding.first_frame <= finding.last_frame);
            line(finding.text);
        }

        let mut page = Page::new(Vec::new()).unwrap();
        page.add("a", "b", &self.report).unwrap();
        let page = String::from_utf8(page.finish().unwrap()).unwrap();
        let (_, data) =
            page.split_once("<script type=\"application/json\" class=\"capture\">").unwrap();
        let (data, _) = data.split_once("</script>").unwrap();
        let data = read(&line(data));
        assert_eq!(data["messages"], messages);
        assert_eq!(data["rows"]["text"].as_array().map(Vec::len), Some(messages.min(2000)));
    }

    fn check_rows(&mut self) {
        let take = |table| self.rows.take(table).unwrap();
        let [messages, losses, connections] =
            [Table::Messages, Table::Losses, Table::Connections].map(take);
        assert_eq!(messages.num_rows(), self.shown.len());
        assert_eq!(connections.num_rows(), 2 * self.closed);
        assert!(losses.num_rows() as u64 + messages.num_rows() as u64 <= self.commented);
        for name in ["value", "arguments", "properties", "rpc"] {
            for text in texts(&messages, name).flatten() {
                written(|out| {
                    out.extend_from_slice(text.as_bytes());
                    Ok(())
                });
            }
        }
        for (value, [_, plain, _]) in texts(&messages, "value").zip(&self.shown) {
            assert!(value.is_none_or(|value| value == plain));
        }
    }

    /// Writes a copy with comments, and reads it again.
    fn check_copy(self, file: &[u8], options: Options<'_>) {
        let mut copy = Vec::new();
        let done = annotate(file, self.comments, &mut copy).unwrap();
        let Annotated { comments, unplaced, .. } = done;
        assert!(comments <= self.commented && unplaced == 0 && done.damage.is_none());
        let mut found = 0;
        for text in comments_in(&copy) {
            let text = str::from_utf8(text).unwrap();
            assert!(text.starts_with(PREFIX));
            line(text);
            found += 1;
        }
        assert_eq!(found, comments);
        let len: usize = self.shown.iter().map(|[text, ..]| text.len()).sum();
        if len + 512 * self.commented as usize <= FEW {
            assert_eq!(comments, self.commented);
        }
        let mut again = Vec::new();
        let mut messages = Messages::with_options(&copy, options).unwrap();
        loop {
            // Small batches, as several threads would fill them.
            let mut batch = Batch::new(512);
            let has_more = messages.fill(&mut batch);
            for event in batch.iter() {
                if let Event::Message(message) = event {
                    again.push(shown(&message));
                }
            }
            if !has_more {
                break;
            }
        }
        assert_eq!(again, self.shown);
    }
}

fn texts<'b>(batch: &'b RecordBatch, name: &str) -> impl Iterator<Item = Option<&'b str>> {
    let column = batch.column_by_name(name).unwrap();
    column.as_any().downcast_ref::<StringArray>().unwrap().iter()
}

/// The comments on the packets of a little-endian pcapng file.
fn comments_in(mut file: &[u8]) -> impl Iterator<Item = &[u8]> {
    const ENHANCED_PACKET: u32 = 6;
    let number = |bytes: &[u8], at| u32::from_le_bytes(*bytes[at..].first_chunk().unwrap());
    let mut comments = Vec::new();
    while !file.is_empty() {
        let (block, rest) = file.split_at(number(file, 4) as usize);
        file = rest;
        if number(block, 0) != ENHANCED_PACKET {
            continue;
        }
        let mut options =
            &block[28 + number(block, 20).next_multiple_of(4) as usize..block.len() - 4];
        while let Some((&[kind, 0, low, high], rest)) = options.split_first_chunk() {
            let len = usize::from(u16::from_le_bytes([low, high]));
            if kind == 1 {
                comments.push(&rest[..len]);
            }
            options = &rest[len.next_multiple_of(4)..];
        }
    }
    comments.into_iter()
}

/// Options that do not depend on the recording. In the byte, the lowest bit is set for small limits.
fn options(how: u8) -> Options<'static> {
    let options = Options::new().with_measures();
    if how & 1 == 0 {
        return options;
    }
    let limits = Limits::default().with_flow_bytes(4 << 10).with_total_bytes(16 << 10);
    options.with_limits(limits.with_flows(2))
}

// The first byte is the number of the recording, the second one picks the options, and edits follow.
fuzz_target!(|input: &[u8]| {
    let Some((&[which, how], edits)) = input.split_first_chunk() else { return };
    let (path, recording) = &RECORDINGS[usize::from(which) % RECORDINGS.len()];
    let recording = recording.get_or_init(|| Recording::of(path));
    let mut packets = recording.packets.clone();
    edit(&mut packets, edits);
    let file = capture(recording.link_type, &packets);
    let mut outputs = Outputs::new();
    let mut messages = Messages::with_options(&file, options(how)).unwrap();
    while let Some(event) = messages.next_event() {
        outputs.event(&event);
    }
    outputs.check_counts();
    outputs.check_json();
    outputs.check_rows();
    outputs.check_copy(&file, options(how));
});
