//! Compressed and encrypted saves, which every command that reads values accepts.

use crate::cli::run::{Run, directory, frame, gdwire};
use crate::common::{corpus, recorded_values, unhex};
use gdwire::save::{
    Compression, Encryption, EncryptionKey, UnpackOptions, compress, encrypt, unpack,
};
use std::fs;
use std::path::Path;

/// The password of the recorded files.
const PASSWORD: &str = "correct horse";

const ENGINES: [&str; 2] = ["godot3", "godot4"];
const WAYS: [&str; 6] = ["fastlz", "deflate", "zstd", "gzip", "pass", "key"];

/// The key of the recorded files that have a key, in hex.
fn key() -> String {
    let digits = crate::common::hex(&<md5::Md5 as md5::Digest>::digest(PASSWORD));
    crate::common::hex(digits.as_bytes())
}

fn recorded(engine: &str, way: &str) -> Vec<u8> {
    fs::read(corpus("saves").join(format!("{engine}-{way}.sav"))).unwrap()
}

fn content(file: &[u8]) -> Vec<u8> {
    unpack(file, UnpackOptions::new().with_key(&EncryptionKey::from_password(PASSWORD))).unwrap()
}

/// Checks that two runs print the same, without a problem.
fn assert_same(run: &Run, plain: &Run, name: &str) {
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
    assert!(run.stdout == plain.stdout && !run.stdout.is_empty(), "{name}");
}

#[test]
fn recorded_saves_are_read_as_their_content() {
    for engine in ENGINES {
        for way in WAYS {
            let path = corpus("saves").join(format!("{engine}-{way}.sav"));
            let (path, file) = (path.to_str().unwrap(), recorded(engine, way));
            let content = content(&file);
            let key = key();
            let secret = match way {
                "pass" => &["--password", PASSWORD][..],
                "key" => &["--key", &key],
                _ => &[],
            };
            for options in [
                &["decode"][..],
                &["decode", "--format", "ndjson"],
                &["decode", "--input", "framed"],
                &["stats", "--format", "json", "--input", "auto"],
                &["convert", "--to", "godot4", "--lossy", "--quiet", "--kind", "Dictionary"],
            ] {
                let plain = gdwire(&[options, &["-"]].concat(), &content);
                let run = gdwire(&[options, secret, &["-"]].concat(), &file);
                assert_same(&run, &plain, path);
                let run = gdwire(&[options, secret, &[path]].concat(), b"");
                if options[0] != "stats" {
                    assert_same(&run, &plain, path);
                }
            }
        }
    }
}

#[test]
fn every_input_may_be_in_a_container() {
    let values: Vec<_> = recorded_values().into_iter().take(20).map(|(_, it)| it.hex).collect();
    let bytes: Vec<_> = values.iter().map(|hex| unhex(hex)).collect();
    let base64 = bytes.iter().map(|bytes| data_encoding::BASE64.encode(bytes) + "\n");
    let capture = fs::read(corpus("captures/godot4-udp.pcapng")).unwrap();
    let key = EncryptionKey::from_password(PASSWORD);
    let vector = [7; 16];
    for (input, content) in [
        ("raw", bytes.concat()),
        ("framed", bytes.iter().flat_map(|bytes| frame(bytes)).collect()),
        ("hex", (values.join("\n") + "\n").into_bytes()),
        ("base64", base64.collect::<String>().into_bytes()),
        ("auto", capture),
    ] {
        let compressed = compress(&content, Compression::Zstandard).unwrap();
        let encrypted = encrypt(&content, &key, Encryption::Godot3);
        let plain = gdwire(&["decode", "--input", input, "-"], &content);
        for file in [
            encrypt(&compressed, &key, Encryption::Godot4 { vector }),
            compress(&encrypted, Compression::FastLz).unwrap(),
            compressed,
            encrypted,
        ] {
            let run = gdwire(&["decode", "--input", input, "--password", PASSWORD, "-"], &file);
            assert_eq!((run.code, plain.code), (0, 0), "{input} {}", run.stderr);
            assert!(run.stdout == plain.stdout && run.lines().len() >= 20, "{input}");
        }
    }
}

/// A game that packs encoded values itself may forget the lengths before them.
#[test]
fn values_of_a_save_without_lengths_are_reported() {
    let raw = unhex("12000000010000000400000002000000687000000200000057000000");
    for (content, is_framed) in [(frame(&raw), true), (raw, false)] {
        let save = compress(&content, Compression::Zstandard).unwrap();
        let run = gdwire(&["decode", "-"], &save);
        let warning = "gdwire: stdin: the values in this save have no lengths before them, as \
                       store_var writes them; no engine's get_var reads them\n";
        assert_eq!((run.code, run.text()), (0, "{ \"hp\": 87 }\n"));
        assert_eq!(run.stderr, if is_framed { "" } else { warning });
        // Values that are not in a save may be from anywhere.
        assert_eq!(gdwire(&["decode", "-"], &content).stderr, "");
    }
}

#[test]
fn a_password_or_key_is_given_in_three_ways() {
    let folder = directory("saves-password");
    let path = folder.join("password");
    let file = recorded("godot4", "pass");
    let plain = gdwire(&["decode", "-"], &content(&file));
    let marked = "\u{feff}correct horse\r\n";
    for line in ["correct horse", "correct horse\n", "correct horse\r\nanother", marked] {
        fs::write(&path, line).unwrap();
        let options = ["decode", "--password-file", path.to_str().unwrap(), "-"];
        assert_same(&gdwire(&options, &file), &plain, line);
    }
    let stdin = [b"correct horse\n", &file[..]].concat();
    assert_same(&gdwire(&["decode", "--password-file", "-", "-"], &stdin), &plain, "stdin");
    assert_same(&gdwire(&["decode", "--key", &key().to_uppercase(), "-"], &file), &plain, "key");
}

/// Errors name the problem, but no secret.
#[test]
fn wrong_and_missing_secrets_are_reported() {
    let path = corpus("saves/godot3-pass.sav");
    let path = path.to_str().unwrap();
    let folder = directory("saves-wrong");
    let latin = folder.join("latin");
    fs::write(&latin, b"\xe9secret\n").unwrap();
    let empty = folder.join("empty");
    fs::write(&empty, "\nsecret\n").unwrap();
    let wrong_key = key().replace('3', "4");
    let short = &wrong_key[1..];
    let letters = "secret".repeat(11);
    for (options, problem) in [
        (&[][..], "the file is encrypted; give its password with --password or --password-file"),
        (&["--password", "secret"], "godot3-pass.sav: the password or key is wrong, or the file"),
        (&["--password", ""], "the password or key is wrong"),
        (&["--key", &wrong_key], "the password or key is wrong"),
        (&["--key", short], "--key and --new-key need 64 hex digits"),
        (&["--key", &letters[..64]], "--key and --new-key need 64 hex digits"),
        #[cfg(unix)]
        (&["--password-file", "no/such/file"], "no/such/file: No such file or directory"),
        (&["--password-file", latin.to_str().unwrap()], "latin: stream did not contain valid"),
        (
            &["--password-file", empty.to_str().unwrap()],
            "empty: the first line, the password, is empty",
        ),
        #[cfg(unix)]
        (&["--password-file", "/dev/zero"], "/dev/zero: the first line is too long for a password"),
        (&["--password", "secret", "--key", short], "cannot be used with"),
    ] {
        for command in ["decode", "stats", "convert"] {
            let run = gdwire(&[&[command], options, &[path]].concat(), b"");
            assert!(run.stderr.contains(problem), "{options:?} {}", run.stderr);
            assert_eq!(run.code, 2, "{options:?}");
            assert!(!run.stderr.contains("secret") && !run.stderr.contains(short));
        }
    }
    let plain = corpus("captures/godot3-file.bin");
    let run = gdwire(&["decode", "--password", "secret", plain.to_str().unwrap()], b"");
    let note = "gdwire: the password or key was not used, as no input is encrypted\n";
    assert_eq!((run.code, run.stderr.as_str()), (0, note));
}

#[test]
fn other_commands_name_those_that_read_saves() {
    let path = corpus("saves/godot3-zstd.sav");
    let path = path.to_str().unwrap();
    let out = directory("saves-others").join("out");
    let out = out.to_str().unwrap();
    for options in [
        &["diagnose", path][..],
        &["report", "-o", out, path],
        &["annotate", "-o", out, path],
        &["encode", path],
        &["decode", "--input", "capture", path],
    ] {
        let run = gdwire(options, b"");
        assert_ne!(run.code, 0, "{options:?}");
        let look = "this looks like a compressed Godot save; 'gdwire decode' shows its values";
        assert!(run.stderr.contains(look), "{options:?} {}", run.stderr);
        assert!(!Path::new(out).exists());
    }
    for command in ["diagnose", "report", "annotate"] {
        let run = gdwire(&[command, "--password", "secret", path], b"");
        assert!(run.stderr.contains("unexpected argument '--password'"), "{}", run.stderr);
    }
    // In a directory, only captures are read.
    let folder = corpus("saves");
    let run = gdwire(&["decode", "--recursive", folder.to_str().unwrap()], b"");
    assert!(run.stderr.contains("no captures in this directory"), "{}", run.stderr);
}

#[test]
fn a_save_that_cannot_be_unpacked_is_an_error() {
    let path = corpus("saves/godot4-deflate.sav");
    let run = gdwire(&["decode", "--follow", path.to_str().unwrap()], b"");
    let problem = "--follow does not read compressed or encrypted saves";
    assert!(run.code == 2 && run.stderr.contains(problem), "{}", run.stderr);

    let file = recorded("godot4", "deflate");
    let run = gdwire(&["decode", "-"], &file[..1000]);
    let problem = "gdwire: stdin: the save cannot be unpacked: byte 52: the file is cut off: ";
    assert!(run.code == 2 && run.stderr.starts_with(problem), "{}", run.stderr);
    let run = gdwire(&["stats", "--format", "json", "-"], &file[..1000]);
    assert!(run.text().contains("save that cannot be unpacked"), "{}", run.text());

    let bomb = compress(&vec![0; 1 << 20], Compression::Zstandard).unwrap();
    let run = gdwire(&["decode", "--max-unpacked", "64K", "-"], &bomb);
    let problem = "1048576 bytes, more than the limit of 65536; --max-unpacked sets another";
    assert!(run.code == 2 && run.stderr.contains(problem), "{}", run.stderr);
}

/// Values that all engines have, as literals and as the content of a save.
const VALUES: &str = "{ \"hp\": 87 }\n[ 1, 2.5, \"text\" ]\nnull\n";

/// Runs a command that must succeed, and returns what it wrote.
fn written(arguments: &[&str], stdin: &[u8]) -> Vec<u8> {
    let run = gdwire(arguments, stdin);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{arguments:?}");
    run.stdout
}

#[test]
fn encode_writes_saves() {
    let keys = [("--password", PASSWORD.to_owned()), ("--key", key())];
    for dialect in ["godot3", "godot4", "pandemonium4", "pandemonium5"] {
        for framing in ["framed", "raw"] {
            let options = ["encode", "--dialect", dialect, "--output", framing, "-"];
            let plain = written(&options, VALUES.as_bytes());
            for (number, mode) in (0_u8..).zip(["fastlz", "deflate", "zstd", "gzip"]) {
                let compressed = [&options[..], &["--compress", mode]].concat();
                let file = written(&compressed, VALUES.as_bytes());
                assert_eq!(file[..8], [&b"GCPF"[..], &[number, 0, 0, 0]].concat());
                assert!(content(&file) == plain, "{dialect} {mode}");
            }
            for (option, secret) in &keys {
                let secret = ["--encrypt", option, secret];
                let file = written(&[&options[..], &secret].concat(), VALUES.as_bytes());
                // The two layouts differ in the length of their headers.
                let header = if dialect == "godot4" { 44 } else { 32 };
                assert_eq!(file.len(), header + plain.len().next_multiple_of(16));
                assert!(content(&file) == plain, "{dialect} {option}");
                let again = written(&[&options[..], &secret].concat(), VALUES.as_bytes());
                assert_eq!(again == file, dialect != "godot4", "the vector is random");
                let both = [&options[..], &secret, &["--compress", "zstd"]].concat();
                let both = written(&both, VALUES.as_bytes());
                assert!(both.starts_with(b"GDEC") && content(&both) == plain);
            }
        }
    }
}

#[test]
fn convert_writes_saves_for_another_engine() {
    let source = recorded("godot3", "pass");
    let plain = written(&["convert", "--to", "godot4", "-"], &content(&source));
    let options = ["convert", "--to", "godot4", "--encrypt", "--password", PASSWORD, "-"];
    let file = written(&options, &source);
    assert_eq!(file.len(), 44 + plain.len().next_multiple_of(16));
    assert!(content(&file) == plain);
    // Without --encrypt, the output is plain.
    let options = ["convert", "--to", "godot4", "--password", PASSWORD, "-"];
    assert!(written(&options, &source) == plain);
    // The key of the input is also that of the output if the input is not encrypted.
    let options = ["convert", "--encrypt", "--password", PASSWORD, "-"];
    let same = written(&["convert", "-"], &content(&source));
    let file = written(&options, &content(&source));
    assert!(file.len().is_multiple_of(16) && content(&file) == same);

    let folder = directory("saves-convert");
    let path = folder.join("new");
    fs::write(&path, "pässwörd\n").unwrap();
    for (secret, key) in [
        (["--new-password", "x"], EncryptionKey::from_password("x")),
        (["--new-password-file", path.to_str().unwrap()], EncryptionKey::from_password("pässwörd")),
        (["--new-key", &"4a".repeat(32)], EncryptionKey::new([0x4a; 32])),
    ] {
        let old = ["convert", "--password", PASSWORD, "--encrypt", "--compress", "gzip", "-"];
        let file = written(&[&old[..], &secret].concat(), &source);
        let content = unpack(&file, UnpackOptions::new().with_key(&key)).unwrap();
        assert!(content == same, "{secret:?}");
    }
    // The first value of a capture decides the layout, with any number of threads.
    let capture = corpus("captures/godot4-udp.pcapng");
    for threads in ["1", "2"] {
        let options = ["convert", "--threads", threads, "--encrypt", "--password", PASSWORD];
        let file = written(&[&options[..], &[capture.to_str().unwrap()]].concat(), b"");
        assert!(file.len() % 16 == 12 && !content(&file).is_empty());
    }
}

#[test]
fn options_that_would_be_ignored_are_errors() {
    for (options, problem) in [
        (&["encode", "--encrypt"][..], "--encrypt needs --password, --password-file or --key"),
        (&["convert", "--encrypt"], "--encrypt needs --password, --password-file or --key"),
        (&["encode", "--compress", "zstd", "--output", "hex"], "need --output framed or raw"),
        (&["convert", "--encrypt", "--new-password", "x", "--output", "base64"], "need --output"),
        (&["encode", "--password", "x"], "--encrypt"),
        (&["encode", "--key", "x"], "--encrypt"),
        (&["convert", "--new-password", "x"], "--encrypt"),
        (&["convert", "--new-key", "x"], "--encrypt"),
        (&["encode", "--compress", "brotli"], "[possible values: fastlz, deflate, zstd, gzip]"),
    ] {
        let run = gdwire(&[options, &["-"]].concat(), b"0");
        assert!(run.stderr.contains(problem), "{options:?} {}", run.stderr);
        assert_eq!((run.code, run.stdout.len()), (2, 0), "{options:?}");
    }
    let big = content(&recorded("godot3", "zstd"));
    let big = [&big[..], &big].concat();
    let run = gdwire(&["convert", "--compress", "zstd", "--max-unpacked", "64K", "-"], &big);
    let problem = "cannot write the output: the content of the save has more than 65536 bytes";
    assert!(run.code == 2 && run.stderr.contains(problem), "{}", run.stderr);
}

/// A terminal on which a shell script runs. `script` is a part of util-linux.
///
/// Some shells end when Ctrl-C ends a command that they wait for, so this one handles Ctrl-C by
/// doing nothing.
#[cfg(unix)]
fn on_terminal(script: &str, question: &str, answer: &str) -> String {
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};

    let mut child = Command::new("script")
        .env("SHELL", "/bin/sh")
        .args(["-q", "-e", "-c", &format!("trap : INT; {script}"), "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut shown = Vec::new();
    let mut byte = [0];
    while !shown.ends_with(question.as_bytes()) && output.read(&mut byte).unwrap() > 0 {
        shown.extend(byte);
    }
    assert!(shown.ends_with(question.as_bytes()), "{}", String::from_utf8_lossy(&shown));
    input.write_all(answer.as_bytes()).unwrap();
    output.read_to_end(&mut shown).unwrap();
    child.wait().unwrap();
    String::from_utf8(shown).unwrap()
}

#[cfg(unix)]
#[test]
fn a_missing_password_is_asked_for_on_a_terminal() {
    let path = corpus("saves/godot4-pass.sav");
    let path = path.to_str().unwrap();
    let program = crate::cli::run::command(&[]).get_program().to_str().unwrap().to_owned();
    let script =
        format!("{program} decode --color never --limit 1 {path}; echo \"exit $?\"; stty -a");
    let question = format!("Password of {path}: ");

    let shown = on_terminal(&script, &question, "correct horse\n");
    assert!(shown.contains(":rest\")\r\nexit 0\r\n"), "{shown}");
    assert!(!shown.contains("horse") && shown.contains(" echo "), "{shown}");

    let shown = on_terminal(&script, &question, "wrong horse\n");
    assert!(shown.contains("the password or key is wrong") && shown.contains("exit 2"), "{shown}");

    // Ctrl-C, and Ctrl-D.
    for (end, code) in [("\x03", 130), ("\x04", 2)] {
        let shown = on_terminal(&script, &question, end);
        assert!(shown.contains("no password was entered"), "{shown}");
        let exit = format!("exit {code}\r\n");
        assert!(shown.contains(&exit) && shown.contains(" echo "), "{shown}");
    }
}
