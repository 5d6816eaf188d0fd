//! Compares the values of states and spawns with the properties that the project has for them.

use super::arguments::Arguments;
use super::known::{ConfigId, Property, SceneId};
use super::names::Names;
use super::packet::Spawn;
use super::role::Sent;
use super::scenes::Scenes;
use super::states::State;
use crate::format::text::OneLine;
use crate::value::Kind;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;

/// How the values of a state or a spawn differ from the properties in the project.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Misfit<'c> {
    /// There are more or fewer.
    Count {
        /// How many values there are.
        values: usize,
        /// How many properties the project has.
        properties: usize,
    },
    /// A value is of another type.
    Kind {
        /// The name of the property in the project.
        property: &'c str,
        /// The type that the project declares.
        declared: Kind,
        /// The type of the value.
        sent: Kind,
    },
    /// Fewer synchronizers are spawned than the scene has, and no such selection of them sends these
    /// values.
    Selection {
        /// How many values there are.
        values: usize,
        /// How many synchronizers are spawned.
        synchronizers: usize,
    },
    /// The spawned node has more synchronizers.
    Synchronizers {
        /// How many it has.
        sent: usize,
        /// How many its scene has.
        here: usize,
    },
}

/// The values that were sent and those that were expected: "3 values, not 2 as".
impl fmt::Display for Misfit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = |count: usize| if count == 1 { "" } else { "s" };
        match *self {
            Misfit::Count { values: n, properties } => {
                write!(f, "{n} value{}, not {properties} as", s(n))
            }
            Misfit::Kind { property, declared, sent } => {
                let property = OneLine(property);
                write!(f, "a value of type {sent} for {property}, which has type {declared}")
            }
            Misfit::Selection { values: n, synchronizers: 0 | 1 } => {
                write!(f, "{n} value{}, which no synchronizer sends", s(n))
            }
            Misfit::Selection { values: n, synchronizers } => {
                write!(f, "{n} value{}, which no {synchronizers} synchronizers send", s(n))
            }
            Misfit::Synchronizers { sent: n, here } => {
                write!(f, "{n} synchronizer{}, not {here} as", s(n))
            }
        }
    }
}

/// Whether the values of a state are those of a synchronizer's properties.
pub(super) fn fit_of_state<'n>(
    names: &'n Names,
    config: ConfigId,
    state: &State<'_>,
) -> Result<(), Misfit<'n>> {
    let properties = names.sent_properties(config, state.changed);
    fit(properties.map(|(_, property)| (config, property)), state.values)
        .map_err(|(misfit, _)| misfit)
}

/// The number of synchronizers of a scene from which a spawn may select some. Real scenes have fewer.
const SELECTED: usize = 8;

/// Whether a spawn has the synchronizers and values of a scene. None if that is not known: if a
/// part of the scene could not be read, or if other peers have the authority over some of its
/// synchronizers. A value of another type is returned with the properties of its synchronizer.
pub(super) fn fit_of_spawn<'n>(
    names: &'n Names,
    scene: SceneId,
    spawn: &Spawn<'_>,
) -> Option<Result<(), (Misfit<'n>, Option<ConfigId>)>> {
    let (sent, here) = (spawn.synchronizers.len(), names.synchronizer_count(scene)?);
    let mut synchronizers = names.synchronizers(scene, here);
    let is_known = |id| names.config_of(id).is_some();
    match sent.cmp(&here) {
        Ordering::Greater => Some(Err((Misfit::Synchronizers { sent, here }, None))),
        _ if !synchronizers.all(is_known) => None,
        Ordering::Less if here > SELECTED || fits_selection(names, scene, here, spawn) => None,
        Ordering::Less => {
            let values = spawn.state.len();
            Some(Err((Misfit::Selection { values, synchronizers: sent }, None)))
        }
        Ordering::Equal => Some(fit(names.spawn_properties(scene, here), spawn.state)),
    }
}

/// Whether a state may be that of a synchronizer with these properties.
pub(super) fn may_send(names: &Names, config: ConfigId, state: &State<'_>) -> bool {
    names.may_change_properties() || fit_of_state(names, config, state).is_ok()
}

/// Whether a spawn may be that of a scene.
pub(super) fn may_spawn(names: &Names, scene: SceneId, spawn: &Spawn<'_>) -> bool {
    names.may_change_properties() || !matches!(fit_of_spawn(names, scene, spawn), Some(Err(_)))
}

/// The scenes of which a spawned node may be an instance, by its synchronizers and values.
pub(super) fn scenes_like(names: &Names, spawn: &Spawn<'_>) -> Scenes {
    /// Among more scenes, none is searched.
    const SEARCHED: usize = 256;
    let all = names.synchronized_scenes();
    if spawn.synchronizers.is_empty() || all.len() > SEARCHED {
        return Scenes::Any;
    }
    let may_be = |scene| names.can_be_created(scene) && may_spawn(names, scene, spawn);
    Scenes::among(all.iter().copied().filter(|scene| may_be(*scene)))
}

/// Whether some of the synchronizers of a scene send the values of a spawn, as many as it has and in
/// their order.
fn fits_selection(names: &Names, scene: SceneId, here: usize, spawn: &Spawn<'_>) -> bool {
    let values: Vec<Kind> = spawn.state.into_iter().map(|value| value.kind()).collect();
    // How many synchronizers may have been selected, and how many values they have.
    let mut selections = vec![(0, 0)];
    for config in names.synchronizers(scene, here).filter_map(|id| names.config_of(id)) {
        for place in 0..selections.len() {
            let Some((count, start)) = selections.get(place).copied() else { break };
            let mut end: usize = start;
            let is_like = names.properties(config, Sent::Spawn).all(|property| {
                let value = values.get(end);
                end = end.saturating_add(1);
                value.is_some_and(|sent| property.kind.is_none_or(|declared| declared == *sent))
            });
            let next = (count + 1_usize, end);
            if is_like && !selections.contains(&next) {
                selections.push(next);
            }
        }
    }
    selections.contains(&(spawn.synchronizers.len(), values.len()))
}

fn fit<'n>(
    properties: impl Iterator<Item = (ConfigId, Property<'n>)> + Clone,
    values: Arguments<'_>,
) -> Result<(), (Misfit<'n>, Option<ConfigId>)> {
    let count = properties.clone().count();
    if count != values.len() {
        return Err((Misfit::Count { values: values.len(), properties: count }, None));
    }
    let wrong = properties.zip(values).find_map(|((config, property), value)| {
        let (declared, sent) = (property.kind?, value.kind());
        let misfit = Misfit::Kind { property: property.name, declared, sent };
        (declared != sent).then_some((misfit, Some(config)))
    });
    wrong.map_or(Ok(()), Err)
}
