//! Finds circles: files or modules that use each other.

use std::collections::{BTreeMap, BTreeSet};

/// Everything that can be reached from each node along the arrows.
pub fn reach<T: Copy + Ord>(arrows: &BTreeSet<(T, T)>) -> BTreeMap<T, BTreeSet<T>> {
    let mut next = BTreeMap::<T, BTreeSet<T>>::new();
    for &(from, to) in arrows {
        next.entry(from).or_default().insert(to);
        next.entry(to).or_default();
    }
    let from = |node: T| {
        let mut reached = BTreeSet::new();
        let mut open = vec![node];
        while let Some(from) = open.pop() {
            open.extend(next[&from].iter().filter(|&&to| reached.insert(to)));
        }
        (node, reached)
    };
    next.keys().map(|&node| from(node)).collect()
}

/// The sets of nodes that use each other, directly or through others of the set.
pub fn circles<T: Copy + Ord>(arrows: &BTreeSet<(T, T)>) -> BTreeSet<BTreeSet<T>> {
    let reach = reach(arrows);
    let circle = |(a, reached): (&T, &BTreeSet<T>)| {
        reached.iter().copied().filter(|b| reach[b].contains(a)).collect::<BTreeSet<T>>()
    };
    reach.iter().map(circle).filter(|circle| !circle.is_empty()).collect()
}
