//! Finds the version of a project that each end of a recording has, by the digests of methods that
//! it announces.
//!
//! ```
//! use gdwire::project::Project;
//! use gdwire::versions::Announced;
//!
//! let project = Project::from_files([
//!     ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
//!     ("main.tscn", "[gd_scene format=3]\n\
//!         [ext_resource type=\"Script\" path=\"res://chat.gd\" id=\"1\"]\n\
//!         [node name=\"Main\" type=\"Node\"]\n\
//!         script = ExtResource(\"1\")\n"),
//!     ("chat.gd", "extends Node\n@rpc(\"any_peer\") func say(text): pass\n@rpc func clear(): pass\n"),
//! ]);
//! let mut announced = Announced::new();
//! let server = ([10, 0, 0, 1], 7777).into();
//! announced.add(server, "Main", "f370dba7cf121edab116d38140347a19");
//! let nodes = announced.nodes(server).ok_or("nothing was announced")?;
//! assert!(nodes.contradicted_by(&project).is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Stability
//!
//! Functions of this module may change with every release, also without a new major version.

use crate::capture::follow::{Content, Message};
use crate::game::multiplayer::Packet;
use crate::game::project::{DigestMatch, MethodList, Project};
use core::net::SocketAddr;
use std::collections::BTreeMap;

/// The digests that the ends of connections have announced for their nodes.
#[derive(Clone, Default, Debug)]
pub struct Announced {
    ends: BTreeMap<SocketAddr, AnnouncedNodes>,
    count: usize,
}

/// The nodes of one end: their paths, and the last digest of each.
#[derive(Clone, Default, Debug)]
pub struct AnnouncedNodes(BTreeMap<Box<str>, Box<str>>);

/// The most nodes that are kept.
const NODES: usize = 1 << 16;

/// The longest path that is kept, in bytes.
const PATH: usize = 1 << 10;

impl Announced {
    /// Nothing so far.
    #[must_use]
    pub fn new() -> Announced {
        Announced::default()
    }

    /// Notes what a message announces.
    pub fn message(&mut self, message: &Message<'_>) {
        if let Content::Packet(Packet::SimplifyPath(simplify)) = &message.content
            && let Some(digest) = simplify.md5
        {
            self.add(message.origin.src(), simplify.path, digest);
        }
    }

    /// Notes the digest of a node. At most 65,536 nodes are kept.
    pub fn add(&mut self, end: SocketAddr, path: &str, digest: &str) {
        if self.count >= NODES || path.len() > PATH || digest.len() != 32 {
            return;
        }
        let nodes = self.ends.entry(end).or_default();
        if nodes.0.insert(path.into(), digest.into()).is_none() {
            self.count += 1;
        }
    }

    /// The ends that have announced nodes, with these nodes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (SocketAddr, &AnnouncedNodes)> {
        self.ends.iter().map(|(end, nodes)| (*end, nodes))
    }

    /// The nodes that an end has announced.
    #[must_use]
    pub fn nodes(&self, end: SocketAddr) -> Option<&AnnouncedNodes> {
        self.ends.get(&end)
    }
}

impl AnnouncedNodes {
    /// The paths of the nodes and the digests of their methods.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0.iter().map(|(path, digest)| (&**path, &**digest))
    }

    /// The digest of a node.
    #[must_use]
    pub fn digest(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(|digest| &**digest)
    }

    /// The nodes that have other methods in a project. A node that scripts add at run time may have the
    /// methods of any script.
    #[must_use]
    pub fn contradicted_by(&self, project: &Project) -> Vec<&str> {
        let contradicted = self.iter().filter(|(path, digest)| {
            let list = project.node(path).and_then(|node| node.list);
            match list {
                Some(list) => match project.list_of_node(digest, list) {
                    DigestMatch::Known(found) => {
                        let (found, own) = (project.list(found), project.list(list));
                        found.script() != own.script() && found.digest() != own.digest()
                    }
                    DigestMatch::Ambiguous => false,
                    DigestMatch::Unknown => true,
                },
                None => project.list_of_digest(digest) == DigestMatch::Unknown,
            }
        });
        contradicted.map(|(path, _)| path).collect()
    }
}

/// The names of the methods with a digest, if a project has such a list of methods.
#[must_use]
pub fn methods_of<'p>(project: &'p Project, digest: &str) -> Option<Vec<&'p str>> {
    let DigestMatch::Known(list) = project.list_of_digest(digest) else { return None };
    let list: MethodList<'p> = project.list(list);
    let names = |is_own| (0..).map_while(move |index| list.name(index, is_own));
    let mut names: Vec<_> = names(true).chain(names(false)).collect();
    names.sort_unstable();
    names.dedup();
    Some(names)
}
