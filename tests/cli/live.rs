//! Live inputs: Ctrl-C, files that grow, and network interfaces.

use crate::cli::edited::{capture, datagrams};
use crate::cli::run::{command, directory, gdwire, on_capture};
use crate::cli::running::{Running, TIMEOUT};
use crate::common::{again_in_a_network, can_capture, corpus, hex, is_in_a_network};
use gdwire::capture::Capture;
use gdwire::packet::Payload;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The bytes of a capture up to the end of its middle packet.
fn half(name: &str) -> Vec<u8> {
    let mut file = capture(name);
    let mut packets = Capture::new(&file).unwrap();
    let count = Capture::new(&file).unwrap().count();
    packets.by_ref().take(count / 2).for_each(|packet| assert!(packet.is_ok()));
    let end = usize::try_from(packets.position()).unwrap();
    file.truncate(end);
    file
}

const CAPTURES: [&str; 4] = [
    "godot4-udp.pcapng",
    "godot4-tcp.pcapng",
    "godot4-rpc-three.pcapng",
    "godot3-websocket.pcapng",
];

/// Everything before the signal is shown, also messages that were held back, and the exit code is
/// that of the data.
#[test]
fn an_interrupted_pipe_gives_everything_before_the_signal() {
    for (name, signal) in CAPTURES.into_iter().zip(["-INT", "-TERM", "-INT", "-INT"]) {
        for format in ["ndjson", "text"] {
            let arguments = ["decode", "--format", format, "-"];
            let expected = gdwire(&arguments, &half(name));
            let mut run = Running::start(&arguments);
            run.write(&half(name));
            // After its first message, the command catches the signal.
            let mut given = vec![run.line()];
            run.signal(signal);
            let (code, rest, errors) = run.end();
            given.extend(rest);
            assert_eq!(given, expected.lines(), "{name}");
            assert_eq!(errors, expected.stderr.lines().collect::<Vec<_>>(), "{name}");
            assert_eq!(code, Some(expected.code), "{name}");
        }
    }
}

#[test]
fn an_interrupted_count_shows_its_tables() {
    for format in ["table", "json"] {
        let arguments = ["stats", "--verbose", "--format", format, "-"];
        let bytes = capture("godot4-rpc.pcapng");
        let expected = gdwire(&arguments, &bytes);
        let mut run = Running::start(&arguments);
        run.write(&bytes);
        // A connection was recognized.
        let first = run.error();
        run.signal("-INT");
        let (code, lines, errors) = run.end();
        assert_eq!(
            (code, lines),
            (Some(0), expected.lines().iter().map(|it| it.to_string()).collect())
        );
        assert_eq!([&[first], &errors[..]].concat(), expected.stderr.lines().collect::<Vec<_>>());
    }
}

/// A loss before the signal makes the exit code 1.
#[test]
fn an_interrupted_run_has_the_exit_code_of_the_data() {
    let mut run = Running::start(&["decode", "--input", "hex", "--dialect", "godot3", "-"]);
    run.write(b"zz\n0200000007000000\n02000000");
    assert!(run.line().starts_with("error: "));
    assert_eq!(run.line(), "7");
    run.signal("-INT");
    let (code, lines, errors) = run.end();
    assert_eq!((code, lines.len(), errors.len()), (Some(1), 0, 1), "{errors:?}");
}

/// Ctrl-C also ends reading a pipe that never ends and never waits.
#[test]
fn an_interrupted_endless_pipe_ends() {
    let mut run = Running::start(&["decode", "--input", "hex", "--dialect", "godot3", "-"]);
    let mut input = run.child.stdin.take().unwrap();
    let flood = b"0200000007000000\n".repeat(1_000);
    let writer = thread::spawn(move || while input.write_all(&flood).is_ok() {});
    assert_eq!(run.line(), "7");
    run.signal("-INT");
    let (code, lines, errors) = run.end();
    assert_eq!((code, errors), (Some(0), vec![]));
    assert!(lines.iter().all(|line| line == "7"));
    writer.join().unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn interrupted_text_is_encoded_up_to_the_signal() {
    let mut run = Running::start(&["encode", "--output", "hex", "-"]);
    // The last line may be the beginning of another number.
    run.write(b"7\n8\n9");
    // Its input is read to the end before anything is written, so only its start is waited for.
    wait_until_signals_are_caught(&run);
    // The main thread, the one for signals, and the one that reads.
    let tasks = format!("/proc/{}/task", run.child.id());
    while fs::read_dir(&tasks).unwrap().count() < 3 {
        thread::yield_now();
    }
    run.signal("-INT");
    let (code, lines, errors) = run.end();
    assert_eq!(
        (code, errors),
        (Some(130), vec!["gdwire: stdin: interrupted; the rest was not read".to_owned()])
    );
    assert_eq!(lines, ["0200000007000000", "0200000008000000"]);
}

/// A reader that does not read keeps the command from ending; the second Ctrl-C ends it.
#[test]
fn the_second_interrupt_ends_at_once() {
    let files = vec![corpus("captures/godot4-rpc.pcapng"); 50];
    let mut child = command(&["decode", "--format", "ndjson", "--hex"])
        .args(files)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 10]).unwrap();
    let id = child.id().to_string();
    let status = loop {
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        thread::sleep(Duration::from_millis(50));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
    };
    assert_eq!(status.code(), Some(130));
}

/// Nothing was read that could be shown.
#[test]
fn the_first_interrupt_ends_a_wait_for_a_password_or_a_list() {
    let file = corpus("captures/godot4-rpc.pcapng");
    for waits in ["--password-file=-", "--methods=/dev/stdin"] {
        let mut child = command(&["decode", waits])
            .arg(&file)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(300));
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < TIMEOUT, "{waits}");
            thread::sleep(Duration::from_millis(10));
        };
        // If the machine is slow, the signal comes before the command catches it.
        assert!(matches!(status.code(), Some(130) | None), "{waits}: {status}");
    }
}

/// If an input was not read to its end, the output file stays as it was.
#[test]
fn an_interrupted_conversion_does_not_replace_its_output() {
    let folder = directory("interrupted-output");
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let output = folder.join("output");
    fs::write(&output, "old").unwrap();
    let file = corpus("captures/godot4-udp.pcapng");
    let [pipe, output, file] = [&pipe, &output, &file].map(|path| path.to_str().unwrap());
    let options = ["convert", "--input", "capture", "-o", output, pipe];
    for more in [&[file][..], &[]] {
        let run = Running::start(&[&options, more].concat());
        // This waits until the command opens the pipe.
        let mut writer = File::options().write(true).open(pipe).unwrap();
        writer.write_all(&half("godot4-udp.pcapng")).unwrap();
        run.signal("-TERM");
        let (code, _, errors) = run.end();
        assert_eq!(code, Some(130), "{errors:?}");
        assert!(errors[0].ends_with(": interrupted; the rest was not read"), "{errors:?}");
        assert!(errors[1].contains("the output file was not written"), "{errors:?}");
        assert_eq!((errors.len(), fs::read(output).unwrap()), (2, b"old".to_vec()));
    }
}

/// A page about a pipe has what came until the signal, as one about an interface has.
#[test]
fn an_interrupted_pipe_gives_a_report() {
    let page = directory("interrupted-report").join("page.html");
    fs::write(&page, "old").unwrap();
    let mut run = Running::start(&["report", "--verbose", "-", "-o", page.to_str().unwrap()]);
    run.write(&half("godot4-rpc.pcapng"));
    // A connection was recognized.
    run.error();
    run.signal("-TERM");
    assert_eq!(run.end().0, Some(0));
    assert!(fs::read_to_string(page).unwrap().ends_with("</html>\n"));
}

/// Arguments that read captures again and again, so that a signal arrives before the end.
fn many(capture: &str) -> Vec<String> {
    vec![corpus("captures").join(capture).to_str().unwrap().to_owned(); 2_000]
}

/// The signals in one of the masks of a process.
#[cfg(target_os = "linux")]
fn signals(process: &str, mask: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(mask)).unwrap();
    u64::from_str_radix(line.trim(), 16).unwrap()
}

/// Waits until the command catches signals. If SIGHUP was not ignored before, it is the last one.
#[cfg(target_os = "linux")]
fn wait_until_signals_are_caught(run: &Running) {
    let hangup = !signals("self", "SigIgn:") & 1;
    let all = hangup | 1 << 1 | 1 << 14;
    while signals(&run.child.id().to_string(), "SigCgt:") & all != all {
        thread::yield_now();
    }
}

/// An interrupted run shows the part of the files that it has read, but writes no file, and leaves
/// none.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_run_has_an_exit_code_and_writes_no_files() {
    let folder = directory("interrupted-files");
    let [old, new] = ["old", "new"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    fs::write(&old, "old").unwrap();
    let files = many("godot4-rpc.pcapng");
    for (arguments, signal) in [
        (&["convert", "--kind", "*", "-o", &old][..], "-INT"),
        (&["report", "-o", &old], "-TERM"),
        (&["report", "--join", "-o", &new], "-HUP"),
        (&["decode", "--limit", "1000000000"], "-INT"),
        (&["stats", "--total"], "-TERM"),
        (&["diagnose"], "-HUP"),
        #[cfg(feature = "export")]
        (&["export", "--format", "arrow", "-o", &old], "-INT"),
        #[cfg(feature = "export")]
        (&["export", "-o", &new], "-INT"),
        #[cfg(feature = "export")]
        (&["export", "--roll-size", "64K", "--partition", "transport", "-o", &new], "-TERM"),
    ] {
        let files = files.iter().map(String::as_str);
        let arguments: Vec<_> = arguments.iter().copied().chain(files).collect();
        let run = Running::start(&arguments);
        wait_until_signals_are_caught(&run);
        if arguments[1] == "--roll-size" {
            // Some files are complete.
            let complete = format!("{new}/messages/transport=enet");
            while !fs::read_dir(&complete).is_ok_and(|mut files| {
                files.any(|file| !file.unwrap().file_name().to_str().unwrap().starts_with('.'))
            }) {
                thread::yield_now();
            }
        }
        // Under `nohup`, the signal stays ignored.
        let is_ignored = signals("self", "SigIgn:") & 1 != 0;
        run.signal(if signal == "-HUP" && is_ignored { "-INT" } else { signal });
        let (code, _, errors) = run.end();
        assert_eq!(code, Some(130), "{} {errors:?}", arguments[0]);
        let is_said = |line: &String| line.ends_with(": interrupted; the rest was not read");
        assert_eq!(errors.iter().filter(|line| is_said(line)).count(), 1, "{errors:?}");
        assert_eq!(fs::read(&old).unwrap(), b"old");
        let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path()).collect();
        assert_eq!(left, [Path::new(&old)], "{}", arguments[0]);
    }
}

/// The copy of a capture is not written if a part of its messages was not read.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_annotation_writes_no_copy() {
    let folder = directory("interrupted-annotation");
    let [long, copy] = ["long.pcap", "copy"].map(|name| folder.join(name));
    let file = capture("godot3-udp-usec.pcap");
    let (header, packets) = file.split_at(24);
    fs::write(&long, [header, &packets.repeat(500)].concat()).unwrap();
    fs::write(&copy, "old").unwrap();
    let run = Running::start(&["annotate", long.to_str().unwrap(), "-o", copy.to_str().unwrap()]);
    // The temporary file is made before the capture is read.
    while fs::read_dir(&folder).unwrap().count() == 2 {
        thread::yield_now();
    }
    run.signal("-TERM");
    let (code, _, errors) = run.end();
    assert_eq!((code, fs::read(copy).unwrap()), (Some(130), b"old".to_vec()), "{errors:?}");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 2);
}

/// Standard input that is a file is no live traffic.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_file_on_standard_input_was_not_read_to_its_end() {
    let path = directory("interrupted-stdin").join("lines");
    fs::write(&path, "0200000007000000\n".repeat(1_000_000)).unwrap();
    let mut command = command(&["decode", "--input", "hex", "-"]);
    let mut child =
        command.stdin(File::open(path).unwrap()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0]).unwrap();
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    stdout.read_to_end(&mut Vec::new()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// The second signal ends the program at once, also without leaving a temporary file.
#[cfg(target_os = "linux")]
#[test]
fn no_temporary_file_remains_after_the_second_signal() {
    let folder = directory("two-signals");
    let output = folder.join("output");
    let mut run =
        Running::start(&["convert", "--input", "hex", "-o", output.to_str().unwrap(), "-"]);
    run.write(b"0200000007000000\n");
    wait_until_signals_are_caught(&run);
    while fs::read_dir(&folder).unwrap().count() == 0 {
        thread::yield_now();
    }
    run.signal("-INT");
    run.signal("-TERM");
    let (code, ..) = run.end();
    assert_eq!((code, fs::read_dir(folder).unwrap().count()), (Some(130), 0));
}

/// The commands that show live traffic may be ended at any time.
#[test]
fn an_interrupted_pipe_of_live_traffic_is_no_failure() {
    for command in ["decode", "stats", "diagnose"] {
        let mut run = Running::start(&[command, "--verbose", "--input", "capture", "-"]);
        run.write(&half("godot4-rpc.pcapng"));
        run.error();
        run.signal("-INT");
        let (code, lines, errors) = run.end();
        assert!(code != Some(130) && lines.len() > 3, "{command} {errors:?}");
    }
}

/// The first values of a slow stream are shown although they might not be enough to find the
/// dialect.
#[test]
fn the_first_lines_of_a_slow_pipe_are_shown() {
    let mut run = Running::start(&["decode", "--input", "hex", "-"]);
    run.write(b"0200000007000000\n");
    assert_eq!(run.line(), "7");
    run.write(b"0200000008000000\n0200");
    assert_eq!(run.line(), "8");
    run.write(b"000009000000\n");
    assert_eq!(run.line(), "9");
    run.signal("-TERM");
    assert_eq!(run.end(), (Some(0), vec![], vec![]));
}

/// Messages that could be of several engines are shown although nothing more arrives.
#[test]
fn messages_of_a_new_connection_do_not_wait_for_more() {
    // A Color of Godot 3 or a Plane of Godot 4.
    let value = [[14, 0, 0, 0], [0, 0, 0x80, 0x3f], [0; 4], [0; 4], [0, 0, 0x80, 0x3f]].concat();
    let mut file = datagrams([(0x0a00_0001, 7778, &value[..]); 3]);
    let expected = gdwire(&["decode", "--plain", "-"], &file);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let now = u32::try_from(now).unwrap().to_le_bytes();
    for record in file[24..].chunks_mut(16 + 28 + value.len()) {
        record[..4].copy_from_slice(&now);
    }
    let mut run = Running::start(&["decode", "--plain", "-"]);
    run.write(&file);
    assert_eq!([run.line(), run.line(), run.line()].to_vec(), expected.lines());
    run.signal("-INT");
    assert_eq!(run.end(), (Some(0), vec![], vec![]));
}

/// Appends to a file.
fn append(path: &Path, bytes: &[u8]) {
    File::options().append(true).create(true).open(path).unwrap().write_all(bytes).unwrap();
}

const RESTARTED: &str = "the file was replaced or shortened; continuing with its new content";

/// A capture that does not exist yet, then grows packet by packet, then is overwritten by a shorter
/// one, then is replaced.
#[test]
fn a_growing_capture_is_followed() {
    let path = directory("follow").join("growing.pcapng");
    let name = path.to_str().unwrap();
    // If the transport and the dialect are known, no message is held back.
    let known = ["--transport", "udp", "--dialect", "godot4"];
    let run = Running::start(&[&["decode", "--plain", "--follow", name], &known[..]].concat());
    assert_eq!(
        run.error(),
        format!("gdwire: {name}: the file does not exist; waiting until it does")
    );
    let grown = capture("godot4-udp.pcapng");
    let expected = on_capture(&["decode", "--plain"], "godot4-udp.pcapng");
    let mut expected = expected.lines().into_iter();
    let mut start = 0;
    let mut packets = Capture::new(&grown).unwrap();
    while packets.next().is_some() {
        let end = usize::try_from(packets.position()).unwrap();
        // A packet may be written in two steps.
        let middle = (start + end) / 2;
        append(&path, &grown[start..middle]);
        append(&path, &grown[middle..end]);
        start = end;
        assert_eq!(run.line(), expected.next().unwrap());
    }
    assert_eq!(expected.next(), None);
    let other = "godot4-udp-ipv6.pcapng";
    let expected = on_capture(&["decode", "--plain"], other);
    let bytes = capture(other);
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(run.error(), format!("gdwire: {name}: {RESTARTED}"));
    append(&path, &bytes[bytes.len() / 2..]);
    for line in expected.lines() {
        assert_eq!(run.line(), line);
    }
    let new = path.with_extension("new");
    fs::write(&new, &bytes).unwrap();
    fs::rename(&new, &path).unwrap();
    assert_eq!(run.error(), format!("gdwire: {name}: {RESTARTED}"));
    for line in expected.lines() {
        assert_eq!(run.line(), line);
    }
    run.signal("-INT");
    assert_eq!(run.end(), (Some(0), vec![], vec![]));
}

/// Value files grow, too.
#[test]
fn growing_values_are_followed() {
    let seven: [&[u8]; 3] =
        [b"\x08\0\0\0\x02\0\0\0\x07\0\0\0", b"0200000007000000\n", b"AgAAAAcAAAA=\n"];
    let eight: [&[u8]; 3] =
        [b"\x08\0\0\0\x02\0\0\0\x08\0\0\0", b"0200000008000000\n", b"AgAAAAgAAAA=\n"];
    for (input, (seven, eight)) in
        ["framed", "hex", "base64"].into_iter().zip(seven.into_iter().zip(eight))
    {
        let path = directory(&format!("follow-{input}")).join("growing");
        fs::write(&path, [eight, eight].concat()).unwrap();
        let name = path.to_str().unwrap();
        let run =
            Running::start(&["decode", "--follow", "--input", input, "--dialect", "godot4", name]);
        assert_eq!([run.line(), run.line()], ["8", "8"]);
        append(&path, &eight[..5]);
        append(&path, &eight[5..]);
        assert_eq!(run.line(), "8");
        fs::write(&path, seven).unwrap();
        assert_eq!(run.line(), "7");
        assert_eq!(run.error(), format!("gdwire: {name}: {RESTARTED}"));
        run.signal("-INT");
        assert_eq!(run.end(), (Some(0), vec![], vec![]), "{input}");
    }
}

#[test]
fn inputs_that_cannot_be_followed_are_wrong_usage() {
    for (arguments, hint) in [
        (&["decode", "--follow", "-"][..], "--follow needs exactly one file"),
        (&["decode", "--follow", "a", "b"], "--follow needs exactly one file"),
        (&["decode", "--follow", "--input", "raw", "a"], "but no raw values"),
        (&["decode", "--follow", "--join", "a"], "cannot be used with"),
        (&["decode", "--interface", "lo", "file"], "cannot be used with"),
        (&["decode", "--capture-filter", "udp", "file"], "needs --interface"),
    ] {
        let run = gdwire(arguments, b"");
        assert_eq!((run.code, run.stdout.len()), (2, 0), "{arguments:?}");
        assert!(run.stderr.contains(hint), "{}", run.stderr);
    }
}

/// The capturing programs are started with the filter that the options define. A script replaces
/// them here.
#[test]
fn the_capture_filter_selects_the_ports_and_hosts() {
    let folder = directory("interface");
    let capture = corpus("captures/godot4-udp.pcapng");
    let script = |name: &str, text: &str| {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let run = |arguments: &[&str]| {
        let mut command = command(&["decode", "--interface", "net0"]);
        let output = command.args(arguments).env("PATH", &folder).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), output.stdout, stderr)
    };
    let whole = on_capture(&["decode"], "godot4-udp.pcapng");
    let cat = format!("/bin/cat {}", capture.display());
    script("dumpcap", &format!("for it in \"$@\"; do echo \"<$it>\" >&2; done; {cat}"));
    for (options, filter) in [
        (&[][..], ""),
        (
            &["--port", "7777", "--host", "127.0.0.1", "--host", "::1"],
            "<-f> <(port 7777 or ip[6:2] & 0x1fff != 0 or ip6[6] = 44) and \
             (host 127.0.0.1 or host ::1)>",
        ),
        (&["--port", "7777", "--capture-filter", "udp"], "<-f> <udp>"),
        (&["--capture-filter=-wfile"], "<-f> <-wfile>"),
    ] {
        let (code, stdout, stderr) = run(options);
        assert_eq!((code, stdout), (Some(0), whole.stdout.clone()), "{stderr}");
        let said: Vec<_> = stderr
            .lines()
            .map(|line| line.strip_prefix("gdwire: net0: dumpcap: ").expect(line))
            .collect();
        let expected = format!("<-q> <-s> <0> <-B> <32> <-w> <-> <-i> <net0> {filter}");
        assert_eq!(said.join(" "), expected.trim_end());
    }
    // Lost packets make the exit code 1.
    let lost = "echo '7 packets dropped by kernel' >&2";
    script("dumpcap", &format!("{cat}; {lost}"));
    let (code, stdout, stderr) = run(&["--quiet"]);
    assert_eq!((code, stdout), (Some(1), whole.stdout.clone()));
    assert!(stderr.starts_with("gdwire: net0: 7 packets arrived too fast"), "{stderr}");
    script("dumpcap", "echo 'You do not have permission to capture on device' >&2; exit 2");
    let (code, stdout, stderr) = run(&[]);
    assert_eq!((code, stdout.len()), (Some(2), 0));
    assert!(stderr.contains("dumpcap: You do not have permission"), "{stderr}");
    assert!(stderr.contains("sudo usermod -aG wireshark $USER"), "{stderr}");
    script("dumpcap", "echo 'No such device' >&2; exit 2");
    assert!(run(&[]).2.contains("'gdwire decode --list-interfaces' lists"));
    // The capturing program fails in the middle.
    script("dumpcap", &format!("{cat}; exit 1"));
    let (code, stdout, stderr) = run(&["--quiet"]);
    assert_eq!((code, stdout), (Some(1), whole.stdout.clone()));
    assert!(stderr.contains("dumpcap failed; what was sent after that is missing"), "{stderr}");
    // Without dumpcap, tcpdump is started.
    fs::remove_file(folder.join("dumpcap")).unwrap();
    script("tcpdump", &format!("echo \"$*\" >&2; {cat}"));
    let (code, stdout, stderr) = run(&["--host", "127.0.0.1"]);
    assert_eq!((code, stdout), (Some(0), whole.stdout));
    // A filter that looks like an option is none.
    let started = "tcpdump: -s 0 -B 32768 -U --immediate-mode -w - -i net0 --";
    assert_eq!(stderr, format!("gdwire: net0: {started} (host 127.0.0.1)\n"));
    let (_, _, stderr) = run(&["--capture-filter=-wfile"]);
    assert_eq!(stderr, format!("gdwire: net0: {started} -wfile\n"));
    script("tcpdump", "echo \"tcpdump: net0: You don't have permission to capture\" >&2; exit 1");
    let (code, _, stderr) = run(&[]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("sudo tcpdump -i net0 -U -w - | gdwire decode -"), "{stderr}");
    fs::remove_file(folder.join("tcpdump")).unwrap();
    let (code, _, stderr) = run(&[]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("neither dumpcap nor tcpdump is installed"), "{stderr}");
}

/// The list is that of the capturing program, and `--interface` takes both names. A script replaces the
/// program.
#[test]
fn interfaces_have_two_names() {
    use std::os::unix::fs::PermissionsExt;
    let folder = directory("interfaces");
    let path = folder.join("dumpcap");
    let list = "1. eth99\n2. br99 (Bridge of guests)\n3. nflog\n";
    let script = format!("case $1 in -D) printf '{list}';; *) echo \"<$*>\" >&2; exit 1;; esac");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let run = |arguments: &[&str]| {
        let output = command(arguments).env("PATH", &folder).output().unwrap();
        let texts = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (output.status.code(), texts)
    };
    let [expected, nothing] = ["eth99\nbr99   Bridge of guests\n", ""].map(str::to_owned);
    for subcommand in ["decode", "stats", "report", "top"] {
        let listed = run(&[subcommand, "--list-interfaces"]);
        assert_eq!(listed, (Some(0), [expected.clone(), nothing.clone()]));
    }
    for (given, taken) in [("bridge of guests", "br99"), ("br99", "br99"), ("eth98", "eth98")] {
        let (code, [_, said]) = run(&["decode", "--interface", given]);
        assert_eq!(code, Some(2));
        assert!(said.contains(&format!(" -i {taken}>")), "{said}");
    }
    fs::remove_file(path).unwrap();
    let (code, [_, said]) = run(&["decode", "--list-interfaces"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("neither dumpcap nor tcpdump is installed"), "{said}");
}

/// Messages are shown while the packets of a game are on the loopback interface.
#[test]
fn traffic_on_an_interface_is_shown_while_it_is_sent() {
    if !can_capture() {
        return;
    }
    // If no network namespace is allowed, capturing may still be allowed.
    let test = "cli::live::traffic_on_an_interface_is_shown_while_it_is_sent";
    if again_in_a_network(test) {
        return;
    }
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    server.set_read_timeout(Some(TIMEOUT)).unwrap();
    let port = server.local_addr().unwrap().port();
    let known = ["--transport", "udp", "--dialect", "godot3", "--format", "hex"];
    let port_text = port.to_string();
    let arguments = ["decode", "--interface", "lo", "--port", &port_text];
    let mut run = Running::start(&[&arguments[..], &known].concat());
    let receive = || {
        let mut datagram = vec![0; 1 << 16];
        let len = server.recv(&mut datagram).unwrap();
        datagram.truncate(len);
        datagram
    };
    // Sends until the command shows a message: then it has begun to capture.
    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    let encode = |text: &str| gdwire::encode(gdwire::Dialect::GODOT_3, text).unwrap();
    let hello = encode("hello");
    let begun = Instant::now();
    loop {
        client.send_to(&hello, ("127.0.0.1", port)).unwrap();
        receive();
        if run.lines.recv_timeout(Duration::from_millis(200)).is_ok() {
            break;
        }
        if run.child.try_wait().unwrap().is_some() || begun.elapsed() > TIMEOUT {
            run.child.kill().unwrap();
            let errors: Vec<_> = run.errors.iter().collect();
            assert!(!is_in_a_network(), "nothing was captured: {errors:?}");
            eprintln!("skipped: capturing is not allowed here: {errors:?}");
            return;
        }
    }
    // Earlier messages may still arrive.
    client.send_to(&encode("begin"), ("127.0.0.1", port)).unwrap();
    receive();
    while run.line() != hex(&encode("begin")) {}
    let mut count = 0;
    let mut seen = |datagram: &[u8]| {
        assert_eq!(run.line(), hex(datagram));
        count += 1;
    };
    let file = capture("godot3-udp.pcapng");
    for packet in Capture::new(&file).unwrap() {
        let packet = packet.unwrap();
        let Payload::Udp(datagram) = packet.payload() else { continue };
        client.send_to(datagram.payload, ("127.0.0.1", port)).unwrap();
        seen(datagram.payload);
    }
    assert!(count > 40);
    run.signal("-INT");
    let (code, lines, errors) = run.end();
    assert_eq!((code, lines.len()), (Some(0), 0), "{errors:?}");
    assert!(errors.iter().any(|line| line.contains(" lo: ")), "{errors:?}");
}
