//! `gdwire man`: writes the manual pages, which have the texts of `--help`.

use crate::Stop;
use crate::args::Cli;
use crate::plain::{name, reason};
use clap::CommandFactory;
use clap_mangen::Man;
use std::fs;
use std::io::{Write, stdout};
use std::path::Path;

pub(crate) fn run(folder: Option<&Path>) -> Result<(), Stop> {
    let command = Cli::command().disable_help_subcommand(true);
    match folder {
        Some(folder) => fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(command, folder))
            .map_err(|error| Stop::Usage(format!("{}: {}", name(folder), reason(&error)))),
        None => {
            let mut page = Vec::new();
            Man::new(command).render(&mut page)?;
            Ok(stdout().write_all(&page)?)
        }
    }
}
