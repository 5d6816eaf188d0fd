//! `SceneReplicationConfig`: which properties a synchronizer sends, and when.

use super::value;
use crate::game::project::names::{NameId, Names};
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// The properties that a synchronizer sends, in the order of the file.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// The path of the file, `res://…`.
    pub(crate) file: NameId,
    pub(crate) properties: Box<[Property]>,
}

/// A configuration that is being read.
#[derive(Debug, Default)]
pub(super) struct Reader {
    properties: Vec<Property>,
    paths: BTreeSet<NameId>,
    is_damaged: bool,
}

/// A property that a synchronizer sends.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    /// The path as in the file, such as `.:position`.
    pub(crate) path: NameId,
    /// The path as it is displayed, such as `position`.
    pub(crate) name: NameId,
    pub(crate) is_spawned: bool,
    pub(crate) mode: Mode,
}

/// When a property is sent, apart from spawns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Never,
    Always,
    OnChange,
}

impl Reader {
    /// Reads a line such as `properties/0/path = NodePath(".:position")`, as the engine does: the
    /// line with the path adds a property, and the lines after it change that property.
    pub(super) fn property(&mut self, name: &str, value: &str, names: &mut Names) {
        let Some((index, what)) = name.strip_prefix("properties/").and_then(|n| n.split_once('/'))
        else {
            return;
        };
        let Ok(index) = index.parse::<usize>() else { return };
        if what == "path" {
            match value::node_path(value) {
                Some(path) if index == self.properties.len() => {
                    let id = names.add(&path);
                    if self.paths.insert(id) {
                        let name = names.add(shown(&path));
                        self.properties.push(Property {
                            path: id,
                            name,
                            is_spawned: true,
                            mode: Mode::Always,
                        });
                    }
                }
                Some(_) => {}
                None => self.is_damaged = true,
            }
        } else if let Some(property) = self.properties.get_mut(index) {
            self.is_damaged |= property.set(what, value).is_none();
        }
    }

    /// The properties; none if a line could not be read.
    pub(super) fn finish(self, file: NameId) -> Option<Config> {
        (!self.is_damaged).then(|| Config { file, properties: self.properties.into() })
    }
}

impl Property {
    fn set(&mut self, what: &str, value: &str) -> Option<()> {
        match what {
            "spawn" => self.is_spawned = value::boolean(value)?,
            "replication_mode" => {
                self.mode = match value::integer(value)? {
                    1 => Mode::Always,
                    2 => Mode::OnChange,
                    _ => Mode::Never,
                }
            }
            // The first versions of Godot 4 have two booleans in place of the mode.
            "sync" => self.switch(value::boolean(value)?, Mode::Always),
            "watch" => self.switch(value::boolean(value)?, Mode::OnChange),
            _ => {}
        }
        Some(())
    }

    fn switch(&mut self, is_on: bool, mode: Mode) {
        if is_on {
            self.mode = mode;
        } else if self.mode == mode {
            self.mode = Mode::Never;
        }
    }
}

/// The path of a property as it is displayed: `.:position` is `position`.
fn shown(path: &str) -> &str {
    path.strip_prefix(".:").or_else(|| path.strip_prefix(':')).unwrap_or(path)
}
