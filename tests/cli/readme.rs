//! The README and the pages of the documentation show what the tool does.

use crate::cli::run::directory;
use crate::common::is_installed;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// The start of a command line that runs the tool before it is installed.
const CARGO_RUN: &str = "cargo run --features cli -- ";

/// Commands that these tests cannot run: they build, install or measure.
const NOT_RUN: [&str; 15] = [
    "cargo test --all-features",
    "cargo build ",
    "cargo install ",
    "cargo bench ",
    "GDWIRE_COUNT=8 GIGABYTE=30000000 cargo bench ",
    "SOAK=3600 cargo bench ",
    // `bot.rs` runs them, with a server.
    "gdwire bot ",
    "tail -n 1 bots.ndjson ",
    "target/dist/",
    "spark-submit ",
    "src/bindings/build.sh ",
    ".ci/release ",
    "benches/table.sh",
    "tests/attacks/table.sh",
    "tests/engine/table.sh",
];

/// The README and the pages of the documentation, each with its name.
fn documents() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents =
        vec![("README.md".to_owned(), fs::read_to_string(root.join("README.md")).unwrap())];
    for entry in fs::read_dir(root.join("src/docs")).unwrap() {
        let path = entry.unwrap().path();
        let source = fs::read_to_string(&path).unwrap();
        let lines = source.lines().filter_map(|line| line.strip_prefix("//!"));
        let text: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
        documents.push((path.display().to_string(), text.join("\n")));
    }
    documents
}

/// The blocks of code in a document: their language, their lines.
fn blocks(document: &str) -> Vec<(&str, Vec<&str>)> {
    let mut lines = document.lines();
    let mut blocks = Vec::new();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let code = lines.by_ref().take_while(|line| *line != "```");
            blocks.push((language, code.collect()));
        }
    }
    blocks
}

/// Runs a command line as a shell does, and returns what it prints, diagnostics first.
fn printed(line: &str, directory: &Path) -> String {
    let tool = Path::new(env!("CARGO_BIN_EXE_gdwire")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    // The output of the first command is shown as it is on a terminal.
    let line = match line.strip_prefix(CARGO_RUN) {
        Some(line) => format!("gdwire {line} --width 80"),
        None => line.to_owned(),
    };
    let mut shell = Command::new("bash");
    shell.args(["-o", "pipefail", "-c", &line]).current_dir(directory);
    // The commands that install something must not change the home of whoever runs the tests.
    shell.env("HOME", directory);
    let output = shell.env("PATH", format!("{}:{path}", tool.display())).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (diagnostics, results) = (text(output.stderr), text(output.stdout));
    assert!(output.status.success(), "{line}: {diagnostics}");
    diagnostics + &results
}

#[test]
fn every_command_prints_what_is_below_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directory = directory("readme");
    for name in ["corpus", "tests"] {
        symlink(root.join(name), directory.join(name)).unwrap();
    }
    let (mut commands, mut compared) = (0, 0);
    for (name, document) in documents() {
        let mut output = String::new();
        for (language, code) in blocks(&document) {
            match language {
                "sh" => {
                    output.clear();
                    let is_run = |line: &&str| !NOT_RUN.iter().any(|start| line.starts_with(start));
                    for line in code.into_iter().filter(is_run) {
                        if line.contains("| jq ") && !is_installed("jq", "apt install jq") {
                            output.clear();
                            break;
                        }
                        output += &printed(line, &directory);
                        commands += 1;
                    }
                }
                // The lines stand in the order of the output, which may have others between them.
                // An ellipsis at the end of a line stands for the rest of it.
                "text" | "json" if !output.is_empty() => {
                    let mut rest = output.lines();
                    for line in code.into_iter().filter(|line| !line.is_empty()) {
                        let is_this = |printed: &str| match line.strip_suffix('…') {
                            Some(start) => printed.starts_with(start),
                            None => printed == line,
                        };
                        assert!(rest.any(is_this), "{name} has, but no command prints: {line}");
                        compared += 1;
                    }
                }
                _ => {}
            }
        }
    }
    assert!(commands >= 14 && compared >= 50, "{commands} {compared}");
}

/// The README begins with what a terminal of 96 columns shows: each line after a dollar sign is a
/// command, and its output follows. With the variable `GDWIRE_RECORD`, the test writes the README.
#[test]
fn the_readme_begins_with_a_recording_of_a_terminal() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directory = directory("recording");
    let game = "corpus/captures/godot4-game-enet-lossy-client-side.pcapng";
    symlink(root.join(game), directory.join("game.pcapng")).unwrap();
    symlink(root.join("corpus/project/arena"), directory.join("arena")).unwrap();
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let (language, recorded) = blocks(&readme).swap_remove(0);
    assert_eq!(language, "console");
    let commands: Vec<&str> = recorded.iter().copied().filter(|it| it.starts_with("$ ")).collect();
    assert!(commands.len() >= 2);
    let mut shown = String::new();
    for command in commands {
        let [gdwire, name, rest] = command[2..].splitn(3, ' ').collect::<Vec<_>>()[..] else {
            panic!("{command}")
        };
        let line = format!("{gdwire} {name} --width 96 {rest}");
        shown += &format!("{command}\n{}\n", printed(&line, &directory));
    }
    let (recorded, shown) = (recorded.join("\n"), shown.trim_end());
    if std::env::var_os("GDWIRE_RECORD").is_some() {
        fs::write(root.join("README.md"), readme.replacen(&recorded, shown, 1)).unwrap();
    }
    assert_eq!(recorded, shown, "GDWIRE_RECORD=1 writes what is shown to README.md");
}

/// The commands are those that somebody who has just cloned the repository can run.
#[test]
fn the_readme_begins_with_a_capture_and_the_tests() {
    let (_, readme) = documents().swap_remove(0);
    let commands: Vec<&str> = blocks(&readme)
        .into_iter()
        .filter(|(language, _)| *language == "sh")
        .flat_map(|(_, code)| code)
        .take(2)
        .collect();
    let first = format!("{CARGO_RUN}decode --limit 20 corpus/captures/godot3-udp.pcapng");
    assert_eq!(commands, [first.as_str(), "cargo test --all-features"]);
    let shown = printed(commands[0], Path::new(env!("CARGO_MANIFEST_DIR")));
    assert_eq!(shown.lines().count(), 1 + 20, "the names of the ends, and 20 values: {shown}");
}

/// Words between at signs are places where numbers have to be filled in.
#[test]
fn no_document_has_a_placeholder() {
    for (name, document) in documents() {
        let is_name =
            |text: &&str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_uppercase());
        let placeholder = document.split('@').skip(1).find(is_name);
        assert_eq!(placeholder, None, "{name}");
    }
}

/// The outputs in the README fit a terminal of 100 columns.
#[test]
fn the_readme_fits_100_columns() {
    let (_, readme) = documents().swap_remove(0);
    for (language, code) in blocks(&readme) {
        for line in code {
            assert!(line.chars().count() <= 100, "{language}: {line}");
        }
    }
}
