//! `gdwire encode` and `gdwire convert`: from values to bytes.

use crate::cli::run::{directory, frame, gdwire, on_capture, recorded_lines};
use crate::common::corpus;
use std::fs;

#[test]
fn decoded_values_encode_to_the_same_bytes() {
    let hex = recorded_lines();
    for (format, input) in [("text", "text"), ("native", "native")] {
        let decoded = gdwire(&["decode", "--format", format, "-"], hex.as_bytes());
        assert_eq!((decoded.code, &*decoded.stderr), (0, ""));
        let arguments = ["encode", "--input", input, "--output", "hex", "-"];
        let encoded = gdwire(&arguments, &decoded.stdout);
        assert_eq!((encoded.code, &*encoded.stderr), (0, ""), "{format}");
        let different: Vec<_> = encoded
            .lines()
            .into_iter()
            .zip(hex.lines())
            .zip(decoded.lines())
            .filter(|((encoded, hex), _)| encoded != hex)
            .collect();
        assert!(different.is_empty(), "{format}: {different:?}");
    }
}

#[test]
fn a_store_var_file_is_the_same_after_conversion_to_text_and_back() {
    let decoded = on_capture(&["decode"], "godot3-file.bin");
    let encoded = gdwire(&["encode", "-"], &decoded.stdout);
    let converted = on_capture(&["convert"], "godot3-file.bin");
    assert_eq!((encoded.code, converted.code), (0, 0));
    assert!(encoded.stdout == converted.stdout);
    let file = fs::read(corpus("captures/godot3-file.bin")).unwrap();
    assert_eq!(converted.stdout.len(), file.len());
}

#[test]
fn a_capture_converts_to_a_store_var_file() {
    let path = directory("converted").join("values.dat");
    let path = path.to_str().unwrap();
    let run = on_capture(&["convert", "-o", path], "godot3-udp.pcapng");
    assert_eq!((run.code, run.stdout.len(), &*run.stderr), (0, 0, ""));
    let decoded = gdwire(&["decode", path], b"");
    let direct = on_capture(&["decode", "--plain"], "godot3-udp.pcapng");
    assert!(decoded.code == 0 && decoded.stdout == direct.stdout);
}

#[test]
fn literals_may_take_many_lines_or_share_one() {
    let text = b"{\n\"a\": 1\n}\n2 3\n\n\"x\ny\"\n";
    let run = gdwire(&["encode", "-"], text);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    let decoded = gdwire(&["decode", "-"], &run.stdout);
    assert_eq!(decoded.lines(), ["{ \"a\": 1 }", "2", "3", "\"x\\ny\""]);
}

/// Godot 4 reads the first two as empty containers.
#[test]
fn values_that_a_typed_container_cannot_hold_are_reported() {
    let text =
        b"Array[int]([\"a\"])\n[Dictionary[String, int]({ \"a\": null })]\nArray[float]([1])\n\
                 [Array[Node]([null]), Array[int]([1]), Dictionary[String, int]({ \"a\": 1 })]\n";
    let run = gdwire(&["encode", "--dialect", "godot4", "--output", "hex", "-"], text);
    let warnings = [("1", "int", "String"), ("2", "int", "Nil"), ("3", "float", "int")];
    let warnings = warnings.map(|(line, declared, kind)| {
        format!(
            "gdwire: stdin: line {line}: a container that is declared for values of type {declared} has one \
             of type {kind}: engines convert such a value, or leave it out\n"
        )
    });
    assert_eq!((run.code, run.stderr), (0, warnings.concat()));
    assert_eq!(run.stdout.iter().filter(|byte| **byte == b'\n').count(), 4);
}

/// Godot 3 and Pandemonium compare keys otherwise than Godot 4.
#[test]
fn keys_are_compared_as_the_engine_of_the_bytes_does() {
    for (dialect, text, entries) in [
        ("godot3", "{ {}: 1, {}: 2 }", 2),
        ("godot4", "{ {}: 1, {}: 2 }", 1),
        ("pandemonium4", r#"{ "hp": 1, @"hp": 2 }"#, 2),
        ("godot4", r#"{ "hp": 1, &"hp": 2 }"#, 1),
        ("godot3", "{ 1: 1, 1: 2 }", 1),
    ] {
        let arguments = ["encode", "--dialect", dialect, "--output", "hex", "-"];
        let run = gdwire(&arguments, text.as_bytes());
        assert_eq!((run.code, &*run.stderr), (0, ""), "{text}");
        let decoded = gdwire(&["decode", "--dialect", dialect, "--input", "hex", "-"], &run.stdout);
        assert_eq!(decoded.lines()[0].matches(": ").count(), entries, "{dialect} {text}");
    }
}

#[test]
fn mistakes_are_reported_with_their_place_and_the_next_line_is_read() {
    let run = gdwire(&["encode", "--output", "hex", "-"], b"1\n  Vektor2( 1 ) 5\nnull\n[1, }\n2\n");
    assert_eq!(run.lines(), ["0200000001000000", "00000000", "0200000002000000"]);
    assert_eq!(run.code, 1);
    let places: Vec<_> = run.stderr.lines().map(|line| line.split(": ").nth(2).unwrap()).collect();
    assert_eq!(places, ["line 2, column 3", "line 4, column 5"]);
    let documents = b"1\n\nnull\n  {}\n";
    let run = gdwire(&["encode", "--input", "native", "--output", "hex", "-"], documents);
    assert_eq!((run.code, run.lines()), (1, vec!["00000000"]));
    let places: Vec<_> = run.stderr.lines().map(|line| line.split(": ").nth(2).unwrap()).collect();
    assert_eq!(places, ["line 1, column 1", "line 4, column 3"]);
}

#[test]
fn framings_differ_only_around_a_value() {
    let seven = [2, 0, 0, 0, 7, 0, 0, 0];
    for (output, expected) in [
        ("framed", frame(&seven)),
        ("raw", seven.to_vec()),
        ("hex", b"0200000007000000\n".to_vec()),
        ("base64", b"AgAAAAcAAAA=\n".to_vec()),
    ] {
        assert_eq!(gdwire(&["encode", "--output", output, "-"], b"7").stdout, expected);
    }
}

/// Without `--dialect`, the error names the one that can express the value.
#[test]
fn values_that_only_another_engine_has_are_refused_with_the_option_for_it() {
    let text = b"[Vector2i(1, 2)]\n&\"name\"\n";
    let run = gdwire(&["encode", "-"], text);
    assert_eq!((run.code, run.stdout.len()), (1, 0));
    assert_eq!(
        run.stderr,
        "gdwire: stdin: line 1: /0: godot3 has no Vector2i; add --dialect godot4\n\
         gdwire: stdin: line 2: godot3 has no StringName; add --dialect godot4\n"
    );
    let run = gdwire(&["encode", "--dialect", "godot3", "-"], text);
    assert!(run.code == 1 && !run.stderr.contains("add --dialect"), "{}", run.stderr);
    assert_eq!(gdwire(&["encode", "--dialect", "godot4", "-"], text).code, 0);
}

#[test]
fn converting_is_canonical() {
    // An int of eight bytes that needs four; a key that occurs twice.
    let wide = "0200010007000000\
                00000000";
    let twice = "1200000002000000\
                 02000000010000000200000005000000\
                 02000000010000000200000006000000";
    let run = gdwire(&["convert", "--output", "hex", "-"], format!("{wide}\n{twice}\n").as_bytes());
    let once = "120000000100000002000000010000000200000006000000";
    assert_eq!((run.code, run.lines()), (0, vec!["0200000007000000", once]));
}

#[test]
fn a_byte_that_is_not_utf8_loses_only_its_line() {
    let one_two_three = ["0200000001000000", "0200000002000000", "0200000003000000"];
    for (input, text, place) in [
        ("text", &b"1\n2\n\xff\n3\n"[..], "line 3, column 1"),
        ("text", b"1 2 \"\xc3\xa4\xff\" 4\n3", "line 1, column 7"),
        ("text", b"1\n2\n3\n[\xff", "line 4, column 2"),
        ("native", b"\"i:1\"\n\"i:2\"\n \xff\n\"i:3\"\n", "line 3, column 2"),
    ] {
        let run = gdwire(&["encode", "--input", input, "--output", "hex", "-"], text);
        assert_eq!(run.lines(), one_two_three, "{text:?}");
        assert_eq!(run.code, 1);
        assert_eq!(run.stderr, format!("gdwire: stdin: {place}: not UTF-8\n"));
    }
}

#[test]
fn a_byte_order_mark_is_not_part_of_the_first_value() {
    for (input, text) in [("text", "\u{feff}null\n"), ("native", "\u{feff}null\n")] {
        let run = gdwire(&["encode", "--input", input, "--output", "hex", "-"], text.as_bytes());
        assert_eq!((run.code, run.text(), &*run.stderr), (0, "00000000\n", ""), "{input}");
    }
}

#[test]
fn native_json_that_is_read_as_text_is_reported_once() {
    let encode = ["encode", "--output", "hex", "-"];
    let note = "this looks like native JSON, but is read as text; add --input native if it is \
                native JSON";
    for (text, line) in [
        ("{\"type\":\"Vector2\",\"args\":[1,2]}\n{\"type\":\"RID\"}\n", Some(1)),
        ("null\ntrue\n\"i:1\"\n\"i:2\"\n", Some(3)),
        ("{\"type\":\"weapon\",\"args\":[1,2]}\n", None),
        ("[1, 2]\n\"i:1\"\n", None),
        ("null\n[]\n", None),
    ] {
        let run = gdwire(&encode, text.as_bytes());
        let expected = line.map(|line| format!("gdwire: stdin: line {line}: {note}\n"));
        assert_eq!((run.code, run.stderr), (0, expected.unwrap_or_default()), "{text}");
    }
}
