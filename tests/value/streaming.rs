//! Cut bytes: every way of reading reports the same number of missing bytes.

use crate::common::{Value, Verdict, lines, unhex};
use gdwire::encode::EncodeProblem;
use gdwire::stream::{Framer, Progress, Scanner, encode_frame, frame_prefix};
use gdwire::walk::{WalkStack, events};
use gdwire::{Dialect, Error, Kind, ReadOptions, Streamed, parse, parse_prefix, parse_streaming};

const DIALECT: Dialect = Dialect::GODOT_3;

fn values() -> Vec<Vec<u8>> {
    lines::<Value>("godot3/values.ndjson").iter().map(|line| unhex(&line.hex)).collect()
}

/// Whether a cut removes only padding after a byte array. Engines read such a value.
fn cuts_only_padding(bytes: &[u8], at: usize) -> bool {
    parse_prefix(DIALECT, &bytes[..at]).is_ok() && bytes.len() - at < 4
}

#[test]
fn every_truncation_is_incomplete_or_an_error_with_its_place() {
    let mut exact = 0;
    for bytes in values().iter().filter(|bytes| bytes.len() < 4000) {
        for at in 0..bytes.len() {
            let cut = &bytes[..at];
            match parse_streaming(DIALECT, cut) {
                Ok(Streamed::Needed(needed)) => {
                    assert!(needed <= bytes.len() - at, "{cut:?} wants {needed}");
                    exact += usize::from(needed == bytes.len() - at);
                }
                other => panic!("{cut:?} is {other:?}"),
            }
            match parse_prefix(DIALECT, cut) {
                Ok(_) => assert!(cuts_only_padding(bytes, at), "{cut:?} of {bytes:?}"),
                Err(error) => {
                    assert!(error.is_unexpected_end(), "{error}");
                    assert!(error.offset <= at, "{error}");
                }
            }
        }
    }
    assert!(exact > 1000);
}

#[test]
fn the_number_of_missing_bytes_is_reported_as_soon_as_it_is_known() {
    let needed = |bytes: &[u8]| match parse_streaming(DIALECT, bytes) {
        Ok(Streamed::Needed(needed)) => needed,
        other => panic!("{other:?}"),
    };
    assert_eq!(needed(&[]), 4);
    assert_eq!(needed(&[7, 0, 0, 0, 1]), 11, "a Vector3");
    assert_eq!(needed(&[4, 0, 0, 0, 5, 0, 0, 0]), 8, "a string of five bytes");
    assert_eq!(needed(&[22, 0, 0, 0, 0, 0, 1, 0]), 4 << 16, "an array of floats");
    assert_eq!(needed(&[19, 0, 0, 0, 3, 0, 0, 0]), 12, "three values of four bytes at least");
    assert_eq!(
        needed(&[18, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]),
        12,
        "one more value, one more entry"
    );
}

/// Names of classes and signals, and the words after them, are parts of a value without headers.
#[test]
fn the_missing_bytes_include_the_parts_that_follow() {
    let name = [4, 0, 0, 0, b'N', b'o', b'd', b'e'];
    let cut = &name[..6];
    let cases: [(Dialect, &[&[u8]], usize); 10] = [
        (Dialect::GODOT_4, &[&[28, 0, 2, 0]], 4),
        (Dialect::GODOT_4, &[&[28, 0, 2, 0], cut], 6),
        (Dialect::GODOT_4, &[&[28, 0, 2, 0], &name], 4),
        (Dialect::GODOT_4, &[&[27, 0, 10, 0]], 4),
        (Dialect::GODOT_4, &[&[27, 0, 10, 0], cut], 10),
        (Dialect::GODOT_4, &[&[27, 0, 10, 0], &name, cut], 6),
        (Dialect::GODOT_4, &[&[28, 0, 0, 0, 2, 0, 0, 0, 27, 0, 10, 0], cut], 14),
        (Dialect::GODOT_4, &[&[26, 0, 0, 0]], 4),
        (Dialect::GODOT_4, &[&[26, 0, 0, 0], cut], 10),
        (Dialect::GODOT_3, &[&[15, 0, 0, 0, 1, 0, 0, 128]], 8),
    ];
    for (dialect, bytes, missing) in cases {
        let bytes = bytes.concat();
        let parsed = parse_streaming(dialect, &bytes);
        assert_eq!(parsed, Ok(Streamed::Needed(missing)), "{bytes:?}");
        let scanned = Scanner::new(dialect).push(&bytes);
        assert_eq!(scanned, Ok(Progress::Needed(missing)), "{bytes:?}");
    }
}

/// Reads pieces of this size, and returns where the value ends.
fn scan(bytes: &[u8], size: usize) -> Result<Option<usize>, Error> {
    let mut scanner = Scanner::new(DIALECT);
    let mut before = 0;
    for piece in bytes.chunks(size) {
        match scanner.push(piece)? {
            Progress::Done { used, len: length } => {
                assert_eq!(length, before + used);
                return Ok(Some(length));
            }
            Progress::Needed(needed) => assert!(needed > 0),
        }
        before += piece.len();
    }
    Ok(None)
}

#[test]
fn a_scanner_finds_the_end_at_every_split() {
    for bytes in values() {
        let length = bytes.len();
        let followed = [&bytes[..], &[0xff; 5]].concat();
        for size in [1, 2, 3, 5, 7, 16, 17, 100, 5000] {
            assert_eq!(scan(&followed, size), Ok(Some(length)), "{size}: {bytes:?}");
        }
    }
}

/// Objects whose class names begin with a byte order mark or a character that shares its first
/// bytes, on their own and in an array.
fn objects_with_rare_names() -> Vec<Vec<u8>> {
    let names = ["\u{feff}", "\u{feff}Abc", "\u{feff}\0bc", "\u{fefe}Abc", "\0Abc", "", "Ab", "😀"];
    let names = names.iter().map(|name| name.to_string());
    let wide = (0xf000..=0xffff)
        .filter_map(char::from_u32)
        .flat_map(|first| [format!("{first}"), format!("{first}bc"), format!("A{first}")]);
    let mut all = Vec::new();
    for name in names.chain(wide) {
        let mut object = vec![17, 0, 0, 0];
        object.extend(u32::try_from(name.len()).unwrap().to_le_bytes());
        object.extend(name.as_bytes());
        object.resize(object.len().next_multiple_of(4), 0);
        let is_null = ["", "\u{feff}"].contains(&name.split('\0').next().unwrap());
        if !is_null {
            // One property, "x" with null.
            object.extend([1, 0, 0, 0, 1, 0, 0, 0, b'x', 0, 0, 0, 0, 0, 0, 0]);
        }
        all.push([&[19, 0, 0, 0, 2, 0, 0, 0], &object[..], &object[..]].concat());
        all.push(object);
    }
    all
}

#[test]
fn a_scanner_finds_the_end_of_rare_class_names_at_every_split() {
    let recorded = values().into_iter().filter(|bytes| bytes.len() < 200);
    for bytes in objects_with_rare_names().into_iter().chain(recorded) {
        assert!(parse(DIALECT, &bytes).is_ok(), "{bytes:?}");
        for at in 0..bytes.len() {
            let (front, back) = bytes.split_at(at);
            let mut scanner = Scanner::new(DIALECT);
            match scanner.push(front) {
                Ok(Progress::Needed(needed)) => {
                    assert!(needed <= back.len(), "{needed} after {at} of {bytes:?}");
                    let streamed = parse_streaming(DIALECT, front);
                    assert_eq!(streamed, Ok(Streamed::Needed(needed)), "{at} of {bytes:?}");
                }
                other => panic!("{other:?} after {at} of {bytes:?}"),
            }
            let done = Ok(Progress::Done { used: back.len(), len: bytes.len() });
            assert_eq!(scanner.push(back), done, "{at} of {bytes:?}");
        }
        assert_eq!(scan(&bytes, 1), Ok(Some(bytes.len())), "{bytes:?}");
    }
}

#[test]
fn a_scanner_needs_no_more_than_what_is_missing() {
    // Containers in containers, each with a value after the inner one.
    let open = [[19, 0, 0, 0, 2, 0, 0, 0], [18, 0, 0, 0, 1, 0, 0, 0]].concat();
    let deep = [open.repeat(20), vec![0; 4 * (2 * 20 + 1)]].concat();
    assert!(parse(DIALECT, &deep).is_ok());
    for bytes in values().iter().chain([&deep]).filter(|bytes| bytes.len() < 2000) {
        let mut scanner = Scanner::new(DIALECT);
        for (at, byte) in bytes.iter().enumerate() {
            if let Progress::Needed(needed) = scanner.push(&[*byte]).unwrap() {
                let streamed = match parse_streaming(DIALECT, &bytes[..=at]) {
                    Ok(Streamed::Needed(needed)) => needed,
                    other => panic!("{other:?}"),
                };
                assert_eq!(needed, streamed, "{at} of {bytes:?}");
            }
        }
    }
}

#[test]
fn the_same_input_is_the_same_error_however_it_is_read() {
    let mut errors = 0;
    for line in lines::<Verdict>("godot3/verdicts.ndjson") {
        let bytes = unhex(&line.hex);
        let Err(error) = parse_prefix(DIALECT, &bytes) else { continue };
        if error.is_unexpected_end() {
            assert!(matches!(parse_streaming(DIALECT, &bytes), Ok(Streamed::Needed(_))));
            assert_eq!(scan(&bytes, 7), Ok(None), "{}", line.hex);
            continue;
        }
        errors += 1;
        assert_eq!(parse_streaming(DIALECT, &bytes), Err(error), "{}", line.hex);
        for size in [1, 2, 3, 4, 5, 11, 64, 10_000] {
            assert_eq!(scan(&bytes, size), Err(error), "{size}: {}", line.hex);
        }
    }
    assert!(errors > 500, "{errors}");
}

#[test]
fn frames_are_read_from_pieces_of_any_size() {
    let values = values();
    let stream: Vec<u8> = values
        .iter()
        .flat_map(|value| [&u32::try_from(value.len()).unwrap().to_le_bytes()[..], value].concat())
        .collect();
    for size in [1, 3, 4, 1000, stream.len()] {
        let mut framer = Framer::new();
        let mut found = Vec::new();
        for piece in stream.chunks(size) {
            framer.push(piece);
            while let Some(frame) = framer.next_frame().unwrap() {
                found.push(frame.to_vec());
            }
            assert!(framer.pending().len() < framer.needed() + framer.pending().len());
        }
        assert_eq!(found, values);
        assert!(framer.pending().is_empty());
    }
}

#[test]
fn a_frame_that_is_too_long_is_refused_at_once() {
    let mut framer = Framer::with_limit(1000);
    framer.push(&[4, 0, 0, 0, 0, 0, 0, 0, 0xe9, 3, 0, 0]);
    assert_eq!(framer.next_frame().unwrap(), Some(&[0, 0, 0, 0][..]));
    let error = framer.next_frame().unwrap_err();
    assert_eq!(
        error.to_string(),
        "byte 8: the length of a frame is 1001, more than the limit of 1000"
    );
    assert_eq!(framer.next_frame(), Err(error));
}

#[test]
fn nesting_has_a_limit_and_no_recursion() {
    let nested = |depth: usize| -> Vec<u8> {
        let mut bytes = [19, 0, 0, 0, 1, 0, 0, 0].repeat(depth);
        bytes.extend([0; 4]);
        bytes
    };
    let shallow = ReadOptions::new(DIALECT).with_max_depth(3);
    for (options, limit) in [(ReadOptions::new(DIALECT), 1024), (shallow, 3)] {
        let bytes = nested(limit);
        let (_, value) = parse_prefix(options, &bytes).unwrap();
        assert_eq!(value.dialect(), DIALECT);
        let bytes = nested(limit + 1);
        let error = parse_prefix(options, &bytes).unwrap_err();
        assert_eq!(error.offset, 8 * (limit + 1));
        assert!(
            error.to_string().contains(&format!("nested more than {limit} containers deep")),
            "{error}"
        );
        let mut scanner = Scanner::new(options);
        assert_eq!(scanner.push(&bytes), Err(error));
        assert_eq!(parse_streaming(options, &bytes), Err(error));
        let mut stack = WalkStack::new();
        assert_eq!(events(options, &bytes, &mut stack).find_map(Result::err), Some(error));
    }
    // Nothing is nested in an empty container.
    let mut bytes = [19, 0, 0, 0, 1, 0, 0, 0].repeat(3);
    bytes.extend([19, 0, 0, 0, 0, 0, 0, 0]);
    assert!(parse(shallow, &bytes).is_ok());
    assert_eq!(Scanner::new(shallow).push(&bytes), Ok(Progress::Done { used: 32, len: 32 }));
    assert!(events(shallow, &bytes, &mut WalkStack::new()).all(|event| event.is_ok()));
    // An object is one level, too.
    let object = [17, 0, 0, 0, 1, 0, 0, 0, b'A', 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
    let mut objects = object.repeat(1024);
    objects.extend([0; 4]);
    assert!(parse_prefix(DIALECT, &objects).is_ok());
    objects.splice(0..0, object);
    let error = parse_prefix(DIALECT, &objects).unwrap_err();
    assert_eq!(Scanner::new(DIALECT).push(&objects), Err(error));
    assert!(parse_prefix(DIALECT, &nested(1_000_000)).is_err());
    assert_eq!(parse_prefix(DIALECT, &nested(1024)).unwrap().1.kind(), Kind::Array);
}

#[test]
fn half_a_character_at_the_end_of_a_text_is_an_error_before_the_padding_arrives() {
    // One of the two bytes of a character, and two of three bytes of padding.
    let bytes = [4, 0, 0, 0, 1, 0, 0, 0, 0xc3, 0, 0];
    for end in 9..=bytes.len() {
        let error = parse_prefix(DIALECT, &bytes[..end]).unwrap_err();
        assert_eq!((error.offset, error.problem), (8, gdwire::Problem::InvalidUtf8));
        assert_eq!(parse_streaming(DIALECT, &bytes[..end]), Err(error));
        assert_eq!(scan(&bytes[..end], 1), Err(error));
    }
}

#[test]
fn frames_are_written_as_they_are_read() {
    let mut stream = Vec::new();
    for value in [3, 70_000] {
        encode_frame(DIALECT, &vec!["name"; value][..], &mut stream).unwrap();
    }
    let sent = stream.clone();
    let refused = encode_frame(DIALECT, &["fine", "a\0b"][..], &mut stream);
    let refused = refused.unwrap_err();
    assert!(matches!(refused.problem(), EncodeProblem::Nul { at: 1, .. }), "{refused:?}");
    assert_eq!(refused.path(), "/1");
    assert_eq!(stream, sent, "nothing of what is refused is left");

    let mut framer = Framer::new();
    framer.push(&stream);
    for count in [3, 70_000] {
        let frame = framer.next_frame().unwrap().expect("a frame");
        assert_eq!(parse(DIALECT, frame).unwrap().as_array().map(|array| array.len()), Some(count));
    }
    assert!(framer.pending().is_empty());

    assert_eq!(frame_prefix(0x0102_0304), Some([4, 3, 2, 1]));
    #[cfg(target_pointer_width = "64")]
    assert_eq!(frame_prefix(0xFFFF_FFFF + 1), None);
}

#[cfg(feature = "std")]
#[test]
fn a_reader_returns_a_frame_as_soon_as_it_has_arrived() {
    use gdwire::stream::FrameReader;
    use std::io::{self, ErrorKind, Read};

    /// Returns this many bytes for each read, with an interruption or `WouldBlock` between them.
    struct Slow<'a> {
        stream: &'a [u8],
        at_once: usize,
        reads: usize,
    }

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.reads += 1;
            match self.reads % 3 {
                0 => Err(ErrorKind::Interrupted.into()),
                1 => Err(ErrorKind::WouldBlock.into()),
                _ => self.stream.take(self.at_once as u64).read(buffer).inspect(|&count| {
                    self.stream = &self.stream[count..];
                }),
            }
        }
    }

    let mut values = values();
    values.retain(|value| value.len() < 1000);
    let mut stream = Vec::new();
    for value in &values {
        gdwire::stream::write_frame(&mut stream, value).unwrap();
    }
    for at_once in [1, 3, 1000, stream.len()] {
        let mut frames = FrameReader::new(Slow { stream: &stream, at_once, reads: 0 });
        let mut found: Vec<Vec<u8>> = Vec::new();
        let mut returned = 0;
        loop {
            match frames.next_frame() {
                Ok(Some(frame)) => found.push(frame.to_vec()),
                Ok(None) => break,
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::WouldBlock);
                    continue;
                }
            }
            returned += 4 + found[found.len() - 1].len();
            let read = stream.len() - frames.get_ref().stream.len();
            assert!(read < returned + at_once, "{read} bytes read, of which {returned} are needed");
        }
        assert_eq!(found, values);
    }

    let place = |error: io::Error| {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
        (error.kind(), inner.expect("an error of this crate").to_string())
    };
    let mut stream = vec![1, 0, 0, 0, 9, 8, 0, 0, 0, 7, 7];
    let mut cut = FrameReader::new(&stream[..]);
    assert_eq!(cut.next_frame().unwrap(), Some(&[9][..]));
    let (kind, text) = place(cut.next_frame().unwrap_err());
    assert_eq!(kind, ErrorKind::UnexpectedEof);
    assert_eq!(
        text,
        "byte 9: the input ends inside the content of a frame: 8 bytes are needed, 2 are left"
    );
    stream.truncate(7);
    let mut cut = FrameReader::new(&stream[..]);
    assert_eq!(cut.next_frame().unwrap(), Some(&[9][..]));
    let (kind, text) = place(cut.next_frame().unwrap_err());
    assert_eq!(kind, ErrorKind::UnexpectedEof);
    assert_eq!(
        text,
        "byte 5: the input ends inside the length of a frame: 4 bytes are needed, 2 are left"
    );
    let mut long = FrameReader::with_limit(&[9, 0, 0, 0][..], 8);
    let (kind, text) = place(long.next_frame().unwrap_err());
    assert_eq!(kind, ErrorKind::InvalidData);
    assert_eq!(text, "byte 0: the length of a frame is 9, more than the limit of 8");
}

#[cfg(feature = "std")]
#[test]
fn a_frame_is_written_at_once_or_in_several_writes() {
    use std::io::{self, ErrorKind, IoSlice, Write};

    /// Accepts this many bytes for each write, and is interrupted before each.
    struct Slow {
        at_once: usize,
        is_interrupted: bool,
        writes: usize,
        bytes: Vec<u8>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.write_vectored(&[IoSlice::new(bytes)])
        }

        fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
            self.is_interrupted = !self.is_interrupted;
            if self.is_interrupted {
                return Err(ErrorKind::Interrupted.into());
            }
            self.writes += 1;
            let all: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
            let taken = self.at_once.min(all.len());
            self.bytes.extend_from_slice(&all[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    for (at_once, writes) in [(100, 1), (12, 1), (11, 2), (5, 3), (4, 3), (3, 5), (1, 12)] {
        let mut slow = Slow { at_once, is_interrupted: false, writes: 0, bytes: Vec::new() };
        gdwire::stream::write_frame(&mut slow, b"contents").unwrap();
        assert_eq!(slow.bytes, *b"\x08\0\0\0contents");
        assert_eq!(slow.writes, writes, "{at_once} bytes at once");
    }
    let mut full = [0; 7];
    let error = gdwire::stream::write_frame(&mut full[..], b"contents").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WriteZero);
}
