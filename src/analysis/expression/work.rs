//! Limits the work of an evaluation. [`Stop`] is why an evaluation ends early.

use std::cell::Cell;

/// How many steps an expression may take on one value.
const STEPS: usize = 1_000_000;

/// Why an evaluation ends early.
pub(super) enum Stop {
    /// The caller has what it needs.
    Enough,
    /// The expression does not fit the value. `?` and `//` continue in this case.
    Failed(String),
    /// The evaluation takes too many steps.
    TooMuch,
}

impl Stop {
    pub(super) fn failed(problem: impl Into<String>) -> Stop {
        Stop::Failed(problem.into())
    }
}

/// Counts the steps.
pub(super) struct Work(Cell<usize>);

impl Work {
    pub(super) const fn new() -> Work {
        Work(Cell::new(STEPS))
    }

    pub(super) fn spend(&self, steps: usize) -> Result<(), Stop> {
        self.0.set(self.0.get().checked_sub(steps.max(1)).ok_or(Stop::TooMuch)?);
        Ok(())
    }
}
