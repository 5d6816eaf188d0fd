//! Files that are neither captures nor value files: the error says what they look like.

use crate::cli::run::{directory, frame, gdwire};
use crate::common::corpus;
use std::fs;

/// The first bytes of a file, and what it looks like.
const FORMATS: &[(&[u8], &str)] = &[
    (b"\xfd7zXZ\x00\x00\x04", "xz data; unpack it first, for example with unxz"),
    (b"BZh91AY", "bzip2 data; unpack it first, for example with bunzip2"),
    (b"PK\x03\x04\x14\x00", "a zip archive; extract its files first, for example with unzip"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive; extract its files first, for example with 7z"),
    (b"RSRC\x00\x00\x00\x00", "a Godot resource; gdwire does not read resources"),
    (b"RSCC\x02\x00\x00\x00", "a compressed Godot resource; gdwire does not read resources"),
    (b"GDPC\x02\x00\x00\x00", "a Godot package (.pck); gdwire reads pcap and pcapng captures"),
    (b"GDSC\x64\x00\x00\x00", "a compiled GDScript file; gdwire reads "),
    (b"GDST\x40\x00", "a Godot texture; gdwire reads "),
    (b"GST2\x01\x00", "a Godot texture; gdwire reads "),
    (
        b"snoop\x00\x00\x00",
        "a snoop capture; convert it to pcapng first, for example with Wireshark's editcap",
    ),
    (b"GMBU\x00\x02", "a Microsoft Network Monitor capture; convert it to pcapng first"),
    (
        b"\xa1\xb2\xcd\x34\x00\x02",
        "a capture in a modified pcap format; convert it to pcapng first",
    ),
    (b"\x89PNG\r\n\x1a\n", "a PNG image; gdwire reads "),
    (b"\xff\xd8\xff\xe0", "a JPEG image; gdwire reads "),
    (b"GIF89a", "a GIF image; gdwire reads "),
    (b"RIFF\x24\x00", "a RIFF file (WAV, WebP or AVI); gdwire reads "),
    (b"OggS\x00\x02", "an Ogg file; gdwire reads "),
    (b"%PDF-1.7", "a PDF document; gdwire reads "),
    (b"SQLite format 3\x00", "an SQLite database; gdwire reads "),
    (b"\x7fELF\x02\x01", "an ELF program or library; gdwire reads "),
    (b"MZ\x90\x00\x03\x00", "a Windows program or library (PE); gdwire reads "),
    (b"\xcf\xfa\xed\xfe\x07\x00", "a macOS program or library (Mach-O); gdwire reads "),
    (b"\xff\xfe{\x00\"\x00a\x00", "text in UTF-16; save it in UTF-8"),
    (b"\xfe\xff\x00{\x00\"", "text in UTF-16; save it in UTF-8"),
];

/// The beginning of a text, and what it looks like.
const TEXTS: &[(&[u8], &str)] = &[
    (b"x", "text; --input hex and --input base64 read encoded bytes"),
    (b"hello world\n", "text; --input hex and --input base64 read encoded bytes"),
    ("Zo\u{eb} und \u{c4}rger\n".as_bytes(), "text; --input hex"),
    // The sample of a text may end within a character.
    ("h\u{e4}".as_bytes().split_at(2).0, "text; --input hex"),
    (b"{\"hp\": 87}\n", "values written as text or JSON; 'gdwire encode' turns them into bytes"),
    (b"\n  [1, 2]\n", "values written as text or JSON; 'gdwire encode' turns them into bytes"),
    (b"Vector2( 1, 2 )\n", "values written as text or JSON; 'gdwire encode' turns them into bytes"),
    (b"\"i:7\"\n", "native JSON; 'gdwire encode --input native' turns its values into bytes"),
    (
        b"{\"type\":\"Vector2\",\"args\":[1,2]}\n",
        "native JSON; 'gdwire encode --input native' turns its values into bytes",
    ),
    (
        b"{\"type\":\"weapon\"}\n",
        "values written as text or JSON; 'gdwire encode' turns them into bytes",
    ),
    (b"null\n", "values written as text or JSON; 'gdwire encode' turns them into bytes"),
    (b"AgAAAAcAAAA=\n", "base64; use --input base64"),
    (b"0x02 0x00 0x00 0x00\n", "hex with prefixes or separators; remove them"),
    (b"02:00:00:00:07:00:00:00\n", "hex with prefixes or separators; remove them"),
    (
        b"\xef\xbb\xbf0200000007000000\n",
        "hex with a byte order mark; save it in UTF-8 without a mark",
    ),
];

#[test]
fn the_error_names_an_unknown_format_of_files_and_streams() {
    let path = directory("unrecognized").join("file");
    let path = path.to_str().unwrap();
    for (start, look) in FORMATS.iter().chain(TEXTS) {
        for more in [&b""[..], &[0xa5; 600_000]] {
            if !more.is_empty() && TEXTS.iter().any(|(text, _)| text == start) {
                continue;
            }
            let file = [start, more].concat();
            fs::write(path, &file).unwrap();
            for command in ["decode", "convert"] {
                let problem = format!("cannot be decoded: this looks like {look}");
                for run in [gdwire(&[command, path], b""), gdwire(&[command, "-"], &file)] {
                    assert_eq!((run.code, run.stdout.len()), (1, 0), "{}", run.stderr);
                    assert!(run.stderr.contains(&problem), "{look}: {}", run.stderr);
                    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
                }
            }
        }
    }
}

#[test]
fn stats_count_an_unknown_format() {
    let run = gdwire(&["stats", "--format", "json", "-"], b"BZh91AY&SY");
    let errors = r#""errors":[{"reason":"neither a capture nor a value file","count":1}]"#;
    assert!(run.code == 1 && run.text().contains(errors), "{run:?}");
}

#[test]
fn a_named_format_is_read_and_the_first_error_says_what_the_file_looks_like() {
    let xz = b"\xfd7zXZ\x00\x00\x04\xe6\xd6";
    let look = "(this looks like xz data; unpack it first, for example with unxz)\n";
    for (input, code, problem) in [
        ("raw", 1, "byte "),
        ("framed", 1, "byte "),
        ("hex", 1, "line 1: not a hex string: unexpected byte 0xfd at column 1 "),
        ("base64", 1, "line 1: not a base64 string: unexpected byte 0xfd at column 1 "),
        ("capture", 2, "neither a pcap nor a pcapng file "),
    ] {
        let run = gdwire(&["decode", "--input", input, "-"], xz);
        assert_eq!(run.code, code, "{}", run.stderr);
        assert!(run.stderr.starts_with(&format!("gdwire: stdin: {problem}")), "{}", run.stderr);
        assert!(run.stderr.ends_with(look), "{}", run.stderr);
    }
    for (input, start, look) in [
        ("raw", &b"0200000007000000\n"[..], "(this looks like hex; use --input hex)"),
        ("framed", b"\x0a\x0d\x0d\x0a\x01\x00", "(this looks like a capture; use --input capture)"),
        ("capture", b"{}", "(this looks like values written as text or JSON; 'gdwire encode' "),
    ] {
        let run = gdwire(&["decode", "--input", input, "-"], start);
        assert!(run.code > 0 && run.stderr.contains(look), "{input}: {}", run.stderr);
    }
    // After a value was read, the format is right, so the error has no hint.
    let run = gdwire(&["decode", "--input", "hex", "-"], b"00000000\n%PDF\n");
    let problem = "gdwire: stdin: line 2: not a hex string: unexpected character '%' at column 1\n";
    assert_eq!((run.code, &*run.stderr), (1, problem));
}

#[test]
fn bytes_of_no_known_format_are_an_error() {
    let run = gdwire(&["decode", "-"], &[0xd3, 0x9a, 0xba, 0x71, 0x93, 0x00, 0xff]);
    let problem = "not recognized as a capture or a value file; read as raw values: byte 0: ";
    assert!(run.stderr.starts_with(&format!("gdwire: stdin: {problem}")), "{}", run.stderr);
    assert_eq!((run.code, run.stderr.lines().count()), (1, 1));
    // Two frames, neither with a value.
    let frames = [frame(&[99; 50]), frame(&[98; 50])].concat();
    let run = gdwire(&["decode", "-"], &frames);
    let lines: Vec<_> = run.stderr.lines().collect();
    let problem = "not recognized as a capture or a value file; read as framed values: byte 4: ";
    assert!(lines[0].starts_with(&format!("gdwire: stdin: {problem}")), "{}", run.stderr);
    assert!(lines.len() == 2 && lines[1].starts_with("gdwire: stdin: byte 58: "), "{lines:?}");
    // A file that starts with a value has the plain error of the value.
    for file in [&[19, 0, 0, 0, 9, 0, 0, 0][..], &[8, 0, 0, 0, 2, 0]] {
        let run = gdwire(&["decode", "-"], file);
        assert!(run.code == 1 && run.stderr.starts_with("gdwire: stdin: byte "), "{}", run.stderr);
    }
}

#[test]
fn an_empty_file_is_reported_as_empty() {
    let path = directory("empty").join("empty");
    fs::write(&path, "").unwrap();
    let path = path.to_str().unwrap();
    for input in ["auto", "framed", "raw", "hex", "base64"] {
        let run = gdwire(&["decode", "--input", input, path], b"");
        let problem = format!("gdwire: {path}: the file is empty\n");
        assert_eq!((run.code, run.stdout.len(), run.stderr), (0, 0, problem), "{input}");
        assert_eq!(gdwire(&["decode", "-q", "--input", input, path], b"").stderr, "");
    }
    for (file, name) in [(path, path), ("-", "stdin")] {
        let run = gdwire(&["decode", "--input", "capture", file], b"");
        let problem = format!("gdwire: {name}: the input is empty, not a capture\n");
        assert_eq!((run.code, run.stderr), (2, problem));
    }
}

#[test]
fn directories_are_reported_as_directories() {
    let directory = directory("without-captures");
    let path = directory.to_str().unwrap();
    let run = gdwire(&["decode", path], b"");
    let problem = "this is a directory; use --recursive to read the captures in it";
    assert_eq!((run.code, run.stderr), (2, format!("gdwire: {path}: {problem}\n")));
    fs::write(directory.join("notes.txt"), "00000000\n").unwrap();
    let run = gdwire(&["decode", "--recursive", path], b"");
    let problem = "no captures in this directory; name files of other formats one by one";
    assert_eq!((run.code, run.stderr), (0, format!("gdwire: {path}: {problem}\n")));
    let run = gdwire(&["encode", path], b"");
    assert_eq!((run.code, run.stderr), (2, format!("gdwire: {path}: this is a directory\n")));
}

#[test]
fn encode_reports_that_a_file_is_not_text() {
    let capture = fs::read(corpus("captures/godot3-udp-usec.pcap")).unwrap();
    for (file, look) in [
        (&b"BZh91AY&SY"[..], "bzip2 data; unpack it first, for example with bunzip2"),
        (b"\xff\xfe1\x00", "text in UTF-16; save it in UTF-8"),
        (&capture, "a capture; 'gdwire decode' reads it"),
        (&frame(&[0; 4]), "encoded values; 'gdwire decode' reads them"),
    ] {
        for input in ["text", "native"] {
            let run = gdwire(&["encode", "--input", input, "-"], file);
            let problem = format!("gdwire: stdin: cannot be encoded: this looks like {look}\n");
            assert_eq!((run.code, run.stderr), (1, problem));
        }
    }
}
