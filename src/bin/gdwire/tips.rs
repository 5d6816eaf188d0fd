//! Tips for options that a command does not have.

use clap::error::{ContextKind, ContextValue, ErrorKind};

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
    let command = std::env::args().nth(1).unwrap_or_default();
    let known =
        TIPS.iter().find(|tip| tip.commands.contains(&&*command) && tip.options.contains(&name));
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
