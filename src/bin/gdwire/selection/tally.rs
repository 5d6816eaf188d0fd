//! Counts the selected messages, and those for which a condition failed.

use super::Verdict;

/// The results of the selection.
#[derive(Default)]
pub(crate) struct Tally {
    /// The number of selected messages.
    pub(crate) selected: u64,
    /// The number of messages for which a condition failed, and the first failure.
    failed: u64,
    first: Option<String>,
}

impl Tally {
    /// Notes a verdict, and returns whether the message is selected. `place` names the message in
    /// the failure.
    pub(crate) fn note(&mut self, verdict: Verdict, place: impl FnOnce() -> String) -> bool {
        match verdict {
            Ok(is_selected) => is_selected,
            Err(failure) => {
                self.failed = self.failed.saturating_add(1);
                self.first.get_or_insert_with(|| format!("{}: {failure}", place()));
                false
            }
        }
    }

    /// Adds the counts of later messages.
    pub(crate) fn add(&mut self, later: Tally) {
        self.selected = self.selected.saturating_add(later.selected);
        self.failed = self.failed.saturating_add(later.failed);
        self.first = self.first.take().or(later.first);
    }

    /// How often a condition failed, and the first failure.
    pub(crate) fn failures(&self) -> Option<String> {
        let first = self.first.as_ref()?;
        Some(match self.failed {
            1 => {
                format!("--where cannot be evaluated for 1 message, so it is not selected: {first}")
            }
            failed => format!(
                "--where cannot be evaluated for {failed} messages, so they are not selected; \
                 the first: {first}"
            ),
        })
    }
}
