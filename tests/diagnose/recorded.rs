//! The findings in recordings.

use crate::common::corpus;
use crate::common::files::pcapng;
use crate::diagnose::of_kind;
use gdwire::capture::{Capture, Messages};
use gdwire::diagnose::{Diagnosis, FindingKind, Severity};
use gdwire::follow::Options;
use std::collections::BTreeSet;
use std::fs;

fn diagnosis(file: &[u8]) -> Diagnosis {
    let mut messages = Messages::with_options(file, Options::new().with_measures()).unwrap();
    let mut diagnosis = Diagnosis::new();
    while let Some(event) = messages.next_event() {
        diagnosis.event(&event);
    }
    diagnosis
}

fn with_frames(file: &[u8], stays: impl Fn(u64) -> bool) -> Vec<u8> {
    let packets: Vec<_> = Capture::new(file).unwrap().map(Result::unwrap).collect();
    pcapng(&packets.into_iter().filter(|packet| stays(packet.frame)).collect::<Vec<_>>())
}

fn of_recording(name: &str) -> Diagnosis {
    diagnosis(&fs::read(corpus("captures").join(name)).unwrap())
}

/// Games that work have only notes. The exceptions are real: some send large datagrams, and some
/// were played over a network that loses packets.
#[test]
fn recordings_of_good_games_have_no_problems() {
    let mut with_notes = BTreeSet::new();
    let mut files = 0;
    for entry in fs::read_dir(corpus("captures")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if !name.contains(".pcap") {
            continue;
        }
        files += 1;
        let diagnosis = diagnosis(&fs::read(&path).unwrap());
        let mut problems = Vec::new();
        for finding in diagnosis.findings() {
            if finding.severity > Severity::Info {
                problems.push(finding.kind);
            } else {
                with_notes.insert(finding.kind);
            }
        }
        let expected: &[FindingKind] = match &*name {
            "pandemonium5-udp.pcapng" => &[],
            name if name.contains("-udp") => &[FindingKind::LargeDatagrams],
            name if name.contains("lossy-client") => {
                &[FindingKind::Resent, FindingKind::UnreliableMissing, FindingKind::OutOfOrder]
            }
            name if name.contains("lossy-server") => &[FindingKind::Resent],
            _ => &[],
        };
        assert_eq!(problems, expected, "{name}: {:?}", diagnosis.findings());
    }
    assert!(files > 40);
    assert!(with_notes.contains(&FindingKind::UnchangedState), "{with_notes:?}");
}

/// The log of the relay lists the lost datagrams: see `corpus/README.md`.
#[test]
fn a_lossy_network_is_measured() {
    let diagnosis = of_recording("godot4-game-enet-lossy-client-side.pcapng");
    let missing = of_kind(&diagnosis, FindingKind::UnreliableMissing);
    let connection = &diagnosis.connections()[0];
    let summary = connection.summary();
    let (low, _) = summary.flow().ends();
    assert_eq!(low.port(), 7790);
    let sides = [gdwire::net::Side::First, gdwire::net::Side::Second];
    let [server, client] = sides.map(|side| summary.direction(side).missing.of_unreliable());
    assert_eq!(missing[0].count, server + client);
    assert!((15..=25).contains(&server), "{server}");
    let times = connection.measured(sides[1]).unwrap().round_trips.unwrap();
    // 15 to 40 ms in each direction.
    assert!(times.min >= 30_000 && times.p50 < 90_000, "{times:?}");
}

/// Without frames in the middle, bytes of a stream are missing. Without the first frames, the start
/// is not known, so unknown ids are not an error.
#[test]
fn missing_frames_are_reported() {
    let file = fs::read(corpus("captures/godot3-tcp.pcapng")).unwrap();
    let cut = with_frames(&file, |frame| frame != 30);
    assert_eq!(of_kind(&diagnosis(&cut), FindingKind::ReliableMissing)[0].count, 1);

    let file = fs::read(corpus("captures/godot4-game-enet.pcapng")).unwrap();
    let late = diagnosis(&with_frames(&file, |frame| frame > 200));
    assert_eq!(of_kind(&late, FindingKind::UnknownNode)[0].severity, Severity::Info);
    assert!(late.worst() < Some(Severity::Error), "{:?}", late.findings());
}

/// The last frame of the server has only its header in the capture. `decode` reports that, too.
#[test]
fn a_stream_that_ends_within_a_message_is_noted() {
    let diagnosis = of_recording("godot4-game-websocket.pcapng");
    let [finding] = &of_kind(&diagnosis, FindingKind::UnfinishedMessage)[..] else { panic!() };
    assert_eq!((finding.count, finding.severity), (1, Severity::Info));
    assert_eq!(finding.first_frame, 1395);
}

/// The page of the documentation has every kind, with the cause that the library gives.
#[test]
fn the_page_has_every_kind() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/docs/diagnose.rs"));
    let page = page.unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("//! | `")).collect();
    let names = rows.iter().filter_map(|row| row.split('`').nth(1));
    let mut names: Vec<&str> = names.collect();
    names.retain(|name| FindingKind::ALL.iter().any(|kind| kind.name() == *name));
    let kinds: Vec<&str> = FindingKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(names, kinds, "the rows of src/docs/diagnose.rs, and the kinds");
    for kind in FindingKind::ALL {
        let cause = kind.usual_cause();
        assert!(page.contains(cause), "src/docs/diagnose.rs lacks the cause of {kind}: {cause}");
        let is_word = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        assert!(kind.name().bytes().all(is_word));
    }
}
