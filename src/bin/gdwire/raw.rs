//! Reads raw values, one after the other.

use crate::reading::{Failure, Place, Reading, Trouble, at_path};
use gdwire::parse_prefix;

pub(crate) fn read(reading: &mut Reading<'_>, bytes: &[u8]) -> Result<(), Failure> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let start = bytes.len().saturating_sub(rest.len());
        match parse_prefix(reading.dialect, rest) {
            Ok((after, value)) => {
                rest = after;
                reading.value(Place::File { offset: start as u64 }, value)?;
            }
            // Nothing shows where the next value starts.
            Err(error) => {
                reading.sink.trouble(Trouble::NoValue(&error));
                let path = at_path(&error, reading.dialect, rest);
                let problem = error.shifted(start);
                let problem = format!("{problem}{path}; nothing after it is read");
                let problem = reading.with_hint(problem);
                reading.diagnostics.failure(&reading.name, &problem);
                return Ok(());
            }
        }
    }
    Ok(())
}
