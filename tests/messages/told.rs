//! The file `told.txt` shows which names messages have: with the whole project of the game, with a project
//! that lacks something, and for a recording that begins in the middle of a game.
//!
//! A line stands for all messages that look alike, with their number. First come the lines of the whole
//! recording with the whole project, then only the lines that differ from them. A line may lack a name or
//! report a contradiction, but it never has a wrong name.

use crate::common::files::pcapng;
use crate::common::{corpus, written_down};
use crate::project::changed::files_in;
use gdwire::capture::{Capture, Messages};
use gdwire::follow::{Content, Event, Options};
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
    let mut options = Options::new().with_names(names.clone());
    if let Some(file) = evidence {
        let mut messages = Messages::with_options(file, options).unwrap();
        while messages.next_event().is_some() {}
        options = Options::new().with_names(names).with_evidence(messages.evidence());
    }
    let mut messages = Messages::with_options(file, options).unwrap();
    let mut told = Told::new();
    while let Some(event) = messages.next_event() {
        let Event::Message(message) = event else { continue };
        let Content::Packet(packet) = &message.content else { continue };
        let shown = packet.display(message.context()).to_string();
        // Without values, and without the numbers that count what is sent.
        let shown = shown.split(['(', '[', '{']).next().unwrap().to_owned();
        let shown: String =
            shown.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
        let shown = shown.replace("99", "9").replace("99", "9");
        let mismatch = packet.mismatch(message.context());
        let mismatch = mismatch.map_or_else(String::new, |it| format!("; but {it}"));
        *told.entry(format!("{shown}{mismatch}")).or_default() += 1;
    }
    told
}

/// The capture from a packet on, and no more than 250 packets of it.
fn rest(file: &[u8], from: usize) -> Vec<u8> {
    let packets = Capture::new(file).unwrap().map(Result::unwrap);
    pcapng(&packets.skip(from).take(250).collect::<Vec<_>>())
}

#[test]
fn recordings_tell_what_is_written_down() {
    let mut text = String::new();
    for (name, project) in
        [("captures/godot4-game-enet.pcapng", "arena"), ("project/made.pcap", "made")]
    {
        let file = std::fs::read(corpus(name)).unwrap();
        let folder = corpus("project").join(project);
        let mut files = Vec::new();
        files_in(&folder, &folder, &mut files);
        files.retain(|(name, _)| !name.ends_with(".uid"));
        let start = rest(&file, 0);
        let whole = told(&start, &files, None);
        writeln!(text, "# {name}").unwrap();
        whole.iter().for_each(|(line, count)| writeln!(text, "{count} {line}").unwrap());
        let mut other = |title: String, told: &Told| {
            writeln!(text, "{title}").unwrap();
            for (line, count) in told.iter().filter(|(line, count)| whole.get(*line) != Some(count))
            {
                writeln!(text, "  {count} {line}").unwrap();
            }
        };
        for from in [30, 90, 200] {
            let rest = rest(&file, from);
            other(format!("from packet {from} on"), &told(&rest, &files, Some(&rest)));
        }
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
