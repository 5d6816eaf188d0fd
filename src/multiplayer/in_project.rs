//! The names of a project.

use super::role::{Role, Sent};
use crate::project::{self, Found, Project};

pub(super) use crate::project::{ConfigId, ListId, SceneId, SpawnerId, digest};

/// A synchronizer: its scene, and its place among the synchronizers of that scene.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SynchronizerId(SceneId, usize);

/// The project that the user gave, if any.
#[derive(Debug, Default)]
pub(super) struct ProjectNames(pub(super) Option<Project>);

impl ProjectNames {
    pub(super) const fn is_given(&self) -> bool {
        self.0.is_some()
    }

    /// The methods and the role of the node with a path, or of the node in a spawned scene.
    pub(super) fn node(
        &self,
        path: &str,
        around: Option<(SceneId, &str)>,
    ) -> Option<(Option<ListId>, Role<SpawnerId, ConfigId>)> {
        let project = self.0.as_ref()?;
        let node = match around {
            Some((scene, rest)) => project.node_in(scene, rest),
            None => project.node(path),
        }?;
        let role = match node.role {
            project::Role::Spawner(id) => Role::Spawner(id),
            project::Role::Synchronizer(Some(config)) => Role::Synchronizer(config),
            _ => Role::Other,
        };
        Some((node.list, role))
    }

    /// The list of methods with a digest. `of_node` is the list that the node has according to the
    /// scenes.
    pub(super) fn list_of_digest(&self, md5: &str, of_node: Option<ListId>) -> Option<ListId> {
        let project = self.0.as_ref()?;
        let found = match of_node {
            Some(list) => project.list_of_node(md5, list),
            None => project.list_of_digest(md5),
        };
        match found {
            Found::Known(list) => Some(list),
            Found::Ambiguous | Found::Unknown => None,
        }
    }

    /// Whether at least one list of methods has a digest.
    pub(super) fn has_digest(&self, md5: &str) -> bool {
        let found = self.0.as_ref().map(|project| project.list_of_digest(md5));
        matches!(found, Some(Found::Known(_) | Found::Ambiguous))
    }

    pub(super) fn method(&self, list: ListId, number: u16, is_own: bool) -> Option<&str> {
        self.0.as_ref()?.list(list).name(number, is_own)
    }

    pub(super) fn methods(&self, list: ListId, is_own: bool) -> Option<usize> {
        Some(self.0.as_ref()?.list(list).len(is_own))
    }

    pub(super) fn scene(&self, spawner: SpawnerId, number: u8) -> Option<SceneId> {
        self.0.as_ref()?.spawner(spawner).scene(number)
    }

    pub(super) fn scene_path(&self, spawner: SpawnerId, number: u8) -> Option<&str> {
        self.0.as_ref()?.spawner(spawner).scene_path(number)
    }

    /// The path from a spawner to the parent of its nodes.
    pub(super) fn parent(&self, spawner: SpawnerId) -> Option<&str> {
        self.0.as_ref()?.spawner(spawner).spawn_path()
    }

    /// The synchronizers of a scene, in the order of a spawn.
    pub(super) fn synchronizers(
        &self,
        scene: SceneId,
    ) -> Option<impl ExactSizeIterator<Item = SynchronizerId> + Clone + use<>> {
        let count = self.0.as_ref()?.scene(scene).synchronizers()?.len();
        Some((0..count).map(move |place| SynchronizerId(scene, place)))
    }

    pub(super) fn synchronizer_path(&self, id: SynchronizerId) -> Option<&str> {
        Some(self.synchronizer(id)?.path)
    }

    pub(super) fn config_of(&self, id: SynchronizerId) -> Option<ConfigId> {
        self.synchronizer(id)?.config
    }

    fn synchronizer(
        &self,
        SynchronizerId(scene, place): SynchronizerId,
    ) -> Option<project::Synchronizer<'_>> {
        self.0.as_ref()?.scene(scene).synchronizer(place)
    }

    /// The properties that are sent at the times `sent`, in order.
    pub(super) fn properties(
        &self,
        config: ConfigId,
        sent: Sent,
    ) -> impl Iterator<Item = &str> + Clone {
        self.0.iter().flat_map(move |project| {
            let config = project.config(config);
            let spawn = (sent == Sent::Spawn).then(|| config.spawn());
            let always = (sent == Sent::Always).then(|| config.sync());
            let on_change = (sent == Sent::OnChange).then(|| config.watched());
            let of_config = spawn.into_iter().flatten().chain(always.into_iter().flatten());
            of_config.chain(on_change.into_iter().flatten())
        })
    }
}
