//! Streams of built segments: cases that TCP allows, and cases that it does not.

use gdwire::net::tcp::{End, GapReason, Piece, Reassembler, Segment};
use proptest::prelude::*;

/// The events in short form, with adjacent bytes joined.
#[derive(Clone, PartialEq, Debug)]
enum Got {
    Start,
    Data(u64, Vec<u8>),
    Gap(u64, u64, GapReason),
    Late(u64),
    End(End),
}

fn keep(got: &mut Vec<Got>) -> impl FnMut(Piece<'_>) + '_ {
    |piece| match (piece, got.last_mut()) {
        (Piece::Data { offset, payload: bytes, .. }, Some(Got::Data(start, before))) => {
            assert_eq!(*start + before.len() as u64, offset);
            before.extend_from_slice(bytes);
        }
        (Piece::Data { offset, payload: bytes, .. }, _) => {
            got.push(Got::Data(offset, bytes.to_vec()))
        }
        (Piece::Start, _) => got.push(Got::Start),
        (Piece::Gap { offset, bytes, reason, .. }, _) => got.push(Got::Gap(offset, bytes, reason)),
        (Piece::Late { bytes }, _) => got.push(Got::Late(bytes)),
        (Piece::End(end), _) => got.push(Got::End(end)),
        (other, _) => panic!("{other:?}"),
    }
}

fn all(limit: usize, segments: &[Segment<'_>]) -> Vec<Got> {
    let mut stream = Reassembler::new(limit);
    let mut got = Vec::new();
    for segment in segments {
        stream.push(*segment, &mut keep(&mut got));
        assert!(stream.held_bytes() <= limit);
    }
    stream.finish(&mut keep(&mut got));
    assert_eq!(stream.held_bytes(), 0);
    got
}

fn data(offset: u64, bytes: &[u8]) -> Got {
    Got::Data(offset, bytes.to_vec())
}

const fn syn(sequence: u32) -> Segment<'static> {
    Segment::new(sequence, &[]).with_syn()
}

const fn fin(sequence: u32, payload: &[u8]) -> Segment<'_> {
    Segment::new(sequence, payload).with_fin()
}

const fn reset(sequence: u32) -> Segment<'static> {
    Segment::new(sequence, &[]).with_reset()
}

const LIMIT: usize = 1 << 16;

#[test]
fn a_payload_in_order_is_borrowed() {
    let payload = [1, 2, 3];
    let mut stream = Reassembler::new(0);
    stream.push(syn(9), &mut |_| {});
    let mut is_borrowed = false;
    stream.push(Segment::new(10, &payload), &mut |piece| {
        is_borrowed = matches!(piece, Piece::Data { payload: bytes, .. } if bytes.as_ptr() == payload.as_ptr());
    });
    assert!(is_borrowed);
}

#[test]
fn pieces_have_the_tag_of_their_segment() {
    let segments = [
        syn(9),
        Segment::new(15, b"fg"),
        Segment::new(14, b"efghi"),
        Segment::new(10, &[]),
        Segment::new(10, b"abcd"),
        Segment::new(19, b"j"),
        // Another stream.
        syn(500),
        Segment::new(501, b"k"),
    ];
    let mut stream = Reassembler::new(LIMIT);
    let mut got = Vec::new();
    for (number, segment) in segments.into_iter().enumerate() {
        stream.push(segment.with_tag(number), &mut |piece| {
            if let Piece::Data { tag, payload: bytes, .. } = piece {
                got.push((tag, bytes.to_vec()));
            }
        });
    }
    let expected: [(usize, &[u8]); 6] =
        [(4, b"abcd"), (2, b"e"), (1, b"fg"), (2, b"hi"), (5, b"j"), (7, b"k")];
    assert!(got.iter().map(|(tag, bytes)| (*tag, &bytes[..])).eq(expected), "{got:?}");
}

#[test]
fn sequence_numbers_wrap_around() {
    let start = u32::MAX - 2;
    let segments =
        [syn(start), Segment::new(2, b"efg"), Segment::new(start.wrapping_add(1), b"abcd")];
    assert_eq!(all(LIMIT, &segments), [Got::Start, data(0, b"abcdefg")]);
}

#[test]
fn a_stream_may_be_longer_than_4_gib() {
    let mebibyte = vec![7; 1 << 20];
    let mut stream = Reassembler::new(0);
    let mut next = 0;
    stream.push(syn(99), &mut |_| {});
    for count in 0..5000u32 {
        stream.push(Segment::new(100u32.wrapping_add(count << 20), &mebibyte), &mut |piece| {
            let Piece::Data { offset, payload: bytes, .. } = piece else { panic!("{piece:?}") };
            assert_eq!(offset, next);
            next += bytes.len() as u64;
        });
    }
    assert_eq!(next, 5000 << 20);
}

#[test]
fn the_first_copy_of_overlapping_bytes_counts() {
    let segments = [
        syn(0),
        Segment::new(3, b"CD"),
        Segment::new(7, b"GH"),
        Segment::new(2, b"bcdefghi"),
        Segment::new(1, b"abcdefghij"),
        Segment::new(1, b"xxxx"),
    ];
    assert_eq!(all(LIMIT, &segments), [Got::Start, data(0, b"abCDefGHij")]);
}

#[test]
fn probes_and_repeated_syns_are_not_data() {
    let segments = [
        syn(0),
        syn(0),
        Segment::new(0, b"?"),
        Segment::new(1, b"abc"),
        Segment::new(3, b"?"),
        Segment::new(3, b""),
        syn(0),
        Segment::new(4, b"d"),
        Segment::new(4, b"def"),
    ];
    assert_eq!(all(LIMIT, &segments), [Got::Start, data(0, b"abcdef")]);
}

#[test]
fn a_syn_may_carry_data_and_may_arrive_late() {
    let fast = Segment::new(4, b"abc").with_syn();
    assert_eq!(all(LIMIT, &[fast, Segment::new(8, b"d")]), [Got::Start, data(0, b"abcd")]);
    assert_eq!(
        all(LIMIT, &[Segment::new(8, b"d"), Segment::new(5, b"abc"), syn(4)]),
        [Got::Start, data(0, b"abcd")]
    );
}

/// A SYN belongs to delivered bytes only if it is the first SYN and stands shortly before them.
#[test]
fn a_syn_after_delivered_bytes_begins_another_stream_or_belongs_to_them() {
    let delivered: Vec<_> = (0..6).map(|at| Segment::new(101 + at, b"a")).collect();
    let before = data(0, b"aaaaaa");
    for (sequence, late) in [
        (99, Some(1)),
        (90, Some(2)),
        (200, None),
        (1_000_000, None),
        (0_u32.wrapping_sub(1 << 16), None),
        (0x9000_0000, None),
    ] {
        let after = [syn(sequence), Segment::new(sequence.wrapping_add(1), b"xy")];
        let got = all(LIMIT, &[&delivered, &after[..]].concat());
        let other = [before.clone(), Got::Start, data(0, b"xy")];
        let same = late.map(|late| [before.clone(), Got::Late(late)]);
        assert_eq!(got, same.as_ref().map_or(&other[..], |same| same), "{sequence}");
        // The delivered bytes have a SYN of their own.
        let got = all(LIMIT, &[&[syn(100)], &delivered[..], &after].concat());
        assert_eq!(got, [&[Got::Start][..], &other].concat(), "{sequence}");
    }
}

#[test]
fn segments_slightly_before_the_first_are_returned_first() {
    let segments = [
        Segment::new(107, b"hij"),
        Segment::new(100, b"abc"),
        Segment::new(103, b"defg"),
        Segment::new(110, b"k"),
        Segment::new(95, b"vwxyzab"),
        Segment::new(111, b"l"),
    ];
    assert_eq!(all(LIMIT, &segments), [data(0, b"abcdefghijk"), Got::Late(5), data(11, b"l")]);
}

#[test]
fn the_end_is_reported_when_it_is_reached() {
    let end = Got::End(End::Fin);
    assert_eq!(
        all(
            LIMIT,
            &[syn(0), fin(4, b"de"), Segment::new(1, b"abc"), fin(4, b"de"), Segment::new(6, b"")]
        ),
        [Got::Start, data(0, b"abcde"), end.clone()]
    );
    assert_eq!(
        all(LIMIT, &[syn(0), fin(4, b"de")]),
        [Got::Start, Got::Gap(0, 3, GapReason::Finished), data(3, b"de"), end]
    );
    // A RST that overtakes the bytes before the FIN that precedes it.
    assert_eq!(
        all(LIMIT, &[syn(0), fin(4, b"de"), reset(7), Segment::new(1, b"abc")]),
        [Got::Start, data(0, b"abcde"), Got::End(End::Fin)]
    );
    assert_eq!(
        all(LIMIT, &[syn(0), Segment::new(1, b"a"), reset(2), reset(2)]),
        [Got::Start, data(0, b"a"), Got::End(End::Reset)]
    );
}

#[test]
fn a_reset_before_the_fin_ends_the_stream_there() {
    let lost = Got::Gap(0, 4, GapReason::Finished);
    let expected = [Got::Start, Got::End(End::Reset), lost, data(4, b"ef")];
    assert_eq!(all(LIMIT, &[syn(0), fin(5, b"ef"), reset(1)]), expected);
}

/// A FIN takes one sequence number: a reset after it has the next one.
#[test]
fn a_reset_with_the_number_of_a_fin_takes_its_place() {
    for (number, end) in [(3, End::Reset), (4, End::Fin)] {
        let segments = [syn(0), fin(3, &[]), reset(number), Segment::new(1, b"ab")];
        assert_eq!(all(LIMIT, &segments), [Got::Start, data(0, b"ab"), Got::End(end)]);
    }
}

#[test]
fn distant_fins_and_empty_segments_are_ignored() {
    let returned = [Got::Start, data(0, b"abcdef")];
    let [first, last] = [Segment::new(1, b"abcde"), Segment::new(6, b"f")];
    for other in [fin(3, &[]), fin(1 << 31, &[]), Segment::new(1 << 31, &[])] {
        assert_eq!(all(LIMIT, &[syn(0), first, other, last]), returned, "{other:?}");
    }
}

#[test]
fn a_reused_port_begins_another_stream() {
    let segments = [
        syn(0),
        Segment::new(1, b"abc"),
        Segment::new(9, b"ij"),
        syn(5_000_000),
        Segment::new(5_000_001, b"next"),
    ];
    assert_eq!(
        all(LIMIT, &segments),
        [
            Got::Start,
            data(0, b"abc"),
            Got::Gap(3, 5, GapReason::Finished),
            data(8, b"ij"),
            Got::Start,
            data(0, b"next"),
        ]
    );
}

#[test]
fn acknowledged_bytes_are_waited_for_and_then_reported_as_a_gap() {
    for holds in [true, false] {
        let mut stream = Reassembler::new(LIMIT);
        let mut got = Vec::new();
        stream.push(syn(0), &mut keep(&mut got));
        if holds {
            stream.push(Segment::new(4, b"de"), &mut keep(&mut got));
        }
        for count in 0..64 {
            assert_eq!(got, [Got::Start], "{count}");
            stream.acknowledged(6, &mut keep(&mut got));
        }
        stream.acknowledged(6, &mut keep(&mut got));
        let gap = |bytes| Got::Gap(0, bytes, GapReason::Acknowledged);
        let expected =
            if holds { vec![Got::Start, gap(3), data(3, b"de")] } else { vec![Got::Start, gap(5)] };
        assert_eq!(got, expected);
        // Bytes that were reported as missing are not returned later.
        stream.push(Segment::new(1, b"abc"), &mut keep(&mut got));
        assert_eq!(got, expected);
    }
}

/// After bytes of the stream, and after a gap that was given up, the next gap is waited for as long.
#[test]
fn each_gap_is_waited_for_on_its_own() {
    let gap = |offset, bytes| Got::Gap(offset, bytes, GapReason::Acknowledged);
    let mut stream = Reassembler::new(LIMIT);
    let mut got = Vec::new();
    stream.push(syn(0), &mut keep(&mut got));
    let wait = |stream: &mut Reassembler<()>, got: &mut Vec<Got>, number, count| {
        (0..count).for_each(|_| stream.acknowledged(number, &mut keep(got)));
    };
    wait(&mut stream, &mut got, 6, 60);
    stream.push(Segment::new(1, b"a"), &mut keep(&mut got));
    // The packet with these bytes counts, too.
    wait(&mut stream, &mut got, 6, 62);
    assert_eq!(got, [Got::Start, data(0, b"a")]);
    wait(&mut stream, &mut got, 6, 1);
    assert_eq!(got, [Got::Start, data(0, b"a"), gap(1, 4)]);
    wait(&mut stream, &mut got, 9, 63);
    assert_eq!(got, [Got::Start, data(0, b"a"), gap(1, 4)]);
    wait(&mut stream, &mut got, 9, 1);
    assert_eq!(got, [Got::Start, data(0, b"a"), gap(1, 4), gap(5, 3)]);
}

#[test]
fn an_acknowledgement_before_a_stream_begins_may_belong_to_another() {
    let mut stream = Reassembler::new(LIMIT);
    let mut got = Vec::new();
    for (number, payload) in [(10, b"ab"), (20, b"cd"), (22, b"ef"), (24, b"gh")] {
        stream.acknowledged(20, &mut keep(&mut got));
        stream.push(Segment::new(number, payload), &mut keep(&mut got));
    }
    for _ in 0..100 {
        stream.push(Segment::new(26, &[]), &mut keep(&mut got));
    }
    assert_eq!(got, [data(0, b"ab")]);
    stream.acknowledged(20, &mut keep(&mut got));
    for _ in 0..64 {
        stream.push(Segment::new(26, &[]), &mut keep(&mut got));
    }
    let gap = Got::Gap(2, 8, GapReason::Acknowledged);
    assert_eq!(got, [data(0, b"ab"), gap, data(10, b"cdefgh")]);
}

#[test]
fn the_acknowledgement_of_a_fin_is_not_a_gap() {
    let mut stream = Reassembler::new(LIMIT);
    let mut got = Vec::new();
    stream.push(syn(0), &mut keep(&mut got));
    stream.push(fin(1, b"ab"), &mut keep(&mut got));
    for _ in 0..200 {
        stream.acknowledged(4, &mut keep(&mut got));
    }
    stream.finish(&mut keep(&mut got));
    assert_eq!(got, [Got::Start, data(0, b"ab"), Got::End(End::Fin)]);
}

#[test]
fn bytes_cut_off_by_the_capture_are_a_gap_unless_sent_again() {
    let cut = Segment::new(1, b"ab").with_missing(4);
    let mut stream = Reassembler::new(LIMIT);
    let mut got = Vec::new();
    for segment in [syn(0), cut, Segment::new(7, b"gh")] {
        stream.push(segment, &mut keep(&mut got));
    }
    stream.acknowledged(7, &mut keep(&mut got));
    assert_eq!(got, [Got::Start, data(0, b"ab"), Got::Gap(2, 4, GapReason::Cut), data(6, b"gh")]);
    let again = [syn(0), cut, Segment::new(7, b"gh"), Segment::new(1, b"abcdef")];
    assert_eq!(all(LIMIT, &again), [Got::Start, data(0, b"abcdefgh")]);
}

/// A capture of headers only: no payload was captured, but the length of each is known.
#[test]
fn segments_with_only_headers_captured_are_one_gap() {
    let cut = |sequence, missing| Segment::new(sequence, &[]).with_missing(missing);
    let lost = |to| Got::Gap(0, to, GapReason::Finished);
    let first = Segment::new(1, b"ab").with_missing(4);
    // The second and third segments begin after the returned bytes, but not after the bytes that
    // were cut off.
    let segments = [syn(0), first, cut(7, 5), cut(12, 3)];
    let gap = Got::Gap(2, 12, GapReason::Finished);
    assert_eq!(all(LIMIT, &segments), [Got::Start, data(0, b"ab"), gap]);
    // After a gap, it is not known whether more is missing.
    assert_eq!(all(LIMIT, &[syn(0), cut(1, 5), cut(20, 3)]), [Got::Start, lost(5)]);
    // A held segment keeps the size of the bytes that were cut off after it.
    let segments = [syn(0), Segment::new(4, b"de").with_missing(4), Segment::new(1, b"abc")];
    let gap = Got::Gap(5, 4, GapReason::Finished);
    assert_eq!(all(LIMIT, &segments), [Got::Start, data(0, b"abcde"), gap]);
    // It is returned at once if there is no memory to hold it back.
    let segments = [syn(0), Segment::new(4, b"de").with_missing(4)];
    let gaps = [Got::Gap(0, 3, GapReason::Limit), Got::Gap(5, 4, GapReason::Finished)];
    let [before, after] = gaps;
    assert_eq!(all(0, &segments), [Got::Start, before, data(3, b"de"), after]);
}

#[test]
fn a_stream_may_be_captured_from_its_end_on() {
    let end = || Got::End(End::Fin);
    assert_eq!(all(LIMIT, &[fin(5, b"")]), [end()]);
    assert_eq!(all(LIMIT, &[fin(5, b"ef")]), [data(0, b"ef"), end()]);
    // Earlier segments were captured after it.
    let segments = [fin(5, b""), Segment::new(3, b"cd"), Segment::new(1, b"ab")];
    assert_eq!(all(LIMIT, &segments), [data(0, b"abcd"), end()]);
    // An empty segment does not show the position of the stream.
    let segments = [Segment::new(900, b""), Segment::new(1, b"ab"), fin(3, b"")];
    assert_eq!(all(LIMIT, &segments), [data(0, b"ab"), end()]);
}

#[test]
fn bytes_beyond_the_limit_are_a_gap() {
    let segments = [
        syn(0),
        Segment::new(11, b"k"),
        Segment::new(21, b"u"),
        Segment::new(31, b"E"),
        Segment::new(1, b"abc"),
    ];
    let limit = |offset, bytes| Got::Gap(offset, bytes, GapReason::Limit);
    assert_eq!(
        all(130, &segments),
        [
            Got::Start,
            limit(0, 10),
            data(10, b"k"),
            Got::Gap(11, 9, GapReason::Finished),
            data(20, b"u"),
            Got::Gap(21, 9, GapReason::Finished),
            data(30, b"E"),
        ]
    );
    let none = all(0, &segments);
    assert_eq!(none[1..3], [limit(0, 10), data(10, b"k")]);
}

#[test]
fn the_limit_holds_for_a_segment_split_by_others() {
    let segments = [Segment::new(5, b"e"), Segment::new(3, b"c"), Segment::new(1, b"abcdefg")];
    assert_eq!(all(64 * 3 + 10, &segments), [data(0, b"c"), Got::Late(2), data(1, b"defg")]);
    assert_eq!(all(LIMIT, &segments), [data(0, b"abcdefg")]);
}

#[test]
fn distant_segments_are_not_part_of_the_stream() {
    // The next number is 4.
    let far = |number| [syn(0), Segment::new(1, b"abc"), Segment::new(number, b"far")];
    for number in [0x8000_0000, 5 + (1 << 30)] {
        let segments = [&far(number)[..], &[Segment::new(4, b"d")]].concat();
        let expected = [Got::Start, data(0, b"abc"), Got::Late(3), data(3, b"d")];
        assert_eq!(all(LIMIT, &segments), expected);
    }
    let gap = Got::Gap(3, 1 << 30, GapReason::Finished);
    let expected = [Got::Start, data(0, b"abc"), gap, data(3 + (1 << 30), b"far")];
    assert_eq!(all(LIMIT, &far(4 + (1 << 30))), expected);
}

#[test]
fn many_small_segments_after_a_gap_take_linear_time() {
    let mut stream = Reassembler::new(64 << 20);
    stream.push(syn(0), &mut |_| {});
    for at in (0..200_000u32).rev() {
        stream.push(Segment::new(3 + at * 2, b"x"), &mut |piece| panic!("{piece:?}"));
    }
    let whole = vec![b'y'; 60_000];
    for _ in 0..20 {
        stream.push(Segment::new(2, &whole), &mut |piece| panic!("{piece:?}"));
    }
    let mut returned = 0;
    stream.push(Segment::new(1, b"a"), &mut |piece| {
        let Piece::Data { payload: bytes, .. } = piece else { panic!("{piece:?}") };
        returned += bytes.len();
    });
    assert_eq!(returned, 60_001);
}

proptest! {
    #[test]
    fn any_order_of_any_segments_gives_the_stream(
        start: u32,
        bytes in prop::collection::vec(any::<u8>(), 1..600),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 1..90usize), 1..60),
        order: u64,
    ) {
        // Everything once, so nothing is missing, and parts of it again.
        let mut parts: Vec<(usize, usize)> = (0..bytes.len()).step_by(37).map(|at| (at, 37)).collect();
        parts.extend(cuts.iter().map(|(at, length)| (at.index(bytes.len()), *length)));
        let mut seed = order | 1;
        for at in (1..parts.len()).rev() {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            parts.swap(at, usize::try_from(seed >> 33).unwrap() % (at + 1));
        }
        let mut segments = vec![syn(start)];
        segments.extend(parts.iter().map(|(at, length)| {
            let end = (at + length).min(bytes.len());
            let sequence = start.wrapping_add(1).wrapping_add(u32::try_from(*at).unwrap());
            Segment::new(sequence, &bytes[*at..end])
        }));
        prop_assert_eq!(all(LIMIT, &segments), vec![Got::Start, Got::Data(0, bytes.clone())]);
    }

    #[test]
    fn with_any_segments_pieces_are_contiguous_and_the_limit_holds(
        limit in 0..2000usize,
        steps in prop::collection::vec((any::<u8>(), 0..3000u32, 0..200usize, 0..50usize), 0..100),
    ) {
        let bytes = [0; 200];
        let mut stream = Reassembler::new(limit);
        let mut next = 0;
        let mut check = |piece: Piece<'_>| match piece {
            Piece::Start => next = 0,
            Piece::Data { offset, payload: bytes, .. } => {
                assert_eq!(offset, next);
                next += bytes.len() as u64;
            }
            Piece::Gap { offset, bytes, .. } => {
                assert!(offset == next && bytes > 0);
                next += bytes;
            }
            _ => {}
        };
        for (flags, sequence, length, missing) in steps {
            if flags % 4 == 0 {
                stream.acknowledged(sequence, &mut check);
            } else {
                let missing = if flags % 8 == 7 { missing } else { 0 };
                let segment = Segment::new(sequence, &bytes[..length]).with_missing(missing);
                let segment = match flags % 32 {
                    1 => segment.with_syn(),
                    2 => segment.with_fin(),
                    3 => segment.with_reset(),
                    _ => segment,
                };
                stream.push(segment, &mut check);
            }
            prop_assert!(stream.held_bytes() <= limit);
        }
        stream.finish(&mut check);
        prop_assert_eq!(stream.held_bytes(), 0);
    }
}
