//! The arguments for `gdwire decode` to show the messages of a report.

use super::args::ReportArgs;
use crate::plain::is_stdin;
use clap::parser::ValueSource;
use clap::{Args, Command};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;

/// The options of this run without `-o`, and `files`, which are some of its inputs, quoted for a
/// shell. Empty if there are no files: pipes and live traffic cannot be read again.
pub(super) fn arguments(files: &[PathBuf]) -> String {
    let is_kept =
        |path: &PathBuf| !is_stdin(path) && fs::metadata(path).is_ok_and(|it| it.is_file());
    if files.is_empty() || !files.iter().all(is_kept) {
        return String::new();
    }
    // The first argument is the program, the second the command.
    let mut arguments = options(env::args_os().skip(1));
    arguments.extend(files.iter().map(|file| quoted(file.as_os_str())));
    arguments.join(" ")
}

/// The options that `gdwire decode` has, too, in their order and their long form.
fn options(given: impl Iterator<Item = OsString>) -> Vec<String> {
    let command = ReportArgs::augment_args(Command::new("gdwire"));
    // The arguments were parsed before, so this does not fail.
    let Ok(matches) = command.clone().try_get_matches_from(given) else { return Vec::new() };
    let mut options = Vec::new();
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
        let Some(name) = arg.get_long().filter(|_| is_given) else { continue };
        let places = matches.indices_of(id).into_iter().flatten();
        if !arg.get_action().takes_values() {
            options.extend(places.take(1).map(|place| (place, format!("--{name}"))));
            continue;
        }
        let values = matches.get_raw(id).into_iter().flatten();
        options.extend(places.zip(values).map(|(place, value)| {
            // A value with a hyphen at its start would be read as an option.
            let is_hyphen = value.as_encoded_bytes().starts_with(b"-");
            let separator = if is_hyphen { '=' } else { ' ' };
            (place, format!("--{name}{separator}{}", quoted(value)))
        }));
    }
    options.sort_by_key(|(place, _)| *place);
    options.into_iter().map(|(_, option)| option).collect()
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
    use super::{options, quoted};
    use std::ffi::OsString;

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

    #[test]
    fn options_are_those_of_the_run_without_its_output() {
        for given in
            ["-vo r.html --port 7777 x", "-v --port=7777 -or.html x", "x -vor.html --port 7777"]
        {
            let given = ["report"].into_iter().chain(given.split(' ')).map(OsString::from);
            assert_eq!(options(given).join(" "), "--verbose --port 7777");
        }
        // An input may have the name of a value.
        let given = ["report", "--method", "a b", "--src=7777", "7777", "--grep=-x y"];
        let given = given.into_iter().map(OsString::from);
        assert_eq!(options(given).join(" "), "--method 'a b' --src 7777 --grep='-x y'");
    }
}
