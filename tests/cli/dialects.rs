//! Detecting the engine of values, and converting them for another.

use crate::cli::run::{directory, frame, gdwire, on_capture};
use crate::common::{Sent, Value, corpus, hex, lines, unhex, without_path_padding};
use gdwire::capture::Capture;
use gdwire::math::Vector2;
use gdwire::{Dialect, encode, parse, variant};
use std::fs;

const ENGINES: [(&str, &str); 5] = [
    ("godot3", "godot3"),
    ("godot4", "godot4"),
    ("godot4-double", "godot4 with double reals"),
    ("pandemonium4", "pandemonium4"),
    ("pandemonium5", "pandemonium5"),
];

fn recorded(folder: &str) -> Vec<String> {
    let values: Vec<Value> = lines(&format!("{folder}/values.ndjson"));
    values.into_iter().map(|value| value.hex).collect()
}

/// The fields `hex` of the JSON objects in the output.
fn hexes(lines: &[&str]) -> Vec<String> {
    let hex = |line: &&str| {
        let message: serde_json::Value = serde_json::from_str(line).unwrap();
        message["hex"].as_str().unwrap().to_owned()
    };
    lines.iter().map(hex).collect()
}

/// A flow keeps the dialect of its first values, or the one that the user named.
#[test]
fn payloads_of_another_engine_are_named() {
    let [one, other] = ["godot3-udp", "godot4-udp"]
        .map(|name| fs::read(corpus(&format!("captures/{name}.pcapng"))).unwrap());
    let advice = "payloads that are not values are values of godot4; '--dialect godot4' reads them";
    let run = gdwire(&["decode", "-"], &[one, other].concat());
    assert!(run.stderr.contains(&format!("54 of 54 {advice}")), "{}", run.stderr);
    let run = on_capture(&["stats", "--dialect", "godot3"], "godot4-udp.pcapng");
    assert!(run.stderr.contains(advice), "{}", run.stderr);
    let run = on_capture(&["decode", "--dialect", "godot4"], "godot4-udp.pcapng");
    assert_eq!(run.stderr, "");
}

/// Values of another engine often look like values, so this is said before they are printed.
#[test]
fn a_dialect_that_reads_less_than_another_is_reported() {
    let files = ["godot3", "godot4", "pandemonium5"].map(|name| {
        let file = corpus("captures").join(format!("{name}-file.bin"));
        (name, file.to_str().unwrap().to_owned())
    });
    let both = files.iter().flat_map(|file| Dialect::ALL.iter().map(move |it| (file, it)));
    for ((name, file), dialect) in both {
        let run = gdwire(&["decode", "--dialect", dialect.name(), file], b"");
        let first = run.stderr.lines().next().unwrap_or_default();
        let is_doubted = first.ends_with(", so what is read may be wrong; leave out --dialect");
        assert_eq!(is_doubted, dialect.name() != *name, "{}", run.stderr);
        let run = gdwire(&["decode", "--double", "--dialect", name, file], b"");
        let doubt = "may be wrong; leave out --dialect and --double";
        assert_eq!(run.stderr.contains(doubt), *name != "godot4", "{}", run.stderr);
    }
}

#[test]
fn every_value_of_a_godot_4_capture_is_found() {
    for name in ["godot4-udp", "godot4-udp-ipv6", "godot4-udp-sll", "godot4-udp-sll2"] {
        let sent: Vec<Sent> = lines(&format!("captures/{name}.ndjson"));
        let sent = sent.into_iter().filter(|sent| sent.delivered);
        let sent: Vec<_> = sent.map(|sent| sent.wire_hex.unwrap_or(sent.hex)).collect();
        let arguments = ["decode", "-v", "--format", "ndjson", "--hex"];
        let run = on_capture(&arguments, &format!("{name}.pcapng"));
        assert_eq!((run.code, hexes(&run.lines())), (0, sent), "{name}: {}", run.stderr);
        let reasons: Vec<_> = run.stderr.lines().filter(|line| line.contains(" and ")).collect();
        assert_eq!(reasons.len(), 1, "{name}: {}", run.stderr);
        assert!(reasons[0].contains("; godot4, which reads 2 of 2 payloads (godot3 "));
    }
}

#[test]
fn every_value_of_a_file_is_found() {
    for name in ["godot3-file", "godot4-file", "pandemonium5-file"] {
        let sent: Vec<Sent> = lines(&format!("captures/{name}.ndjson"));
        let name = format!("{name}.bin");
        let file = fs::read(corpus(&format!("captures/{name}"))).unwrap();
        let run = on_capture(&["decode", "--format", "ndjson", "--hex"], &name);
        assert_eq!((run.code, &*run.stderr, run.lines().len()), (0, "", sent.len()), "{name}");
        let mut place = 0;
        for (ours, sent) in hexes(&run.lines()).iter().zip(&sent) {
            assert_eq!(sent.at.unwrap_or(place), place, "{name}");
            let value = place + 4;
            place = value + sent.hex.len() / 2;
            assert!(unhex(ours) == file[value..place], "{name}");
        }
        assert_eq!(place, file.len(), "{name}");
        let streamed = gdwire(&["decode", "--format", "ndjson", "--hex", "-"], &file);
        assert_eq!((streamed.code, streamed.stdout), (0, run.stdout), "{name}");
    }
}

#[test]
fn the_engine_of_recorded_values_is_found_in_every_framing() {
    let path = directory("auto").join("values");
    for (folder, dialect) in ENGINES {
        let values = recorded(folder);
        let bytes: Vec<_> = values.iter().map(|value| unhex(value)).collect();
        let hex: String = values.iter().map(|value| format!("{value}\n")).collect();
        let framed: Vec<u8> = bytes.iter().flat_map(|value| frame(value)).collect();
        for (input, file) in
            [("hex", hex.into_bytes()), ("framed", framed), ("raw", bytes.concat())]
        {
            fs::write(&path, &file).unwrap();
            let arguments = ["decode", "-v", "--input", input, "--format", "hex"];
            let mut runs = vec![gdwire(&[&arguments[..], &[path.to_str().unwrap()]].concat(), b"")];
            // The first 64 values of Pandemonium 4 are the same in Pandemonium 5. They are not enough
            // on standard input, where the command shows values after them unless they are raw.
            if folder != "pandemonium4" || input == "raw" {
                runs.push(gdwire(&[&arguments[..], &["-"]].concat(), &file));
            }
            for run in runs {
                assert_eq!((run.code, run.lines().len()), (0, values.len()), "{folder} {input}");
                // The first values of one engine can be too few to tell the width.
                let name = dialect.split(' ').next().unwrap();
                assert!(run.stderr.contains(&format!("dialect: {name}")), "{}", run.stderr);
            }
        }
    }
}

#[test]
fn flows_of_one_capture_can_be_of_several_engines() {
    let mut file = fs::read(corpus("captures/godot3-udp-rawip.pcap")).unwrap();
    let packet = Capture::new(&file).unwrap().next().unwrap().unwrap();
    let start = usize::try_from(packet.offset).unwrap();
    let header = file[start - 16..start + 28].to_vec();
    // A datagram of another flow, with a value of Godot 4.
    let value = encode(Dialect::GODOT_4, &variant!({"cell": (Vector2::new(1, 2))})).unwrap();
    let mut record = header;
    let length = u32::try_from(28 + value.len()).unwrap();
    record[8..12].copy_from_slice(&length.to_le_bytes());
    record[12..16].copy_from_slice(&length.to_le_bytes());
    record[18..20].copy_from_slice(&u16::try_from(length).unwrap().to_be_bytes());
    record[36..38].copy_from_slice(&9_u16.to_be_bytes());
    record[40..42].copy_from_slice(&u16::try_from(length - 20).unwrap().to_be_bytes());
    record.extend(&value);
    let before = gdwire(&["decode", "--plain", "-"], &file);
    file.extend(record);
    let run = gdwire(&["decode", "--format", "hex", "-"], &file);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    assert_eq!(run.lines().len(), before.lines().len() + 1);
    assert_eq!(run.lines().last(), Some(&&*hex(&value)));
}

#[test]
fn a_wrong_guess_is_corrected() {
    // The bytes of a Vector2 of Godot 3 and 4 are the first half of a Rect2 of Pandemonium.
    let line = "0500000000000000000000000000000000000000\n";
    let ndjson = |dialect| {
        let run =
            gdwire(&["decode", "--format", "ndjson", "--dialect", dialect, "-"], line.as_bytes());
        (run.code, run.text().contains("\"Rect2\""), run.stderr.contains("ignored 8 bytes"))
    };
    assert_eq!(ndjson("auto"), (0, true, false));
    assert_eq!(ndjson("pandemonium4"), (0, true, false));
    assert_eq!(ndjson("godot3"), (0, false, true));
    let run = gdwire(&["decode", "--double", "--dialect", "godot3", "-"], line.as_bytes());
    assert_eq!((run.code, run.text(), &*run.stderr), (0, "Vector2( 0, 0 )\n", ""));
}

#[test]
fn a_conversion_widens_values_of_the_same_engine_with_to_double() {
    let narrow = "05000000000080bf00000040\n";
    let wide = "05000000000000000000f0bf0000000000000040\n";
    let convert = |arguments: &[&str], line: &str| {
        let arguments = [&["convert", "--dialect", "godot3", "--output", "hex"], arguments, &["-"]];
        gdwire(&arguments.concat(), line.as_bytes()).text().to_owned()
    };
    assert_eq!(convert(&[], narrow), narrow);
    assert_eq!(convert(&["--to-double"], narrow), wide);
    assert_eq!(convert(&["--double"], wide), wide);
    assert_eq!(convert(&["--to", "godot3", "--double"], wide), wide);
}

#[test]
fn godot_3_values_convert_to_godot_4_and_back() {
    let values = recorded("godot3");
    let hex_lines: String = values
        .iter()
        .map(|value| {
            let bytes = unhex(value);
            let value = parse(Dialect::GODOT_3, &bytes).unwrap();
            format!("{}\n", hex(&without_path_padding(value)))
        })
        .collect();
    let there =
        gdwire(&["convert", "--to", "godot4", "--output", "hex", "-"], hex_lines.as_bytes());
    assert_eq!((there.code, &*there.stderr, there.lines().len()), (0, "", values.len()));
    for line in there.lines() {
        parse(Dialect::GODOT_4, &unhex(line)).unwrap();
    }
    let back = gdwire(
        &["convert", "--dialect", "godot4", "--to", "godot3", "--output", "hex", "-"],
        &there.stdout,
    );
    assert!(back.code == 0 && back.text() == hex_lines);
}

#[test]
fn values_that_cannot_be_converted_are_reported_or_changed_with_lossy() {
    let value = encode(
        Dialect::GODOT_4,
        &variant!({"inventory": [1, (Vector2::new(1, 2)), (gdwire::Variant::Callable)]}),
    );
    let line = format!("{}\n02000000ff000000\n", hex(&value.unwrap()));
    let convert = ["convert", "--to", "godot3", "--input", "hex", "--output", "hex"];
    let run = gdwire(&[&convert[..], &["-"]].concat(), line.as_bytes());
    let expected = ["error: /inventory/1: godot3 has no Vector2i", "02000000ff000000"];
    assert_eq!((run.code, run.lines()), (1, expected.to_vec()));
    let run = gdwire(&[&convert[..], &["--lossy", "-"]].concat(), line.as_bytes());
    assert_eq!(
        (run.code, &*run.stderr),
        (0, "gdwire: 2 values were replaced by the nearest value\n")
    );
    let near = variant!({"inventory": [1, (Vector2::new(1.0, 2.0)), null]});
    assert_eq!(run.lines()[0], hex(&encode(Dialect::GODOT_3, &near).unwrap()));
    let run = gdwire(&["convert", "--to", "godot3", "-"], line.as_bytes());
    assert_eq!((run.code, run.stdout), (1, frame(&unhex("02000000ff000000"))));
    assert!(run.stderr.contains("stdin: line 1: /inventory/1: godot3 has no Vector2i"));
}

/// A game would read the values of the other engine as something else.
#[test]
fn values_of_two_engines_in_one_output_are_reported() {
    let [old, new] = ["godot3-udp.pcapng", "godot4-udp.pcapng"]
        .map(|name| corpus("captures").join(name).to_str().unwrap().to_owned());
    let told = "gdwire: the output has values of godot3 and godot4, which no engine reads together; --to \
                converts all of them\n";
    for threads in ["1", "2"] {
        let convert = ["convert", "--output", "hex", "--threads", threads, &old, &new];
        let run = gdwire(&convert, b"");
        assert_eq!((run.code, &*run.stderr, run.lines().len()), (0, told, 60 + 72));
        assert_eq!(gdwire(&[&convert[..], &["--to", "godot4"]].concat(), b"").stderr, "");
    }
}

#[test]
fn every_dialect_is_encoded() {
    for dialect in Dialect::ALL {
        let arguments = ["encode", "--output", "hex", "--dialect", dialect.name(), "-"];
        let run = gdwire(&arguments, b"{\"at\": Vector3(1, 2, 3)}");
        let value = variant!({"at": (gdwire::math::Vector3::new(1.0, 2.0, 3.0))});
        assert_eq!(run.text(), format!("{}\n", hex(&encode(*dialect, &value).unwrap())));
    }
}
