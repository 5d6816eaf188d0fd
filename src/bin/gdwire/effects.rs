//! Refuses options that have no effect in combination with others, instead of ignoring them.

use crate::stop::Stop;
use clap::ArgMatches;
use clap::parser::ValueSource;

/// Options of a command, and the formats with which they have an effect.
struct Rule {
    command: &'static str,
    options: &'static [&'static str],
    formats: &'static [&'static str],
}

/// `--threads` is not in the list: the output is the same for every number, and whether threads can
/// be used is often known only when an input is opened.
const RULES: &[Rule] = &[
    Rule { command: "decode", options: &["values"], formats: &["ndjson"] },
    Rule { command: "decode", options: &["hex", "all"], formats: &["text", "ndjson"] },
    Rule { command: "decode", options: &["color"], formats: &["text", "hex"] },
    Rule {
        command: "decode",
        options: &["explain", "plain", "wrap", "pretty", "time", "addresses", "width"],
        formats: &["text"],
    },
    Rule { command: "stats", options: &["sort", "top", "width", "color"], formats: &["table"] },
    Rule { command: "diagnose", options: &["top", "width", "color"], formats: &["text"] },
];

/// Fails if the user gave an option that has no effect.
pub(crate) fn check(matches: &ArgMatches) -> Result<(), Stop> {
    let Some((command, matches)) = matches.subcommand() else { return Ok(()) };
    for Rule { options, formats, .. } in RULES.iter().filter(|rule| rule.command == command) {
        let format = matches.get_raw("format").and_then(|mut it| it.next()?.to_str());
        if format.is_none_or(|format| formats.contains(&format)) {
            continue;
        }
        let is_given = |id: &&&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        if let Some(option) = options.iter().find(is_given) {
            let formats = formats.join(" or ");
            return Err(Stop::Usage(format!("--{option} needs --format {formats}")));
        }
    }
    Ok(())
}
