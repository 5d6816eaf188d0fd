//! The names that no packet contains.

use super::Methods;

/// The names that no packet contains: those of the methods that Godot 4 calls by number.
///
/// [`Context::with_names`](super::Context::with_names) uses them for one packet,
#[cfg_attr(feature = "capture", doc = "[`follow::Options::names`](crate::follow::Options::names)")]
#[cfg_attr(not(feature = "capture"), doc = "`follow::Options::names`")]
/// for all packets of a capture.
///
/// ```
/// use gdwire::multiplayer::{Methods, Names};
///
/// let names = Names::from(Methods::parse("Game/World: set_score, respawn")?);
/// assert_eq!(names.method("Game/World", 1), Some("set_score"));
/// # Ok::<(), gdwire::multiplayer::MethodsError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Names {
    methods: Methods,
}

impl Names {
    /// The name of a method, by the path of its node and its number.
    #[must_use]
    pub fn method(&self, path: &str, number: u16) -> Option<&str> {
        self.methods.name(path, number)
    }
}

impl From<Methods> for Names {
    fn from(methods: Methods) -> Names {
        Names { methods }
    }
}
