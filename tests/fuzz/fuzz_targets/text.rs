//! Literals: a value that is read and written, in either layout, is read as the same value again.

#![no_main]

use gdwire::text::{Layout, parse as parse_text, parse_prefix};
use gdwire::{Dialect, encode, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(input) = str::from_utf8(input) else { return };
    if let Err(error) = parse_prefix(input) {
        assert!(error.offset <= input.len());
    }
    let Ok(value) = parse_text(input) else { return };
    // A value that no engine can read, for example a string with a NUL, cannot be written.
    let dialect = Dialect::GODOT_3.with_double_reals();
    let Ok(bytes) = encode(dialect, &value) else { return };
    // Engines drop a byte order mark when they read it.
    if bytes.windows(3).any(|bytes| bytes == "\u{feff}".as_bytes()) {
        return;
    }
    let view = parse(dialect, &bytes).unwrap();
    let again = encode(dialect, &view).unwrap();
    for layout in [Layout::Multiline, Layout::Line] {
        let text = view.display(layout).to_string();
        let read = parse_text(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(encode(dialect, &read).unwrap(), again, "{text}");
    }
});
