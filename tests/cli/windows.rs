//! The command for Windows, under Wine: it gives the same bytes as the one that cargo built, and knows
//! what is different there. `tests/windows/test.sh` builds it and runs these tests.

use crate::cli::run::{Run, command, directory};
use crate::cli::terminal::Terminal;
use crate::common::corpus;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Whether the tests run the command for Windows. Says how to run them if not.
fn is_windows() -> bool {
    let is_windows = std::env::var_os("GDWIRE_COMMAND")
        .is_some_and(|command| Path::new(&command).ends_with("tests/windows/gdwire"));
    if !is_windows {
        eprintln!("skipped: the command for Windows is not tested (tests/windows/test.sh)");
    }
    is_windows
}

/// A folder below `target`, where the tools are.
fn target(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target").join(path)
}

/// A path as Windows writes it.
fn windows(path: &Path) -> String {
    format!("Z:{}", path.display()).replace('/', "\\")
}

/// A program for Windows.
fn wine(program: &Path) -> Command {
    let mut command = Command::new(target("tools/windows/bin/wine"));
    command.arg(program);
    command
}

fn run(arguments: &[&str]) -> Run {
    Run::of(command(arguments).output().unwrap())
}

/// Runs the command for Windows and the one that cargo built, which do the same.
fn alike(arguments: &[&str], stdin: &[u8]) -> Run {
    let built =
        Command::new(env!("CARGO_BIN_EXE_gdwire")).args(arguments).env_remove("PATH").fed(stdin);
    let run = command(arguments).fed(stdin);
    assert_eq!((run.code, &run.stderr), (built.code, &built.stderr), "{arguments:?}");
    assert!(run.stdout == built.stdout, "{arguments:?}");
    run
}

trait Fed {
    fn fed(&mut self, stdin: &[u8]) -> Run;
}

impl Fed for Command {
    fn fed(&mut self, stdin: &[u8]) -> Run {
        let child = self.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let output = std::thread::scope(|scope| {
            scope.spawn(move || input.write_all(stdin).ok());
            child.wait_with_output().unwrap()
        });
        Run::of(output)
    }
}

fn recordings() -> Vec<String> {
    let mut paths: Vec<_> = fs::read_dir(corpus("captures"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_none_or(|it| it != "ndjson"))
        .map(|path| path.to_str().unwrap().to_owned())
        .collect();
    paths.sort();
    assert!(paths.len() >= 47);
    paths
}

#[test]
fn every_recording_is_decoded_to_the_same_bytes() {
    if !is_windows() {
        return;
    }
    let recordings = recordings();
    for options in [&["--format", "ndjson", "--hex"][..], &[], &["--format", "native"]] {
        let files = recordings.iter().map(String::as_str);
        let arguments: Vec<_> = ["decode"].iter().chain(options).copied().chain(files).collect();
        let run = alike(&arguments, b"");
        assert!(run.stdout.len() > 100_000);
    }
    let saves: Vec<_> =
        fs::read_dir(corpus("saves")).unwrap().map(|it| it.unwrap().path()).collect();
    let saves = saves.iter().map(|path| path.to_str().unwrap());
    let saves = saves.filter(|path| !path.contains("key.") && !path.contains("pass."));
    alike(&["decode"].into_iter().chain(saves).collect::<Vec<_>>(), b"");
}

#[test]
fn every_subcommand_prints_the_same() {
    if !is_windows() {
        return;
    }
    let captures = corpus("captures");
    let of = |name: &str| captures.join(name).to_str().unwrap().to_owned();
    let (game, lossy) =
        (of("godot4-game-enet.pcapng"), of("godot4-game-enet-lossy-client-side.pcapng"));
    let rpc = of("godot3-rpc.pcapng");
    let (server, save) = (of("godot4-game-enet-lossy-server-side.pcapng"), of("godot4-file.bin"));
    for arguments in [
        &["stats", &game][..],
        &["stats", "--format", "json", &game],
        &["stats", &rpc],
        &["states", &game],
        &["diagnose", &lossy],
        &["compare", &lossy, &server],
        &["top", &game],
        &["convert", "--to", "godot3", "--output", "hex", &save],
        &["annotate", "--as", "messages", &game, "-o", "-"],
        &["report", &game, "-o", "-"],
        &["completions", "powershell"],
        &["decode", "--path", "Game/*", "--where", ".frame < 90", &game],
        &["decode", "--interface", "lo", &game],
        &["extcap", "--extcap-interface", "gdwire-lo", "--extcap-config"],
    ] {
        alike(arguments, b"");
    }
    let capture = fs::read(&game).unwrap();
    alike(&["decode", "-"], &capture);
    let text = b"{\"a\": [1, 2.5]}\nPackedByteArray(1, 2)\n";
    let encoded = alike(&["encode", "--dialect", "godot4", "--output", "hex", "-"], text);
    assert_eq!(encoded.code, 0, "{}", encoded.stderr);
    alike(&["decode", "--input", "hex", "-"], &encoded.stdout);
    let folder = directory("windows-outputs");
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    alike(&["man", &file("man")], b"");
    assert!(fs::read_dir(folder.join("man")).unwrap().count() > 10);
    #[cfg(feature = "export")]
    {
        alike(&["export", "--format", "arrow", "-o", "-", &game], b"");
        let exported = run(&["export", "-o", &windows(&folder.join("tables")), &game]);
        assert_eq!((exported.code, exported.stderr.as_str()), (0, ""));
        assert!(folder.join("tables").is_dir());
    }
}

#[test]
fn paths_have_drives_and_backslashes() {
    if !is_windows() {
        return;
    }
    let folder = directory("windows-paths");
    let file = folder.join("a file.pcapng");
    fs::copy(corpus("captures/godot4-udp.pcapng"), &file).unwrap();
    let path = windows(&file);
    let decoded = run(&["decode", &path]);
    assert_eq!((decoded.code, decoded.stderr.as_str()), (0, ""));
    assert!(!decoded.stdout.is_empty());
    let lost = windows(&folder.join("lost.pcapng"));
    let missing = run(&["decode", &lost]);
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.starts_with(&format!("gdwire: {lost}: ")), "{}", missing.stderr);
    let matching = run(&["decode", &windows(&folder.join("*.PCAP?G"))]);
    assert_eq!((matching.code, &matching.stdout), (0, &decoded.stdout));
    // A file is replaced as a whole.
    let output = folder.join("out.html");
    fs::write(&output, "old").unwrap();
    let report = run(&["report", &path, "-o", &windows(&output)]);
    assert_eq!((report.code, report.stderr.as_str()), (0, ""));
    assert!(fs::read(&output).unwrap().len() > 10_000);
    fs::write(&output, "old").unwrap();
    assert_eq!(run(&["report", &lost, "-o", &windows(&output)]).code, 2);
    assert_eq!(fs::read(&output).unwrap(), b"old");
    // An input is never replaced, whatever its spelling is.
    let other = windows(&folder.join("A FILE.pcapng"));
    let refused = run(&["report", &path, "-o", &other]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("gdwire also reads this file"), "{}", refused.stderr);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "no temporary file is left");
}

#[test]
fn files_that_another_program_holds_open_are_named() {
    if !is_windows() {
        return;
    }
    let folder = directory("windows-held");
    let [file, output] = ["held.pcapng", "page.html"].map(|name| folder.join(name));
    fs::copy(corpus("captures/godot4-udp.pcapng"), &file).unwrap();
    let free = folder.join("free.pcapng");
    fs::copy(&file, &free).unwrap();
    fs::write(&output, "old").unwrap();
    let mut holders: Vec<_> = [&file, &output].map(|path| hold(path)).into();
    let refused = run(&["decode", &windows(&file)]);
    assert_eq!((refused.code, refused.stdout.len()), (2, 0));
    assert!(refused.stderr.contains("another program"), "{}", refused.stderr);
    let refused = run(&["report", &windows(&free), "-o", &windows(&output)]);
    assert_eq!(refused.code, 2);
    let expected = format!("gdwire: {}: cannot write: another program", windows(&output));
    assert!(refused.stderr.starts_with(&expected), "{}", refused.stderr);
    for mut holder in holders.drain(..) {
        drop(holder.stdin.take());
        holder.wait().unwrap();
    }
    assert_eq!(fs::read(&output).unwrap(), b"old");
    assert_eq!(run(&["decode", &windows(&file)]).code, 0);
}

/// A program that holds a file.
fn hold(path: &Path) -> Child {
    let mut holder = wine(&target("windows/helper.exe"));
    holder.args(["hold", &windows(path)]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut holder = holder.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(holder.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line.trim(), "held");
    holder
}

#[test]
fn a_closed_pipe_is_no_error() {
    if !is_windows() {
        return;
    }
    let capture = corpus("captures/godot4-game-enet.pcapng");
    let mut child = command(&["decode", "--format", "ndjson"])
        .args([&capture; 8])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with('{'), "{line}");
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

/// On a console, Ctrl-C ends a growing file, and UTF-8 is shown.
#[test]
fn ctrl_c_ends_a_live_input_on_a_console() {
    if !is_windows() {
        return;
    }
    let folder = directory("windows-console");
    let [file, script] = ["growing.hex", "script.sh"].map(|name| folder.join(name));
    fs::write(&file, "0200000007000000\n").unwrap();
    let [program, path] =
        [command(&[]).get_program().to_str().unwrap(), &windows(&file)].map(str::to_owned);
    let options = "--follow --input hex --dialect godot4";
    fs::write(
        &script,
        format!("trap : INT\n'{program}' decode {options} '{path}'\necho \"end $?\"\n"),
    )
    .unwrap();
    let Some(terminal) = Terminal::start((100, 40), &script) else { return };
    let mut growing = fs::OpenOptions::new().append(true).open(&file).unwrap();
    // A string with a letter beyond ASCII.
    growing.write_all(b"0400000002000000c3a90000\n").unwrap();
    terminal.wait_for("value", |screen| screen.contains("\"é\""));
    terminal.tmux(&["send-keys", "C-c"]);
    let screen = terminal.wait_for("end", |screen| screen.contains("end "));
    assert!(screen.contains("end 0"), "{screen}");
}

/// dumpcap is found where Wireshark's installer puts it, and interfaces have the names that people see.
#[test]
fn interfaces_have_the_names_that_people_see() {
    if !is_windows() {
        return;
    }
    let folder = target("tools/windows/prefix/drive_c/Program Files/Wireshark");
    fs::remove_dir_all(&folder).ok();
    for arguments in [&["decode", "--list-interfaces"][..], &["decode", "--interface", "lo"]] {
        let missing = run(arguments);
        assert_eq!((missing.code, missing.stdout.len()), (2, 0));
        assert!(missing.stderr.contains("install Wireshark"), "{}", missing.stderr);
        assert!(!missing.stderr.contains("apt install"), "{}", missing.stderr);
    }
    fs::create_dir_all(&folder).unwrap();
    fs::copy(target("windows/helper.exe"), folder.join("dumpcap.exe")).unwrap();
    let listed = run(&["decode", "--list-interfaces"]);
    assert_eq!((listed.code, listed.stderr.as_str()), (0, ""));
    let names: Vec<_> =
        listed.lines().iter().map(|line| line.split("  ").next().unwrap()).collect();
    assert_eq!(names, ["Ethernet 2", "vEthernet (WSL)", "Adapter for loopback traffic capture"]);
    let extcap = run(&["extcap", "--extcap-interfaces"]);
    assert!(
        extcap.text().contains("{value=gdwire-1}{display=Godot: Ethernet 2}"),
        "{}",
        extcap.text()
    );
    let capture = corpus("captures/godot3-udp-null.pcap");
    let whole = run(&["decode", capture.to_str().unwrap()]);
    assert!(!whole.stdout.is_empty());
    for (given, taken) in [
        ("lo", r"\Device\NPF_Loopback"),
        ("Loopback", r"\Device\NPF_Loopback"),
        ("Adapter for loopback traffic capture", r"\Device\NPF_Loopback"),
        ("ethernet 2", r"\Device\NPF_{0C4D7B1E-6B2F-4A57-9B3C-5A1D2E3F4A5B}"),
    ] {
        let mut live = command(&["decode", "--interface", given]);
        let live = Run::of(live.env("GDWIRE_CAPTURE", windows(&capture)).output().unwrap());
        assert_eq!((live.code, &live.stdout), (0, &whole.stdout), "{}", live.stderr);
        assert!(live.stderr.contains(&format!("Capturing on '{taken}'")), "{}", live.stderr);
    }
    fs::remove_dir_all(&folder).unwrap();
}
