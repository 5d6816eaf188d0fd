//! Reading Godot 4 projects.

pub(crate) mod arena;
pub(crate) mod changed;
mod hostile;
mod lists;
mod parameters;
mod scenes;
mod scripts;

use gdwire::project::{DigestMatch, Project};
use md5::{Digest, Md5};

/// A project of these files.
fn project(files: &[(&str, &str)]) -> Project {
    Project::from_files(files.iter().copied())
}

/// The digest of a list, as the engine computes it.
fn digest(names: &[&str]) -> String {
    data_encoding::HEXLOWER.encode(&Md5::digest(names.concat()))
}

/// The names of the list with this digest: those made remote at run time, and the others.
fn named(project: &Project, md5: &str) -> Option<(Vec<String>, Vec<String>)> {
    let DigestMatch::Known(list) = project.list_of_digest(md5) else { return None };
    let list = project.list(list);
    let names = |is_own| {
        let count = u16::try_from(list.len(is_own)).unwrap();
        (0..count).map(|index| list.name(index, is_own).unwrap().to_owned()).collect()
    };
    Some((names(true), names(false)))
}

/// The names of a node's `@rpc` methods.
fn rpcs<'p>(project: &'p Project, path: &str) -> Option<Vec<&'p str>> {
    let list = project.list(project.node(path)?.list?);
    Some((0..).map_while(|index| list.name(index, false)).collect())
}

fn problems(project: &Project) -> Vec<String> {
    project.problems().iter().map(ToString::to_string).collect()
}
