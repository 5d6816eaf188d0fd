//! Compares the values of states and spawns with the properties that the project has for them.

use super::arguments::Arguments;
use super::known::{ConfigId, Property, SceneId};
use super::names::Names;
use super::packet::Spawn;
use super::states::State;
use crate::kind::Kind;
use crate::text::OneLine;
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
    fit(properties.map(|property| (config, property)), state.values).map_err(|(misfit, _)| misfit)
}

/// Whether a spawn has the synchronizers and values of a scene. None if that is not known: if a
/// part of the scene could not be read, or if other peers have the authority over some of its
/// synchronizers. A value of another type is returned with the properties of its synchronizer.
pub(super) fn fit_of_spawn<'n>(
    names: &'n Names,
    scene: SceneId,
    spawn: &Spawn<'_>,
) -> Option<Result<(), (Misfit<'n>, Option<ConfigId>)>> {
    let (sent, here) = (spawn.synchronizers.len(), names.synchronizer_count(scene)?);
    match sent.cmp(&here) {
        Ordering::Less => None,
        Ordering::Greater => Some(Err((Misfit::Synchronizers { sent, here }, None))),
        Ordering::Equal => {
            let mut synchronizers = names.synchronizers(scene, here);
            let is_known = synchronizers.all(|id| names.config_of(id).is_some());
            is_known.then(|| fit(names.spawn_properties(scene, here), spawn.state))
        }
    }
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
