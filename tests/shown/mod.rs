//! Values and packets as they are shown to people: fitted to a width, in colours, over several
//! lines.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests are tests"
)]

use crate::common::{corpus, recorded_values, unhex};
use gdwire::capture::Messages;
use gdwire::follow::{Content, Event};
use gdwire::text::{Layout, Palette, Role, Show, cells};
use gdwire::{Dialect, Packed, Variant, encode, parse, variant};
use std::collections::HashSet;
use std::fmt::Display;
use std::fs;

/// A palette that marks every role.
fn marking() -> Palette<'static> {
    let roles = [
        (Role::Plain, "\x1b[30m"),
        (Role::Key, "\x1b[31m"),
        (Role::String, "\x1b[32m"),
        (Role::Number, "\x1b[33m"),
        (Role::Constant, "\x1b[34m"),
        (Role::Path, "\x1b[35m"),
        (Role::Method, "\x1b[36m"),
        (Role::Command, "\x1b[1m"),
        (Role::Omitted, "\x1b[2m"),
    ];
    roles.into_iter().fold(Palette::new(), |palette, (role, start)| palette.with(role, start))
}

/// A text without its styles. Each style must have an end.
fn without_styles(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    let mut is_styled = false;
    while let Some((before, after)) = rest.split_once('\x1b') {
        plain += before;
        let (style, behind) = after.split_once('m').unwrap();
        assert_ne!(style == "[0", !is_styled, "{text}");
        (is_styled, rest) = (!is_styled, behind);
    }
    assert!(!is_styled, "{text}");
    plain + rest
}

/// Checks the text of a value or packet at every ninth width, from another one each time: together,
/// the texts have every width.
fn check<S: Display>(name: &str, whole: &str, show: impl Fn(Show<'static>) -> S, number: usize) {
    assert_eq!(show(Show::new()).to_string(), whole, "{name}");
    let coloured = show(Show::new().with_palette(marking())).to_string();
    assert_eq!(without_styles(&coloured), whole, "{name}");
    let width_of_all = cells(whole);
    let ends = [width_of_all.saturating_sub(1).max(1), width_of_all, width_of_all + 1];
    let widths = (20 + number % 9..200.min(width_of_all)).step_by(9);
    for width in widths.chain(ends) {
        let fitted = show(Show::new().fitted(width)).to_string();
        assert!(cells(&fitted) <= width, "{name}: {width}: {fitted}");
        assert_eq!(fitted == whole, width_of_all <= width, "{name}: {width}: {fitted}");
        assert!(fitted == whole || fitted.contains('…'), "{name}: {width}: {fitted}");
        if width % 5 == 0 {
            let coloured = show(Show::new().fitted(width).with_palette(marking())).to_string();
            assert_eq!(without_styles(&coloured), fitted, "{name}");
        }
    }
    for width in [40, 100] {
        let pretty = show(Show::new().pretty(width, 0, 0).with_palette(marking())).to_string();
        let pretty = without_styles(&pretty);
        assert_eq!(squeezed(&pretty), squeezed(whole), "{name}");
        assert!(!pretty.contains(" \n"), "{name}: {pretty:?}");
        if width_of_all < width {
            assert_eq!(pretty, whole, "{name}");
        }
    }
}

/// A text without the space between its pieces.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn every_recorded_value_fits_every_width() {
    for (number, (dialect, line)) in recorded_values().into_iter().enumerate() {
        let bytes = unhex(&line.hex);
        let value = parse(dialect, &bytes).unwrap();
        let whole = value.display(Layout::Line).to_string();
        check(&line.name, &whole, |options| value.show(options).to_string(), number);
    }
}

#[test]
fn every_recorded_message_fits_every_width() {
    let mut shown = HashSet::new();
    for entry in fs::read_dir(corpus("captures")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if !name.ends_with(".pcap") && !name.ends_with(".pcapng") {
            continue;
        }
        let file = fs::read(&path).unwrap();
        let mut messages = Messages::new(&file).unwrap();
        while let Some(event) = messages.next_event() {
            let Event::Message(message) = event else { continue };
            // Values were checked already, unless they are in packets.
            let Content::Packet(packet) = message.content else { continue };
            let whole = packet.display(message.context()).to_string();
            // Most messages differ only in their digits.
            let form = whole.replace(|digit: char| digit.is_ascii_digit(), "0");
            if shown.insert(form) {
                let show = |options| packet.show(message.context(), options).to_string();
                check(name, &whole, show, shown.len());
            }
        }
    }
    assert!(shown.len() > 500, "{}", shown.len());
}

fn fitted(value: &Variant, width: usize) -> String {
    let bytes = encode(Dialect::GODOT_4, value).unwrap();
    let value = parse(Dialect::GODOT_4, &bytes).unwrap();
    value.show(Show::new().fitted(width)).to_string()
}

#[test]
fn keys_stay_and_long_values_are_shortened() {
    let numbers: Vec<Variant> = (0..100).map(Variant::from).collect();
    let floats: Vec<f32> = (0..1_000).map(|number| number as f32 / 2.0).collect();
    let value = variant!({
        "name": "a name that is far too long for the line that it is shown in",
        "numbers": numbers,
        "nested": { "a": { "b": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] } },
        "floats": Packed(floats),
        "hp": 87,
    });
    assert_eq!(
        fitted(&value, 80),
        r#"{ "name": "a name that i"…+47 B, "numbers": [0, …+99], "nested": {…+1}, …+2 }"#
    );
}

#[test]
fn a_large_value_is_cut_to_the_width() {
    let floats: Vec<f32> = (0..4_000_000).map(|number| number as f32).collect();
    let many: Vec<Variant> = (0..1_000_000).map(Variant::from).collect();
    let deep = (0..1_000).fold(variant!(1), |inner, _| variant!([inner, "x"]));
    for value in
        [variant!({ "floats": Packed(floats), "end": 1 }), variant!([many, 2]), variant!([deep])]
    {
        let bytes = encode(Dialect::GODOT_4, &value).unwrap();
        let value = parse(Dialect::GODOT_4, &bytes).unwrap();
        let fitted = value.show(Show::new().fitted(80)).to_string();
        assert!(cells(&fitted) <= 80 && fitted.len() > 20, "{fitted}");
    }
}

#[test]
fn packed_arrays_fill_lines() {
    let points = vec![gdwire::math::Vector2::new(1.5_f32, 2.0); 5];
    let array = variant!({ "points": Variant::PackedVector2Array(points.into()) });
    let bytes = encode(Dialect::GODOT_3, &array).unwrap();
    let shown = parse(Dialect::GODOT_3, &bytes).unwrap().show(Show::new().pretty(40, 0, 0));
    assert_eq!(
        shown.to_string(),
        "{\n  \"points\": PoolVector2Array( 1.5, 2,\n    1.5, 2, 1.5, 2, 1.5, 2, 1.5, 2 )\n}"
    );
    let strings = variant!(Variant::PackedStringArray(vec!["a, \" b".into(), "c".repeat(30)]));
    let bytes = encode(Dialect::GODOT_4, &strings).unwrap();
    let shown = parse(Dialect::GODOT_4, &bytes).unwrap().show(Show::new().pretty(40, 0, 0));
    let expected = format!("PackedStringArray(\"a, \\\" b\",\n  \"{}\")", "c".repeat(30));
    assert_eq!(shown.to_string(), expected);
    // Only text without a place to break is longer than a line.
    for (dialect, line) in recorded_values() {
        let bytes = unhex(&line.hex);
        let value = parse(dialect, &bytes).unwrap();
        let pretty = value.show(Show::new().pretty(60, 0, 0)).to_string();
        let is_other = pretty.contains('"') || !pretty.starts_with('P');
        assert!(is_other || pretty.lines().all(|line| cells(line) <= 60), "{pretty}");
    }
}
