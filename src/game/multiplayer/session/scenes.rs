//! Spawns and synchronizes scenes of a project as their files say.

use super::event::SessionError;
use super::replication::{NewNode, SpawnedHere, SyncConfig, SyncId};
use super::{Session, from_root};
use crate::game::multiplayer::known::KnownRole;
use crate::game::project::{Project, SpawnerId};
use crate::write::owned::Variant;
use alloc::borrow::ToOwned;
use alloc::format;

impl Session {
    /// Spawns a scene, `res://…`, that is in the list of a spawner: see [`Session::spawn`]. The project
    /// says which number it has, and which properties its synchronizers send and how often.
    ///
    /// As in the engine, the synchronizers of which another peer is the
    /// [authority](Session::set_authority) are not among those of the spawn. That peer announces them.
    ///
    /// # Errors
    ///
    /// [`SessionError::UnknownNode`] if the project has no such spawner,
    /// [`SessionError::UnknownScene`], and those of [`Session::spawn`].
    pub fn spawn_scene(
        &mut self,
        spawner: &str,
        scene: &str,
        name: &str,
        values: &[(&str, Variant)],
    ) -> Result<SpawnedHere, SessionError> {
        let node = self.new_node(from_root(spawner), scene, name)?;
        self.spawn(spawner, node, values)
    }

    /// Adds a synchronizer that was not spawned: see [`Session::add_synchronizer`]. The project says
    /// which properties it sends and how often.
    ///
    /// # Errors
    ///
    /// [`SessionError::UnknownNode`] if the project has no such synchronizer, and those of
    /// [`Session::add_synchronizer`].
    pub fn add_scene_synchronizer(&mut self, path: &str) -> Result<SyncId, SessionError> {
        let unknown = || SessionError::UnknownNode { path: path.to_owned() };
        let KnownRole::Synchronizer(config) = self.paths.known(from_root(path), None).role else {
            return Err(unknown());
        };
        let project = self.project().ok_or_else(unknown)?;
        let config = SyncConfig::from(project.config(config));
        self.add_synchronizer(path, &config)
    }

    fn project(&self) -> Option<&Project> {
        self.names()?.project()
    }

    /// A node of a scene, without the synchronizers of other peers.
    fn new_node(&self, spawner: &str, scene: &str, name: &str) -> Result<NewNode, SessionError> {
        let (id, project) = self.spawner(spawner)?;
        let unknown =
            || SessionError::UnknownScene { spawner: spawner.to_owned(), scene: scene.to_owned() };
        let list = project.spawner(id);
        let number = list.number_of(scene).ok_or_else(unknown)?;
        let scene = list.scene(number).ok_or_else(unknown)?;
        let synchronizers = project.scene(scene).synchronizers().ok_or_else(unknown)?;
        let path = self.names().and_then(|names| names.spawned_path(id, spawner, name));
        let mut node = NewNode::of_scene(number, name);
        for synchronizer in synchronizers {
            let below = |path| format!("{path}/{}", synchronizer.path);
            if path.as_ref().is_none_or(|path| self.authority(&below(path)) == self.id()) {
                let config = synchronizer.config.ok_or_else(unknown)?;
                node = node.with_synchronizer(SyncConfig::from(project.config(config)));
            }
        }
        Ok(node)
    }

    fn spawner(&self, path: &str) -> Result<(SpawnerId, &Project), SessionError> {
        match (self.paths.known(path, None).role, self.project()) {
            (KnownRole::Spawner(id), Some(project)) => Ok((id, project)),
            _ => Err(SessionError::UnknownNode { path: path.to_owned() }),
        }
    }
}
