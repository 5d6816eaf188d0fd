//! Programs that some tests need: the engine, and those of Wireshark.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Starts the engine with a script of `tests/engine`; `None` if it is not installed.
pub fn engine<const N: usize>(script: &str, arguments: [&str; N]) -> Option<Child> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engine").join(script);
    let folder = engine_folder();
    let errors = File::create(folder.join("stderr")).unwrap();
    let mut command = Command::new("godot3-server");
    command.current_dir(folder);
    command.arg("-s").arg(script).arg("--").args(arguments).env("LANG", "C.UTF-8");
    match command.stdout(Stdio::piped()).stderr(errors).spawn() {
        Ok(child) => Some(child),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let required =
                std::env::var("GDWIRE_ENGINE_TESTS").is_ok_and(|value| value == "required");
            assert!(!required, "godot3-server is not installed");
            eprintln!("skipped: godot3-server is not installed (apt install godot3-server)");
            None
        }
        Err(error) => panic!("godot3-server: {error}"),
    }
}

/// Makes a folder for each engine. An engine looks for a project in the folder where it is started,
/// and in the `logs` there, it renames and deletes what other engines have written.
fn engine_folder() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let test = std::env::current_exe().unwrap();
    let name = test.file_stem().unwrap().to_string_lossy().into_owned();
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("engine-of-{name}-{number}"));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The lines that a program prints, such as those of Wireshark; `None` if it is not installed.
pub fn wireshark(program: &str, arguments: &[&str]) -> Option<Vec<String>> {
    match Command::new(program).args(arguments).output() {
        Ok(run) => {
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
            Some(String::from_utf8(run.stdout).unwrap().lines().map(str::to_owned).collect())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let required =
                std::env::var("GDWIRE_ENGINE_TESTS").is_ok_and(|value| value == "required");
            assert!(!required, "{program} is not installed");
            eprintln!("skipped: {program} is not installed (apt install lz4 tshark zstd)");
            None
        }
        Err(error) => panic!("{program}: {error}"),
    }
}
