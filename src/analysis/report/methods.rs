//! Writes when remote methods were called.

use super::json::Grid;
use crate::analysis::stats::Intervals;
use crate::format::json::object::Json;
use crate::net::packet::Time;
use core::cmp::Reverse;
use core::fmt;

/// How many methods have a row of their own.
const METHODS: usize = 20;

/// Writes the methods with the most calls, the first one first, and the calls of all others together,
/// with the number of calls in each interval.
pub fn write_methods(json: &mut Json<'_>, intervals: &Intervals, grid: Grid) -> fmt::Result {
    let mut methods: Vec<_> = intervals.methods().collect();
    methods.sort_by_key(|it| (Reverse(it.total.count), it.method, it.command));
    let (listed, others) = methods.split_at(methods.len().min(METHODS));
    let numbers = |counts: Vec<u64>| counts.into_iter().map(Some);
    json.list("top", listed, |json, method| {
        json.text("method", Some(method.method))?;
        json.text("command", Some(method.command))?;
        json.number("count", method.total.count)?;
        let calls = method.iter().map(|(start, amount)| (start, amount.count));
        json.numbers("counts", numbers(grid.counts(calls)))
    })?;
    json.nested("others", |json| {
        json.number("methods", others.len())?;
        let calls = others.iter().flat_map(|it| it.iter());
        let counts = grid.counts(calls.map(|(start, amount): (Time, _)| (start, amount.count)));
        json.numbers("counts", numbers(counts))
    })?;
    json.number("further", intervals.further_methods().count)
}
