//! Reads the files in the folder of a project.

use super::Project;
use super::files::{extension, is_read};
use super::problems::{ProblemKind, ProjectProblem, short};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::fs::{self, DirEntry, FileType};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The longest file that is read: 256 MiB.
const LONGEST: u64 = 256 << 20;

impl Project {
    /// Reads the project in a folder: the one that contains `project.godot`.
    ///
    /// Like the engine, this ignores hidden files and folders, and folders that contain a file named
    /// `.gdignore`. Symbolic links are not followed. Files that cannot be read are among the
    /// [problems](Project::problems).
    ///
    /// # Errors
    ///
    /// If there is no file `project.godot` in the folder.
    pub fn open(folder: impl AsRef<Path>) -> io::Result<Project> {
        let folder = folder.as_ref();
        if !fs::metadata(folder.join("project.godot"))?.is_file() {
            return Err(io::Error::new(ErrorKind::NotFound, "project.godot is not a file"));
        }
        let mut walk = FolderWalk {
            open: Vec::from([(String::new(), folder.to_owned())]),
            entries: Vec::new(),
            problems: Vec::new(),
            links: 0,
        };
        let mut project = Project::from_files(&mut walk);
        if walk.links > 0 {
            walk.problem("", ProblemKind::Links(walk.links));
        }
        project.add_problems(walk.problems);
        Ok(project)
    }
}

/// The files in a folder, each with its path and its content.
struct FolderWalk {
    /// The folders whose entries were not listed yet.
    open: Vec<(String, PathBuf)>,
    /// The entries of the current folder, of which the first one comes last.
    entries: Vec<(String, DirEntry)>,
    problems: Vec<ProjectProblem>,
    links: u64,
}

impl FolderWalk {
    fn problem(&mut self, file: &str, kind: ProblemKind) {
        self.problems.push(ProjectProblem { file: short(file), line: None, kind });
    }

    fn unreadable(&mut self, file: &str, error: &io::Error) {
        self.problem(file, ProblemKind::Unreadable(short(&error.to_string())));
    }

    /// Lists the entries of a folder.
    fn list(&mut self, inside: &str, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.starts_with('.') {
                let path = if inside.is_empty() { name } else { format!("{inside}/{name}") };
                self.entries.push((path, entry));
            }
        }
        self.entries.sort_by(|(one, _), (other, _)| other.cmp(one));
        Ok(())
    }

    /// The content of a file. Folders are listed later.
    fn read(
        &mut self,
        path: &str,
        entry: &DirEntry,
        file: FileType,
    ) -> io::Result<Option<Vec<u8>>> {
        if file.is_symlink() {
            self.links += 1;
            return Ok(None);
        }
        if file.is_dir() {
            let folder = entry.path();
            if !folder.join(".gdignore").exists() {
                self.open.push((path.into(), folder));
            }
            return Ok(None);
        }
        if !file.is_file() {
            return Ok(None);
        }
        if !is_read(&extension(path)) {
            return Ok(Some(Vec::new()));
        }
        if entry.metadata()?.len() > LONGEST {
            self.problem(path, ProblemKind::Limit("256 MiB of a file"));
            return Ok(None);
        }
        fs::read(entry.path()).map(Some)
    }
}

impl Iterator for &mut FolderWalk {
    type Item = (String, Vec<u8>);

    fn next(&mut self) -> Option<(String, Vec<u8>)> {
        loop {
            let Some((path, entry)) = self.entries.pop() else {
                let (inside, folder) = self.open.pop()?;
                if let Err(error) = self.list(&inside, &folder) {
                    self.unreadable(&inside, &error);
                }
                continue;
            };
            match entry.file_type().and_then(|file| self.read(&path, &entry, file)) {
                Ok(Some(content)) => return Some((path, content)),
                Ok(None) => {}
                Err(error) => self.unreadable(&path, &error),
            }
        }
    }
}
