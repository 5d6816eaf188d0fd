//! `gdwire man` and `gdwire completions`: turn the definition of the command line into manual pages and
//! into completion scripts.

use crate::diagnostics::RunError;
use crate::opened::{name, reason};
use crate::output;
use clap::{Args, ValueHint};
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use std::fs;
use std::io::{self, ErrorKind, Write, stdout};
use std::path::PathBuf;

#[derive(Args)]
pub struct ManArgs {
    /// The folder to write a page for gdwire and each command to; without it, the page for gdwire goes to standard output
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: Option<PathBuf>,
}

#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell to write the script for
    shell: Shell,
}

/// Writes the manual pages, which have the texts of `--help`.
pub fn man(args: &ManArgs, command: clap::Command) -> Result<(), RunError> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.folder else { return Ok(stdout().write_all(&page(&command)?)?) };
    fs::create_dir_all(folder).map_err(|error| {
        let reason = match error.kind() {
            ErrorKind::AlreadyExists => "this is not a folder".to_owned(),
            _ => reason(&error),
        };
        RunError::Usage(format!("{}: {reason}", name(folder)))
    })?;
    [&command].into_iter().chain(command.get_subcommands()).try_for_each(|command| {
        let title = command.get_display_name().unwrap_or(command.get_name());
        output::write(&folder.join(format!("{title}.1")), &page(command)?)
    })
}

/// The page of a command. Its synopsis is the usage line of `--help`: that of clap_mangen lists
/// every option, without its value.
fn page(command: &clap::Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    let page = String::from_utf8(page).map_err(io::Error::other)?;
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").replace('-', "\\-");
    let (start, end) = (".SH SYNOPSIS\n", "\n.SH DESCRIPTION");
    let parts = page.split_once(start).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(end)?;
        Some([before, start, &usage, end, after].concat())
    });
    Ok(parts.unwrap_or(page).into_bytes())
}

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

/// Writes a completion script, which clap makes.
pub fn completions(args: &CompletionsArgs, command: clap::Command) -> Result<(), RunError> {
    let (shell, mut command) = (args.shell, command);
    let mut script = Vec::new();
    generate(shell, &mut command, "gdwire", &mut script);
    if shell == Shell::Bash {
        let text = String::from_utf8(script).map_err(io::Error::other)?;
        let text = text.replace("complete -F _gdwire ", "complete -F _gdwire_or_files ");
        script = [FILES.trim_start(), &*text].concat().into_bytes();
    }
    Ok(stdout().write_all(&script)?)
}
