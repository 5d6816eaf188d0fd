//! The scripts, spawners and synchronizers of the nodes of one scene.

use super::builder::Builder;
use crate::game::project::files::Target;
use crate::game::project::ids::{SceneId, SpawnerId, index, number};
use crate::game::project::names::NameId;
use crate::game::project::resource::scene::{FileNode, FileNodeKind, Source};
use crate::game::project::tree::{
    NodeId, NodeRole, NodeScript, ScenePart, SpawnerData, SynchronizerData,
};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

impl Builder<'_> {
    /// Applies the properties of a node.
    pub(super) fn change(&mut self, id: NodeId, node: &FileNode) {
        let script = node.script.map(|source| match source {
            Source::Null => NodeScript::Nothing,
            Source::Class(class) => NodeScript::Class(class),
            Source::File(place) => match self.targets.get(place) {
                Some(Target::Script(class)) => NodeScript::Class(*class),
                _ => NodeScript::Unknown,
            },
            Source::Config(_) | Source::Unknown => NodeScript::Unknown,
        });
        for (name, value) in &node.values {
            self.set.insert((id, *name), number(self.tree.values.len()));
            self.tree.values.push(value.clone());
        }
        let Some(new) = self.tree.nodes.get_mut(index(id)) else { return };
        new.script = script.unwrap_or(new.script);
        new.class = node.class.or(new.class);
        let (owner, role) = (new.owner, new.role);
        match node.is_unique {
            Some(true) => drop(self.unique.insert((owner, node.name), id)),
            Some(false) => drop(self.unique.remove(&(owner, node.name))),
            None => {}
        }
        let role = match (node.kind, role) {
            (FileNodeKind::Spawner, _) => {
                self.spawner(id, node, SpawnerData { scenes: None, path: None })
            }
            (_, NodeRole::Spawner(SpawnerId(spawner)))
                if node.spawnable.is_some() || node.spawn_path.is_some() =>
            {
                let Some(data) = self.tree.spawners.get(index(spawner)).copied() else { return };
                self.spawner(id, node, data)
            }
            (FileNodeKind::Synchronizer, _) => {
                let root_path = self.files.names.add("..");
                self.synchronizer(node, SynchronizerData { config: None, root_path })
            }
            (_, NodeRole::Synchronizer { data, .. })
                if node.config.is_some() || node.root_path.is_some() =>
            {
                let Some(data) = self.tree.synchronizers.get(index(data)).copied() else { return };
                self.synchronizer(node, data)
            }
            (_, role) => role,
        };
        if let Some(new) = self.tree.nodes.get_mut(index(id)) {
            new.role = role;
        }
    }

    fn spawner(&mut self, id: NodeId, node: &FileNode, mut data: SpawnerData) -> NodeRole {
        if let Some(scenes) = &node.spawnable {
            let file = String::from(self.files.names.text(self.file.file));
            let scene = |name: &NameId| {
                let path = String::from(self.files.names.text(*name));
                let Target::Scene(scene) = self.files.locate(&file, node.line, &path) else {
                    return (*name, None);
                };
                let path = self.tree.scene(SceneId(scene)).map_or(*name, |scene| scene.path);
                (path, Some(SceneId(scene)))
            };
            let list = scenes.iter().map(scene).collect();
            data.scenes = Some(number(self.tree.spawnable.len()));
            self.tree.spawnable.push(list);
        }
        data.path = node.spawn_path.or(data.path);
        let spawner = SpawnerId(number(self.tree.spawners.len()));
        self.tree.spawners.push(data);
        self.spawners.push((id, spawner));
        NodeRole::Spawner(spawner)
    }

    fn synchronizer(&mut self, node: &FileNode, mut data: SynchronizerData) -> NodeRole {
        if let Some(source) = node.config {
            data.config = match source {
                Source::Config(config) => Some(config),
                Source::File(place) => match self.targets.get(place) {
                    Some(Target::Config(config)) => Some(*config),
                    _ => None,
                },
                _ => None,
            };
        }
        data.root_path = node.root_path.unwrap_or(data.root_path);
        let id = number(self.tree.synchronizers.len());
        self.tree.synchronizers.push(data);
        NodeRole::Synchronizer { data: id, config: None }
    }

    /// Replaces unique names (`%Name`) in the paths of spawners, because outside this scene they
    /// mean other nodes.
    pub(super) fn resolve_spawners(&mut self) {
        for (node, SpawnerId(spawner)) in core::mem::take(&mut self.spawners) {
            let Some(data) = self.tree.spawners.get(index(spawner)) else { continue };
            let Some(path) = data.path else { continue };
            let text = self.files.names.text(path);
            if !text.contains('%') {
                continue;
            }
            let found = self.tree.resolve(node, text, &self.files.names, &mut self.room.steps);
            let path =
                found.and_then(|to| self.between(node, to)).map(|p| self.files.names.add(&p));
            if let Some(data) = self.tree.spawners.get_mut(index(spawner)) {
                data.path = path;
            }
        }
    }

    /// The path from one node to another.
    fn between(&mut self, from: NodeId, to: NodeId) -> Option<String> {
        let mut from = self.tree.upwards(from, &mut self.room.steps)?;
        let mut to = self.tree.upwards(to, &mut self.room.steps)?;
        while from.last().is_some() && from.last() == to.last() {
            from.pop();
            to.pop();
        }
        let up = from.iter().map(|_| "..");
        let down = to.iter().rev().filter_map(|node| self.tree.node(*node));
        let names = &self.files.names;
        let path: Vec<&str> = up.chain(down.map(|node| names.text(node.name))).collect();
        let path = if path.is_empty() { String::from(".") } else { path.join("/") };
        self.room.path_bytes = self.room.path_bytes.checked_sub(path.len())?;
        Some(path)
    }

    /// The synchronizers of the root, in the order in which the engine numbers them: parents before
    /// children, siblings in their order.
    pub(super) fn synchronizers(&mut self, root: NodeId) -> Option<Box<[ScenePart]>> {
        let mut found = Vec::new();
        let mut open = Vec::from([root]);
        while let Some(id) = open.pop() {
            let node = self.tree.node(id)?;
            open.extend(node.children.iter().rev());
            let NodeRole::Synchronizer { data, .. } = node.role else { continue };
            let data = *self.tree.synchronizers.get(index(data))?;
            let names = &self.files.names;
            let path = names.text(data.root_path);
            if self.tree.resolve(id, path, names, &mut self.room.steps) == Some(root) {
                let path = self.between(root, id)?;
                found.push((self.files.names.add(&path), id));
            }
        }
        Some(found.into())
    }
}
