//! Names that no packet contains: the arguments for them, and how they are read.

use crate::Stop;
use crate::diagnostics::Diagnostics;
use crate::plain::{name, reason};
use crate::project;
use clap::{Args, ValueHint};
use gdwire::multiplayer::{Methods, Names};
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Args)]
pub(crate) struct NamesArgs {
    /// A file that lists remote methods, to show Godot 4's calls by name
    ///
    /// Godot 4 sends the number of a method instead of its name. Each line of the file has a
    /// pattern of node paths, as gdwire shows them, and all @rpc methods of these nodes, such as
    /// "Game/Players/*: move, respawn".
    #[arg(long, value_name = "FILE")]
    methods: Option<PathBuf>,
    /// The folder of the game's Godot project, to show calls, scenes and properties by name
    ///
    /// Godot 4 sends numbers for methods, scenes and properties. Their names are read from the
    /// scripts and scenes in the folder. A capture of another version of the game is noticed, and
    /// is shown with the names that it shares with this one.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    project: Option<PathBuf>,
}

impl NamesArgs {
    /// Reads the names; none if the user gave no source of names.
    pub(crate) fn read(&self, diagnostics: &mut Diagnostics) -> Result<Option<Arc<Names>>, Stop> {
        if self.methods.is_none() && self.project.is_none() {
            return Ok(None);
        }
        let mut names = Names::new();
        if let Some(file) = &self.methods {
            names = names.with_methods(read_methods(file).map_err(Stop::Usage)?);
        }
        if let Some(folder) = &self.project {
            let project = project::read(folder, diagnostics).map_err(Stop::Usage)?;
            names = names.with_project(project);
        }
        Ok(Some(Arc::new(names)))
    }
}

/// Reads a list of methods.
fn read_methods(path: &Path) -> Result<Methods, String> {
    let named = |problem: &dyn Display| format!("{}: {problem}", name(path));
    let bytes = fs::read(path).map_err(|error| named(&reason(&error)))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
        let line = valid.filter(|byte| **byte == b'\n').count() + 1;
        named(&format!("line {line}: the text is not UTF-8; save the file in UTF-8"))
    })?;
    Methods::parse(&text).map_err(|error| named(&error))
}
