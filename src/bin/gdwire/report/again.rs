//! The arguments for `gdwire decode` to show the messages of a report.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

/// The options of this run without `-o`, and `files`, which are some of its inputs, quoted for a
/// shell. Empty if there are no files: live traffic cannot be read again.
pub(super) fn arguments(inputs: &[PathBuf], files: &[PathBuf]) -> String {
    if files.is_empty() {
        return String::new();
    }
    // The first argument is the program, the second the command.
    let mut given = env::args_os().skip(2);
    let mut arguments = Vec::new();
    while let Some(argument) = given.next() {
        if argument == "-o" {
            given.next();
        } else if !argument.as_encoded_bytes().starts_with(b"-o")
            && !inputs.iter().any(|input| *input.as_os_str() == argument)
        {
            arguments.push(quoted(&argument));
        }
    }
    arguments.extend(files.iter().map(|file| quoted(file.as_os_str())));
    arguments.join(" ")
}

/// An argument, quoted for a shell if necessary.
fn quoted(argument: &OsStr) -> String {
    let argument = argument.to_string_lossy();
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_./:=@%+,".contains(it);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return argument.into_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_shell_reads_one_argument() {
        for (argument, shown) in [
            ("captures/game-1.pcapng", "captures/game-1.pcapng"),
            ("my game.pcapng", "'my game.pcapng'"),
            ("$(reboot); it's", r"'$(reboot); it'\''s'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(argument.as_ref()), shown);
        }
    }
}
