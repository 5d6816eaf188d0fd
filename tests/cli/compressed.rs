//! Compressed captures and value files are read without being unpacked first.
//!
//! Some of these tests need Debian's packages `lz4`, `tshark` and `zstd`. Without them they print a
//! note and pass, unless `GDWIRE_ENGINE_TESTS=required` is set.

use crate::cli::edited::capture;
use crate::cli::run::{Run, command, directory, fed, frame, gdwire, on_capture};
use crate::cli::threads::captures;
use crate::common::{corpus, gzip, lz4, wireshark, zstandard};
use gdwire::{Dialect, encode, variant};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

type Compress = fn(&[u8]) -> Vec<u8>;

/// The function that compresses each format, by its file extension.
const FORMATS: [(&str, Compress); 3] = [("gz", gzip), ("zst", zstandard), ("lz4", lz4)];

/// A capture of several blocks of each format.
const LONG: &str = "godot4-rpc-three.pcapng";

/// Runs the command on a file that the test writes. Reports name it "FILE".
fn on_file(arguments: &[&str], path: &Path, content: &[u8]) -> Run {
    fs::write(path, content).unwrap();
    let path = path.to_str().unwrap();
    named(gdwire(&[arguments, &[path]].concat(), b""), path)
}

fn named(run: Run, path: &str) -> Run {
    let stdout = String::from_utf8(run.stdout).unwrap().replace(path, "FILE");
    Run { stdout: stdout.into_bytes(), stderr: run.stderr.replace(path, "FILE"), ..run }
}

fn assert_same(run: &Run, plain: &Run, what: &str) {
    assert!(run.stdout == plain.stdout, "{what}");
    assert_eq!((run.code, &run.stderr), (plain.code, &plain.stderr), "{what}");
}

#[test]
fn every_compressed_capture_gives_the_output_of_the_capture() {
    let directory = directory("compressed");
    let arguments = ["decode", "--format", "ndjson", "--all", "--verbose"];
    for (path, number) in captures().iter().zip(0_usize..) {
        let (name, plain) = (path.to_str().unwrap(), fs::read(path).unwrap());
        let expected = named(gdwire(&[&arguments[..], &[name]].concat(), b""), name);
        // A file in one format, and a pipe in another one. Files without an extension are read, too,
        // because the name does not matter.
        let [(end, compress), (_, compress_pipe)] = [0, 1].map(|more| FORMATS[(number + more) % 3]);
        let file = directory.join(if number % 2 == 0 { "capture" } else { end });
        let run = on_file(&arguments, &file, &compress(&plain));
        assert_same(&run, &expected, &format!("{name} {end}"));
        let piped = gdwire(&[&arguments[..], &["-"]].concat(), &compress_pipe(&plain));
        assert_same(&named(piped, "stdin"), &expected, name);
    }
}

#[test]
fn every_command_reads_compressed_captures() {
    let directory = directory("compressed-commands");
    let name = "godot4-tcp.pcapng";
    let plain = capture(name);
    // The page of a report names its file.
    let (folder, copy) = (directory.join("plain"), directory.join("copy"));
    fs::create_dir_all(&folder).unwrap();
    let copy = copy.to_str().unwrap();
    for arguments in [
        &["stats", "--format", "json"][..],
        &["diagnose"],
        &["report", "-o", "-"],
        &["convert", "--to", "godot3", "--lossy", "--output", "hex", "--threads", "1"],
        &["convert", "--to", "godot3", "--lossy", "--output", "hex", "--threads", "7"],
        &["decode", "--threads", "1"],
        &["decode", "--threads", "2"],
        &["decode", "--threads", "7", "--format", "native"],
        &["decode", "--limit", "3"],
        &["annotate", "-o", copy],
    ] {
        let expected = on_file(arguments, &folder.join(name), &plain);
        let annotated = fs::read(copy).ok();
        for (end, compress) in FORMATS {
            let folder = directory.join(end);
            fs::create_dir_all(&folder).unwrap();
            let run = on_file(arguments, &folder.join(name), &compress(&plain));
            assert_same(&run, &expected, &format!("{arguments:?} {end}"));
            assert!(fs::read(copy).ok() == annotated, "{end}");
        }
        assert!(!expected.stdout.is_empty() || annotated.is_some(), "{arguments:?}");
    }
}

#[test]
fn value_files_are_unpacked_too() {
    let file = directory("compressed-values").join("file");
    let values = [variant!({ "hp": 87 }), variant!([1, 2.5, "text"]), variant!("a")];
    let encoded = values.map(|value| encode(Dialect::GODOT_4, &value).unwrap());
    let hex: String = encoded.iter().map(|value| crate::common::hex(value) + "\n").collect();
    let framed = encoded.iter().map(|value| frame(value)).collect::<Vec<_>>().concat();
    for (input, content) in [
        ("auto", hex.clone().into_bytes()),
        ("auto", framed.clone()),
        ("hex", hex.into_bytes()),
        ("framed", framed),
        ("raw", encoded.concat()),
        ("base64", b"AgAAAAcAAAA=\n".to_vec()),
    ] {
        for dialect in ["auto", "godot4"] {
            let arguments = ["decode", "--dialect", dialect, "--input", input];
            let expected = on_file(&arguments, &file, &content);
            assert!(expected.code == 0 && !expected.stdout.is_empty(), "{input} {expected:?}");
            for (end, compress) in FORMATS {
                let packed = compress(&content);
                assert_same(
                    &on_file(&arguments, &file, &packed),
                    &expected,
                    &format!("{input} {end}"),
                );
                // Content before the damage is shown.
                let cut = on_file(&arguments, &file, &packed[..packed.len() - 4]);
                assert!(
                    cut.code == 1 && cut.stderr.contains(" data: cut off (at byte "),
                    "{cut:?}"
                );
                assert!(cut.stdout.starts_with(&expected.stdout), "{input} {end} {cut:?}");
            }
        }
    }
    // A compressed save may be compressed once more.
    let save = fs::read(corpus("saves/godot3-fastlz.sav")).unwrap();
    let expected = on_file(&["decode"], &file, &save);
    assert_same(&on_file(&["decode"], &file, &gzip(&save)), &expected, "save");
    let text = on_file(&["encode"], &file, &gzip(b"{\"hp\": 87}\n"));
    assert!(text.code == 0, "{text:?}");
    assert_eq!(text.stdout, gdwire(&["encode", "-"], b"{\"hp\": 87}\n").stdout);
}

#[test]
fn content_before_a_cut_is_shown() {
    let directory = directory("compressed-cut");
    let plain = capture(LONG);
    let (file, copy) = (directory.join("cut"), directory.join("copy.pcapng"));
    let arguments = ["decode", "--format", "ndjson"];
    let expected = on_file(&arguments, &file, &plain);
    for (end, compress) in FORMATS {
        let packed = compress(&plain);
        let cut = &packed[..packed.len() - 1000];
        let run = on_file(&arguments, &file, cut);
        let problem = " data: cut off (at byte ";
        assert!(run.code == 1 && run.stderr.contains(problem), "{end} {}", run.stderr);
        let lines = run.lines();
        let shown = lines.iter().zip(expected.lines()).take_while(|(it, other)| **it == *other);
        assert!(shown.count() > 300, "{end}: {}", lines.len());
        let damaged = lines.last().unwrap();
        assert!(damaged.contains("\"damaged\":\""), "{damaged}");
        assert!(lines.len() > expected.lines().len() / 3, "{end}");
        // A pipe and several threads give the same.
        for (arguments, stdin) in [(&["-"][..], cut), (&["--threads", "7", "FILE"], b"")] {
            let path = file.to_str().unwrap();
            let arguments = arguments.iter().map(|it| if *it == "FILE" { path } else { it });
            let arguments: Vec<_> =
                ["decode", "--format", "ndjson"].into_iter().chain(arguments).collect();
            let other = gdwire(&arguments, stdin);
            assert!(other.code == 1 && other.stdout == run.stdout, "{arguments:?}");
        }
        let annotate = ["annotate", "-o", copy.to_str().unwrap()];
        let run = on_file(&annotate, &file, cut);
        assert!(run.code == 1 && run.stderr.contains(problem), "{end} {}", run.stderr);
        let shown = gdwire(&["decode", "--format", "hex", copy.to_str().unwrap()], b"");
        assert!(shown.lines().len() > 300, "{end} {}", shown.stderr);
    }
    let mut damaged = gzip(&plain);
    let end = damaged.len() - 6;
    damaged[end] ^= 1;
    let run = on_file(&arguments, &file, &damaged);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("gzip data: the checksum of the content is wrong"), "{run:?}");
    assert!(run.lines()[..expected.lines().len()] == expected.lines());
}

#[test]
fn folders_and_joined_files_are_unpacked() {
    let directory = directory("compressed-folder");
    let names = ["godot3-tcp.pcapng", "godot4-enet.pcapng", "godot4-tcp.pcapng"];
    let mut expected = Vec::new();
    for (name, (end, compress)) in names.iter().zip(FORMATS) {
        let file = directory.join(format!("{name}.{end}"));
        fs::write(file, compress(&capture(name))).unwrap();
        expected.extend(on_capture(&["decode", "--plain"], name).stdout);
    }
    // Other compressed files, and files that cannot be unpacked, are not captures.
    fs::write(directory.join("notes.gz"), gzip(b"00000000\n")).unwrap();
    fs::write(directory.join("damaged.gz"), b"\x1f\x8b\x08\0\0\0\0\0\0\0\xff\xff").unwrap();
    let folder = directory.to_str().unwrap();
    let run = gdwire(&["decode", "--plain", "-q", "--recursive", folder], b"");
    let expected = String::from_utf8(expected).unwrap();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.lines().len(), expected.lines().count());
    let plain: Vec<_> = names.iter().map(|name| corpus("captures").join(name)).collect();
    let plain: Vec<_> = plain.iter().map(|path| path.to_str().unwrap()).collect();
    let plain = gdwire(&[&["decode", "--plain", "-q", "--join"], &plain[..]].concat(), b"");
    let joined = gdwire(&["decode", "--plain", "-q", "--join", "--recursive", folder], b"");
    assert_same(&joined, &plain, "joined");
}

#[test]
fn a_file_that_is_compressed_twice_is_reported_as_such() {
    let run = gdwire(&["decode", "-"], &zstandard(&gzip(b"00000000\n")));
    assert_eq!((run.code, run.stdout.len()), (1, 0));
    assert!(
        run.stderr.ends_with("looks like gzip data; unpack it first, for example with gunzip\n")
    );
}

#[test]
fn a_compressed_file_cannot_be_followed() {
    let file = directory("compressed-followed").join("file.gz");
    fs::write(&file, gzip(&capture(LONG))).unwrap();
    let run = gdwire(&["decode", "--follow", file.to_str().unwrap()], b"");
    assert_eq!((run.code, run.stdout.len()), (2, 0));
    assert!(run.stderr.contains("--follow cannot read compressed files"), "{}", run.stderr);
}

/// Each packet is shown before the next one arrives.
#[test]
fn a_compressed_pipe_is_decoded_as_it_arrives() {
    let plain = capture("godot3-udp.pcapng");
    let lines = on_capture(&["decode", "--plain"], "godot3-udp.pcapng").lines().len();
    let mut child = command(&["decode", "--plain", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut gzip = flate2::write::GzEncoder::new(input, flate2::Compression::fast());
    gzip.write_all(&plain).unwrap();
    gzip.flush().unwrap();
    // The compressed data is not complete yet.
    for _ in 0..lines {
        output.next().unwrap().unwrap();
    }
    drop(gzip.finish().unwrap());
    assert!(output.next().is_none() && child.wait().unwrap().success());
}

/// Runs the command with this much memory, in KiB, including mapped files.
#[cfg(target_os = "linux")]
fn within(memory: usize, arguments: &[&str]) -> Run {
    let output = std::process::Command::new("sh")
        .args(["-c", &format!("ulimit -v {memory}; exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_gdwire"))
        .args(arguments)
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    Run { code: output.status.code().expect("ended by a signal"), stdout: output.stdout, stderr }
}

/// A capture of 256 MiB is read with a fraction of that memory.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_depend_on_the_unpacked_size() {
    const BLOCK: u32 = 4 << 20;
    let directory = directory("compressed-large");
    let plain = capture("godot3-udp.pcapng");
    let lines = on_capture(&["decode"], "godot3-udp.pcapng").lines().len();
    // A block of a local type.
    let mut block = [0x8000_0001_u32.to_le_bytes(), BLOCK.to_le_bytes()].concat();
    block.resize(BLOCK as usize - 4, 0);
    block.extend(BLOCK.to_le_bytes());
    for (end, compress) in FORMATS {
        let parts = [compress(&plain), compress(&block).repeat(64), compress(&plain)];
        let file = directory.join(end);
        fs::write(&file, parts.concat()).unwrap();
        let run = within(100 << 10, &["decode", "--threads", "1", file.to_str().unwrap()]);
        assert_eq!((run.code, run.lines().len()), (0, 2 * lines), "{end} {}", run.stderr);
        fs::remove_file(file).unwrap();
    }
}

/// A gigabyte of zeros in a small file is not a capture, and too long for raw values.
#[cfg(target_os = "linux")]
#[test]
fn a_decompression_bomb_is_an_error() {
    let directory = directory("compressed-bomb");
    for (end, compress) in FORMATS {
        let file = directory.join(end);
        let bomb = compress(&vec![0; 1 << 20]).repeat(1000);
        fs::write(&file, bomb).unwrap();
        let file = file.to_str().unwrap();
        let run = within(100 << 10, &["decode", "--input", "capture", file]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains("neither a pcap nor a pcapng file"), "{}", run.stderr);
        let run = within(300 << 10, &["decode", file]);
        assert_eq!((run.code, run.stdout.len()), (2, 0), "{}", run.stderr);
        assert!(run.stderr.contains("more than 64 MiB when unpacked"), "{}", run.stderr);
    }
}

/// Compresses with a program; `None` if it is not installed.
fn packed(program: &[&str], plain: &Path, packed: &Path) -> Option<()> {
    let [name, options @ ..] = program else { panic!("no program") };
    let files = [plain.to_str().unwrap(), packed.to_str().unwrap()];
    let [from, to] = files;
    let arguments = match *name {
        "zstd" => [options, &["-q", "-f", from, "-o", to]].concat(),
        _ => [options, &["-q", "-f", from, to]].concat(),
    };
    wireshark(name, &arguments).map(drop)
}

/// The programs `lz4` and `zstd` write variants of the formats that the libraries do not write.
/// tshark reads them too.
#[test]
fn files_of_other_compressors_are_read_as_by_tshark() {
    let directory = directory("compressed-programs");
    let plain = corpus("captures").join(LONG);
    let expected = on_capture(&["decode", "--format", "ndjson"], LONG);
    let fields = ["-n", "-T", "fields", "-e", "frame.number", "-e", "frame.len", "-r"];
    for program in [
        &["zstd"][..],
        &["zstd", "-19", "--no-check"],
        &["zstd", "--fast=5", "--no-content-size"],
        &["zstd", "--ultra", "-22", "--long=27"],
        &["lz4"],
        &["lz4", "-9", "-B4", "-BD"],
        &["lz4", "-B5", "-BD", "-BX", "--content-size"],
        &["lz4", "--no-frame-crc", "-B4"],
    ] {
        let file = directory.join("file");
        let Some(()) = packed(program, &plain, &file) else { return };
        let run = gdwire(&["decode", "--format", "ndjson", file.to_str().unwrap()], b"");
        assert!(run.code == 0 && run.stdout == expected.stdout, "{program:?} {}", run.stderr);
        let read =
            |path: &Path| wireshark("tshark", &[&fields[..], &[path.to_str().unwrap()]].concat());
        assert_eq!(read(&file), read(&plain), "{program:?}");
    }
}

/// A pipe that ends within the compressed data.
#[test]
fn a_cut_pipe_is_reported() {
    let packed = gzip(&capture(LONG));
    let run = fed(&["decode", "-"], |input| input.write_all(&packed[..5_000]).unwrap());
    assert!(run.code == 1 && run.stderr.contains("gzip data: cut off (at byte 5000"), "{run:?}");
}

#[cfg(unix)]
#[test]
fn a_missing_folder_for_temporary_files_is_named() {
    let folder = directory("compressed-temporary");
    let (file, output) = (folder.join("game.gz"), folder.join("annotated.pcapng"));
    fs::write(&file, gzip(&capture("godot3-udp.pcapng"))).unwrap();
    let arguments = ["annotate", file.to_str().unwrap(), "-o", output.to_str().unwrap()];
    let run = command(&arguments).env("TMPDIR", "/no/folder").output().unwrap();
    let errors = String::from_utf8(run.stderr).unwrap();
    let problem = "cannot unpack it to a file in /no/folder: No such file or directory";
    assert!(run.status.code() == Some(2) && errors.contains(problem), "{errors}");
}
