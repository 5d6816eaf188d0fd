//! Problems with the files of a project, and their places.

use super::limits;
use crate::format::text::OneLine;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::fmt;

/// Something in a project that could not be read or found.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ProjectProblem {
    /// The path of the file below the project's folder; empty if the problem concerns the folder.
    pub file: Box<str>,
    /// The number of the line, from 1. None if the problem concerns the whole file.
    pub line: Option<u32>,
    /// The kind of the problem.
    pub kind: ProblemKind,
}

/// The kind of a problem. Long paths and names are shortened.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The file refers to a file that is not in the project.
    Missing(
        /// The path or the `uid://…` of the missing file.
        Box<str>,
    ),
    /// The file refers to a file outside the project's folder. It is not read.
    Outside(
        /// The path as it is written.
        Box<str>,
    ),
    /// A script extends a class that is not in the project, and that the engine does not have.
    UnknownClass(
        /// The name of the class.
        Box<str>,
    ),
    /// More than one script has this class name, so it is not known which one is meant.
    SameClassName(
        /// The name of the class.
        Box<str>,
    ),
    /// A script extends itself, or a scene contains itself, possibly through other files.
    Circular,
    /// The file is in a binary format, which is not read.
    Binary(
        /// Its path.
        Box<str>,
    ),
    /// A scene changes a node of another scene, but that scene has no such node.
    NoSuchNode(
        /// The path of the node in the scene.
        Box<str>,
    ),
    /// The file or folder cannot be read.
    Unreadable(
        /// Why not.
        Box<str>,
    ),
    /// Symbolic links are not followed.
    Links(
        /// How many there are.
        u64,
    ),
    /// The file is not text in UTF-8.
    NotUtf8,
    /// The same path was given twice. Only the first file is used.
    Twice,
    /// The file is incomplete or damaged.
    Syntax(
        /// A description of the expected token.
        &'static str,
    ),
    /// A limit was reached. The rest is not read.
    Limit(
        /// The limit, such as "4,194,304 files".
        &'static str,
    ),
}

impl fmt::Display for ProjectProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}:", OneLine(&self.file))?;
            if let Some(line) = self.line {
                write!(f, "{line}:")?;
            }
            f.write_str(" ")?;
        }
        self.kind.fmt(f)
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProblemKind::Missing(path) => write!(f, "there is no file {}", OneLine(path)),
            ProblemKind::Outside(path) => {
                write!(f, "{} is not a path in the project's folder", OneLine(path))
            }
            ProblemKind::UnknownClass(name) => {
                write!(f, "neither the project nor the engine has a class {}", OneLine(name))
            }
            ProblemKind::SameClassName(name) => {
                write!(f, "several scripts have the class name {}", OneLine(name))
            }
            ProblemKind::Circular => f.write_str("the file extends or contains itself"),
            ProblemKind::Binary(path) => {
                write!(f, "{} is in a binary format, which is not read", OneLine(path))
            }
            ProblemKind::NoSuchNode(path) => {
                write!(f, "the instanced scene has no node {}", OneLine(path))
            }
            ProblemKind::Unreadable(reason) => OneLine(reason).fmt(f),
            ProblemKind::Links(count) => {
                write!(f, "symbolic links are not followed, {count} here")
            }
            ProblemKind::NotUtf8 => f.write_str("the file is not text in UTF-8"),
            ProblemKind::Twice => f.write_str("the file was given twice; the first one is used"),
            ProblemKind::Syntax(what) => write!(f, "expected {what}"),
            ProblemKind::Limit(what) => write!(f, "not read any further: more than {what}"),
        }
    }
}

/// The first problems, and the number of further ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Problems {
    pub(super) kept: Vec<ProjectProblem>,
    pub(super) more: u64,
}

impl Problems {
    pub(super) fn add(&mut self, file: &str, line: impl Into<Option<u32>>, kind: ProblemKind) {
        self.push(ProjectProblem { file: short(file), line: line.into(), kind });
    }

    pub(super) fn push(&mut self, problem: ProjectProblem) {
        if self.kept.len() < limits::PROBLEMS {
            self.kept.push(problem);
        } else {
            self.more += 1;
        }
    }
}

/// A path or name, shortened for a problem.
pub(super) fn short(text: &str) -> Box<str> {
    const KEPT: usize = 200;
    match text.char_indices().nth(KEPT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or("")).into(),
        None => text.into(),
    }
}
