//! Every way to read a value reads the same value: nested views, walks, the scanner, the encoder.

use crate::common::{RECORDED, Value, Verdict, lines, recorded_values, unhex};
use gdwire::stream::{Progress, Scanner};
use gdwire::view::{ElementTypeRef, ObjectRef};
use gdwire::walk::{Event, Slot, WalkStack, events, visit};
use gdwire::{Dialect, Error, Kind, VariantRef, View, encode, parse, parse_prefix};
use proptest::collection::vec;
use proptest::prelude::*;
use std::ops::ControlFlow;

/// One step of a traversal, in a form that does not depend on the way of traversing.
#[derive(Debug, PartialEq)]
enum Step<'a> {
    Leaf(Slot, Kind, &'a [u8], String),
    Begin(Slot, Kind, usize, &'a str, [ElementTypeRef<'a>; 2]),
    Property(&'a str),
    End(Kind),
}

fn step<'a>(event: Event<'a>) -> Step<'a> {
    match event {
        Event::Value(slot, value) => leaf(slot, value),
        Event::Begin(slot, container) => Step::Begin(
            slot,
            container.kind(),
            container.len(),
            container.class(),
            container.element_types(),
        ),
        Event::Property(name) => Step::Property(name),
        Event::End(ended) => Step::End(ended.kind()),
        other => panic!("{other:?}"),
    }
}

fn leaf(slot: Slot, value: VariantRef<'_>) -> Step<'_> {
    Step::Leaf(slot, value.kind(), value.as_bytes(), format!("{:?}", value.view()))
}

/// The steps through a value by nested views. The views have to lie side by side in its bytes.
fn nested<'a>(slot: Slot, value: VariantRef<'a>, steps: &mut Vec<Step<'a>>) {
    let whole = value.as_bytes().as_ptr_range();
    let mut end = None;
    let mut child = |slot, child: VariantRef<'a>, steps: &mut Vec<Step<'a>>| {
        let bytes = child.as_bytes().as_ptr_range();
        assert!(whole.start < bytes.start && bytes.end <= whole.end);
        if slot != Slot::Property {
            assert!(end.is_none_or(|end| end == bytes.start), "a gap between values");
        }
        end = Some(bytes.end);
        nested(slot, child, steps);
    };
    indexed_alike(value);
    let any = ElementTypeRef::Any;
    match value.view() {
        View::Array(array) | View::TypedArray(array) | View::PackedTypedArray(array) => {
            let types = [array.element_type(), any];
            steps.push(Step::Begin(slot, value.kind(), array.len(), "", types));
            let elements: Vec<_> = array.iter().collect();
            assert_eq!(elements.len(), array.len());
            elements.into_iter().for_each(|element| child(Slot::Element, element, steps));
        }
        View::Dictionary(entries) => {
            let types = [entries.key_type(), entries.value_type()];
            steps.push(Step::Begin(slot, value.kind(), entries.len(), "", types));
            let pairs: Vec<_> = entries.iter().collect();
            assert_eq!(pairs.len(), entries.len());
            for (key, value) in pairs {
                child(Slot::Key, key, steps);
                child(Slot::Value, value, steps);
            }
        }
        View::Object(ObjectRef::Instance(object)) => {
            steps.push(Step::Begin(slot, Kind::Object, object.len(), object.class(), [any; 2]));
            let properties: Vec<_> = object.properties().collect();
            assert_eq!(properties.len(), object.len());
            for (name, value) in properties {
                steps.push(Step::Property(name));
                child(Slot::Property, value, steps);
            }
        }
        _ => return steps.push(leaf(slot, value)),
    }
    assert!(end.is_none_or(|end| end == whole.end), "bytes after the last value");
    steps.push(Step::End(value.kind()));
}

/// Checks that internal iteration and `next` give the same items, from the start and from every
/// slot.
fn iterated_within(dialect: Dialect, bytes: &[u8], read: &[Step<'_>], error: Option<Error>) {
    let mut stack = WalkStack::new();
    let mut seen = 0;
    let mut check = |event: Event<'_>| {
        assert_eq!(step(event), read[seen]);
        seen += 1;
    };
    let visited = visit(dialect, bytes, &mut stack, |event| {
        check(event);
        ControlFlow::<()>::Continue(())
    });
    match (parse_prefix(dialect, bytes), visited) {
        (Ok((rest, _)), Ok(ControlFlow::Continue(visited))) => assert_eq!(rest, visited),
        (Err(parsed), Err(visited)) => assert_eq!(parsed, visited),
        other => panic!("{other:?}"),
    }
    assert_eq!(seen, read.len());
    for passed in [0, 1, 2, read.len() / 2, read.len(), read.len() + 1] {
        let mut walked = events(dialect, bytes, &mut stack);
        walked.by_ref().take(passed).for_each(drop);
        let (mut seen, mut last) = (passed.min(read.len()), None);
        walked.for_each(|event| match event {
            Ok(event) => {
                assert_eq!(step(event), read[seen]);
                seen += 1;
            }
            Err(error) => last = Some(error),
        });
        assert_eq!(seen, read.len());
        assert_eq!(last, if passed > read.len() { None } else { error });
    }
    for stop in [0, read.len() / 2, read.len().saturating_sub(1)] {
        let mut seen = 0;
        let mut visitor = |event| {
            assert_eq!(step(event), read[seen]);
            seen += 1;
            if seen > stop { ControlFlow::Break(stop) } else { ControlFlow::Continue(()) }
        };
        if stop < read.len() {
            let stopped = visit(dialect, bytes, &mut stack, &mut visitor);
            assert_eq!(stopped, Ok(ControlFlow::Break(stop)));
        }
        let Ok((_, value)) = parse_prefix(dialect, bytes) else { continue };
        let mut seen = 0;
        let stopped = value.visit(&mut stack, |_| {
            seen += 1;
            if seen > stop { ControlFlow::Break(stop) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(stopped, ControlFlow::Break(stop));
    }
}

/// Checks that an array or dictionary gives the same by index as in order.
fn indexed_alike(value: VariantRef<'_>) {
    let same = |one: Option<VariantRef<'_>>, other: Option<VariantRef<'_>>| {
        assert_eq!(one.map(VariantRef::as_bytes), other.map(VariantRef::as_bytes));
        assert_eq!(one.map(VariantRef::kind), other.map(VariantRef::kind));
    };
    if let Some(entries) = value.as_dictionary() {
        let all: Vec<_> = entries.iter().collect();
        for at in [0, 1, all.len() / 2, all.len()] {
            let mut rest = entries.iter();
            let (key, value) = rest.nth(at).unzip();
            same(key, all.get(at).map(|(key, _)| *key));
            same(value, all.get(at).map(|(_, value)| *value));
            assert_eq!(rest.len(), all.len().saturating_sub(at + 1));
        }
        let (key, _) = entries.iter().last().unzip();
        same(key, all.last().map(|(key, _)| *key));
        for (at, (key, _)) in all.iter().enumerate() {
            if let Some(text) = key.as_str() {
                let last = all.iter().rposition(|(key, _)| key.as_str() == Some(text));
                assert!(last >= Some(at));
                same(value.get(text), last.map(|last| all[last].1));
            }
        }
    }
    let Some(array) = value.as_array() else { return };
    let all: Vec<_> = array.iter().collect();
    let mut buffer = vec![0; all.len()];
    if let Some(short) = all.len().checked_sub(1) {
        assert!(array.index(&mut buffer[..short]).is_none());
    }
    let index = array.index(&mut buffer).unwrap();
    assert_eq!((index.len(), index.is_empty()), (all.len(), all.is_empty()));
    for at in [0, 1, all.len() / 2, all.len().wrapping_sub(1), all.len(), usize::MAX] {
        same(index.get(at), all.get(at).copied());
        same(array.get(at), all.get(at).copied());
        let mut rest = array.iter();
        same(rest.nth(at), all.get(at).copied());
        assert_eq!(rest.len(), all.len().saturating_sub(at.saturating_add(1)));
        assert_eq!(rest.clone().count(), rest.len());
        same(rest.next(), all.get(at.wrapping_add(1).max(at)).copied().filter(|_| at < all.len()));
    }
    same(array.iter().last(), all.last().copied());
}

/// Reads bytes in every way. Returns the number of steps if the bytes are a value.
fn agree(dialect: Dialect, bytes: &[u8]) -> Option<usize> {
    let mut stack = WalkStack::new();
    let mut read: Vec<Step<'_>> = Vec::new();
    let mut error = None;
    for event in events(dialect, bytes, &mut stack) {
        match event {
            Ok(event) => read.push(step(event)),
            Err(found) => error = Some(found),
        }
    }
    iterated_within(dialect, bytes, &read, error);
    let value = match parse_prefix(dialect, bytes) {
        Ok((_, value)) => value,
        Err(found) => {
            assert_eq!(error, Some(found));
            return None;
        }
    };
    assert_eq!(error, None);
    let walked: Vec<Step<'_>> = value.walk(&mut stack).map(step).collect();
    assert_eq!(walked, read, "walk and events");
    let mut folded = Vec::new();
    value.walk(&mut stack).for_each(|event| folded.push(step(event)));
    assert_eq!(walked, folded, "next and for_each");
    let mut visited = Vec::new();
    let end = value.visit(&mut stack, |event| {
        visited.push(step(event));
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(end, ControlFlow::Continue(()));
    assert_eq!(walked, visited, "next and visit");
    let mut by_views = Vec::new();
    nested(Slot::Root, value, &mut by_views);
    assert_eq!(walked, by_views, "walk and views");

    // The padding after a byte array at the end of the input may be missing. A stream waits for it.
    match Scanner::new(dialect).push(bytes) {
        Ok(Progress::Done { len: length, .. }) => assert_eq!(length, value.as_bytes().len()),
        Ok(Progress::Needed(missing)) => assert!(missing < 4),
        Err(error) => panic!("{error}"),
    }
    let canonical = encode(dialect, &value).unwrap();
    let back = parse(dialect, &canonical).unwrap();
    let kinds = |value: VariantRef<'_>| -> Vec<Kind> {
        let mut stack = WalkStack::new();
        value.walk(&mut stack).filter_map(kind_as_written).collect()
    };
    assert_eq!(kinds(value), kinds(back), "what is written is what is read");
    assert!(canonical.len() <= value.as_bytes().len().next_multiple_of(4) * 4);
    Some(walked.len())
}

/// The kind of a value; an object that is null is written as null.
fn kind_as_written(event: Event<'_>) -> Option<Kind> {
    match event {
        Event::Value(_, value) if value.is_nil() => Some(Kind::Nil),
        Event::Value(_, value) => Some(value.kind()),
        Event::Begin(_, container) => Some(container.kind()),
        _ => None,
    }
}

/// Bytes that make texts end early, start late, or be invalid.
const MARKS: [&[u8]; 8] = [
    b"\xef\xbb\xbf",
    b"\xef\xbb\xbf\0",
    b"\xef\xbb",
    b"\0",
    b"\x01\0\0\0\0\0\0\0",
    b"\x03\0\0\0\xef\xbb\xbf\0",
    b"\x06\0\0\0\xef\xbb\xbfabc\0\0",
    b"\xff\xff\xff\xff",
];

#[test]
fn an_object_whose_class_is_only_a_byte_order_mark_is_null() {
    // As Godot 3.2.3 and 4.6 read it: the value ends with the name.
    for dialect in Dialect::ALL {
        let number = |kind| u32::from(dialect.type_number(kind).unwrap()).to_le_bytes();
        let names: [&[u8]; 5] = [
            b"\x03\0\0\0\xef\xbb\xbf\0",
            b"\x03\0\0\0\xef\xbb\xbfA",
            b"\x04\0\0\0\xef\xbb\xbf\0",
            b"\x05\0\0\0\xef\xbb\xbf\0A\0\0\0",
            b"\x01\0\0\0\0\0\0\0",
        ];
        for name in names {
            let bytes = [
                &number(Kind::Array)[..],
                &2u32.to_le_bytes(),
                &number(Kind::Object),
                name,
                &number(Kind::Int),
                &8u32.to_le_bytes(),
            ]
            .concat();
            let value = parse(*dialect, &bytes).unwrap();
            assert_eq!(
                value
                    .get(0)
                    .and_then(|object| object.as_object().map(|o| format!("{o:?}")))
                    .as_deref(),
                Some("Null")
            );
            assert_eq!(value.get(1).and_then(|int| int.as_i64()), Some(8));
            assert_eq!(agree(*dialect, &bytes), Some(4));
            for end in 0..bytes.len() {
                agree(*dialect, &bytes[..end]);
            }
            let written = encode(*dialect, &value).unwrap();
            assert!(parse(*dialect, &written).unwrap().get(0).unwrap().is_nil());
        }
        // One mark is dropped, and the rest is a name.
        let two =
            [&number(Kind::Object)[..], b"\x06\0\0\0\xef\xbb\xbf\xef\xbb\xbf\0\0", b"\0\0\0\0"]
                .concat();
        let value = parse(*dialect, &two).unwrap();
        assert!(
            matches!(value.view(), View::Object(ObjectRef::Instance(object)) if object.class() == "\u{feff}")
        );
    }
}

#[test]
fn recorded_values_and_inputs_are_read_alike() {
    let mut values = 0;
    for (dialect, line) in recorded_values() {
        assert!(agree(dialect, &unhex(&line.hex)).is_some());
        values += 1;
    }
    for (folder, dialect) in RECORDED {
        for line in lines::<Verdict>(&format!("{folder}/verdicts.ndjson")) {
            values += usize::from(agree(dialect, &unhex(&line.hex)).is_some());
        }
    }
    assert!(values > 3000, "{values}");
}

fn dialect() -> impl Strategy<Value = Dialect> {
    let all: Vec<Dialect> =
        Dialect::ALL.iter().flat_map(|dialect| [*dialect, dialect.with_double_reals()]).collect();
    proptest::sample::select(all)
}

/// Recorded values, and objects and typed containers of every dialect.
fn samples() -> Vec<(Dialect, Vec<u8>)> {
    let mut samples: Vec<_> = recorded_values()
        .into_iter()
        .map(|(dialect, line): (Dialect, Value)| (dialect, unhex(&line.hex)))
        .filter(|(_, bytes)| bytes.len() < 2000)
        .collect();
    for dialect in Dialect::ALL {
        let object = u32::from(dialect.type_number(Kind::Object).unwrap()).to_le_bytes();
        let property = b"\x04\0\0\0hide\x01\0\0\0\x01\0\0\0";
        let node = [&object[..], b"\x06\0\0\0Node2D\0\0\x02\0\0\0", property, property].concat();
        // As many as of other values, otherwise few of the changes below would be inside one.
        samples.extend(std::iter::repeat_n((*dialect, node), 40));
    }
    samples
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn changed_values_are_read_alike(
        which in any::<prop::sample::Index>(),
        marks in vec((any::<prop::sample::Index>(), proptest::sample::select(MARKS.to_vec()), any::<bool>()), 0..3),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 0..2),
        other in proptest::option::weighted(0.2, dialect()),
    ) {
        thread_local!(static SAMPLES: Vec<(Dialect, Vec<u8>)> = samples());
        let (dialect, mut bytes) = SAMPLES.with(|samples| samples[which.index(samples.len())].clone());
        for (at, mark, is_aligned) in marks {
            let at = at.index(bytes.len());
            let at = if is_aligned { at & !3 } else { at };
            let end = bytes.len().min(at + mark.len());
            bytes[at..end].copy_from_slice(&mark[..end - at]);
        }
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        agree(other.unwrap_or(dialect), &bytes);
    }
}
