//! Parsing, iterating, walking, scanning and encoding to a slice allocate nothing.

mod common;
#[allow(dead_code, reason = "it is a program of its own")]
#[path = "examples/udp_proxy.rs"]
mod udp_proxy;

use common::{Value, lines, unhex};
use gdwire::stream::{Progress, Scanner};
use gdwire::view::ObjectRef;
use gdwire::walk::{Event, WalkStack, events};
use gdwire::{Dialect, Streamed, VariantRef, View, encode_to_slice, parse, parse_streaming};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed to the system's allocator unchanged.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

/// Reads everything in a view, children by nested views.
fn visit(value: VariantRef<'_>) -> usize {
    match value.view() {
        View::String(text) => text.len(),
        View::NodePath(path) => path.names().chain(path.subnames()).map(str::len).sum(),
        View::PackedStringArray(strings) => strings.iter().map(str::len).sum(),
        View::PackedVector3Array(vectors) => vectors.iter::<f32>().filter(|v| v.x > 0.0).count(),
        View::PackedInt32Array(numbers) => numbers.iter().filter(|number| number.get() > 0).count(),
        View::Array(elements) => elements.iter().map(visit).sum(),
        View::Dictionary(entries) => {
            entries.iter().map(|(key, value)| visit(key) + visit(value)).sum()
        }
        View::Object(ObjectRef::Instance(instance)) => {
            instance.properties().map(|(name, value)| name.len() + visit(value)).sum()
        }
        _ => 1,
    }
}

#[test]
fn nothing_is_allocated() {
    let values: Vec<Vec<u8>> =
        lines::<Value>("godot3/values.ndjson").iter().map(|line| unhex(&line.hex)).collect();
    let mut buffer = vec![0; 64 << 10];
    let mut offsets = [0; 1000];
    assert!(allocations(|| drop(std::hint::black_box(vec![1]))) > 0, "the counter counts");
    for bytes in &values {
        let dialect = Dialect::GODOT_3;
        let count = allocations(|| {
            let value = parse(dialect, bytes).unwrap();
            let cut = parse_streaming(dialect, &bytes[..bytes.len() - 1]);
            assert!(matches!(cut, Ok(Streamed::Needed(1))));
            let mut stack = WalkStack::new();
            let ends =
                value.walk(&mut stack).filter(|event| matches!(event, Event::End(_))).count();
            assert_eq!(
                ends,
                events(dialect, bytes, &mut stack)
                    .filter(|e| matches!(e, Ok(Event::End(_))))
                    .count()
            );
            assert!(visit(value) < usize::MAX);
            std::hint::black_box(value == parse(dialect, bytes).unwrap());
            let mut scanner = Scanner::new(dialect);
            for piece in bytes.chunks(7) {
                assert!(matches!(
                    scanner.push(piece),
                    Ok(Progress::Needed(_) | Progress::Done { .. })
                ));
            }
            assert!(encode_to_slice(dialect, &value, &mut buffer).unwrap() <= bytes.len());
            std::hint::black_box((value.get("position"), value.pointer("/1/2")));
            if let Some(elements) = value.as_array().and_then(|array| array.index(&mut offsets)) {
                std::hint::black_box(elements.get(elements.len() / 2));
            }
        });
        assert_eq!(count, 0, "{bytes:?}");
    }
}

#[test]
fn writing_packets_allocates_nothing() {
    use gdwire::encode::SliceSink;
    use gdwire::multiplayer::{Method, MultiplayerProtocol, Node, PacketEncoder, parse};

    let mut buffer = [0; 256];
    let number = Method::Number { index: 7, is_own: false };
    for (protocol, dialect, method) in [
        (MultiplayerProtocol::Godot3, Dialect::GODOT_3, Method::Name("take_hit")),
        (MultiplayerProtocol::Godot4, Dialect::GODOT_4, number),
    ] {
        let encoder = PacketEncoder::new(protocol, dialect);
        let count = allocations(|| {
            let arguments = (7, "arrow", [1.5, 2.5]);
            let sink = SliceSink::new(&mut buffer);
            let node = Node::Path("Main/World");
            let len = encoder.call(node, method, &arguments, sink).unwrap().needed();
            let mut again = [0; 256];
            let packet = parse(protocol, dialect, &buffer[..len]).unwrap();
            let sink = encoder.packet(&packet, SliceSink::new(&mut again)).unwrap();
            assert_eq!(sink.needed(), len);
            assert_eq!(again, buffer);
            assert!(len > 40);
        });
        assert_eq!(count, 0);
        buffer.fill(0);
    }
}

#[test]
fn typed_access_and_its_errors_allocate_nothing() {
    use std::fmt::Write;

    /// Reads text without keeping it.
    struct Forget(usize);

    impl Write for Forget {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0 += text.len();
            Ok(())
        }
    }

    let state = gdwire::variant!({ "players": [{ "name": "Zoë", "hp": "full" }] });
    let packet = gdwire::encode(Dialect::GODOT_3, &state).unwrap();
    let cut = &packet[..packet.len() - 4];
    let mut text = Forget(0);
    let count = allocations(|| {
        let value = parse(Dialect::GODOT_3, &packet).unwrap();
        assert_eq!(value.at("/players/0/name").unwrap().to::<&str>(), Ok("Zoë"));
        let player = value.pointer("/players/0").unwrap();
        for error in [
            value.at("/players/0/hp").unwrap().to::<i32>().unwrap_err(),
            value.at("/players/1/hp").unwrap_err(),
            player.get_as::<f64>("name").unwrap_err(),
        ] {
            write!(text, "{error}").unwrap();
        }
        let error = parse(Dialect::GODOT_3, cut).unwrap_err();
        write!(text, "{}: {error}", error.path(Dialect::GODOT_3, cut)).unwrap();
    });
    assert!(text.0 > 200);
    assert_eq!(count, 0);
}

#[test]
fn a_proxy_passes_packets_on_without_allocating() {
    use gdwire::{Variant, encode, variant};
    use std::net::UdpSocket;
    use std::time::Duration;
    use udp_proxy::{Counts, Proxy};

    let socket = || {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        socket
    };
    let (game, server, between) = (socket(), socket(), socket());
    let address = between.local_addr().unwrap();
    let mut proxy = Proxy::new(between, server.local_addr().unwrap());
    let packet = |value: Variant| encode(Dialect::GODOT_4, &value).unwrap();
    let state = |hp: Variant| variant!({ "player": { "name": "Zoë", "hp": hp, "at": [0.1, 2.5] }, "tick": 1 });
    let low = packet(state(variant!(7)));
    let full = packet(state(variant!(100)));
    // Packets that are passed on unchanged: enough `hp`, not an int, no such field, not a value.
    let others = [
        full.clone(),
        packet(state(variant!(i64::MAX))),
        packet(state(variant!("many"))),
        packet(state(variant!(1.5))),
        packet(variant!({ "player": [7] })),
        packet(variant!(null)),
        low[..low.len() - 1].to_vec(),
        [&low[..], b"more"].concat(),
        vec![99, 0, 0, 0],
        vec![0xff; 60_000],
        Vec::new(),
    ];
    let mut buffer = vec![0; 1 << 16];
    // The first pass does what happens only once, for example in the standard library.
    let mut count = 0;
    for round in 0..3 {
        count = allocations(|| {
            for (sent, expected) in
                [(&low, &full)].into_iter().chain(others.iter().map(|other| (other, other)))
            {
                game.send_to(sent, address).unwrap();
                proxy.pass_one().unwrap();
                let (length, _) = server.recv_from(&mut buffer).unwrap();
                assert_eq!(buffer[..length], expected[..]);
                // And in the other direction, where nothing is changed.
                server.send_to(sent, address).unwrap();
                proxy.pass_one().unwrap();
                let (length, _) = game.recv_from(&mut buffer).unwrap();
                assert_eq!(buffer[..length], sent[..]);
            }
        });
        let (rounds, others) = (round + 1, others.len() as u64);
        let expected =
            Counts { changed: rounds, unchanged: rounds * others, answers: rounds * (others + 1) };
        assert_eq!(proxy.counts, expected);
    }
    assert_eq!(count, 0);
}

#[test]
fn packets_of_the_multiplayer_api_are_read_without_allocating() {
    use gdwire::multiplayer::{MultiplayerProtocol, Packet, parse};

    #[derive(serde::Deserialize)]
    struct Recorded {
        hex: String,
    }

    for (name, protocol, dialect) in [
        ("godot3", MultiplayerProtocol::Godot3, Dialect::GODOT_3),
        ("godot4", MultiplayerProtocol::Godot4, Dialect::GODOT_4),
    ] {
        for packet in lines::<Recorded>(&format!("multiplayer/{name}.ndjson")) {
            let bytes = unhex(&packet.hex);
            let count = allocations(|| match parse(protocol, dialect, &bytes).unwrap() {
                Packet::Call(call) => {
                    assert_eq!(call.arguments.iter().count(), call.arguments.len())
                }
                Packet::Sync(sync) => {
                    assert!(sync.states.iter().all(|state| !state.values.is_empty()))
                }
                Packet::Relay(relay) => assert_ne!(relay.packet().command(), "relay"),
                packet => assert!(!packet.command().is_empty()),
            });
            assert_eq!(count, 0, "{bytes:?}");
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_struct_is_read_and_written_without_allocating() {
    use gdwire::math::{Vector2, Vector3};

    #[derive(serde::Serialize, serde::Deserialize, Debug, PartialEq)]
    struct State<'a> {
        id: i32,
        #[serde(borrow)]
        name: &'a str,
        position: Vector3<f32>,
        aim: Option<Vector2<f32>>,
        weapon: Option<Weapon<'a>>,
        pair: (i64, f32),
        #[serde(with = "gdwire::typed::packed")]
        path: [Vector2<f32>; 2],
        #[serde(borrow)]
        any: VariantRef<'a>,
    }

    #[derive(serde::Serialize, serde::Deserialize, Debug, PartialEq)]
    enum Weapon<'a> {
        None,
        Named(&'a str),
        Gun { shots: u16 },
    }

    let any = gdwire::encode(Dialect::GODOT_3, &gdwire::variant!([1, {"a": 2}])).unwrap();
    let state = |weapon| State {
        id: 7,
        name: "player_one",
        position: Vector3::new(1.0, 2.0, 3.0),
        aim: None,
        weapon,
        pair: (-1, 0.5),
        path: [Vector2::new(1.0, 2.0); 2],
        any: parse(Dialect::GODOT_3, &any).unwrap(),
    };
    let mut buffer = [0; 512];
    for weapon in
        [None, Some(Weapon::None), Some(Weapon::Named("x")), Some(Weapon::Gun { shots: 3 })]
    {
        let state = state(weapon);
        let count = allocations(|| {
            let length = gdwire::to_slice(Dialect::GODOT_3, &state, &mut buffer).unwrap();
            let read: State = gdwire::from_slice(Dialect::GODOT_3, &buffer[..length]).unwrap();
            assert_eq!(read, state);
        });
        assert_eq!(count, 0);
    }
}

#[cfg(feature = "capture")]
#[test]
fn packets_of_a_capture_are_borrowed_without_allocating() {
    use gdwire::capture::Capture;
    use gdwire::packet::Payload;

    for name in ["godot3-udp-vlan.pcap", "godot3-udp-twice.pcapng"] {
        let file = std::fs::read(common::corpus("captures").join(name)).unwrap();
        let mut capture = Capture::new(&file).unwrap();
        // The first packet follows the descriptions of the interfaces.
        capture.next().unwrap().unwrap();
        let mut payloads = 0;
        let count = allocations(|| {
            for packet in capture {
                if let Ok(Payload::Udp(datagram)) = packet.map(|packet| packet.payload()) {
                    payloads += datagram.payload.len();
                }
            }
        });
        assert!(payloads > 10_000);
        assert_eq!(count, 0, "{name}");
    }
}

#[test]
#[cfg(feature = "capture")]
fn complete_enet_messages_in_order_are_borrowed() {
    use gdwire::net::Side;
    use gdwire::net::enet::{Session, SessionEvent, SessionLimits};

    let mut session = Session::new(SessionLimits::default());
    let mut messages = 0;
    let mut send = |number: u16| {
        let [high, low] = number.to_be_bytes();
        // A reliable message, an unreliable one after it, and one out of order, on two channels.
        let datagram = [
            0x80, 1, 0, 0, 0x86, 0, high, low, 0, 1, 7, 0x07, 0, high, low, 0, 1, 0, 1, 7, 0x49, 1,
            0, 0, high, low, 0, 1, 7,
        ];
        let sink = &mut |event: SessionEvent<'_>| {
            if let SessionEvent::Message(message) = event {
                assert!(datagram.as_ptr_range().contains(&message.payload.as_ptr()));
                messages += 1;
            }
        };
        session.receive(Side::First, &datagram, sink).unwrap();
    };
    // The state of a channel grows at first.
    (0..300).for_each(&mut send);
    assert_eq!(allocations(|| (300..10_000).for_each(send)), 0);
    assert_eq!(messages, 30_000);
}
