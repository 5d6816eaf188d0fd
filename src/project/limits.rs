//! How much of a project is kept, so that hostile files cost little more than reading them.

/// The largest script that is read: 16 MiB.
pub(super) const SCRIPT_BYTES: usize = 16 << 20;
/// The longest value of a scene's property that is read: 1 MiB. Values that do not matter here may
/// be longer.
pub(super) const VALUE_BYTES: usize = 1 << 20;
/// From this length on, in bytes, the name of a namespace in C# is not extended.
pub(super) const NAMESPACE_BYTES: usize = 256;
/// In how many enclosing namespaces the base class of a class in C# is searched.
pub(super) const NAMESPACES: usize = 16;
/// The number of attributes of a section.
pub(super) const ATTRIBUTES: usize = 64;
/// The bytes of all names together: 64 MiB.
pub(super) const NAME_BYTES: usize = 64 << 20;
/// The number of names, and of files.
pub(super) const NAMES: usize = 1 << 22;
/// The number of classes of scripts.
pub(super) const CLASSES: usize = 1 << 18;
/// The number of nodes in files, and again the number of nodes in all scenes with what they
/// instance.
pub(super) const NODES: usize = 1 << 20;
/// The number of names in all lists of methods.
pub(super) const LIST_ENTRIES: usize = 1 << 22;
/// The number of digests that are computed.
pub(super) const DIGESTS: usize = 1 << 16;
/// The bytes that are hashed for them: 64 MiB.
pub(super) const HASHED_BYTES: usize = 64 << 20;
/// The bytes of the synchronizers' paths: 16 MiB.
pub(super) const PATH_BYTES: usize = 16 << 20;
/// How many steps from node to node are made to find what paths in scenes lead to.
pub(super) const STEPS: usize = 1 << 24;
/// How many places nodes are moved by in all, when scenes give nodes another index.
pub(super) const MOVES: usize = 1 << 28;
/// The number of problems that are kept.
pub(super) const PROBLEMS: usize = 1_000;
