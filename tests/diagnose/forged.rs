//! Findings in games with one mistake each.

use crate::diagnose::game::{
    Client, Game, Sender, Server, call, call_path, confirm_path, despawn, simplify_path, spawn,
    sync, value,
};
use crate::diagnose::of_kind;
use crate::diagnose::wire::{enet_reliable, udp};
use gdwire::Dialect;
use gdwire::diagnose::{Diagnosis, FindingKind, Severity};
use gdwire::follow::{Message, Options, Place};
use gdwire::math::Vector3;
use gdwire::multiplayer::{Methods, Names};
use gdwire::packet::Time;
use gdwire::stats::{Member, NodeName};
use std::sync::Arc;

/// The peer id of a client that is not in the capture.
const OTHER_CLIENT: u32 = 0x1234_5678;

/// The only finding of a kind: its severity, its count, its frames, its node as text.
fn only(diagnosis: &Diagnosis, kind: FindingKind) -> (Severity, u64, [u64; 2], String) {
    let findings = of_kind(diagnosis, kind);
    let [finding] = &findings[..] else { panic!("{:?}", diagnosis.findings()) };
    let node = finding.node.map(|node| node.to_string()).unwrap_or_default();
    (finding.severity, finding.count, [finding.first_frame, finding.last_frame], node)
}

/// The kinds of the findings that are more than notes.
fn problems(diagnosis: &Diagnosis) -> Vec<FindingKind> {
    let findings = diagnosis.findings();
    let problems = findings.iter().filter(|finding| finding.severity > Severity::Info);
    problems.map(|finding| finding.kind).collect()
}

#[test]
fn a_good_game_has_no_findings() {
    let mut game = Game::new();
    game.announce();
    game.send(Server, &spawn(1, 2, "hero"));
    for time in 0..100 {
        game.send(Server, &sync(time, 2, &value(f64::from(time))));
        game.send(Client, &call_path("Main/World/hero", 0));
        game.send(Server, &call(2, 1, &[&value("hi")]));
    }
    game.send(Server, &despawn(1));
    let diagnosis = game.diagnosis();
    assert_eq!(diagnosis.findings(), []);
    assert_eq!(diagnosis.worst(), None);
    assert_eq!(diagnosis.connections().len(), 1);
}

#[test]
fn ids_that_were_not_announced_are_an_error_if_the_start_was_captured() {
    for (mut game, severity) in [(Game::new(), Severity::Error), (Game::late(), Severity::Info)] {
        game.announce();
        for _ in 0..20 {
            game.send(Server, &call(2, 0, &[]));
        }
        let first = game.send(Client, &call(9, 0, &[]));
        let last = game.send(Client, &call(8, 0, &[]));
        let diagnosis = game.diagnosis();
        let found = only(&diagnosis, FindingKind::UnknownNode);
        assert_eq!(found, (severity, 2, [first, last], String::new()));
        let [finding] = &of_kind(&diagnosis, FindingKind::UnknownNode)[..] else { panic!() };
        let is_late = finding.text.ends_with(
            "with a node id that was announced before the capture began, or in packets that it lacks",
        );
        assert_eq!(is_late, severity == Severity::Info, "{}", finding.text);
    }
    // The missing packets may have announced them.
    let mut game = Game::new();
    game.announce();
    let lost = game.send(Server, &simplify_path(3, "Main/Chat"));
    game.send(Server, &call(3, 0, &[]));
    for _ in 0..100 {
        game.send(Server, &call(2, 0, &[]));
    }
    game.packets.remove(lost as usize - 1);
    let diagnosis = game.diagnosis();
    assert_eq!(only(&diagnosis, FindingKind::UnknownNode).0, Severity::Info);
    assert_eq!(problems(&diagnosis), [FindingKind::ReliableMissing]);
}

/// The server of Godot 3 passes on what a client sends to all, also to a client that has just joined.
#[test]
fn what_is_passed_on_before_its_sender_announces_the_node_is_no_error() {
    let packet = |source: u32, command: &[u8]| {
        [&source.to_le_bytes(), &0_u32.to_le_bytes(), command].concat()
    };
    for (from, source, severity) in [
        (Server, OTHER_CLIENT, Severity::Warning),
        (Server, 1, Severity::Error),
        (Client, 1_234, Severity::Error),
    ] {
        let mut game = Game::new();
        let mut send = |from: Sender, sequence: u16, message: &[u8]| {
            let (src, dst) = game.ends(from);
            game.packets.push(udp(src, dst, &enet_reliable(0, 1, sequence, message)));
            game.packets.len() as u64
        };
        send(Server, 1, &packet(1, b"\x02\x01\0\0\0Main\0"));
        for sequence in 2..20 {
            send(Server, sequence, &packet(1, b"\0\x01\0\0\0fire\0\0"));
        }
        let sequence = if from == Server { 20 } else { 1 };
        let frame = send(from, sequence, &packet(source, b"\0\x02\0\0\0fire\0\0"));
        let diagnosis = game.diagnosis_with(Options::new().with_dialect(Dialect::GODOT_3));
        let found = only(&diagnosis, FindingKind::UnknownNode);
        assert_eq!(found, (severity, 1, [frame; 2], String::new()));
        let [finding] = &of_kind(&diagnosis, FindingKind::UnknownNode)[..] else { panic!() };
        let is_passed_on = finding.text
            == "1 packet passed on from another client that had not announced the node id yet";
        assert_eq!(is_passed_on, severity == Severity::Warning, "{}", finding.text);
    }
}

#[test]
fn a_confirmation_says_that_methods_differ() {
    let mut game = Game::new();
    game.announce();
    game.send(Server, &simplify_path(3, "Main/Chat"));
    let frame = game.send(Client, &confirm_path(3, false));
    let diagnosis = game.diagnosis();
    let found = only(&diagnosis, FindingKind::MethodsDiffer);
    assert_eq!(found, (Severity::Error, 1, [frame; 2], "Main/Chat".to_owned()));
    assert_eq!(diagnosis.worst(), Some(Severity::Error));
}

/// A receiver confirms announcements in their order, and none of a node that it does not have.
#[test]
fn an_announcement_that_the_receiver_passed_over_was_never_confirmed() {
    let with = |mut game: Game, last: &[u8]| {
        game.announce();
        let frame = game.send(Server, &simplify_path(3, "Main/Chat"));
        game.send(Server, &simplify_path(4, "Main/Score"));
        game.send(Client, last);
        (game, frame)
    };
    let (mut game, frame) = with(Game::new(), &confirm_path(4, true));
    let diagnosis = game.diagnosis();
    let found = only(&diagnosis, FindingKind::UnconfirmedNode);
    assert_eq!(found, (Severity::Info, 1, [frame; 2], "Main/Chat".to_owned()));
    let [finding] = &diagnosis.findings()[..] else { panic!("{:?}", diagnosis.findings()) };
    assert_eq!(finding.text, "1 announcement of Main/Chat that the receiver never confirmed");

    // It may still confirm the last ones.
    let is_silent =
        |game: &Game| of_kind(&game.diagnosis(), FindingKind::UnconfirmedNode).is_empty();
    assert!(is_silent(&with(Game::new(), &confirm_path(3, true)).0));
    // It may have confirmed them before the capture began, or in a message that is missing, that was cut,
    // that cannot be read or that does not say which node it means.
    assert!(is_silent(&with(Game::late(), &confirm_path(4, true)).0));
    let (mut with_other, _) = with(Game::new(), &confirm_path(4, true));
    with_other.send(Client, &confirm_path(9, true));
    assert!(is_silent(&with_other));
    let (mut with_unread, _) = with(Game::new(), &confirm_path(4, true));
    for _ in 0..30 {
        with_unread.send(Client, &call_path("Main/World", 0));
    }
    assert!(!is_silent(&with_unread));
    with_unread.send(Client, &[0xff; 30]);
    assert!(is_silent(&with_unread));
    let (mut with_cut, _) = with(Game::new(), &confirm_path(4, true));
    with_cut.send(Client, &call_path("Main/World", 0));
    assert!(!is_silent(&with_cut));
    with_cut.packets.last_mut().unwrap().pop();
    assert!(is_silent(&with_cut));
    for sender in [Server, Client] {
        let (mut lossy, _) = with(Game::new(), &confirm_path(4, true));
        lossy.send(sender, &call_path("Main/World", 0));
        let lost = lossy.packets.len() - 1;
        for _ in 0..100 {
            lossy.send(sender, &call_path("Main/World", 0));
        }
        assert!(!is_silent(&lossy));
        lossy.packets.remove(lost);
        assert!(is_silent(&lossy));
    }
    // A node that was added again is announced again.
    game.send(Server, &simplify_path(5, "Main/Chat"));
    game.send(Client, &confirm_path(5, true));
    assert!(is_silent(&game));
}

/// The user may have selected only the messages of one end.
#[test]
fn a_confirmation_counts_if_it_is_not_selected() {
    let mut game = Game::new();
    game.announce();
    game.send(Server, &simplify_path(3, "Main/Chat"));
    game.send(Server, &simplify_path(4, "Main/Score"));
    let mut is_found = |id: u32| {
        game.send(Client, &confirm_path(id, true));
        let is_of_server =
            |message: &Message<'_>| message.origin.client != Some(message.origin.from);
        let diagnosis = game.diagnosis_of(Options::new(), Place::new, is_of_server);
        !of_kind(&diagnosis, FindingKind::UnconfirmedNode).is_empty()
    };
    assert_eq!([4, 3].map(&mut is_found), [true, false]);
}

/// A receiver that still sends after ten seconds has received everything.
#[test]
fn an_announcement_that_is_not_confirmed_for_long_was_never_confirmed() {
    for (seconds, is_found) in [(9, false), (10, true)] {
        let mut game = Game::new();
        game.announce();
        let frame = game.send(Server, &simplify_path(3, "Main/Chat"));
        let last = game.send(Client, &call_path("Main/World", 0));
        let time =
            |at: u64| Time::from_nanos(if at == last { seconds * 1_000_000_000 } else { 0 }, 6);
        let diagnosis =
            game.diagnosis_of(Options::new(), |at| Place::new(at).with_time(time(at)), |_| true);
        let findings = of_kind(&diagnosis, FindingKind::UnconfirmedNode);
        assert_eq!(findings.len(), usize::from(is_found));
        assert!(findings.iter().all(|it| (it.first_frame, it.last_frame) == (frame, frame)));
    }
}

#[test]
fn a_method_number_may_be_out_of_range() {
    let mut game = Game::new();
    game.announce();
    game.send(Server, &call(2, 1, &[]));
    let frame = game.send(Server, &call(2, 2, &[]));
    let with = |list: &str| {
        let names = Names::from(Methods::parse(list).unwrap());
        game.diagnosis_with(Options::new().with_names(Arc::new(names)))
    };
    let found = only(&with("Main/World: fire, reload"), FindingKind::MethodOutOfRange);
    assert_eq!(found, (Severity::Error, 1, [frame; 2], "Main/World".to_owned()));
    // The digest shows that this list is of another version, so calls are not compared with it.
    assert_eq!(problems(&with("Main/World: fire")), [FindingKind::OtherVersion]);
    assert_eq!(problems(&game.diagnosis()), []);
}

#[test]
fn a_state_of_a_node_that_another_peer_spawned_is_foreign() {
    let mut game = Game::new();
    game.announce();
    // A state may overtake the spawn.
    game.send(Server, &sync(1, 2, &value(1.0)));
    game.send(Server, &spawn(1, 2, "hero"));
    game.send(Server, &sync(2, 2, &value(2.0)));
    let first = game.send(Client, &sync(1, 2, &value(9.0)));
    let last = game.send(Client, &sync(2, 2, &value(9.0)));
    game.send(Server, &despawn(1));
    // A state may also be late.
    game.send(Server, &sync(3, 2, &value(3.0)));
    let diagnosis = game.diagnosis();
    let found = only(&diagnosis, FindingKind::ForeignState);
    assert_eq!(found, (Severity::Error, 2, [first, last], "net#2".to_owned()));
    assert_eq!(problems(&diagnosis), [FindingKind::ForeignState]);
}

/// The engine sends states of a node whose spawn it could not send.
#[test]
fn a_state_before_another_peer_spawned_a_node_with_its_number_is_of_an_unknown_node() {
    let mut game = Game::new();
    game.announce();
    let first = game.send(Server, &sync(1, 2, &value(1.0)));
    game.send(Client, &spawn(1, 2, "hero"));
    let last = game.send(Server, &sync(2, 2, &value(2.0)));
    let found = only(&game.diagnosis(), FindingKind::UnknownNode);
    assert_eq!((found.1, found.2), (2, [first, last]));
}

#[test]
fn a_packet_with_states_of_several_unknown_nodes_counts_once() {
    const PATH_ID: u32 = 1 << 31;
    let mut game = Game::late();
    game.announce();
    let mut states = sync(1, PATH_ID | 8, &value(1.0));
    states.extend_from_slice(&sync(1, PATH_ID | 9, &value(2.0))[3..]);
    let frame = game.send(Server, &states);
    let found = only(&game.diagnosis(), FindingKind::UnknownNode);
    assert_eq!((found.1, found.2), (1, [frame, frame]));
}

#[test]
fn calls_before_the_spawn_and_after_the_despawn_are_found() {
    let mut game = Game::new();
    game.announce();
    let early = game.send(Server, &call_path("Main/World/Actors/hero", 0));
    // Another node with the same name, elsewhere.
    game.send(Server, &call_path("Other/hero", 0));
    game.send(Server, &spawn(1, 2, "hero"));
    game.send(Server, &call_path("Main/World/Actors/hero", 0));
    game.send(Client, &call_path("Main/World/Actors/hero", 0));
    game.send(Server, &despawn(1));
    let late = game.send(Client, &call_path("Main/World/Actors/hero", 0));
    game.send(Client, &call_path("Other/hero", 0));
    game.send(Server, &spawn(3, 4, "hero"));
    game.send(Client, &call_path("Main/World/Actors/hero", 0));
    let diagnosis = game.diagnosis();
    let path = || "Main/World/Actors/hero".to_owned();
    let found = only(&diagnosis, FindingKind::CallAfterDespawn);
    assert_eq!(found, (Severity::Warning, 1, [late; 2], path()));

    // The first call is to that path; the call to the other path came later.
    let found = only(&diagnosis, FindingKind::CallBeforeSpawn);
    assert_eq!((found.0, found.2[0], found.3), (Severity::Warning, early, path()));
}

#[test]
fn large_and_repeated_states_are_found() {
    for (len, found) in
        [(1_000, None), (1_100, Some(Severity::Info)), (1_360, Some(Severity::Warning))]
    {
        let mut game = Game::new();
        game.announce();
        game.send(Server, &spawn(1, 2, "hero"));
        let frame = game.send(Server, &sync(1, 2, &value("x".repeat(len).as_str())));
        let diagnosis = game.diagnosis();
        let findings = of_kind(&diagnosis, FindingKind::LargeState);
        assert_eq!(findings.first().map(|finding| finding.severity), found, "{len}");
        if found.is_some() {
            assert_eq!(findings[0].last_frame, frame);
            assert!(findings[0].text.contains(&format!("{} bytes", len + 8)), "{findings:?}");
        }
    }

    let mut game = Game::new();
    game.announce();
    game.send(Server, &spawn(1, 2, "still"));
    game.send(Server, &spawn(3, 4, "busy"));
    for time in 0..50 {
        game.send(Server, &sync(time, 2, &value(f64::from(time / 25))));
        game.send(Server, &sync(time, 4, &value(f64::from(time))));
    }
    let found = only(&game.diagnosis(), FindingKind::UnchangedState);
    assert_eq!((found.0, found.1), (Severity::Info, 48));
    assert_eq!(found.3, "still (spawned by Main/World/Spawner)");
}

#[test]
fn one_method_that_is_most_of_the_traffic_is_a_flood() {
    for (calls, is_found) in [(499, false), (500, true)] {
        let mut game = Game::new();
        game.announce();
        for _ in 0..calls {
            game.send(Client, &call_path("Main/World", 3));
        }
        let diagnosis = game.diagnosis();
        let findings = of_kind(&diagnosis, FindingKind::Flood);
        assert_eq!(findings.len(), usize::from(is_found));
        if let [finding] = &findings[..] {
            assert_eq!((finding.severity, finding.count), (Severity::Warning, calls));
            assert_eq!(finding.node, Some(NodeName::Path("Main/World")));
            assert_eq!(finding.member, Some(Member::MethodNumber { index: 3, is_own: false }));
        }
    }
}

/// The share of the calls is that of the messages, and the share of their bytes that of all bytes.
#[test]
fn a_flood_is_a_share_of_the_messages_and_of_their_bytes() {
    let mut game = Game::new();
    game.announce();
    for time in 0..600 {
        game.send(Client, &call_path("Main/World", 3));
        game.send(Server, &sync(time, 2, &[]));
    }
    let diagnosis = game.diagnosis();
    let [finding] = &of_kind(&diagnosis, FindingKind::Flood)[..] else { panic!() };
    let call = call_path("Main/World", 3).len();
    let bytes = 600 * call;
    let share = 100 * call / (call + sync(0, 2, &[]).len());
    assert!((51..99).contains(&share));
    let text = format!(
        "600 calls of Main/World.#3, {bytes} bytes: 50% of all messages, {share}% of their bytes"
    );
    assert_eq!(finding.text, text);
}

#[test]
fn values_that_the_engine_would_not_send_are_found() {
    let nan = value(Vector3 { x: 1.0_f32, y: f32::NAN, z: 0.0 });
    let good = value(Vector3 { x: 1.0_f32, y: 2.0, z: 3.0 });
    // A float may be infinite: a game may use that as a limit.
    let infinity = value(f64::INFINITY);
    // An array of ints with a string in it, and one that is right.
    let header = [0x0001_001c_u32, 2, 1].map(u32::to_le_bytes);
    let wrong = [header.as_flattened(), &value("hi")].concat();
    let right = [header.as_flattened(), &value(7)].concat();
    // A Node without properties.
    let object = [&[24, 0, 0, 0, 4, 0, 0, 0][..], b"Node", &[0; 4]].concat();
    for (argument, kind) in [
        (&nan, Some(FindingKind::NotFinite)),
        (&good, None),
        (&infinity, None),
        (&wrong, Some(FindingKind::WrongElementType)),
        (&right, None),
        (&object, Some(FindingKind::ObjectArgument)),
    ] {
        let mut game = Game::new();
        game.announce();
        let frame = game.send(Server, &call(2, 1, &[argument]));
        game.send(Server, &call(2, 1, &[]));
        let diagnosis = game.diagnosis();
        assert_eq!(problems(&diagnosis), kind.into_iter().collect::<Vec<_>>(), "{argument:?}");
        if let Some(kind) = kind {
            let finding = &of_kind(&diagnosis, kind)[0];
            assert_eq!((finding.count, finding.first_frame), (1, frame));
        }
    }
}

#[test]
fn messages_that_cannot_be_read_are_counted() {
    let mut game = Game::new();
    game.announce();
    for _ in 0..30 {
        game.send(Server, &call(2, 0, &[]));
    }
    let first = game.send(Client, &[0xff; 30]);
    let last = game.send(Client, &[0x0f; 30]);
    let diagnosis = game.diagnosis();
    let found = only(&diagnosis, FindingKind::UnreadablePayload);
    assert_eq!(found, (Severity::Warning, 2, [first, last], String::new()));
}

#[test]
fn an_end_that_does_not_answer_has_timed_out() {
    let mut game = Game::new();
    game.announce();
    let (src, dst) = game.ends(Server);
    for time in 0..5 {
        let mut datagram = enet_reliable(0, 0, 3, &call(2, 0, &[]));
        // Each repetition has another sent time, unless the network duplicated the datagram.
        datagram[3] = time;
        game.packets.push(udp(src, dst, &datagram));
    }
    let diagnosis = game.diagnosis();
    assert_eq!(only(&diagnosis, FindingKind::TimedOut).0, Severity::Warning);
    assert_eq!(only(&diagnosis, FindingKind::Resent).1, 4);
}

/// With any number of names, the findings and their memory are bounded, and everything beyond the
/// limit is reported.
#[test]
fn many_long_names_are_bounded() {
    let mut game = Game::new();
    game.announce();
    for number in 0..60_000_u32 {
        let name = format!("{number:01000}");
        game.send(Server, &spawn(2 * number + 10, 2 * number + 11, &name));
    }
    let diagnosis = game.diagnosis();
    let found = only(&diagnosis, FindingKind::LimitReached);
    assert_eq!(found.0, Severity::Warning);
    assert!(found.1 > 20_000, "{found:?}");

    let mut game = Game::new();
    for number in 0..5_000_u32 {
        game.send(Server, &simplify_path(number + 1, &format!("Main/Node{number}")));
        game.send(Client, &confirm_path(number + 1, false));
    }
    let diagnosis = game.diagnosis();
    let differ = of_kind(&diagnosis, FindingKind::MethodsDiffer);
    assert_eq!(differ.iter().map(|finding| finding.count).sum::<u64>(), 5_000);
    assert!(differ.len() <= 4_097 && differ.iter().any(|finding| finding.node.is_none()));
}

/// Nodes whose names differ only in numbers, and that send the same, have one finding.
#[test]
fn nodes_that_are_alike_have_one_finding() {
    let mut game = Game::new();
    game.announce();
    let names = ["bomb", "bomb2", "bomb3", "bomb4", "bomb7", "rock", "bomb8"];
    for (id, name) in (1..).zip(names) {
        game.send(Server, &spawn(id * 2, id * 2 + 1, name));
        for time in 0..30 {
            // The last one has a state of another type.
            let state = if name == "bomb8" { value("on") } else { value(1.5) };
            game.send(Server, &sync(time, id * 2 + 1, &state));
        }
    }
    let diagnosis = game.diagnosis();
    let findings = of_kind(&diagnosis, FindingKind::UnchangedState);
    let found: Vec<_> = findings.iter().map(|it| (it.nodes.len(), it.count, &*it.text)).collect();
    let of = "(spawned by Main/World/Spawner)";
    let [one, alone, bombs] = [
        format!("29 of 30 sync states of bomb8 {of} repeat the state before (97%)"),
        format!("29 of 30 sync states of rock {of} repeat the state before (97%)"),
        format!(
            "145 of 150 sync states of bomb {of}, bomb2 {of}, bomb3 {of} and 2 more nodes repeat the \
             state before (97%)"
        ),
    ];
    let mut expected = vec![(5, 145, &*bombs), (1, 29, &*one), (1, 29, &*alone)];
    expected.sort_by_key(|(count, ..)| std::cmp::Reverse(*count));
    assert_eq!(found, expected);
    let [first, ..] = &findings[..] else { panic!() };
    assert_eq!(first.node, first.nodes.first().copied());
}
