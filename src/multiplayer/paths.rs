//! Remembers the node paths and spawned nodes that packets announce.

use super::packet::{Packet, Spawn};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;

/// The text of a name. With threads, copies share their memory.
#[cfg(feature = "std")]
type Text = std::sync::Arc<str>;
#[cfg(not(feature = "std"))]
type Text = Box<str>;

/// The default limit on the number of names.
const DEFAULT_ENTRIES: usize = 1 << 16;
/// The default limit on the bytes of names: 4 MiB.
const DEFAULT_BYTES: usize = 4 << 20;

/// The paths and spawned nodes that packets have announced, by their sender.
///
/// A sender is a number that the caller chooses for each end of each connection. Relayed packets
/// have to be noted separately, for the sender that they come from: [`Paths::note`] does not look
/// into a relay.
///
/// Memory is bounded: when the limits are reached, further announcements are counted but not kept.
///
/// ```
/// use gdwire::Dialect;
/// use gdwire::multiplayer::{Paths, Protocol, parse};
///
/// let packet = parse(Protocol::Godot3, Dialect::GODOT_3, b"\x02\x01\0\0\0Game/Chat\0")?;
/// let (server, client) = (0, 1);
/// let mut paths = Paths::new();
/// paths.note(server, &packet);
/// assert_eq!(paths.path(server, 1), Some("Game/Chat"));
/// assert_eq!(paths.path(client, 1), None);
/// # Ok::<(), gdwire::multiplayer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Paths {
    senders: BTreeMap<u64, Sender>,
    used: Size,
    limit: Size,
    dropped: u64,
}

/// The announcements of one sender.
#[derive(Clone, Debug, Default)]
struct Sender {
    paths: BTreeMap<u32, Text>,
    nodes: BTreeMap<u32, SpawnedNode>,
    /// The spawned node of each synchronizer.
    synchronizers: BTreeMap<u32, u32>,
}

#[derive(Clone, Debug)]
struct SpawnedNode {
    spawner: u32,
    name: Text,
    synchronizers: Box<[u32]>,
}

/// A spawned node, by the names in its spawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Spawned<'p> {
    /// The node's name.
    pub name: &'p str,
    /// The path of its spawner, if that is known. The wire does not say where the node is relative
    /// to the spawner.
    pub spawner: Option<&'p str>,
}

#[derive(Clone, Copy, Default, Debug)]
struct Size {
    entries: usize,
    bytes: usize,
}

impl Size {
    fn of_text(text: &str) -> Size {
        Size { entries: 1, bytes: text.len() }
    }

    fn of_node(name: &str, synchronizers: usize) -> Size {
        Size {
            entries: synchronizers.saturating_add(1),
            bytes: synchronizers.saturating_mul(4).saturating_add(name.len()),
        }
    }

    fn add(&mut self, other: Size) {
        self.entries = self.entries.saturating_add(other.entries);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }

    fn subtract(&mut self, other: Size) {
        self.entries = self.entries.saturating_sub(other.entries);
        self.bytes = self.bytes.saturating_sub(other.bytes);
    }
}

impl Default for Paths {
    fn default() -> Paths {
        Paths::new()
    }
}

impl Paths {
    /// An empty list with room for 65,536 names of 4 MiB together.
    #[must_use]
    pub const fn new() -> Paths {
        Paths::with_limits(DEFAULT_ENTRIES, DEFAULT_BYTES)
    }

    /// An empty list with room for a number of names, and for a number of bytes in all of them.
    #[must_use]
    pub const fn with_limits(entries: usize, bytes: usize) -> Paths {
        Paths {
            senders: BTreeMap::new(),
            used: Size { entries: 0, bytes: 0 },
            limit: Size { entries, bytes },
            dropped: 0,
        }
    }

    /// Keeps the names that a packet announces: whole up to 1,024 bytes. In a longer name, its size
    /// replaces the middle: `Game/a…(1048576 bytes)…b/c`. A name is announced once and may be shown
    /// with every later packet, so that a long one would cost far more than its own bytes. Removes those that it ends. Show a packet
    /// before you note it, so that a despawn is shown with its name.
    pub fn note(&mut self, sender: u64, packet: &Packet<'_>) {
        match packet {
            Packet::SimplifyPath(simplify) => {
                self.remove(sender, |known| {
                    let path = known.paths.remove(&simplify.id)?;
                    Some(Size::of_text(&path))
                });
                let path = shortened(simplify.path);
                if self.take_room(Size::of_text(&path)) {
                    let known = self.senders.entry(sender).or_default();
                    known.paths.insert(simplify.id, path.into());
                }
            }
            Packet::Spawn(spawn) => self.note_spawn(sender, spawn),
            Packet::Despawn { net_id } => self.remove(sender, |known| known.despawn(*net_id)),
            _ => {}
        }
    }

    fn note_spawn(&mut self, sender: u64, spawn: &Spawn<'_>) {
        self.remove(sender, |known| known.despawn(spawn.net_id));
        let name = shortened(spawn.name);
        if !self.take_room(Size::of_node(&name, spawn.synchronizers.len())) {
            return;
        }
        let known = self.senders.entry(sender).or_default();
        for id in spawn.synchronizers.iter() {
            known.synchronizers.insert(id, spawn.net_id);
        }
        let synchronizers = spawn.synchronizers.iter().collect();
        let node = SpawnedNode { spawner: spawn.spawner, name: name.into(), synchronizers };
        known.nodes.insert(spawn.net_id, node);
    }

    /// Removes the names of a sender whose connection has ended.
    pub fn forget(&mut self, sender: u64) {
        let Some(known) = self.senders.remove(&sender) else { return };
        for path in known.paths.values() {
            self.used.subtract(Size::of_text(path));
        }
        for node in known.nodes.values() {
            self.used.subtract(node.size());
        }
    }

    /// The path that a sender has announced for an id.
    #[must_use]
    pub fn path(&self, sender: u64, id: u32) -> Option<&str> {
        self.senders.get(&sender)?.paths.get(&id).map(|path| &**path)
    }

    /// Copies the path for an id from another list, without counting it. Returns how many bytes were
    /// added.
    #[cfg(feature = "capture")]
    pub(super) fn copy_path(&mut self, from: &Paths, sender: u64, id: u32) -> usize {
        let Some(path) = from.senders.get(&sender).and_then(|known| known.paths.get(&id)) else {
            return 0;
        };
        let known = self.senders.entry(sender).or_default();
        match known.paths.insert(id, path.clone()) {
            Some(_) => 0,
            None => path.len(),
        }
    }

    /// The same for the names of a spawned node and its spawner.
    #[cfg(feature = "capture")]
    pub(super) fn copy_spawned(&mut self, from: &Paths, sender: u64, net_id: u32) -> usize {
        let Some(node) = from.node(sender, net_id) else { return 0 };
        let spawner = self.copy_path(from, sender, node.spawner);
        let SpawnedNode { spawner: id, ref name, .. } = *node;
        let copy = SpawnedNode { spawner: id, name: name.clone(), synchronizers: Box::default() };
        let known = self.senders.entry(sender).or_default();
        match known.nodes.insert(net_id, copy) {
            Some(_) => spawner,
            None => spawner.saturating_add(name.len()),
        }
    }

    /// The spawned node of a sender with that net id, or with a synchronizer of that net id.
    #[must_use]
    pub fn spawned(&self, sender: u64, net_id: u32) -> Option<Spawned<'_>> {
        let node = self.node(sender, net_id)?;
        Some(Spawned { name: &node.name, spawner: self.path(sender, node.spawner) })
    }

    fn node(&self, sender: u64, net_id: u32) -> Option<&SpawnedNode> {
        let known = self.senders.get(&sender)?;
        known.nodes.get(&net_id).or_else(|| {
            let node = known.synchronizers.get(&net_id)?;
            known.nodes.get(node)
        })
    }

    /// How many announcements were not kept because the limits were reached.
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// About how many bytes of memory the names take.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        // A tree takes up to about twice its content, and a little for its first node.
        let entries = self.used.entries.saturating_mul(96);
        let senders = self.senders.len().saturating_mul(1_024);
        self.used.bytes.saturating_add(entries).saturating_add(senders)
    }

    fn remove(&mut self, sender: u64, take: impl FnOnce(&mut Sender) -> Option<Size>) {
        let Some(known) = self.senders.get_mut(&sender) else { return };
        if let Some(size) = take(known) {
            self.used.subtract(size);
        }
        if known.paths.is_empty() && known.nodes.is_empty() {
            self.senders.remove(&sender);
        }
    }

    /// Reserves room for a name. Returns whether there is enough.
    fn take_room(&mut self, size: Size) -> bool {
        let mut used = self.used;
        used.add(size);
        if used.entries > self.limit.entries || used.bytes > self.limit.bytes {
            self.dropped = self.dropped.saturating_add(1);
            return false;
        }
        self.used = used;
        true
    }
}

/// A name of up to 1,024 bytes, or the beginning, the size and the end of a longer one.
fn shortened(name: &str) -> Cow<'_, str> {
    const LONGEST: usize = 1_024;
    /// How much of a longer name is kept at each end.
    const PART: usize = 490;
    if name.len() <= LONGEST {
        return Cow::Borrowed(name);
    }
    let is_boundary = |at: &usize| name.is_char_boundary(*at);
    let front = (0..=PART).rev().find(is_boundary).unwrap_or(0);
    let back = (name.len().saturating_sub(PART)..=name.len()).find(is_boundary);
    let front = name.get(..front).unwrap_or("");
    let back = back.and_then(|back| name.get(back..)).unwrap_or("");
    Cow::Owned(format!("{front}…({} bytes)…{back}", name.len()))
}

impl SpawnedNode {
    fn size(&self) -> Size {
        Size::of_node(&self.name, self.synchronizers.len())
    }
}

impl Sender {
    fn despawn(&mut self, net_id: u32) -> Option<Size> {
        let node = self.nodes.remove(&net_id)?;
        for id in &node.synchronizers {
            // The id may belong to another node by now.
            if self.synchronizers.get(id) == Some(&net_id) {
                self.synchronizers.remove(id);
            }
        }
        Some(node.size())
    }
}
