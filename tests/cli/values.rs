//! Files with framed and raw values as input.

use crate::cli::run::{directory, frame, gdwire, on_capture};
use crate::common::{self, Sent, corpus, hex, lines, unhex, without_path_padding};
use gdwire::{Dialect, encode, parse, variant};
use serde_json::Value;
use std::fs;

const NIL: &[u8] = &[0; 4];
const SEVEN: &[u8] = &[2, 0, 0, 0, 7, 0, 0, 0];

#[test]
fn a_store_var_file_gives_all_values_with_their_places() {
    let sent: Vec<Sent> = lines("captures/godot3-file.ndjson");
    let file = fs::read(corpus("captures/godot3-file.bin")).unwrap();
    let run = on_capture(&["decode", "--format", "ndjson", "--hex"], "godot3-file.bin");
    assert_eq!((run.code, &*run.stderr, run.lines().len()), (0, "", sent.len()));
    for (line, sent) in run.lines().into_iter().zip(sent) {
        let message: Value = serde_json::from_str(line).unwrap();
        assert_eq!(message["offset"], sent.at.unwrap() + 4);
        assert_eq!(message["len"], sent.hex.len() / 2);
        let bytes = unhex(message["hex"].as_str().unwrap());
        assert_eq!(bytes, file[sent.at.unwrap() + 4..][..bytes.len()]);
        // In the file, the padding of node paths has other leftovers of the engine's buffer.
        let value = |bytes| without_path_padding(parse(Dialect::GODOT_3, bytes).unwrap());
        assert_eq!(value(&bytes), value(&unhex(&sent.hex)));
        assert!(line.starts_with("{\"offset\":"));
    }
}

#[test]
fn a_file_and_the_same_on_standard_input_are_the_same() {
    for name in ["godot3-file.bin", "godot3-udp.pcapng", "godot3-udp-bigendian.pcap"] {
        let file = fs::read(corpus("captures").join(name)).unwrap();
        let mapped = on_capture(&["decode"], name);
        let streamed = gdwire(&["decode", "-"], &file);
        assert_eq!((streamed.code, streamed.stdout), (0, mapped.stdout), "{name}");
    }
}

#[test]
fn a_damaged_frame_is_reported_and_the_next_is_read() {
    let file = [frame(NIL), frame(&[99, 0, 0, 0]), frame(SEVEN)].concat();
    let run = gdwire(&["decode", "-"], &file);
    assert_eq!((run.code, run.text()), (1, "null\n7\n"));
    assert_eq!(
        run.stderr,
        "gdwire: stdin: byte 12: the header of a value has type 99, which the dialect does not \
         know, in the frame at byte 8\n"
    );
}

#[test]
fn a_cut_last_frame_is_reported_at_every_length() {
    let file = [frame(NIL), frame(SEVEN)].concat();
    for len in 9..file.len() {
        let run = gdwire(&["decode", "--input", "framed", "-"], &file[..len]);
        assert_eq!((run.code, run.text()), (1, "null\n"), "{len}");
        let part = if len < 12 { "length needs 4" } else { "content needs 8" };
        let left = if len < 12 { len - 8 } else { len - 12 };
        let problem = format!("the file ends within this frame: its {part} bytes");
        let stderr = format!("gdwire: stdin: byte 8: {problem}, but only {left} follow\n");
        assert_eq!(run.stderr, stderr);
    }
}

#[test]
fn a_frame_over_the_limit_is_not_kept_in_memory() {
    let file = [frame(NIL), vec![0xff; 1000]].concat();
    let run = gdwire(&["decode", "--input", "framed", "-"], &file);
    assert_eq!((run.code, run.text()), (1, "null\n"));
    assert!(run.stderr.contains("more than the limit of 67108864"), "{}", run.stderr);
}

#[test]
fn raw_values_are_read_up_to_the_first_error() {
    let file = [SEVEN, NIL, &[99, 0, 0, 0], NIL].concat();
    let run = gdwire(&["decode", "-"], &file);
    assert_eq!((run.code, run.text()), (1, "7\nnull\n"));
    assert_eq!(
        run.stderr,
        "gdwire: stdin: byte 12: the header of a value has type 99, which the dialect does not \
         know; nothing after it is read\n"
    );
    let run = gdwire(&["decode", "--format", "ndjson", "-"], &file[..12]);
    let second = r#"{"offset":8,"len":4,"kind":"Nil","value":null}"#;
    assert_eq!((run.code, run.lines()[1]), (0, second));
}

#[test]
fn the_kind_of_input_is_detected_from_its_first_bytes() {
    let string = |text: &str| {
        let length = u32::try_from(text.len()).unwrap().to_le_bytes();
        [&[4, 0, 0, 0], &length[..], text.as_bytes()].concat()
    };
    let with_line_breaks = string(&"a\nb ".repeat(3_000));
    let damaged_first = [frame(&[99, 0, 0, 0]), frame(NIL)].concat();
    let path = directory("detect").join("input");
    for (file, code, count) in [
        (frame(&with_line_breaks), 0, 1),
        (with_line_breaks.clone(), 0, 1),
        ([with_line_breaks, SEVEN.to_vec()].concat(), 0, 2),
        ([string(&"a".repeat(256)), NIL.to_vec()].concat(), 0, 2),
        (damaged_first, 1, 1),
        (frame(NIL)[..6].to_vec(), 1, 0),
        (b"00000000\n02000000ff000000\n".to_vec(), 0, 2),
        (b"00000000\nzz\n".to_vec(), 1, 2),
        (b"x".to_vec(), 1, 0),
    ] {
        fs::write(&path, &file).unwrap();
        let mapped = gdwire(&["decode", path.to_str().unwrap()], b"");
        let streamed = gdwire(&["decode", "-"], &file);
        assert_eq!((mapped.code, mapped.lines().len()), (code, count), "{mapped:?}");
        assert_eq!((streamed.code, streamed.stdout), (code, mapped.stdout), "{}", streamed.stderr);
    }
}

#[test]
fn empty_input_has_no_values() {
    for input in ["auto", "framed", "raw", "hex", "base64"] {
        let run = gdwire(&["decode", "--input", input, "-"], b"");
        let warning = if input == "auto" { "gdwire: stdin: the input is empty\n" } else { "" };
        assert_eq!((run.code, run.stdout.len(), &*run.stderr), (0, 0, warning), "{input}");
    }
}

#[test]
fn double_reals_are_read_with_the_option() {
    let mut vector = vec![5, 0, 0, 0];
    vector.extend([1.5_f64.to_le_bytes(), 0.1_f64.to_le_bytes()].concat());
    let run = gdwire(&["decode", "--double", "--input", "raw", "-"], &vector);
    assert_eq!((run.code, run.text()), (0, "Vector2( 1.5, 0.1 )\n"));
}

#[test]
fn recorded_values_one_by_one_are_the_same_from_a_file_and_a_stream() {
    let path = directory("one-by-one").join("value");
    for value in lines::<common::Value>("godot3/values.ndjson") {
        let bytes = unhex(&value.hex);
        fs::write(&path, &bytes).unwrap();
        for dialect in ["auto", "godot3"] {
            let decode = ["decode", "--dialect", dialect];
            let mapped = gdwire(&[&decode[..], &[path.to_str().unwrap()]].concat(), b"");
            let streamed = gdwire(&[&decode[..], &["-"]].concat(), &bytes);
            let same = (mapped.code, &mapped.stdout) == (streamed.code, &streamed.stdout);
            assert!(same && mapped.code == 0, "{dialect} {}", value.hex);
            // A single value may also be several values of another dialect.
            assert!(dialect == "auto" || mapped.lines().len() == 1, "{}", value.hex);
        }
    }
}

#[test]
fn a_raw_value_that_is_cut_or_too_deep_is_one_error() {
    let cut = [&[19, 0, 0, 0, 200, 0, 0, 0], &SEVEN.repeat(100)[..]].concat();
    let deep = [19, 0, 0, 0, 1, 0, 0, 0].repeat(3_000);
    let line_break = [2, 0, 1, 0, 10, 0, 0, 0, 1, 0, 0, 0];
    for (file, code, failures) in [(&cut[..], 1, 1), (&deep, 1, 1), (&line_break, 0, 0)] {
        let run = gdwire(&["decode", "--dialect", "godot3", "-"], file);
        assert_eq!((run.code, run.stderr.lines().count()), (code, failures), "{}", run.stderr);
    }
}

#[test]
fn errors_name_the_path_in_the_value() {
    let value = encode(Dialect::GODOT_3, &variant!({"players": [{"name": "Zoë"}]})).unwrap();
    let mut wrong = value.clone();
    let at = wrong.windows(3).position(|bytes| bytes == b"Zo\xc3").unwrap();
    wrong[at] = 0xff;
    let problem = |offset: usize| format!("byte {offset}: ");
    let path = ", at /players/0/name";
    for (input, file, offset, end) in [
        ("raw", [SEVEN, &wrong[..]].concat(), 8 + at, "; nothing after it is read\n"),
        ("framed", [frame(NIL), frame(&wrong)].concat(), 12 + at, ", in the frame at byte 8\n"),
        ("hex", hex(&wrong).into_bytes(), at, "\n"),
    ] {
        let run = gdwire(&["decode", "--dialect", "godot3", "--input", input, "-"], &file);
        assert_eq!(run.code, 1);
        assert!(run.stderr.contains(&problem(offset)), "{}", run.stderr);
        assert!(run.stderr.ends_with(&format!("{path}{end}")), "{}", run.stderr);
    }
}
