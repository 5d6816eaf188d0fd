//! Reads the names from the sources that the user gave.

use super::project;
use crate::args::NamesArgs;
use crate::diagnostics::Diagnostics;
use crate::opened;
use crate::plain::{name, reason};
use crate::stop::Stop;
use gdwire::multiplayer::{Methods, Names};
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

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
    let bytes = opened::read(path).map_err(|error| named(&reason(&error)))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
        let line = valid.filter(|byte| **byte == b'\n').count() + 1;
        named(&format!("line {line}: the text is not UTF-8; save the file in UTF-8"))
    })?;
    Methods::parse(&text).map_err(|error| named(&error))
}
