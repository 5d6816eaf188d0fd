//! Writes the script, which clap makes.

use super::args::CompletionsArgs;
use crate::stop::Stop;
use clap::Command;
use clap_complete::{Shell, generate};
use std::io::{self, Write};

/// clap's function for bash offers all options where nothing is typed yet. Most commands expect
/// files there. bash completes files if a function offers nothing, so this wrapper removes the
/// options.
const FILES: &str = r#"
_gdwire_or_files() {
    _gdwire "$@"
    [[ $2 == -* ]] && return
    local word words=()
    for word in "${COMPREPLY[@]}"; do
        [[ $word == -* ]] || words+=("$word")
    done
    COMPREPLY=(${words[@]+"${words[@]}"})
}

"#;

/// `command` is the whole command line.
pub(crate) fn run(args: &CompletionsArgs, command: Command) -> Result<(), Stop> {
    let (shell, mut command) = (args.shell, command);
    let mut script = Vec::new();
    generate(shell, &mut command, "gdwire", &mut script);
    if shell == Shell::Bash {
        let text = String::from_utf8(script).map_err(io::Error::other)?;
        let text = text.replace("complete -F _gdwire ", "complete -F _gdwire_or_files ");
        script = [FILES.trim_start(), &*text].concat().into_bytes();
    }
    Ok(io::stdout().write_all(&script)?)
}
