//! `project.godot`: the main scene and the autoloads.

use super::items::{Item, Items};
use super::value;
use crate::game::project::names::{NameId, Names};
use crate::game::project::problems::{ProblemKind, Problems};
use alloc::vec::Vec;

/// The settings in `project.godot` that gdwire uses.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// The path or uid of the main scene, and its line.
    pub(crate) main: Option<(NameId, u32)>,
    pub(crate) autoloads: Vec<Autoload>,
}

/// A script or scene that is always in the scene tree.
#[derive(Debug)]
pub(crate) struct Autoload {
    pub(crate) name: NameId,
    /// The path or uid.
    pub(crate) target: NameId,
    pub(crate) line: u32,
}

/// Reads the file.
pub(crate) fn read(text: &str, file: &str, names: &mut Names, problems: &mut Problems) -> Settings {
    let mut settings = Settings::default();
    let mut section = "";
    let mut items = Items::new(text);
    while let Some(item) = items.next() {
        match item {
            Item::Section { tag, .. } => section = tag,
            Item::Property { name, value } => match section {
                "application" if name == "run/main_scene" => {
                    let path = value::string(value).filter(|path| !path.is_empty());
                    settings.main = path.map(|path| (names.add(&path), items.line));
                }
                "autoload" | "autoload_prepend" if !names.is_full() => {
                    // A star before the path means that the autoload is a global variable, too.
                    if let Some(target) = value::string(value) {
                        settings.autoloads.push(Autoload {
                            name: names.add(name),
                            target: names.add(target.strip_prefix('*').unwrap_or(&target)),
                            line: items.line,
                        });
                    }
                }
                _ => {}
            },
        }
    }
    if let Some(what) = items.problem {
        problems.add(file, items.line, ProblemKind::Syntax(what));
    }
    settings
}
