//! Shows the ends of messages, by their names or addresses.

use crate::args::places::EndName;
use crate::selection::EndNames;
use gdwire::capture::Origin;
use gdwire::text::cells;
use std::collections::HashSet;
use std::sync::Arc;

/// The widest text of two ends to which other lines are aligned, in columns.
const WIDEST: usize = 27;

/// Shows ends.
pub(super) struct Ends {
    names: Arc<EndNames>,
    /// The names that were shown.
    known: HashSet<EndName>,
    /// The width of the widest text of two ends so far, in columns.
    width: usize,
}

/// The text for the two ends of a message.
pub(super) struct Shown {
    /// Both ends, padded to the width of earlier ones.
    pub(super) text: String,
    /// The new names in the text, with their addresses.
    pub(super) legend: Vec<String>,
}

impl Ends {
    pub(super) fn new(names: Arc<EndNames>) -> Ends {
        Ends { names, known: HashSet::new(), width: 0 }
    }

    /// The names of the ends of a message.
    pub(super) fn names(&mut self, origin: Origin) -> Shown {
        let mut legend = Vec::new();
        let [src, dst] = self.names.name(origin);
        let [src, dst] = [(src, origin.src()), (dst, origin.dst())].map(|(name, address)| {
            let Some(name) = name else { return address.to_string() };
            if self.known.insert(name) {
                legend.push(format!("{name} = {address}"));
            }
            name.to_string()
        });
        self.padded(format!("{src} → {dst}"), legend)
    }

    /// The addresses of the ends of a message.
    pub(super) fn addresses(&mut self, origin: Origin) -> Shown {
        self.padded(format!("{} → {}", origin.src(), origin.dst()), Vec::new())
    }

    fn padded(&mut self, text: String, legend: Vec<String>) -> Shown {
        let width = cells(&text);
        if width <= WIDEST {
            self.width = self.width.max(width);
        }
        let padding = " ".repeat(self.width.saturating_sub(width));
        Shown { text: text + &padding, legend }
    }
}
