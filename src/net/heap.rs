//! The memory of collections.

/// About how many bytes a [`std::collections::BTreeMap`] with this many entries takes at most: its
/// nodes have room for 11 entries, and all but one are at least half full.
pub(crate) const fn tree_bytes<T>(entries: usize) -> usize {
    let nodes = if entries == 0 { 0 } else { (entries / 5).saturating_add(1) };
    nodes.saturating_mul(11 * size_of::<T>() + 32)
}
