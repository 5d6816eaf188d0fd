//! The outputs for any packets: all analyses count the same messages, their JSON can be read, and
//! no text from the network disturbs a line.

#![no_main]

#[path = "../../common/files.rs"]
#[allow(dead_code, reason = "the other functions are those of the tests")]
mod files;
#[path = "../packets.rs"]
#[allow(dead_code, reason = "the limits are compared by another target")]
mod packets;

use arrow_array::{Array, RecordBatch, StringArray};
use gdwire::capture::Messages;
use gdwire::capture::annotate::{Annotated, Comments, PREFIX, annotate};
use gdwire::debugger;
use gdwire::diagnose::Diagnosis;
use gdwire::export::{Rows, Table};
use gdwire::follow::{Batch, Content, Event, Message};
use gdwire::json::{self, Spelling};
use gdwire::multiplayer::{self, ArgumentBytes};
use gdwire::net::Side;
use gdwire::report::{Page, Report};
use gdwire::stats::{Amount, Stats};
use gdwire::text::disturbs_line;
use libfuzzer_sys::fuzz_target;
use packets::{Built, Head};
use serde::de::IgnoredAny;
use serde_json::Value;
use std::cell::RefCell;
use std::fmt::Display;
use std::io::{self, Cursor};
use std::rc::Rc;
use std::time::Duration;

/// The length of a capture of which no packet can have so many comments that some are left out.
const FEW: usize = 64 << 10;

/// A text that is shown on one line.
fn line(text: impl Display) -> String {
    let text = text.to_string();
    assert!(!text.contains(disturbs_line), "{text:?}");
    text
}

/// The text that a function writes, which must be JSON on one line.
fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    let text = line(str::from_utf8(&out).unwrap());
    if let Err(error) = serde_json::from_str::<IgnoredAny>(&text) {
        panic!("{error}: {text}");
    }
    text
}

fn json_of(message: &Message<'_>, spelling: Spelling) -> String {
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
}

/// All forms in which one message is written.
fn shown(message: &Message<'_>) -> [String; 3] {
    let [plain, native] = [Spelling::Plain, Spelling::Native].map(|it| json_of(message, it));
    [line(message.display()), plain, native]
}

/// Totals over the events of a capture.
#[derive(Default)]
struct Totals {
    messages: u64,
    bytes: u64,
    values: u64,
    closed: usize,
}

impl Totals {
    /// Passes all events of a capture to a function, and counts them.
    fn of(file: &[u8], head: Head, mut take: impl FnMut(&Event<'_>)) -> Totals {
        let mut totals = Totals::default();
        let mut messages = Messages::with_options(file, head.options().with_measures()).unwrap();
        while let Some(event) = messages.next_event() {
            take(&event);
            match event {
                Event::Message(message) => {
                    totals.messages += 1;
                    totals.bytes += message.bytes.len() as u64;
                    totals.values += u64::from(matches!(message.content, Content::Value(_)));
                }
                Event::Closed(_) => totals.closed += 1,
                _ => {}
            }
        }
        totals
    }

    fn check(&self, stats: &Stats) {
        let all = (self.messages, self.bytes);
        let sum = |amounts: &mut dyn Iterator<Item = Amount>| {
            amounts.fold((0, 0), |(count, bytes), it| (count + it.count, bytes + it.bytes))
        };
        assert_eq!((stats.messages().count, stats.messages().bytes), all);
        let sides = [Side::First, Side::Second];
        let ends = stats.connections().flat_map(|it| sides.map(|side| it.messages(side)));
        assert_eq!(sum(&mut ends.into_iter()), all);
        let (commands, _) = sum(&mut stats.commands().map(|(_, amount)| amount));
        assert_eq!(commands + self.values, self.messages);
        if let Some(intervals) = stats.intervals() {
            let timed = intervals.iter().map(|it| it.amount);
            assert_eq!(sum(&mut timed.chain([intervals.untimed()])), all);
        }
        assert_eq!(stats.connections().len(), self.closed);
    }
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn check_counts(file: &[u8], head: Head) {
    let mut stats = Stats::new().with_intervals(Duration::from_millis(100));
    let totals = Totals::of(file, head, |event| stats.event(event));
    totals.check(&stats);
    let stats = read(&written(|out| stats.write_json("\u{202e}\n.pcap", out)));
    assert_eq!(stats["messages"], totals.messages);
    let flows = stats["flows"].as_array().unwrap();
    let of_flows = flows.iter().map(|flow| flow["messages"].as_u64().unwrap());
    assert_eq!(of_flows.sum::<u64>(), totals.messages);
}

fn check_report(file: &[u8], head: Head) {
    let (mut diagnosis, mut report) = (Diagnosis::new(), Report::new());
    let totals = Totals::of(file, head, |event| {
        diagnosis.event(event);
        report.event(event);
    });
    totals.check(report.stats());
    assert_eq!(diagnosis.connections().len(), totals.closed);
    let findings = diagnosis.findings();
    assert_eq!(findings, report.diagnosis().findings());
    let written = read(&written(|out| diagnosis.write_json("a", out)));
    assert_eq!(written["findings"].as_array().map(Vec::len), Some(findings.len()));
    for finding in findings {
        assert!(1 <= finding.first_frame && finding.first_frame <= finding.last_frame);
        line(finding.text);
    }

    let page = added_to_page(&report);
    let data = page.strip_prefix("<script type=\"application/json\" class=\"capture\">").unwrap();
    let (data, rest) = data.split_once("</script>").unwrap();
    assert_eq!(rest, "\n");
    let data = read(&line(data));
    assert_eq!(data["messages"], totals.messages);
    let rows = totals.messages.min(2000) as usize;
    assert_eq!(data["rows"]["text"].as_array().map(Vec::len), Some(rows));
}

/// A buffer that can be read while a page writes into it.
#[derive(Clone, Default)]
struct Buffer(Rc<RefCell<Vec<u8>>>);

impl io::Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The text that a report adds to a page. There is one page for all of them, because it begins with
/// long scripts.
fn added_to_page(report: &Report) -> String {
    thread_local! {
        static PAGE: (Buffer, RefCell<Page<Buffer>>) = {
            let buffer = Buffer::default();
            (buffer.clone(), Page::new(buffer).unwrap().into())
        };
    }
    PAGE.with(|(buffer, page)| {
        buffer.0.borrow_mut().clear();
        page.borrow_mut().add("a", "b", report).unwrap();
        String::from_utf8(buffer.0.take()).unwrap()
    })
}

fn check_rows(file: &[u8], head: Head) {
    let (mut rows, mut plain, mut lost) = (Rows::new(), Vec::new(), 0);
    let totals = Totals::of(file, head, |event| {
        rows.event(event);
        match event {
            Event::Message(message) => plain.push(json_of(message, Spelling::Plain)),
            Event::Other(_) | Event::Lost(_) => lost += 1,
            _ => {}
        }
    });
    let mut take = |table| rows.take(table).unwrap();
    let [messages, losses, connections] =
        [Table::Messages, Table::Losses, Table::Connections].map(&mut take);
    assert_eq!(messages.num_rows(), plain.len());
    assert_eq!(connections.num_rows(), 2 * totals.closed);
    assert!(losses.num_rows() <= lost);
    for name in ["value", "arguments", "properties", "rpc"] {
        for text in texts(&messages, name).flatten() {
            written(|out| {
                out.extend_from_slice(text.as_bytes());
                Ok(())
            });
        }
    }
    for (value, plain) in texts(&messages, "value").zip(&plain) {
        assert!(value.is_none_or(|value| value == plain));
    }
}

/// Writes a copy with comments, and reads it again.
fn check_copy(file: &[u8], head: Head) {
    let mut comments = Comments::new(|| Ok(Cursor::new(Vec::new())));
    let (mut commented, mut len, mut all) = (0, 0, Vec::new());
    Totals::of(file, head, |event| {
        let (place, bytes, text) = match event {
            Event::Message(message) => {
                let shown = shown(message);
                let text = shown[0].clone();
                len += text.len();
                all.push(shown);
                (message.place, message.bytes.len(), text)
            }
            Event::Other(other) => (other.place, other.bytes.len(), line(other.reason)),
            Event::Lost(loss) => (loss.place, 16, line(loss.cause)),
            Event::Opened(summary) | Event::Recognized(summary) | Event::Closed(summary) => {
                line(summary);
                return;
            }
            event => panic!("{event:?}"),
        };
        commented += 1;
        comments.add(place.frame, bytes, &text).unwrap();
    });
    let mut copy = Vec::new();
    let Annotated { comments, unplaced, damage, .. } = annotate(file, comments, &mut copy).unwrap();
    assert!(comments <= commented && unplaced == 0 && damage.is_none());
    let mut found = 0;
    for text in comments_in(&copy) {
        let text = str::from_utf8(text).unwrap();
        assert!(text.starts_with(PREFIX));
        line(text);
        found += 1;
    }
    assert_eq!(found, comments);
    if len + 512 * commented as usize <= FEW {
        assert_eq!(comments, commented);
    }
    let mut again = Vec::new();
    let mut messages = Messages::with_options(&copy, head.options().with_measures()).unwrap();
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
    assert_eq!(again, all);
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

fuzz_target!(|input: &[u8]| {
    let Some((head, built)) = Head::split(input) else { return };
    let packets: Vec<_> = built.iter().map(Built::packet).collect();
    let file = files::pcapng(&packets);
    let check = match head.way % 4 {
        0 => check_counts,
        1 => check_report,
        2 => check_rows,
        _ => check_copy,
    };
    check(&file, head);
});
