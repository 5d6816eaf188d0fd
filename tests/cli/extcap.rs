//! `gdwire extcap`: gdwire among the interfaces of Wireshark, as an ordinary user meets it.
//!
//! These tests need Debian's package `tshark`. Without it they print a note and pass, unless
//! `GDWIRE_ENGINE_TESTS=required` is set.

use crate::cli::run::gdwire;
use crate::common::is_installed;
use gdwire::{Dialect, encode, variant};
use std::fs;
use std::net::UdpSocket;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[test]
fn the_calls_of_wireshark_are_answered() {
    let answer = |arguments: &[&str]| {
        let run = gdwire(&[&["extcap"], arguments].concat(), b"");
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{arguments:?}");
        run.text().to_owned()
    };
    let interface = ["--extcap-interface", "gdwire-lo"];
    assert_eq!(
        answer(&[&interface[..], &["--extcap-dlts"]].concat()),
        "dlt {number=252}{name=WIRESHARK_UPPER_PDU}{display=Messages of Godot games}\n"
    );
    let dialog = answer(&[&interface[..], &["--extcap-config"]].concat());
    for option in ["port", "project", "as", "method", "path", "command", "where", "grep"] {
        assert!(dialog.contains(&format!("{{call=--{option}}}")), "{dialog}");
    }
    // Each option of the dialog is one of the command.
    let help = gdwire(&["extcap", "--help"], b"");
    for call in dialog.split("{call=").skip(1).map(|rest| rest.split_once('}').unwrap().0) {
        assert!(help.text().contains(&format!("{call} <")), "{call}");
    }
    let listed = answer(&["--extcap-interfaces", "--extcap-version=4.0"]);
    assert!(listed.starts_with("extcap {version="), "{listed}");
    let interfaces = listed.lines().skip(1);
    for line in interfaces {
        let (value, display) = line
            .strip_prefix("interface {value=gdwire-")
            .and_then(|rest| rest.strip_suffix('}')?.split_once("}{display=Godot: "))
            .expect(line);
        assert!(!value.is_empty() && !display.is_empty(), "{line}");
    }
    for (arguments, problem) in [
        (&[][..], "'gdwire extcap --install' puts gdwire among"),
        (&interface[..], "expected one of --extcap-dlts, --extcap-config and --capture"),
        (&["--extcap-interface", "x", "--capture"], "--fifo"),
        (&["--install", "--uninstall"], "cannot be used with"),
    ] {
        let run = gdwire(&[&["extcap"], arguments].concat(), b"");
        assert!(run.code == 2 && run.stderr.contains(problem), "{}", run.stderr);
    }
}

/// A folder that an ordinary user may write to. It is removed in the end.
struct Home(PathBuf);

/// An ordinary user.
const NOBODY: u32 = 65_534;

impl Home {
    fn new(name: &str) -> Home {
        let path = std::env::temp_dir().join(format!("gdwire-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        if is_root() {
            std::os::unix::fs::chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        Home(path)
    }

    /// Starts a program as an ordinary user who may capture, and whose home this is.
    fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        if is_root() {
            let id = NOBODY.to_string();
            command = Command::new("setpriv");
            command.args(["--reuid", &id, "--regid", &id, "--clear-groups"]);
            let capabilities = "+net_raw,+net_admin";
            command.args(["--inh-caps", capabilities, "--ambient-caps", capabilities]);
            command.arg(program);
        }
        command.args(arguments).current_dir(&self.0).env("HOME", &self.0);
        for variable in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "WIRESHARK_CONFIG_DIR"] {
            command.env_remove(variable);
        }
        command
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> Output {
        self.command(program, arguments).output().unwrap()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// The text of an output, and of standard error if the program failed.
fn text(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn tshark_captures_messages_from_its_own_list_of_interfaces() {
    if !is_installed("tshark", "apt install tshark") {
        return;
    }
    let home = Home::new("extcap");
    // Others may not start programs in the folder of the tests.
    let program = home.0.join("gdwire-copy");
    fs::copy(env!("CARGO_BIN_EXE_gdwire"), &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let said = text(&home.run(&program, &["extcap", "--install"]));
    let (script, said) = said.split_once(": ").unwrap();
    assert!(said.starts_with("installed; Wireshark and tshark now list"), "{said}");
    assert!(Path::new(script).starts_with(&home.0), "{script}");
    assert_eq!(fs::metadata(script).unwrap().mode() & 0o777, 0o755);

    let listed = text(&home.run(Path::new("tshark"), &["-D"]));
    if !listed.contains("gdwire-") {
        // Without the permission to list interfaces there are none.
        assert!(text(&home.run(&program, &["extcap", "--extcap-interfaces"])).lines().count() == 1);
        return;
    }
    assert!(listed.contains(" gdwire-lo (Godot: lo)\n"), "{listed}");
    assert!(listed.contains(" gdwire-any (Godot: any)\n"), "{listed}");

    for (form, packets) in [("messages", "messages"), ("both", "packets")] {
        let server = UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = server.local_addr().unwrap().port();
        let options =
            [format!("port:{port}"), format!("as:{form}"), "where:.value.hp == 87".into()];
        let options = options.map(|option| format!("extcap.gdwire_lo.{option}"));
        let set = options.iter().flat_map(|option| ["-o", option]);
        let mut arguments = vec!["-n", "-l", "-i", "gdwire-lo", "-c", "6", "-T", "fields"];
        arguments.extend(set);
        arguments.extend(["-e", "frame.interface_name", "-e", "json.value.string"]);
        let is_over = AtomicBool::new(false);
        let output = std::thread::scope(|scope| {
            scope.spawn(|| {
                let client = UdpSocket::bind("127.0.0.1:0").unwrap();
                client.connect(("127.0.0.1", port)).unwrap();
                let start = Instant::now();
                while !is_over.load(Ordering::Relaxed) && start.elapsed().as_secs() < 60 {
                    for hp in [87, 12] {
                        let value = variant!({"hp": hp, "name": "hero", "speed": 1.5});
                        let bytes = encode(Dialect::GODOT_3, &value).unwrap();
                        client.send(&bytes).ok();
                    }
                    std::thread::sleep(Duration::from_millis(20));
                }
            });
            let output = home.run(Path::new("tshark"), &arguments);
            is_over.store(true, Ordering::Relaxed);
            output
        });
        let shown = text(&output);
        assert_eq!(shown.lines().count(), 6, "{shown}{}", String::from_utf8_lossy(&output.stderr));
        assert!(shown.lines().any(|line| line.contains(packets)), "{shown}");
        let of_messages = shown.lines().filter(|line| line.contains("hero"));
        assert!(form == "both" || of_messages.count() == 6, "{shown}");
    }

    let said = text(&home.run(&program, &["extcap", "--uninstall"]));
    assert_eq!(said, format!("{script}: removed\n"));
    assert!(!Path::new(script).exists());
    assert!(!text(&home.run(Path::new("tshark"), &["-D"])).contains("gdwire-"));
    // Another program's file stays.
    fs::write(script, "#!/bin/sh\n").unwrap();
    for option in ["--install", "--uninstall"] {
        let refused = home.run(&program, &["extcap", option]);
        assert_eq!(refused.status.code(), Some(2));
    }
    assert_eq!(fs::read_to_string(script).unwrap(), "#!/bin/sh\n");
}
