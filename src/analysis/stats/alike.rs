//! The names of nodes that differ only in numbers, as the engine adds them to names that are taken.

use super::item::NodeName;

/// A node without the numbers at the ends of the names in its path. Nodes that have no names are
/// alike only to themselves.
pub(crate) fn stem(node: NodeName<&str>) -> NodeName<String> {
    let stems = |path: &str| {
        let names: Vec<&str> = path.split('/').map(without_number).collect();
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

fn without_number(name: &str) -> &str {
    name.trim_end_matches(|digit: char| digit.is_ascii_digit())
}

/// A pattern for the paths of several nodes: `World/Bomb*`. It has `*` in place of the parts in which
/// names differ. If the paths have different lengths, it has `**` after the names that they share.
pub(crate) fn pattern_of(nodes: &[NodeName<&str>]) -> String {
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
    format!("{}*", without_number(&shared))
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
        assert_ne!(stem("World/Bomb"), stem("World/Bombs"));
        assert_ne!(stem("World/Bomb"), stem("Other/Bomb"));
        assert_ne!(super::stem(NodeName::Id(1)), super::stem(NodeName::Id(2)));
    }
}
