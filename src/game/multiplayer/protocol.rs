//! The engines whose packets differ.

use crate::value::{Dialect, Engine};

/// The engine whose packets are read. The dialect decides only how the values in them are read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Protocol {
    /// The packets of Godot 3: methods by name, values as `var_to_bytes` writes them.
    Godot3,
    /// The packets of Godot 4: methods by number, bools and ints in a short form.
    Godot4,
    /// The packets of Pandemonium 3.8 and newer: those of Godot 3 without
    /// [`Packet::Set`](super::Packet::Set), so that the commands after the call have other numbers.
    Pandemonium,
}

impl Protocol {
    /// The protocol of the engine that writes a dialect.
    #[must_use]
    pub fn of(dialect: Dialect) -> Protocol {
        match dialect.engine() {
            Engine::Godot3 => Protocol::Godot3,
            Engine::Godot4 => Protocol::Godot4,
            Engine::Pandemonium => Protocol::Pandemonium,
        }
    }
}
