//! Counts of nodes that are alike, together.

use super::items::{Item, Member, NodeName};
use super::{Stats, Usage};
use std::collections::{BTreeMap, BTreeSet};

/// The counts of nodes that are alike, or of a method or property of them, together.
///
/// Nodes are alike if they are at the same place in instances of a scene. If no scene is known,
/// they are alike if their paths differ only in numbers at the ends of names, such as `World/Bomb`
/// and `World/Bomb2`, and if they have the same methods and properties in the counts.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Group<'s> {
    /// Each node, method or property and its counts, in the order of their names. There is at least
    /// one.
    pub items: Vec<(Item<&'s str>, Usage)>,
    /// The sum of the counts.
    pub usage: Usage,
    /// The method or property, or the whole nodes.
    pub member: Member<&'s str>,
    /// The path of the scene that contains the nodes, `res://…`, if it is known.
    pub scene: Option<&'s str>,
}

impl Group<'_> {
    /// The path of the node, or a pattern for the paths of the nodes, their number, and their scene if
    /// it is known: `World/Bomb* (12 nodes of bomb.tscn)`.
    #[must_use]
    pub fn name(&self) -> String {
        let remark = self.remark().map_or(String::new(), |remark| format!(" ({remark})"));
        format!("{}{remark}", self.pattern())
    }

    /// The path of the node, or a pattern for the paths of the nodes: `World/Bomb*`.
    #[must_use]
    pub fn pattern(&self) -> String {
        let nodes: Vec<_> = self.items.iter().map(|(item, _)| item.node).collect();
        pattern_of(&nodes)
    }

    /// How many nodes it has, and their scene if it is known: `12 nodes of bomb.tscn`. None if it has
    /// one.
    pub(crate) fn remark(&self) -> Option<String> {
        let file = self.scene.and_then(|scene| scene.rsplit('/').next());
        let of_scene = file.map_or(String::new(), |file| format!(" of {}", NodeName::Path(file)));
        (self.items.len() > 1).then(|| format!("{} nodes{of_scene}", self.items.len()))
    }
}

/// The properties that nodes of one group share.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum SharedProperties<'s> {
    /// They are at this place in this scene.
    Scene(&'s str, &'s str),
    /// Their names have these stems, and they have the same methods and properties.
    Names(NodeName<String>, BTreeSet<Member<&'s str>>),
}

impl Stats {
    /// The [nodes](Stats::nodes), those that are alike together. The groups are in the order of their
    /// first nodes.
    #[must_use]
    pub fn node_groups(&self) -> Vec<Group<'_>> {
        self.groups(self.nodes())
    }

    /// The [calls](Stats::calls), those of a method of nodes that are alike together.
    #[must_use]
    pub fn call_groups(&self) -> Vec<Group<'_>> {
        self.groups(self.calls())
    }

    /// The [properties](Stats::properties), those of nodes that are alike together.
    #[must_use]
    pub fn property_groups(&self) -> Vec<Group<'_>> {
        self.groups(self.properties())
    }

    fn groups<'s>(&'s self, items: impl Iterator<Item = (Item<&'s str>, Usage)>) -> Vec<Group<'s>> {
        let kin = self.kin();
        let mut items: Vec<_> = items.collect();
        items.sort_unstable_by_key(|(item, _)| *item);
        let mut places: BTreeMap<(usize, Member<&str>), usize> = BTreeMap::new();
        let mut groups: Vec<Group<'_>> = Vec::new();
        for (item, usage) in items {
            let member = item.member;
            let place = kin
                .get(&item.node)
                .map(|kin| *places.entry((*kin, member)).or_insert(groups.len()));
            match place.and_then(|place| groups.get_mut(place)) {
                Some(group) => {
                    group.usage.merge(usage);
                    group.items.push((item, usage));
                }
                None => {
                    let scene = self.scene_of(item.node);
                    groups.push(Group { items: vec![(item, usage)], usage, member, scene });
                }
            }
        }
        groups
    }

    /// The number of the kin of each node.
    fn kin(&self) -> BTreeMap<NodeName<&str>, usize> {
        let mut members: BTreeMap<NodeName<&str>, BTreeSet<Member<&str>>> = BTreeMap::new();
        for (item, _) in self.calls().chain(self.properties()) {
            members.entry(item.node).or_default().insert(item.member);
        }
        let mut numbers: BTreeMap<SharedProperties<'_>, usize> = BTreeMap::new();
        let numbered = self.nodes().map(|(Item { node, .. }, _)| {
            let kin = match self.place_of(node) {
                Some((scene, rest)) => SharedProperties::Scene(scene, rest),
                None => {
                    SharedProperties::Names(stem(node), members.remove(&node).unwrap_or_default())
                }
            };
            let next = numbers.len();
            (node, *numbers.entry(kin).or_insert(next))
        });
        numbered.collect()
    }
}

/// A node without the numbers at the ends of the names in its path, such as those of `Tile_3_14`.
/// Nodes that have no names are alike only to themselves.
pub fn stem(node: NodeName<&str>) -> NodeName<String> {
    let stems = |path: &str| {
        let names: Vec<&str> = path.split('/').map(without_numbers).collect();
        names.join("/")
    };
    match node {
        NodeName::Path(path) => NodeName::Path(stems(path)),
        NodeName::Spawned { name, spawner } => {
            NodeName::Spawned { name: stems(name), spawner: spawner.map(str::to_owned) }
        }
        NodeName::Id(id) => NodeName::Id(id),
        NodeName::NetId(id) => NodeName::NetId(id),
        NodeName::Debugger => NodeName::Debugger,
    }
}

/// A name without the numbers at its end, and the characters between and before them that are not
/// letters: `Tile` for `Tile_3_14`.
fn without_numbers(name: &str) -> &str {
    if !name.ends_with(is_digit) {
        return name;
    }
    name.trim_end_matches(|character: char| !character.is_alphabetic())
}

const fn is_digit(character: char) -> bool {
    character.is_ascii_digit()
}

/// A pattern for the paths of several nodes: `World/Bomb*`. It has `*` in place of the parts in which
/// names differ. If the paths have different lengths, it has `**` after the names that they share.
pub fn pattern_of(nodes: &[NodeName<&str>]) -> String {
    let path = |node: &NodeName<&str>| match node {
        NodeName::Path(path) => String::from(*path),
        NodeName::Spawned { name, .. } => String::from(*name),
        node => node.to_string(),
    };
    let Some((first, others)) = nodes.split_first() else { return String::new() };
    if others.is_empty() {
        return first.to_string();
    }
    let first_path = path(first);
    let names = first_path.split('/').map(str::to_owned).collect();
    let pattern = others.iter().fold(names, |names, node| both(names, &path(node))).join("/");
    match *first {
        NodeName::Spawned { spawner, .. } => {
            NodeName::Spawned { name: &*pattern, spawner }.to_string()
        }
        _ => NodeName::Path(&*pattern).to_string(),
    }
}

/// The names of a pattern for the paths that these names stand for, and another path.
fn both(names: Vec<String>, path: &str) -> Vec<String> {
    let is_as_long = names.len() == path.split('/').count();
    if is_as_long && names.last().is_none_or(|last| last != "**") {
        let pairs = names.into_iter().zip(path.split('/'));
        return pairs
            .map(|(name, other)| if name == other { name } else { common(&name, other) })
            .collect();
    }
    let pairs = names.into_iter().zip(path.split('/'));
    let shared = pairs.take_while(|(name, other)| name == other).map(|(name, _)| name);
    shared.chain([String::from("**")]).collect()
}

/// The common beginning of two names, without a number, and `*`.
fn common(name: &str, other: &str) -> String {
    let name = name.strip_suffix('*').unwrap_or(name);
    let shared = name.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    let shared: String = shared.map(|(character, _)| character).collect();
    format!("{}*", shared.trim_end_matches(is_digit))
}

#[cfg(test)]
mod tests {
    use super::{pattern_of, stem};
    use crate::analysis::stats::NodeName;

    #[test]
    fn patterns_match_all_paths() {
        for (paths, pattern) in [
            (&["World/Bomb", "World/Bomb2", "World/Bomb13"][..], "World/Bomb*"),
            (&["World/Bomb12", "World/Bomb13"], "World/Bomb*"),
            (&["Players/1/Body", "Players/7839/Body"], "Players/*/Body"),
            (&["@Area@2", "@Area@31"], "@Area@*"),
            (&["A/b", "A/b/c", "A/d"], "A/**"),
            (&["A/b/c", "A/b", "A/b/c"], "A/b/**"),
            (&["Board/0 - 1", "Board/0 - 2", "Board/7 - 1"], "Board/*"),
            (&["a", "b"], "*"),
            (&["é1", "é2"], "é*"),
        ] {
            let nodes: Vec<_> = paths.iter().map(|path| NodeName::Path(*path)).collect();
            assert_eq!(pattern_of(&nodes), pattern);
        }
        let spawned = |name| NodeName::Spawned { name, spawner: Some("World/Spawner") };
        assert_eq!(pattern_of(&[spawned("a1"), spawned("a2")]), "a* (spawned by World/Spawner)");
    }

    #[test]
    fn only_numbers_at_the_ends_of_names_are_left_out() {
        let stem = |path| stem(NodeName::Path(path));
        assert_eq!(stem("World/Bomb"), stem("World/Bomb2"));
        assert_eq!(stem("World/1/Gun"), stem("World/22/Gun"));
        assert_eq!(stem("Board/0 - 1"), stem("Board/7 - 12"));
        assert_eq!(stem("Board/Tile_3_14"), stem("Board/Tile_12_1"));
        assert_ne!(stem("Board/Tile_3_14"), stem("Board/Tile_3_a"));
        assert_ne!(stem("World/1/Gun"), stem("World/1/Arm"));
        assert_ne!(stem("World/Bomb"), stem("World/Bombs"));
        assert_ne!(stem("World/Bomb"), stem("Other/Bomb"));
        assert_ne!(super::stem(NodeName::Id(1)), super::stem(NodeName::Id(2)));
    }
}
