//! What README.md shows is what the tool does.

use crate::run::{command, directory};
use std::os::unix::fs::symlink;
use std::path::Path;

/// The blocks of code in README.md: their language, their lines.
fn blocks() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut lines = include_str!("../../README.md").lines();
    let mut blocks = Vec::new();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let code = lines.by_ref().take_while(|line| *line != "```");
            blocks.push((language, code.collect()));
        }
    }
    blocks
}

/// The arguments of a command line that runs the tool.
fn arguments(line: &str) -> Option<Vec<&str>> {
    let arguments = line.strip_prefix("gdwire ")?;
    assert!(!arguments.contains(['|', '\'', '"', '>']), "{line}");
    Some(arguments.split(' ').collect())
}

#[test]
fn every_command_prints_what_is_below_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directory = directory("readme");
    for name in ["corpus", "tests"] {
        symlink(root.join(name), directory.join(name)).unwrap();
    }
    let mut printed = String::new();
    let (mut commands, mut compared) = (0, 0);
    for (language, code) in blocks() {
        match language {
            "sh" => {
                printed.clear();
                for arguments in code.iter().filter_map(|line| arguments(line)) {
                    let mut run = command(&arguments);
                    let output = run.current_dir(&directory).output().unwrap();
                    assert!(output.status.success(), "{arguments:?}");
                    printed += std::str::from_utf8(&output.stderr).unwrap();
                    printed += std::str::from_utf8(&output.stdout).unwrap();
                    commands += 1;
                }
            }
            // In their order, with others between them. What a line ends with can be left out.
            "text" | "json" => {
                let mut rest = printed.lines();
                for line in code.into_iter().filter(|line| !line.is_empty()) {
                    let is_this = |printed: &str| match line.strip_suffix('…') {
                        Some(start) => printed.starts_with(start),
                        None => printed == line,
                    };
                    assert!(rest.any(is_this), "README.md has, but no command prints: {line}");
                    compared += 1;
                }
            }
            _ => {}
        }
    }
    assert!(commands >= 6 && compared >= 20, "{commands} {compared}");
}
