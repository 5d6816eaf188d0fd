//! Edits of saves: what no edit names keeps its bytes, and the file stays a save of the same sort.

use crate::cli::run::{Run, directory, frame, gdwire};
use crate::common::{corpus, unhex};
use gdwire::edit::{Edit, Problem, ValuePath};
use gdwire::save::{EncryptionKey, UnpackOptions, unpack};
use gdwire::{Dialect, Variant, parse, text, variant};
use serde_json::Value as Json;
use std::fs;
use std::path::PathBuf;

const PASSWORD: &str = "correct horse";

/// The frames of a file with values: the bytes of each value.
fn frames(mut content: &[u8]) -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    while let Some((len, rest)) = content.split_first_chunk() {
        let (value, rest) = rest.split_at(u32::from_le_bytes(*len) as usize);
        frames.push(value.to_vec());
        content = rest;
    }
    frames
}

fn unpacked(file: &[u8]) -> Vec<u8> {
    unpack(file, UnpackOptions::new().with_key(&EncryptionKey::from_password(PASSWORD))).unwrap()
}

/// The number of the value that has a tick, as `decode --index` shows it.
fn number_of_tick(path: &str, secret: &[&str]) -> usize {
    let run = gdwire(&[&["decode", "--index", path], secret].concat(), b"");
    let line = run.lines().into_iter().find(|line| line.contains("{ \"tick\": ")).unwrap();
    line.trim_start_matches('[').split(']').next().unwrap().parse().unwrap()
}

fn copied(name: &str, test: &str) -> PathBuf {
    let path = directory(test).join(name);
    fs::copy(corpus("saves").join(name), &path).unwrap();
    path
}

fn assert_good(run: &Run) {
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
fn recorded_saves_are_edited_in_place() {
    for (engine, dialect) in [("godot3", Dialect::GODOT_3), ("godot4", Dialect::GODOT_4)] {
        for way in ["fastlz", "deflate", "zstd", "gzip", "pass"] {
            let path = copied(&format!("{engine}-{way}.sav"), &format!("edits-{engine}-{way}"));
            let old = fs::read(&path).unwrap();
            let path = path.to_str().unwrap();
            let secret = if way == "pass" { &["--password", PASSWORD][..] } else { &[] };
            let number = number_of_tick(path, secret);
            let edits = [
                "--set",
                &format!("[{number}].tick=7"),
                "--set",
                &format!("[{number}].players[0].name=\"Zoë\""),
                "--rename",
                &format!("[{number}].players[0].id=number"),
                "--delete",
                &format!("[{number}].players[0].position"),
            ];
            let run = gdwire(&[&["convert", path, "-o", path], secret, &edits].concat(), b"");
            assert_good(&run);
            let new = fs::read(path).unwrap();
            // Compressed or encrypted as before: magic bytes, mode and block size, or a new vector.
            let head = if way == "pass" { 4 } else { 12 };
            assert_eq!(new[..head], old[..head], "{engine} {way}");
            assert_eq!(new.len() % 16, if way == "pass" { old.len() % 16 } else { new.len() % 16 });
            if way == "pass" && engine == "godot4" {
                assert_ne!(new[28..44], old[28..44], "the vector is new");
            }
            let (old, new) = (frames(&unpacked(&old)), frames(&unpacked(&new)));
            assert_eq!(old.len(), new.len());
            for (index, (old, new)) in old.iter().zip(&new).enumerate() {
                if index != number {
                    assert!(old == new, "{engine} {way} {index}");
                    continue;
                }
                let mut expected = Variant::from(parse(dialect, old).unwrap());
                *expected.pointer_mut("/tick").unwrap() = variant!(7);
                let player = expected.pointer_mut("/players/0").unwrap();
                let player = player.as_dictionary_mut().unwrap();
                let entries = player.iter().filter(|(key, _)| key.as_str() != Some("position"));
                *player = entries
                    .map(|(key, value)| match key.as_str() {
                        Some("id") => (variant!("number"), value.clone()),
                        Some("name") => (key.clone(), variant!("Zoë")),
                        _ => (key.clone(), value.clone()),
                    })
                    .collect();
                assert!(Variant::from(parse(dialect, new).unwrap()) == expected, "{engine} {way}");
                // The padding of node paths is not zero in these files, and stays.
                let tail = &old[old.len() - 100..];
                assert!(new.ends_with(tail), "{engine} {way}");
            }
        }
    }
}

/// A file with these values, one a frame.
fn file_of(literals: &[&str], test: &str) -> String {
    let path = directory(test).join("save");
    let values = literals.iter().map(|it| text::parse(it).unwrap());
    let content: Vec<u8> =
        values.flat_map(|it| frame(&gdwire::encode(Dialect::GODOT_4, &it).unwrap())).collect();
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

fn shown(path: &str) -> String {
    gdwire(&["decode", "--dialect", "godot4", path], b"").text().to_owned()
}

#[test]
fn edits_of_every_sort_of_container() {
    let path = file_of(
        &[
            "{ \"player\": { \"hp\": 87, \"speed\": 2.5, \"a.b\": 1 }, 7: \"seven\", Vector2i(1, 2): [] }",
            "[1, [2, 3], 4]",
            "Object(Node,\"name\":\"x\",\"level\":3)",
            "Dictionary[StringName, int]({ &\"gold\": 1 })",
            "\"removed\"",
            "[[1]]",
        ],
        "edits-sorts",
    );
    let run = gdwire(
        &[
            "convert",
            "--set",
            "player.hp=100",
            "--delete",
            "player[\"a.b\"]",
            "--rename",
            "player.speed=pace",
            "--add",
            "player.items=[\"sword\"]",
            "--set",
            "[0][7]=\"VII\"",
            "--add",
            "[0][Vector2i(1, 2)][0]=true",
            "--delete",
            "[1][1][0]",
            "--delete",
            "[1][2]",
            "--add",
            "[1][3]=5",
            "--set",
            "level=4",
            "--rename",
            "[2].name=title",
            "--add",
            "[2].new=null",
            "--add",
            "[3].wood=2",
            "--rename",
            "[3].gold=silver",
            "--delete",
            "[4]",
            "--add",
            "[5][1]=3",
            "--add",
            "[5][0][1]=2",
            &path,
            "-o",
            &path,
        ],
        b"",
    );
    assert_good(&run);
    let expected = "{ \"player\": { \"hp\": 100, \"pace\": 2.5, \"items\": [\"sword\"] }, 7: \"VII\", \
                    Vector2i(1, 2): [true] }\n[1, [3], 5]\nObject(Node,\"title\":\"x\",\"level\":4,\
                    \"new\":null)\nDictionary[StringName, int]({ &\"silver\": 1, &\"wood\": 2 })\n\
                    [[1, 2], 3]\n";
    assert_eq!(shown(&path), expected);
}

#[test]
fn what_cannot_be_edited_is_an_error_and_the_file_stays() {
    let path = file_of(
        &[
            "{ \"hp\": 87, \"speed\": 2.5, \"at\": Vector2(1, 2) }",
            "{ \"hp\": 1 }",
            "Array[int]([1])",
            "Dictionary[String, int]({ \"gold\": 1 })",
        ],
        "edits-errors",
    );
    let before = fs::read(&path).unwrap();
    for (edits, problem) in [
        (
            &["--set", "speed=3"][..],
            "the old value is of type float, the new one of type int; write 3.0; --change-types allows another type",
        ),
        (
            &["--set", "hp=3"],
            "2 values have this path; put the number of one of them before it: [0], [1]",
        ),
        // Two values have the key, and one has room for it.
        (
            &["--add", "hp=3"],
            "3 values have this path; put the number of one of them before it: [0], [1], [3]",
        ),
        (
            &["--set", "[0].mp=3"],
            "the Dictionary has no mp; it has hp, speed, at; --add adds a key, or an element at the end of an array",
        ),
        (&["--set", "mp=3"], "the path leads nowhere in any of the 4 values"),
        (
            &["--set", r#"["m\\p"]="x""#],
            r#": ["m\\p"]="x": the path leads nowhere in any of the 4 values"#,
        ),
        (&["--set", "\u{1b}m=3"], r": \u001bm=3: the path leads nowhere"),
        (&["--set", "[7].hp=3"], "there is no value [7]: the values are [0] to [3]"),
        (
            &["--set", "[0].at.x=3.0"],
            "x leads into a value of type Vector2, whose parts cannot be edited; replace it as a whole",
        ),
        (
            &["--set", "at.x=3.0"],
            "x leads into a value of type Vector2, whose parts cannot be edited; replace it as a whole",
        ),
        (&["--set", "[0].hp=1", "--delete", "[0].hp"], "another edit changes the same part"),
        (&["--set", "[0]={}", "--delete", "[0].hp"], "another edit changes the same part"),
        (&["--rename", "[0].hp=speed"], "this key exists already"),
        (&["--rename", "[2][0]=x"], "an element or a whole value has no key"),
        (
            &["--set", "[2][0]=\"x\"", "--change-types"],
            "the container is declared for values of type int, and the new one is of type String",
        ),
        (
            &["--set", "[3].gold=\"x\"", "--change-types"],
            "the container is declared for values of type int, and the new one is of type String",
        ),
        (
            &["--add", "[3][7]=1"],
            "the container is declared for values of type String, and the new one is of type int",
        ),
        (&["--set", "[2]=[1]"], "the old value is of type Array[int], the new one of type Array"),
        (
            &["--set", "[3]=Dictionary[String, float]({})"],
            "the old value is of type Dictionary[String, int], the new one of type \
             Dictionary[String, float]",
        ),
        (&["--set", "[2][4]=1"], "the Array has no [4]: it has 1 element, [0]"),
        (&["--add", "[2][4]=1"], "elements are added at the end, which is [1]"),
        (&["--add", "[0].hp=1"], "this key exists already; --set replaces its value"),
        (&["--set", "[0].hp=Bob"], "the new value is not a literal"),
        (&["--set", "[0].hp"], "an equals sign and a value are missing after the path"),
        (&["--set", "[0].hp=1", "--to", "godot3"], "cannot be used with"),
        (&["--set", "[0].hp=1", "--kind", "Int"], "cannot be used with"),
    ] {
        let run = gdwire(&[&["convert", &path, "-o", &path], edits].concat(), b"");
        assert_eq!((run.code, run.stdout.len()), (2, 0), "{edits:?} {}", run.stderr);
        assert!(run.stderr.contains(problem), "{edits:?} {}", run.stderr);
        assert_eq!(fs::read(&path).unwrap(), before, "{edits:?}");
    }
    let types = ["convert", &path, "-o", &path, "--set", "speed=3", "--change-types"];
    assert_good(&gdwire(&types, b""));
    assert!(shown(&path).starts_with("{ \"hp\": 87, \"speed\": 3, "));
}

#[test]
fn arrays_of_objects_may_contain_null() {
    let path = file_of(&["Array[Node]([null])"], "edits-null");
    assert_good(&gdwire(&["convert", &path, "-o", &path, "--add", "[0][1]=null"], b""));
    assert_eq!(shown(&path), "Array[Node]([null, null])\n");
}

#[test]
fn damaged_files_and_captures_are_not_edited() {
    let path = file_of(&["{ \"hp\": 87 }", "1"], "edits-damaged");
    let mut content = fs::read(&path).unwrap();
    content.truncate(content.len() - 2);
    fs::write(&path, &content).unwrap();
    let run = gdwire(&["convert", &path, "-o", &path, "--set", "hp=1"], b"");
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("not edited, as not all of it can be read"), "{}", run.stderr);
    assert_eq!(fs::read(&path).unwrap(), content);

    let capture = corpus("captures/godot4-udp.pcapng");
    let run = gdwire(&["convert", capture.to_str().unwrap(), "--set", "hp=1"], b"");
    assert!(run.stderr.contains("a capture cannot be edited"), "{}", run.stderr);
    assert_eq!((run.code, run.stdout.len()), (2, 0));
}

/// Lines and raw values stay as they are, and so do unusual bytes beside the edited value.
#[test]
fn every_framing_is_kept() {
    let hp = |hp| gdwire::encode(Dialect::GODOT_4, &variant!({ "hp": (hp) })).unwrap();
    let hex = |bytes: &[u8]| crate::common::hex(bytes);
    let wide = "02000100 0700000000000000";
    let text = format!("{wide}\r\n{}\n01000000 05000000\n", hex(&hp(87)).to_uppercase());
    let expected = format!("{wide}\r\n{}\n01000000 05000000\n", hex(&hp(1)));
    let run = gdwire(&["convert", "--set", "hp=1", "-"], text.as_bytes());
    assert_good(&run);
    assert_eq!(run.text(), expected);
    let run = gdwire(&["convert", "--delete", "[1]", "--set", "[2]=false", "-"], text.as_bytes());
    assert_eq!(run.text(), format!("{wide}\r\n0100000000000000\n"));

    let raw = [unhex(&wide.replace(' ', "")), hp(87), unhex("0100000005000000")].concat();
    let run =
        gdwire(&["convert", "--input", "raw", "--dialect", "godot4", "--set", "hp=1", "-"], &raw);
    assert_good(&run);
    assert_eq!(
        run.stdout,
        [unhex(&wide.replace(' ', "")), hp(1), unhex("0100000005000000")].concat()
    );

    let base64 = data_encoding::BASE64.encode(&hp(87));
    let run = gdwire(&["convert", "--input", "base64", "--set", "hp=1", "-"], base64.as_bytes());
    assert_eq!(run.text(), data_encoding::BASE64.encode(&hp(1)));
}

/// A part of a value that is not edited may have bytes that no engine writes.
#[test]
fn bytes_beside_an_edit_are_kept() {
    // A wide int, a shared dictionary, and a key that occurs twice.
    let entries = "0400000002000000687000000200010057000000000000000400000001000000620000000100000007000000\
                   0400000002000000687000000200000001000000";
    let value = unhex(&format!("1b00000003000080{entries}"));
    let run = gdwire(&["convert", "--dialect", "godot4", "--set", "hp=2", "-"], &frame(&value));
    assert_good(&run);
    let mut expected = value.clone();
    let last = expected.len() - 4;
    expected[last] = 2;
    assert_eq!(run.stdout, frame(&expected));
    let run = gdwire(&["convert", "--dialect", "godot4", "--delete", "hp", "-"], &frame(&value));
    assert_eq!(
        run.stdout,
        frame(&unhex(
            "1b00000001000080040000000100000062000000\
                                         0100000007000000"
        ))
    );
}

#[test]
fn values_are_numbered_as_edits_name_them() {
    let path = file_of(&["1", "{ \"hp\": 87 }", "\"x\""], "edits-index");
    let run = gdwire(&["decode", "--index", "--kind", "Dictionary", &path], b"");
    assert_eq!(run.text(), "[1]  { \"hp\": 87 }\n");
    let run = gdwire(&["decode", "--index", "--format", "ndjson", &path], b"");
    let numbers = run.lines().into_iter().map(|it| serde_json::from_str::<Json>(it).unwrap());
    assert_eq!(numbers.map(|it| it["index"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 1, 2]);
    // A line that is no value has a number, too.
    let run = gdwire(&["decode", "--index", "-"], b"0200000001000000\nxy\n0200000002000000\n");
    assert_eq!(run.lines()[2], "[2]  2");
}

#[test]
fn paths_and_errors_show_what_was_written() {
    for text in ["player.hp", "[19].player.items[2]", "[1][2].x", "a[\"last name\"]", "[\"a.b\"].c"]
    {
        assert_eq!(text.parse::<ValuePath>().unwrap().to_string(), text);
    }
    let error = Edit::set("player.hp").unwrap_err();
    assert_eq!((error.edit(), error.problem()), ("player.hp", &Problem::NoEquals));
}
