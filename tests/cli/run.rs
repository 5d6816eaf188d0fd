//! Runs the command for tests.

use crate::common::{Value, hex, lines, unhex, without_path_padding};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Output, Stdio};
use std::sync::{Arc, Mutex, OnceLock};

/// The result of a run.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn of(output: Output) -> Run {
        let stderr = String::from_utf8(output.stderr).unwrap();
        // Wine says so if a thread still asks its server for something when the program ends.
        let is_of_program = |line: &&str| !line.starts_with("wine client error:");
        Run {
            code: output.status.code().expect("ended by a signal"),
            stdout: output.stdout,
            stderr: stderr.split_inclusive('\n').filter(is_of_program).collect(),
        }
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    pub(crate) fn lines(&self) -> Vec<&str> {
        self.text().lines().collect()
    }

    /// Checks that a recorded capture is read without problems. In some captures, ENet dropped a
    /// message before sending it.
    pub(crate) fn assert_good(&self, name: &str) {
        let is_missing = name.starts_with("godot3-enet");
        let end = if is_missing { "1 unreliable message was not seen\n" } else { "" };
        let lines = self.stderr.lines().count();
        assert_eq!((self.code, lines), (0, usize::from(is_missing)), "{name} {}", self.stderr);
        assert!(self.stderr.ends_with(end), "{name} {}", self.stderr);
    }
}

/// The command with these arguments: the one that the variable `GDWIRE_COMMAND` names, such as the one
/// for Windows, or else the one that cargo built.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let built = env!("CARGO_BIN_EXE_gdwire").into();
    let mut command = Command::new(std::env::var_os("GDWIRE_COMMAND").unwrap_or(built));
    command.args(arguments).env_remove("CLICOLOR_FORCE");
    command
}

/// Runs the tool with these bytes on its standard input.
pub(crate) fn gdwire(arguments: &[&str], stdin: &[u8]) -> Run {
    // A run that ends early closes its input.
    fed(arguments, |input| drop(input.write_all(stdin)))
}

/// Runs the tool while a function writes to its standard input.
pub(crate) fn fed(arguments: &[&str], feed: impl FnOnce(&mut ChildStdin) + Send) -> Run {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || feed(&mut input));
        child.wait_with_output().unwrap()
    });
    Run::of(output)
}

/// Runs the tool on a file of the corpus. Several tests ask for the same, so each output is kept,
/// unless files of a test are arguments, too.
pub(crate) fn on_capture(arguments: &[&str], name: &str) -> Run {
    static RUNS: Mutex<BTreeMap<Vec<String>, Arc<OnceLock<Run>>>> = Mutex::new(BTreeMap::new());
    let path = crate::common::corpus("captures").join(name);
    let arguments = [arguments, &[path.to_str().unwrap()]].concat();
    if arguments.iter().any(|argument| argument.starts_with(env!("CARGO_TARGET_TMPDIR"))) {
        return gdwire(&arguments, b"");
    }
    let key = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let run = RUNS.lock().unwrap().entry(key).or_default().clone();
    run.get_or_init(|| gdwire(&arguments, b"")).clone()
}

/// The JSON objects that a run printed, one a line.
pub(crate) fn parsed_lines(run: &Run) -> Vec<Json> {
    run.lines().into_iter().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Every recorded value as a line of hex. The padding of node paths, which contains whatever was in
/// the engine's buffer, is replaced by zeros.
pub(crate) fn recorded_lines() -> String {
    let values: Vec<Value> = lines("godot3/values.ndjson");
    let line = |value: Value| {
        let bytes = unhex(&value.hex);
        let value = gdwire::parse(gdwire::Dialect::GODOT_3, &bytes).unwrap();
        format!("{}\n", hex(&without_path_padding(value)))
    };
    values.into_iter().map(line).collect()
}

/// A directory of its own for a test.
pub(crate) fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::remove_dir_all(&path).ok();
    fs::create_dir_all(&path).unwrap();
    path
}

/// Frames as `store_var` writes them.
pub(crate) fn frame(value: &[u8]) -> Vec<u8> {
    [&u32::try_from(value.len()).unwrap().to_le_bytes(), value].concat()
}
