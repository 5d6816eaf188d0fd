//! Finds the line and the column of a mistake in a text.

/// A place in a text that only moves forwards, with its line and column.
pub(super) struct LineCursor<'t> {
    pub(super) bytes: &'t [u8],
    pub(super) offset: usize,
    pub(super) line: usize,
    pub(super) line_start: usize,
}

impl LineCursor<'_> {
    pub(super) fn advance(&mut self, offset: usize) {
        let passed = self.bytes.get(self.offset..offset).unwrap_or_default();
        self.line = self.line.saturating_add(passed.iter().filter(|byte| **byte == b'\n').count());
        if let Some(end) = passed.iter().rposition(|byte| *byte == b'\n') {
            self.line_start = self.offset.saturating_add(end).saturating_add(1);
        }
        self.offset = offset;
    }

    /// The column in characters, from 1.
    pub(super) fn column(&self) -> usize {
        let before = self.bytes.get(self.line_start..self.offset).unwrap_or_default();
        String::from_utf8_lossy(before).chars().count().saturating_add(1)
    }
}
