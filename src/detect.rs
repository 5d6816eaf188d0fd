//! Which engine wrote some bytes: the dialect that reads the most of them.
//!
//! Nothing in the format names the engine, but the dialects number their types differently, and
//! so a payload that one of them reads to its last byte seldom ends there in another.
//!
//! ```
//! use gdwire::{Dialect, detect::detect, encode, variant};
//!
//! let packets = [
//!     encode(Dialect::GODOT_3, &variant!({"pos": [1, 2, 3]}))?,
//!     encode(Dialect::GODOT_3, &variant!({"hp": 87}))?,
//! ];
//! let detection = detect(packets.iter().map(Vec::as_slice));
//! assert_eq!(detection.dialect(), Dialect::GODOT_3);
//! assert_eq!(
//!     detection.to_string(),
//!     "godot3, which reads 2 of 2 payloads (godot4 1, pandemonium5 1, pandemonium4 1)"
//! );
//! # Ok::<(), gdwire::EncodeError>(())
//! ```
//!
//! # Rules
//!
//! 1. The dialect that reads the most payloads to their exact length.
//! 2. Of several, the one that reads the most bytes of the others.
//! 3. Of several, the one that finds the fewest typed arrays whose first element is of another
//!    type: engines do not write such arrays.
//! 4. Of several, the one that finds the most values in them: what is a dictionary to one engine
//!    may be a matrix of the same size to another.
//! 5. Of several, one with reals of four bytes. Only in Godot 4 the headers tell the width: there
//!    it is eight if at least one value has reals and none has reals of four bytes.
//! 6. Of several, the first of Godot 4, Godot 3, Pandemonium 5 and Pandemonium 4. It comes to
//!    this where the dialects agree on what they read: on null, bools, ints, floats and strings
//!    all do, on a `Vector2` both Godots, on what has no packed arrays in it both Pandemoniums.

use crate::dialect::Dialect;
use crate::kind::{Body, Cell, Kind};
use crate::parse::parse_prefix;
use crate::view::{ElementTypeRef, VariantRef};
use crate::walk::{Event, WalkStack};
use core::cmp::Reverse;
use core::fmt;

/// What is tried, in the order of preference. Godot 4 reads either width of reals.
const CANDIDATES: [Dialect; 7] = [
    Dialect::GODOT_4,
    Dialect::GODOT_3,
    Dialect::PANDEMONIUM_5,
    Dialect::PANDEMONIUM_4,
    Dialect::GODOT_3.with_double_reals(),
    Dialect::PANDEMONIUM_5.with_double_reals(),
    Dialect::PANDEMONIUM_4.with_double_reals(),
];

/// Finds out which dialect reads the most of some payloads, each of which should be one value.
pub fn detect<'p>(payloads: impl IntoIterator<Item = &'p [u8]>) -> Detection {
    let mut detector = Detector::new();
    payloads.into_iter().for_each(|payload| detector.payload(payload));
    detector.detection()
}

/// Looks at payloads one by one. A small value of fixed size, to be kept for every flow.
#[derive(Clone, Debug, Default)]
pub struct Detector {
    payloads: u32,
    read: [Read; CANDIDATES.len()],
    /// Whether a value of Godot 4 had reals of four bytes, and of eight.
    widths: [bool; 2],
}

/// What a candidate read, in the order of the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Read {
    payloads: u32,
    bytes: u64,
    mistyped: Reverse<u64>,
    values: u64,
    /// How many payloads are raw bytes, of which anything can be.
    raw: u32,
}

impl Read {
    fn add(&mut self, look: Look) {
        self.mistyped.0 = self.mistyped.0.saturating_add(look.mistyped);
        self.values = self.values.saturating_add(look.values);
    }
}

/// What a payload with values in it is to a dialect.
#[cfg(feature = "capture")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fit {
    /// It cannot be read.
    None,
    /// It is raw bytes.
    Bytes,
    /// It is read to its last byte.
    Whole,
}

impl Detector {
    /// A detector that has seen nothing.
    #[must_use]
    pub fn new() -> Detector {
        Detector::default()
    }

    /// How many payloads it has seen.
    #[must_use]
    pub const fn payloads(&self) -> u32 {
        self.payloads
    }

    /// Looks at a payload that should be one value.
    pub fn payload(&mut self, payload: &[u8]) {
        self.sequence(payload, 1);
    }

    /// Looks at values one after the other, no more than the first `limit`. It counts as one
    /// payload, which a dialect has read if it finds so many values or comes to the end.
    pub fn sequence(&mut self, bytes: &[u8], limit: usize) {
        self.payloads = self.payloads.saturating_add(1);
        for (dialect, read) in CANDIDATES.iter().zip(&mut self.read) {
            let mut rest = bytes;
            let mut values = 0_usize;
            while values < limit {
                let Ok((after, value)) = parse_prefix(*dialect, rest) else { break };
                values = values.saturating_add(1);
                rest = after;
                let mut look = Look::default();
                look.over(value, dialect.flags_width().then_some(&mut self.widths));
                read.add(look);
                if rest.is_empty() {
                    break;
                }
            }
            let is_read = rest.is_empty() || limit > 1 && values == limit;
            read.payloads = read.payloads.saturating_add(u32::from(is_read && values > 0));
            let bytes = bytes.len().saturating_sub(rest.len());
            read.bytes = read.bytes.saturating_add(bytes as u64);
        }
    }

    /// Looks at a payload that is no value but has values in it: `read` passes on those that a
    /// dialect finds there, and says what the payload is in that dialect.
    #[cfg(feature = "capture")]
    pub(crate) fn with_values(
        &mut self,
        payload: &[u8],
        mut read: impl FnMut(Dialect, &mut dyn FnMut(VariantRef<'_>)) -> Fit,
    ) {
        self.payloads = self.payloads.saturating_add(1);
        for (dialect, found) in CANDIDATES.iter().zip(&mut self.read) {
            let mut look = Look { values: 1, mistyped: 0 };
            let widths = &mut self.widths;
            let fit = read(*dialect, &mut |value| {
                look.over(value, dialect.flags_width().then_some(&mut *widths));
            });
            match fit {
                Fit::Whole => {
                    found.payloads = found.payloads.saturating_add(1);
                    found.bytes = found.bytes.saturating_add(payload.len() as u64);
                    found.add(look);
                }
                Fit::Bytes => found.raw = found.raw.saturating_add(1),
                Fit::None => {}
            }
        }
    }

    /// Adds what another detector has seen.
    pub fn merge(&mut self, other: &Detector) {
        self.payloads = self.payloads.saturating_add(other.payloads);
        for (read, more) in self.read.iter_mut().zip(&other.read) {
            read.payloads = read.payloads.saturating_add(more.payloads);
            read.bytes = read.bytes.saturating_add(more.bytes);
            read.add(Look { values: more.values, mistyped: more.mistyped.0 });
            read.raw = read.raw.saturating_add(more.raw);
        }
        for (width, more) in self.widths.iter_mut().zip(other.widths) {
            *width |= more;
        }
    }

    /// What follows from the payloads so far.
    #[must_use]
    pub fn detection(&self) -> Detection {
        self.detection_among(|_| true)
    }

    /// The same if only some dialects come into question.
    pub(crate) fn detection_among(&self, admits: impl Fn(Dialect) -> bool) -> Detection {
        let detection = self.best(admits);
        let [has_single, has_double] = self.widths;
        let is_double = detection.dialect.flags_width() && has_double && !has_single;
        if is_double { detection.with_double_reals() } else { detection }
    }

    /// The same if the engine is known to have reals of eight bytes.
    #[must_use]
    pub fn detection_with_double_reals(&self) -> Detection {
        let reads_double = |dialect: Dialect| dialect.flags_width() || dialect.has_double_reals();
        self.best(reads_double).with_double_reals()
    }

    /// The best of the candidates that are admitted, of equals the first.
    fn best(&self, admits: impl Fn(Dialect) -> bool) -> Detection {
        let first = CANDIDATES.iter().copied().find(|dialect| admits(*dialect));
        let (mut dialect, mut most) = (first.unwrap_or(Dialect::GODOT_4), Read::default());
        for (candidate, read) in CANDIDATES.iter().zip(self.read) {
            if read > most && admits(*candidate) {
                (dialect, most) = (*candidate, read);
            }
        }
        Detection { dialect, most, detector: self.clone() }
    }
}

/// What is in a value.
#[derive(Clone, Copy, Default)]
struct Look {
    /// How many values without values in them.
    values: u64,
    /// How many typed arrays whose first element is of another type.
    mistyped: u64,
}

impl Look {
    /// Goes through a value, and notes how wide the reals in it are if the headers say so.
    fn over(&mut self, value: VariantRef<'_>, mut widths: Option<&mut [bool; 2]>) {
        let mut stack = WalkStack::new();
        // The type that the array which begins gives its elements.
        let mut element = ElementTypeRef::Any;
        for event in value.walk(&mut stack) {
            let found = match event {
                Event::Begin(_, container) => Some(container.kind()),
                Event::Value(_, leaf) => Some(leaf.kind()),
                _ => None,
            };
            if let (ElementTypeRef::Kind(wanted), Some(found)) = (element, found)
                && wanted != found
                && !(wanted == Kind::Object && found == Kind::Nil)
            {
                self.mistyped = self.mistyped.saturating_add(1);
            }
            element = match event {
                Event::Begin(_, container) if container.kind() != Kind::Dictionary => {
                    let [element, _] = container.element_types();
                    element
                }
                _ => ElementTypeRef::Any,
            };
            let Event::Value(_, leaf) = event else { continue };
            self.values = self.values.saturating_add(1);
            let Some(widths) = widths.as_deref_mut() else { continue };
            if let Body::Cells(Cell::Real, _) | Body::Packed(Cell::Real, _) = leaf.kind().body() {
                let [single, double] = widths;
                *(if leaf.is_wide() { double } else { single }) = true;
            }
        }
    }
}

/// Which dialect payloads are of, and why. `Display` says both.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Detection {
    dialect: Dialect,
    most: Read,
    detector: Detector,
}

/// How much a dialect reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Candidate {
    /// The dialect, with its width of reals.
    pub dialect: Dialect,
    /// How many payloads it reads to their exact length.
    pub payloads: u32,
    /// How many bytes it reads of all payloads.
    pub bytes: u64,
    /// How many values without values in them it finds there.
    pub values: u64,
}

impl Detection {
    /// The dialect that the rules of the [module](self) choose.
    #[must_use]
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    #[cfg(feature = "capture")]
    pub(crate) const fn detector(&self) -> &Detector {
        &self.detector
    }

    /// How many of them the dialect reads to their exact length.
    #[cfg(feature = "capture")]
    pub(crate) const fn payloads_read(&self) -> u32 {
        self.most.payloads
    }

    /// How many are raw bytes to the dialect.
    #[cfg(feature = "capture")]
    pub(crate) const fn raw(&self) -> u32 {
        self.most.raw
    }

    pub(crate) fn with_double_reals(self) -> Detection {
        Detection { dialect: self.dialect.with_double_reals(), ..self }
    }

    /// How many payloads there were.
    #[must_use]
    pub const fn payloads(&self) -> u32 {
        self.detector.payloads
    }

    /// What each dialect reads: with either width of reals, in the order of preference. Godot 4
    /// comes once for each width as well, although it reads the same.
    pub fn candidates(&self) -> impl Iterator<Item = Candidate> + '_ {
        let candidate = |dialect, read: Read| Candidate {
            dialect,
            payloads: read.payloads,
            bytes: read.bytes,
            values: read.values,
        };
        CANDIDATES.iter().zip(self.detector.read).flat_map(move |(dialect, read)| {
            let double = dialect.flags_width().then(|| dialect.with_double_reals());
            [Some(*dialect), double].into_iter().flatten().map(move |it| candidate(it, read))
        })
    }

    /// Whether no dialect reads more than this one: then the rules 1 to 4 speak for it as much
    /// as for the one that was chosen.
    #[must_use]
    pub fn is_best(&self, dialect: Dialect) -> bool {
        CANDIDATES
            .iter()
            .zip(self.detector.read)
            .any(|(candidate, read)| read == self.most && candidate.reads_like(dialect))
    }
}

impl fmt::Display for Detection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let payloads = self.payloads();
        let noun = if payloads == 1 { "payload" } else { "payloads" };
        if self.most.payloads == 0 {
            return write!(
                f,
                "{} for want of a better: none reads any of {payloads} {noun}",
                self.dialect
            );
        }
        write!(f, "{}, which reads {} of {payloads} {noun}", self.dialect, self.most.payloads)?;
        let others = self.candidates().filter(|other| {
            // Those with double reals are told of only if they read something else.
            let single = self.candidates().find(|it| it.dialect.name() == other.dialect.name());
            other.dialect.name() != self.dialect.name()
                && (!other.dialect.has_double_reals()
                    || single.is_some_and(|single| single.payloads != other.payloads))
        });
        for (at, other) in others.enumerate() {
            let separator = if at == 0 { " (" } else { ", " };
            write!(f, "{separator}{} {}", other.dialect, other.payloads)?;
        }
        f.write_str(")")?;
        let is_tied = |other: &Candidate| {
            other.dialect.name() != self.dialect.name() && other.payloads == self.most.payloads
        };
        if self.candidates().any(|other| is_tied(&other)) {
            f.write_str(
                "; a tie goes to more bytes read, more values found, then the order of preference",
            )?;
        }
        Ok(())
    }
}
