//! Sessions restore the order of messages, drop duplicates and report what is missing.

use super::assemble::*;
use gdwire::net::Side::{First, Second};
use gdwire::net::enet::{LossReason, Lost, Mode, Session, SessionEvent, SessionLimits};

fn lost_reliable(count: u32) -> Lost {
    Lost::Missing { mode: Mode::Reliable, count }
}

#[test]
fn reliable_messages_wait_for_earlier_ones_also_when_numbers_wrap() {
    for start in [1_u16, 100, 0xfffd] {
        let mut watched = Watched::new();
        let send =
            |offset: u16| one(reliable(0, start.wrapping_add(offset), &[b'0' + offset as u8]));
        for offset in [0, 2, 3, 2, 5, 1, 1, 4, 0] {
            watched.receive(First, &send(offset));
        }
        assert_eq!(watched.texts(), ["0", "1", "2", "3", "4", "5"], "{start}");
        watched.finish();
        assert_eq!(watched.lost, []);
    }
}

#[test]
fn directions_and_channels_are_independent() {
    let mut watched = Watched::new();
    for (side, channel, text) in [(First, 0, "a"), (Second, 0, "b"), (First, 254, "c")] {
        watched.receive(side, &one(reliable(channel, 9, text.as_bytes())));
    }
    assert_eq!(watched.texts(), ["a", "b", "c"]);
}

#[test]
fn a_session_captured_from_the_middle_accepts_slightly_late_messages() {
    let mut watched = Watched::new();
    for number in [50, 49, 51, 49, 50, 20] {
        watched.receive(First, &one(reliable(3, number, number.to_string().as_bytes())));
    }
    assert_eq!(watched.texts(), ["50", "49", "51", "20"]);
    watched.finish();
    assert_eq!(watched.lost, []);
}

#[test]
fn unreliable_messages_wait_only_for_reliable_ones() {
    let mut watched = Watched::new();
    watched.receive(First, &CONNECTING.connect());
    watched.receive(First, &one(unreliable(1, 0, 2, b"0.2")));
    watched.receive(First, &one(unreliable(1, 2, 1, b"2.1")));
    watched.receive(First, &one(unreliable(1, 1, 2, b"1.2")));
    watched.receive(First, &one(unreliable(1, 0, 1, b"0.1")));
    watched.receive(First, &one(unreliable(1, 0, 2, b"0.2")));
    assert_eq!(watched.texts(), ["0.2", "0.1"]);
    watched.receive(First, &one(reliable(1, 1, b"1")));
    assert_eq!(watched.texts(), ["1", "1.2"]);
    watched.receive(First, &one(unreliable(1, 1, 1, b"1.1")));
    watched.receive(First, &one(unreliable(1, 2, 1, b"2.1")));
    watched.receive(First, &one(reliable(1, 2, b"2")));
    assert_eq!(watched.texts(), ["1.1", "2", "2.1"]);
    watched.receive(First, &one(unreliable(1, 1, 1, b"1.1")));
    watched.receive(First, &one(unreliable(1, 2, 1, b"2.1")));
    assert_eq!(watched.texts(), [""; 0]);
}

/// The last 256 unreliable messages are remembered, however many there were.
#[test]
fn repeated_unreliable_messages_are_returned_once() {
    let mut watched = Watched::new();
    for number in 1..=1_000 {
        for again in [0, 1, 200] {
            if number > again {
                watched.receive(First, &one(unreliable(1, 0, number - again, b"x")));
            }
        }
    }
    assert_eq!(watched.texts().len(), 1_000);
}

#[test]
fn unsequenced_messages_are_returned_once_also_when_numbers_wrap() {
    let mut watched = Watched::new();
    for start in [0_u16, 70, 0xfe00] {
        for offset in [0, 5, 3, 5, 0, 1_000, 3, 4, 1_000, 1_023, 0] {
            watched.receive(First, &one(unsequenced(1, start.wrapping_add(offset), b"x")));
        }
    }
    // 0, 5, 3, 1000, 4, 1023; at 70 all except 1000 are new, and at 0xfe00 all are.
    assert_eq!(watched.texts().len(), 6 + 6 + 6);
    for group in 0..60_000_u16 {
        watched.receive(First, &one(unsequenced(1, group.wrapping_add(2_000), b"x")));
        watched.receive(First, &one(unsequenced(1, group.wrapping_add(2_000), b"x")));
    }
    assert_eq!(watched.texts().len(), 60_000);
}

#[test]
fn fragments_make_a_message_in_any_order() {
    let message: Vec<u8> = (0..2_500_u32).map(|number| number as u8).collect();
    for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [1, 0, 4, 2, 3], [0, 1, 4, 3, 2]] {
        for start in [1_u16, 0xfffe] {
            let mut watched = Watched::new();
            let parts = parts(&message, 600, start);
            watched.receive(First, &one(reliable(0, start.wrapping_sub(1), b"before")));
            watched.receive(First, &one(reliable(0, start.wrapping_add(5), b"behind")));
            for at in order {
                watched.receive(First, &one(parts[at].reliable(0)));
                watched.receive(First, &one(parts[at].reliable(0)));
                watched.receive(First, &one(parts[at].unreliable(1, 8)));
                watched.receive(First, &one(parts[at].unreliable(1, 8)));
            }
            let modes: Vec<_> =
                watched.given.iter().map(|given| (given.channel, given.mode)).collect();
            let (reliable, unreliable) = ((0, Mode::Reliable), (1, Mode::Unreliable));
            assert_eq!(modes, [reliable, reliable, reliable, unreliable]);
            assert_eq!(watched.given[1].payload, message);
            assert_eq!(watched.given[2].payload, b"behind");
            assert_eq!(watched.given[3].payload, message);
            watched.finish();
            assert_eq!(watched.lost, []);
        }
    }
}

#[test]
fn fragments_that_contradict_the_first_are_refused() {
    let one_way = parts(&[1; 1_000], 300, 5);
    // They differ in the length of a fragment, in that of the message, in the number of fragments.
    for other_way in [
        parts(&[1; 1_000], 400, 5),
        parts(&[1; 1_000], 260, 5),
        parts(&[1; 1_100], 300, 5),
        parts(&[1; 1_300], 300, 5),
    ] {
        let mut watched = Watched::new();
        watched.receive(First, &one(one_way[0].reliable(0)));
        watched.receive(First, &one(other_way[1].reliable(0)));
        watched.receive(First, &one(reliable(0, 5, b"not a fragment")));
        assert_eq!(watched.lost.len(), 2);
        assert!(watched.lost.iter().all(|loss| loss.reason == LossReason::Inconsistent));
        for part in &one_way[1..] {
            watched.receive(First, &one(part.reliable(0)));
        }
        assert_eq!(watched.given.len(), 1);
        assert_eq!(watched.given[0].payload, [1; 1_000]);
    }
}

#[test]
fn messages_with_numbers_of_another_messages_fragments_are_refused() {
    let (message, inner) = ([1; 1_000], [2; 800]);
    let (outer, inner) = (parts(&message, 200, 5), parts(&inner, 200, 8));
    let mut watched = Watched::new();
    watched.receive(First, &one(reliable(0, 4, b"before")));
    // Both wait for the fragments, which take the numbers 5 to 9.
    watched.receive(First, &one(reliable(0, 7, b"within")));
    watched.receive(First, &one(inner[1].reliable(0)));
    watched.receive(First, &one(reliable(0, 10, b"after")));
    assert_eq!((watched.given.len(), watched.lost.len()), (1, 0));
    for part in &outer {
        watched.receive(First, &one(part.reliable(0)));
    }
    let given: Vec<&[u8]> = watched.given.iter().map(|it| &it.payload[..]).collect();
    assert_eq!(given, [&b"before"[..], &message, b"after"]);
    let mode = Mode::Reliable;
    let expected =
        [Lost::Message { mode, len: 6 }, Lost::Fragments { mode, seen: 1, count: 4, len: 800 }];
    assert_eq!(watched.lost.iter().map(|it| it.lost).collect::<Vec<_>>(), expected);
    assert!(watched.lost.iter().all(|it| it.reason == LossReason::Inconsistent));
    watched.finish();
    assert_eq!(watched.lost.len(), 2);
}

#[test]
fn unreliable_fragments_that_contradict_the_first_are_refused() {
    let mut watched = Watched::new();
    watched.receive(First, &one(reliable(0, 1, b"before")));
    let (one_way, other_way) = (parts(&[1; 1_000], 300, 5), parts(&[1; 1_000], 400, 5));
    for part in [one_way[0], other_way[1], one_way[1], one_way[1], one_way[2], one_way[3]] {
        watched.receive(First, &one(part.unreliable(0, 1)));
    }
    let lost = Lost::Message { mode: Mode::Unreliable, len: 400 };
    assert_eq!(
        watched.lost.iter().map(|it| (it.lost, it.reason)).collect::<Vec<_>>(),
        [(lost, LossReason::Inconsistent)]
    );
    assert_eq!(watched.given[1].payload, [1; 1_000]);
    assert_eq!(watched.given.len(), 2);
}

#[test]
fn acknowledged_messages_that_were_not_seen_are_given_up() {
    let mut watched = Watched::new();
    for number in [1, 2, 4, 5] {
        watched.receive(First, &one(reliable(0, number, number.to_string().as_bytes())));
        watched.receive(Second, &one(acknowledge(0, number)));
    }
    watched.receive(Second, &one(acknowledge(0, 3)));
    for _ in 0..60 {
        watched.receive(Second, &one(ping(1)));
    }
    assert_eq!((watched.texts(), watched.lost.len()), (vec!["1".to_owned(), "2".into()], 0));
    for _ in 0..20 {
        watched.receive(Second, &one(ping(1)));
    }
    assert_eq!(watched.texts(), ["4", "5"]);
    assert_eq!(watched.lost.len(), 1);
    assert_eq!(watched.lost[0].lost, lost_reliable(1));
    assert_eq!((watched.lost[0].from, watched.lost[0].channel), (First, Some(0)));
    // It arrives after all, and then again.
    watched.receive(First, &one(reliable(0, 3, b"3")));
    watched.receive(First, &one(reliable(0, 3, b"3")));
    assert_eq!(watched.texts(), ["3"]);
}

#[test]
fn an_acknowledgement_is_remembered_until_its_message_arrives() {
    let mut watched = Watched::new();
    watched.receive(First, &one(reliable(0, 1, b"1")));
    watched.receive(Second, &one(acknowledge(0, 3)));
    watched.receive(First, &one(reliable(0, 2, b"2")));
    watched.receive(First, &one(reliable(0, 4, b"4")));
    for _ in 0..60 {
        watched.receive(Second, &one(ping(1)));
    }
    assert_eq!(watched.texts(), ["1", "2"]);
    for _ in 0..20 {
        watched.receive(Second, &one(ping(1)));
    }
    assert_eq!(watched.texts(), ["4"]);
    assert_eq!(watched.lost.iter().map(|it| it.lost).collect::<Vec<_>>(), [lost_reliable(1)]);
}

/// Only the first messages of a connection may be captured before its connect command.
#[test]
fn a_connect_command_after_later_messages_opens_another_connection() {
    let mut watched = Watched::new();
    watched.receive(First, &one(reliable(0, 3, b"3 of the first")));
    watched.receive(First, &CONNECTING.connect());
    for number in 1..=3 {
        watched.receive(First, &one(reliable(0, number, number.to_string().as_bytes())));
    }
    assert_eq!(watched.texts(), ["3 of the first", "1", "2", "3"]);
}

#[test]
fn messages_without_an_acknowledgement_are_waited_for_longer() {
    let mut watched = Watched::new();
    watched.receive(First, &one(reliable(0, 1, b"1")));
    watched.receive(First, &one(reliable(0, 3, b"3")));
    for _ in 0..1_000 {
        watched.receive(Second, &one(ping(1)));
    }
    assert_eq!(watched.texts(), ["1"]);
    for _ in 0..50 {
        watched.receive(Second, &one(ping(1)));
    }
    assert_eq!(watched.texts(), ["3"]);
    assert_eq!(watched.lost.len(), 1);
}

/// The first message of a capture may be one that is sent again, after later ones have arrived.
#[test]
fn messages_from_before_the_first_datagram_are_told_from_lost_ones() {
    use LossReason::{Earlier, NotSeen, Unacknowledged};
    let losses = |datagrams: &[Vec<u8>], acknowledged: &[u16], wait| {
        let mut watched = Watched::new();
        datagrams.iter().for_each(|datagram| watched.receive(First, datagram));
        for number in acknowledged {
            watched.receive(Second, &one(acknowledge(0, *number)));
        }
        (0..wait).for_each(|_| watched.receive(Second, &one(ping(1))));
        watched.finish();
        watched.lost.iter().map(|it| (it.lost, it.reason)).collect::<Vec<_>>()
    };
    let message = |number| one(reliable(0, number, b""));
    for (end, acknowledged, wait, count, reason) in [
        (8, &[5, 8][..], 1_100, 2, Earlier),
        (8, &[5, 8], 0, 2, Earlier),
        (8, &[5], 1_100, 2, Earlier),
        (8, &[], 1_100, 2, Earlier),
        (69, &[5], 1_100, 63, Earlier),
        (7, &[5, 6, 7], 1_100, 1, Earlier),
        // Fewer messages are under way at once.
        (70, &[5], 1_100, 64, NotSeen),
        (70, &[5], 0, 64, Unacknowledged),
    ] {
        let lost = losses(&[message(5), message(end)], acknowledged, wait);
        assert_eq!(lost, [(lost_reliable(count), reason)], "{end} {acknowledged:?} {wait}");
    }
    // The start of the connection was seen, or the first message shows that it was sent only once.
    let connected = [CONNECTING.connect(), message(1), message(3)];
    assert_eq!(losses(&connected, &[], 1_100), [(lost_reliable(1), NotSeen)]);
    let unreliable = [one(unreliable(0, 5, 1, b"")), message(8)];
    assert_eq!(losses(&unreliable, &[], 1_100), [(lost_reliable(2), NotSeen)]);

    let fragments = parts(b"fragment", 3, 5).into_iter().map(|part| one(part.reliable(0)));
    let fragments: Vec<_> = fragments.collect();
    let seen = |seen| Lost::Fragments { mode: Mode::Reliable, seen, count: 3, len: 8 };
    assert_eq!(losses(&fragments[1..], &[], 0), [(seen(2), Earlier)]);
    assert_eq!(losses(&fragments[..2], &[], 0), [(seen(2), NotSeen)]);
}

#[test]
fn the_end_returns_held_messages_and_reports_missing_ones() {
    let mut watched = Watched::new();
    let message = [7; 1_000];
    watched.receive(First, &CONNECTING.connect());
    watched.receive(First, &one(reliable(0, 3, b"3")));
    watched.receive(First, &one(unreliable(0, 4, 1, b"4.1")));
    watched.receive(First, &one(parts(&message, 300, 1)[2].reliable(1)));
    watched.receive(First, &one(parts(&message, 300, 1)[2].unreliable(2, 0)));
    watched.receive(Second, &one(acknowledge(3, 2)));
    assert_eq!(watched.texts(), [""; 0]);
    watched.finish();
    assert_eq!(watched.texts(), ["3", "4.1"]);
    let lost: Vec<_> = watched.lost.iter().map(|loss| (loss.channel.unwrap(), loss.lost)).collect();
    let of = |mode| Lost::Fragments { mode, seen: 1, count: 4, len: 1_000 };
    assert_eq!(
        lost,
        [
            (0, lost_reliable(2)),
            (0, lost_reliable(1)),
            (1, of(Mode::Reliable)),
            // The other end has acknowledged one of them.
            (3, lost_reliable(1)),
            (3, lost_reliable(1)),
            (2, of(Mode::Unreliable)),
        ]
    );
}

#[test]
fn only_another_connect_command_starts_a_new_connection() {
    let mut watched = Watched::new();
    let again = Connecting { id: 8, ..CONNECTING };
    for datagram in [
        CONNECTING.connect(),
        one(reliable(0, 1, b"a")),
        CONNECTING.connect(),
        one(reliable(0, 1, b"a")),
        one(reliable(0, 3, b"held")),
        again.connect(),
        one(reliable(0, 1, b"b")),
        one(disconnect(2, 5)),
        one(disconnect(2, 5)),
    ] {
        watched.receive(First, &datagram);
    }
    assert_eq!(watched.texts(), ["a", "held", "b"]);
    assert_eq!(watched.lost.len(), 1);
    assert_eq!(watched.other.len(), 3);
    assert_eq!(watched.other[2], "Disconnected { from: First, data: 5 }");
}

#[test]
fn an_answer_to_an_uncaptured_connect_command_starts_a_connection() {
    let mut watched = Watched::new();
    watched.receive(Second, &CONNECTING.verify());
    watched.receive(First, &one(reliable(0, 2, b"2")));
    assert_eq!(watched.texts(), [""; 0]);
    watched.receive(First, &one(reliable(0, 1, b"1")));
    assert_eq!(watched.texts(), ["1", "2"]);
}

/// The answer to an uncaptured connect command may be forged. So the connection continues until a
/// channel that was used before begins again.
#[test]
fn an_answer_with_another_id_starts_a_connection_with_the_first_repeated_number() {
    let mut watched = Watched::new();
    let forged = Connecting { id: 8, ..CONNECTING };
    for (from, datagram) in [
        (First, CONNECTING.connect()),
        (First, one(reliable(0, 1, b"a"))),
        (First, one(reliable(0, 2, b"b"))),
        (Second, forged.verify()),
        (First, one(reliable(1, 1, b"on another channel"))),
        (Second, one(reliable(0, 1, b"from the other side"))),
        (First, one(unreliable(0, 2, 1, b"unreliable"))),
        (First, one(reliable(0, 3, b"c"))),
        (First, one(reliable(0, 1, b"begins anew"))),
        (First, one(reliable(0, 3, b"waits"))),
        (First, one(reliable(0, 2, b"second"))),
    ] {
        watched.receive(from, &datagram);
    }
    let texts = [
        "a",
        "b",
        "on another channel",
        "from the other side",
        "unreliable",
        "c",
        "begins anew",
        "second",
        "waits",
    ];
    assert_eq!(watched.texts(), texts);
    assert_eq!(watched.lost.len(), 0);
}

#[test]
fn messages_after_a_long_gap_in_a_capture_are_new() {
    let watched = |jump: u16| {
        let mut watched = Watched::new();
        watched.receive(First, &one(reliable(0, 7, b"before")));
        watched.receive(First, &one(reliable(0, jump.wrapping_add(7), b"behind")));
        watched.finish();
        watched
    };
    for jump in [300, 30_000, 40_000, 0xc000] {
        let mut watched = watched(jump);
        assert_eq!(watched.texts(), ["before", "behind"], "{jump}");
        assert_eq!(watched.lost[0].lost, lost_reliable(u32::from(jump) - 1));
    }
    // The number is nearer to earlier ones.
    assert_eq!(watched(0xc001).texts(), ["before"]);
}

#[test]
fn a_message_has_the_tag_of_the_datagram_that_completed_it() {
    let mut session = Session::new(SessionLimits::default());
    let mut places = Vec::new();
    let message = [7; 600];
    let parts = parts(&message, 300, 4);
    let datagrams = [
        datagram(&[ping(1), reliable(0, 1, b"abc")]),
        one(reliable(0, 3, b"c")),
        one(parts[1].reliable(0)),
        one(unreliable(0, 5, 1, b"after")),
        one(parts[0].reliable(0)),
        datagram(&[ping(2), ping(3), reliable(0, 2, b"b")]),
    ];
    for (datagram, tag) in datagrams.iter().zip("abcdef".chars()) {
        let sink = &mut |event: SessionEvent<'_, char>| {
            if let SessionEvent::Message(message) = event {
                places.push((message.tag, message.offset, message.payload.len()));
            }
        };
        session.receive_tagged(First, datagram, 0, tag, sink).unwrap();
    }
    let expected = [('a', 14, 3), ('f', 18, 1), ('b', 10, 1), ('e', 28, 600), ('d', 12, 5)];
    assert_eq!(places, expected);
}

/// A held message has the number of a fragment of an earlier message.
#[test]
fn a_message_in_the_place_of_a_fragment_is_lost() {
    let mut watched = Watched::new();
    watched.receive(First, &CONNECTING.connect());
    watched.receive(First, &one(reliable(0, 3, b"odd")));
    for part in parts(b"abcdefghij", 2, 1) {
        watched.receive(First, &one(part.reliable(0)));
    }
    watched.receive(First, &one(reliable(0, 6, b"next")));
    assert_eq!(watched.texts(), ["abcdefghij", "next"]);
    let lost: Vec<_> = watched.lost.iter().map(|it| (it.lost, it.reason)).collect();
    let odd = Lost::Message { mode: Mode::Reliable, len: 3 };
    assert_eq!(lost, [(odd, LossReason::Inconsistent)]);
}

/// The number of a message and its place in its datagram are those on the wire, also if it was held back.
#[test]
fn messages_have_their_numbers_and_offsets() {
    let mut session = Session::<()>::new(SessionLimits::default());
    let mut found = Vec::new();
    let mut receive = |commands: &[Vec<u8>]| {
        let mut take = |event: SessionEvent<'_>| {
            if let SessionEvent::Message(message) = event {
                let text = String::from_utf8(message.payload.to_vec()).unwrap();
                found.push((text, message.number >> 16, message.number as u16, message.offset));
            }
        };
        session.receive(First, &datagram(commands), &mut take).unwrap();
    };
    receive(&[reliable(0, 0xffff, b"a")]);
    receive(&[unreliable(0, 1, 7, b"d"), unreliable(0, 1, 0x8001, b"e")]);
    receive(&[reliable(0, 1, b"c"), reliable(0, 0, b"b"), unsequenced(0, 9, b"g")]);
    // With 15 bits for the lower numbers, the last two would be the same.
    receive(&[reliable(0, 2, b"h"), unreliable(0, 2, 0x8001, b"i")]);
    receive(&[reliable(0, 3, b"j"), unreliable(0, 3, 1, b"k")]);
    let message: Vec<_> = parts(b"long text", 5, 4).iter().map(|part| part.reliable(0)).collect();
    receive(&message[1..]);
    receive(&[ping(1), message[0].clone()]);
    let expected = [
        ("a", 0xffff, 0, 10),
        ("b", 0, 0, 17),
        ("c", 1, 0, 10),
        ("d", 1, 7, 12),
        ("e", 1, 0x8001, 21),
        ("g", 0, 9, 26),
        ("h", 2, 0, 10),
        ("i", 2, 0x8001, 19),
        ("j", 3, 0, 10),
        ("k", 3, 1, 19),
        ("long text", 4, 0, 32),
    ];
    assert_eq!(
        found,
        expected.map(|(text, number, other, at)| (text.to_owned(), number, other, at))
    );
}

/// A session remembers which messages are missing. That counts as its memory.
#[test]
fn remembered_gaps_take_memory() {
    let memory = |step: u16, send: fn(u16) -> Vec<u8>| {
        let mut watched = Watched::new();
        for number in 0..100 {
            watched.receive(First, &one(send(1 + number * step)));
        }
        watched.session.heap_bytes()
    };
    let sends: [fn(u16) -> Vec<u8>; 2] =
        [|number| unreliable(0, 1, number, b""), |number| unsequenced(0, number, b"")];
    for send in sends {
        let (without, with) = (memory(1, send), memory(2, send));
        // 99 gaps, each with four numbers and what is around it.
        assert!((99 * 32..99 * 128).contains(&(with - without)), "{without} {with}");
    }
}
