//! Wrong usage, files that cannot be read or written, help and completions.

use crate::cli::run::{command, directory, gdwire, on_capture};
use crate::common::corpus;
use std::fs;
use std::io::Read;
use std::process::Stdio;

#[test]
fn wrong_usage_gives_exit_code_2_and_advice() {
    for (arguments, hint) in [
        (&["decode"][..], "FILE"),
        (
            &["convert", "--to", "auto", "-"],
            "invalid value 'auto' for '--to <DIALECT>'\n  [possible values: godot3, godot4, ",
        ),
        (
            &["decode", "--dialect", "godot9", "-"],
            "invalid value 'godot9' for '--dialect <DIALECT>'\n  [possible values: auto, godot3, ",
        ),
        (&["decode", "--dialect", "Godot4", "-"], "tip: a similar value exists: 'godot4'"),
        (&["encode", "--dialect", "auto", "-"], "[possible values: godot3, "),
        (&["decode", "--kind", "Vektor", "-"], "unknown kind of value; the kinds are:\n    Nil, "),
        (&["decode", "--format", "xml", "-"], "ndjson"),
        (
            &["decode", "--format", "native", "--hex", "-"],
            "gdwire: --hex needs --format text or ndjson\n",
        ),
        (&["decode", "--quiet", "--verbose", "-"], "--verbose"),
        (&["destroy"], "Usage"),
        (&["decode", "--host", "localhost", "-"], "names of hosts are not looked up"),
        (&["decode", "--prot", "1", "-"], "a similar argument exists: '--port'"),
        (&["decode", "-o", "x", "-"], "to a file with 'gdwire convert -o FILE'\n"),
        (&["decode", "--output=x", "-"], "tip: the results go to standard output; redirect them"),
        (&["stats", "--out", "x", "-"], "output; redirect them with '> FILE'\n"),
        (
            &["decode", "--json", "-"],
            "  tip: '--format ndjson' prints one JSON object per message\n",
        ),
        (&["decode", "--native", "-"], "  tip: '--format native' prints lossless JSON; "),
        (&["diagnose", "--json", "-"], "  tip: '--format json' prints one JSON object per file\n"),
        (&["annotate", "--format", "pcap", "-", "-o", "-"], "  tip: the copy is always pcapng; "),
        (&["report", "--format", "html", "-"], "  tip: a report is always HTML; "),
        (
            &["decode", "--limit", "0", "-"],
            "omit --limit to read all messages, or use 'gdwire stats'",
        ),
        (
            &["decode", "--limit", "-1", "-"],
            "invalid value '-1' for '--limit <N>': expected a number of messages, such as 10",
        ),
        (
            &["decode", "--from", "-1s", "-"],
            "'--from <TIME>': a time before the first packet selects nothing",
        ),
        (&["bot", "-n", "-5", "enet://[::1]:1"], "invalid value '-5' for '--count <N>'"),
        (&["decode", "--quiet", "-1", "-"], "unexpected value '-1' for '--quiet' found"),
        (&["decode", "--limit", "--quiet", "-"], "a value is required for '--limit <N>'"),
        (&["convert", "--outpt", "x", "-"], "a similar argument exists: '--output'"),
    ] {
        let run = gdwire(arguments, b"");
        assert_eq!((run.code, run.stdout.len()), (2, 0), "{arguments:?}");
        assert!(run.stderr.contains(hint), "{}", run.stderr);
    }
}

/// The value of an option may begin with a minus sign.
#[test]
fn values_that_begin_with_a_minus_sign_need_no_equals_sign() {
    let hex = b"02000000ffffffff\n0200000007000000\n";
    for option in [["--grep", "-1"], ["--where", "-.value > 0"], ["--where", "-1 == .value"]] {
        let run = gdwire(&[&["decode"][..], &option, &["-"]].concat(), hex);
        assert_eq!(run.text(), "-1\n", "{option:?} {}", run.stderr);
    }
    let run = gdwire(&["decode", "--grep", "--", "-1"], b"");
    assert!(run.code == 2 && run.stderr.contains("a value is required"), "{}", run.stderr);
    let run = gdwire(&["decode", "--quiet", "--", "-1"], b"");
    assert!(run.code == 2 && run.stderr.starts_with("gdwire: -1: "), "{}", run.stderr);
}

#[test]
fn options_without_an_effect_are_wrong_usage() {
    for (options, needs) in [
        ("decode --format ndjson --width 80", "--width needs --format text"),
        ("decode --format ndjson --color never", "--color needs --format text or hex"),
        ("stats --format json --color always", "--color needs --format table"),
        ("diagnose --format json --color always", "--color needs --format text"),
        ("decode --format ndjson --wrap", "--wrap needs --format text"),
        ("decode --format native --pretty", "--pretty needs --format text"),
        ("decode --format hex --time utc", "--time needs --format text"),
        ("decode --format ndjson --addresses", "--addresses needs --format text"),
        ("decode --format hex --plain", "--plain needs --format text"),
        ("stats --format json --width 80", "--width needs --format table"),
        ("stats --top 5 --format=json", "--top needs --format table"),
        ("diagnose --format json --top 5", "--top needs --format text"),
    ] {
        let arguments = [&options.split(' ').collect::<Vec<_>>()[..], &["-"]].concat();
        let run = gdwire(&arguments, b"");
        assert_eq!((run.code, run.stderr.trim_end()), (2, &*format!("gdwire: {needs}")));
    }
    let run = gdwire(&["decode", "--explain", "--wrap", "-"], b"");
    assert!(run.code == 2 && run.stderr.contains("cannot be used with"), "{}", run.stderr);
}

#[test]
fn the_advice_for_an_unknown_option_is_not_about_files() {
    for arguments in
        [&["decode", "-o", "x"][..], &["stats", "--frobnicate", "x"], &["-o", "x", "encode"]]
    {
        let run = gdwire(arguments, b"");
        assert!(run.code == 2 && !run.stderr.contains("-- "), "{}", run.stderr);
    }
}

#[test]
fn errors_of_the_system_name_the_file_but_no_number() {
    for (arguments, problem) in [
        (&["decode", "no/such/file"][..], "no/such/file: "),
        (&["decode", "--methods", "no/such/file", "-"], "no/such/file: "),
        (&["encode", "no/such/file"], "no/such/file: "),
        (&["encode", "-o", "no/such/file", "-"], "no/such/file: cannot write: "),
    ] {
        let run = gdwire(arguments, b"");
        assert_eq!(run.code, 2, "{arguments:?}");
        assert!(run.stderr.starts_with(&format!("gdwire: {problem}")), "{}", run.stderr);
        assert!(!run.stderr.contains("os error"), "{}", run.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    use std::io::Write;

    for arguments in [&["encode", "-o", "/dev/full", "-"][..], &["decode", "--input", "hex", "-"]] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut child = command(arguments)
            .stdin(Stdio::piped())
            .stdout(full)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"00000000\n").unwrap();
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.starts_with("gdwire: cannot write the output: "), "{stderr}");
        assert!(output.status.code() == Some(2) && !stderr.contains("os error"), "{stderr}");
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
fn a_closed_pipe_is_not_an_error() {
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
    fs::write(directory.join("a\u{1b}[2J\n\u{200b}\u{e0041}.pcap"), &capture[..capture.len() - 10])
        .unwrap();
    let run = gdwire(&["stats", "--recursive", directory.to_str().unwrap()], b"");
    assert_eq!(run.code, 1);
    let is_harmful = |line: &str| line.contains(gdwire::text::disturbs_line);
    assert!(!run.lines().into_iter().chain(run.stderr.lines()).any(is_harmful));
    assert!(run.stderr.contains(r"a\u{1b}[2J\n\u{200b}\u{e0041}.pcap: byte "), "{}", run.stderr);
}

#[test]
fn colour_is_for_terminals() {
    let run = on_capture(&["decode"], "godot3-udp.pcapng");
    assert!(!run.stdout.contains(&0x1b));
    let capture = corpus("captures/godot3-udp.pcapng");
    let is_colored = |arguments: &[&str], variable: &str, value: &str| {
        let mut command = command(arguments);
        command.env_remove("NO_COLOR").env(variable, value);
        command.output().unwrap().stdout.contains(&0x1b)
    };
    for arguments in [&["decode", capture.to_str().unwrap()][..], &["decode", "--help"]] {
        assert!(is_colored(arguments, "CLICOLOR_FORCE", "1"));
        assert!(!is_colored(arguments, "CLICOLOR_FORCE", "0"));
        assert!(!is_colored(arguments, "NO_COLOR", "1"));
    }
}

const COMMANDS: &[&str] = &[
    "decode",
    "encode",
    "convert",
    "stats",
    "diagnose",
    "compare",
    "report",
    "annotate",
    #[cfg(feature = "peer")]
    "bot",
    "extcap",
    #[cfg(feature = "export")]
    "export",
    "man",
    "proxy",
    "states",
    "top",
    "completions",
];

#[test]
fn help_is_at_most_100_columns_wide_and_has_examples() {
    let mut helps = vec![vec!["-h"], vec!["--help"], vec!["help"]];
    for name in COMMANDS {
        helps.extend([vec![name, "-h"], vec![name, "--help"], vec!["help", name]]);
    }
    for arguments in helps {
        let output = command(&arguments).env("COLUMNS", "300").output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]), "{arguments:?}");
        assert!(help.contains("\nExamples:\n  "), "{arguments:?}");
        for line in help.lines() {
            assert!(line.chars().count() <= 100, "{arguments:?}: {line}");
        }
    }
}

/// The commands below "Examples:", with the text before and after them on their lines.
fn examples(help: &str) -> Vec<&str> {
    let (_, examples) = help.split_once("\nExamples:\n").unwrap();
    examples.lines().take_while(|line| !line.is_empty()).collect()
}

#[test]
fn the_help_of_report_names_captures_only() {
    for option in ["-h", "--help"] {
        let help = gdwire(&["report", option], b"");
        assert!(help.text().contains("Captures; - is standard input"), "{}", help.text());
        assert!(!help.text().contains("save files or files with hex"));
    }
}

#[test]
fn short_help_has_the_examples_and_long_help_has_notes_too() {
    for name in COMMANDS {
        let short = gdwire(&[name, "-h"], b"");
        let long = gdwire(&[name, "--help"], b"");
        assert_eq!(examples(short.text()), examples(long.text()), "{name}");
        assert!(short.text().ends_with(&format!("{}\n", examples(short.text()).join("\n"))));
        assert!(!long.text().ends_with(&format!("{}\n", examples(long.text()).join("\n"))));
    }
}

/// Each option in an example is one that the example's command has.
#[test]
fn examples_use_options_that_exist() {
    let mut seen = 0;
    for name in COMMANDS {
        let help = gdwire(&[name, "-h"], b"");
        let (options, _) = help.text().split_once("\nExamples:\n").unwrap();
        for line in examples(help.text()) {
            let Some((_, run)) = line.split_once(&format!("gdwire {name} ")) else { continue };
            let run = run.split(" | ").next().unwrap();
            for option in run.split_whitespace().filter(|word| word.starts_with("--")) {
                assert!(options.contains(&format!(" {option} ")), "{line}");
                seen += 1;
            }
        }
    }
    assert!(seen >= 15, "{seen}");
}

#[test]
fn there_is_a_completion_script_for_each_shell() {
    assert!(gdwire(&["--version"], b"").text().starts_with("gdwire "));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = gdwire(&["completions", shell], b"");
        assert!(run.code == 0 && run.text().contains("dialect"), "{shell}");
        for completed in ["stats", "transport", "methods", "interval", "recursive"] {
            assert!(run.text().contains(completed), "{shell} {completed}");
        }
    }
}

/// The completions of bash at the end of a command line, with the script of `gdwire completions
/// bash`.
#[cfg(unix)]
fn completed(line: &str) -> Vec<String> {
    let script = r#"
        source <("$0" completions bash)
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        [[ $(complete -p gdwire) =~ -F\ ([^ ]*) ]]
        "${BASH_REMATCH[1]}" gdwire "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        echo "${COMPREPLY[@]}""#;
    let tool = env!("CARGO_BIN_EXE_gdwire");
    let output = std::process::Command::new("bash")
        .args(["-c", script, tool])
        .args(line.split(' '))
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().split_whitespace().map(str::to_owned).collect()
}

#[cfg(unix)]
#[test]
fn bash_completes_commands_options_and_values() {
    for (line, expected) in [
        ("gdwire an", &["annotate"][..]),
        ("gdwire decode --capt", &["--capture-filter"]),
        ("gdwire decode --kind PoolVector2", &["PoolVector2Array", "PoolVector2iArray"]),
        ("gdwire convert --kind Transf", &["Transform2D", "Transform3D", "Transform"]),
        ("gdwire stats --command sy", &["sync"]),
        ("gdwire diagnose --command val", &["value"]),
        ("gdwire annotate --dialect godot", &["godot3", "godot4"]),
        ("gdwire convert --to p", &["pandemonium4", "pandemonium5"]),
        ("gdwire annotate --transport e", &["enet"]),
        ("gdwire stats --format ", &["table", "json"]),
        ("gdwire decode --format nd", &["ndjson"]),
        ("gdwire encode --output b", &["base64"]),
        ("gdwire completions z", &["zsh"]),
        ("gdwire man no/such/fol", &[]),
        // If there is no completion, bash completes files.
        ("gdwire decode ", &[]),
        ("gdwire decode --all ", &[]),
        ("gdwire decode a.pcap b", &[]),
        ("gdwire c", &["convert", "compare", "completions"]),
    ] {
        assert_eq!(completed(line), expected, "{line}");
    }
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let folder = directory("man").join("made");
    let run = gdwire(&["man", folder.to_str().unwrap()], b"");
    assert_eq!((run.code, &*run.stderr), (0, ""));
    let page = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    for name in COMMANDS {
        let (page, help) = (page(&format!("gdwire-{name}.1")), gdwire(&[name, "-h"], b""));
        assert!(page.starts_with(".ie") && page.contains(&format!(".TH gdwire-{name} 1")));
        // A page has the options and the examples of the help.
        for option in help.text().split_whitespace().filter(|word| word.starts_with("--")) {
            let option = option.trim_end_matches([',', '\'']).replace('-', "\\-");
            assert!(page.contains(&option), "{name} {option}");
        }
    }
    let synopsis = |name: &str| page(name).split_once(".SH SYNOPSIS\n").unwrap().1.to_owned();
    assert!(synopsis("gdwire-decode.1").starts_with("gdwire decode [OPTIONS] [FILE]...\n.SH "));
    let annotate = "gdwire annotate [OPTIONS] \\-\\-output <FILE> [FILE]\n";
    assert!(synopsis("gdwire-annotate.1").starts_with(annotate));
    assert_eq!(gdwire(&["man"], b"").text(), page("gdwire.1"));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), COMMANDS.len() + 1);
    // Older pages are replaced as a whole.
    fs::write(folder.join("gdwire.1"), "old").unwrap();
    let old = fs::File::open(folder.join("gdwire.1")).unwrap();
    assert_eq!(gdwire(&["man", folder.to_str().unwrap()], b"").code, 0);
    assert_eq!(
        (old.metadata().unwrap().len(), page("gdwire.1")),
        (3, gdwire(&["man"], b"").text().to_owned())
    );
    let in_a_file = folder.join("gdwire.1").join("folder");
    assert_eq!(gdwire(&["man", in_a_file.to_str().unwrap()], b"").code, 2);
    let file = folder.join("gdwire.1");
    let run = gdwire(&["man", file.to_str().unwrap()], b"");
    assert_eq!(
        (run.code, run.stderr),
        (2, format!("gdwire: {}: this is not a folder\n", file.display()))
    );
}

#[test]
fn kinds_are_selected_by_patterns() {
    let texts = |kind: &str| {
        let values = b"0200000007000000\n00000000\n";
        gdwire(&["decode", "--kind", kind, "--input", "hex", "-"], values).text().to_owned()
    };
    assert_eq!(texts("int"), "7\n");
    assert_eq!(texts("IN?"), "7\n");
    assert_eq!(texts("*"), "7\nnull\n");
    let pools = on_capture(&["decode", "--plain", "--kind", "pool*"], "godot3-udp.pcapng");
    let packed = on_capture(&["decode", "--plain", "--kind", "Packed*"], "godot3-udp.pcapng");
    assert!(pools.lines().len() > 3 && pools.stdout == packed.stdout);
    assert!(pools.lines().iter().all(|line| line.starts_with("Pool")));
}

/// Arguments may contain anything, of any length. An error shows them on its lines, escaped.
#[test]
fn errors_show_the_arguments_escaped_and_cut() {
    let long = "a".repeat(120_000);
    let long_option = format!("--{long}");
    let long_condition = format!("{long}(");
    let no_folder = format!("/no/{long}");
    for arguments in [
        &["\u{1b}[31mred\nx"][..],
        &["decode", "--\u{1b}[31mred"],
        &["decode", "--dialect", "\u{1b}[31mred", "-"],
        &["decode", "--where", ".a \u{1b}[31m @", "-"],
        &["decode", "--grep", "(\u{1b}[31m", "-"],
        &["decode", "--port", "\u{9b}31m", "-"],
        &["decode", "no\u{1b}[31m\nfile"],
        &["man", "/dev/null/\u{1b}[31m"],
        &[&long],
        &["decode", &long],
        &["decode", &long_option],
        &["decode", "--where", &long_condition, "-"],
        &["decode", "--grep", &long_condition, "-"],
        &["decode", "--kind", &long, "-"],
        &["decode", "--host", &long, "-"],
        &["decode", "--dialect", &long, "-"],
        &["decode", "--methods", &long, "-"],
        &["decode", "--project", &long, "-"],
        &["decode", "--interface", &long],
        &["encode", "-o", &no_folder, "-"],
        &["man", &no_folder],
    ] {
        let run = gdwire(arguments, b"");
        let shown = arguments.iter().map(|it| &it[..it.len().min(20)]).collect::<Vec<_>>();
        assert_eq!(run.code, 2, "{shown:?}");
        assert!(run.stderr.len() < 6_000, "{shown:?}: {} bytes", run.stderr.len());
        assert!(!run.stderr.lines().any(|line| line.contains(char::is_control)), "{shown:?}");
        let first = run.stderr.lines().next().unwrap();
        assert!(first.contains("\\u{") || first.contains("more characters"), "{first}");
    }
    // The error is still printed.
    let run = gdwire(&["decode", &long], b"");
    let end = "… 118020 more characters …";
    assert!(run.stderr.contains(end) && run.stderr.ends_with("a: File name too long\n"), "{run:?}");
    let run = gdwire(&["decode", "--grep", "\u{1b}(", "-"], b"");
    let text = "error: invalid value '\\u{1b}(' for '--grep <REGEX>': regex parse error:\n";
    assert!(run.stderr.starts_with(text), "{}", run.stderr);
    assert!(run.stderr.ends_with("\n\nFor more information, try '--help'.\n"), "{}", run.stderr);
}

#[test]
fn verbose_reports_the_number_of_values_and_their_dialect() {
    let run = gdwire(&["decode", "-v", "-"], b"00000000\n");
    assert_eq!(
        run.stderr,
        "gdwire: stdin: dialect: godot4 by default; godot4 or godot3 or pandemonium5 or pandemonium4, \
         which all read 1 of 1 payload\ngdwire: stdin: values: 1\n"
    );
    let run = gdwire(&["decode", "-v", "--dialect", "godot3", "-"], b"00000000\n");
    assert_eq!(run.stderr, "gdwire: stdin: values: 1\n");
}
