//! `--recursive`: finds the captures in directories.

use super::source::{damage, start};
use crate::diagnostics::Diagnostics;
use crate::plain::{is_stdin, name, reason};
use gdwire::capture::Capture;
use gdwire::compression::Decompressor;
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The files to read. With `is_recursive`, a directory is replaced by the captures in it, at any
/// depth and in the order of their names. Reports what cannot be read.
pub(crate) fn expand(
    paths: &[PathBuf],
    is_recursive: bool,
    diagnostics: &mut Diagnostics,
) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        if is_stdin(path) || !path.is_dir() {
            files.push(path.clone());
        } else if is_recursive {
            let before = files.len();
            captures_in(path, &mut files, diagnostics);
            if files.len() == before {
                let problem =
                    "no captures in this directory; name files of other formats one by one";
                diagnostics.warning(&name(path), &problem);
            }
        } else {
            let problem = "this is a directory; use --recursive to read the captures in it";
            diagnostics.unreadable(&name(path), &problem);
        }
    }
    files
}

fn captures_in(directory: &Path, files: &mut Vec<PathBuf>, diagnostics: &mut Diagnostics) {
    let mut directories = VecDeque::from([directory.to_owned()]);
    while let Some(directory) = directories.pop_front() {
        let entries = fs::read_dir(&directory).and_then(|entries| {
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()
        });
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                diagnostics.unreadable(&name(&directory), &reason(&error));
                continue;
            }
        };
        entries.sort();
        for path in entries {
            // A link to a directory could lead back here.
            match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_dir() => directories.push_back(path),
                Ok(_) if path.is_file() => match is_capture(&path) {
                    Ok(true) => files.push(path),
                    Ok(false) => {}
                    Err(error) => diagnostics.unreadable(&name(&path), &reason(&error)),
                },
                Ok(_) => {}
                Err(error) => diagnostics.unreadable(&name(&path), &reason(&error)),
            }
        }
    }
}

fn is_capture(path: &Path) -> io::Result<bool> {
    match start(&mut Decompressor::new(File::open(path)?)) {
        Ok(start) => Ok(Capture::recognizes(&start)),
        Err(error) if damage(&error).is_some() => Ok(false),
        Err(error) => Err(error),
    }
}
