//! The names that are known when a packet is shown: paths by id, methods by number.

use super::packet::{Method, Node};
#[cfg(feature = "alloc")]
use super::{Names, Paths, Spawned};
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
    #[cfg(feature = "alloc")]
    names: Option<&'c Names>,
    #[cfg(not(feature = "alloc"))]
    lifetime: PhantomData<&'c ()>,
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

    /// Adds the paths and spawned nodes that the sender of the packet has announced.
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

    /// Adds the names that packets never contain: those of Godot 4's methods.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn with_names(mut self, names: &'c Names) -> Context<'c> {
        self.names = Some(names);
        self
    }

    /// The context of the packet that this one relays.
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
    pub(super) fn confirmed_path<'n>(self, node: Node<'n>) -> Option<&'n str>
    where
        'c: 'n,
    {
        match node {
            Node::Path(path) => Some(path),
            Node::Id(id) => self.path_of(self.ends.receiver, id),
        }
    }

    /// The name of a method of the node with that path.
    pub(crate) fn method<'n>(self, path: Option<&str>, method: Method<'n>) -> Option<&'n str>
    where
        'c: 'n,
    {
        match method {
            Method::Name(name) => Some(name),
            Method::Number { is_own: true, .. } => None,
            Method::Number { index, is_own: false } => self.name_of(path?, index),
        }
    }
}

#[cfg(feature = "alloc")]
impl<'c> Context<'c> {
    fn path_of(self, end: Option<u64>, id: u32) -> Option<&'c str> {
        self.paths?.path(end?, id)
    }

    fn name_of(self, path: &str, index: u16) -> Option<&'c str> {
        self.names?.method(path, index)
    }

    pub(crate) fn spawned(self, net_id: u32) -> Option<Spawned<'c>> {
        self.paths?.spawned(self.ends.sender?, net_id)
    }

    /// The name of a spawned node.
    pub(super) fn spawned_name(self, net_id: u32) -> Option<&'c str> {
        self.spawned(net_id).map(|spawned| spawned.name)
    }
}

#[cfg(not(feature = "alloc"))]
impl<'c> Context<'c> {
    fn path_of(self, _: Option<u64>, _: u32) -> Option<&'c str> {
        None
    }

    fn name_of(self, _: &str, _: u16) -> Option<&'c str> {
        None
    }

    pub(super) fn spawned_name(self, _: u32) -> Option<&'c str> {
        None
    }
}
