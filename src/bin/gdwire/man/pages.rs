//! Writes the manual pages, which have the texts of `--help`.

use super::args::ManArgs;
use crate::output;
use crate::plain::{name, reason};
use crate::stop::Stop;
use clap::Command;
use clap_mangen::Man;
use std::fs;
use std::io::{self, ErrorKind, Write, stdout};

/// `command` is the whole command line.
pub(crate) fn run(args: &ManArgs, command: Command) -> Result<(), Stop> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.folder else { return Ok(stdout().write_all(&page(&command)?)?) };
    fs::create_dir_all(folder).map_err(|error| {
        let reason = match error.kind() {
            ErrorKind::AlreadyExists => "this is not a folder".to_owned(),
            _ => reason(&error),
        };
        Stop::Usage(format!("{}: {reason}", name(folder)))
    })?;
    [&command].into_iter().chain(command.get_subcommands()).try_for_each(|command| {
        let title = command.get_display_name().unwrap_or(command.get_name());
        output::write(&folder.join(format!("{title}.1")), &page(command)?)
    })
}

/// The page of a command. Its synopsis is the usage line of `--help`: that of clap_mangen lists
/// every option, without its value.
fn page(command: &Command) -> io::Result<Vec<u8>> {
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
