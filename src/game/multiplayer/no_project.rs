//! The names of a project, without the feature `project`: there are none.

use super::arguments::Arguments;
use super::role::{ListFit, Property, Role, Sent};
use super::sending::CallShape;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::iter;

/// An id that cannot exist.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Nothing {}

pub(super) type ListId = Nothing;
pub(super) type SceneId = Nothing;
pub(super) type SpawnerId = Nothing;
pub(super) type SynchronizerId = Nothing;
pub(super) type ConfigId = Nothing;

#[derive(Debug, Default)]
pub(super) struct ProjectNames;

/// The same methods as in `in_project.rs`. An id cannot exist, so there is nothing to look up.
impl ProjectNames {
    pub(super) const fn is_given(&self) -> bool {
        false
    }

    pub(super) fn node(
        &self,
        _: &str,
        _: Option<(SceneId, &str)>,
    ) -> Option<(Option<ListId>, Role<SpawnerId, ConfigId>)> {
        None
    }

    pub(super) fn list_of_digest(&self, _: &str, _: Option<ListId>) -> Option<ListId> {
        None
    }

    pub(super) fn fits(&self, list: ListId, _: &CallShape) -> bool {
        match list {}
    }

    pub(super) fn script(&self, list: ListId) -> Option<&str> {
        match list {}
    }

    pub(super) const fn has_digest(&self, _: &str) -> bool {
        false
    }

    pub(super) fn method(&self, list: ListId, _: u16, _: bool) -> Option<&str> {
        match list {}
    }

    pub(super) fn methods(&self, list: ListId, _: bool) -> Option<usize> {
        match list {}
    }

    pub(super) fn scene(&self, spawner: SpawnerId, _: u8) -> Option<SceneId> {
        match spawner {}
    }

    pub(super) fn scene_path(&self, spawner: SpawnerId, _: u8) -> Option<&str> {
        match spawner {}
    }

    pub(super) fn file_of(&self, scene: SceneId) -> Option<&str> {
        match scene {}
    }

    pub(super) fn places(
        &self,
        _: &str,
    ) -> Option<impl Iterator<Item = (SceneId, Option<ListId>, Role<SpawnerId, ConfigId>)>> {
        None::<iter::Empty<_>>
    }

    pub(super) fn made_by(
        &self,
        spawner: SpawnerId,
        _: Arguments<'_>,
        _: bool,
    ) -> Option<Vec<SceneId>> {
        match spawner {}
    }

    pub(super) const fn can_be_created(&self, scene: SceneId) -> bool {
        match scene {}
    }

    pub(super) const fn may_change_properties(&self) -> bool {
        false
    }

    pub(super) const fn may_be_in_code(&self, _: &str) -> bool {
        false
    }

    pub(super) const fn known_part(&self, _: &str) -> usize {
        0
    }

    pub(super) fn known_part_in(&self, scene: SceneId, _: &str) -> usize {
        match scene {}
    }

    pub(super) const fn synchronized_scenes(&self) -> &[SceneId] {
        &[]
    }

    pub(super) fn parent(&self, spawner: SpawnerId) -> Option<&str> {
        match spawner {}
    }

    pub(super) fn synchronizers(&self, scene: SceneId) -> Option<iter::Empty<SynchronizerId>> {
        match scene {}
    }

    pub(super) fn synchronizer_path(&self, id: SynchronizerId) -> Option<&str> {
        match id {}
    }

    pub(super) fn config_of(&self, id: SynchronizerId) -> Option<ConfigId> {
        match id {}
    }

    pub(super) fn properties(&self, _: ConfigId, _: Sent) -> iter::Empty<Property<'_>> {
        iter::empty()
    }

    pub(super) fn config_file(&self, config: ConfigId) -> Option<&str> {
        match config {}
    }

    pub(super) fn same_place(&self, id: SynchronizerId, _: SceneId) -> Option<ConfigId> {
        match id {}
    }

    pub(super) fn scenes(&self, spawner: SpawnerId) -> iter::Empty<SceneId> {
        match spawner {}
    }

    pub(super) fn only_scene_with(&self, list: ListId) -> Option<SceneId> {
        match list {}
    }

    pub(super) fn list_near(
        &self,
        _: &str,
        list: ListId,
        _: &mut usize,
    ) -> Option<Box<[Box<str>]>> {
        match list {}
    }

    pub(super) fn fit(&self, _: &str, list: ListId) -> ListFit {
        match list {}
    }
}

/// Without the feature, no digest is checked.
pub(super) fn digest<'n>(_: impl Iterator<Item = &'n str>) -> Option<alloc::string::String> {
    None
}
