//! The memory of collections and of small allocations.

/// How many bytes the usual allocator takes for an allocation: a header of 8 bytes, in steps of 16.
/// Others take about as many.
pub(crate) const fn taken(len: usize) -> usize {
    let bytes = len.saturating_add(23) & !15;
    if bytes < 32 { 32 } else { bytes }
}

/// About how many bytes a [`std::collections::BTreeMap`] with this many entries takes at most: its
/// nodes have room for 11 entries, and all but one are at least half full.
pub(crate) const fn tree_bytes<T>(entries: usize) -> usize {
    let nodes = if entries == 0 { 0 } else { (entries / 5).saturating_add(1) };
    nodes.saturating_mul(11 * size_of::<T>() + 32)
}
