//! Output of the command on terminals of several widths.

use crate::cli::run::{command, directory, gdwire, on_capture};
use crate::cli::terminal::Terminal;
use crate::cli::threads::captures;
use crate::common::corpus;
use std::fs;

/// A line that a script prints at its end.
const END: &str = "== end ==";

/// Checks the screen for every recorded capture at a width.
fn check(columns: usize) {
    let directory = directory(&format!("screens-{columns}"));
    let program = command(&[]).get_program().to_str().unwrap().to_owned();
    let commands = ["decode", "stats --interval 100ms", "diagnose"];
    let mut script = String::new();
    for file in captures() {
        for subcommand in commands {
            let file = file.display();
            script += &format!("'{program}' {subcommand} '{file}' 2>/dev/null; echo '{END}'\n");
        }
    }
    let path = directory.join("script.sh");
    fs::write(&path, script).unwrap();
    let Some(terminal) = Terminal::run(columns, &path) else { return };
    let lines = terminal.lines(&[]);
    for (line, unwrapped) in lines.iter().zip(terminal.lines(&["-J"])) {
        assert_eq!(*line, unwrapped, "the terminal has wrapped a line");
    }
    let mut runs = lines.split(|line| line == END);
    for file in captures() {
        let decoded = runs.next().unwrap();
        let [stats, diagnosis] = [(); 2].map(|()| runs.next().unwrap());
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(stats.len() > 3 && diagnosis.len() > 3, "{name}: {stats:?} {diagnosis:?}");
        let whole = on_capture(&["decode", "--plain"], name);
        let is_legend = |line: &str| line.starts_with("        ");
        let messages: Vec<_> = decoded.iter().filter(|line| !is_legend(line)).collect();
        assert_eq!(messages.len(), whole.lines().len(), "{name}");
        for (message, whole) in messages.into_iter().zip(whole.lines()) {
            let is_whole = message.ends_with(whole.trim_end());
            assert!(is_whole || message.contains('…'), "{name}: {message}: {whole}");
        }
    }
}

#[test]
fn lines_fit_80_columns() {
    check(80);
}

#[test]
fn lines_fit_120_columns() {
    check(120);
}

#[test]
fn lines_fit_200_columns() {
    check(200);
}

fn on(arguments: &[&str], name: &str) -> Vec<String> {
    on_capture(arguments, name).lines().into_iter().map(str::to_owned).collect()
}

#[test]
fn the_first_messages_of_a_game_fit_80_columns() {
    let shown = on(&["decode", "--width", "80", "--limit", "9"], "godot4-game-enet.pcapng");
    let expected = "
        server = 127.0.0.1:7777, client 1 = 127.0.0.1:51299
     6     0.186  → client 1  simplify path 1 = Main/World/Spawner
     7     0.186  → client 1  spawn hero10 by …Spawner, net#1, synchronizers ne…
     9     0.200  client 1 →  confirm path Main/World/Spawner
    11     0.203  → client 1  sync 1: hero10 [Vector2(0, 0), 0.5]
    12     0.203  → client 1  delta: hero10 {0: 100, 1: 0.0}
    14     0.236  → client 1  sync 3: hero10 [Vector2(0, 0), 0.5]
    15     0.269  → client 1  sync 5: hero10 [Vector2(14, 50), …+1]
    16     0.269  → client 1  delta: hero10 {1: 0.022082945331931114}
    18     0.303  → client 1  sync 7: hero10 [Vector2(14, 50), …+1]";
    assert_eq!(shown, expected.lines().skip(1).collect::<Vec<_>>());
}

/// Narrow lines leave out the only server; lines of 100 columns name both ends.
#[test]
fn narrow_lines_have_room_for_values() {
    let ends = |width: &str| {
        let arguments = ["decode", "--width", width, "--frames", "41-51"];
        let lines = on(&arguments, "godot4-rpc-three.pcapng");
        let of =
            |ends: &str| lines.iter().filter(|line| line.contains(&format!("  {ends}  "))).count();
        ["client 2 →", "→ client 2", "client 2 → server", "server → client 2"].map(of)
    };
    assert_eq!(ends("99"), [3, 1, 0, 0]);
    assert_eq!(ends("100"), [0, 0, 3, 1]);
}

/// Colours tell commands apart, where lines are for people.
#[test]
fn commands_have_colours_of_their_own() {
    let decode = ["decode", "--color", "always", "--limit", "9"];
    let colored =
        on(&[&decode[..], &["--width", "80"]].concat(), "godot4-game-enet.pcapng").join("\n");
    for part in ["\x1b[1;32mspawn\x1b[0m", "\x1b[2mconfirm path\x1b[0m", "\x1b[1;36msync\x1b[0m"] {
        assert!(colored.contains(part), "{colored:?}");
    }
    let whole = on(&decode, "godot4-game-enet.pcapng").join("\n");
    assert!(whole.contains("  spawn ") && !whole.contains("\x1b[1;32m"), "{whole:?}");
}

/// The values of a state are shown before the whole path of its node.
#[test]
fn states_show_their_values_in_80_columns() {
    let project = corpus("project/arena");
    let decode = ["decode", "--width", "80", "--project", project.to_str().unwrap()];
    let shown = on(&[&decode[..], &["--frames", "11-18"]].concat(), "godot4-game-enet.pcapng");
    let expected = "
        server = 127.0.0.1:7777, client 1 = 127.0.0.1:51299
    11     0.203  → client 1  sync 1: …hero10 {position: Vector2(0, 0), …+1}
    12     0.203  → client 1  delta: …s/hero10 {mana: 100, Turret:rotation: 0.0}
    14     0.236  → client 1  sync 3: …hero10 {position: Vector2(0, 0), …+1}
    15     0.269  → client 1  sync 5: …hero10 {position: Vector2(14, 50), …+1}
    16     0.269  → client 1  delta: …hero10 {Turret:rotation: 0.0220829453319…}
    18     0.303  → client 1  sync 7: …hero10 {position: Vector2(14, 50), …+1}";
    assert_eq!(shown, expected.lines().skip(1).collect::<Vec<_>>());
}

/// The first node of several has its values, even if its path does not fit.
#[test]
fn states_of_several_nodes_show_the_values_of_the_first() {
    let project = corpus("project/arena");
    for width in ["80", "90", "100", "120"] {
        // From frame 620 on, the numbers are long.
        let frames = if width == "80" { "1-619" } else { "1-728" };
        let decode = ["decode", "--width", width, "--frames", frames, "--project"];
        let decode = [&decode[..], &[project.to_str().unwrap(), "--time", "relative"]].concat();
        let shown = on(&decode, "godot4-game-enet.pcapng");
        let states: Vec<_> = shown.iter().filter(|line| line.contains(" sync ")).collect();
        let several = states.iter().filter(|line| line.contains("; ")).count();
        assert!(states.len() > 100 && several > 50, "{width}");
        for state in states {
            assert!(!state.contains("{…+2}") && state.contains("{position: "), "{width} {state}");
            assert!(state.contains("(0, 0)") || !state.contains("(…)"), "{width} {state}");
        }
    }
    let decode = ["decode", "--width", "80", "--project", project.to_str().unwrap()];
    let shown = on(&[&decode[..], &["--frames", "22-22"]].concat(), "godot4-game-enet.pcapng");
    let line = "    22     0.369  → client 1  sync 11: …hero10 {position: …(14, 50), …+1}; …+1";
    assert_eq!(shown.last().unwrap(), line);
}

#[test]
fn times_are_shown_as_the_option_says() {
    let time = |choice: &str| {
        let arguments = ["decode", "--time", choice, "--limit", "2"];
        let lines = on(&arguments, "godot3-udp.pcapng");
        lines.into_iter().map(|line| line.split_whitespace().nth(1).unwrap().to_owned())
    };
    assert_eq!(time("relative").collect::<Vec<_>>(), ["0.000000", "0.008771"]);
    assert_eq!(time("delta").collect::<Vec<_>>(), ["0.000000", "0.008771"]);
    let utc = ["2026-11-21T07:55:16.103423916Z", "2026-11-21T07:55:16.112195696Z"];
    assert_eq!(time("utc").collect::<Vec<_>>(), utc);
    let path = corpus("captures").join("godot3-udp.pcapng");
    let arguments = ["decode", "--time", "local", "--limit", "1", path.to_str().unwrap()];
    let local = command(&arguments).env("TZ", "Asia/Kolkata").output().unwrap().stdout;
    let local = String::from_utf8(local).unwrap();
    assert!(local.contains("2026-11-21T13:25:16.103423+05:30"), "{local}");
}

#[test]
fn colors_appear_on_request_and_change_nothing_else() {
    for name in ["godot4-rpc.pcapng", "godot3-udp.pcapng"] {
        let whole = on(&["decode"], name).join("\n");
        for threads in ["1", "2"] {
            let colored = on(&["decode", "--color", "always", "--threads", threads], name);
            let colored = colored.join("\n");
            assert!(colored.contains("\x1b[35m"), "{name}");
            let mut plain = String::new();
            for (number, part) in colored.split('\x1b').enumerate() {
                plain += if number == 0 { part } else { part.split_once('m').unwrap().1 };
            }
            assert_eq!(plain, whole);
        }
        assert_eq!(on(&["decode", "--color", "never"], name).join("\n"), whole);
    }
}

#[test]
fn several_captures_have_headings_on_a_terminal() {
    let files =
        ["godot4-rpc.pcapng", "godot3-udp.pcapng"].map(|name| corpus("captures").join(name));
    let files = files.each_ref().map(|path| path.to_str().unwrap());
    let [one, twice] = [&files[1..], &[files[1]; 2]]
        .map(|files| gdwire(&[&["decode"], files].concat(), b"").text().to_owned());
    assert_eq!(twice, one.repeat(2), "into a pipe, lines are the same for several");
    let shown = gdwire(&["decode", "--width", "200", files[0], files[1]], b"");
    let headings: Vec<_> = shown.lines().into_iter().filter(|line| files.contains(line)).collect();
    assert_eq!(headings, files);
    let at = shown.lines().iter().position(|line| *line == files[1]).unwrap();
    assert_eq!(shown.lines()[at - 1], "");
}

#[test]
fn values_are_whole_with_wrap_and_indented_with_pretty() {
    let whole = on(&["decode", "--plain"], "godot3-udp.pcapng");
    let wrapped = on(&["decode", "--plain", "--wrap", "--width", "60"], "godot3-udp.pcapng");
    assert_eq!(wrapped, whole);
    let pretty = on(&["decode", "--plain", "--pretty", "--width", "60"], "godot3-udp.pcapng");
    let squeezed = |lines: &[String]| lines.concat().split_whitespace().collect::<String>();
    assert_eq!(squeezed(&pretty), squeezed(&whole));
    assert!(pretty.len() > whole.len() * 2);
}

#[test]
fn times_are_shown_on_narrow_terminals_with_the_option() {
    for (width, start) in [("60", "0.000  "), ("30", "0.000  ")] {
        let arguments = ["decode", "--time", "relative", "--width", width, "--limit", "1"];
        let shown = on(&arguments, "godot3-udp.pcapng");
        let line = shown.last().unwrap();
        assert!(line.trim_start().contains(start), "{shown:?}");
    }
}
