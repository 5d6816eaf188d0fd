//! The README and the pages of the documentation show what the tool does.

use crate::cli::run::directory;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// Whether jq is installed. If it is not, the test prints a note and skips commands with jq, unless
/// `GDWIRE_ENGINE_TESTS=required` is set.
fn has_jq() -> bool {
    let has_it = Command::new("jq").arg("--version").output().is_ok();
    let is_required = std::env::var_os("GDWIRE_ENGINE_TESTS").is_some_and(|it| it == "required");
    assert!(has_it || !is_required, "jq is not installed");
    if !has_it {
        eprintln!("skipped: jq is not installed (apt-get install jq)");
    }
    has_it
}

/// The start of a command line that runs the tool before it is installed.
const CARGO_RUN: &str = "cargo run --release --features cli -- ";

/// Commands that these tests cannot run: they build, install or measure.
const NOT_RUN: [&str; 6] = [
    "cargo test --all-features",
    "cargo install ",
    "cargo bench ",
    "spark-submit ",
    "benches/table.sh",
    "tests/attacks/table.sh",
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
                        if line.contains("| jq ") && !has_jq() {
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
