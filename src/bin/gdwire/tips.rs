//! Errors about the arguments: tips for options that a command does not have, and arguments that
//! are shown safely.

use crate::plain::{bounded, plain};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::env;
use std::error::Error;

/// What to do instead of an option that a command does not have.
struct Tip {
    commands: &'static [&'static str],
    options: &'static [&'static str],
    tip: &'static str,
}

const TIPS: &[Tip] = &[
    Tip {
        commands: &["decode"],
        options: &["-o", "--out", "--output", "--outfile"],
        tip: "the results go to standard output; redirect them with '> FILE', or write the bytes of \
              values to a file with 'gdwire convert -o FILE'",
    },
    Tip {
        commands: &["stats", "diagnose"],
        options: &["-o", "--out", "--output", "--outfile"],
        tip: "the results go to standard output; redirect them with '> FILE'",
    },
    Tip {
        commands: &["decode"],
        options: &["--json", "--ndjson", "--jsonl"],
        tip: "'--format ndjson' prints one JSON object per message",
    },
    Tip {
        commands: &["decode"],
        options: &["--native"],
        tip: "'--format native' prints lossless JSON; with '--format ndjson', '--values native' does",
    },
    Tip {
        commands: &["stats", "diagnose"],
        options: &["--json", "--ndjson", "--jsonl"],
        tip: "'--format json' prints one JSON object per file",
    },
    Tip {
        commands: &["annotate"],
        options: &["--format", "--json", "--ndjson"],
        tip: "the copy is always pcapng; 'gdwire decode --format ndjson' prints messages as JSON",
    },
    Tip {
        commands: &["report"],
        options: &["--format", "--json", "--ndjson"],
        tip: "a report is always HTML; 'gdwire stats --format json' prints numbers for programs",
    },
    Tip {
        commands: &["encode", "convert"],
        options: &["--format"],
        tip: "'--output' is the format of the bytes that are written, and '--input' that of the files",
    },
    Tip {
        commands: &["convert"],
        options: &["--json", "--native"],
        tip: "'gdwire decode --format native' prints values as JSON",
    },
    Tip {
        commands: &["encode"],
        options: &["--json", "--native"],
        tip: "'--input native' reads values as JSON",
    },
];

/// Replaces clap's tip for an unknown option: that is a similar option, or to put `--` before it.
pub(crate) fn with_better_tip(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let name = option.split('=').next().unwrap_or(option);
    let command = env::args_os().nth(1).unwrap_or_default();
    let known = TIPS
        .iter()
        .find(|tip| tip.commands.iter().any(|it| command == *it) && tip.options.contains(&name));
    let Some(Tip { tip, .. }) = known else {
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

/// Escapes control characters in the arguments that an error shows, and cuts long arguments.
pub(crate) fn with_plain_arguments(error: clap::Error) -> clap::Error {
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
