//! Finds the path to the value that cannot be encoded or converted. This happens only after an
//! error, so it costs nothing when a value can be encoded.

use super::{Builder, Encode, EncodeError, EncodeProblem};
use crate::value::{
    Dialect, Escaped, Event, Kind, ReadOptions, Slot, VariantRef, WalkStack, events,
};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Display;

/// The longest key that is shown whole, in characters.
const KEY_LIMIT: usize = 40;

/// Adds the path to the value that caused an error.
///
/// The value is encoded once more, up to the error. The bytes written by then are the beginning of
/// a value, and their end is the place of the error. `max_depth` is the largest number of
/// containers around a value in it.
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
            let options = ReadOptions::new(dialect).with_max_depth(max_depth);
            let events = events(options, builder.written_so_far(), &mut stack);
            events.map_while(Result::ok).for_each(|event| trail.follow(&event));
            error.at(&if is_missing { trail.innermost() } else { trail.next() })
        }
    }
}

/// The path to the value of the event with this number.
pub(crate) fn to_event(root: VariantRef<'_>, number: usize) -> String {
    let mut stack = WalkStack::new();
    let mut trail = Trail::default();
    root.walk(&mut stack).take(number.saturating_add(1)).for_each(|event| trail.follow(&event));
    trail.last()
}

/// The open containers of a walk, and the last value of each.
#[derive(Default)]
struct Trail {
    around: Vec<Around>,
    /// Whether the last event began a container.
    has_begun: bool,
}

/// An open container.
#[derive(Default)]
struct Around {
    /// How many elements, entries or properties have begun.
    count: usize,
    /// The segment that leads from the container to its last value.
    segment: String,
    /// Whether the last item was a key or a name, so that its value comes next.
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

    /// The path through the first `around` containers, from the outermost on.
    fn through(&self, around: usize) -> String {
        let containers = self.around.iter().take(around);
        containers.map(|container| format!("/{}", container.segment)).collect()
    }

    /// The path to the value that comes next. If that is a key, the path to its dictionary.
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
            Slot::Element => self.segment = self.count.to_string(),
            Slot::Key => {
                self.segment = match leaf.map(|leaf| (leaf, leaf.as_str())) {
                    Some((_, Some(text))) => segment(text),
                    Some((leaf, None)) => segment(leaf),
                    // A key that is a container has no shorter name.
                    None => format!("<key {}>", self.count),
                };
                self.is_due = true;
            }
            Slot::Root | Slot::Value | Slot::Property => {
                self.is_due = false;
                return;
            }
        }
        self.count += 1;
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
