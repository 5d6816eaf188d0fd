//! Names that no packet contains: the arguments for them, and how they are read.

use crate::Stop;
use crate::plain::{name, reason};
use clap::Args;
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
}

impl NamesArgs {
    /// Reads the names; none if the user gave no source of names.
    pub(crate) fn read(&self) -> Result<Option<Arc<Names>>, Stop> {
        let methods = self.methods.as_deref().map(read_methods).transpose().map_err(Stop::Usage)?;
        Ok(methods.map(|methods| Arc::new(Names::from(methods))))
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
