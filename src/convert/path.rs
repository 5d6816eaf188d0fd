//! Where in a value something is.

use crate::text::Layout;
use crate::view::VariantRef;
use crate::walk::{Event, Place, WalkStack};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The longest key that is shown whole, in characters.
const KEY_LIMIT: usize = 40;

/// A container around the place.
struct Around {
    /// How many elements, entries or properties were begun.
    count: usize,
    /// What leads from the container to the one before the next event.
    step: String,
}

/// The path to the value that the event of that number is of, `.inventory[3]`; empty for the
/// root.
///
/// An index is in brackets, as is a key which is no name, in the form of a literal; of a key
/// that is a container there is only the number of the entry.
pub(super) fn to_event(root: VariantRef<'_>, number: usize) -> String {
    let mut stack = WalkStack::new();
    let mut around: Vec<Around> = Vec::new();
    for (at, event) in root.walk(&mut stack).enumerate() {
        if let Some(container) = around.last_mut() {
            step(container, &event);
        }
        if at == number {
            break;
        }
        match event {
            Event::Begin(..) => around.push(Around { count: 0, step: String::new() }),
            Event::End { .. } => drop(around.pop()),
            Event::Value(..) | Event::Property(_) => {}
        }
    }
    around.iter().map(|container| &*container.step).collect()
}

/// What leads to the value that the event is of.
fn step(container: &mut Around, event: &Event<'_>) {
    let (place, leaf) = match event {
        Event::Value(place, leaf) => (*place, Some(leaf)),
        Event::Begin(place, _) => (*place, None),
        Event::Property(name) => return container.step = name_step(name),
        Event::End { .. } => return,
    };
    match place {
        Place::Element => container.step = format!("[{}]", container.count),
        Place::Key => {
            container.step = match leaf.map(|leaf| (leaf, leaf.as_str())) {
                Some((_, Some(name))) => name_step(name),
                Some((leaf, None)) => {
                    format!("[{}]", shortened(&leaf.display(Layout::Line).to_string()))
                }
                None => format!("[entry {}]", container.count),
            };
        }
        Place::Root | Place::Value | Place::Property => return,
    }
    container.count = container.count.saturating_add(1);
}

fn name_step(name: &str) -> String {
    let is_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && name.chars().all(|character| character.is_alphanumeric() || character == '_');
    let name = shortened(name);
    if is_name { format!(".{name}") } else { format!("[{name:?}]") }
}

fn shortened(text: &str) -> String {
    let mut start: String = text.chars().take(KEY_LIMIT).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}
