//! `Debug` output and the summaries of connections.

use crate::common::{corpus, unhex};
use crate::follow::addressed::reliable;
use crate::follow::captures;
use crate::follow::given::Given;
use crate::follow::refused::CONNECT;
use crate::follow::waiting::{Pushed, distinctive, ends};
use gdwire::capture::{Capture, JsonLine, Messages};
use gdwire::follow::{Batch, Event, Follower, Options, Place, Reason, Transport};
use gdwire::json::Spelling;
use gdwire::multiplayer::{Names, PeerId};
use gdwire::net::{Side, enet, tcp, websocket};
use gdwire::packet::{LinkType, Protocol, TcpSegment, Time, UdpDatagram};
use gdwire::project::Project;
use gdwire::{Dialect, encode};
use std::net::SocketAddr;
use std::sync::Arc;

#[test]
fn debug_shows_lengths_in_place_of_bytes() {
    for (name, file) in captures() {
        let mut messages = Messages::new(&file).unwrap();
        while let Some(event) = messages.next_event() {
            let part = match &event {
                Event::Opened(it) | Event::Recognized(it) | Event::Closed(it) => {
                    format!("Summary {{ connection: {}, flow: ", it.connection())
                }
                Event::Message(message) => format!("len: {}, content: ", message.bytes.len()),
                Event::Other(other) => format!("len: {}, reason: ", other.bytes.len()),
                _ => continue,
            };
            let shown = format!("{event:?}");
            assert!(shown.contains(&part), "{name}: {part} in {shown}");
        }
    }
    let mut follower = Follower::with_options(Options::new().with_transport(Transport::Enet));
    let shown = format!("{follower:?}");
    assert!(shown.contains("transport: Some(Enet)") && shown.contains("opened: 0"), "{shown}");
    assert_eq!(format!("{:?}", follower.finish()), "Events { .. }");
    assert_eq!(format!("{:?}", Batch::new(5)), "Batch { len: 0, held_bytes: 0, limit: 5, .. }");
}

#[test]
fn a_summary_counts_messages_and_their_rate() {
    let (src, dst) = ends();
    let int = encode(Dialect::GODOT_4, &7_i64).unwrap();
    let second = |second: i64| Time::from_nanos(second * 1_000_000_000, 9);
    let rate = |times: &[i64]| {
        let mut follower = Follower::new();
        for (time, number) in times.iter().zip(1..) {
            let place = Place::new(number).with_time(second(*time));
            let events = follower.datagram(place, &UdpDatagram::new(src, dst, &int));
            events.for_each(|event| assert!(!matches!(event, Event::Closed(_))));
        }
        let mut found = None;
        follower.finish().for_each(|event| {
            if let Event::Closed(summary) = event {
                assert_eq!(summary.messages(), times.len() as u64);
                found = Some(summary.traffic().bytes_per_second());
            }
        });
        found.unwrap()
    };
    assert_eq!(rate(&[5]), None);
    assert_eq!(rate(&[5, 5]), None);
    assert_eq!(rate(&[5, 4]), None);
    assert_eq!(rate(&[5, 6, 9]), Some(6.0));
}

#[test]
fn without_a_readable_message_a_summary_names_no_dialect() {
    let (src, dst) = ends();
    let mut follower = Follower::new();
    for payload in [unhex(CONNECT), reliable(1, b"not a value")] {
        follower.datagram(Place::new(1), &UdpDatagram::new(src, dst, &payload));
    }
    let mut closed = None;
    follower.finish().for_each(|event| {
        if let Event::Closed(summary) = event {
            closed = Some((summary.transport(), summary.dialect(), summary.to_string()));
        }
    });
    let (transport, dialect, shown) = closed.unwrap();
    assert_eq!((transport, dialect), (Some(Transport::Enet), None));
    assert!(shown.ends_with("; none of its messages can be read"), "{shown}");
}

/// Ints are the same in all dialects.
#[test]
fn a_summary_shows_why_a_dialect_was_chosen() {
    let (src, dst) = ends();
    let int = encode(Dialect::GODOT_4, &7_i64).unwrap();
    let value = distinctive(Dialect::GODOT_3);
    let why = |first: &[u8]| {
        let mut follower = Follower::new();
        for (port, payload) in [(1, first), (2, &int)] {
            let datagram = UdpDatagram::new(SocketAddr::new(src.ip(), port), dst, payload);
            follower.datagram(Place::new(1), &datagram);
        }
        let mut shown = Vec::new();
        follower.finish().for_each(|event| {
            if let Event::Recognized(summary) = event {
                shown.push(summary.to_string().split("; ").nth(1).unwrap().to_owned());
            }
        });
        shown
    };
    assert_eq!(why(&int), ["godot4 by default", "godot4 by default"]);
    assert_eq!(why(&value), ["godot3, as in most of the traffic"]);
}

#[test]
fn a_transport_is_found_by_its_name() {
    for transport in Transport::ALL {
        assert_eq!(Transport::from_name(transport.name()), Some(*transport));
    }
    assert_eq!(Transport::from_name("ENet"), None);
}

/// The text of a summary, of losses and of damage is that of their parts.
#[test]
fn connections_and_losses_are_shown_in_a_sentence() {
    let (src, dst) = ends();
    let mut follower = Follower::new();
    let segment = TcpSegment::new(src, dst, tcp::Segment::new(1, b"nothing"));
    follower.segment(Place::new(1), &segment);
    follower.datagram(Place::new(2), &UdpDatagram::new(src, dst, b"nothing"));
    let mut shown = Vec::new();
    follower.finish().for_each(|event| {
        if let Event::Closed(summary) = event {
            assert!(!summary.has_start());
            shown.push(summary.to_string());
        }
    });
    let flow = "10.0.0.1:7000 and 10.0.0.2:40000";
    let expected = ["TCP", "UDP"].map(|it| format!("{flow}: {it}, no message recognized"));
    assert_eq!(shown, expected);
    let name = "captures/godot4-game-enet-lossy-server-side.pcapng";
    let file = std::fs::read(corpus(name)).unwrap();
    let file = &file[..file.len() - 1];
    assert!(Capture::recognizes(file) && Capture::recognizes(&[0xd4, 0xc3, 0xb2, 0xa1]));
    assert!(!Capture::recognizes(b"GDPC") && !Capture::recognizes(&file[..3]));
    let mut messages = Messages::new(file).unwrap();
    let (mut between, mut damaged, mut starts) = (0, 0, 0);
    while let Some(event) = messages.next_event() {
        match &event {
            Event::Lost(loss) => {
                let expected = match loss.after {
                    None => loss.cause.to_string(),
                    Some(after) => {
                        between += 1;
                        let frames = (after.frame, loss.place.frame);
                        format!(
                            "{} (sent between frames {} and {})",
                            loss.cause, frames.0, frames.1
                        )
                    }
                };
                assert_eq!(loss.to_string(), expected);
            }
            Event::Closed(summary) => starts += u32::from(summary.has_start()),
            Event::Damaged(error) => {
                damaged += 1;
                let mut line = JsonLine::new(Spelling::Plain);
                line.fields(b"\"a\":1");
                line.event(&event).unwrap();
                line.fields(b"\"b\":2");
                let mut out = Vec::new();
                line.end(&mut out).unwrap();
                let (frame, offset) = (error.frame.unwrap(), error.offset);
                let problem = error.problem;
                let expected = format!(
                    "{{\"a\":1,\"frame\":{frame},\"offset\":{offset},\"damaged\":\"{problem}\",\"b\":2}}\n"
                );
                assert_eq!(String::from_utf8(out).unwrap(), expected);
            }
            _ => {}
        }
    }
    assert!(between > 2 && damaged == 1 && starts > 0, "{between} {damaged} {starts}");
}

/// The first message and the first loss of a recording.
#[test]
fn messages_and_losses_are_lines_of_json() {
    let file = std::fs::read(corpus("captures/godot4-game-enet-lossy-client-side.pcapng")).unwrap();
    let mut messages = Messages::new(&file).unwrap();
    let (mut message, mut loss) = (None, None);
    while let Some(event) = messages.next_event() {
        let first = match &event {
            Event::Message(_) => &mut message,
            Event::Lost(_) => &mut loss,
            _ => continue,
        };
        let mut line = JsonLine::new(Spelling::Plain);
        line.event(&event).unwrap();
        first.get_or_insert_with(|| String::from_utf8(line.finish()).unwrap());
    }
    let expected = [
        r#"{"frame":6,"time":"2026-11-21T21:36:00.931527888Z","transport":"enet","src":"127.0.0.1:7790","dst":"127.0.0.1:53352","community_id":"1:SMSu14vHLM7KCGdkqg5DWUE8lyQ=","channel":0,"mode":"reliable","peer":{"source":1,"target":1727141957},"offset":10,"len":57,"rpc":{"command":"simplify_path","id":1,"path":"Main/World/Spawner","md5":"d41d8cd98f00b204e9800998ecf8427e"}}"#,
        r#"{"frame":32,"time":"2026-11-21T21:36:01.240959379Z","after_frame":29,"after_time":"2026-11-21T21:36:01.186805916Z","transport":"enet","src":"127.0.0.1:7790","dst":"127.0.0.1:53352","community_id":"1:SMSu14vHLM7KCGdkqg5DWUE8lyQ=","mode":"unreliable","messages":1,"lost":"an unsequenced message: not seen"}"#,
    ];
    assert_eq!([message.unwrap(), loss.unwrap()], expected);
}

/// The names of the reasons for which packets are not read, which `gdwire stats` lists.
#[test]
fn each_reason_has_a_name() {
    let error = |bytes: &[u8]| Reason::NoValue(gdwire::parse(Dialect::GODOT_4, bytes).unwrap_err());
    let deep = [&[28, 0, 0, 0, 1, 0, 0, 0][..]; 2_000].concat();
    let mut compressed = enet::Datagram::parse(&[1]).unwrap_err();
    compressed.problem = enet::Problem::UnknownCompression;
    let reasons = [
        error(&[2, 0, 0]),
        error(&[99, 0, 0, 0]),
        error(&[4, 0, 0, 0, 1, 0, 0, 0, 0xff, 0, 0, 0]),
        error(&deep),
        error(&[0; 8]),
        Reason::Unlikely,
        Reason::NoEnet(compressed),
        Reason::NoEnet(enet::Datagram::parse(&[1]).unwrap_err()),
        Reason::Compressed(websocket::Compressed::Unseen),
        Reason::UnknownStream,
        Reason::NotAskedFor,
        Reason::TooManyConnections,
        Reason::Cut,
        Reason::Malformed,
        Reason::OtherProtocol(Protocol::Ip(1)),
        Reason::OtherProtocol(Protocol::Ip(200)),
        Reason::UnknownLink(LinkType(7)),
    ];
    let names: Vec<_> = reasons.iter().map(|reason| reason.name().unwrap()).collect();
    let expected = [
        "not a value: ends too early",
        "not a value: unknown type",
        "not a value: text is not UTF-8",
        "not a value: nested too deeply",
        "not a value: followed by more bytes",
        "not a value: reads as one by chance",
        "an ENet datagram with an unknown compression",
        "not an ENet datagram",
        "compressed, without the messages before it",
        "TCP of other programs",
        "not the requested transport",
        "beyond the limit on connections",
        "captured only in part",
        "malformed packet",
        "ICMP",
        "another protocol",
        "unknown link type",
    ];
    assert_eq!(names, expected);
    assert_eq!(Reason::PeerId(PeerId::SERVER).name(), None);
}

/// A message that cannot be decompressed was sent nevertheless.
#[test]
fn compressed_messages_count_as_messages() {
    let response = b"HTTP/1.1 101 Yes\r\nupgrade: websocket\r\nsec-websocket-accept: y\r\n\
        sec-websocket-extensions: permessage-deflate\r\n\r\n";
    let int = encode(Dialect::GODOT_4, &7_i64).unwrap();
    let value = [&[0x82, 8][..], &int].concat();
    let mut pushed = Pushed::new(Options::new());
    pushed.open(99);
    pushed.segment(100, &[response, &value[..], &[0xc2, 3, 0xff, 0xff, 0xff], &value].concat());
    pushed.finish();
    assert_eq!(pushed.shown().len(), 2, "{:?}", pushed.given);
    let others = pushed.given.iter().filter(|it| matches!(it, Given::Other(..))).count();
    let Some(Given::Closed(_, _, _, directions)) = pushed.given.last() else { panic!() };
    assert_eq!((others, directions[1].messages, directions[1].message_bytes), (1, 3, 8 + 3 + 8));
}

/// The mode of a call shows its script, unless the call may have been sent in fragments, which are alike in
/// both unreliable modes.
#[test]
fn scripts_are_shown_by_the_modes_of_their_methods() {
    let main = "[gd_scene format=3]\n\
        [ext_resource type=\"Script\" path=\"res://one.gd\" id=\"1\"]\n\
        [ext_resource type=\"Script\" path=\"res://two.gd\" id=\"2\"]\n\
        [node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n\
        [node name=\"Other\" type=\"Node\" parent=\".\"]\nscript = ExtResource(\"2\")\n";
    let project = Project::from_files([
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        ("main.tscn", main),
        ("one.gd", "@rpc(\"unreliable_ordered\") func one(_of: String): pass\n"),
        ("two.gd", "@rpc(\"unreliable\") func two(_of: String): pass\n"),
    ]);
    let names = Arc::new(Names::new().with_project(project));
    for (len, expected) in [(496, "#9 (one.gd).one("), (500, "#9.#0(")] {
        let argument = encode(Dialect::GODOT_4, &"x".repeat(len - 12)).unwrap();
        let call = [&[0, 9, 0, 1], &argument[..]].concat();
        assert_eq!(call.len(), len);
        let mut pushed = Pushed::new(Options::new().with_names(names.clone()));
        pushed.datagram(40_000, &unhex(CONNECT));
        for number in 1..=10 {
            // An unreliable message on the channel of the game.
            let [high, low] = (len as u16).to_be_bytes();
            let header = [0x80, 1, 0x12, 0x34, 7, 1, 0, 0, 0, number, high, low];
            pushed.datagram(40_000, &[&header[..], &call].concat());
        }
        pushed.finish();
        let shown = pushed.shown();
        assert!(shown.len() == 10 && shown[9].starts_with(expected), "{len} {shown:?}");
    }
}

/// Without the start of a connection, the ids of peers show which end is the client.
#[test]
fn the_client_is_known_in_the_middle_of_a_recording() {
    let client_of = |file: &[u8], first: u64| {
        let mut found = None;
        let mut take = |event: Event<'_>| {
            if let Event::Closed(summary) = event {
                let (one, other) = summary.flow().ends();
                found = summary.client().map(|side| if side == Side::First { one } else { other });
            }
        };
        let mut follower = Follower::new();
        for packet in Capture::new(file).unwrap().map(Result::unwrap) {
            if packet.frame >= first {
                follower.packet(&packet).for_each(&mut take);
            }
        }
        follower.finish().for_each(&mut take);
        found
    };
    let file = std::fs::read(corpus("captures/godot3-rpc.pcapng")).unwrap();
    let client = client_of(&file, 1);
    assert!(client.is_some());
    for first in 2..40 {
        assert_eq!(client_of(&file, first), client, "{first}");
    }
}
