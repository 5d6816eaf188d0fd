//! Converts a whole value, and merges the keys that become the same.

use super::conversion::{Conversion, OnLoss};
use super::duplicates;
use super::error::{Error, Problem};
use crate::value::parse;
use crate::value::walk::{Event, WalkStack};
use crate::value::{Dialect, Kind, VariantRef};
use crate::write::encode::{Builder, encode, path};
use crate::write::owned::Variant;
use alloc::string::String;
use alloc::vec::Vec;

/// A value in another dialect.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Converted {
    /// The bytes that the engine of the dialect writes for the value.
    pub bytes: Vec<u8>,
    /// How many values in it were changed. It is 0 unless a loss is allowed.
    pub changed: usize,
}

/// Converts a value to another dialect, or to canonical bytes in its own.
///
/// If a key occurs twice, the place of the first and the value of the last remain. The engine of
/// the value decides whether two keys are the same. If they differ for that engine but are the same
/// for the other engine, that is a loss: Godot 3 and Pandemonium treat two empty dictionaries, or a
/// string and a string name of the same text, as different keys, and Godot 4 does not. All keys
/// that are merged in this way count as one change.
///
/// # Errors
///
/// An [`Error`] if the dialect cannot express a value and loss is not allowed, or if loss does not
/// help, for example because the value is nested too deep.
pub fn convert(value: VariantRef<'_>, to: Dialect, loss: OnLoss) -> Result<Converted, Error> {
    if !duplicates::may_be_in(value) {
        return convert_entries(value, to, loss, false);
    }
    // Keys that are different for the value's own engine may be the same for the other engine.
    let from = value.dialect();
    let may_merge = from.layout().keys_by_identity() && !to.layout().keys_by_identity();
    if let Ok(merged) = encode(from, &Variant::from(value))
        && let Ok(value) = parse(from, &merged)
    {
        return convert_entries(value, to, loss, may_merge);
    }
    convert_entries(value, to, loss, may_merge)
}

/// Converts a value in which no key occurs twice by the rule of its own engine. `may_merge` is
/// whether keys may be the same by the rule of the other engine.
fn convert_entries(
    value: VariantRef<'_>,
    to: Dialect,
    loss: OnLoss,
    may_merge: bool,
) -> Result<Converted, Error> {
    let (from, kind) = (value.dialect(), value.kind());
    let mut conversion = Conversion {
        builder: Builder::new(to, Vec::new()),
        to,
        loss,
        narrows: from.has_double_reals() && !to.has_double_reals(),
        may_merge,
        changed: 0,
    };
    let mut stack = WalkStack::new();
    for (number, event) in value.walk(&mut stack).enumerate() {
        if let Err(problem) = conversion.event(event) {
            let kind = match event {
                Event::Value(_, leaf) => leaf.kind(),
                Event::Begin(_, container) => container.kind(),
                Event::Property(_) | Event::End { .. } => Kind::Object,
            };
            return Err(Error { path: path::to_event(value, number), kind, problem });
        }
    }
    let Conversion { builder, may_merge, changed, .. } = conversion;
    let bytes = builder.finish().map_err(|error| {
        let problem = error.into();
        Error { path: String::new(), kind, problem }
    })?;
    let mut converted = Converted { bytes, changed };
    if may_merge && let Some(dictionary) = converted.merge_keys(to) {
        if loss == OnLoss::Refuse {
            // Each event of the value became one event of the converted value.
            let path = path::to_event(value, dictionary);
            let problem = Problem::MergedKeys { dialect: to };
            return Err(Error { path, kind: Kind::Dictionary, problem });
        }
        converted.changed = converted.changed.saturating_add(1);
    }
    Ok(converted)
}

impl Converted {
    /// Merges keys that have become the same. Returns the number of the event that begins the first
    /// dictionary with such keys, if there is one.
    fn merge_keys(&mut self, dialect: Dialect) -> Option<usize> {
        let value = parse(dialect, &self.bytes).ok()?;
        if !duplicates::may_be_in(value) {
            return None;
        }
        let merged = encode(dialect, &Variant::from(value)).ok()?;
        let dictionary = first_shorter(value, parse(dialect, &merged).ok()?)?;
        self.bytes = merged;
        Some(dictionary)
    }
}

/// The number of the first event that begins a container which is shorter in the merged value. All
/// events before it are the same in both values.
fn first_shorter(value: VariantRef<'_>, merged: VariantRef<'_>) -> Option<usize> {
    let (mut stack, mut merged_stack) = (WalkStack::new(), WalkStack::new());
    let mut pairs = value.walk(&mut stack).zip(merged.walk(&mut merged_stack));
    pairs.position(|pair| match pair {
        (Event::Begin(_, one), Event::Begin(_, other)) => one.len() != other.len(),
        _ => false,
    })
}
