//! The output file of `-o`.

use crate::common::corpus;
use crate::run::{directory, frame, gdwire};
use std::fs;

const NIL: &[u8] = &[0; 4];

#[test]
fn a_capture_in_a_directory_that_is_read_is_not_written() {
    let directory = directory("output-in-input");
    let original = corpus("captures/godot3-udp.pcapng");
    let capture = directory.join("a.pcapng");
    fs::copy(&original, &capture).unwrap();
    let arguments = ["convert", "--recursive", "-o", capture.to_str().unwrap()];
    let run = gdwire(&[&arguments[..], &[directory.to_str().unwrap()]].concat(), b"");
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("this file is an input too; name another file with -o"),
        "{}",
        run.stderr
    );
    assert!(fs::read(&capture).unwrap() == fs::read(original).unwrap());
    assert_eq!(fs::read_dir(directory).unwrap().count(), 1);
}

#[test]
fn another_name_of_an_input_can_be_written() {
    let directory = directory("hard-link");
    let (one, other) = (directory.join("one"), directory.join("other"));
    fs::write(&one, frame(NIL)).unwrap();
    fs::hard_link(&one, &other).unwrap();
    let (from, to) = (one.to_str().unwrap(), other.to_str().unwrap());
    let run = gdwire(&["convert", "--output", "raw", "-o", to, from], b"");
    assert_eq!((run.code, &*run.stderr), (0, ""));
    assert_eq!((fs::read(one).unwrap(), fs::read(other).unwrap()), (frame(NIL), NIL.to_vec()));
    assert_eq!(fs::read_dir(directory).unwrap().count(), 2);
}

#[test]
fn a_file_stays_as_it_is_if_an_input_cannot_be_read() {
    let directory = directory("kept");
    let kept = directory.join("keep.dat");
    fs::write(&kept, "kept").unwrap();
    for command in ["encode", "convert"] {
        let run = gdwire(&[command, "-o", kept.to_str().unwrap(), "no/such/file", "-"], b"");
        assert_eq!((run.code, fs::read(&kept).unwrap()), (2, b"kept".to_vec()), "{command}");
        assert!(run.stderr.contains("the output file was not written"), "{}", run.stderr);
    }
    assert_eq!(fs::read_dir(directory).unwrap().count(), 1);
}

#[test]
fn a_file_stays_as_it_is_if_there_are_no_values() {
    let directory = directory("no-values");
    let kept = directory.join("keep.dat");
    fs::write(&kept, "kept").unwrap();
    let calls = corpus("captures/godot3-rpc.pcapng");
    let values = corpus("captures/godot3-udp.pcapng");
    for (options, capture, code) in [
        (&[][..], calls, 1),
        (&["--kind", "Signal"], values, 0),
        (&["--input", "hex"], "-".into(), 0),
    ] {
        let files = ["-o", kept.to_str().unwrap(), capture.to_str().unwrap()];
        let run = gdwire(&[&["convert"], options, &files].concat(), b"");
        assert_eq!(
            (run.code, fs::read(&kept).unwrap()),
            (code, b"kept".to_vec()),
            "{}",
            run.stderr
        );
        let note = "gdwire: the output file was not written, as there are no values\n";
        assert!(run.stderr.ends_with(note), "{}", run.stderr);
    }
    assert_eq!(fs::read_dir(directory).unwrap().count(), 1);
}

#[test]
fn an_existing_file_is_replaced() {
    let path = directory("replaced").join("values");
    fs::write(&path, "something longer than the value").unwrap();
    let run = gdwire(&["encode", "-o", path.to_str().unwrap(), "-"], b"null");
    assert_eq!((run.code, fs::read(path).unwrap()), (0, frame(NIL)));
}

#[cfg(unix)]
#[test]
fn devices_and_links_are_written_through() {
    let run = gdwire(&["encode", "-o", "/dev/null", "-"], b"null");
    assert_eq!((run.code, &*run.stderr), (0, ""));
    let directory = directory("linked");
    let (file, link) = (directory.join("file"), directory.join("link"));
    fs::write(&file, "").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    assert_eq!(gdwire(&["encode", "-o", link.to_str().unwrap(), "-"], b"null").code, 0);
    assert_eq!(fs::read(file).unwrap(), frame(NIL));
    assert!(fs::symlink_metadata(link).unwrap().is_symlink());
}
