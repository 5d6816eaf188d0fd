//! The names that are known when a packet is shown: paths by id, methods and properties by number.

#[cfg(feature = "alloc")]
use super::known::{ConfigId, Known, Role};
#[cfg(feature = "alloc")]
use super::names::Names;
use super::packet::{Method, Node, Spawn};
#[cfg(feature = "alloc")]
use super::paths::{Paths, Spawned};
#[cfg(feature = "alloc")]
use super::role::Sent;
use super::states::{State, Synchronizer};
use core::fmt;
#[cfg(not(feature = "alloc"))]
use core::marker::PhantomData;

/// The names for the numbers in a packet. An empty context has none.
///
/// The caller identifies the ends of a connection by numbers of its choice: the ones that it passed
/// to [`Paths::note`](super::Paths::note) as senders.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'c> {
    pub(super) ends: Ends,
    relayed: Ends,
    #[cfg(feature = "alloc")]
    pub(super) paths: Option<&'c Paths>,
    #[cfg(not(feature = "alloc"))]
    lifetime: PhantomData<&'c ()>,
}

/// The path of a synchronizer: that of the spawned node, and the rest below it. `Display` joins them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct SynchronizerPath<'c> {
    /// The path of the spawned node; of a synchronizer that was not spawned, its own path.
    pub node: &'c str,
    /// The path of the synchronizer below that node; empty if `node` is its own path.
    pub below: &'c str,
}

impl fmt::Display for SynchronizerPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SynchronizerPath { node, below } = self;
        f.write_str(node)?;
        if below.is_empty() { Ok(()) } else { write!(f, "/{below}") }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ends {
    pub(super) sender: Option<u64>,
    pub(super) receiver: Option<u64>,
}

impl<'c> Context<'c> {
    /// A context without names.
    #[must_use]
    pub fn new() -> Context<'c> {
        Context::default()
    }

    /// Adds the paths and spawned nodes that the sender of the packet has announced, and the
    /// [names](Paths::with_names) of methods and properties.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn with_paths(mut self, paths: &'c Paths, sender: u64) -> Context<'c> {
        self.paths = Some(paths);
        self.ends.sender = Some(sender);
        self
    }

    /// Adds the paths that the receiver has announced, which Godot 4 confirms by their ids.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn with_receiver(mut self, receiver: u64) -> Context<'c> {
        self.ends.receiver = Some(receiver);
        self
    }

    /// Adds the sender and receiver of a relayed packet, which differ from the ends of the
    /// connection.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn with_relayed(mut self, sender: u64, receiver: Option<u64>) -> Context<'c> {
        self.relayed = Ends { sender: Some(sender), receiver };
        self
    }

    /// The context of the relayed packet.
    pub(crate) fn relayed(mut self) -> Context<'c> {
        self.ends = core::mem::take(&mut self.relayed);
        self
    }

    /// The path of a node, if it is known.
    pub(crate) fn path<'n>(self, node: Node<'n>) -> Option<&'n str>
    where
        'c: 'n,
    {
        match node {
            Node::Path(path) => Some(path),
            Node::Id(id) => self.path_of(self.ends.sender, id),
        }
    }

    /// The path of a node whose id the receiver has announced, if it is known.
    pub(crate) fn confirmed_path<'n>(self, node: Node<'n>) -> Option<&'n str>
    where
        'c: 'n,
    {
        match node {
            Node::Path(path) => Some(path),
            Node::Id(id) => self.path_of(self.ends.receiver, id),
        }
    }

    /// The name of a method of a node, if it is known.
    pub(crate) fn method<'n>(self, node: Node<'n>, method: Method<'n>) -> Option<&'n str>
    where
        'c: 'n,
    {
        match method {
            Method::Name(name) => Some(name),
            Method::Number { index, is_own } => self.name_of(node, index, is_own),
        }
    }
}

#[cfg(feature = "alloc")]
impl<'c> Context<'c> {
    fn path_of(self, end: Option<u64>, id: u32) -> Option<&'c str> {
        self.paths?.path(end?, id)
    }

    /// Names that no packet contains.
    pub(super) fn names(self) -> Option<&'c Names> {
        self.paths?.names.as_deref()
    }

    /// The names and the role of a node in this context.
    pub(super) fn known(self, node: Node<'_>) -> Known {
        self.paths.map_or(Known::default(), |paths| paths.known_of(self.ends.sender, node))
    }

    fn name_of(self, node: Node<'_>, index: u16, is_own: bool) -> Option<&'c str> {
        self.names()?.method_in(self.known(node).methods, index, is_own)
    }

    pub(crate) fn spawned(self, net_id: u32) -> Option<Spawned<'c>> {
        self.paths?.spawned(self.ends.sender?, net_id)
    }

    /// The path of a spawned node.
    pub(super) fn node_of(self, net_id: u32) -> Option<&'c str> {
        self.spawned(net_id)?.path
    }

    /// The name of a spawned node.
    pub(crate) fn spawned_name(self, net_id: u32) -> Option<&'c str> {
        self.spawned(net_id).map(|spawned| spawned.name)
    }

    /// The path of the scene that a spawn instantiates.
    pub(crate) fn scene_path(self, spawn: &Spawn<'_>) -> Option<&'c str> {
        let (_, spawner) = self.paths?.spawner(self.ends.sender?, spawn)?;
        self.names()?.scene_path(spawner, spawn.scene?)
    }

    /// Whether the project has the scene that a spawn instantiates.
    pub(super) fn has_scene(self, spawn: &Spawn<'_>) -> bool {
        let spawner = self.ends.sender.and_then(|sender| self.paths?.spawner(sender, spawn));
        let scene = spawner.zip(self.names()).zip(spawn.scene);
        scene.is_some_and(|(((_, id), names), number)| names.spawned_scene(id, number).is_some())
    }

    /// The path of the node that a spawn adds.
    pub(crate) fn spawned_path(self, spawn: &Spawn<'_>) -> Option<alloc::string::String> {
        let (path, spawner) = self.paths?.spawner(self.ends.sender?, spawn)?;
        self.names()?.spawned_path(spawner, path, spawn.name)
    }

    /// The names of the properties in a spawn; none if they are not known, or if their number
    /// differs from that of the values.
    pub(crate) fn spawn_properties(
        self,
        spawn: &Spawn<'_>,
    ) -> Option<impl Iterator<Item = &'c str> + use<'c>> {
        let (_, spawner) = self.paths?.spawner(self.ends.sender?, spawn)?;
        let names = self.names()?;
        let scene = names.spawned_scene(spawner, spawn.scene?)?;
        let properties = names.spawn_properties(scene, spawn.synchronizers.len());
        (properties.clone().count() == spawn.state.len()).then_some(properties)
    }

    /// The path of the synchronizer that sent a state.
    pub(super) fn synchronizer_path(
        self,
        synchronizer: Synchronizer,
    ) -> Option<SynchronizerPath<'c>> {
        let (node, below) = match synchronizer {
            Synchronizer::PathId(id) => (self.path(Node::Id(id))?, ""),
            Synchronizer::NetId(id) => {
                let spawned = self.spawned(id)?;
                (spawned.path?, self.names()?.synchronizer_path(spawned.synchronizer?)?)
            }
        };
        Some(SynchronizerPath { node, below })
    }

    /// The names of the properties in a state; none if they are not known, or if their number
    /// differs from that of the values.
    pub(crate) fn state_properties(
        self,
        state: &State<'_>,
    ) -> Option<impl Iterator<Item = &'c str> + use<'c>> {
        let config = self.config_of(state.synchronizer)?;
        let changed = state.changed;
        let sent = if changed.is_some() { Sent::OnChange } else { Sent::Always };
        let properties = self.names()?.properties(config, sent);
        let named = properties.enumerate().filter(move |(place, _)| is_set(changed, *place));
        let named = named.map(|(_, name)| name);
        (named.clone().count() == state.values.len()).then_some(named)
    }

    pub(super) fn config_of(self, synchronizer: Synchronizer) -> Option<ConfigId> {
        match synchronizer {
            Synchronizer::PathId(id) => match self.known(Node::Id(id)).role {
                Role::Synchronizer(config) => Some(config),
                _ => None,
            },
            Synchronizer::NetId(id) => self.names()?.config_of(self.spawned(id)?.synchronizer?),
        }
    }
}

#[cfg(not(feature = "alloc"))]
impl<'c> Context<'c> {
    fn path_of(self, _: Option<u64>, _: u32) -> Option<&'c str> {
        None
    }

    fn name_of(self, _: Node<'_>, _: u16, _: bool) -> Option<&'c str> {
        None
    }

    pub(super) fn node_of(self, _: u32) -> Option<&'c str> {
        None
    }

    pub(super) fn spawned_name(self, _: u32) -> Option<&'c str> {
        None
    }

    pub(super) fn scene_path(self, _: &Spawn<'_>) -> Option<&'c str> {
        None
    }

    pub(crate) fn spawn_properties(
        self,
        _: &Spawn<'_>,
    ) -> Option<impl Iterator<Item = &'c str> + use<'c>> {
        None::<core::iter::Empty<&str>>
    }

    pub(super) fn synchronizer_path(self, _: Synchronizer) -> Option<SynchronizerPath<'c>> {
        None
    }

    pub(crate) fn state_properties(
        self,
        _: &State<'_>,
    ) -> Option<impl Iterator<Item = &'c str> + use<'c>> {
        None::<core::iter::Empty<&str>>
    }
}

/// Whether a state has the property at a place. A delta has it if its bit is set; a sync has all.
#[cfg(feature = "alloc")]
fn is_set(changed: Option<u64>, place: usize) -> bool {
    let Some(bits) = changed else { return true };
    let bit = u32::try_from(place).ok().and_then(|place| bits.checked_shr(place));
    bit.is_some_and(|bit| bit & 1 == 1)
}
