//! Limits the work of an evaluation. [`EvalStop`] is why an evaluation ends early.

use std::cell::Cell;

/// How many steps an expression may take on one value.
const STEPS: usize = 1_000_000;

/// Why an evaluation ends early.
pub(super) enum EvalStop {
    /// The caller has what it needs.
    Enough,
    /// The expression does not fit the value. `?` and `//` continue in this case.
    Failed(String),
    /// The evaluation takes too many steps.
    TooMuch,
}

impl EvalStop {
    pub(super) fn failed(problem: impl Into<String>) -> EvalStop {
        EvalStop::Failed(problem.into())
    }
}

/// Counts the steps.
pub(super) struct Budget(Cell<usize>);

impl Budget {
    pub(super) const fn new() -> Budget {
        Budget(Cell::new(STEPS))
    }

    pub(super) fn spend(&self, steps: usize) -> Result<(), EvalStop> {
        self.0.set(self.0.get().checked_sub(steps.max(1)).ok_or(EvalStop::TooMuch)?);
        Ok(())
    }
}
