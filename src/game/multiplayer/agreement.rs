//! The names of properties on which several scenes agree.

use super::known::{ConfigId, Unclear};
use super::names::Names;
use super::role::{Property, Sent};

/// The first of some configurations, and the properties whose names the others do not share. None if
/// they differ in the number or the types of their properties, or if one is not known.
pub(super) fn agreed(
    names: &Names,
    mut configs: impl Iterator<Item = Option<ConfigId>>,
) -> Option<(ConfigId, Unclear)> {
    let first = configs.next()??;
    let mut unclear = Unclear::default();
    for other in configs {
        let other = other?;
        if other == first {
            continue;
        }
        let differ = |sent| {
            let of = |config| names.properties(config, sent);
            differences(of(first), of(other))
        };
        unclear.always |= differ(Sent::Always)?;
        unclear.on_change |= differ(Sent::OnChange)?;
    }
    Some((first, unclear))
}

/// The places at which two lists of properties have different names, one bit each. None if their
/// numbers or types differ, or if a difference is at a place after 31.
pub(super) fn differences<'n>(
    mut one: impl Iterator<Item = Property<'n>>,
    mut other: impl Iterator<Item = Property<'n>>,
) -> Option<u32> {
    let mut bits = 0;
    for place in 0_u32.. {
        match (one.next(), other.next()) {
            (None, None) => break,
            (Some(one), Some(other)) if one.kind == other.kind => {
                if one.name != other.name {
                    bits |= 1_u32.checked_shl(place)?;
                }
            }
            _ => return None,
        }
    }
    Some(bits)
}

/// The name of a property at a place: its name, or its number if the name is not known.
pub(super) fn named(name: &str, place: usize, unclear: u32) -> &str {
    let bit = u32::try_from(place).ok().and_then(|place| unclear.checked_shr(place));
    if bit.is_some_and(|bit| bit & 1 == 1) {
        NUMBERS.get(place).copied().unwrap_or("#")
    } else {
        name
    }
}

/// The places of properties without known names.
const NUMBERS: [&str; 32] = [
    "#0", "#1", "#2", "#3", "#4", "#5", "#6", "#7", "#8", "#9", "#10", "#11", "#12", "#13", "#14",
    "#15", "#16", "#17", "#18", "#19", "#20", "#21", "#22", "#23", "#24", "#25", "#26", "#27",
    "#28", "#29", "#30", "#31",
];
