//! Bytes read in every way there is: all agree, and what was read is written and read again.

#![no_main]

use gdwire::stream::{Progress, Scanner};
use gdwire::walk::{WalkStack, events};
use gdwire::{Dialect, Streamed, Variant, encode, parse, parse_prefix, parse_streaming};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((&choice, bytes)) = input.split_first() else { return };
    let dialect = Dialect::ALL[usize::from(choice >> 1) % Dialect::ALL.len()];
    let dialect = if choice & 1 == 1 { dialect.with_double_reals() } else { dialect };

    let parsed = parse_prefix(dialect, bytes);
    let mut stack = WalkStack::new();
    let walked = events(dialect, bytes, &mut stack).last();
    let scanned = pieces(dialect, bytes, usize::from(choice) % 13 + 1);
    match (parsed, parse_streaming(dialect, bytes)) {
        (Ok((rest, value)), streamed) => {
            assert!(matches!(walked, Some(Ok(_))));
            match streamed {
                Ok(Streamed::Value { rest: streamed_rest, .. }) => assert_eq!((streamed_rest, scanned), (rest, Ok(Some(value.as_bytes().len())))),
                // A byte array without its padding at the very end.
                Ok(Streamed::Needed(_)) => assert_eq!(scanned, Ok(None)),
                Err(error) => panic!("only in pieces: {error}"),
            }
            let again = |bytes: &[u8]| encode(dialect, &parse(dialect, bytes).unwrap()).unwrap();
            // A name out of an old node path may start with a byte order mark, which is dropped
            // when it is read on its own.
            let canonical = again(&encode(dialect, &value).unwrap());
            assert_eq!(again(&canonical), canonical);
            let owned = |bytes: &[u8]| encode(dialect, &Variant::from(parse(dialect, bytes).unwrap())).unwrap();
            // No object is a key of its own, but is written as null, which may be one as well:
            // as in the engines the two are merged when they are read again.
            let merged = owned(&owned(&canonical));
            assert_eq!(owned(&merged), merged);
        }
        (Err(error), Err(streamed)) => {
            assert_eq!((streamed, scanned, walked.unwrap().unwrap_err()), (error, Err(error), error));
            let path = error.path(dialect, bytes).to_string();
            assert!(path.is_empty() || path.starts_with('/'));
        }
        (Err(error), Ok(Streamed::Needed(_))) => {
            assert!(error.is_unexpected_end());
            assert_eq!((scanned, walked.unwrap().unwrap_err()), (Ok(None), error));
        }
        (Err(error), Ok(Streamed::Value { .. })) => panic!("only whole: {error}"),
    }
});

/// Where a value ends that comes in pieces of that size.
fn pieces(dialect: Dialect, bytes: &[u8], size: usize) -> Result<Option<usize>, gdwire::Error> {
    let mut scanner = Scanner::new(dialect);
    for piece in bytes.chunks(size) {
        if let Progress::Done { length, .. } = scanner.push(piece)? {
            return Ok(Some(length));
        }
    }
    Ok(None)
}
