//! Finds which synchronizers of its scene a spawn has: those of which the sender is the authority. In many
//! games, a client is the authority of the synchronizer that has its input.

use super::names::{Names, SceneSynchronizerId};
use crate::game::project::{PropertySet, SceneId};
use crate::value::Kind;
use alloc::vec::Vec;

/// The number of synchronizers of a scene from which a spawn may have some. Real scenes have fewer.
const MOST: usize = 8;

/// Some synchronizers of a scene: a bit for each place.
#[derive(Clone, Copy)]
struct SynchronizerSet(u8);

impl SynchronizerSet {
    const fn has(self, place: usize) -> bool {
        self.0 >> place & 1 != 0
    }
}

impl Names {
    /// The synchronizers of its scene that a spawn has, in their order. The packet has `count` of
    /// them, and values of these kinds. The result is empty if they are not certain.
    pub(super) fn synchronizers_of_spawn(
        &self,
        scene: SceneId,
        count: usize,
        kinds: &mut dyn Iterator<Item = Kind>,
    ) -> impl Iterator<Item = SceneSynchronizerId> + Clone + use<> {
        let here = self.synchronizer_count(scene).unwrap_or(0);
        let mut only = None;
        if (1..here).contains(&count) {
            let kinds: Vec<Kind> = kinds.collect();
            let mut found = self.selections(scene, here, (count, &kinds));
            only = found.by_ref().find(|it| self.may_be_of_one_peer(scene, here, *it));
            only = only.filter(|_| !found.any(|it| self.may_be_of_one_peer(scene, here, it)));
        }
        let end = if count == here || only.is_some() { here } else { 0 };
        let places = (0..end).filter(move |place| only.is_none_or(|only| only.has(*place)));
        places.map(move |place| SceneSynchronizerId(scene, place))
    }

    /// Whether a spawn may have some of the `here` synchronizers of its scene. The packet has this many
    /// synchronizers, and values of these kinds.
    pub(super) fn may_select(&self, scene: SceneId, here: usize, sent: (usize, &[Kind])) -> bool {
        here > MOST || self.selections(scene, here, sent).next().is_some()
    }

    /// All selections of synchronizers with these values.
    fn selections<'n>(
        &'n self,
        scene: SceneId,
        here: usize,
        (count, kinds): (usize, &'n [Kind]),
    ) -> impl Iterator<Item = SynchronizerSet> + 'n {
        let configs = (0..here).map(|place| self.config_of(SceneSynchronizerId(scene, place)));
        let configs: Option<Vec<_>> = configs.take(MOST + 1).collect();
        let configs = configs.filter(|configs| configs.len() <= MOST).unwrap_or_default();
        let sizes: Vec<usize> = configs
            .iter()
            .map(|config| self.properties(*config, PropertySet::Spawn).count())
            .collect();
        let all = (0..=u8::MAX).take(1 << configs.len()).map(SynchronizerSet);
        all.filter(move |it| {
            let places = (0..configs.len()).filter(|place| it.has(*place));
            let selected_count = places.clone().count();
            let size = places.clone().filter_map(|place| sizes.get(place)).sum::<usize>();
            let selected = places.filter_map(|place| configs.get(place));
            let mut properties =
                selected.flat_map(|config| self.properties(*config, PropertySet::Spawn)).zip(kinds);
            selected_count == count
                && size == kinds.len()
                && properties.all(|(property, sent)| property.kind.is_none_or(|kind| kind == *sent))
        })
    }

    /// Whether scripts may make another peer than the server the authority of all these synchronizers of a
    /// scene, or of all others: the sender of a spawn is either the server or such a peer.
    fn may_be_of_one_peer(&self, scene: SceneId, here: usize, selection: SynchronizerSet) -> bool {
        let Some(project) = self.project() else { return false };
        let may_leave_server = |is_selected: bool| {
            let mut places = (0..here).filter(|place| selection.has(*place) == is_selected);
            places.all(|place| {
                let path = self.synchronizer_path(SceneSynchronizerId(scene, place));
                path.is_some_and(|path| project.may_have_other_authority_in(scene, path))
            })
        };
        may_leave_server(false) || may_leave_server(true)
    }
}
