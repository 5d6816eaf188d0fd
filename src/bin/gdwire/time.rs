//! Prints times as RFC 3339.

use gdwire::capture::Time;
use jiff::Timestamp;
use std::fmt::{self, Display};

/// A time with all digits that the capture's clock has, but at least microseconds.
pub(crate) struct Rfc3339(pub(crate) Time);

impl Display for Rfc3339 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = if self.0.decimals() > 6 { 9 } else { 6 };
        let timestamp = Timestamp::from_nanosecond(self.0.nanoseconds().into());
        write!(f, "{:.decimals$}", timestamp.map_err(|_| fmt::Error)?)
    }
}

/// A time in nanoseconds since 1970, with this number of decimals of a second.
pub(crate) fn rfc3339(nanoseconds: i64, decimals: usize) -> String {
    match Timestamp::from_nanosecond(nanoseconds.into()) {
        Ok(timestamp) => format!("{timestamp:.decimals$}"),
        Err(_) => "-".to_owned(),
    }
}
