//! Hex and base64 as input: each line of input gives one line of output.

use crate::cli::run::{directory, gdwire, recorded_lines};
use crate::common::{Verdict, lines};
use std::fs;

#[test]
fn every_line_gives_one_line() {
    let verdicts: Vec<Verdict> = lines("godot3/verdicts.ndjson");
    let input: String = verdicts.iter().map(|verdict| format!("{}\n", verdict.hex)).collect();
    for format in ["text", "ndjson", "native", "hex"] {
        let run = gdwire(&["decode", "-q", "--format", format, "-"], input.as_bytes());
        assert_eq!((run.code, run.lines().len(), &*run.stderr), (1, verdicts.len(), ""));
        let is_error = |line: &&&str| {
            let json = r#","offset":0,"error":"#;
            if format == "ndjson" { line.contains(json) } else { line.starts_with("error: ") }
        };
        let errors = run.lines().iter().filter(is_error).count();
        assert!(errors > verdicts.len() / 10 && errors < verdicts.len());
    }
}

#[test]
fn conversions_are_the_verdicts_of_the_engines() {
    let verdicts: Vec<Verdict> = lines("godot3/verdicts.ndjson");
    let input: String = verdicts.iter().map(|verdict| format!("{}\n", verdict.hex)).collect();
    let run = gdwire(&["convert", "-q", "--output", "hex", "-"], input.as_bytes());
    assert_eq!((run.code, run.lines().len()), (1, verdicts.len()));
    let same = run.lines().into_iter().zip(&verdicts).filter(|(line, verdict)| {
        *line == verdict.verdict || line.starts_with("error: ") && verdict.verdict == "reject"
    });
    let same = same.count();
    assert!(same * 10 > verdicts.len() * 9, "{same} of {}", verdicts.len());
}

#[test]
fn recorded_values_convert_to_themselves() {
    let input = recorded_lines();
    for output in ["hex", "base64"] {
        let there = gdwire(&["convert", "--output", output, "-"], input.as_bytes());
        let back = ["convert", "--input", output, "--output", "hex", "-"];
        assert_eq!((there.code, &*there.stderr), (0, ""));
        assert!(gdwire(&back, &there.stdout).text() == input, "{output}");
    }
}

#[test]
fn lines_that_are_not_a_value_give_the_reason() {
    let input = b"\nzz\n000\n020000\n63000000\r\n 02000000 07000000 \n00000000";
    let run = gdwire(&["decode", "--input", "hex", "-"], input);
    assert_eq!(
        run.lines(),
        [
            "error: the line is empty",
            "error: not a hex string: unexpected character 'z' at column 1",
            "error: not a hex string: 3 digits, but each byte needs two",
            "error: byte 0: the input ends inside the header of a value: 4 bytes are needed, 3 are left",
            "error: byte 0: the header of a value has type 99, which the dialect does not know",
            "7",
            "null",
        ]
    );
    assert_eq!(run.code, 1);
    let errors = (1..).zip(run.lines()).filter_map(|(number, line)| {
        let reason = line.strip_prefix("error: ")?;
        Some(format!("gdwire: stdin: line {number}: {reason}\n"))
    });
    assert_eq!(run.stderr, errors.collect::<String>());
    let quiet = gdwire(&["decode", "-q", "--input", "hex", "-"], input);
    assert_eq!((quiet.code, quiet.stdout, &*quiet.stderr), (1, run.stdout, ""));
}

#[test]
fn bytes_after_a_value_are_ignored_with_a_warning() {
    let input = b"0000000001020304\n0000000005\n";
    let run = gdwire(&["decode", "-"], input);
    assert_eq!((run.code, run.text()), (0, "null\nnull\n"));
    assert_eq!(
        run.stderr,
        "gdwire: stdin: line 1: byte 4: ignored 4 bytes after the value\n\
         gdwire: stdin: line 2: byte 4: ignored 1 byte after the value\n"
    );
    let run = gdwire(&["decode", "--strict", "-"], input);
    assert_eq!((run.code, run.stderr.lines().count()), (1, 2));
    assert!(run.lines().iter().all(|line| line.starts_with("error: byte 4: ")));
}

/// Errors do not flood the terminal, unless the user wants all.
#[test]
fn twenty_errors_of_each_input_are_shown_and_the_others_counted() {
    let zeros = directory("flood").join("zeros");
    fs::write(&zeros, vec![0; 400_000]).unwrap();
    let zeros = zeros.to_str().unwrap();
    let run = gdwire(&["decode", "--input", "framed", zeros, "-"], &[0; 4 * 21]);
    assert_eq!((run.code, run.stdout.len()), (1, 0));
    let lines: Vec<_> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 42);
    assert_eq!(lines[20], format!("gdwire: {zeros}: 99980 more errors; --verbose shows all"));
    assert_eq!(lines[41], "gdwire: stdin: 1 more error; --verbose shows all");
    let all = gdwire(&["decode", "--verbose", "--input", "framed", zeros], b"");
    let is_error = |line: &&str| line.contains("the input ends inside the header");
    assert_eq!(all.stderr.lines().filter(is_error).count(), 100_000);
    // Warnings about lines are counted, too.
    let run = gdwire(&["decode", "-"], "0000000001020304\n".repeat(50).as_bytes());
    assert_eq!((run.code, run.lines().len(), run.stderr.lines().count()), (0, 50, 21));
    assert!(run.stderr.ends_with("gdwire: stdin: 30 more warnings; --verbose shows all\n"));
    let run = gdwire(&["encode", "-"], "x\n".repeat(25).as_bytes());
    assert!(run.stderr.ends_with("gdwire: stdin: 5 more errors; --verbose shows all\n"));
}

#[test]
fn a_line_of_any_length_is_one_error() {
    let long = [&vec![b'0'; 40 << 20][..], b"\n0200000007000000\n"].concat();
    let run = gdwire(&["decode", "--input", "hex", "-"], &long);
    let problem = "error: the line is longer than 33554432 bytes";
    assert_eq!((run.code, run.lines()), (1, vec![problem, "7"]));
}

#[test]
fn base64_is_read_with_and_without_padding() {
    let run = gdwire(&["decode", "--input", "base64", "-"], b"AgAAAAcAAAA=\nAgAAAAcAAAA\n*\n");
    assert_eq!(
        (run.code, run.text()),
        (1, "7\n7\nerror: not a base64 string: unexpected character '*' at column 1\n")
    );
}

#[test]
fn lines_that_fail_are_reported_where_the_output_has_no_lines() {
    let run = gdwire(&["convert", "--input", "hex", "--output", "raw", "-"], b"zz\n00000000\n");
    assert_eq!((run.code, &*run.stdout), (1, &[0; 4][..]));
    assert_eq!(
        run.stderr,
        "gdwire: stdin: line 1: not a hex string: unexpected character 'z' at column 1\n"
    );
}
