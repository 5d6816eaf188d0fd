//! The path to the value that cannot be encoded or converted. It is looked for only when there is
//! an error, so that values without errors pay nothing for it.

use super::{Builder, Encode, EncodeError, EncodeProblem};
use crate::dialect::{Dialect, ReadOptions};
use crate::kind::Kind;
use crate::view::{Escaped, VariantRef};
use crate::walk::{Event, Place, WalkStack, events};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Display;

/// The longest key that is shown whole, in characters.
const KEY_LIMIT: usize = 40;

/// The error with the path to the value that caused it.
///
/// The value is encoded once more up to the error. What was written by then is the beginning of a
/// value, and where it ends is the place of the error. `max_depth` is how many containers may be
/// around a value in it.
#[cold]
#[inline(never)]
pub(super) fn located<T: Encode + ?Sized>(
    error: EncodeError,
    dialect: Dialect,
    max_depth: u16,
    value: &T,
) -> EncodeError {
    let mut builder = Builder::with_depth(dialect, Vec::new(), max_depth);
    match value.encode(&mut builder) {
        Ok(()) => error,
        Err(again) if again.problem() != error.problem() => error,
        Err(_) => {
            let is_missing =
                matches!(error.problem(), EncodeProblem::WrongCount { missing: 1.., .. });
            let mut trail = Trail::default();
            let mut stack = WalkStack::new();
            let options = ReadOptions::new(dialect).max_depth(max_depth);
            let events = events(options, builder.written_so_far(), &mut stack);
            events.map_while(Result::ok).for_each(|event| trail.follow(&event));
            error.at(&if is_missing { trail.innermost() } else { trail.next() })
        }
    }
}

/// The path to the value that the event of that number is of.
pub(crate) fn to_event(root: VariantRef<'_>, number: usize) -> String {
    let mut stack = WalkStack::new();
    let mut trail = Trail::default();
    root.walk(&mut stack).take(number.saturating_add(1)).for_each(|event| trail.follow(&event));
    trail.last()
}

/// The open containers of a walk, and which of their values came last.
#[derive(Default)]
struct Trail {
    around: Vec<Around>,
    /// Whether the last event began a container.
    has_begun: bool,
}

/// An open container.
#[derive(Default)]
struct Around {
    /// How many elements, entries or properties were begun.
    count: usize,
    /// The segment that leads from the container to the value that came last.
    segment: String,
    /// Whether a key or a name came last, whose value is due.
    is_due: bool,
    /// Whether the values have no keys.
    is_array: bool,
}

impl Trail {
    fn follow(&mut self, event: &Event<'_>) {
        self.has_begun = false;
        if let Some(container) = self.around.last_mut() {
            container.follow(event);
        }
        match event {
            Event::Begin(_, container) => {
                let is_array = !matches!(container.kind(), Kind::Dictionary | Kind::Object);
                self.around.push(Around { is_array, ..Around::default() });
                self.has_begun = true;
            }
            Event::End(_) => drop(self.around.pop()),
            Event::Value(..) | Event::Property(_) => {}
        }
    }

    /// The path to the value of the last event.
    fn last(&self) -> String {
        let around = self.around.len().saturating_sub(usize::from(self.has_begun));
        self.through(around)
    }

    /// The path to the innermost open container.
    fn innermost(&self) -> String {
        self.through(self.around.len().saturating_sub(1))
    }

    /// The path through so many containers.
    fn through(&self, around: usize) -> String {
        let containers = self.around.iter().take(around);
        containers.map(|container| format!("/{}", container.segment)).collect()
    }

    /// The path to the value that comes next; if that is a key, to its dictionary.
    fn next(&self) -> String {
        let mut path = self.innermost();
        match self.around.last() {
            Some(container) if container.is_array => {
                path.push_str(&format!("/{}", container.count))
            }
            Some(container) if container.is_due => {
                path.push_str(&format!("/{}", container.segment))
            }
            _ => {}
        }
        path
    }
}

impl Around {
    fn follow(&mut self, event: &Event<'_>) {
        let (place, leaf) = match event {
            Event::Value(place, leaf) => (*place, Some(leaf)),
            Event::Begin(place, _) => (*place, None),
            Event::Property(name) => {
                self.segment = segment(name);
                self.is_due = true;
                return;
            }
            Event::End(_) => return,
        };
        match place {
            Place::Element => self.segment = self.count.to_string(),
            Place::Key => {
                self.segment = match leaf.map(|leaf| (leaf, leaf.as_str())) {
                    Some((_, Some(text))) => segment(text),
                    Some((leaf, None)) => segment(leaf),
                    // Nothing shorter names a key that is a container.
                    None => format!("<key {}>", self.count),
                };
                self.is_due = true;
            }
            Place::Root | Place::Value | Place::Property => {
                self.is_due = false;
                return;
            }
        }
        self.count = self.count.saturating_add(1);
    }
}

/// A key or a name as a segment of a path.
fn segment(key: impl Display) -> String {
    let text = Escaped(key).to_string();
    let mut start: String = text.chars().take(KEY_LIMIT).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}
