//! Reads raw values: one after the other, without lengths.

use crate::input::failure::Failure;
use crate::input::reader::{PathOf, Reader};
use crate::interrupt;
use crate::sink::{Position, Trouble};
use gdwire::parse_prefix;

/// Reads the values in `bytes`. If that is not the whole input, because the user pressed Ctrl-C or
/// the rest is damaged, the last value may be cut off, which is not reported.
pub(crate) fn read(reader: &mut Reader<'_>, bytes: &[u8], is_whole: bool) -> Result<(), Failure> {
    let mut rest = bytes;
    let is_interrupted = || is_whole && interrupt::is_requested();
    while !rest.is_empty() && !is_interrupted() {
        let start = bytes.len().saturating_sub(rest.len());
        let place = Position::Offset(start as u64);
        match parse_prefix(reader.dialect, rest) {
            Ok((after, value)) => {
                rest = after;
                reader.value(place, value)?;
            }
            Err(error) if error.is_unexpected_end() && !is_whole => return Ok(()),
            // Nothing shows where the next value starts.
            Err(error) => {
                reader.sink.trouble(Trouble::NoValue(&error));
                let path = PathOf { error: &error, dialect: reader.dialect, input: rest };
                let problem = format!("{}{path}; nothing after it is read", error.shifted(start));
                reader.no_value(place, &problem, &problem)?;
                return reader.unreadable(place, rest);
            }
        }
    }
    Ok(())
}
