//! What the scene of a node is known from.

use core::fmt;

/// The scene of which a node is an instance or a part, and what that is known from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct KnownScene<'c> {
    /// The path of its file, `res://…`.
    pub path: &'c str,
    /// What it is known from.
    pub basis: SceneBasis,
}

/// What the scene of a node is known from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum SceneBasis {
    /// The scene of the node's spawner: its list has the number in the spawn.
    Scene,
    /// The `spawn_function` of the node's spawner: it creates only this scene, or only this scene
    /// from the argument in the spawn.
    Function,
    /// The structure of the node: only this scene of the project has the nodes, scripts and
    /// properties that packets show.
    Structure,
}

impl SceneBasis {
    /// The name that JSON has: `scene`, `function` or `structure`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SceneBasis::Scene => "scene",
            SceneBasis::Function => "function",
            SceneBasis::Structure => "structure",
        }
    }
}

/// The [name](SceneBasis::name).
impl fmt::Display for SceneBasis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
