//! What the tool does when it is asked for something else.

use crate::common::corpus;
use crate::run::{command, directory, gdwire, on_capture};
use std::fs;
use std::io::Read;
use std::process::Stdio;

#[test]
fn wrong_usage_ends_with_2_and_says_what_is_right() {
    for (arguments, hint) in [
        (&["decode"][..], "FILE"),
        (&["convert", "--to", "auto", "-"], "is unknown; there are: godot3, godot4"),
        (&["decode", "--dialect", "godot9", "-"], "is unknown; there are: auto, godot3"),
        (&["encode", "--dialect", "auto", "-"], "there are: godot3"),
        (&["decode", "--kind", "Vektor", "-"], "Vector2"),
        (&["decode", "--format", "xml", "-"], "ndjson"),
        (&["decode", "--format", "native", "--hex", "-"], "text or ndjson"),
        (&["decode", "--quiet", "--verbose", "-"], "--verbose"),
        (&["destroy"], "Usage"),
    ] {
        let run = gdwire(arguments, b"");
        assert_eq!((run.code, run.stdout.len()), (2, 0), "{arguments:?}");
        assert!(run.stderr.contains(hint), "{}", run.stderr);
    }
}

#[test]
fn a_missing_file_is_reported_and_the_others_are_read() {
    let capture = corpus("captures/godot3-udp.pcapng");
    for command in ["decode", "convert"] {
        let run = gdwire(&[command, "no/such/file", capture.to_str().unwrap()], b"");
        assert_eq!(run.code, 2);
        assert!(run.stderr.starts_with("gdwire: no/such/file: "), "{}", run.stderr);
        assert!(!run.stdout.is_empty());
    }
    assert_eq!(gdwire(&["encode", "no/such/file"], b"").code, 2);
    assert_eq!(gdwire(&["decode", "--input", "capture", "-"], b"no capture").code, 2);
}

#[test]
fn a_closed_pipe_is_no_error() {
    for (arguments, name) in [
        (&["decode"][..], "godot3-udp.pcapng"),
        (&["decode", "--format", "ndjson"], "godot4-rpc.pcapng"),
        (&["stats"], "godot4-rpc.pcapng"),
    ] {
        let files = vec![corpus("captures").join(name); 50];
        let mut child = command(arguments)
            .args(files)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut start = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut start).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn names_of_files_do_nothing_to_a_terminal() {
    let directory = directory("hostile-names");
    let capture = fs::read(corpus("captures/godot3-udp-usec.pcap")).unwrap();
    fs::write(directory.join("a\u{1b}[2J\n.pcap"), &capture[..capture.len() - 10]).unwrap();
    let run = gdwire(&["stats", "--recursive", directory.to_str().unwrap()], b"");
    assert_eq!(run.code, 1);
    let is_harmful = |line: &str| line.contains(char::is_control);
    assert!(!run.lines().into_iter().chain(run.stderr.lines()).any(is_harmful));
    assert!(run.stderr.contains(r"a\u{1b}[2J\n.pcap: byte "), "{}", run.stderr);
}

#[test]
fn colour_is_for_terminals() {
    let run = on_capture(&["decode"], "godot3-udp.pcapng");
    assert!(!run.stdout.contains(&0x1b));
    let capture = corpus("captures/godot3-udp.pcapng");
    let forced = |variable: &str| {
        let mut forced = command(&["decode"]);
        forced.arg(&capture).env_remove("NO_COLOR").env(variable, "1");
        forced.output().unwrap().stdout
    };
    assert!(forced("CLICOLOR_FORCE").contains(&0x1b));
    assert!(!forced("NO_COLOR").contains(&0x1b));
}

#[test]
fn help_has_examples_and_shells_complete() {
    for command in ["decode", "encode", "convert", "stats", "completions"] {
        let run = gdwire(&[command, "--help"], b"");
        assert!(run.code == 0 && run.text().contains("Example"), "{command}");
    }
    assert!(gdwire(&["--help"], b"").text().contains("Examples:"));
    assert!(gdwire(&["--version"], b"").text().starts_with("gdwire "));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = gdwire(&["completions", shell], b"");
        assert!(run.code == 0 && run.text().contains("dialect"), "{shell}");
        for completed in ["stats", "transport", "methods", "interval", "recursive"] {
            assert!(run.text().contains(completed), "{shell} {completed}");
        }
    }
}

#[test]
fn a_file_is_not_read_and_written_at_once() {
    let path = directory("same").join("values.dat");
    fs::write(&path, [4, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    let path = path.to_str().unwrap();
    let run = gdwire(&["convert", path, "-o", path], b"");
    assert_eq!(run.code, 2);
    assert_eq!(fs::read(path).unwrap(), [4, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn verbose_says_how_many_values_a_file_had_and_of_which_dialect() {
    let run = gdwire(&["decode", "-v", "-"], b"00000000\n");
    assert_eq!(
        run.stderr,
        "gdwire: stdin: dialect: godot4, which reads 1 of 1 payload (godot3 1, pandemonium5 1, \
         pandemonium4 1); a tie goes to more bytes read, more values found, then the order of preference\ngdwire: stdin: values: 1\n"
    );
    let run = gdwire(&["decode", "-v", "--dialect", "godot3", "-"], b"00000000\n");
    assert_eq!(run.stderr, "gdwire: stdin: values: 1\n");
}
