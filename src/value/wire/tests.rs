//! Unit tests for internals of the grammar: the stack of levels, and the fast paths.

use super::common::{Common, common};
use super::content::padded;
use super::nesting::{Level, LevelShape, Stack};
#[cfg(feature = "serde")]
use super::quick;
use crate::value::grammar::located;
use crate::value::grammar::{framed, value};
use crate::value::wire::Fault;
use crate::{Dialect, Error, Kind, MAX_DEPTH, Problem, parse};
use nom::Parser;
use std::string::ToString;
use std::vec;
use std::vec::Vec;

fn level(items: u32) -> Level {
    Level::new(Kind::Array, LevelShape::Array, items)
}

#[test]
fn a_stack_returns_levels_in_reverse_order() {
    let mut stack = Stack::new();
    let mut expected = Vec::new();
    // Fill and empty the stack, a bit further each time.
    for top in (1..=u32::from(MAX_DEPTH)).step_by(5) {
        for items in 0..top {
            assert!(stack.enter(level(items), level(1), MAX_DEPTH));
            expected.push(items);
        }
        assert_eq!(stack.is_at(MAX_DEPTH), expected.len() >= usize::from(MAX_DEPTH));
        let least: usize = expected.iter().map(|items| *items as usize * 4).sum();
        assert_eq!(stack.clone().outstanding(), least);
        while let Some(items) = expected.pop() {
            assert_eq!(stack.pop(), Some(level(items)));
        }
        assert_eq!(stack.pop(), None);
        assert!(stack.is_empty());
    }
}

#[test]
fn a_stack_ends_at_the_limit() {
    let mut stack = Stack::new();
    for _ in 0..MAX_DEPTH {
        assert!(stack.enter(level(1), level(1), MAX_DEPTH));
    }
    assert!(!stack.enter(level(1), level(1), MAX_DEPTH));
    // The strings of a node path are no deeper than the path.
    assert!(stack.enter(level(1), Level::new(Kind::NodePath, LevelShape::Strings, 1), MAX_DEPTH));
}

/// The value at the front of `bytes` and what follows it, if the fast path reads it as a leaf.
fn leaf_on_fast_path(dialect: Dialect, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    match common(dialect.layout(), bytes) {
        (header, Common::Leaf { bytes, rest }) => {
            assert_eq!(bytes.first_chunk(), Some(&header.to_le_bytes()));
            Some((bytes, rest))
        }
        _ => None,
    }
}

#[test]
fn the_fast_path_reads_the_most_common_values() {
    let numbers = [
        (Kind::Bool, 1),
        (Kind::Int, 1),
        (Kind::Float, 1),
        (Kind::Vector2, 2),
        (Kind::Vector3, 3),
        (Kind::Color, 4),
        (Kind::Rect2, 4),
    ];
    for dialect in Dialect::ALL.iter().copied() {
        for (kind, words) in numbers {
            let mut bytes = u32::from(dialect.type_number(kind).unwrap()).to_le_bytes().to_vec();
            bytes.extend(1..=20);
            let value = bytes.split_at(4 + 4 * words);
            assert_eq!(leaf_on_fast_path(dialect, &bytes), Some(value), "{kind} in {dialect:?}");
            assert_eq!(leaf_on_fast_path(dialect, value.0), Some((value.0, &[][..])), "{kind}");
            let fewer = &value.0[..value.0.len() - 1];
            assert_eq!(leaf_on_fast_path(dialect, fewer), None, "incomplete");
            bytes[2] |= 1;
            assert_eq!(leaf_on_fast_path(dialect, &bytes), None, "the flag may double its length");
        }
        for length in 0..40 {
            let mut bytes =
                u32::from(dialect.type_number(Kind::String).unwrap()).to_le_bytes().to_vec();
            bytes.extend([length as u8, 0, 0, 0]);
            bytes.extend([b'a'].repeat(padded(length)));
            bytes.extend([b'b'; 16]);
            let value = bytes.split_at(8 + padded(length));
            assert_eq!(leaf_on_fast_path(dialect, &bytes), Some(value), "{length} bytes of text");
            assert_eq!(leaf_on_fast_path(dialect, value.0), Some((value.0, &[][..])), "{length}");
            let fewer = &value.0[..value.0.len() - 1];
            assert_eq!(leaf_on_fast_path(dialect, fewer), None, "incomplete");
            if length > 0 {
                bytes[8] = 0x80;
                assert_eq!(leaf_on_fast_path(dialect, &bytes), None, "it may not be UTF-8");
            }
        }
        for (kind, shape, each) in
            [(Kind::Array, LevelShape::Array, 1), (Kind::Dictionary, LevelShape::Dictionary, 2)]
        {
            let mut bytes = u32::from(dialect.type_number(kind).unwrap()).to_le_bytes().to_vec();
            bytes.extend([3, 0, 0, 0x80]);
            bytes.extend([7; 16]);
            let (_, Common::Container { inner, rest }) = common(dialect.layout(), &bytes) else {
                panic!("{kind} in {dialect:?}");
            };
            assert_eq!((inner, rest), (Level::new(kind, shape, 3 * each), &bytes[8..]));
            bytes[2] = 1;
            let typed = common(dialect.layout(), &bytes).1;
            assert!(matches!(typed, Common::Other), "{kind} with an element type");
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn the_typed_fast_path_reads_values_of_the_expected_kind() {
    let layout = Dialect::GODOT_4.layout();
    let bytes = |kind: Kind, words: &[u32]| -> Vec<u8> {
        let header = layout.plain(kind);
        core::iter::once(&header).chain(words).flat_map(|word| word.to_le_bytes()).collect()
    };
    let rest = &[9, 0, 0, 0][..];
    assert_eq!(quick::nil(&bytes(Kind::Nil, &[9])), Some(rest));
    assert_eq!(quick::nil(&bytes(Kind::Bool, &[9])), None);
    assert_eq!(quick::bool(&bytes(Kind::Bool, &[0, 9])), Some((false, rest)));
    assert_eq!(quick::bool(&bytes(Kind::Bool, &[2, 9])), Some((true, rest)));
    assert_eq!(quick::bool(&bytes(Kind::Int, &[1, 9])), None);
    assert_eq!(quick::int(&bytes(Kind::Int, &[u32::MAX, 9])), Some((-1, rest)));
    assert_eq!(quick::int(&bytes(Kind::Float, &[1, 9])), None);
    let half = 0.5f32.to_bits();
    assert_eq!(quick::float(&bytes(Kind::Float, &[half, 9])), Some((0.5, rest)));
    assert_eq!(quick::float(&bytes(Kind::Int, &[half, 9])), None);
    let point = bytes(Kind::Vector2, &[half, 7, 9]);
    let numbers = quick::numbers(layout, Kind::Vector2, &point);
    assert_eq!(numbers, Some((&point[4..12], rest)));
    assert_eq!(quick::numbers(layout, Kind::Vector3, &point), None);
    assert_eq!(quick::numbers(layout, Kind::Rid, &point), None);
    let shared = 3 | 1 << 31;
    assert_eq!(quick::array(layout, &bytes(Kind::Array, &[shared, 9])), Some((3, rest)));
    assert_eq!(quick::array(layout, &bytes(Kind::Dictionary, &[3, 9])), None);
    assert_eq!(quick::dictionary(layout, &bytes(Kind::Dictionary, &[shared, 9])), Some((3, rest)));
    assert_eq!(quick::dictionary(layout, &bytes(Kind::Array, &[3, 9])), None);
}

#[cfg(feature = "serde")]
#[test]
fn the_typed_fast_path_reads_plain_strings() {
    for length in 0..20 {
        let text = "a".repeat(length);
        let mut bytes = [4, 0, 0, 0, length as u8, 0, 0, 0].to_vec();
        bytes.extend(text.as_bytes());
        bytes.resize(8 + padded(length), 0);
        bytes.extend([b'b'; 8]);
        let found = Some((&text[..], &[b'b'; 8][..]));
        assert_eq!(quick::string(&bytes), found);
        assert_eq!(quick::short_string(&bytes), found.filter(|_| length <= 8));
        assert_eq!(
            quick::string(&bytes[..8 + padded(length)]),
            found.map(|(text, _)| (text, &[][..]))
        );
        if length > 0 {
            let mut other = bytes.clone();
            other[7 + length] = 0xc3;
            assert_eq!((quick::string(&other), quick::short_string(&other)), (None, None));
            assert_eq!(quick::string(&bytes[..7 + padded(length)]), None, "incomplete");
        }
        for place in [0, 1, 7] {
            let mut other = bytes.clone();
            other[place] |= 0x81;
            assert_eq!((quick::string(&other), quick::short_string(&other)), (None, None));
        }
    }
}

/// A packet of a byte and two values.
fn chat(
    input: &[u8],
) -> nom::IResult<&[u8], (&[u8], crate::VariantRef<'_>, crate::VariantRef<'_>), Error> {
    let values = (value(Dialect::GODOT_3), framed(Dialect::GODOT_3, 8));
    let mut chat = (nom::bytes::tag(&[7][..]), values.0, values.1);
    located(input, chat.parse_complete(input))
}

#[test]
fn an_error_names_the_surrounding_parser_that_failed() {
    let result = chat(&[8, 0, 0, 0, 0]);
    let Err(nom::Err::Error(error)) = result else { panic!("{result:?}") };
    assert_eq!(error.to_string(), "byte 0: the surrounding grammar failed: Tag");
    let Problem::Grammar(refusal) = error.problem else { panic!("{error:?}") };
    assert_eq!(refusal.kind(), nom::error::ErrorKind::Tag);
}

#[test]
fn offsets_in_a_sequence_count_from_the_start_of_the_input() {
    let good = [7, 2, 0, 0, 0, 42, 0, 0, 0, 8, 0, 0, 0, 2, 0, 0, 0, 43, 0, 0, 0];
    assert!(chat(&good).is_ok());
    let error = |place: usize, byte: u8| {
        let mut packet = good;
        packet[place] = byte;
        let Err(nom::Err::Error(error)) = chat(&packet) else { panic!("{place}") };
        error.to_string()
    };
    assert_eq!(
        error(1, 99),
        "byte 1: the header of a value has type 99, which the dialect does not know"
    );
    assert_eq!(error(9, 9), "byte 9: the length of a frame is 9, more than the limit of 8");
    assert_eq!(
        error(13, 99),
        "byte 13: the header of a value has type 99, which the dialect does not know"
    );
    assert_eq!(error(13, 0), "byte 17: the end of the value is followed by 4 more bytes");
    for end in 1..good.len() {
        let Err(nom::Err::Error(error)) = chat(&good[..end]) else { panic!("{end}") };
        assert!(error.offset <= end && error.offset + 12 > end, "{end}: {error}");
    }
    // A stream of one value after the other reports the place of each.
    let stream = [[2, 0, 0, 0, 1, 0, 0, 0].repeat(3), vec![99, 0, 0, 0]].concat();
    let each = nom::combinator::cut(value::<Fault<'_>>(Dialect::GODOT_3));
    let read: nom::IResult<_, Vec<_>, _> = nom::multi::many(0.., each).parse_complete(&stream[..]);
    let Err(nom::Err::Failure(error)) = located(&stream, read) else { panic!() };
    assert_eq!((error.offset, error.problem), (24, Problem::UnknownType { number: 99 }));
}

/// Arrays in arrays. The innermost array is empty.
fn tower(depth: usize) -> Vec<u8> {
    let mut bytes = [19, 0, 0, 0, 1, 0, 0, 0].repeat(depth);
    bytes.extend([19, 0, 0, 0, 0, 0, 0, 0]);
    bytes
}

#[test]
fn a_stream_never_asks_for_more_bytes_than_the_value_has() {
    for bytes in [tower(3), tower(40), tower(usize::from(MAX_DEPTH))] {
        assert!(parse(Dialect::GODOT_3, &bytes).is_ok());
        for end in 0..bytes.len() {
            let cut = &bytes[..end];
            let mut streaming = value::<Fault<'_>>(Dialect::GODOT_3);
            let Err(nom::Err::Incomplete(nom::Needed::Size(needed))) = streaming.parse(cut) else {
                panic!("{end} bytes are not incomplete");
            };
            assert!(needed.get() <= bytes.len() - end);
            let error = parse(Dialect::GODOT_3, cut).unwrap_err();
            assert!(matches!(error.problem, Problem::UnexpectedEnd { .. }));
        }
    }
}
