//! Expressions, patterns, and the frames, times and addresses in arguments of the command: reading
//! them ends without a panic, and they match what they should.

#![no_main]

#[allow(dead_code, reason = "the command also uses the other functions")]
#[path = "../../../src/bin/gdwire/args/places.rs"]
mod places;

use gdwire::expression::{Expression, JsonValue};
use gdwire::multiplayer::Pattern;
use gdwire::{Dialect, parse};
use libfuzzer_sys::fuzz_target;
use std::net::SocketAddr;

// The input: an expression, a line break, and the bytes of a value.
fuzz_target!(|input: &[u8]| {
    let at = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let (text, bytes) = input.split_at(at);
    let bytes = bytes.get(1..).unwrap_or(&[]);
    let Ok(text) = std::str::from_utf8(text) else { return };
    match Expression::parse(text) {
        Ok(expression) => {
            let fields = [("frame", JsonValue::from(7_u64)), ("time", JsonValue::NULL)];
            let _ = expression.selects(&JsonValue::record(&fields));
            if let Ok(value) = parse(Dialect::GODOT_4, bytes) {
                let first = expression.selects(&value.into());
                assert_eq!(first, expression.selects(&value.into()));
            }
        }
        Err(error) => {
            assert!(error.offset() <= text.len());
            assert!(error.with_text(text).to_string().ends_with('^'));
        }
    }
    let path = String::from_utf8_lossy(bytes);
    let pattern = Pattern::new(text);
    if !text.contains(['*', '?']) {
        assert_eq!(pattern.matches(&path), pattern == Pattern::new(&path));
    }
    assert!(Pattern::new("**").matches(&path));
    if let Ok(frames) = text.parse::<places::FrameRange>() {
        assert!(!frames.contains(0) || text.starts_with('0'));
    }
    if let Ok(moment) = text.parse::<places::Moment>()
        && let Some(time) = moment.nanoseconds(Some(0))
    {
        assert!(moment.nanoseconds(None).is_none_or(|other| other == time));
    }
    if let Ok(end) = text.parse::<SocketAddr>() {
        let parsed: places::EndFilter = text.parse().unwrap();
        assert!(parsed.matches(end, None) && !parsed.is_named());
    }
    if let Some(name) = places::EndName::of(text) {
        assert_eq!(name.to_string().parse(), Ok(places::EndFilter::Named(name)));
    }
    if let Ok(net) = text.parse::<places::Net>() {
        let (_, spelled) =
            net.to_string().split_once(' ').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        assert_eq!(spelled.parse::<places::Net>().unwrap(), net);
    }
});
