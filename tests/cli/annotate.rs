//! Captures with messages as comments on the packets, as Wireshark reads them.
//!
//! Some of these tests need Debian's package `tshark`. Without it they print a note and pass,
//! unless `GDWIRE_ENGINE_TESTS=required` is set.

use crate::cli::rpc::METHODS;
use crate::cli::run::{directory, gdwire, on_capture, parsed_lines};
use crate::common::{corpus, merged, wireshark};
use gdwire::capture::Capture;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Every recorded capture.
pub(crate) fn captures() -> Vec<String> {
    let entries = fs::read_dir(corpus("captures")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let is_capture = |name: &String| name.ends_with(".pcap") || name.ends_with(".pcapng");
    let mut names: Vec<_> = names.filter(is_capture).collect();
    names.sort();
    assert!(names.len() > 40);
    names
}

/// Annotates a file and returns the diagnostics. Some of the captures lack packets.
fn annotate(options: &[&str], file: &Path, copy: &Path) -> String {
    let files = [file.to_str().unwrap(), "-o", copy.to_str().unwrap()];
    let run = gdwire(&[&["annotate"], options, &files].concat(), b"");
    assert!(run.code < 2 && run.stdout.is_empty(), "{}: {}", file.display(), run.stderr);
    run.stderr
}

/// The text of each message and loss with the number of its packet, and the packets of each method,
/// as `decode` shows them.
type Expected = (Vec<(u64, String)>, BTreeMap<String, BTreeSet<u64>>);

fn expected(name: &str) -> Expected {
    let decode =
        |options: &[&str]| on_capture(&[&["decode", "--methods", METHODS], options].concat(), name);
    let shown = decode(&["--format", "text", "--plain"]);
    let mut texts = shown.lines().into_iter();
    let (mut comments, mut methods) = (Vec::new(), BTreeMap::<_, BTreeSet<_>>::new());
    for line in parsed_lines(&decode(&["--format", "ndjson"])) {
        let frame = line["frame"].as_u64().unwrap();
        match line["lost"].as_str() {
            Some(lost) => {
                let after = line["after_frame"].as_u64();
                let sent = after.map(|after| format!(" (sent between frames {after} and {frame})"));
                comments.push((frame, format!("lost: {lost}{}", sent.unwrap_or_default())));
            }
            None => comments.push((frame, texts.next().unwrap().to_owned())),
        }
        let (rpc, relayed) = (&line["rpc"], &line["rpc"]["rpc"]);
        if let Some(method) = rpc["method"].as_str().or(relayed["method"].as_str()) {
            methods.entry(method.to_owned()).or_default().insert(frame);
        }
    }
    assert_eq!(texts.next(), None, "{name}");
    comments.sort_by_key(|(frame, _)| *frame);
    (comments, methods)
}

/// A comment without the frame numbers of several packets, which only the follower knows.
fn text(comment: &str) -> (Option<&str>, &str) {
    let text = comment.strip_prefix("gdwire: ").expect(comment);
    match text.strip_prefix("frames ").and_then(|rest| rest.split_once(": ")) {
        Some((frames, text)) => (Some(frames), text),
        None => (None, text),
    }
}

#[test]
fn tshark_finds_exactly_the_packets_of_a_message() {
    let directory = directory("annotate-tshark");
    let (mut copies, mut comments) = (Vec::new(), Vec::new());
    let mut methods: BTreeMap<String, u64> = BTreeMap::new();
    // All captures are joined, so the frames of one come after those of the others.
    let mut frames = 0;
    for name in captures() {
        let file = corpus("captures").join(&name);
        let copy = directory.join(&name).with_extension("pcapng");
        annotate(&["--methods", METHODS], &file, &copy);
        copies.push(copy);
        let (of_file, methods_of_file) = expected(&name);
        comments.extend(of_file.into_iter().map(|(frame, text)| (frames, frame, text)));
        for (method, packets) in methods_of_file {
            *methods.entry(method).or_default() += packets.len() as u64;
        }
        frames += Capture::new(&fs::read(file).unwrap()).unwrap().count() as u64;
    }
    // Messages that call a method end its name with a parenthesis, and those that set a property
    // with an equals sign.
    let filter = |method: &String| {
        let contains = ["(", " = "].map(|end| format!("frame.comment contains \".{method}{end}\""));
        contains.join("||")
    };
    let filters: Vec<_> = methods.keys().map(filter).collect();
    let statistics = format!("io,stat,0,{}", filters.join(","));
    let all = directory.join("all.pcapng");
    let Some(()) = merged(&copies, &all) else { return };
    let mut arguments = vec!["-n", "-r", all.to_str().unwrap(), "-Y", "frame.comment"];
    // A separator that is in no comment.
    arguments.extend(["-T", "fields", "-E", "aggregator=\u{1}"]);
    arguments.extend(["-e", "frame.number", "-e", "frame.comment", "-z", &statistics]);
    let Some(lines) = wireshark("tshark", &arguments) else { return };

    let (mut in_several, mut expected) = (0, comments.iter());
    for line in lines.iter().take_while(|line| line.contains("gdwire: ")) {
        let (frame, of_packet) = line.split_once('\t').unwrap();
        for comment in of_packet.split('\u{1}') {
            let (frames, text) = text(comment);
            let (before, of_frame, whole) = expected.next().unwrap();
            if let Some(frames) = frames {
                in_several += 1;
                let (first, last) = frames.split_once('-').unwrap();
                assert_eq!(last, of_frame.to_string());
                assert!(first.parse::<u64>().unwrap() < *of_frame);
            }
            let start = text.strip_suffix('…').filter(|_| text.len() > 128);
            let is_same = start.map_or(whole == text, |start| whole.starts_with(start));
            let is_here = frame == (before + of_frame).to_string();
            assert!(is_here && is_same, "{frame} {of_frame}: {text}\n{whole}");
        }
    }
    assert_eq!(expected.next(), None);
    // The last row has the number of packets of each filter, and their bytes.
    let row = lines.iter().find(|line| line.contains("<>")).unwrap();
    let counts = row.split('|').filter_map(|cell| cell.trim().parse::<u64>().ok()).step_by(2);
    assert_eq!(counts.collect::<Vec<_>>(), methods.values().copied().collect::<Vec<_>>());
    assert!(in_several > 50 && methods.len() > 15, "{in_several} {}", methods.len());
}

/// The output of capinfos about the packets and the interfaces of a capture.
fn information(file: &Path) -> Option<Vec<String>> {
    let lines = wireshark("capinfos", &["-M", file.to_str().unwrap()])?;
    let differs = ["File name", "File type", "File size", "SHA", "RIPEMD", "Packet size limit"];
    let differs = |line: &String| differs.iter().any(|start| line.starts_with(start));
    Some(lines.into_iter().filter(|line| !differs(line)).collect())
}

#[test]
fn capinfos_reports_the_same_for_the_copy() {
    let directory = directory("annotate-capinfos");
    for name in captures() {
        let file = corpus("captures").join(&name);
        let copy = directory.join(&name).with_extension("pcapng");
        annotate(&[], &file, &copy);
        let (Some(of_file), Some(of_copy)) = (information(&file), information(&copy)) else {
            return;
        };
        let is_pcapng = name.ends_with(".pcapng");
        // capinfos counts interfaces only in pcapng.
        let of_interfaces = |line: &&String| line.starts_with(' ') || line.contains("nterface");
        let is_compared = |line: &&String| is_pcapng || !of_interfaces(line);
        let [of_file, of_copy] =
            [&of_file, &of_copy].map(|lines| lines.iter().filter(is_compared).collect::<Vec<_>>());
        assert!(of_file.len() > 9);
        assert_eq!(of_copy, of_file, "{name}");
    }
}

/// In every format that editcap writes, the annotated copy has the packets of the file.
#[test]
fn formats_of_editcap_are_annotated_alike() {
    let directory = directory("annotate-editcap");
    let source = corpus("captures").join("godot4-enet-nano.pcap");
    let shown = |file: &Path| {
        let fields = ["-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len", "-e", "data"];
        wireshark("tshark", &[&["-n", "-r", file.to_str().unwrap()], &fields[..]].concat())
    };
    for format in ["pcap", "nsecpcap", "modpcap", "pcapng"] {
        let [file, copy] = ["file", "copy"].map(|name| directory.join(format!("{format}.{name}")));
        let arguments =
            ["-F", format, "-s", "90", source.to_str().unwrap(), file.to_str().unwrap()];
        let Some(_) = wireshark("editcap", &arguments) else { return };
        let run = gdwire(&["annotate", file.to_str().unwrap(), "-o", copy.to_str().unwrap()], b"");
        // Some packets were captured only in part.
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert_eq!(shown(&copy), shown(&file), "{format}");
        let comments =
            gdwire(&["annotate", "--where", "false", copy.to_str().unwrap(), "-o", "-"], b"");
        assert!(comments.stdout.len() < fs::metadata(&copy).unwrap().len() as usize, "{format}");
    }
}

#[test]
fn the_selection_decides_what_is_a_comment() {
    let directory = directory("annotate-selection");
    let file = corpus("captures").join("godot3-rpc.pcapng");
    let [all, chosen, none] = ["all", "chosen", "none"].map(|name| directory.join(name));
    annotate(&[], &file, &all);
    annotate(&["--method", "many", "--limit", "3"], &all, &chosen);
    let comments = |file: &Path| {
        let file = fs::read(file).unwrap();
        file.windows(8).filter(|bytes| bytes == b"gdwire: ").count()
    };
    assert_eq!(comments(&chosen), 3);
    assert!(comments(&all) > 50);
    // No comment of an earlier run is left, and everything else is the original.
    let note = annotate(&["--where", "false"], &chosen, &none);
    assert!(note.starts_with("gdwire: no message matches the selection; "), "{note}");
    assert!(fs::read(&none).unwrap() == fs::read(&file).unwrap());
    let verbose = annotate(&["--verbose"], &all, &none);
    assert!(fs::read(&none).unwrap() == fs::read(&all).unwrap());
    let count = comments(&all);
    assert!(verbose.ends_with(&format!("comments: {count}, replaced comments: {count}\n")));
}

#[test]
fn names_and_undecoded_packets_are_noted_on_request() {
    let on = |options: &[&str], name: &str| {
        let file = corpus("captures").join(name);
        let run =
            gdwire(&[&["annotate", "-o", "-", file.to_str().unwrap()], options].concat(), b"");
        String::from_utf8_lossy(&run.stdout).into_owned()
    };
    assert!(!on(&[], "godot4-rpc.pcapng").contains(".respawn()"));
    let named = on(&["--methods", METHODS], "godot4-rpc.pcapng");
    assert!(named.contains("gdwire: Game/Players/P2.respawn()"));
    let all = on(&["--all", "--transport", "tcp"], "godot4-udp.pcapng");
    assert!(all.contains("gdwire: not a value, "), "{all}");
}

#[test]
fn inputs_that_cannot_be_annotated_are_refused() {
    let directory = directory("annotate-refused");
    let [copy, text, empty] = ["copy", "text", "empty"].map(|name| directory.join(name));
    fs::write(&text, "no capture").unwrap();
    fs::write(&empty, "").unwrap();
    let capture = corpus("captures").join("godot3-udp.pcapng");
    let [capture, copy, text, empty] =
        [&capture, &copy, &text, &empty].map(|path| path.to_str().unwrap());
    for (file, output, problem) in [
        ("-", copy, "comments need a whole capture, which is read twice; save it to a file"),
        (empty, copy, "the file is empty, not a capture"),
        (text, copy, "neither a pcap nor a pcapng file"),
        #[cfg(unix)]
        ("/nowhere", copy, "No such file or directory"),
        (text, text, "neither a pcap nor a pcapng file"),
        #[cfg(unix)]
        (capture, "/nowhere/copy", "cannot write: No such file or directory"),
    ] {
        let run = gdwire(&["annotate", file, "-o", output], b"");
        assert_eq!(run.code, 2, "{file} {}", run.stderr);
        assert!(run.stderr.contains(problem), "{file} {}", run.stderr);
        assert!(!Path::new(copy).exists());
    }
    assert_eq!(fs::read(text).unwrap(), b"no capture");
    let run = gdwire(&["annotate", capture], b"");
    assert!(run.code == 2 && run.stderr.contains("--output <FILE>"), "{}", run.stderr);
}

#[test]
fn a_file_that_is_replaced_by_its_copy_is_named() {
    for name in ["godot3-rpc.pcapng", "godot3-udp-usec.pcap"] {
        let file = directory("annotate-own").join(name);
        fs::copy(corpus("captures").join(name), &file).unwrap();
        let own = file.to_str().unwrap();
        let run = gdwire(&["annotate", own, "-o", own], b"");
        let note = format!("gdwire: {own}: replaced by its copy with comments, as -o names it\n");
        assert_eq!((run.code, run.stderr), (0, note));
        assert!(fs::read(&file).unwrap().windows(8).any(|bytes| bytes == b"gdwire: "));
    }
}

/// The copy of a classic file ends where the file is damaged.
#[test]
fn a_damaged_classic_file_is_not_replaced_by_its_copy() {
    let file = directory("annotate-damaged").join("own.pcap");
    let mut bytes = fs::read(corpus("captures/godot3-udp-usec.pcap")).unwrap();
    let second = 24 + 16 + usize::from(bytes[32]) + 256 * usize::from(bytes[33]);
    bytes[second + 8..second + 12].fill(0xff);
    fs::write(&file, &bytes).unwrap();
    let own = file.to_str().unwrap();
    let run = gdwire(&["annotate", own, "-o", own], b"");
    assert_ne!(run.code, 0);
    assert!(run.stderr.contains("not replaced"), "{}", run.stderr);
    assert!(fs::read(&file).unwrap() == bytes);
}

/// The readable part of a compressed capture may have no bytes.
#[test]
fn a_capture_of_which_nothing_can_be_unpacked_is_not_copied() {
    let directory = directory("annotate-nothing");
    let [cut, copy] = ["cut.gz", "copy"].map(|name| directory.join(name));
    fs::write(&cut, b"\x1f\x8b\x08\0\0\0\0\0\0\x03").unwrap();
    let run = gdwire(&["annotate", cut.to_str().unwrap(), "-o", copy.to_str().unwrap()], b"");
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("cut.gz: no packet can be read, so there is no copy"));
    assert!(!run.stderr.contains("cannot write"), "{}", run.stderr);
    assert!(!copy.exists());
}

#[test]
fn a_cut_capture_is_copied_and_reported() {
    let directory = directory("annotate-cut");
    let [cut, copy] = ["cut", "copy"].map(|name| directory.join(name));
    let file = fs::read(corpus("captures").join("godot3-udp.pcapng")).unwrap();
    fs::write(&cut, &file[..file.len() - 10]).unwrap();
    let run = gdwire(&["annotate", cut.to_str().unwrap(), "-o", copy.to_str().unwrap()], b"");
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("the file is cut off"), "{}", run.stderr);
    let [cut, copy] = [cut, copy].map(|path| fs::read(path).unwrap());
    assert!(copy.len() > cut.len());
    let end = 50;
    assert_eq!(copy[copy.len() - end..], cut[cut.len() - end..]);
}
