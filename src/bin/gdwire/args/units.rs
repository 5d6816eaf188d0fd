//! Parses lengths of time, sizes of memory and counts in options.

use clap::builder::RangedU64ValueParser;
use jiff::SignedDuration;
use std::time::Duration;

/// Parses a length of time, of at least a microsecond.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let length: Result<SignedDuration, _> = text.parse();
    let length = length.map_err(|_| "expected a number and its unit, such as 1s, 500ms or 1m")?;
    match Duration::try_from(length) {
        Ok(length) if length >= Duration::from_micros(1) => Ok(length),
        _ => Err("the shortest time is one microsecond, 1us".to_owned()),
    }
}

/// Parses a number of at least one.
pub(super) fn count<T: TryFrom<u64> + Clone + Send + Sync + 'static>() -> RangedU64ValueParser<T> {
    RangedU64ValueParser::new().range(1..=u64::from(u32::MAX))
}

/// The smallest limit on memory, in bytes.
const LEAST: usize = 64 << 10;

/// Parses a number of bytes: 65536, 64K, 64M, 1G.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    let (number, unit) = match text.char_indices().last() {
        Some((at, 'K' | 'k')) => (text.get(..at), 1 << 10),
        Some((at, 'M' | 'm')) => (text.get(..at), 1 << 20),
        Some((at, 'G' | 'g')) => (text.get(..at), 1 << 30),
        _ => (Some(text), 1_usize),
    };
    let number: usize =
        number.and_then(|it| it.parse().ok()).ok_or("write a size such as 512K, 64M or 2G")?;
    match number.checked_mul(unit) {
        Some(size) if size >= LEAST => Ok(size),
        Some(_) => Err("the least size is 64K".to_owned()),
        None => Err("this is more than can be addressed".to_owned()),
    }
}
