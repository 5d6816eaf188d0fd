//! Finds out which engine wrote some bytes.
//!
//! Nothing in the format names the engine. But each dialect numbers the types differently. If one
//! dialect reads a payload to its last byte, another dialect rarely does.
//!
//! ```
//! use gdwire::{Dialect, detect::detect, encode, variant};
//!
//! let packets = [
//!     encode(Dialect::GODOT_3, &variant!({"pos": [1, 2, 3]}))?,
//!     encode(Dialect::GODOT_3, &variant!({"hp": 87}))?,
//! ];
//! let detection = detect(packets.iter().map(Vec::as_slice));
//! assert_eq!(detection.dialect(), Some(Dialect::GODOT_3));
//! assert_eq!(
//!     detection.to_string(),
//!     "godot3, which reads 2 of 2 payloads (godot4 1, pandemonium5 1, pandemonium4 1)"
//! );
//! # Ok::<(), gdwire::EncodeError>(())
//! ```
//!
//! # Rules
//!
//! The rules are tried in this order. Each rule decides only between dialects that are equal by the
//! rules before it.
//!
//! 1. The dialect that reads the most payloads to their exact length wins.
//! 2. The dialect that reads the most bytes, in whole values over all payloads, wins.
//! 3. The dialect that finds the fewest typed arrays whose first element has another type wins.
//!    Engines do not write such arrays.
//! 4. The dialect that finds the most values wins. In another dialect, the bytes of a dictionary
//!    may be a matrix of the same size.
//! 5. Reals of four bytes win. Only Godot 4 writes their width in the header: there the detected
//!    width is eight if at least one value has reals and none has reals of four bytes.
//!
//! If several dialects remain, [`Detection::dialect`] is none. For example, all dialects write null,
//! bools, ints, floats and strings in the same way, both Godots write a `Vector2` in the same way,
//! and both Pandemoniums everything without packed arrays.

#[cfg(feature = "capture")]
use super::Error;
use super::{Cell, Dialect, Kind, ValueBody, VariantRef, parse_prefix};
#[cfg(feature = "capture")]
use crate::value::parse;
use crate::value::view::ElementTypeRef;
use crate::value::walk::{Event, WalkStack};
use core::cmp::Reverse;
use core::fmt;

/// The dialects that are tried, in the order of preference.
const CANDIDATES: [Dialect; Dialect::CANDIDATES.len()] = Dialect::CANDIDATES;

/// Parses bytes as one value in the dialect of each candidate.
#[cfg(feature = "capture")]
pub(crate) fn readings(bytes: &[u8]) -> impl Iterator<Item = Result<VariantRef<'_>, Error>> {
    CANDIDATES.into_iter().map(|dialect| parse(dialect, bytes))
}

/// Finds out which dialect reads the most of some payloads, each of which should be one value.
pub fn detect<'p>(payloads: impl IntoIterator<Item = &'p [u8]>) -> Detection {
    let mut detector = Detector::new();
    for payload in payloads {
        detector.payload(payload);
    }
    detector.detection()
}

/// Detects the dialect of payloads that arrive one by one. It is small and has a fixed size, so a
/// program can keep one for every flow.
///
/// ```
/// use gdwire::{Dialect, detect::Detector, encode};
///
/// let mut detector = Detector::new();
/// for packet in [encode(Dialect::GODOT_4, &vec![1_i64; 3])?, encode(Dialect::GODOT_4, "hp")?] {
///     detector.payload(&packet);
/// }
/// assert!(detector.detection().is_best(Dialect::GODOT_4));
/// # Ok::<(), gdwire::EncodeError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Detector {
    payloads: u32,
    read: [CandidateRead; CANDIDATES.len()],
    /// Whether a value of Godot 4 had reals of four bytes, and of eight.
    widths: [bool; 2],
}

/// How much a candidate has read. The fields are in the order of the rules, which the derived order
/// uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct CandidateRead {
    payloads: u32,
    bytes: u64,
    mistyped: Reverse<u64>,
    values: u64,
    /// How many payloads are raw bytes to the dialect. Raw bytes can be anything, so this decides
    /// last.
    raw: u32,
}

impl CandidateRead {
    fn add(&mut self, look: ContentCounts) {
        self.mistyped.0 = self.mistyped.0.saturating_add(look.mistyped);
        self.values += look.values;
    }
}

/// How well a dialect reads a payload that contains values.
#[cfg(feature = "capture")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fit {
    /// The dialect cannot read the payload.
    None,
    /// The payload is raw bytes to the dialect.
    Bytes,
    /// The dialect reads the payload to its last byte.
    Whole,
}

impl Detector {
    /// Creates a detector that has seen no payloads.
    #[must_use]
    pub fn new() -> Detector {
        Detector::default()
    }

    /// How many payloads it has seen.
    #[must_use]
    pub const fn payloads(&self) -> u32 {
        self.payloads
    }

    /// Adds a payload that should be one value.
    pub fn payload(&mut self, payload: &[u8]) {
        self.sequence(payload, 1);
    }

    /// Adds a payload of values that follow each other. A dialect has read the payload if it reads
    /// values up to the end, or if `limit` is above 1 and it reads that many values. It never reads
    /// more than `limit` values.
    pub fn sequence(&mut self, bytes: &[u8], limit: usize) {
        self.payloads = self.payloads.saturating_add(1);
        for (dialect, read) in CANDIDATES.iter().zip(&mut self.read) {
            let mut rest = bytes;
            let mut values = 0_usize;
            while values < limit {
                let Ok((after, value)) = parse_prefix(*dialect, rest) else { break };
                values += 1;
                rest = after;
                let mut look = ContentCounts::default();
                look.over(value, dialect.flags_width().then_some(&mut self.widths));
                read.add(look);
                if rest.is_empty() {
                    break;
                }
            }
            let is_read = rest.is_empty() || limit > 1 && values == limit;
            read.payloads = read.payloads.saturating_add(u32::from(is_read && values > 0));
            let bytes = bytes.len().saturating_sub(rest.len());
            read.bytes += bytes as u64;
        }
    }

    /// The number of payloads read, summed over the dialects. It grows if any dialect reads a payload.
    #[cfg(feature = "capture")]
    pub(crate) fn reads(&self) -> u32 {
        self.read.iter().fold(0, |sum, read| sum.saturating_add(read.payloads))
    }

    /// Adds a payload that is not a value but contains values. `read` passes on the values that a
    /// dialect finds in it, and returns how well the dialect reads the payload.
    #[cfg(feature = "capture")]
    pub(crate) fn with_values(
        &mut self,
        payload: &[u8],
        mut read: impl FnMut(Dialect, &mut dyn FnMut(VariantRef<'_>)) -> Fit,
    ) {
        self.payloads = self.payloads.saturating_add(1);
        for (dialect, found) in CANDIDATES.iter().zip(&mut self.read) {
            let mut look = ContentCounts { values: 1, mistyped: 0 };
            let widths = &mut self.widths;
            let fit = read(*dialect, &mut |value| {
                look.over(value, dialect.flags_width().then_some(&mut *widths));
            });
            match fit {
                Fit::Whole => {
                    found.payloads = found.payloads.saturating_add(1);
                    found.bytes += payload.len() as u64;
                    found.add(look);
                }
                Fit::Bytes => found.raw = found.raw.saturating_add(1),
                Fit::None => {}
            }
        }
    }

    /// The dialects that can read at least this many payloads. Payloads that are raw bytes to a
    /// dialect count as read, and so does the number that `others` returns for the dialect.
    #[cfg(feature = "capture")]
    pub(crate) fn readers_of(
        &self,
        payloads: u32,
        others: impl Fn(Dialect) -> u32,
    ) -> impl Iterator<Item = Dialect> {
        CANDIDATES.iter().zip(self.read).filter_map(move |(dialect, read)| {
            let read = read.payloads.saturating_add(read.raw).saturating_add(others(*dialect));
            (read >= payloads).then_some(*dialect)
        })
    }

    /// Whether a dialect has read a payload as more than raw bytes.
    #[cfg(feature = "capture")]
    pub(crate) fn has_read(&self, dialect: Dialect) -> bool {
        let mut reads = CANDIDATES.iter().zip(self.read);
        reads.any(|(candidate, read)| *candidate == dialect && read.payloads > 0)
    }

    /// Whether a value of Godot 4 contained reals, so that their width is known.
    #[cfg(feature = "capture")]
    pub(crate) const fn has_seen_reals(&self) -> bool {
        let [has_single, has_double] = self.widths;
        has_single || has_double
    }

    /// Adds what another detector has seen.
    pub fn merge(&mut self, other: &Detector) {
        self.payloads = self.payloads.saturating_add(other.payloads);
        for (read, more) in self.read.iter_mut().zip(&other.read) {
            read.payloads = read.payloads.saturating_add(more.payloads);
            read.bytes += more.bytes;
            read.add(ContentCounts { values: more.values, mistyped: more.mistyped.0 });
            read.raw = read.raw.saturating_add(more.raw);
        }
        for (width, more) in self.widths.iter_mut().zip(other.widths) {
            *width |= more;
        }
    }

    /// The result for the payloads so far.
    #[must_use]
    pub fn detection(&self) -> Detection {
        self.detection_among(|_| true)
    }

    /// The result for the payloads so far, among the dialects that `admits` accepts.
    pub(crate) fn detection_among(&self, admits: impl Fn(Dialect) -> bool) -> Detection {
        let [has_single, has_double] = self.widths;
        let wide = |dialect: Dialect| {
            let is_wide = dialect.flags_width() && has_double && !has_single;
            if is_wide { dialect.with_double_reals() } else { dialect }
        };
        self.best(admits, wide)
    }

    /// The result for the payloads so far, if the engine is known to have reals of eight bytes.
    #[must_use]
    pub fn detection_with_double_reals(&self) -> Detection {
        let reads_double = |dialect: Dialect| dialect.flags_width() || dialect.has_double_reals();
        self.best(reads_double, Dialect::with_double_reals)
    }

    /// The best candidates that `admits` accepts, with the width of their reals from `of_width`.
    fn best(
        &self,
        admits: impl Fn(Dialect) -> bool,
        of_width: impl Fn(Dialect) -> Dialect,
    ) -> Detection {
        let reads = || CANDIDATES.iter().zip(self.read).filter(|(dialect, _)| admits(**dialect));
        let most = reads().map(|(_, read)| read).max().unwrap_or_default();
        let is_best = |read: CandidateRead| read == most && (most.bytes > 0 || most.raw > 0);
        let is_single = |dialect: Dialect| dialect.flags_width() || !dialect.has_double_reals();
        let has_single = reads().any(|(dialect, read)| is_best(read) && is_single(*dialect));
        let mut best = [None; CANDIDATES.len()];
        for ((dialect, read), place) in CANDIDATES.iter().zip(self.read).zip(&mut best) {
            let is_first_choice = is_single(*dialect) || !has_single;
            if admits(*dialect) && is_best(read) && is_first_choice {
                *place = Some(of_width(*dialect));
            }
        }
        Detection { best, most, detector: self.clone() }
    }
}

/// Counts of what a value contains.
#[derive(Clone, Copy, Default)]
struct ContentCounts {
    /// How many values there are that contain no other values.
    values: u64,
    /// How many typed arrays have a first element of another type.
    mistyped: u64,
}

impl ContentCounts {
    /// Counts the content of a value. If `widths` is given, records the widths of its reals there.
    fn over(&mut self, value: VariantRef<'_>, mut widths: Option<&mut [bool; 2]>) {
        let mut stack = WalkStack::new();
        // The element type of an array that has just begun.
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
                self.mistyped += 1;
            }
            // An empty container is a value that contains no others.
            if let Event::Begin(_, container) = event
                && container.is_empty()
            {
                self.values += 1;
            }
            element = match event {
                Event::Begin(_, container) if container.kind() != Kind::Dictionary => {
                    let [element, _] = container.element_types();
                    element
                }
                _ => ElementTypeRef::Any,
            };
            let Event::Value(_, leaf) = event else { continue };
            self.values += 1;
            let Some(widths) = widths.as_deref_mut() else { continue };
            if let ValueBody::Cells(Cell::Real, _) | ValueBody::Packed(Cell::Real, _) =
                leaf.kind().body()
            {
                let [single, double] = widths;
                *(if leaf.is_wide() { double } else { single }) = true;
            }
        }
    }
}

/// The dialect that fits some payloads best, and the reason. `Display` shows both.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Detection {
    /// The dialects that fit best, in the order of preference.
    best: [Option<Dialect>; CANDIDATES.len()],
    most: CandidateRead,
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
    /// How many values it finds there that contain no other values.
    pub values: u64,
}

impl Detection {
    /// The dialect that fits best. It is none if no dialect reads anything, or if several fit equally
    /// well by the rules of the [module](self). [`Detection::best`] lists these, so that the caller
    /// can choose.
    ///
    /// ```
    /// use gdwire::{Dialect, detect::detect, encode};
    ///
    /// // Every dialect writes an int like this.
    /// let seven = encode(Dialect::GODOT_3, &7_i64)?;
    /// let detection = detect([&seven[..]]);
    /// assert_eq!(detection.dialect(), None);
    /// assert_eq!(detection.best().count(), Dialect::ALL.len());
    /// let dialect = detection.best().next().unwrap_or(Dialect::GODOT_4);
    /// # assert_eq!(dialect, Dialect::GODOT_4);
    /// # Ok::<(), gdwire::EncodeError>(())
    /// ```
    #[must_use]
    pub fn dialect(&self) -> Option<Dialect> {
        let mut best = self.best();
        let first = best.next()?;
        best.next().is_none().then_some(first)
    }

    /// All dialects that fit equally well and better than the others. Empty if no dialect reads
    /// anything.
    ///
    /// They are in the order in which a program may prefer them: Godot 4,
    /// Godot 3, Pandemonium 5, Pandemonium 4.
    pub fn best(&self) -> impl Iterator<Item = Dialect> + '_ {
        self.best.iter().filter_map(|dialect| *dialect)
    }

    #[cfg(feature = "capture")]
    pub(crate) const fn detector(&self) -> &Detector {
        &self.detector
    }

    /// How many payloads the dialect reads to their exact length.
    #[cfg(feature = "capture")]
    pub(crate) const fn payloads_read(&self) -> u32 {
        self.most.payloads
    }

    /// How many payloads are raw bytes to the dialect.
    #[cfg(feature = "capture")]
    pub(crate) const fn raw(&self) -> u32 {
        self.most.raw
    }

    /// How many payloads there were.
    #[must_use]
    pub const fn payloads(&self) -> u32 {
        self.detector.payloads
    }

    /// How much each dialect reads, with both widths of reals, in the order of preference. Godot 4 is
    /// listed twice as well, although it reads the same with both widths.
    pub fn candidates(&self) -> impl Iterator<Item = Candidate> + '_ {
        let candidate = |dialect, read: CandidateRead| Candidate {
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

    /// Whether no dialect fits better than this one by the rules 1 to 4.
    #[must_use]
    pub fn is_best(&self, dialect: Dialect) -> bool {
        CANDIDATES
            .iter()
            .zip(self.detector.read)
            .any(|(candidate, read)| read == self.most && candidate.reads_like(dialect))
    }

    /// Whether its first choice stands before that of another detection in the order of preference.
    #[cfg(feature = "capture")]
    pub(crate) fn is_of_more_common(&self, other: &Detection) -> bool {
        let place = |detection: &Detection| {
            let first = detection.best().next()?;
            CANDIDATES.iter().position(|candidate| candidate.engine() == first.engine())
        };
        place(self).zip(place(other)).is_some_and(|(own, other)| own < other)
    }

    /// Whether one of the best dialects differs from this one at most in the width of reals.
    fn has_best(&self, dialect: Dialect) -> bool {
        self.best().any(|best| best.differs_only_in_width(dialect))
    }

    fn write_others(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = self.candidates().filter(|other| {
            // A dialect with double reals is listed only if it reads more or fewer payloads than
            // with single reals.
            let of_family = |it: &Candidate| it.dialect.differs_only_in_width(other.dialect);
            let single = self.candidates().find(of_family);
            !self.has_best(other.dialect)
                && (!other.dialect.has_double_reals()
                    || single.is_some_and(|single| single.payloads != other.payloads))
        });
        let mut separator = " (";
        for other in others {
            write!(f, "{separator}{} {}", other.dialect, other.payloads)?;
            separator = ", ";
        }
        if separator == ", " { f.write_str(")") } else { Ok(()) }
    }
}

impl fmt::Display for Detection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let payloads = self.payloads();
        let noun = if payloads == 1 { "payload" } else { "payloads" };
        let Some(first) = self.best().next() else {
            return write!(f, "unknown dialect: none reads any of {payloads} {noun}");
        };
        write!(f, "{first}")?;
        for other in self.best().skip(1) {
            write!(f, " or {other}")?;
        }
        let is_one = self.dialect().is_some();
        let which = if is_one { "which reads" } else { "which all read" };
        write!(f, ", {which} {} of {payloads} {noun}", self.most.payloads)?;
        self.write_others(f)?;
        let is_tied = |other: &Candidate| {
            !self.has_best(other.dialect) && other.payloads == self.most.payloads
        };
        if self.candidates().any(|other| is_tied(&other)) {
            f.write_str("; of equals, the one that finds the most bytes and values is chosen")?;
        }
        Ok(())
    }
}
