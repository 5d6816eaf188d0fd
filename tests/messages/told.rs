//! The file `told.txt` shows which names messages have: with the whole project of the game, and with a
//! project that lacks something.
//!
//! A line stands for all messages that look alike, with their number. First come the lines of the whole
//! recording with the whole project, then only the lines that differ from them. A line may lack a name or
//! report a contradiction, but it never has a wrong name.

use crate::common::files::pcapng;
use crate::common::{corpus, written_down};
use crate::project::changed::files_in;
use gdwire::capture::{Capture, Messages};
use gdwire::follow::{Batch, Content, Event, Options};
use gdwire::multiplayer::Names;
use gdwire::project::Project;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

type Told = BTreeMap<String, usize>;

/// Counts the messages of a capture that look alike. A second capture may give evidence about names.
fn told(file: &[u8], files: &[(String, String)], evidence: Option<&[u8]>) -> Told {
    let project = Project::from_files(files.iter().map(|(name, text)| (name, text)));
    let names = Arc::new(Names::new().with_project(project));
    let options = || Options::new().with_names(names.clone());
    let known = evidence.map(|file| {
        let mut messages = Messages::with_options(file, options()).unwrap();
        while messages.next_event().is_some() {}
        messages.evidence()
    });
    let options = || match &known {
        Some(known) => options().with_evidence(known.clone()),
        None => options(),
    };
    let mut told = Told::new();
    let mut messages = Messages::with_options(file, options()).unwrap();
    while let Some(event) = messages.next_event() {
        line(&event).into_iter().for_each(|line| *told.entry(line).or_default() += 1);
    }
    // Batches have all names that their messages need.
    let mut held = 0;
    for size in [1, 1 << 14].into_iter().filter(|_| evidence.is_some()) {
        let mut in_batches = Told::new();
        let mut messages = Messages::with_options(file, options()).unwrap();
        loop {
            let mut batch = Batch::new(size);
            let is_more = messages.fill(&mut batch);
            let lines = batch.iter().filter_map(|event| line(&event));
            lines.for_each(|line| *in_batches.entry(line).or_default() += 1);
            held += batch.held_bytes();
            if !is_more {
                break;
            }
        }
        assert_eq!(in_batches, told);
    }
    told.insert("bytes in batches".to_owned(), held);
    told
}

/// A packet as text, without its values and without the numbers that count what is sent.
fn line(event: &Event<'_>) -> Option<String> {
    let Event::Message(message) = event else { return None };
    let Content::Packet(packet) = &message.content else { return None };
    let shown = packet.display(message.context()).to_string();
    let shown = shown.split(['(', '[', '{']).next().unwrap().to_owned();
    let shown: String = shown.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    let shown = shown.replace("99", "9").replace("99", "9");
    let mut properties = String::new();
    packet.each_property(message.context(), &mut |name, _| properties += &format!(" {name}"));
    let mut mismatches = Vec::new();
    packet.mismatches(message.context(), &mut |it| mismatches.push(format!("; but {it}")));
    assert_eq!(
        packet.mismatch(message.context()).map(|it| format!("; but {it}")).as_ref(),
        mismatches.first()
    );
    Some(format!("{shown}{properties}{}", mismatches.concat()))
}

/// The capture from a packet on, and no more than 250 packets of it.
fn rest(file: &[u8], from: usize) -> Vec<u8> {
    part(file, from, 250)
}

fn part(file: &[u8], from: usize, count: usize) -> Vec<u8> {
    let packets = Capture::new(file).unwrap().map(Result::unwrap);
    pcapng(&packets.skip(from).take(count).collect::<Vec<_>>())
}

/// The text of the files of a project in the corpus.
fn files_of(project: &str) -> Vec<(String, String)> {
    let folder = corpus("project").join(project);
    let mut files = Vec::new();
    files_in(&folder, &folder, &mut files);
    files.retain(|(name, _)| !name.ends_with(".uid"));
    files
}

/// Writes the lines that are not those of the whole project.
fn write_others(text: &mut String, title: &str, whole: &Told, told: &Told) {
    writeln!(text, "{title}").unwrap();
    for (line, count) in told.iter().filter(|(line, count)| whole.get(*line) != Some(count)) {
        writeln!(text, "  {count} {line}").unwrap();
    }
}

const RECORDINGS: [(&str, &str); 2] =
    [("captures/godot4-game-enet.pcapng", "arena"), ("project/made.pcap", "made")];

#[test]
fn recordings_tell_what_is_written_down() {
    let mut text = String::new();
    for (name, project) in RECORDINGS {
        let file = std::fs::read(corpus(name)).unwrap();
        let files = files_of(project);
        let start = rest(&file, 0);
        let whole = told(&start, &files, None);
        writeln!(text, "# {name}").unwrap();
        whole.iter().for_each(|(line, count)| writeln!(text, "{count} {line}").unwrap());
        let mut other = |title: String, told: &Told| write_others(&mut text, &title, &whole, told);
        for missing in 0..files.len() {
            let mut files = files.clone();
            let (name, _) = files.remove(missing);
            other(format!("without {name}"), &told(&start, &files, None));
        }
        // One more method, one more property, and another list of scenes.
        for (before, after) in [
            ("@rpc(", "@rpc func another(): pass\n\n@rpc("),
            ("@rpc", "# @rpc"),
            ("NodePath(\".:", "NodePath(\".:other_"),
            (
                "_spawnable_scenes = PackedStringArray(",
                "_spawnable_scenes = PackedStringArray(\"res://x.tscn\", ",
            ),
            ("replication_mode = 2", "replication_mode = 1"),
        ] {
            for changed in 0..files.len() {
                let mut files = files.clone();
                let (name, text) = &mut files[changed];
                if !text.contains(before) {
                    continue;
                }
                *text = text.replacen(before, after, 1);
                let title = format!("with {after:?} in {name}");
                other(title, &told(&start, &files, None));
            }
        }
    }
    written_down("tests/messages/told.txt", &text);
}

/// The same for recordings that begin in the middle of a game: `rest.txt`.
#[test]
fn the_rest_of_recordings_tells_what_is_written_down() {
    let mut text = String::new();
    for (name, project) in RECORDINGS {
        let (file, files) = (std::fs::read(corpus(name)).unwrap(), files_of(project));
        for (from, is_read_twice) in [(30, true), (90, false), (90, true), (200, true)] {
            let rest = rest(&file, from);
            let told = told(&rest, &files, is_read_twice.then_some(&rest));
            let title = format!("{name} from packet {from} on, read twice: {is_read_twice}");
            write_others(&mut text, &title, &Told::new(), &told);
        }
    }
    written_down("tests/messages/rest.txt", &text);
}

/// The same, with what the whole recording shows about a project in which places and scenes are others
/// than in the game: `contradicted.txt`.
#[test]
fn recordings_contradict_other_projects_as_written_down() {
    let mut all = String::new();
    for (name, project) in RECORDINGS {
        let file = std::fs::read(corpus(name)).unwrap();
        let (files, start) = (files_of(project), part(&file, 0, 100));
        let whole = told(&start, &files, Some(&start));
        writeln!(all, "# {name}").unwrap();
        whole.iter().for_each(|(line, count)| writeln!(all, "{count} {line}").unwrap());
        for (before, after) in [
            ("spawn_path = NodePath(\"", "spawn_path = NodePath(\"../"),
            ("type=\"MultiplayerSynchronizer\"", "type=\"Node\""),
            ("type=\"MultiplayerSpawner\"", "type=\"Node\""),
            ("replication_config = ", "other_config = "),
            ("instance=ExtResource(", "other=ExtResource("),
            ("script = ExtResource(", "other = ExtResource("),
            ("root_path = NodePath(\"", "root_path = NodePath(\"../"),
            ("/spawn = true", "/spawn = false"),
            ("NodePath(\".:", "NodePath(\".:other_"),
            ("@rpc", "# @rpc"),
            ("@rpc(", "@rpc func another(): pass\n\n@rpc("),
            ("spawn_function", "other_function"),
            (
                "_spawnable_scenes = PackedStringArray(",
                "_spawnable_scenes = PackedStringArray(\"res://x.tscn\", ",
            ),
            (
                "_spawnable_scenes = PackedStringArray(",
                "_spawnable_scenes = PackedStringArray(\"res://scenes/actors/rock.tscn\", ",
            ),
            (
                "_spawnable_scenes = PackedStringArray(",
                "_spawnable_scenes = PackedStringArray(\"res://scenes/actors/wall.tscn\", ",
            ),
            (
                "_spawnable_scenes = PackedStringArray(",
                "_spawnable_scenes = PackedStringArray(\"res://actors/wisp.tscn\", ",
            ),
            (
                "_spawnable_scenes = PackedStringArray(",
                "_spawnable_scenes = PackedStringArray(\"res://actors/player.tscn\", ",
            ),
        ] {
            for changed in 0..files.len() {
                let mut files = files.clone();
                let (name, text) = &mut files[changed];
                let places = text.match_indices(before).map(|(at, _)| at).take(2);
                let places: Vec<_> = places.collect();
                let (name, text) = (name.clone(), text.clone());
                for (number, at) in (1..).zip(places) {
                    let end = &text[at + before.len()..];
                    files[changed].1 = format!("{}{after}{end}", &text[..at]);
                    let title = format!("with {after:?} in {name}, place {number}");
                    let told = told(&start, &files, Some(&start));
                    write_others(&mut all, &title, &whole, &told);
                }
            }
        }
    }
    written_down("tests/messages/contradicted.txt", &all);
}
