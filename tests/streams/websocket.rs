//! WebSocket connections: recorded ones, complete and damaged, and frames built by the tests.

use crate::common::{corpus, lines, unhex};
use crate::streams::recorded::{Packet, packets, pieces, sent};
use flate2::{Compress, Compression, FlushCompress};
use gdwire::multiplayer::PeerId;
use gdwire::net::Between;
use gdwire::net::tcp::{LossReason, Piece};
use gdwire::net::websocket::godot::{PeerMessage, PeerMessageKind};
use gdwire::net::websocket::{
    Compressed, Control, Handshake, Stream, StreamEvent, are_frames, is_handshake,
};
use proptest::prelude::*;
use std::fs;

#[derive(Default, Debug)]
struct Seen {
    handshakes: Vec<String>,
    messages: Vec<(u64, Vec<u8>)>,
    unreadable: Vec<(usize, Compressed)>,
    controls: Vec<String>,
    lost: Vec<(u64, u64, LossReason)>,
}

impl Seen {
    fn take(&mut self, event: StreamEvent<'_>) {
        match event {
            StreamEvent::Handshake(Handshake::Request { path, protocols }) => {
                self.handshakes.push(format!("{path} {protocols:?}"));
            }
            StreamEvent::Handshake(Handshake::Response { protocol }) => {
                self.handshakes.push(format!("{protocol:?}"));
            }
            StreamEvent::Message { offset, payload, .. } => {
                self.messages.push((offset, payload.to_vec()));
            }
            StreamEvent::Unreadable { payload, problem, .. } => {
                self.unreadable.push((payload.len(), problem));
            }
            StreamEvent::Control { control, .. } => self.controls.push(format!("{control:?}")),
            StreamEvent::Lost { offset, bytes, reason } => self.lost.push((offset, bytes, reason)),
            other => panic!("{other:?}"),
        }
    }

    fn bytes(&self) -> Vec<&[u8]> {
        self.messages.iter().map(|(_, bytes)| &bytes[..]).collect()
    }
}

fn read(packets: &[Packet], is_client: bool) -> Seen {
    let mut seen = Seen::default();
    let mut stream = Stream::new(1 << 20);
    pieces(packets, is_client, 1 << 20, &mut |piece| {
        stream.push(piece, &mut |event| seen.take(event))
    });
    stream.finish(&mut |event| seen.take(event));
    assert_eq!(stream.held_bytes(), 0);
    seen
}

const CAPTURES: [&str; 2] = ["godot3-websocket", "godot4-websocket"];

#[test]
fn every_message_of_both_sides_is_found() {
    for name in CAPTURES {
        let packets = packets(&format!("{name}.pcapng"));
        for is_client in [true, false] {
            let seen = read(&packets, is_client);
            assert!(seen.bytes() == sent(name, is_client), "{name} {is_client}");
            assert_eq!(seen.lost, []);
            let path = if is_client { "/game?room=1 None" } else { "None" };
            assert_eq!(seen.handshakes, [path]);
            assert_eq!(seen.controls.len(), 1);
            assert!(seen.controls[0].starts_with("Close { code: Some(1000), reason: \"bye"));
        }
    }
}

#[test]
fn godot_3_writes_a_header_before_packets() {
    let packets = packets("godot3-websocket-rpc.pcapng");
    let truth = fs::read_to_string(corpus("captures/godot3-websocket-rpc.ndjson")).unwrap();
    let truth: Vec<serde_json::Value> =
        truth.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (is_client, side) in [(true, "client"), (false, "server")] {
        let seen = read(&packets, is_client);
        let messages: Vec<PeerMessage<'_>> =
            seen.bytes().into_iter().map(|bytes| PeerMessage::parse(bytes).unwrap()).collect();
        let own: Vec<_> = truth.iter().filter(|line| line["from"] == side).collect();
        let id = |line: &serde_json::Value, name: &str| {
            PeerId::new(i32::try_from(line[name].as_i64().unwrap()).unwrap())
        };
        let system: Vec<_> = messages
            .iter()
            .filter(|message| !matches!(message.kind, PeerMessageKind::Data(_)))
            .map(|message| (message.kind, message.source, message.target))
            .collect();
        let client = id(own[0], if is_client { "source" } else { "target" });
        let ends = (PeerId::SERVER, PeerId::EVERYONE);
        let expected = [PeerMessageKind::Id(client), PeerMessageKind::Add(PeerId::SERVER)]
            .map(|kind| (kind, ends.0, ends.1));
        assert_eq!(system, if is_client { &[][..] } else { &expected });
        for line in own {
            let args: Vec<Vec<u8>> = line["args_hex"]
                .as_array()
                .unwrap()
                .iter()
                .map(|hex| unhex(hex.as_str().unwrap()))
                .collect();
            let found = messages.iter().any(|message| {
                let PeerMessageKind::Data(data) = message.kind else { return false };
                let holds = match line["kind"].as_str().unwrap() {
                    // The content of a byte array, unchanged.
                    "packet" => data == &args[0][8..],
                    "bytes" => data == [&[4], &args[0][8..]].concat(),
                    _ => args.iter().all(|arg| data.windows(arg.len()).any(|part| part == arg)),
                };
                holds
                    && (message.source, message.target) == (id(line, "source"), id(line, "target"))
            });
            assert!(found, "{line}");
        }
    }
}

/// Checks that every returned message was sent. Returns how many messages that no gap touches are
/// missing.
fn not_returned(whole: &Seen, seen: &Seen, shift: u64) -> usize {
    for (offset, bytes) in &seen.messages {
        let sent = whole.messages.iter().find(|(sent, _)| *sent == offset + shift);
        assert!(sent.is_some_and(|(_, sent)| sent == bytes), "{offset} {bytes:x?}");
    }
    let gaps: Vec<_> =
        seen.lost.iter().filter(|(_, _, reason)| *reason == LossReason::Missing).collect();
    let untouched = whole.messages.iter().filter(|(offset, bytes)| {
        let Some(start) = offset.checked_sub(shift) else { return false };
        let end = start + 8 + bytes.len() as u64;
        !gaps.iter().any(|(from, length, _)| start < from + length && *from < end)
            && !seen.messages.iter().any(|(returned, _)| *returned == start)
    });
    untouched.count()
}

#[test]
fn without_any_one_packet_only_what_it_carried_is_lost() {
    for name in CAPTURES {
        let packets = packets(&format!("{name}.pcapng"));
        for is_client in [true, false] {
            let whole = read(&packets, is_client);
            for at in 0..packets.len() {
                let mut rest = packets.clone();
                let packet = rest.remove(at);
                let seen = read(&rest, is_client);
                if packet.is_client != is_client || packet.payload.is_empty() && !packet.flags.0 {
                    assert_eq!(seen.messages, whole.messages, "{name} {at}");
                }
                assert_eq!(not_returned(&whole, &seen, 0), 0, "{name} {is_client} {at}");
            }
        }
    }
}

#[test]
fn messages_are_found_from_any_packet_on() {
    for name in CAPTURES {
        let packets = packets(&format!("{name}.pcapng"));
        for is_client in [true, false] {
            let whole = read(&packets, is_client);
            let of_side = |packet: &&Packet| packet.is_client == is_client;
            let first = packets.iter().find(of_side).unwrap().sequence.wrapping_add(1);
            for at in 1..packets.len() {
                let mut rest = packets[at..].iter().filter(of_side);
                let Some(start) = rest.find(|packet| !packet.payload.is_empty()) else { continue };
                let shift = u64::from(start.sequence.wrapping_sub(first));
                let seen = read(&packets[at..], is_client);
                assert_eq!(not_returned(&whole, &seen, shift), 0, "{name} {is_client} {at}");
            }
        }
    }
}

pub(super) fn frame(first: u8, mask: Option<[u8; 4]>, payload: &[u8]) -> Vec<u8> {
    let masked = if mask.is_some() { 0x80 } else { 0 };
    let mut frame = match payload.len() {
        short @ 0..126 => vec![first, masked | u8::try_from(short).unwrap()],
        length => match u16::try_from(length) {
            Ok(length) => [&[first, masked | 126][..], &length.to_be_bytes()].concat(),
            Err(_) => [&[first, masked | 127][..], &(length as u64).to_be_bytes()].concat(),
        },
    };
    let mask = mask.inspect(|mask| frame.extend(mask)).unwrap_or([0; 4]);
    frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, key)| byte ^ key));
    frame
}

pub(super) const REQUEST: &[u8] =
    b"GET /a HTTP/1.1\r\nHost: b\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\n\
    Sec-WebSocket-Key: x\r\nSec-WebSocket-Protocol: one, two\r\nSec-WebSocket-Version: 13\r\n\r\n";
pub(super) const RESPONSE: &[u8] =
    b"HTTP/1.1 101 Yes\r\nupgrade: websocket\r\nsec-websocket-accept: y\r\n\
    sec-websocket-protocol: two\r\n\r\n";

fn read_pieces(limit: usize, pieces: &[&[u8]]) -> Seen {
    let mut seen = Seen::default();
    let mut stream = Stream::new(limit);
    stream.push(Piece::Start, &mut |event| seen.take(event));
    let mut offset = 0;
    for bytes in pieces {
        stream.push(Piece::Data { tag: (), offset, payload: bytes }, &mut |event| seen.take(event));
        offset += bytes.len() as u64;
        assert!(stream.held_bytes() <= 2 * limit + (16 << 10) + 14 + (64 << 10));
    }
    stream.finish(&mut |event| seen.take(event));
    seen
}

/// The tags of the messages in consecutive pieces, each of which has a tag.
fn tags(mut stream: Stream<u32>, pieces: &[(&[u8], u32)]) -> Vec<(u64, u32)> {
    let mut tags = Vec::new();
    let mut sink = |event: StreamEvent<'_, u32>| {
        if let StreamEvent::Message { offset, tag, .. } = event {
            tags.push((offset, tag));
        }
    };
    let mut offset = 0;
    for (bytes, tag) in pieces {
        stream.push(Piece::Data { tag: *tag, offset, payload: bytes }, &mut sink);
        offset += bytes.len() as u64;
    }
    stream.finish(&mut sink);
    tags
}

#[test]
fn a_message_has_the_greatest_tag_of_its_segments() {
    let [first, ping, last, next] = [
        frame(0x01, None, b"one "),
        frame(0x89, None, b"ping"),
        frame(0x80, None, b"message"),
        frame(0x82, None, b"two"),
    ];
    let (stream, start) = (Stream::new(100), RESPONSE.len() as u64);
    let messages = [start, start + (first.len() + ping.len() + last.len()) as u64];
    // The first frame arrived last, and the tag of the control frame between the two is not used.
    let pieces = [
        (RESPONSE, 1),
        (&first[..3], 7),
        (&first[3..], 5),
        (&ping, 9),
        (&last[..4], 2),
        (&last[4..], 3),
        (&next, 4),
    ];
    assert_eq!(tags(stream, &pieces), [(messages[0], 7), (messages[1], 4)]);
    // Everything except the last byte in one piece.
    let bytes = [RESPONSE, &first, &ping, &last, &next].concat();
    let (front, end) = bytes.split_at(bytes.len() - 1);
    let expected = [(messages[0], 1), (messages[1], 2)];
    assert_eq!(tags(Stream::new(100), &[(front, 1), (end, 2)]), expected);
}

#[test]
fn a_message_that_is_searched_for_has_the_tags_of_its_segments() {
    let frames: Vec<Vec<u8>> =
        (0..20).map(|number| frame(0x82, None, &[0x30 + number % 16; 30])).collect();
    let bytes = [&[0xff; 9][..], &frames.concat()].concat();
    for size in [1, 7, 32, 45, 100] {
        let pieces: Vec<(&[u8], u32)> = bytes.chunks(size).zip(1..).collect();
        let found = tags(Stream::new(1000), &pieces);
        assert!(found.len() > 15, "{size}: {found:?}");
        for (start, tag) in found {
            assert_eq!(tag, (start as u32 + 32).div_ceil(size as u32), "{size}");
        }
    }
}

#[test]
fn no_byte_is_skipped_after_an_invalid_header() {
    // Its length, 5, is not in the shortest form.
    let bytes = [RESPONSE, &[0x82, 126, 0, 5, 0x82, 1, 7], &[1; 40]].concat();
    let expected = read_pieces(1000, &[&bytes]);
    let losses = [(RESPONSE.len() as u64, 2, LossReason::Malformed)];
    assert_eq!(expected.lost[..1], losses);
    for size in 1..bytes.len() {
        let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
        let seen = read_pieces(1000, &pieces);
        let lost = |seen: &Seen| seen.lost.iter().map(|(_, bytes, _)| bytes).sum::<u64>();
        assert_eq!((lost(&seen), seen.lost[0]), (lost(&expected), losses[0]), "{size}");
    }
}

#[test]
fn a_stream_is_read_however_it_is_split() {
    let mask = Some([1, 2, 3, 250]);
    let long = vec![9; 70_000];
    let stream = [
        REQUEST.to_vec(),
        frame(0x82, mask, b"whole"),
        frame(0x01, mask, b"in "),
        frame(0x89, mask, b"ping"),
        frame(0x00, mask, b"three "),
        frame(0x80, mask, b"parts"),
        frame(0x82, mask, &long[..300]),
        frame(0x82, mask, b""),
        frame(0x82, mask, &long),
    ]
    .concat();
    for at in (0..REQUEST.len() + 480).chain([stream.len()]) {
        let seen = read_pieces(1 << 20, &[&stream[..at], &stream[at..]]);
        assert_eq!(seen.handshakes, ["/a Some(\"one, two\")"]);
        assert_eq!(seen.bytes(), [&b"whole"[..], b"in three parts", &long[..300], b"", &long]);
        assert_eq!(seen.controls, ["Ping(4 bytes)"]);
        assert_eq!(seen.lost, []);
    }
}

/// Lengths of 16 and 64 bits: the shortest form has to be used.
#[test]
fn payloads_of_every_form_of_length_are_read() {
    for len in [125, 126, 65_535, 65_536] {
        let payload = vec![7; len];
        let message = frame(0x82, None, &payload);
        let seen = read_pieces(1 << 20, &[RESPONSE, &message]);
        assert_eq!((seen.bytes(), seen.lost.len()), (vec![&payload[..]], 0), "{len}");
    }
    let wrong = [&[0x82, 127][..], &65_535_u64.to_be_bytes(), &[7; 65_535]].concat();
    assert_eq!(read_pieces(1 << 20, &[RESPONSE, &wrong]).bytes(), Vec::<&[u8]>::new());
}

#[test]
fn control_frames_have_up_to_125_bytes() {
    for (len, is_read) in [(125, true), (126, false)] {
        let seen = read_pieces(1 << 20, &[RESPONSE, &frame(0x89, None, &vec![7; len])]);
        let ping = format!("Ping({len} bytes)");
        assert_eq!(seen.controls == [ping], is_read, "{len}");
    }
}

#[test]
fn a_handshake_has_up_to_16_kib() {
    let head = |len: usize| [&b"GET /"[..], &vec![b'a'; len - 5]].concat();
    assert!(is_handshake(&head(16 << 10)));
    assert!(!is_handshake(&head((16 << 10) + 1)));
    for (len, is_read) in [(16 << 10, true), ((16 << 10) + 1, false)] {
        let (front, end) = RESPONSE.split_at(RESPONSE.len() - 2);
        let filler = len - RESPONSE.len() - 9;
        let head = [front, b"filler: ", &vec![b'a'; filler - 1], b"\r\n", end].concat();
        assert_eq!(head.len(), len);
        let seen = read_pieces(1 << 20, &[&head, &frame(0x82, None, b"text")]);
        assert_eq!(seen.handshakes.len(), usize::from(is_read), "{len}");
    }
}

/// Each part of what a stream keeps counts.
#[test]
fn memory_is_that_of_the_handshake_the_message_and_earlier_messages() {
    let grown = |start: &[&[u8]], piece: &[u8]| {
        let mut stream = Stream::new(1 << 20);
        let mut offset = 0;
        stream.push(Piece::Start, &mut |_| {});
        let mut push = |stream: &mut Stream<()>, bytes: &[u8]| {
            stream.push(Piece::Data { tag: (), offset, payload: bytes }, &mut |_| {});
            offset += bytes.len() as u64;
            (stream.heap_bytes(), stream.held_bytes())
        };
        start.iter().for_each(|bytes| {
            push(&mut stream, bytes);
        });
        let before = (stream.heap_bytes(), stream.held_bytes());
        let after = push(&mut stream, piece);
        (after.0 as isize - before.0 as isize, after.1 as isize - before.1 as isize)
    };
    // A part of the handshake, of a frame, and of a message in frames.
    let head = [b"GET /".as_slice(), &[b'a'; 3_000]].concat();
    assert!(grown(&[], &head).0 >= 3_000 && grown(&[], &head).1 == 3_005);
    let part = &frame(0x82, None, &[7; 3_000])[..2_000];
    assert!(grown(&[RESPONSE], part).0 >= 2_000 && grown(&[RESPONSE], part).1 == 2_000);
    let part = frame(0x02, None, &[7; 3_000]);
    assert!(grown(&[RESPONSE], &part).0 >= 3_000 && grown(&[RESPONSE], &part).1 == 3_000);
    // Up to 1 KiB is kept for the next masked message.
    let mask = Some([1, 2, 3, 4]);
    let [kept, freed] = [1 << 10, (1 << 10) + 1].map(|len| frame(0x82, mask, &vec![7; len]));
    assert_eq!(grown(&[REQUEST], &kept), (1 << 10, 0));
    assert_eq!(grown(&[REQUEST], &freed), (0, 0));
    // The decompressor, and the content.
    let texts = [vec![b'a'; 3_000], vec![b'b'; 3_000]];
    let deflated = deflated(&texts.each_ref().map(|text| &text[..]), 6, true);
    let [first, second] = [0, 1].map(|at| frame(0xc2, None, &deflated[at]));
    let (heap, held) = grown(&[RESPONSE], &first);
    assert!(heap > 3_000 + 10_000 && heap < 3_000 + 80_000 && held == 3_000, "{heap} {held}");
    let (heap, held) = grown(&[RESPONSE, &first], &second);
    assert!((0..9_000).contains(&heap) && held == 3_000, "{heap} {held}");
}

/// HTTP allows empty lines before a request.
#[test]
fn empty_lines_before_the_handshake_are_skipped_however_the_stream_is_split() {
    let text = frame(0x82, None, b"text");
    for (lines, is_read) in [("\r\n", true), ("\r\n\r\n\n\r\n", true), ("\r\r\n", false)] {
        let stream = [lines.as_bytes(), RESPONSE, &text].concat();
        assert_eq!(is_handshake(&stream), is_read);
        for size in 1..=stream.len() {
            let pieces: Vec<&[u8]> = stream.chunks(size).collect();
            let seen = read_pieces(100, &pieces);
            let is_whole = seen.bytes() == [b"text"] && seen.handshakes.len() == 1;
            assert!(is_whole || !is_read, "{lines:?} {size} {seen:?}");
            assert_eq!(seen.lost.is_empty(), is_read, "{lines:?} {size} {seen:?}");
            let known = is_handshake(&stream[..size.min(lines.len() + RESPONSE.len() - 1)]);
            assert!(known || !is_read, "{lines:?} {size}");
        }
    }
}

#[test]
fn a_connection_may_end_within_the_close_frame() {
    let message = frame(0x82, None, b"one");
    for (last, lost) in [(frame(0x88, None, &[3, 232]), 0), (frame(0x82, None, b"two"), 1)] {
        for kept in 1..last.len() {
            let seen = read_pieces(100, &[RESPONSE, &message, &last[..kept]]);
            assert_eq!((seen.bytes().len(), seen.lost.len()), (1, lost), "{kept} of {last:?}");
        }
    }
}

#[test]
fn a_response_may_be_followed_by_frames_at_once() {
    let stream =
        [RESPONSE, &frame(0x81, None, b"text"), &frame(0x88, None, b"\x03\xe8bye")].concat();
    let seen = read_pieces(100, &[&stream]);
    assert_eq!(seen.handshakes, ["Some(\"two\")"]);
    assert_eq!(seen.bytes(), [b"text"]);
    let close = Control::Close { code: Some(1000), reason: b"bye" };
    assert_eq!((seen.controls, seen.lost), (vec![format!("{close:?}")], vec![]));
}

/// After bytes that are not a handshake, and after one that is too long, frames are searched for
/// before the stream ends.
#[test]
fn frames_are_found_after_a_failed_handshake() {
    let frames =
        [&b"one"[..], b"two", b"three", b"four"].map(|text| frame(0x81, None, text)).concat();
    let endless = [&REQUEST[..REQUEST.len() - 4], &[b'x'; 16 << 10]].concat();
    for before in [&b""[..], &endless] {
        let mut seen = Seen::default();
        let mut stream = Stream::new(100);
        stream.push(Piece::Start, &mut |event| seen.take(event));
        let bytes = [before, &frames].concat();
        let pieces =
            [(0, before), (before.len() as u64, &frames[..]), (bytes.len() as u64, &frames)];
        for (offset, bytes) in pieces {
            stream.push(Piece::Data { tag: (), offset, payload: bytes }, &mut |event| {
                seen.take(event)
            });
        }
        assert_eq!(
            seen.bytes()[seen.bytes().len() - 4..],
            [&b"one"[..], b"two", b"three", b"four"]
        );
        assert!(stream.held_bytes() == 0, "{}", stream.held_bytes());
    }
}

#[test]
fn frames_too_long_or_in_the_wrong_order_are_reported() {
    let parts = [
        RESPONSE,
        &frame(0x02, None, &[1; 60]),
        &frame(0x80, None, &[2; 60]),
        &frame(0x82, None, b"a"),
    ]
    .concat();
    let seen = read_pieces(100, &[&parts]);
    assert_eq!(seen.bytes(), [b"a"]);
    assert!(matches!(
        seen.lost[..],
        [(_, 60, LossReason::TooLong { len: 120, limit: 100 }), (_, 60, LossReason::Broken)]
    ));
    let long = [RESPONSE, &frame(0x82, None, &[1; 101])].concat();
    assert!(matches!(
        read_pieces(100, &[&long]).lost[0],
        (_, 2, LossReason::TooLong { len: 101, .. })
    ));
    let orphan = [RESPONSE, &frame(0x80, None, b"end"), &frame(0x82, None, b"a")].concat();
    let seen = read_pieces(100, &[&orphan]);
    assert_eq!((seen.bytes(), seen.lost.len()), (vec![&b"a"[..]], 1));
    // A server does not mask.
    let masked = [RESPONSE, &frame(0x82, Some([1; 4]), b"abc")].concat();
    let seen = read_pieces(100, &[&masked]);
    assert!(seen.messages.is_empty() && seen.lost[0].2 == LossReason::Malformed);
}

#[test]
fn a_handshake_and_frames_are_distinguished_from_other_bytes() {
    assert!(is_handshake(REQUEST) && is_handshake(RESPONSE));
    assert!(is_handshake(b"GE") && is_handshake(&REQUEST[..40]));
    assert!(!is_handshake(b"GET / HTTP/1.1\r\nHost: b\r\n\r\n"));
    assert!(!is_handshake(b"HTTP/1.1 200 OK\r\n\r\n") && !is_handshake(b""));
    assert!(are_frames(&[0x82, 8]) && are_frames(&frame(0x81, Some([3; 4]), b"text")));
    assert!(are_frames(&[frame(0x82, None, b"a"), frame(0x82, None, b"b")].concat()));
    // A header at the end announces a payload; after other frames, that may be a coincidence.
    assert!(!are_frames(&[frame(0x82, None, b"a"), vec![0x82, 8]].concat()));
    assert!(are_frames(&[frame(0x82, None, b"a"), vec![0x8a, 0]].concat()));
    assert!(!are_frames(b"") && !are_frames(&[8, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0]));
}

proptest! {
    #[test]
    fn the_limit_holds_for_any_bytes(
        limit in 0..200usize,
        starts in 0..3u8,
        pieces in prop::collection::vec(prop::collection::vec(prop::sample::select(vec![0u8, 1, 2, 5, 0x80, 0x81, 0x82, 0x89, 126, 127, 255]), 1..60), 0..30),
    ) {
        let head: &[u8] = [&b""[..], REQUEST, RESPONSE][usize::from(starts)];
        let all: Vec<&[u8]> = std::iter::once(head).chain(pieces.iter().map(|piece| &piece[..])).collect();
        let seen = read_pieces(limit, &all);
        let total: usize = all.iter().map(|piece| piece.len()).sum();
        let lost: u64 = seen.lost.iter().map(|(_, bytes, _)| bytes).sum();
        let returned: usize = seen.messages.iter().map(|(_, bytes)| bytes.len()).sum();
        prop_assert!(lost + returned as u64 <= total as u64);
    }
}

/// Messages may be long: `Debug` shows how many bytes they have.
#[test]
fn debug_shows_lengths_in_place_of_bytes() {
    assert_eq!(format!("{:?}", PeerMessageKind::Data(b"12")), "Data(2 bytes)");
    let mut shown = Vec::new();
    let mut stream = Stream::new(1 << 10);
    stream.push(Piece::Start, &mut |_| {});
    let response = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\
        Connection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
    let bytes = [&response[..], &[0x82, 3, 1, 2, 3], &[0x89, 1, 7], &[0x8a, 2, 7, 7]].concat();
    let piece = Piece::Data { tag: (), offset: 0, payload: &bytes };
    stream.push(piece, &mut |event| shown.push(format!("{event:?}")));
    assert!(shown[0].starts_with("Response { protocol: None"), "{shown:?}");
    let message = "is_text: false, is_compressed: false, len: 3, tag: () }";
    assert!(shown[1].starts_with("Message { offset: ") && shown[1].ends_with(message), "{shown:?}");
    assert!(shown[2].ends_with("control: Ping(1 bytes) }"), "{shown:?}");
    assert!(shown[3].ends_with("control: Pong(2 bytes) }"), "{shown:?}");
}

#[test]
fn messages_between_peers_have_their_ids() {
    let read = |kind: u8| {
        let payload = [&[kind, 1, 0, 0, 0, 2, 0, 0, 0][..], &[9, 1, 0, 0]].concat();
        PeerMessage::parse(&payload).map(|message| (format!("{:?}", message.kind), message.target))
    };
    let kinds = ["Data(4 bytes)", "Add(PeerId(265))", "Remove(PeerId(265))", "Id(PeerId(265))"];
    for (kind, name) in (0..).zip(kinds) {
        assert_eq!(read(kind), Some((name.to_owned(), PeerId::new(2))));
    }
    assert_eq!(read(4), None);
    assert_eq!(PeerMessage::parse(&[1; 12]), None);
}

/// The messages of a game in a browser, with and without compression.
#[test]
fn messages_of_a_browser_are_decompressed() {
    for name in ["official-web-values", "official-web-rpc"] {
        let sent: Vec<serde_json::Value> = lines(&format!("captures/{name}.ndjson"));
        for compressed in ["", "-deflate"] {
            let packets = packets(&format!("{name}{compressed}.pcap"));
            for (side, is_client) in [("client", true), ("server", false)] {
                let sent = sent.iter().filter(|line| line["from"] == side);
                let mut sent: Vec<_> =
                    sent.map(|line| unhex(line["hex"].as_str().unwrap())).collect();
                if name.ends_with("rpc") && !is_client {
                    // The client's id, which the list does not have.
                    sent.insert(0, vec![77, 0, 0, 0]);
                }
                let seen = read(&packets, is_client);
                assert!(seen.bytes() == sent, "{name}{compressed} {side}");
                assert_eq!((seen.lost, seen.unreadable), (vec![], vec![]), "{name}{compressed}");
            }
        }
    }
}

/// Compresses messages as RFC 7692 describes. Without takeover, each message is compressed on its
/// own.
fn deflated(messages: &[&[u8]], level: u32, takes_over: bool) -> Vec<Vec<u8>> {
    let mut compress = Compress::new(Compression::new(level), false);
    let deflate = |message: &&[u8]| {
        if !takes_over {
            compress.reset();
        }
        let mut out = Vec::with_capacity(message.len() * 2 + 100);
        compress.compress_vec(message, &mut out, FlushCompress::Sync).unwrap();
        let end = out.len() - 4;
        assert_eq!(out.split_off(end), [0, 0, 0xff, 0xff]);
        out
    };
    messages.iter().map(deflate).collect()
}

fn texts() -> Vec<Vec<u8>> {
    let text = |at: usize| format!("position {at} of the player, {}", "x".repeat(at * 37 % 500));
    (0..300).map(|at| text(at).into_bytes()).collect()
}

#[test]
fn compressed_messages_are_read_with_and_without_context_takeover() {
    let texts = texts();
    let mut texts: Vec<&[u8]> = texts.iter().map(|text| &text[..]).collect();
    let long = (0..200_000_u64).map(|at| ((at * at) >> 7) as u8).collect::<Vec<_>>();
    texts.insert(7, &long);
    texts.insert(9, b"");
    for (level, takes_over) in [(0, true), (1, true), (9, true), (1, false), (9, false)] {
        let mut stream = RESPONSE.to_vec();
        for message in deflated(&texts, level, takes_over) {
            stream.extend(frame(0xc2, None, &message));
        }
        for size in [stream.len(), 1_448] {
            let pieces: Vec<&[u8]> = stream.chunks(size).collect();
            let seen = read_pieces(1 << 20, &pieces);
            assert!(seen.bytes() == texts, "{level} {takes_over}");
            assert_eq!((seen.lost, seen.unreadable), (vec![], vec![]));
        }
    }
}

/// Only the first frame of a message says that it is compressed. Messages that are not compressed
/// are not part of what later ones refer to.
#[test]
fn compressed_messages_may_be_fragmented_and_mixed_with_others() {
    let text = "the same text ".repeat(20);
    let [one, two, three] = &deflated(&[text.as_bytes(); 3], 6, true)[..] else { panic!() };
    let mask = Some([9, 8, 7, 6]);
    let stream = [
        REQUEST,
        &frame(0x42, mask, &one[..2]),
        &frame(0x89, mask, b"ping"),
        &frame(0x00, mask, b""),
        &frame(0x80, mask, &one[2..]),
        &frame(0x82, mask, b"not compressed"),
        &frame(0xc1, mask, two),
        &frame(0x82, mask, &[b'-'; 40_000]),
        &frame(0xc2, mask, b""),
        &frame(0xc2, mask, three),
        // A block that is the last one of its sender's compressor, with and without an empty block
        // after it, as RFC 7692 shows it.
        &frame(0xc2, mask, b"\xf3\x48\xcd\xc9\xc9\x07\x00\x00"),
        &frame(0xc2, mask, b"\xf3\x48\xcd\xc9\xc9\x07\x00"),
        // Without compression, and in two blocks.
        &frame(0xc2, mask, b"\x00\x05\x00\xfa\xffHello\x00"),
        &frame(0xc2, mask, b"\xf2\x48\x05\x00\x00\x00\xff\xff\xca\xc9\xc9\x07\x00"),
    ]
    .concat();
    let text = text.as_bytes();
    let expected = [text, b"not compressed", text, &[b'-'; 40_000], b"", text];
    let expected = [&expected[..], &[&b"Hello"[..]; 4]].concat();
    for size in [1, 7, 100, stream.len()] {
        let pieces: Vec<&[u8]> = stream.chunks(size).collect();
        let seen = read_pieces(1 << 20, &pieces);
        assert!(seen.bytes() == expected, "{size}: {seen:?}");
        assert_eq!((seen.controls, seen.lost), (vec!["Ping(4 bytes)".to_owned()], vec![]));
    }
}

/// A message that refers to one that was not seen is not shown with wrong bytes.
#[test]
fn compressed_messages_after_a_gap_are_read_if_they_refer_to_nothing_before_it() {
    let texts = texts();
    let texts: Vec<&[u8]> = texts.iter().map(|text| &text[..]).collect();
    for takes_over in [true, false] {
        let frames: Vec<_> = deflated(&texts, 6, takes_over)
            .iter()
            .map(|message| frame(0xc2, None, message))
            .collect();
        for missing in [0..1, 0..10, 5..6, 100..200] {
            let mut seen = Seen::default();
            let mut stream = Stream::<()>::new(1 << 20);
            let mut sink = |event: StreamEvent<'_>| seen.take(event);
            stream.push(Piece::Start, &mut sink);
            let mut offset = RESPONSE.len() as u64;
            stream.push(Piece::Data { tag: (), offset: 0, payload: RESPONSE }, &mut sink);
            for (at, payload) in frames.iter().enumerate() {
                let bytes = payload.len() as u64;
                let reason = gdwire::net::tcp::GapReason::Limit;
                stream.push(
                    match missing.contains(&at) {
                        true => Piece::Gap { offset, bytes, reason, between: &Between::UNKNOWN },
                        false => Piece::Data { tag: (), offset, payload },
                    },
                    &mut sink,
                );
                offset += bytes;
            }
            stream.finish(&mut sink);
            let is_sent = |message: &&[u8]| texts.contains(message);
            assert!(seen.bytes().iter().all(is_sent), "{missing:?}");
            let all = texts.len() - missing.len();
            let read = seen.bytes().len();
            assert_eq!(read + seen.unreadable.len(), all, "{missing:?} {seen:?}");
            if takes_over {
                assert!(read < 250 && seen.unreadable.len() > 50, "{missing:?} {read}");
                let is_unseen = |(_, problem): &(usize, Compressed)| *problem == Compressed::Unseen;
                assert!(seen.unreadable.iter().all(is_unseen));
            } else {
                assert_eq!(read, all, "{missing:?}");
            }
        }
    }
}

/// A small message that decompresses to a large one.
#[test]
fn a_message_that_is_too_long_when_decompressed_is_lost() {
    let zeros = vec![0; 1 << 20];
    for (length, is_read) in [(1_000, true), (1_001, false), (1 << 19, false)] {
        let bombs = deflated(&[&zeros[..length], b"after"], 9, true);
        assert!(bombs[0].len() < 1_000);
        let frames = bombs.iter().map(|message| frame(0xc2, None, message));
        let stream = [RESPONSE.to_vec(), frames.collect::<Vec<_>>().concat()].concat();
        let seen = read_pieces(1_000, &[&stream]);
        assert_eq!(seen.bytes().first().map(|it| it.len()), Some(if is_read { 1_000 } else { 5 }));
        let too_long = LossReason::TooLong { len: 1_001, limit: 1_000 };
        let lost = (RESPONSE.len() as u64, bombs[0].len() as u64, too_long);
        assert_eq!(seen.lost, if is_read { vec![] } else { vec![lost] });
    }
}

#[test]
fn damaged_compressed_messages_are_not_shown() {
    let text = "the same text ".repeat(20);
    let [one, two] = &deflated(&[text.as_bytes(); 2], 6, true)[..] else { panic!() };
    let damaged: [&[u8]; 4] = [&[7; 30], &one[..one.len() / 2], &[0x06], b"\xf3\x48\xcd"];
    for damaged in damaged {
        let frames = [one, damaged, two].map(|message| frame(0xc2, None, message));
        let seen = read_pieces(1_000, &[RESPONSE, &frames.concat()]);
        assert_eq!(seen.bytes(), [text.as_bytes()], "{damaged:x?}");
        // The second text refers to the first.
        let problems = [(damaged.len(), Compressed::Damaged), (two.len(), Compressed::Unseen)];
        assert_eq!(seen.unreadable, problems);
    }
}

/// A message of three bytes that repeats those at a distance of 24,577 bytes and more (RFC 1951, section
/// 3.2.5): a length of 3, a distance with the code 29, and the end of the block.
fn repeated_from(distance: u32) -> Vec<u8> {
    let mut bits = vec![0, 1, 0];
    bits.extend([0, 0, 0, 0, 0, 0, 1]);
    bits.extend([1, 1, 1, 0, 1]);
    bits.extend((0..13).map(|at| (distance - 24_577) >> at & 1));
    // The end of the block, and the start of an empty one.
    bits.extend([0; 10]);
    bits.chunks(8)
        .map(|byte| byte.iter().rev().fold(0, |all, bit| (all << 1) | *bit as u8))
        .collect()
}

/// A message that is not compressed although it is marked so.
fn stored(content: &[u8]) -> Vec<u8> {
    let len = u16::try_from(content.len()).unwrap();
    [&[0][..], &len.to_le_bytes(), &(!len).to_le_bytes(), content, &[0]].concat()
}

/// A sender may refer to the last 32,768 bytes of its messages, and these are kept.
#[test]
fn compressed_messages_refer_to_the_last_32_kib() {
    let numbers: Vec<u8> = (0..70_000_u64).map(|it| ((it * it) >> 9) as u8 ^ it as u8).collect();
    for (known, is_read) in [(32_767, false), (32_768, true), (40_000, true), (65_535, true)] {
        let mut stream = Stream::new(1 << 17);
        let (mut seen, mut sent, mut offset) = (Seen::default(), Vec::new(), 0);
        let mut push = |stream: &mut Stream, bytes: &[u8]| {
            let piece = Piece::Data { tag: (), offset, payload: bytes };
            stream.push(piece, &mut |event| seen.take(event));
            offset += bytes.len() as u64;
            stream.held_bytes()
        };
        push(&mut stream, RESPONSE);
        sent.extend_from_slice(&numbers[..known]);
        assert_eq!(push(&mut stream, &frame(0xc2, None, &stored(&sent))), known);
        let farthest = frame(0xc2, None, &repeated_from(32_768));
        let repeat =
            |sent: &mut Vec<u8>| sent.extend_from_within(sent.len() - 32_768..sent.len() - 32_765);
        let held = push(&mut stream, &farthest);
        if !is_read {
            assert_eq!((held, &seen.unreadable[..]), (0, &[(5, Compressed::Damaged)][..]));
            continue;
        }
        repeat(&mut sent);
        // More than 64 KiB are not kept.
        assert_eq!(held, if known > 65_533 { 32_768 } else { known + 3 });
        let next = &numbers[..65_536 - held];
        sent.extend_from_slice(next);
        assert_eq!(push(&mut stream, &frame(0xc2, None, &stored(next))), 65_536);
        for held in [32_768, 32_771] {
            repeat(&mut sent);
            assert_eq!(push(&mut stream, &farthest), held);
        }
        assert!(seen.bytes().concat() == sent && seen.unreadable.is_empty(), "{known}");
    }
}
