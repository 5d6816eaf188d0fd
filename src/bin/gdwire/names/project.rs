//! Finds the files in the folder of a game's project from which names are read.

use crate::diagnostics::Diagnostics;
use crate::plain::{name, reason};
use gdwire::project::Project;
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// The longest file that is read: 256 MiB.
const LONGEST: u64 = 256 << 20;

/// Reads the project in a folder, and reports the files that cannot be read.
pub(crate) fn read(path: &Path, diagnostics: &mut Diagnostics) -> Result<Project, String> {
    let folder = folder_of(path)?;
    let mut unread = Vec::new();
    let mut links = 0_u64;
    let walk = WalkDir::new(&folder).sort_by_file_name().into_iter();
    let entries = walk.filter_entry(|entry| entry.depth() == 0 || is_of_engine(entry));
    let files = entries.filter_map(|entry| match entry {
        Ok(entry) if entry.path_is_symlink() => {
            links += 1;
            None
        }
        Ok(entry) if !entry.file_type().is_file() => None,
        Ok(entry) => {
            let path =
                entry.path().strip_prefix(&folder).ok()?.to_string_lossy().replace('\\', "/");
            let content = if has_names(entry.path()) { read_file(&entry) } else { Ok(Vec::new()) };
            content.map(|content| (path, content)).map_err(|problem| unread.push(problem)).ok()
        }
        Err(error) => {
            unread.push(error.to_string());
            None
        }
    });
    let project = Project::from_files(files);
    let title = name(path);
    for problem in unread {
        diagnostics.warning(&title, &problem);
    }
    if links > 0 {
        let problem = format!("symbolic links are not followed, {links} here");
        diagnostics.warning(&title, &problem);
    }
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
fn folder_of(path: &Path) -> Result<PathBuf, String> {
    let folder = match path.file_name() {
        Some(file) if file == OsStr::new("project.godot") => match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        },
        _ => path,
    };
    match fs::metadata(folder.join("project.godot")) {
        Ok(file) if file.is_file() => Ok(folder.to_owned()),
        _ => Err(format!(
            "{}: no project.godot there; --project takes the folder of a Godot project",
            name(path)
        )),
    }
}

/// Whether the engine reads a file or folder: it ignores hidden ones, and folders that contain a
/// file named .gdignore.
fn is_of_engine(entry: &DirEntry) -> bool {
    let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
    let is_ignored = entry.file_type().is_dir() && entry.path().join(".gdignore").exists();
    !is_hidden && !is_ignored
}

/// Whether a file's content has names. The content of other files is not read; only their paths are
/// needed.
fn has_names(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    extension.is_some_and(|it| ["gd", "cs", "tscn", "tres", "uid", "godot"].contains(&&*it))
}

fn read_file(entry: &DirEntry) -> Result<Vec<u8>, String> {
    let named = |problem: &dyn Display| format!("{}: {problem}", entry.path().display());
    let len = entry.metadata().map_err(|error| named(&error))?.len();
    if len > LONGEST {
        return Err(named(&"not read: longer than 256 MiB"));
    }
    fs::read(entry.path()).map_err(|error| named(&reason(&error)))
}
