//! Reads a game's project, and reports the files that cannot be read.

use crate::diagnostics::Diagnostics;
use crate::opened;
use crate::plain::{name, reason};
use gdwire::project::Project;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;

/// Reads the project in a folder, and reports the files that cannot be read.
pub(crate) fn read(path: &Path, diagnostics: &mut Diagnostics) -> Result<Project, String> {
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
    for problem in project.problems() {
        diagnostics.warning(&title, problem);
    }
    if project.more_problems() > 0 {
        let problem = format!("{} further problems", project.more_problems());
        diagnostics.warning(&title, &problem);
    }
    Ok(project)
}

/// The folder of a project. The user may also name its file project.godot.
fn folder_of(path: &Path) -> &Path {
    match (path.file_name(), path.parent()) {
        (Some(file), Some(parent)) if file == OsStr::new("project.godot") => {
            if parent == Path::new("") { Path::new(".") } else { parent }
        }
        _ => path,
    }
}
