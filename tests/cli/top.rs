//! `gdwire top`: its screens, its keys, its tables, and the state of the terminal after it.

use crate::cli::edited::capture;
use crate::cli::run::{command, directory, gdwire, on_capture, parsed_lines};
use crate::cli::running::{Running, TIMEOUT};
use crate::cli::terminal::Terminal;
use crate::cli::threads::captures;
use crate::common::corpus;
use gdwire::capture::{Capture, Messages};
use gdwire::follow::Event;
use gdwire::packet::{CapturedPacket, Payload};
use gdwire::stats::Stats;
use gdwire::top::{Top, TopBy, TopLimits, TopQuery, TopSort};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

const GAME: &str = "godot4-game-enet.pcapng";

/// The line that a script prints after the screen.
const END: &str = "== end ==";

/// Starts `gdwire top` on a terminal, with the files of the corpus in the current folder. The state of
/// the terminal before and after is in the files `before` and `after`. None without tmux.
fn start(test: &str, size: (usize, usize), arguments: &str) -> Option<(Terminal, PathBuf)> {
    start_as(test, size, arguments, |run| run.to_owned())
}

/// The same, with the command in a part of a shell script.
fn start_as(
    test: &str,
    size: (usize, usize),
    arguments: &str,
    part: impl FnOnce(&str) -> String,
) -> Option<(Terminal, PathBuf)> {
    let directory = directory(&format!("top-{test}"));
    let program = command(&[]).get_program().to_str().unwrap().to_owned();
    let (captures, folder) = (corpus("captures"), directory.display());
    let run = part(&format!(
        "sh -c 'echo $$ >\"$0\"; exec \"$@\"' '{folder}/id' '{program}' top {arguments} \
         2>'{folder}/errors'"
    ));
    let script = format!(
        "cd '{}'\nstty -g >'{folder}/before'\n{run}\n\
         echo \"{END} $?\"\nstty -g >'{folder}/after'\n",
        captures.display()
    );
    let path = directory.join("script.sh");
    fs::write(&path, script).unwrap();
    Some((Terminal::start(size, &path)?, directory))
}

/// Waits for the end, and checks that the terminal is as it was.
fn check_end((terminal, directory): (Terminal, PathBuf), code: &str) {
    terminal.wait();
    let screen = terminal.screen();
    assert_eq!(screen, format!("{END} {code}\n"), "the lines before are on the terminal again");
    let [before, after] =
        ["before", "after"].map(|name| fs::read_to_string(directory.join(name)).unwrap());
    assert_eq!(before, after);
    assert_eq!(terminal.property("#{alternate_on} #{cursor_flag} #{wrap_flag}"), "0 1 1");
}

/// The screens of a recording at its end, with the keys before each.
const SCREENS: [&[&str]; 8] = [
    &[],
    &["2"],
    &["3", "Space", "Down", "Down", "Space"],
    &["4", "Enter"],
    &["Escape", "5", "s"],
    &["1", "/", "h", "e", "r", "o"],
    &["Enter", "n", "Down", "Enter"],
    &["?"],
];

/// Compares screens with those that are kept. To accept others, copy the files that a failure names.
fn check_screens(columns: usize) {
    let arguments = format!("--speed max --project ../project/arena {GAME}");
    let Some(run) = start(&format!("screens-{columns}"), (columns, 24), &arguments) else { return };
    let mut screens = String::new();
    let mut before = String::new();
    for keys in SCREENS {
        for key in keys {
            run.0.keys(&[key]);
            before = run.0.wait_for("change", |screen| screen != before);
        }
        before = run.0.wait_for("end of the input", |screen| screen.contains("end of the inp"));
        assert!(before.lines().all(|line| line.chars().count() <= columns), "{before}");
        screens += &format!("---- {}\n{before}", keys.join(" "));
    }
    run.0.keys(&["q"]);
    let made = run.1.join("screens.txt");
    check_end(run, "0");
    fs::write(&made, &screens).unwrap();
    let kept =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cli/top/{columns}.txt"));
    let expected = fs::read_to_string(&kept).unwrap_or_default();
    assert!(screens == expected, "cp '{}' '{}'\n{screens}", made.display(), kept.display());
}

#[test]
fn screens_of_60_columns() {
    check_screens(60);
}

#[test]
fn screens_of_100_columns() {
    check_screens(100);
}

#[test]
fn screens_of_300_columns() {
    check_screens(300);
}

/// The page of a row shows the same bytes as `decode --explain`.
#[test]
fn a_message_is_shown_byte_by_byte() {
    let arguments = "--speed max --by method godot3-rpc.pcapng";
    let Some(run) = start("explain", (100, 90), arguments) else { return };
    run.0.wait_for("end of the input", |screen| screen.contains("end of the input"));
    run.0.keys(&["Enter"]);
    let screen = run.0.wait_for("explanation", |screen| screen.contains("byte by byte"));
    let (_, shown) = screen.split_once("byte by byte\n").unwrap();
    let shown: Vec<_> = shown.lines().take_while(|line| line.starts_with("  ")).collect();
    let frame = shown[0].split_whitespace().nth(1).unwrap().trim_end_matches(':');
    let explain = ["decode", "--explain", "--width", "100", "--frames", frame];
    let explained = on_capture(&explain, "godot3-rpc.pcapng");
    assert!(shown.len() > 10, "{screen}");
    let of_message = explained
        .text()
        .split("\n\n")
        .any(|message| message.lines().skip(2).map(str::trim_end).eq(shown.iter().copied()));
    assert!(of_message, "{shown:#?}\n{}", explained.text());
    run.0.keys(&["q"]);
    check_end(run, "0");
}

#[test]
fn a_paused_recording_goes_on_and_a_resized_screen_fits() {
    let arguments = format!("--by command {GAME}");
    let Some(run) = start("pause", (100, 20), &arguments) else { return };
    run.0.wait_for("row", |screen| screen.contains("sync"));
    run.0.keys(&["p"]);
    let paused = run.0.wait_for("PAUSED", |screen| screen.contains("PAUSED"));
    let rows = |screen: &str| screen.lines().skip(3).map(str::to_owned).collect::<Vec<_>>();
    assert!(run.0.tmux(&["resize-window", "-x", "60", "-y", "12"]).status.success());
    let narrow = run.0.wait_for("smaller screen", |screen| {
        screen.lines().count() == 12 && screen.lines().all(|line| line.chars().count() <= 60)
    });
    assert!(narrow.contains("PAUSED") && narrow.contains("sync"), "{narrow}");
    assert!(run.0.tmux(&["resize-window", "-x", "100", "-y", "20"]).status.success());
    let wide = run.0.wait_for("larger screen", |screen| screen.lines().count() == 20);
    assert_eq!(rows(&wide), rows(&paused), "nothing was counted meanwhile");
    run.0.keys(&["p", "+", "+", "+", "+"]);
    run.0.wait_for("end of the input", |screen| screen.contains("end of the input"));
    run.0.keys(&["q"]);
    check_end(run, "0");
}

/// Ctrl-C before the end of a file has the exit code of an interrupt; `q` has not.
#[test]
fn every_end_gives_the_terminal_back() {
    for (end, code) in [("C-c", "130"), ("q", "0"), ("-TERM", "130"), ("-HUP", "130")] {
        let arguments = format!("--speed 0.1 {GAME}");
        let test = format!("end{end}");
        let Some(run) = start(&test, (80, 20), &arguments) else { return };
        run.0.wait_for("connection", |screen| screen.contains("1 connection"));
        if let Some(signal) = end.strip_prefix('-') {
            let id = fs::read_to_string(run.1.join("id")).unwrap();
            let kill = Command::new("kill").args([&format!("-{signal}"), id.trim()]).status();
            assert!(kill.unwrap().success());
        } else {
            run.0.keys(&[end]);
        }
        check_end(run, code);
    }
}

/// Stops the program as Ctrl-Z does, or from elsewhere. The shell then gives the terminal its own state,
/// and continues the program when the user has typed Enter.
#[test]
fn a_stopped_screen_is_shown_again() {
    for stop in ["C-z", "-TSTP"] {
        let arguments = format!("--speed 0.1 {GAME}");
        let test = format!("stopped{stop}");
        let folder = directory(&format!("top-{test}"));
        let part = |run: &str| {
            let folder = folder.display();
            format!(
                "set -m\n{run}\nstty -g >'{folder}/stopped'\nstty \"$(cat '{folder}/before')\"\n\
                 touch '{folder}/waits'\nread go\nprintf '\\033[H\\033[J'\n\
                 fg >'{folder}/fg'"
            )
        };
        let Some(run) = start_as(&test, (80, 20), &arguments, part) else { return };
        run.0.wait_for("connection", |screen| screen.contains("1 connection"));
        if let Some(signal) = stop.strip_prefix('-') {
            let id = fs::read_to_string(run.1.join("id")).unwrap();
            let kill = Command::new("kill").args([&format!("-{signal}"), id.trim()]).status();
            assert!(kill.unwrap().success());
        } else {
            run.0.keys(&[stop]);
        }
        run.0.wait_for("stop", |_| run.1.join("waits").exists());
        if stop == "C-z" {
            let [before, stopped] =
                ["before", "stopped"].map(|name| fs::read_to_string(run.1.join(name)).unwrap());
            assert_eq!(before, stopped);
            assert_eq!(run.0.property("#{alternate_on} #{cursor_flag} #{wrap_flag}"), "0 1 1");
        }
        run.0.keys(&["Enter"]);
        run.0.wait_for("continued program", |_| run.1.join("fg").exists());
        run.0.keys(&["?"]);
        run.0.wait_for("list of the keys", |screen| screen.contains("quit"));
        assert_eq!(run.0.property("#{alternate_on} #{cursor_flag} #{wrap_flag}"), "1 0 0");
        run.0.keys(&["q"]);
        check_end(run, "0");
    }
}

#[test]
fn a_closed_terminal_ends_the_program() {
    let Some((terminal, folder)) = start("closed", (80, 20), &format!("--speed 0.1 {GAME}")) else {
        return;
    };
    terminal.wait_for("connection", |screen| screen.contains("1 connection"));
    let id = fs::read_to_string(folder.join("id")).unwrap();
    let is_running = || {
        let state = Command::new("ps").args(["-o", "stat=", "-p", id.trim()]).output().unwrap();
        !matches!(state.stdout.first(), None | Some(b'Z'))
    };
    assert!(is_running());
    drop(terminal);
    let start = Instant::now();
    while is_running() {
        assert!(start.elapsed() < TIMEOUT, "it goes on without a terminal");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Each line of the tables with a time: the seconds, and their messages and bytes.
fn seconds(text: &str) -> Vec<(String, u64)> {
    let heads = text.lines().filter(|line| line.starts_with("20"));
    heads
        .map(|line| {
            let mut words = line.split_whitespace();
            (words.next().unwrap().to_owned(), words.next().unwrap().parse().unwrap())
        })
        .collect()
}

/// The tables count every message, in its second.
#[test]
fn tables_have_the_messages_of_each_second() {
    for name in [GAME, "godot3-rpc-three.pcapng", "godot4-udp.pcapng", "godot3-websocket.pcapng"] {
        let run = on_capture(&["top", "--speed", "max", "--by", "connection"], name);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let mut expected = BTreeMap::<String, u64>::new();
        for line in parsed_lines(&on_capture(&["decode", "--format", "ndjson"], name)) {
            if line.get("lost").is_none() {
                let time = line["time"].as_str().unwrap();
                *expected.entry(format!("{}Z", &time[..19])).or_default() += 1;
            }
        }
        let shown = seconds(run.text());
        let counted = shown.iter().filter(|(_, count)| *count > 0).cloned();
        assert_eq!(counted.collect::<BTreeMap<_, _>>(), expected, "{name}");
        let is_ascending = shown.is_sorted_by(|one, other| one.0 < other.0);
        assert!(is_ascending && shown.len() >= expected.len(), "{name}");
    }
}

/// Every method that `decode` shows by name has a row.
#[test]
fn tables_have_a_row_for_each_method() {
    let project = corpus("project/arena");
    let project = ["--project", project.to_str().unwrap()];
    let top = ["top", "--speed", "max", "--top", "1000", "--nodes"];
    let run = on_capture(&[&top[..], &project].concat(), GAME);
    let mut methods = BTreeMap::<String, u64>::new();
    let decode = [&["decode", "--format", "ndjson"][..], &project].concat();
    for line in parsed_lines(&on_capture(&decode, GAME)) {
        if let (Some(path), Some(method)) =
            (line["rpc"]["path"].as_str(), line["rpc"]["method"].as_str())
        {
            *methods.entry(format!("{path}.{method}")).or_default() += 1;
        }
    }
    assert!(methods.len() > 10);
    let mut counted = BTreeMap::<String, u64>::new();
    for line in run.lines() {
        let mut words = line.split_whitespace();
        let (Some(name), Some(rate)) = (words.next(), words.nth(3)) else { continue };
        if methods.contains_key(name) {
            *counted.entry(name.to_owned()).or_default() += rate.parse::<u64>().unwrap();
        }
    }
    assert_eq!(counted, methods);
}

#[test]
fn tables_are_sorted_filtered_by_the_selection_and_fit_a_width() {
    let top = |arguments: &[&str]| {
        let arguments = [&["top", "--speed", "max"], arguments].concat();
        on_capture(&arguments, GAME).text().to_owned()
    };
    let narrow = top(&["--by", "node", "--width", "60", "--sort", "name"]);
    assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
    let table: Vec<_> = narrow.split("\n\n").last().unwrap().lines().skip(2).collect();
    assert!(table.len() > 3 && table.is_sorted(), "{narrow}");
    let synced = top(&["--by", "command", "--command", "sync"]);
    let names = synced.lines().filter(|line| line.starts_with("sync "));
    assert!(names.count() > 3 && !synced.contains("\ndelta "), "{synced}");
    let colored = top(&["--color", "always"]);
    assert!(colored.contains("\x1b[36m") && !top(&["--color", "never"]).contains('\x1b'));
    let few = top(&["--by", "node", "--top", "2"]);
    assert!(few.contains("more rows"), "{few}");
}

/// A recording takes as long as it did, or less if it is faster.
#[test]
fn a_recording_is_replayed_by_its_times() {
    let (file, start) = (capture(GAME), Instant::now());
    let times: Vec<_> = Capture::new(&file).unwrap().map(|it| it.unwrap().time.unwrap()).collect();
    let length = times[times.len() - 1].since(times[0]);
    let run =
        gdwire(&["top", "--speed", "8", corpus("captures").join(GAME).to_str().unwrap()], b"");
    assert!(start.elapsed() >= length / 8, "{length:?}");
    assert_eq!(run.text(), on_capture(&["top", "--speed", "max"], GAME).text());
}

#[test]
fn a_pipe_shows_tables_while_it_is_open() {
    let mut run = Running::start(&["top", "--by", "connection", "-"]);
    run.write(&capture(GAME));
    let start = Instant::now();
    let first = run.line();
    assert!(first.contains(" msg/s  "), "{first}");
    // The clock runs on without packets.
    let silent = loop {
        let line = run.line();
        if line.contains("  0 msg/s  ") {
            break line;
        }
        assert!(start.elapsed() < Duration::from_secs(60));
    };
    assert!(silent.contains(" 1 connection"), "{silent}");
    run.signal("-INT");
    assert_eq!(run.end().0, Some(0));
}

/// The packets that `--write` has written, without the numbers of their files.
fn packets(file: &[u8]) -> Vec<(Option<i64>, u32, u32, Vec<u8>)> {
    let packets = Capture::new(file).unwrap().map(Result::unwrap);
    let fields = |packet: CapturedPacket<'_>| {
        let time = packet.time.map(|time| time.as_nanos());
        (time, packet.link_type.0, packet.original_len, packet.data.to_vec())
    };
    packets.map(fields).collect()
}

#[test]
fn the_packets_are_written_as_they_were() {
    let directory = directory("top-write");
    for name in [GAME, "godot3-udp-twice.pcapng", "godot3-udp-usec.pcap", "godot3-tcp.pcapng"] {
        let to = directory.join(name);
        let run = on_capture(&["top", "--speed", "max", "--write", to.to_str().unwrap()], name);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(packets(&fs::read(&to).unwrap()) == packets(&capture(name)), "{name}");
        let again = on_capture(&["top", "--speed", "max", "--write", to.to_str().unwrap()], name);
        assert_eq!(again.code, 2, "a file is not replaced");
    }
    let (file, to) = (capture("godot3-rpc-three.pcapng"), directory.join("port"));
    let ends = |packet: &CapturedPacket<'_>| match packet.payload() {
        Payload::Udp(datagram) => [datagram.src.port(), datagram.dst.port()],
        _ => [0; 2],
    };
    let read = Capture::new(&file).unwrap().map(Result::unwrap);
    let ports: Vec<_> = read.map(|packet| ends(&packet)).collect();
    let is_of_some = |port: &u16| !ports.iter().all(|ends| ends.contains(port));
    let port = ports.iter().flatten().copied().find(is_of_some).unwrap();
    let arguments = ["--port", &port.to_string(), "--write", to.to_str().unwrap()];
    let arguments = [&["top", "--speed", "max"][..], &arguments].concat();
    assert_eq!(on_capture(&arguments, "godot3-rpc-three.pcapng").code, 0);
    let expected = ports.iter().filter(|ends| ends.contains(&port)).count();
    assert!(expected > 0 && expected < ports.len());
    assert_eq!(packets(&fs::read(&to).unwrap()).len(), expected);
}

#[test]
fn wrong_options_say_what_to_do() {
    let path = corpus("captures").join(GAME);
    let wrong = |arguments: &[&str]| {
        let run = gdwire(&[&["top"], arguments].concat(), b"");
        assert_eq!(run.code, 2, "{arguments:?}");
        run.stderr
    };
    assert!(wrong(&["--speed", "fast", path.to_str().unwrap()]).contains("or 'max'"));
    assert!(wrong(&["--speed", "2", "--follow", path.to_str().unwrap()]).contains("--follow"));
    assert!(wrong(&["/nowhere/game.pcapng"]).contains("No such file"));
    let values = corpus("captures").join("godot3-file.bin");
    let run = gdwire(&["top", "--speed", "max", values.to_str().unwrap()], b"");
    assert!(
        run.stderr.contains("in files that are not captures were not counted"),
        "{}",
        run.stderr
    );
}

/// The counts of all recordings, with the same totals as [`Stats`].
#[test]
fn rows_have_the_totals_of_stats() {
    for path in captures() {
        let file = fs::read(&path).unwrap();
        let (mut top, mut stats) = (Top::new(), Stats::new());
        let mut messages = Messages::new(&file).unwrap();
        while let Some(event) = messages.next_event() {
            top.event(&event);
            stats.event(&event);
        }
        let total = |by| {
            let rows = top.rows(&TopQuery::new(by));
            rows.iter().map(|row| row.usage.total.bytes).sum::<u64>()
        };
        let bytes = |sum: u64, (_, usage): (_, gdwire::stats::Usage)| sum + usage.total.bytes;
        let (nodes, calls) = (stats.nodes().fold(0, bytes), stats.calls().fold(0, bytes));
        let properties = stats.properties().fold(0, bytes);
        assert_eq!(total(TopBy::Node), nodes, "{path:?}");
        assert_eq!(total(TopBy::Method) + total(TopBy::Property), calls + properties, "{path:?}");
        assert_eq!(total(TopBy::Command), stats.messages().bytes, "{path:?}");
        assert_eq!(total(TopBy::Connection), stats.messages().bytes, "{path:?}");
        assert_eq!(top.messages(), stats.messages().count, "{path:?}");
        for &by in TopBy::ALL {
            let mut query = TopQuery::new(by);
            query.sort = TopSort::Total;
            let rows = top.rows(&query);
            assert!(rows.is_sorted_by_key(|row| std::cmp::Reverse(row.usage.total.bytes)));
            for row in rows {
                let samples: Vec<_> = row.samples().collect();
                assert!(!samples.is_empty(), "{}", row.name);
                assert!(samples.is_sorted_by(|new, old| new.number >= old.number));
                assert!(samples.iter().all(|sample| sample.text.len() <= 163));
            }
        }
    }
}

/// With fewer rows than methods, the quietest are dropped, and their counts are kept.
#[test]
fn too_many_rows_are_dropped() {
    let file = capture(GAME);
    for rows in [1, 2, 5, 1_000] {
        let mut top = Top::with_limits(TopLimits::default().with_rows(rows).with_samples(2));
        let mut messages = Messages::new(&file).unwrap();
        while let Some(event) = messages.next_event() {
            if let Event::Message(message) = &event {
                top.message(message);
            }
        }
        for &by in TopBy::ALL {
            let mut query = TopQuery::new(by);
            query.is_grouped = false;
            let kept = top.rows(&query);
            let dropped = top.dropped(by);
            assert!(kept.len() <= rows, "{rows} {by:?}");
            assert_eq!(dropped.rows > 0, dropped.amount.count > 0);
            let has_too_many = rows <= 5 && by != TopBy::Connection;
            assert_eq!(dropped.rows > 0, has_too_many, "{rows} {by:?}");
            assert!(kept.iter().all(|row| row.samples().count() <= 2));
        }
        let mut query = TopQuery::new(TopBy::Connection);
        query.filter = "127.0.0.1 7777".to_owned();
        assert_eq!(top.rows(&query).len(), 1);
        query.filter = "127.0.0.1 7778".to_owned();
        assert_eq!(top.rows(&query).len(), 0);
    }
}
