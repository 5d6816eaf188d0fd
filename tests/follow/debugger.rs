//! The messages of the remote debugger.

use crate::common::{corpus, lines};
use crate::follow::waiting::ends;
use gdwire::capture::{Capture, Messages};
use gdwire::follow::{Cause, Content, Event, Follower, Limits, Options, Place, Transport};
use gdwire::multiplayer::Argument;
use gdwire::net::tcp;
use gdwire::packet::TcpSegment;
use gdwire::{Dialect, Variant, debugger, encode, variant};
use serde::Deserialize;
use std::collections::BTreeMap;

const GODOT_3: Dialect = Dialect::GODOT_3;
const GODOT_4: Dialect = Dialect::GODOT_4;

/// A line of the recording's ground truth.
#[derive(Deserialize, Clone, PartialEq, Debug)]
struct Sent {
    from: String,
    command: String,
    args_hex: Vec<String>,
}

fn recorded() -> (Vec<u8>, Vec<Sent>) {
    let file = std::fs::read(corpus("captures/godot3-debugger.pcapng")).unwrap();
    (file, lines("captures/godot3-debugger.ndjson"))
}

/// The messages and losses of a connection.
#[derive(Default, Debug)]
struct Seen {
    messages: Vec<Sent>,
    /// Each message as text, after the number of its packet.
    shown: Vec<String>,
    values: usize,
    /// The number of bytes in messages and values, with the lengths before them, and of lost bytes.
    bytes: u64,
    lost: u64,
}

impl Seen {
    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Message(message) => {
                self.bytes += message.bytes.len() as u64 + 4;
                self.shown.push(format!("{} {}", message.place.frame, message.display()));
                let Content::Debugger(command) = message.content else {
                    self.values += 1;
                    return;
                };
                let hex =
                    |it: Argument<'_>| crate::common::hex(&encode(it.dialect(), &it).unwrap());
                let from = if message.origin.src().port() == 6007 { "editor" } else { "game" };
                self.messages.push(Sent {
                    from: from.to_owned(),
                    command: command.name.to_owned(),
                    args_hex: command.arguments.iter().map(hex).collect(),
                });
            }
            Event::Other(other) => {
                self.bytes += other.bytes.len() as u64 + 4;
                self.shown.push(format!("{} other", other.place.frame));
                self.values += 1;
            }
            Event::Lost(loss) => match loss.cause {
                Cause::Stream { bytes, .. } => self.lost += bytes,
                ref other => panic!("{other}"),
            },
            _ => {}
        }
    }

    fn of(&self, from: &str) -> Vec<&Sent> {
        self.messages.iter().filter(|it| it.from == from).collect()
    }
}

/// Reads some packets of the recording.
fn read(file: &[u8], is_kept: impl FnMut(u64) -> bool) -> Seen {
    read_with(Options::new(), file, is_kept)
}

fn read_with(options: Options<'_>, file: &[u8], mut is_kept: impl FnMut(u64) -> bool) -> Seen {
    let mut seen = Seen::default();
    let mut follower = Follower::with_options(options);
    for packet in Capture::new(file).unwrap().map(Result::unwrap) {
        if is_kept(packet.frame) {
            follower.packet(&packet).for_each(|event| seen.take(&event));
        }
    }
    follower.finish().for_each(|event| seen.take(&event));
    seen
}

#[test]
fn the_messages_of_a_recording_are_those_that_were_sent() {
    let (file, sent) = recorded();
    let seen = read(&file, |_| true);
    for from in ["game", "editor"] {
        let sent: Vec<_> = sent.iter().filter(|it| it.from == from).collect();
        assert!(sent.len() > 10);
        assert_eq!(seen.of(from), sent);
    }
    assert_eq!((seen.values, seen.lost), (0, 0));
    // The dialect does not say whether values are messages of the debugger.
    let named = || Options::new().with_dialect(GODOT_3);
    for options in [named(), named().with_transport(Transport::Tcp)] {
        assert_eq!(read_with(options, &file, |_| true).shown, seen.shown);
    }
    // The first message spans five packets.
    assert!(seen.shown[0].starts_with("12 output([ \"Godot Engine v3.2.3"), "{}", seen.shown[0]);
    let mut messages = Messages::new(&file).unwrap();
    let mut connections = 0;
    while let Some(event) = messages.next_event() {
        match event {
            Event::Recognized(summary) => {
                let shown = summary.to_string();
                assert!(summary.is_debugger() && !summary.is_multiplayer());
                assert!(shown.contains("; messages of the remote debugger; godot3"), "{shown}");
                connections += 1;
            }
            Event::Message(message)
                if message.delivery.offset == 4 && message.place.frame == 12 =>
            {
                assert_eq!(message.place.first_frame(), 4);
                assert_eq!(message.bytes.len(), 212);
            }
            _ => {}
        }
    }
    assert_eq!(connections, 1);
}

/// Asserts that messages are among those that were sent, in their order.
#[track_caller]
fn assert_in_order(seen: &Seen, sent: &[Sent]) {
    for from in ["game", "editor"] {
        let mut sent = sent.iter().filter(|it| it.from == from);
        for message in seen.of(from) {
            assert!(sent.any(|it| it == message), "{message:?}");
        }
    }
}

#[test]
fn a_recording_read_from_its_middle_is_not_misread() {
    let (file, sent) = recorded();
    let count = Capture::new(&file).unwrap().count() as u64;
    for first in 1..count {
        let seen = read(&file, |frame| frame >= first);
        assert_in_order(&seen, &sent);
        if first < 50 {
            assert!(seen.messages.len() > 20, "{first} {}", seen.messages.len());
        }
    }
}

#[test]
fn without_a_packet_only_what_it_carried_is_lost() {
    let (file, sent) = recorded();
    let count = Capture::new(&file).unwrap().count() as u64;
    let whole = read(&file, |_| true);
    for missing in 1..=count {
        let seen = read(&file, |frame| frame != missing);
        assert_in_order(&seen, &sent);
        assert_eq!(seen.bytes + seen.lost, whole.bytes, "{missing}");
        assert!(seen.lost == 0 || seen.messages.len() + 8 > whole.messages.len(), "{missing}");
    }
}

#[test]
fn a_text_after_a_loss_is_no_command() {
    let (file, sent) = recorded();
    // In packet 65, a list has the text "_idle" and the number 27, as the commands that are known from
    // packet 26 on begin.
    let kept = [13..=18, 26..=30, 40..=1_000];
    let seen = read(&file, |frame| kept.iter().any(|kept| kept.contains(&frame)));
    assert_in_order(&seen, &sent);
    assert!(seen.lost > 0 && seen.messages.len() > 10, "{seen:?}");
}

/// The frames of a message of a Godot 3 game.
fn message(command: &str, arguments: &[Variant]) -> Vec<Variant> {
    let mut frames = vec![command.into(), (arguments.len() as i64).into()];
    frames.extend(arguments.iter().cloned());
    frames
}

fn output(text: &str) -> Vec<Variant> {
    message("output", &[variant!([text, 0])])
}

struct Pushed {
    follower: Follower<'static>,
    seen: Seen,
    sequences: BTreeMap<bool, u32>,
    frame: u64,
    bytes: u64,
}

impl Pushed {
    fn new(limits: Limits) -> Pushed {
        let follower = Follower::with_options(Options::new().with_limits(limits));
        let sequences = [(true, 0), (false, 0)].into();
        Pushed { follower, seen: Seen::default(), sequences, frame: 0, bytes: 0 }
    }

    fn push(&mut self, is_game: bool, payload: &[u8]) {
        let (game, editor) = ends();
        let (src, dst) = if is_game { (game, editor) } else { (editor, game) };
        let sequence = self.sequences.get_mut(&is_game).unwrap();
        if *sequence == 0 {
            let syn = TcpSegment::new(src, dst, tcp::Segment::new(0, &[]).with_syn());
            self.follower.segment(Place::new(0), &syn).for_each(|event| self.seen.take(&event));
            *sequence = 1;
        }
        self.frame += 1;
        self.bytes += payload.len() as u64;
        let segment = TcpSegment::new(src, dst, tcp::Segment::new(*sequence, payload));
        *sequence += payload.len() as u32;
        let events = self.follower.segment(Place::new(self.frame), &segment);
        events.for_each(|event| self.seen.take(&event));
    }

    /// Pushes values, each in a packet and after its length.
    fn send(&mut self, is_game: bool, dialect: Dialect, values: &[Variant]) {
        for value in values {
            let value = encode(dialect, value).unwrap();
            let length = u32::try_from(value.len()).unwrap().to_le_bytes();
            self.push(is_game, &[&length[..], &value].concat());
        }
    }

    fn finish(mut self) -> Seen {
        self.follower.finish().for_each(|event| self.seen.take(&event));
        assert_eq!(self.seen.bytes + self.seen.lost, self.bytes, "{:?}", self.seen);
        self.seen
    }
}

#[test]
fn godot_4_sends_each_message_in_an_array() {
    for has_threads in [true, false] {
        let of = |name: &str, thread: i64, data: Variant| {
            if has_threads { variant!([name, thread, data]) } else { variant!([name, data]) }
        };
        let mut pushed = Pushed::new(Limits::default());
        pushed.send(true, GODOT_4, &[of("set_pid", 1, variant!([4242]))]);
        assert_eq!(pushed.seen.shown, ["1 set_pid(4242)"]);
        let strings = Variant::PackedStringArray(vec!["hi".into()]);
        let types = Variant::PackedInt32Array(vec![0]);
        pushed.send(true, GODOT_4, &[of("output", 1, Variant::Array(vec![strings, types].into()))]);
        pushed.send(false, GODOT_4, &[of("scene:inspect_objects", 7, variant!([[1], true]))]);
        pushed.send(true, GODOT_4, &[of("my_plugin:state", 7, variant!([{"hp": 3}]))]);
        // Arrays of another form stay values.
        pushed.send(true, GODOT_4, &[variant!(["set_pid", 1, 2]), variant!([1, 2]), variant!(5)]);
        let seen = pushed.finish();
        let thread = if has_threads { " in thread 7" } else { "" };
        let expected = [
            "1 set_pid(4242)".to_owned(),
            "2 output(PackedStringArray(\"hi\"), PackedInt32Array(0))".to_owned(),
            format!("3 scene:inspect_objects([1], true){thread}"),
            format!("4 my_plugin:state({{ \"hp\": 3 }}){thread}"),
            "5 [\"set_pid\", 1, 2]".to_owned(),
            "6 [1, 2]".to_owned(),
            "7 5".to_owned(),
        ];
        assert_eq!(seen.shown, expected);
    }
}

#[test]
fn protocols_of_games_are_not_mistaken_for_a_debugger() {
    let frames = |values: &[Variant]| values.to_vec();
    for values in [
        frames(&[variant!(["chat", 1, ["hi"]]), variant!(["set_pid", 1, ["x"]])]),
        frames(&[variant!(["move", [1, 2]]), variant!(["error", 5, ["no"]])]),
        frames(&[variant!(["breakpoint", 1]), variant!("hi"), variant!([[1]])]),
        frames(&[variant!("output"), variant!(2), variant!(3), variant!({"a": 1})]),
        frames(&[variant!("error"), variant!(1), variant!([1]), variant!(2)]),
        frames(&[variant!("message:hi"), variant!(0), variant!([1]), variant!("performance")]),
        frames(&[variant!("debug_enter"), variant!(-1), variant!(true), variant!("text")]),
    ] {
        for dialect in [GODOT_3, GODOT_4] {
            let mut pushed = Pushed::new(Limits::default());
            pushed.send(true, dialect, &values);
            pushed.send(false, dialect, &values);
            let seen = pushed.finish();
            assert_eq!((seen.values, seen.messages.len()), (2 * values.len(), 0), "{seen:?}");
        }
    }
}

#[test]
fn commands_of_the_editor_that_arrive_first_wait_for_the_game() {
    let mut pushed = Pushed::new(Limits::default());
    pushed.send(false, GODOT_3, &[variant!(["breakpoint", "res://a.gd", 3, true])]);
    assert_eq!(pushed.seen.shown, [""; 0]);
    pushed.send(true, GODOT_3, &output("hi"));
    let seen = pushed.finish();
    let expected = ["1 breakpoint(\"res://a.gd\", 3, true)", "4 output([ \"hi\", 0 ])"];
    assert_eq!(seen.shown, expected);
}

#[test]
fn texts_of_old_games_do_not_show_the_engine() {
    let mut pushed = Pushed::new(Limits::default());
    let texts: Vec<Variant> = (0..100).map(|number| format!("line {number}").into()).collect();
    pushed.send(true, GODOT_3, &message("output", &texts));
    pushed.send(true, GODOT_3, &message("performance", &[variant!([1.5, 2.5])]));
    let seen = pushed.finish();
    assert_eq!((seen.messages.len(), seen.values), (2, 0), "{seen:?}");
}

#[test]
fn frames_that_are_not_a_message_are_values() {
    let wrong: [Vec<Variant>; 8] = [
        vec![variant!("output"), variant!(1_i64 << 31), variant!("a"), variant!("b")],
        vec![variant!("output"), variant!(-1), variant!("a")],
        vec![variant!("output"), variant!("error"), variant!("a")],
        vec![variant!("output"), variant!(1.5), variant!([1])],
        vec![variant!("unknown"), variant!({"a": 1})],
        vec![variant!(1), variant!(2), variant!(["text", 0])],
        vec![variant!("_idle"), variant!(3), variant!(2.5)],
        vec![variant!(null)],
    ];
    for wrong in wrong {
        let mut pushed = Pushed::new(Limits::default());
        pushed.send(true, GODOT_3, &output("before"));
        // The text is not a command of the engine. Read as one, it would swallow other messages.
        pushed.send(true, GODOT_3, &[variant!(false)]);
        pushed.send(true, GODOT_3, &wrong);
        pushed.send(true, GODOT_3, &output("after"));
        pushed.send(true, GODOT_3, &message("my_own", &[variant!(3)]));
        let seen = pushed.finish();
        let commands: Vec<_> = seen.messages.iter().map(|it| &*it.command).collect();
        assert_eq!(commands, ["output", "output", "my_own"], "{wrong:?} {seen:?}");
        assert_eq!(seen.values, 1 + wrong.len(), "{wrong:?} {seen:?}");
    }
    // The connection ends within a message, whichever of its ends is the game.
    for is_game in [true, false] {
        let part = [variant!("output"), variant!(3), variant!("a"), variant!("b")];
        let mut pushed = Pushed::new(Limits::default());
        pushed.send(is_game, GODOT_3, &output("before"));
        pushed.send(is_game, GODOT_3, &part);
        let seen = pushed.finish();
        assert_eq!((seen.messages.len(), seen.values), (1, 4));
        assert_eq!(seen.shown[1..], ["4 \"output\"", "5 3", "6 \"a\"", "7 \"b\""]);
    }
    // A frame that is not a value ends a message, and so do bytes after a value.
    for bytes in [&[9, 9, 9, 9][..], &[2, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0], &[]] {
        let mut pushed = Pushed::new(Limits::default());
        pushed.send(true, GODOT_3, &output("before"));
        pushed.send(true, GODOT_3, &[variant!("output"), variant!(2), variant!("a")]);
        pushed.push(true, &[&(bytes.len() as u32).to_le_bytes()[..], bytes].concat());
        pushed.send(true, GODOT_3, &output("after"));
        let seen = pushed.finish();
        assert_eq!((seen.messages.len(), seen.values), (2, 4), "{seen:?}");
    }
}

#[test]
fn a_message_that_is_too_long_is_values() {
    let limits = Limits::default().with_flow_bytes(256 << 10);
    let mut pushed = Pushed::new(limits);
    pushed.send(true, GODOT_3, &output("before"));
    let many = vec![variant!(null); 5_000];
    pushed.send(true, GODOT_3, &message("message:many", &many));
    pushed.send(true, GODOT_3, &output("after"));
    let seen = pushed.finish();
    assert_eq!((seen.messages.len(), seen.values), (2, 5_002));
    let mut pushed = Pushed::new(Limits::default());
    pushed.send(true, GODOT_3, &output("before"));
    pushed.send(true, GODOT_3, &message("message:many", &many));
    let seen = pushed.finish();
    assert_eq!((seen.messages.len(), seen.values), (2, 0));
}

/// The memory for the frames of a long message is not kept for the next one.
#[test]
fn a_long_message_releases_its_memory() {
    let mut pushed = Pushed::new(Limits::default());
    pushed.send(true, GODOT_3, &output("before"));
    let before = pushed.follower.held_bytes();
    let mut most = 0;
    for value in message("message:many", &vec![variant!(null); 5_000]) {
        pushed.send(true, GODOT_3, &[value]);
        most = most.max(pushed.follower.held_bytes());
    }
    assert_eq!(pushed.seen.messages.len(), 2);
    let kept = pushed.follower.held_bytes() - before;
    assert!(most > 400_000 && kept < 150_000, "{most} {kept}");
}

#[test]
fn messages_are_read_on_their_own() {
    let bytes = |values: &[Variant]| {
        let mut bytes = Vec::new();
        for value in values {
            let value = encode(GODOT_3, value).unwrap();
            if !bytes.is_empty() {
                bytes.extend((value.len() as u32).to_le_bytes());
            }
            bytes.extend(value);
        }
        bytes
    };
    let whole = bytes(&message("output", &[variant!(["hi", 0]), variant!(2.5)]));
    let command = debugger::parse(GODOT_3, &whole).unwrap();
    assert_eq!((command.name, command.thread, command.arguments.len()), ("output", None, 2));
    assert_eq!(command.to_string(), "output([ \"hi\", 0 ], 2.5)");
    for len in 0..whole.len() {
        assert!(debugger::parse(GODOT_3, &whole[..len]).is_none(), "{len}");
    }
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << bit;
            if let Some(command) = debugger::parse(GODOT_3, &damaged) {
                assert_eq!(command.arguments.iter().count(), command.arguments.len());
                assert!(!command.to_string().contains(char::is_control));
            }
        }
    }
    let longer = [&whole[..], &[0; 4]].concat();
    assert!(debugger::parse(GODOT_3, &longer).is_none());
    let name = "a\nb\u{1b}";
    let escaped = bytes(&message(name, &[]));
    assert_eq!(debugger::parse(GODOT_3, &escaped).unwrap().to_string(), "a\\nb\\u001b()");
}
