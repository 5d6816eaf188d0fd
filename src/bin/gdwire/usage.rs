//! Usage of the command line: help, errors about arguments, and options that have no effect.

use crate::diagnostics::RunError;
use crate::terminal::{bounded, plain};
use crate::{HELP, OPTIONAL};
use clap::ArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use std::env;
use std::error::Error;
use std::ffi::OsString;

/// The notes about the options that select messages, in place of `{selection}`.
const SELECTION: &str = include_str!("help/selection.txt");

/// Adds the examples to the end of `-h`, and the examples and notes to the end of `--help`. Clap
/// wraps both at the width of the terminal, at most 100 columns.
pub fn with_help(command: clap::Command) -> clap::Command {
    let text = HELP.iter().find(|(name, _)| *name == command.get_name()).map_or("", |it| it.1);
    let mut help = String::new();
    for line in text.replace("{selection}\n", SELECTION).lines() {
        let rest = line.trim_start_matches(' ');
        let is_continued = matches!(line.len().saturating_sub(rest.len()), 1 | 3);
        help += if help.is_empty() {
            ""
        } else if is_continued {
            " "
        } else {
            "\n"
        };
        help += if is_continued { rest } else { line };
    }
    let examples = help.split("\n\n").next().unwrap_or_default().to_owned();
    command.after_help(examples).after_long_help(help)
}

/// Options of a command, and the formats with which they have an effect. `--threads` is not in the
/// list: the output is the same for every number, and whether threads can be used is often known only
/// when an input is opened.
const EFFECTS: [(&str, &str, &str); 12] = [
    ("decode", "values", "ndjson"),
    ("decode", "hex index all", "text ndjson"),
    ("decode", "color", "text hex"),
    ("decode", "explain plain wrap pretty time addresses width", "text"),
    ("proxy", "values", "ndjson"),
    ("proxy", "hex all", "text ndjson"),
    ("proxy", "color", "text hex"),
    ("proxy", "plain wrap pretty time addresses width", "text"),
    ("states", "time width color", "text"),
    ("stats", "sort top width color", "table"),
    ("diagnose", "top width color", "text"),
    ("compare", "top width color", "text"),
];

/// Fails if the user gave an option that has no effect.
pub fn check_effects(matches: &ArgMatches) -> Result<(), RunError> {
    let Some((command, matches)) = matches.subcommand() else { return Ok(()) };
    for (_, options, formats) in EFFECTS.iter().filter(|(of, ..)| *of == command) {
        let format = matches.get_raw("format").and_then(|mut it| it.next()?.to_str());
        if format.is_none_or(|format| formats.split(' ').any(|it| it == format)) {
            continue;
        }
        let is_given = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        if let Some(option) = options.split(' ').find(is_given) {
            let formats = formats.replace(' ', " or ");
            return Err(format!("--{option} needs --format {formats}").into());
        }
    }
    Ok(())
}

/// The arguments, with `--limit -1` as `--limit=-1`: otherwise clap takes a value that begins with a
/// minus sign for an option, and its error does not name the option before it.
pub fn arguments(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    let mut is_option = false;
    let mut only_files = false;
    for argument in arguments {
        let bytes = argument.as_encoded_bytes();
        let is_value =
            matches!(bytes, [b'-', sign, ..] if !sign.is_ascii_alphabetic() && *sign != b'-');
        match joined.last_mut().filter(|_| is_value && is_option) {
            Some(option) => {
                option.push("=");
                option.push(&argument);
                is_option = false;
            }
            None => {
                only_files |= bytes == b"--";
                is_option = !only_files
                    && match bytes {
                        [b'-', b'-', _, ..] => !bytes.contains(&b'='),
                        [b'-', letter] => letter.is_ascii_alphabetic(),
                        _ => false,
                    };
                joined.push(argument);
            }
        }
    }
    joined
}

/// Whether the user asked for the network interfaces.
pub fn lists_interfaces(matches: &ArgMatches) -> bool {
    let given = matches.subcommand().map(|(_, it)| it.try_get_one("list_interfaces"));
    matches!(given, Some(Ok(Some(true))))
}

/// Options that commands do not have, and what to do instead.
const TIPS: [(&str, &str, &str); 11] = [
    (
        "decode",
        "-o --out --output --outfile",
        "the results go to standard output; redirect them with '> FILE', or write the bytes of \
              values to a file with 'gdwire convert -o FILE'",
    ),
    (
        "stats diagnose compare",
        "-o --out --output --outfile",
        "the results go to standard output; redirect them with '> FILE'",
    ),
    ("decode", "--json --ndjson --jsonl", "'--format ndjson' prints one JSON object per message"),
    (
        "decode",
        "--native",
        "'--format native' prints lossless JSON; with '--format ndjson', '--values native' does",
    ),
    (
        "stats diagnose",
        "--json --ndjson --jsonl",
        "'--format json' prints one JSON object per file",
    ),
    ("compare", "--json --ndjson --jsonl", "'--format json' prints one JSON object"),
    (
        "annotate",
        "--format --json --ndjson",
        "the copy is always pcapng; 'gdwire decode --format ndjson' prints messages as JSON",
    ),
    (
        "report",
        "--format --json --ndjson",
        "a report is always HTML; 'gdwire stats --format json' prints numbers for programs",
    ),
    (
        "encode convert",
        "--format",
        "'--output' is the format of the bytes that are written, and '--input' that of the files",
    ),
    ("convert", "--json --native", "'gdwire decode --format native' prints values as JSON"),
    ("encode", "--json --native", "'--input native' reads values as JSON"),
];

/// Replaces clap's tip for a command that this build does not have: that is another command.
fn with_feature(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let Some((_, feature)) = OPTIONAL.iter().find(|(command, _)| command == name) else {
        return error;
    };
    let tip = format!("'{name}' is in a gdwire that is built with the feature '{feature}'");
    error.remove(ContextKind::SuggestedSubcommand);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    error
}

/// Replaces clap's tip for an unknown option: that is a similar option, or to put `--` before it.
fn with_better_tip(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let name = option.split('=').next().unwrap_or(option);
    let command = env::args_os().nth(1).unwrap_or_default();
    let known = TIPS.iter().find(|(commands, options, _)| {
        commands.split(' ').any(|it| command == it) && options.split(' ').any(|it| it == name)
    });
    let Some((.., tip)) = known else {
        if error.get(ContextKind::SuggestedArg).is_none() {
            error.remove(ContextKind::Suggested);
        }
        return error;
    };
    // The usage has clap's suggestion, too.
    for kind in [ContextKind::SuggestedArg, ContextKind::Suggested, ContextKind::Usage] {
        error.remove(kind);
    }
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![(*tip).into()]));
    error
}

/// An error about the arguments with a better tip. Control characters in the arguments that it shows
/// are escaped, and long arguments are cut.
pub fn plain_error(error: clap::Error) -> clap::Error {
    let error = with_better_tip(with_feature(error));
    let is_plain = |argument: &str| argument_text(argument) == argument;
    if env::args_os().all(|argument| argument.to_str().is_some_and(is_plain)) {
        return error;
    }
    let Some(reason) = error.source().map(|reason| lines(&reason.to_string())) else {
        return with_plain_context(error);
    };
    // The reason that a parser gave cannot be replaced, so this is a new error with the same text.
    let named = |kind| match error.get(kind) {
        Some(ContextValue::String(name)) => argument_text(name),
        _ => String::new(),
    };
    let (value, option) = (named(ContextKind::InvalidValue), named(ContextKind::InvalidArg));
    let advice = "For more information, try '--help'.";
    let text = format!("invalid value '{value}' for '{option}': {reason}\n\n{advice}\n");
    clap::Error::raw(error.kind(), text)
}

fn with_plain_context(mut error: clap::Error) -> clap::Error {
    let plain = error.context().filter_map(|(kind, value)| {
        let value = match value {
            ContextValue::String(text) => ContextValue::String(argument_text(text)),
            ContextValue::Strings(texts) => {
                ContextValue::Strings(texts.iter().map(|text| argument_text(text)).collect())
            }
            ContextValue::StyledStr(text) => {
                ContextValue::StyledStr(lines(&text.to_string()).into())
            }
            ContextValue::StyledStrs(texts) => {
                let texts = texts.iter().map(|text| lines(&text.to_string()).into());
                ContextValue::StyledStrs(texts.collect())
            }
            _ => return None,
        };
        Some((kind, value))
    });
    for (kind, value) in plain.collect::<Vec<_>>() {
        error.insert(kind, value);
    }
    error
}

fn argument_text(argument: &str) -> String {
    plain(&bounded(argument))
}

/// A text of several lines.
fn lines(text: &str) -> String {
    let lines = bounded(text).lines().map(plain).collect::<Vec<_>>();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::with_feature;
    use clap::Command;

    #[test]
    fn a_command_that_the_build_lacks_names_its_feature() {
        // `top` is like `bot`, so clap would suggest it.
        let error = |name| {
            let command = Command::new("gdwire").subcommand(Command::new("top"));
            with_feature(command.try_get_matches_from(["gdwire", name]).unwrap_err()).to_string()
        };
        let bot = error("bot");
        assert!(bot.contains("built with the feature 'peer'") && !bot.contains("'top'"), "{bot}");
        assert!(error("export").contains("built with the feature 'export'"));
        assert!(!error("other").contains("feature"));
    }
}
