//! The engines whose values the crate reads and writes.

/// An engine, regardless of its version.
///
/// The engine determines the layout of the packets of the high-level multiplayer API. A
/// [`Dialect`](crate::Dialect) also determines which values a version of the engine writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Engine {
    /// Godot 3.
    Godot3,
    /// Godot 4.
    Godot4,
    /// Pandemonium 3.8 and newer.
    Pandemonium,
}

impl Engine {
    /// Whether the engine's multiplayer peers write the ids of sender and receiver before each
    /// packet.
    #[cfg(feature = "capture")]
    pub(crate) const fn has_peer_headers(self) -> bool {
        match self {
            Engine::Godot3 | Engine::Pandemonium => true,
            Engine::Godot4 => false,
        }
    }

    /// Whether the engine writes each message of the remote debugger as one array: the name, perhaps
    /// a thread, and an array of arguments. A game of the other engines sends it in several frames.
    pub(crate) const fn has_debugger_arrays(self) -> bool {
        match self {
            Engine::Godot3 | Engine::Pandemonium => false,
            Engine::Godot4 => true,
        }
    }
}
