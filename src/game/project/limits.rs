//! Limits for reading a project, so that hostile files take little more time and memory than their
//! size.

/// The largest script that is read: 16 MiB.
pub(super) const SCRIPT_BYTES: usize = 16 << 20;
/// The bytes of all scripts that are kept until the whole project is read: 64 MiB. They
/// are kept because a function may use scripts that are read later.
pub(super) const SOURCE_BYTES: usize = 64 << 20;
/// The longest value of a property that is evaluated: 1 MiB. Values that are skipped may be longer.
pub(super) const VALUE_BYTES: usize = 1 << 20;
/// From this length on, in bytes, no part is added to the name of a C# namespace, and a problem is
/// reported.
pub(super) const NAMESPACE_BYTES: usize = 256;
/// The number of enclosing namespaces that are searched for the base class of a C# class.
pub(super) const NAMESPACES: usize = 16;
/// The number of attributes of a section.
pub(super) const ATTRIBUTES: usize = 64;
/// The bytes of all names together: 64 MiB.
pub(super) const NAME_BYTES: usize = 64 << 20;
/// The number of names, and of files.
pub(super) const NAMES: usize = 1 << 22;
/// The number of classes of scripts.
pub(super) const CLASSES: usize = 1 << 18;
/// The number of nodes in all files, and separately the number of nodes in all expanded scenes.
pub(super) const NODES: usize = 1 << 20;
/// The number of names in all lists of methods.
pub(super) const LIST_ENTRIES: usize = 1 << 22;
/// The number of digests that are computed.
pub(super) const DIGESTS: usize = 1 << 16;
/// The bytes that are hashed for digests: 64 MiB.
pub(super) const HASHED_BYTES: usize = 64 << 20;
/// The number of names that are tried in place of those of methods.
pub(super) const WORDS: usize = 1 << 14;
/// The bytes of the synchronizers' paths: 16 MiB.
pub(super) const PATH_BYTES: usize = 16 << 20;
/// The number of steps from node to node that resolving paths in scenes may take.
pub(super) const STEPS: usize = 1 << 24;
/// The number of steps that reordering nodes may take: moving a node past one sibling is one step.
pub(super) const MOVES: usize = 1 << 28;
/// The number of problems that are kept.
pub(super) const PROBLEMS: usize = 1_000;
