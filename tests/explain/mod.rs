//! Messages explained byte by byte: the fields cover every byte once, whatever the bytes are.

mod messages;
mod packets;
mod tshark;
mod values;

use crate::common;
use core::ops::ControlFlow;
use gdwire::explain::{Detail, Field};

/// No limit on the number of fields.
const ALL: Detail = Detail::new().with_items(usize::MAX).with_fields(usize::MAX);

/// A field, with its texts.
#[derive(Debug, PartialEq)]
struct Line {
    offset: usize,
    bytes: Vec<u8>,
    depth: usize,
    name: String,
    value: String,
}

/// Collects the fields that a function reports.
fn collect(
    explain: impl FnOnce(&mut dyn FnMut(&Field<'_>) -> ControlFlow<()>) -> ControlFlow<()>,
) -> Vec<Line> {
    let mut lines = Vec::new();
    let _ = explain(&mut |field| {
        let Field { offset, bytes, depth, name, value, .. } = field;
        lines.push(Line {
            offset: *offset,
            bytes: bytes.to_vec(),
            depth: *depth,
            name: name.to_string(),
            value: value.to_string(),
        });
        ControlFlow::Continue(())
    });
    lines
}

/// Asserts that the fields cover all bytes, each once and in order.
#[track_caller]
fn assert_tiled(lines: &[Line], bytes: &[u8], what: &str) {
    let mut at = 0;
    for line in lines {
        assert_eq!(line.offset, at, "{what}: {line:?}");
        assert!(!line.bytes.is_empty() || line.name == "not readable", "{what}: {line:?}");
        assert_eq!(bytes.get(at..at + line.bytes.len()), Some(&line.bytes[..]), "{what}: {line:?}");
        at += line.bytes.len();
    }
    assert_eq!(at, bytes.len(), "{what}: the end is missing");
}

/// The fields as text.
fn shown(lines: &[Line]) -> Vec<String> {
    let line = |line: &Line| {
        let indent = "  ".repeat(line.depth);
        let hex = common::hex(&line.bytes);
        format!("{:04x} {hex} {indent}{}: {}", line.offset, line.name, line.value)
    };
    lines.iter().map(line).collect()
}
