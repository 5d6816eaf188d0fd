//! Names that no packet contains.
//!
//! Reads the options `--methods` and `--project`, and returns the names of methods, scenes and
//! properties for the messages of captures.

use crate::args::NamesArgs;
use crate::diagnostics::{Diagnostics, RunError};
use crate::opened::{self, name, reason};
use crate::terminal::number;
use gdwire::multiplayer::{Methods, Names};
use gdwire::project::{ProblemKind, Project, ProjectProblem};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

impl NamesArgs {
    /// Reads the names; none if the user gave no source of names.
    pub fn read(&self, diagnostics: &mut Diagnostics) -> Result<Option<Arc<Names>>, RunError> {
        if self.methods.is_none() && self.project.is_none() && self.node.is_empty() {
            return Ok(None);
        }
        let mut names = Names::new();
        if let Some(file) = &self.methods {
            names = names.with_methods(read_methods(file).map_err(RunError::Usage)?);
        }
        if let Some(folder) = &self.project {
            let project = read_project(folder, diagnostics).map_err(RunError::Usage)?;
            names = names.with_project(project);
        }
        for (id, path) in &self.node {
            names = names.with_node(*id, path);
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

/// Reads the project in a folder, and reports the files that cannot be read.
pub fn read_project(path: &Path, diagnostics: &mut Diagnostics) -> Result<Project, String> {
    let title = name(path);
    let folder = folder_of(path);
    let project = Project::open(folder).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            let advice = "--project takes the folder of a Godot project";
            format!("{title}: no project.godot there; {advice}")
        }
        _ => format!("{title}: {}", reason(&error)),
    })?;
    project.files().for_each(|file| opened::file(&folder.join(file)));
    report_problems(&title, project.problems(), diagnostics);
    if project.further_problems() > 0 {
        let problem = format!("{} further problems", project.further_problems());
        diagnostics.warning(&title, &problem);
    }
    Ok(project)
}

/// Reports problems. Those with unknown classes have the same cause, so several share one line.
fn report_problems(title: &str, problems: &[ProjectProblem], diagnostics: &Diagnostics) {
    let is_unknown =
        |problem: &&ProjectProblem| matches!(problem.kind, ProblemKind::UnknownClass(_));
    let is_shared =
        !diagnostics.is_verbose() && problems.iter().filter(is_unknown).nth(1).is_some();
    for problem in problems.iter().filter(|problem| !(is_shared && is_unknown(problem))) {
        diagnostics.warning(title, problem);
    }
    if is_shared {
        diagnostics.warning(title, &unknown_classes(problems));
    }
}

/// Says how many scripts extend classes that are not known, and names some of these.
fn unknown_classes(problems: &[ProjectProblem]) -> String {
    const NAMED: usize = 3;
    let class = |problem: &ProjectProblem| match &problem.kind {
        ProblemKind::UnknownClass(class) => Some(class.clone()),
        _ => None,
    };
    let classes: Vec<_> = problems.iter().filter_map(class).collect();
    let scripts = number(classes.len() as u64, "script");
    let classes: BTreeSet<_> = classes.into_iter().collect();
    let more = classes.len().saturating_sub(NAMED);
    let mut named = classes.into_iter().take(NAMED).collect::<Vec<_>>().join(", ");
    if more > 0 {
        named += &format!(" and {more} more");
    }
    format!(
        "{scripts} extend classes that neither the project nor the engine has ({named}), so names of \
         methods may be missing; --verbose lists them"
    )
}

/// The folder of a project. The user may also name its file project.godot.
pub fn folder_of(path: &Path) -> &Path {
    match (path.file_name(), path.parent()) {
        (Some(file), Some(parent)) if file == OsStr::new("project.godot") => {
            if parent == Path::new("") { Path::new(".") } else { parent }
        }
        _ => path,
    }
}
