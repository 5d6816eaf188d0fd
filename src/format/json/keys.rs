//! Keys of dictionaries as keys of JSON objects.
//!
//! A string is itself, and another key is its literal in one line. If that is also the text of a
//! string key of the same dictionary, the kind is put around it: `int(1)` beside `"1"`. If that is
//! the text of a string key, too, a number follows: `int(1)#2`.

use crate::format::text::Layout;
use crate::value::{Event, Kind, Slot, VariantRef, WalkStack};
use std::collections::{HashMap, HashSet};

/// The keys whose literal is also the text of a string key of the same dictionary.
#[derive(Default)]
pub(super) struct Collisions {
    /// The names of the keys, by the address of their first byte.
    names: HashMap<usize, String>,
}

impl Collisions {
    /// Finds the collisions in all dictionaries of a value.
    pub(super) fn within(value: VariantRef<'_>) -> Collisions {
        let mut collisions = Collisions::default();
        let mut open = Vec::new();
        let mut inside = InsideKey::default();
        let mut stack = WalkStack::new();
        value.walk(&mut stack).filter(|event| !inside.takes(event)).for_each(|event| {
            let key = match event {
                Event::Value(Slot::Key, key) => key,
                Event::Begin(Slot::Key, container) => container.as_value(),
                Event::Begin(_, container) if container.kind() == Kind::Dictionary => {
                    return open.push(Keys::default());
                }
                Event::End(ended) if ended.kind() == Kind::Dictionary => {
                    return open.pop().unwrap_or_default().collect(&mut collisions);
                }
                _ => return,
            };
            if let Some(keys) = open.last_mut() {
                Keys::add(keys, key);
            }
        });
        collisions
    }

    /// Finds the collisions among the keys of a dictionary.
    #[cfg(feature = "capture")]
    pub(super) fn among<'a>(keys: impl Iterator<Item = VariantRef<'a>>) -> Collisions {
        let mut collisions = Collisions::default();
        let mut all = Keys::default();
        keys.for_each(|key| all.add(key));
        all.collect(&mut collisions);
        collisions
    }

    /// The name of a key that is not a string.
    #[cfg(feature = "capture")]
    pub(super) fn name_or_literal(&self, key: VariantRef<'_>) -> String {
        self.name(key).map_or_else(|| key.display(Layout::Line).to_string(), str::to_owned)
    }

    /// The name of a key, if its literal collides with a string key.
    pub(super) fn name(&self, key: VariantRef<'_>) -> Option<&str> {
        self.names.get(&address(key)).map(String::as_str)
    }
}

/// Recognizes the events inside a key that is a container. They are only parts of the key's
/// literal.
#[derive(Default)]
pub(super) struct InsideKey {
    /// The number of open containers, from the key on.
    depth: usize,
}

impl InsideKey {
    /// Whether an event comes after the beginning of such a key, up to its end.
    pub(super) const fn takes(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Begin(Slot::Key, _) if self.depth == 0 => {
                self.depth = 1;
                return false;
            }
            _ if self.depth == 0 => return false,
            Event::Begin(..) => self.depth += 1,
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            Event::Value(..) | Event::Property(_) => {}
        }
        true
    }
}

/// The keys of a dictionary.
#[derive(Default)]
struct Keys<'a> {
    texts: Vec<&'a str>,
    others: Vec<VariantRef<'a>>,
}

impl<'a> Keys<'a> {
    fn add(&mut self, key: VariantRef<'a>) {
        match key.as_str() {
            Some(text) => self.texts.push(text),
            None => self.others.push(key),
        }
    }

    fn collect(self, collisions: &mut Collisions) {
        if self.texts.is_empty() || self.others.is_empty() {
            return;
        }
        let texts: HashSet<_> = self.texts.into_iter().collect();
        let mut names = HashMap::new();
        for key in self.others {
            let literal = key.display(Layout::Line).to_string();
            if !texts.contains(literal.as_str()) {
                continue;
            }
            let name = names.entry(literal).or_insert_with_key(|literal| {
                let plain = format!("{}({literal})", key.kind());
                let numbered = (2_u64..).map(|number| format!("{plain}#{number}"));
                let mut names = std::iter::once(plain.clone()).chain(numbered);
                names.find(|name| !texts.contains(name.as_str())).unwrap_or_default()
            });
            collisions.names.insert(address(key), name.clone());
        }
    }
}

fn address(key: VariantRef<'_>) -> usize {
    key.as_bytes().as_ptr().addr()
}
