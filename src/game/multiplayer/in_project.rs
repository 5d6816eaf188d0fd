//! The names of a project.

use super::accepts::accepts;
use super::arguments::Arguments;
use super::role::{ListFit, Property, Role, Sent};
use super::sending::{CallShape, Mode};
use crate::game::project::{self, Found, MadeScenes, Others, Parameters, Project, TransferMode};
use crate::value::Kind;
use crate::value::parse;
use crate::write::encode::encode;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

pub(super) use crate::game::project::{ConfigId, ListId, SceneId, SpawnerId, digest};

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
        Some((node.list, role_of(node)))
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

    /// The lists of remote methods of scripts, and whether only one script has each.
    pub(super) fn callable(&self) -> impl Iterator<Item = (ListId, bool)> {
        self.0.iter().flat_map(|project| project.callable())
    }

    /// The properties that synchronizers may send.
    pub(super) fn sendable(&self) -> impl Iterator<Item = ConfigId> {
        self.0.iter().flat_map(|project| project.sendable())
    }

    /// How many arguments each method of a list takes, in the order of their numbers.
    pub(super) fn argument_counts(
        &self,
        list: ListId,
    ) -> impl Iterator<Item = RangeInclusive<usize>> {
        let list = self.0.as_ref().map(|project| project.list(list));
        let methods = (0..=u16::MAX).take(list.map_or(0, |list| list.len(false)));
        methods.map(move |index| counts(list.and_then(|list| list.parameters(index))))
    }

    /// Whether a call may be one of a method in a list.
    pub(super) fn fits(&self, list: ListId, call: &CallShape) -> bool {
        let Some(list) = self.0.as_ref().map(|project| project.list(list)) else { return false };
        let parameters = list.parameters(call.index);
        let kinds = parameters.map_or(&[][..], |parameters| parameters.kinds);
        let is_accepted = |(declared, sent): (&Option<Kind>, Kind)| {
            declared.is_none_or(|declared| accepts(declared, sent))
        };
        if usize::from(call.index) >= list.len(false)
            || !counts(parameters).contains(&call.count)
            || !kinds.iter().zip(call.kinds()).all(is_accepted)
        {
            return false;
        }
        list.rpc_config(call.index).is_none_or(|config| {
            let is_same =
                |channel: i32| call.sending.channel.is_none_or(|sent| i32::from(sent) == channel);
            is_sent_as(config.transfer, call.sending.mode) && config.channel.is_none_or(is_same)
        })
    }

    /// The path of the script of a list, `res://…`.
    pub(super) fn script(&self, list: ListId) -> Option<&str> {
        self.0.as_ref()?.list(list).script()
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

    /// The path of the file of a scene.
    pub(super) fn file_of(&self, scene: SceneId) -> Option<&str> {
        Some(self.0.as_ref()?.scene(scene).path())
    }

    /// The scenes that have a node which packets announce at a path below their roots, each with the
    /// methods and the role of the node. None if not all of them are known.
    pub(super) fn places(
        &self,
        below: &str,
    ) -> Option<impl Iterator<Item = (SceneId, Option<ListId>, Role<SpawnerId, ConfigId>)>> {
        let places = self.0.as_ref()?.places(below)?;
        Some(places.map(|(scene, node)| (scene, node.list, role_of(node))))
    }

    /// The scenes of which the function of a spawner may create an instance from an argument. None if
    /// that is not known, or if it may create nodes without a scene. Those have no synchronizers
    /// unless scripts create synchronizers.
    pub(super) fn made_by(
        &self,
        spawner: SpawnerId,
        argument: Arguments<'_>,
        is_synchronized: bool,
    ) -> Option<Vec<SceneId>> {
        let project = self.0.as_ref()?;
        let is_known = |made: &MadeScenes| match made.others {
            Others::Nothing => true,
            Others::NoScene => is_synchronized && !project.makes_synchronizers(),
            Others::Anything => false,
        };
        let any = project.made_by_function(spawner, None);
        let made = if is_known(&any) && any.scenes.len() == 1 {
            any
        } else {
            // Small values are written in a shorter form than the function gets.
            let argument = argument.iter().next()?;
            let bytes = encode(argument.dialect(), &argument).ok()?;
            let value = parse(argument.dialect(), &bytes).ok()?;
            project.made_by_function(spawner, Some(&value))
        };
        is_known(&made).then_some(made.scenes)
    }

    /// Whether a scene may have been instantiated at run time.
    pub(super) fn can_be_created(&self, scene: SceneId) -> bool {
        self.0.as_ref().is_none_or(|project| project.can_be_created(scene))
    }

    /// Whether scripts may change which properties the synchronizers of scenes send.
    pub(super) fn may_change_properties(&self) -> bool {
        self.0.as_ref().is_some_and(Project::changes_properties)
    }

    /// Whether a synchronizer with a name may be in no scene: scripts create synchronizers, and have
    /// this name.
    pub(super) fn may_be_in_code(&self, name: &str) -> bool {
        let Some(project) = &self.0 else { return false };
        project.makes_synchronizers() && project.has_word(name) && name != "MultiplayerSynchronizer"
    }

    /// The length of the part of a path that leads to a node of the project, in bytes.
    pub(super) fn known_part(&self, path: &str) -> usize {
        self.0.as_ref().map_or(0, |project| project.known_part(path))
    }

    /// The same for a path below the root of a scene.
    pub(super) fn known_part_in(&self, scene: SceneId, below: &str) -> usize {
        self.0.as_ref().map_or(0, |project| project.known_part_in(scene, below))
    }

    /// The scenes whose roots have synchronizers, or may have some.
    pub(super) fn synchronized_scenes(&self) -> &[SceneId] {
        self.0.as_ref().map_or(&[], |project| project.synchronized_scenes())
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
    ) -> impl Iterator<Item = Property<'_>> + Clone {
        let of_config = self.0.iter().flat_map(move |project| {
            let config = project.config(config);
            let spawn = (sent == Sent::Spawn).then(|| config.spawn());
            let always = (sent == Sent::Always).then(|| config.sync());
            let on_change = (sent == Sent::OnChange).then(|| config.watched());
            let of_config = spawn.into_iter().flatten().chain(always.into_iter().flatten());
            of_config.chain(on_change.into_iter().flatten())
        });
        of_config.map(|project::Property { name, kind, .. }| Property { name, kind })
    }

    /// The path of the file that has the properties.
    pub(super) fn config_file(&self, config: ConfigId) -> Option<&str> {
        self.0.as_ref()?.config(config).file()
    }

    /// The synchronizer at the same place of another scene that has as many.
    pub(super) fn same_place(
        &self,
        SynchronizerId(scene, place): SynchronizerId,
        other: SceneId,
    ) -> Option<ConfigId> {
        let count = |scene| self.synchronizers(scene).map(|found| found.len());
        let is_like = count(scene) == count(other);
        is_like.then(|| self.config_of(SynchronizerId(other, place))).flatten()
    }

    /// The scenes in the list of a spawner, as far as they could be read.
    pub(super) fn scenes(&self, spawner: SpawnerId) -> impl Iterator<Item = SceneId> {
        let spawner = self.0.as_ref().map(|project| project.spawner(spawner));
        let count = spawner.map_or(0, |spawner| spawner.len());
        let numbers = (0..=u8::MAX).take(count);
        numbers.filter_map(move |number| spawner?.scene(number))
    }

    /// The only scene whose root has the script of this list; none if several have.
    pub(super) fn only_scene_with(&self, list: ListId) -> Option<SceneId> {
        self.0.as_ref()?.only_scene_with(list)
    }

    /// The names of the methods that the script with a list has in the version of the game with a
    /// digest.
    pub(super) fn list_near(
        &self,
        md5: &str,
        list: ListId,
        left: &mut usize,
    ) -> Option<Box<[Box<str>]>> {
        self.0.as_ref()?.list_near(md5, list, left)
    }

    /// Whether a list has a digest.
    pub(super) fn fit(&self, md5: &str, list: ListId) -> ListFit {
        let Some(project) = &self.0 else { return ListFit::Unclear };
        match project.list_of_node(md5, list) {
            Found::Known(found) => {
                let (one, other) = (project.list(list), project.list(found));
                let names = |list: project::List<'_>| list.len(false);
                let is_same = names(one) == names(other)
                    && (0..=u16::MAX)
                        .take(names(one))
                        .all(|index| one.name(index, false) == other.name(index, false));
                if is_same { ListFit::Same } else { ListFit::Other }
            }
            Found::Ambiguous => ListFit::Unclear,
            Found::Unknown => ListFit::Unknown,
        }
    }
}

/// How many arguments a call may have.
fn counts(parameters: Option<Parameters<'_>>) -> RangeInclusive<usize> {
    let Some(Parameters { required, kinds, is_variadic, .. }) = parameters else {
        return 0..=usize::MAX;
    };
    required..=if is_variadic { usize::MAX } else { kinds.len() }
}

/// Whether a packet may have been sent in a mode.
fn is_sent_as(declared: TransferMode, sent: Option<Mode>) -> bool {
    use TransferMode::{Reliable, Unreliable, UnreliableOrdered};
    match sent {
        None => true,
        Some(Mode::Reliable) => declared == Reliable,
        Some(Mode::Ordered) => declared == UnreliableOrdered,
        Some(Mode::Unordered) => declared == Unreliable,
        Some(Mode::Unreliable) => declared != Reliable,
        Some(Mode::ReliableOrOrdered) => declared != Unreliable,
    }
}

fn role_of(node: project::Node) -> Role<SpawnerId, ConfigId> {
    match node.role {
        project::Role::Spawner(id) => Role::Spawner(id),
        project::Role::Synchronizer(Some(config)) => Role::Synchronizer(config),
        _ => Role::Other,
    }
}
