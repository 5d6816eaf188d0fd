//! Puts a script among the programs that Wireshark asks for interfaces, and removes it.

use crate::diagnostics::{Diagnostics, RunError};
use crate::opened::{name, reason};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The name of the script. Wireshark starts every program in the folder.
const SCRIPT: &str = if cfg!(windows) { "gdwire.bat" } else { "gdwire" };

/// A line of the script, from which it is recognized.
const MARK: &str = "written by 'gdwire extcap --install'";

/// Installs the script, and returns a message for the user.
pub fn install(folder: Option<&Path>, diagnostics: &Diagnostics) -> Result<String, RunError> {
    let script = script(folder)?;
    check_own(&script)?;
    let program = std::env::current_exe()
        .map_err(|error| format!("the path of gdwire is not known: {}", reason(&error)))?;
    let content = content(&program)?;
    let written = script.parent().map_or(Ok(()), fs::create_dir_all);
    written
        .and_then(|()| fs::write(&script, content))
        .and_then(|()| make_executable(&script))
        .map_err(|error| format!("{}: cannot write: {}", name(&script), reason(&error)))?;
    #[cfg(unix)]
    if folder.is_none() && rustix::process::geteuid().is_root() {
        diagnostics.note(&"Wireshark and tshark ignore this folder if root starts them");
    }
    #[cfg(not(unix))]
    let _ = diagnostics;
    Ok(format!(
        "{}: installed; Wireshark and tshark now list 'Godot: NAME' for each network interface",
        name(&script)
    ))
}

/// Removes the script, and returns a message for the user.
pub fn uninstall(folder: Option<&Path>) -> Result<String, RunError> {
    let script = script(folder)?;
    check_own(&script)?;
    match fs::remove_file(&script) {
        Ok(()) => Ok(format!("{}: removed", name(&script))),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Ok(format!("{}: is not installed", name(&script)))
        }
        Err(error) => Err(format!("{}: cannot remove: {}", name(&script), reason(&error)).into()),
    }
}

fn script(folder: Option<&Path>) -> Result<PathBuf, RunError> {
    let folder = match folder {
        Some(folder) => folder.to_owned(),
        None => personal_folder().ok_or(
            "neither tshark nor wireshark can be asked for its folders; name the folder for \
             external captures with --folder (in Wireshark: Help, About Wireshark, Folders, \
             'Personal Extcap path')",
        )?,
    };
    Ok(folder.join(SCRIPT))
}

/// Fails if there is a file that this command did not write.
fn check_own(script: &Path) -> Result<(), RunError> {
    match fs::read(script) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Ok(content) if String::from_utf8_lossy(&content).contains(MARK) => Ok(()),
        Ok(_) => {
            let problem = "this file was not written by 'gdwire extcap --install'; remove it first";
            Err(format!("{}: {problem}", name(script)).into())
        }
        Err(error) => Err(format!("{}: {}", name(script), reason(&error)).into()),
    }
}

/// The folder where Wireshark looks for programs of this user.
fn personal_folder() -> Option<PathBuf> {
    ["tshark", "wireshark"].iter().find_map(|program| {
        let mut command = Command::new(program);
        command.args(["-G", "folders"]).stdin(Stdio::null()).stderr(Stdio::null());
        let output = command.output().ok()?;
        folder_in(&String::from_utf8_lossy(&output.stdout))
    })
}

/// The folder in the list that `tshark -G folders` prints. Before version 4.2 the list lacks it, and it is
/// in the folder for the configuration.
fn folder_in(list: &str) -> Option<PathBuf> {
    let entry = |of: &str| {
        list.lines().find_map(|line| {
            let (what, folder) = line.split_once('\t')?;
            what.trim().eq_ignore_ascii_case(of).then(|| PathBuf::from(folder.trim()))
        })
    };
    let configuration = || Some(entry("Personal configuration:")?.join("extcap"));
    entry("Personal Extcap path:").or_else(configuration)
}

/// The content of a script that calls this program.
fn content(program: &Path) -> Result<String, RunError> {
    let Some(path) = program.to_str().filter(|path| !path.contains(['\n', '\r', '"'])) else {
        let problem = "its path has characters that a script cannot contain; move it elsewhere";
        return Err(format!("{}: {problem}", name(program)).into());
    };
    Ok(if cfg!(windows) {
        format!("@rem {MARK}\r\n@\"{path}\" extcap %*\r\n")
    } else {
        let path = path.replace('\'', r"'\''");
        format!("#!/bin/sh\n# {MARK}\nexec '{path}' extcap \"$@\"\n")
    })
}

/// Lets everyone who may read the script start it.
fn make_executable(script: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(script, fs::Permissions::from_mode(0o755))?;
    }
    #[cfg(not(unix))]
    let _ = script;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::folder_in;
    use std::path::Path;

    #[test]
    fn the_folder_is_found_in_the_lists_of_old_and_new_versions() {
        let old = "Temp:                \t/tmp\nPersonal configuration:\t/home/me/.config/wireshark\n\
                   Extcap path:         \t/usr/lib/wireshark/extcap\n";
        assert_eq!(folder_in(old).as_deref(), Some(Path::new("/home/me/.config/wireshark/extcap")));
        let new = format!("{old}Personal Extcap path:\t/home/me/.local/lib/wireshark/extcap\n");
        let expected = Path::new("/home/me/.local/lib/wireshark/extcap");
        assert_eq!(folder_in(&new).as_deref(), Some(expected));
        assert_eq!(folder_in("Temp:\t/tmp\n"), None);
    }
}
