//! Counts of nodes that are alike, together.

use super::alike::{pattern_of, stem};
use super::amount::Usage;
use super::counts::Stats;
use super::item::{Item, Member, NodeName};
use std::collections::{BTreeMap, BTreeSet};

/// The counts of nodes that are alike, or of a method or property of them, together.
///
/// Nodes are alike if they are at the same place in instances of a scene. Where no scene is known,
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
enum Kin<'s> {
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
        let mut numbers: BTreeMap<Kin<'_>, usize> = BTreeMap::new();
        let numbered = self.nodes().map(|(Item { node, .. }, _)| {
            let kin = match self.place_of(node) {
                Some((scene, rest)) => Kin::Scene(scene, rest),
                None => Kin::Names(stem(node), members.remove(&node).unwrap_or_default()),
            };
            let next = numbers.len();
            (node, *numbers.entry(kin).or_insert(next))
        });
        numbered.collect()
    }
}
