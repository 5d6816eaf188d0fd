//! The output file of `-o`.

use crate::cli::run::{command, directory, frame, gdwire};
use crate::common::{corpus, unhex};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;

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
        run.stderr.contains("gdwire also reads this file; name another file with -o"),
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
        (&["convert"][..], calls, 1),
        (&["convert", "--kind", "Signal"], values, 0),
        (&["convert", "--input", "hex"], "-".into(), 0),
        (&["encode"], "-".into(), 0),
        (&["encode", "--compress", "zstd"], "-".into(), 0),
        (&["encode", "--input", "native"], "-".into(), 0),
    ] {
        let files = ["-o", kept.to_str().unwrap(), capture.to_str().unwrap()];
        let run = gdwire(&[options, &files].concat(), b"");
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

/// Every name of a file that the run reads is refused, and the file stays as it was.
#[test]
fn files_that_the_run_reads_are_not_replaced() {
    let folder = directory("output-read");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let [values, pass, methods, capture] = ["values", "pass", "methods", "capture"].map(path);
    fs::write(&values, "7\n").unwrap();
    fs::write(&pass, "correct horse\n").unwrap();
    fs::copy("tests/cli/game.methods", &methods).unwrap();
    fs::copy(corpus("captures/godot4-rpc.pcapng"), &capture).unwrap();
    let project = folder.join("project");
    fs::create_dir(&project).unwrap();
    fs::write(project.join("project.godot"), "config_version=5\n").unwrap();
    fs::write(project.join("main.gd"), "extends Node\n").unwrap();
    let [project, settings, script] =
        ["project", "project/project.godot", "project/main.gd"].map(path);
    let gz = path("capture.gz");
    let mut compressed = GzEncoder::new(fs::File::create(&gz).unwrap(), Compression::fast());
    compressed.write_all(&fs::read(&capture).unwrap()).unwrap();
    compressed.finish().unwrap();
    let hard = path("hard");
    fs::hard_link(&pass, &hard).unwrap();
    #[cfg(unix)]
    let soft = path("soft");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&pass, &soft).unwrap();
    let encrypt = ["encode", "--encrypt", "--password-file", &pass, &values];
    let named = ["annotate", "--methods", &methods, &capture];
    let of_project = ["report", "--project", &project, &capture];
    for (arguments, output) in [
        (&encrypt[..], &pass),
        (&encrypt, &hard),
        #[cfg(unix)]
        (&encrypt, &soft),
        (&encrypt, &values),
        (&named, &methods),
        (&of_project, &settings),
        (&of_project, &script),
        (&["report", &capture], &capture),
        (&["annotate", "--as", "messages", &capture], &capture),
        (&["annotate", "--as", "both", &capture], &capture),
        (&["annotate", &gz], &gz),
        (&["convert", &capture, &values], &capture),
        #[cfg(unix)]
        (&["encode", "--encrypt", "--password-file", "/dev/stdin", &values], &pass),
    ] {
        let before = fs::read(output).unwrap();
        let mut run = command(&[arguments, &["-o", output]].concat());
        let run = run.stdin(fs::File::open(&pass).unwrap()).output().unwrap();
        let problem = format!("gdwire: {output}: gdwire also reads this file; name another file");
        let stderr = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(2), "{arguments:?} {stderr}");
        assert!(stderr.ends_with(&format!("{problem} with -o\n")), "{arguments:?} {stderr}");
        assert_eq!(fs::read(output).unwrap(), before);
    }
}

/// A file in the folder of a project that is not read can be written again and again.
#[test]
fn a_report_may_be_in_the_folder_of_the_project() {
    let folder = directory("report-in-project");
    fs::write(folder.join("project.godot"), "config_version=5\n").unwrap();
    let page = folder.join("report.html");
    let capture = corpus("captures/godot3-udp.pcapng");
    let [project, output, capture] = [&folder, &page, &capture].map(|it| it.to_str().unwrap());
    for _ in 0..2 {
        let run = gdwire(&["report", "--project", project, capture, "-o", output], b"");
        assert_eq!((run.code, &*run.stderr), (0, ""));
    }
    assert!(fs::read(page).unwrap().len() > 10_000);
}

#[test]
fn the_only_input_can_be_replaced_by_a_file_of_the_same_sort() {
    let folder = directory("in-place");
    let [save, capture] = ["save", "capture"].map(|name| folder.join(name));
    fs::copy(corpus("captures/godot3-file.bin"), &save).unwrap();
    fs::copy(corpus("captures/godot3-rpc.pcapng"), &capture).unwrap();
    let [path, of_capture] = [&save, &capture].map(|path| path.to_str().unwrap());
    let expected = gdwire(&["convert", "--to", "godot4", path], b"");
    assert_eq!(gdwire(&["convert", "--to", "godot4", path, "-o", path], b"").code, 0);
    assert!(fs::read(&save).unwrap() == expected.stdout);
    let expected = gdwire(&["annotate", of_capture, "-o", "-"], b"");
    assert_eq!(gdwire(&["annotate", of_capture, "-o", of_capture], b"").code, 0);
    assert!(fs::read(&capture).unwrap() == expected.stdout);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 2);
}

/// Game code that reads the file would take the next value for the missing one.
#[test]
fn an_output_file_has_all_values_unless_the_user_skips_errors() {
    let folder = directory("incomplete");
    let kept = folder.join("keep.dat");
    let path = kept.to_str().unwrap();
    let save = corpus("captures/godot4-file.bin");
    let save = save.to_str().unwrap();
    let whole = gdwire(&["convert", "--to", "godot3", "--output", "hex", save], b"");
    assert!(whole.code == 1 && whole.lines().len() > 10);
    let values = |lines: &[&str]| lines.iter().flat_map(|line| frame(&unhex(line))).collect();
    let partial: Vec<u8> = values(&whole.lines());
    let note = "gdwire: the output file was not written, as values are missing; --skip-errors \
                writes the others\n";
    for (arguments, stdin, partial) in [
        (&["convert", "--to", "godot3", save][..], &b""[..], partial),
        (&["encode", "-"], b"7\nVektor\nnull", values(&["0200000007000000", "00000000"])),
        (&["convert", "--input", "hex", "-"], b"zz\n00000000\n", values(&["00000000"])),
    ] {
        fs::write(&kept, "kept").unwrap();
        let arguments = [arguments, &["-o", path]].concat();
        let run = gdwire(&arguments, stdin);
        assert_eq!((run.code, fs::read(&kept).unwrap()), (1, b"kept".to_vec()), "{arguments:?}");
        assert!(run.stderr.ends_with(note), "{}", run.stderr);
        let run = gdwire(&[&arguments[..], &["--skip-errors"]].concat(), stdin);
        assert_eq!(run.code, 1);
        assert!(!run.stderr.contains("the output file"), "{}", run.stderr);
        assert!(fs::read(&kept).unwrap() == partial, "{arguments:?}");
    }
    // A damaged file has what could be read of it; an input that cannot be opened has nothing.
    let cut = folder.join("cut.dat");
    fs::write(&cut, &fs::read(save).unwrap()[..20_001]).unwrap();
    let convert = ["convert", "--skip-errors", "-o", path, cut.to_str().unwrap()];
    let run = gdwire(&convert, b"");
    let values = gdwire(&["decode", path], b"").lines().len();
    assert!(run.code == 1 && values > 10 && !run.stderr.contains("the output file"), "{run:?}");
    fs::write(&kept, "kept").unwrap();
    let run = gdwire(&[&convert[..], &["no/such/file"]].concat(), b"");
    assert_eq!((run.code, fs::read(&kept).unwrap()), (2, b"kept".to_vec()));
    assert!(run.stderr.ends_with("an input was not read to its end\n"), "{}", run.stderr);
    fs::remove_file(cut).unwrap();
    // A save whose header depends on the whole content is not begun on standard output either.
    let run = gdwire(&["encode", "--compress", "zstd", "-"], b"7\nVektor\n");
    assert!(run.code == 1 && run.stdout.is_empty() && run.stderr.ends_with(note), "{run:?}");
    let run = gdwire(&["encode", "--compress", "zstd", "--skip-errors", "-"], b"7\nVektor\n");
    assert!(run.code == 1 && run.stdout.starts_with(b"GCPF"), "{run:?}");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
}

/// As the shell and `sort -o` do it, the file that a dangling link names is created.
#[cfg(unix)]
#[test]
fn a_dangling_link_is_written_through() {
    use std::os::unix::fs::symlink;
    let folder = directory("dangling");
    fs::create_dir(folder.join("other")).unwrap();
    symlink("other/one", folder.join("two")).unwrap();
    symlink("two", folder.join("three")).unwrap();
    let link = folder.join("three");
    assert_eq!(gdwire(&["encode", "-o", link.to_str().unwrap(), "-"], b"null").code, 0);
    assert_eq!(fs::read(folder.join("other/one")).unwrap(), frame(NIL));
    assert!(fs::symlink_metadata(link).unwrap().is_symlink());
    let nowhere = folder.join("nowhere");
    symlink("no/such/folder", &nowhere).unwrap();
    let run = gdwire(&["encode", "-o", nowhere.to_str().unwrap(), "-"], b"null");
    assert!(run.code == 2 && run.stderr.contains("cannot write: No such file"), "{run:?}");
}

#[test]
fn a_name_may_be_as_long_as_names_can_be() {
    let path = directory("long-name").join("n".repeat(250));
    for _ in 0..2 {
        let run = gdwire(&["encode", "-o", path.to_str().unwrap(), "-"], b"null");
        assert_eq!((run.code, &*run.stderr), (0, ""));
    }
    assert_eq!(fs::read(path).unwrap(), frame(NIL));
}

#[test]
fn a_hyphen_is_standard_output() {
    let run = gdwire(&["encode", "-o", "-", "-"], b"null");
    assert_eq!((run.code, run.stdout), (0, frame(NIL)));
    assert!(!std::path::Path::new("-").exists());
}

/// A replaced file keeps its permissions, and a new one has no readers that an input does not have.
#[cfg(unix)]
#[test]
fn an_output_is_not_readable_by_more_users_than_its_inputs() {
    use std::os::unix::fs::PermissionsExt;
    let folder = directory("permissions");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let save = folder.join("save");
    fs::copy(corpus("saves/godot3-pass.sav"), &save).unwrap();
    for (before, input, replaced, created) in [
        (0o600, 0o644, 0o600, 0o644),
        (0o640, 0o600, 0o640, 0o600),
        (0o666, 0o640, 0o666, 0o640),
        (0o600, 0o444, 0o600, 0o644),
    ] {
        fs::set_permissions(&save, fs::Permissions::from_mode(input)).unwrap();
        let [old, new] = ["old", "new"].map(|name| folder.join(name));
        fs::write(&old, "old").unwrap();
        fs::set_permissions(&old, fs::Permissions::from_mode(before)).unwrap();
        fs::remove_file(&new).ok();
        for (output, expected) in [(&old, replaced), (&new, created)] {
            let convert = format!(
                "umask 022 && exec '{}' convert --password 'correct horse' '{}' -o '{}'",
                env!("CARGO_BIN_EXE_gdwire"),
                save.display(),
                output.display()
            );
            let status = std::process::Command::new("sh").args(["-c", &convert]).status().unwrap();
            assert!(status.success());
            assert_eq!(mode(output), expected, "{input:o} {}", output.display());
            assert!(fs::read(output).unwrap().len() > 10);
        }
    }
}
