//! Knowledge about one node from sources other than packets: its names, its role, and the scenes of
//! which it may be an instance.

use super::names::Names;
use crate::game::project::{ConfigId, ListId, Property, PropertySet, SceneId, SpawnerId};
use alloc::boxed::Box;
#[cfg(not(target_has_atomic = "ptr"))]
pub(super) use alloc::rc::Rc as Shared;
#[cfg(target_has_atomic = "ptr")]
pub(super) use alloc::sync::Arc as Shared;
use alloc::vec::Vec;

/// The known facts about a node.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct KnownNode {
    pub(super) methods: MethodNames,
    /// Whether the announced digest proves the methods.
    pub(super) is_proven: bool,
    pub(super) role: KnownRole,
    /// The instantiated scene that contains the node, from which its role and methods without a
    /// digest are known.
    pub(super) instance: Option<SceneInstance>,
    /// The properties whose names are not known, because the node may be of one of several scenes.
    pub(super) unclear: Unclear,
}

/// A scene that was instantiated, and the source from which this is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SceneInstance {
    pub(super) scene: SceneId,
    pub(super) basis: Basis,
}

/// The source from which the scene of a node is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Basis {
    /// The number in the list of a spawner.
    List(SpawnerId, u8),
    /// The scripts: the function of a spawner creates only this scene.
    Function,
    /// The packets of the node: no other scene fits.
    Structure,
}

/// Properties whose names differ between the scenes of which a node may be: one bit for each place.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Unclear {
    pub(super) always: u32,
    pub(super) on_change: u32,
}

impl SceneInstance {
    /// The spawner whose list has the scene, and its number there.
    pub(super) const fn listed(self) -> Option<(SpawnerId, u8)> {
        match self.basis {
            Basis::List(spawner, number) => Some((spawner, number)),
            Basis::Function | Basis::Structure => None,
        }
    }
}

/// The place of the names of a node's methods.
#[derive(Clone, Copy, Default, Debug)]
pub(super) enum MethodNames {
    #[default]
    Unknown,
    /// In this line of a list of methods.
    Line(usize),
    /// In this list of a project.
    Project(ListId),
    /// In this list of the [evidence](super::evidence::Evidence), which a digest proves.
    OfDigest(u32),
}

/// Whether a list of methods has the digest that was announced for a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ListFit {
    /// It has: alone, or with methods that were made remote at run time.
    Same,
    /// Another script of the project has it.
    Other,
    /// No script of the project has it.
    Unknown,
    /// It is not known, because several scripts have the digest.
    Unclear,
}

/// The role of a node in the multiplayer API.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) enum KnownRole {
    #[default]
    Other,
    Spawner(SpawnerId),
    Synchronizer(ConfigId),
}

/// The scenes of which a node may be an instance. If the project is that of the game, the scene of
/// the node is among them. Packets and scripts exclude the others.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) enum SceneSet {
    /// Any scene, or too many to list them.
    #[default]
    Any,
    /// One of these, which are sorted. Without any, packets contradict the project.
    Among(Box<[SceneId]>),
}

/// The number of scenes that are listed.
const MOST: usize = 16;

impl SceneSet {
    /// No scene, because packets contradict those of the project.
    pub(super) fn none() -> SceneSet {
        SceneSet::Among(Box::default())
    }

    /// One of these scenes.
    pub(super) fn among(scenes: impl Iterator<Item = SceneId>) -> SceneSet {
        let mut found = Vec::new();
        for scene in scenes {
            if let Err(place) = found.binary_search(&scene) {
                if found.len() == MOST {
                    return SceneSet::Any;
                }
                found.insert(place, scene);
            }
        }
        SceneSet::Among(found.into())
    }

    /// Those of these scenes that fit, and that are among `others`.
    pub(super) fn narrowed(&self, others: &SceneSet, fits: impl Fn(SceneId) -> bool) -> SceneSet {
        match (self, others) {
            (SceneSet::Any, others) => others.clone(),
            (one, SceneSet::Any) => one.filtered(fits),
            (one, SceneSet::Among(others)) => {
                one.filtered(|scene| others.binary_search(&scene).is_ok() && fits(scene))
            }
        }
    }

    /// Those of these scenes that fit.
    pub(super) fn filtered(&self, fits: impl Fn(SceneId) -> bool) -> SceneSet {
        match self {
            SceneSet::Any => SceneSet::Any,
            SceneSet::Among(all) => {
                SceneSet::Among(all.iter().copied().filter(|scene| fits(*scene)).collect())
            }
        }
    }

    /// Whether a scene is among them.
    pub(super) fn has(&self, scene: SceneId) -> bool {
        match self {
            SceneSet::Any => true,
            SceneSet::Among(all) => all.binary_search(&scene).is_ok(),
        }
    }

    /// The scene, if only one is left.
    pub(super) fn only(&self) -> Option<SceneId> {
        match self {
            SceneSet::Among(all) if all.len() == 1 => all.first().copied(),
            _ => None,
        }
    }

    /// The scenes that are listed.
    pub(super) fn list(&self) -> &[SceneId] {
        match self {
            SceneSet::Any => &[],
            SceneSet::Among(all) => all,
        }
    }
}

/// The role of a node in all scenes of which it may be, and the properties whose names differ. It has none
/// that is known if the scenes give it different roles, spawners or numbers of properties.
pub(super) fn agreed_role(
    names: &Names,
    mut roles: impl Iterator<Item = KnownRole> + Clone,
) -> (KnownRole, Unclear) {
    let configs = roles.clone().map(|role| match role {
        KnownRole::Synchronizer(config) => Some(config),
        _ => None,
    });
    let of_config = |(config, unclear)| (KnownRole::Synchronizer(config), unclear);
    let synchronizer = agreed(names, configs).map(of_config);
    match (synchronizer, roles.next()) {
        (Some(known), _) => known,
        (None, Some(role @ KnownRole::Spawner(first)))
            if roles.all(|other| names.is_same_spawner(first, other)) =>
        {
            (role, Unclear::default())
        }
        _ => <_>::default(),
    }
}

/// The first of some configurations, and the properties whose names the others do not share. None if
/// they differ in the number or the types of their properties, or if one is not known.
pub(super) fn agreed(
    names: &Names,
    mut configs: impl Iterator<Item = Option<ConfigId>>,
) -> Option<(ConfigId, Unclear)> {
    let first = configs.next()??;
    let mut unclear = Unclear::default();
    for other in configs {
        let other = other?;
        if other == first {
            continue;
        }
        let differ = |sent| {
            let of = |config| names.properties(config, sent);
            differences(of(first), of(other))
        };
        unclear.always |= differ(PropertySet::Always)?;
        unclear.on_change |= differ(PropertySet::OnChange)?;
    }
    Some((first, unclear))
}

/// The places at which two lists of properties have different names, one bit each. None if their
/// numbers or types differ, or if a difference is at a place after 31.
pub(super) fn differences<'n>(
    mut one: impl Iterator<Item = Property<'n>>,
    mut other: impl Iterator<Item = Property<'n>>,
) -> Option<u32> {
    let mut bits = 0;
    for place in 0_u32.. {
        match (one.next(), other.next()) {
            (None, None) => break,
            (Some(one), Some(other)) if one.kind == other.kind => {
                if one.name != other.name {
                    bits |= 1_u32.checked_shl(place)?;
                }
            }
            _ => return None,
        }
    }
    Some(bits)
}

/// The name of a property at a place: its name, or its number if the name is not known.
pub(super) fn named(name: &str, place: usize, unclear: u32) -> &str {
    let bit = u32::try_from(place).ok().and_then(|place| unclear.checked_shr(place));
    if bit.is_some_and(|bit| bit & 1 == 1) {
        NUMBERS.get(place).copied().unwrap_or("#")
    } else {
        name
    }
}

/// The places of properties without known names.
const NUMBERS: [&str; 32] = [
    "#0", "#1", "#2", "#3", "#4", "#5", "#6", "#7", "#8", "#9", "#10", "#11", "#12", "#13", "#14",
    "#15", "#16", "#17", "#18", "#19", "#20", "#21", "#22", "#23", "#24", "#25", "#26", "#27",
    "#28", "#29", "#30", "#31",
];

#[cfg(test)]
mod tests {
    use super::{NUMBERS, SceneSet, differences, named};
    use crate::game::project::{NodeRole, Project, Property, SceneId};
    use crate::value::Kind;
    use alloc::vec::Vec;

    fn properties(count: usize, other: usize) -> Vec<Property<'static>> {
        let name = |place| if place == other { "b" } else { "a" };
        (0..count).map(|place| Property { name: name(place), kind: Some(Kind::Int) }).collect()
    }

    #[test]
    fn properties_of_two_lists_have_different_names_at_some_places() {
        let found = |one: &[Property<'static>], other: &[Property<'static>]| {
            differences(one.iter().copied(), other.iter().copied())
        };
        let all = properties(33, 33);
        for place in 0..34 {
            let bits = 1_u32.checked_shl(place as u32);
            let expected = if place == 33 { Some(0) } else { bits };
            assert_eq!(found(&all, &properties(33, place)), expected, "{place}");
        }
        assert_eq!(found(&properties(3, 0), &properties(3, 2)), Some(0b101));
        assert_eq!(found(&all, &properties(32, 33)), None);
        assert_eq!(found(&properties(32, 33), &all), None);
        let mut others = all.clone();
        others[2].kind = None;
        assert_eq!(found(&all, &others), None);
    }

    #[test]
    fn properties_without_a_known_name_have_their_number() {
        for (place, number) in NUMBERS.iter().enumerate() {
            let bit = 1 << place;
            assert_eq!((named("a", place, bit), named("a", place, !bit)), (*number, "a"));
        }
        assert_eq!(named("a", 32, u32::MAX), "a");
        assert_eq!((NUMBERS[0], NUMBERS[31]), ("#0", "#31"));
    }

    /// The scenes of a project, as many as in the list of a spawner.
    fn scenes(count: usize) -> Vec<SceneId> {
        let name = |number| alloc::format!("{number}.tscn");
        let list: Vec<_> = (0..count).map(|n| alloc::format!("\"res://{}\"", name(n))).collect();
        let main = alloc::format!(
            "[gd_scene]\n[node name=\"Main\" type=\"MultiplayerSpawner\"]\n\
             _spawnable_scenes = PackedStringArray({})\n",
            list.join(", ")
        );
        let scene = "[gd_scene]\n[node name=\"N\" type=\"Node\"]\n";
        let files = (0..count).map(|number| (name(number), scene));
        let project = Project::from_files(files.chain([("main.tscn".into(), &*main)]));
        let NodeRole::Spawner(spawner) = project.node("Main").unwrap().role else { panic!() };
        (0..=u8::MAX).map_while(|number| project.spawner(spawner).scene(number)).collect()
    }

    #[test]
    fn no_more_than_16_scenes_are_listed() {
        let mut all = scenes(17);
        all.sort_unstable();
        assert_eq!(all.len(), 17);
        let among = |count: usize| {
            let all = all.get(..count).unwrap_or_default();
            SceneSet::among(all.iter().rev().chain(all).copied())
        };
        for count in 0..=16 {
            assert_eq!(among(count), SceneSet::Among(all[..count].into()));
            assert_eq!(among(count).only(), (count == 1).then_some(all[0]));
        }
        assert_eq!(among(17), SceneSet::Any);
        let (few, other) = (among(3), SceneSet::among([all[1], all[5]].into_iter()));
        assert_eq!(few.narrowed(&other, |_| true).list(), [all[1]]);
        assert_eq!(few.narrowed(&other, |_| false), SceneSet::none());
        assert_eq!(SceneSet::Any.narrowed(&other, |_| false), other);
        assert_eq!(other.narrowed(&SceneSet::Any, |scene| scene == all[5]).list(), [all[5]]);
        assert!(few.has(all[2]) && !few.has(all[3]) && SceneSet::Any.has(all[3]));
    }
}
