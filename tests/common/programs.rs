//! Programs that some tests need: engines, and those of Wireshark.

use gdwire::Dialect;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// An engine that tests run: the program that an environment variable names, or else what
/// `tests/engine/install.sh` installed, or else a program on `PATH`.
#[derive(Debug)]
pub struct Godot {
    pub name: &'static str,
    variable: &'static str,
    /// Below `target/engines`.
    installed: &'static str,
    on_path: &'static [&'static str],
    how_to_install: &'static str,
}

impl Godot {
    /// Godot 3.2.3 in Debian 12.
    pub const V3: Godot = Godot {
        name: "Godot 3",
        variable: "GDWIRE_GODOT3",
        installed: "godot3",
        on_path: &["godot3-server"],
        how_to_install: "apt install godot3-server",
    };

    /// The last minor version of Godot 3.
    pub const V3_6: Godot = Godot {
        name: "Godot 3.6",
        variable: "GDWIRE_GODOT36",
        installed: "godot36",
        on_path: &[],
        how_to_install: "tests/engine/install.sh",
    };

    pub const V4: Godot = Godot {
        name: "Godot 4",
        variable: "GDWIRE_GODOT4",
        installed: "godot4",
        on_path: &["godot4", "godot"],
        how_to_install: "tests/engine/install.sh",
    };

    /// The web export template of Godot 4: a folder with `index.js`. It runs in `chromium`.
    pub const WEB: Godot = Godot {
        name: "Godot 4 in a browser",
        variable: "GDWIRE_GODOT_WEB",
        installed: "web",
        on_path: &[],
        how_to_install: "apt install chromium; tests/engine/install.sh",
    };

    /// Notes how much of this engine was compared, if `GDWIRE_CHECKED` names a file: see
    /// `tests/engine/table.sh`.
    pub fn checked(&self, what: &str, count: usize) {
        if let Some(file) = std::env::var_os("GDWIRE_CHECKED") {
            let mut file = OpenOptions::new().create(true).append(true).open(file).unwrap();
            // One write: tests run at the same time.
            file.write_all(format!("{}\t{what}\t{count}\n", self.name).as_bytes()).unwrap();
        }
    }

    /// The dialect that the engine speaks.
    pub fn dialect(&self) -> Dialect {
        match self.variable {
            "GDWIRE_GODOT3" | "GDWIRE_GODOT36" => Dialect::GODOT_3,
            _ => Dialect::GODOT_4,
        }
    }

    /// Whether this is Godot 3.2, which does not read its own literals of NaN in vectors.
    pub fn is_old(&self) -> bool {
        self.variable == Godot::V3.variable
    }

    /// Whether the engine has `JSON.from_native`.
    pub fn has_json(&self) -> bool {
        self.dialect() == Dialect::GODOT_4
    }

    pub fn is_web(&self) -> bool {
        self.variable == Godot::WEB.variable
    }

    /// The path of the engine; `None` if it is not installed or left out.
    pub fn find(&self) -> Option<PathBuf> {
        if without_engines() {
            return None;
        }
        let found = self.given().or_else(|| {
            let installed = engines_folder().join(self.installed);
            installed.exists().then_some(installed).or_else(|| self.on_path())
        });
        let found = found.filter(|_| !self.is_web() || is_on_path("chromium").is_some());
        if found.is_none() {
            missing(self.name, &format!("{}, or set {}", self.how_to_install, self.variable));
        }
        found
    }

    fn given(&self) -> Option<PathBuf> {
        let given = PathBuf::from(std::env::var_os(self.variable)?);
        assert!(given.exists(), "{}: {} does not exist", self.variable, given.display());
        Some(given)
    }

    fn on_path(&self) -> Option<PathBuf> {
        self.on_path.iter().find_map(|program| is_on_path(program))
    }

    /// Starts an engine with a script of `tests/engine`; `None` if it is not installed.
    pub fn start_script(&self, script: &str, arguments: &[&str]) -> Option<Running> {
        let mut command = Command::new(self.find()?);
        if self.dialect() == Dialect::GODOT_4 {
            command.arg("--headless");
        }
        command.arg("-s").arg(engine_file(script)).arg("--").args(arguments);
        Some(Running::start(command))
    }

    /// Starts a project of Godot 4; `None` if the engine is not installed. A browser does not write
    /// to the file system: what the game writes to `user://out` is copied to the folder `out`.
    pub fn start_project(&self, project: &Path, out: &Path, arguments: &[&str]) -> Option<Running> {
        let engine = self.find()?;
        let mut command;
        if self.is_web() {
            command = Command::new("python3");
            command.arg(engine_file("web.py")).arg(engine).arg(project).arg(out);
        } else {
            command = Command::new(engine);
            command.arg("--headless").arg("--path").arg(project).arg("--");
        }
        command.args(arguments);
        Some(Running::start(command))
    }

    /// The name of a file in the folder `out` for the game.
    pub fn out_file(&self, out: &Path, name: &str) -> String {
        match self.is_web() {
            true => format!("user://out/{name}"),
            false => out.join(name).to_str().unwrap().to_owned(),
        }
    }
}

/// A file of `tests/engine`.
pub fn engine_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engine").join(name)
}

fn engines_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/engines")
}

fn is_on_path(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Says that a test is skipped, or fails if `GDWIRE_ENGINE_TESTS=required` is set.
#[track_caller]
pub fn missing(what: &str, how_to_install: &str) {
    let required = std::env::var("GDWIRE_ENGINE_TESTS").is_ok_and(|value| value == "required");
    assert!(!required, "{what} is not installed ({how_to_install})");
    eprintln!("skipped: {what} is not installed ({how_to_install})");
}

/// Whether `GDWIRE_ENGINE_TESTS=none` leaves out the tests that take long: with engines of games and
/// of analysis, and with a browser.
pub fn without_engines() -> bool {
    std::env::var("GDWIRE_ENGINE_TESTS").is_ok_and(|value| value == "none")
}

/// Whether a program is on `PATH`.
#[track_caller]
pub fn is_installed(program: &str, how_to_install: &str) -> bool {
    let is_installed = is_on_path(program).is_some();
    if !is_installed {
        missing(program, how_to_install);
    }
    is_installed
}

/// A running engine, which ends with the test.
#[derive(Debug)]
pub struct Running {
    child: Child,
    /// Its own folder, which is removed unless the test fails.
    folder: PathBuf,
}

impl Running {
    fn start(mut command: Command) -> Running {
        let folder = engine_folder();
        let errors = File::create(folder.join("stderr")).unwrap();
        let child = command
            .current_dir(&folder)
            .env("LANG", "C.UTF-8")
            .env("XDG_DATA_HOME", &folder)
            .env("XDG_CONFIG_HOME", &folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Running { child, folder }
    }

    /// The output of the engine. It can be taken once.
    pub fn output(&mut self) -> ChildStdout {
        self.child.stdout.take().unwrap()
    }

    /// Waits until the engine ends, and returns its output.
    pub fn wait(mut self) -> String {
        let mut printed = String::new();
        self.output().read_to_string(&mut printed).unwrap();
        self.child.wait().unwrap();
        printed
    }

    /// The first lines of what it wrote to standard error.
    pub fn errors(&self) -> String {
        let errors = std::fs::read(self.folder.join("stderr")).unwrap_or_default();
        let errors = String::from_utf8_lossy(&errors);
        errors.lines().take(20).collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // This also lets `web.py` end the browser.
        let id = self.child.id().to_string();
        if matches!(self.child.try_wait(), Ok(None)) {
            Command::new("kill").arg(&id).status().ok();
        }
        self.child.wait().ok();
        if !std::thread::panicking() {
            std::fs::remove_dir_all(&self.folder).ok();
        }
    }
}

/// Makes a folder for each engine. An engine looks for a project in the folder where it is started,
/// and in the `logs` there, it renames and deletes what other engines have written.
fn engine_folder() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let test = std::env::current_exe().unwrap();
    let name = test.file_stem().unwrap().to_string_lossy().into_owned();
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    let folder = format!("engine-of-{name}-{process}-{number}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs this test again in its own network namespace, where it may capture. Returns false if that
/// is not possible, and in that namespace.
pub fn again_in_a_network(test: &str) -> bool {
    if is_in_a_network() {
        return false;
    }
    let this = std::env::current_exe().unwrap();
    let inside = format!("ip link set lo up && exec \"$0\" --exact {test} --nocapture");
    // Without --map-root-user only root may do it; with it, tcpdump cannot become another user.
    for options in [&["--net"][..], &["--net", "--map-root-user"]] {
        let is_allowed = Command::new("unshare")
            .args(options)
            .args(["ip", "link", "set", "lo", "up"])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        if is_allowed {
            let mut again = Command::new("unshare");
            again.args(options).args(["sh", "-c", &inside]).arg(&this).env(INSIDE, "1");
            let output = again.output().unwrap();
            let [printed, errors] =
                [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
            println!("{printed}{errors}");
            // No test has another name.
            assert!(printed.contains("test result: ok. 1 passed"), "{test}");
            return true;
        }
    }
    false
}

/// This variable is set in the network namespace.
const INSIDE: &str = "GDWIRE_TEST_NETWORK";

pub fn is_in_a_network() -> bool {
    std::env::var_os(INSIDE).is_some()
}

/// Whether a program that captures packets is installed.
pub fn can_capture() -> bool {
    let is_installed = ["tcpdump", "dumpcap"].iter().any(|it| is_on_path(it).is_some());
    if !is_installed {
        missing("tcpdump or dumpcap", "apt install tcpdump");
    }
    is_installed
}

/// Joins captures in their order, so that tshark, which takes long to start, reads all in one run.
/// `None` if mergecap, which comes with it, is not installed.
pub fn merged(captures: &[PathBuf], to: &Path) -> Option<()> {
    let captures = captures.iter().map(|path| path.to_str().unwrap());
    let arguments: Vec<_> =
        ["-a", "-w", to.to_str().unwrap()].into_iter().chain(captures).collect();
    wireshark("mergecap", &arguments).map(drop)
}

/// The lines that a program prints, such as those of Wireshark; `None` if it is not installed.
pub fn wireshark(program: &str, arguments: &[&str]) -> Option<Vec<String>> {
    match Command::new(program).args(arguments).output() {
        Ok(run) => {
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
            Some(String::from_utf8(run.stdout).unwrap().lines().map(str::to_owned).collect())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            missing(program, "apt install lz4 tshark zstd");
            None
        }
        Err(error) => panic!("{program}: {error}"),
    }
}
