//! Words and phrases of messages.

use crate::value::kind::Kind;
use core::fmt;

/// "an int", "a Vector2".
pub(crate) struct Article(pub(crate) Kind);

impl fmt::Display for Article {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0.name();
        let vowel =
            matches!(self.0, Kind::Int | Kind::Aabb | Kind::Object | Kind::Array | Kind::Rid);
        write!(f, "{} {name}", if vowel { "an" } else { "a" })
    }
}

/// "1 byte", "2 bytes".
pub(crate) fn bytes(count: usize) -> &'static str {
    if count == 1 { "byte" } else { "bytes" }
}

/// "4 bytes are needed, 1 is left".
pub(crate) struct Missing {
    pub(crate) needed: usize,
    pub(crate) available: usize,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let are = |count| if count == 1 { "is" } else { "are" };
        let Missing { needed, available } = *self;
        let (unit, verb) = (bytes(needed), are(needed));
        write!(f, "{needed} {unit} {verb} needed, {available} {} left", are(available))
    }
}
