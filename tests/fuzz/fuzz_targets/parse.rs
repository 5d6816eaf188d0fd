//! Any bytes, read by each of the readers: their results agree, and a value that was read can be
//! written and read again.

#![no_main]

use gdwire::stream::{Progress, Scanner};
use gdwire::walk::{Event, WalkStack, events, visit};
use gdwire::{
    Dialect, Error, Streamed, Variant, VariantRef, encode, parse, parse_prefix, parse_streaming,
};
use libfuzzer_sys::fuzz_target;
use std::ops::ControlFlow;

// The input: a byte for the dialect and for what is compared, and the bytes of a value.
fuzz_target!(|input: &[u8]| {
    let Some((&choice, bytes)) = input.split_first() else { return };
    let dialect = Dialect::ALL[usize::from(choice >> 1) % Dialect::ALL.len()];
    let dialect = if choice & 1 == 1 { dialect.with_double_reals() } else { dialect };
    let parsed = parse_prefix(dialect, bytes);
    match (choice >> 3 & 3, parsed) {
        (0, _) => walked(dialect, bytes, parsed),
        (1, _) => in_pieces(dialect, bytes, usize::from(choice >> 5) * 2 + 1, parsed),
        (2, Ok((_, value))) => {
            indexed(value, &mut WalkStack::new());
            looked_up(value);
        }
        (_, Ok((_, value))) => written_again(value),
        (_, Err(error)) => {
            let path = error.path(dialect, bytes).to_string();
            assert!(path.is_empty() || path.starts_with('/'));
        }
    }
});

/// The rest after a value, and the value.
type Parsed<'a> = Result<(&'a [u8], VariantRef<'a>), Error>;

/// Asserts that each way to walk gives the same events as the others, and the same error as the parser.
fn walked(dialect: Dialect, bytes: &[u8], parsed: Parsed<'_>) {
    let mut stack = WalkStack::new();
    let checked: Vec<_> = events(dialect, bytes, &mut stack).collect();
    assert_eq!(checked.last().unwrap().as_ref().err(), parsed.as_ref().err());
    // With `next` for each event, not with `fold`.
    let mut single = events(dialect, bytes, &mut stack);
    let one_by_one: Vec<_> = std::iter::from_fn(|| single.next()).collect();
    assert_same(&checked, &one_by_one);
    let mut visited = Vec::new();
    let rest = visit(dialect, bytes, &mut stack, |event| {
        visited.push(Ok(event));
        ControlFlow::<()>::Continue(())
    });
    match rest {
        Ok(rest) => assert_eq!(rest, ControlFlow::Continue(parsed.unwrap().0)),
        Err(error) => visited.push(Err(error)),
    }
    assert_same(&visited, &checked);
    if let Ok((_, value)) = parsed {
        let walked: Vec<_> = value.walk(&mut stack).map(Ok).collect();
        assert_same(&walked, &checked);
    }
}

/// Asserts that a value that arrives in pieces of `size` bytes is read like a whole one.
fn in_pieces(dialect: Dialect, bytes: &[u8], size: usize, parsed: Parsed<'_>) {
    let scanned = scanned(dialect, bytes, size);
    match (parsed, parse_streaming(dialect, bytes)) {
        (Ok((rest, value)), Ok(Streamed::Value { rest: streamed_rest, .. })) => {
            assert_eq!((streamed_rest, scanned), (rest, Ok(Some(value.as_bytes().len()))));
        }
        // A byte array at the end of the input may lack its padding, which a stream waits for.
        (Ok(_), Ok(Streamed::Needed(_))) => assert_eq!(scanned, Ok(None)),
        (Ok(_), Err(error)) => panic!("only in pieces: {error}"),
        (Err(error), Err(streamed)) => assert_eq!((streamed, scanned), (error, Err(error))),
        (Err(error), Ok(Streamed::Needed(_))) => {
            assert!(error.is_unexpected_end());
            assert_eq!(scanned, Ok(None));
        }
        (Err(error), Ok(Streamed::Value { .. })) => panic!("only whole: {error}"),
    }
}

/// Asserts that a value that is written and read again stays the same.
fn written_again(value: VariantRef<'_>) {
    let dialect = value.dialect();
    let again = |bytes: &[u8]| encode(dialect, &parse(dialect, bytes).unwrap()).unwrap();
    // A name in a node path of the old layout may start with a byte order mark, which is removed once
    // the name is written as a string and read again.
    let canonical = again(&encode(dialect, &value).unwrap());
    assert_eq!(again(&canonical), canonical);
    let owned =
        |bytes: &[u8]| encode(dialect, &Variant::from(parse(dialect, bytes).unwrap())).unwrap();
    // The null object is a different key from null, but it is written as null. If a dictionary has both
    // keys, they are merged when it is read again, as in the engines.
    let merged = owned(&owned(&canonical));
    assert_eq!(owned(&merged), merged);
}

/// Asserts that two readers gave the same events. A NaN equals itself here.
fn assert_same(some: &[Result<Event<'_>, Error>], others: &[Result<Event<'_>, Error>]) {
    assert_eq!(some.len(), others.len());
    for (one, other) in some.iter().zip(others) {
        match (one, other) {
            (Ok(Event::Value(place, one)), Ok(Event::Value(other_place, other))) => {
                assert_eq!((place, one.as_bytes()), (other_place, other.as_bytes()));
            }
            _ => assert_eq!(one, other),
        }
    }
}

/// Asserts that the index of the outermost array finds each element, and that walking the elements
/// gives all events of the array but its first and last one.
fn indexed(value: VariantRef<'_>, stack: &mut WalkStack) {
    let Some(array) = value.as_array() else { return };
    let mut buffer = vec![0; array.len()];
    let index = array.index(&mut buffer).unwrap();
    assert_eq!(index.len(), array.len());
    assert!(index.get(array.len()).is_none());
    let mut events = 0;
    for (place, element) in array.iter().enumerate() {
        assert_eq!(index.get(place).unwrap().as_bytes(), element.as_bytes());
        events += element.walk(stack).count();
    }
    assert_eq!(value.walk(stack).count(), events + 2);
}

/// Asserts that the first text keys of a dictionary lead to the last values of these keys.
fn looked_up(value: VariantRef<'_>) {
    let Some(entries) = value.as_dictionary() else { return };
    for text in entries.keys().filter_map(|key| key.as_str()).take(8) {
        let (_, last) =
            entries.iter().filter(|(key, _)| key.as_str() == Some(text)).last().unwrap();
        assert_eq!(entries.get(text).unwrap().as_bytes(), last.as_bytes());
        assert_eq!(value.get(text).unwrap().as_bytes(), last.as_bytes());
    }
}

/// The length of a value that arrives in pieces of `size` bytes, if it is complete.
fn scanned(dialect: Dialect, bytes: &[u8], size: usize) -> Result<Option<usize>, Error> {
    let mut scanner = Scanner::new(dialect);
    for piece in bytes.chunks(size) {
        if let Progress::Done { len: length, .. } = scanner.push(piece)? {
            return Ok(Some(length));
        }
    }
    Ok(None)
}
