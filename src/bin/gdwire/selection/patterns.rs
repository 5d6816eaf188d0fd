//! Patterns of names, and names that differ from a pattern only in their case.

use gdwire::multiplayer::Pattern;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The patterns of an option such as `--method`.
pub(super) struct Patterns {
    option: &'static str,
    patterns: Vec<Pattern>,
    /// The patterns in lower case.
    lowered: Vec<Pattern>,
    has_matched: AtomicBool,
    /// The first in alphabetical order of the names that match in another case. They are looked for
    /// until a name matches.
    other_case: Mutex<Option<Box<str>>>,
}

impl Patterns {
    pub(super) fn new(option: &'static str, patterns: &[Pattern]) -> Patterns {
        let lowered = patterns.iter().map(|it| Pattern::new(&it.as_str().to_lowercase()));
        let (patterns, lowered) = (patterns.to_vec(), lowered.collect());
        let has_matched = AtomicBool::new(false);
        Patterns { option, patterns, lowered, has_matched, other_case: Mutex::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether a name matches one of the patterns.
    pub(super) fn matches(&self, name: &str) -> bool {
        let is_match = self.patterns.iter().any(|pattern| pattern.matches(name));
        if !self.has_matched.load(Ordering::Relaxed) {
            if is_match {
                self.has_matched.store(true, Ordering::Relaxed);
            } else {
                self.note_other_case(name);
            }
        }
        is_match
    }

    #[cold]
    fn note_other_case(&self, name: &str) {
        let lowered = name.to_lowercase();
        if self.lowered.iter().any(|pattern| pattern.matches(&lowered)) {
            // Nothing panics while it is locked.
            let mut first = self.other_case.lock().unwrap_or_else(PoisonError::into_inner);
            if first.as_deref().is_none_or(|first| name < first) {
                *first = Some(name.into());
            }
        }
    }

    /// An advice, if no name matches, but one that differs only in its case.
    pub(super) fn advice(&self) -> Option<String> {
        if self.has_matched.load(Ordering::Relaxed) {
            return None;
        }
        let name = self.other_case.lock().unwrap_or_else(PoisonError::into_inner);
        let name = name.as_deref()?;
        Some(format!("{} is case-sensitive; a name in the messages is '{name}'", self.option))
    }
}
