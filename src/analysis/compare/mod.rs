//! Compares two recordings: of two builds of a game, of the two sides of one session, or of a session
//! and its repetition.
//!
//! A [`Comparison`] takes the events of both recordings, one after the other, in bounded memory:
//!
//! ```
//! use gdwire::capture::Messages;
//! use gdwire::compare::{Comparison, Which};
//! use gdwire::follow::Options;
//!
//! # let root = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/");
//! let sides = [
//!     (Which::First, std::fs::read(format!("{root}godot4-game-enet-lossy-client-side.pcapng"))?),
//!     (Which::Second, std::fs::read(format!("{root}godot4-game-enet-lossy-server-side.pcapng"))?),
//! ];
//! let mut comparison = Comparison::new();
//! for (which, file) in &sides {
//!     let mut messages = Messages::with_options(file, Options::new().with_measures())?;
//!     while let Some(event) = messages.next_event() {
//!         comparison.event(*which, &event);
//!     }
//! }
//! comparison.find_sides();
//! let sides_of_session = comparison.sides().ok_or("two sessions")?;
//! for way in sides_of_session.ways() {
//!     println!("{} → {}: {} of {}", way.src, way.dst, way.never_arrived, way.messages[0]);
//! }
//! # assert_eq!(sides_of_session.never_arrived(), 19 + 3);
//!
//! // What never arrived is found by reading the recordings once more.
//! for (which, file) in &sides {
//!     let mut messages = Messages::new(file)?;
//!     while let Some(event) = messages.next_event() {
//!         comparison.event_again(*which, &event);
//!     }
//! }
//! for lost in comparison.lost().messages() {
//!     println!("{:?} {}", lost.place.time, lost.text);
//! }
//! # assert_eq!(comparison.lost().messages().len(), 19 + 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Stability
//!
//! Functions and fields of this module may change with every release, as more becomes worth
//! comparing, also without a new major version.

mod changes;
mod clocks;
mod json;
mod log;
mod lost;
mod matching;
mod pairs;
mod repetition;
mod sides;
mod traffic;

pub use changes::{Change, Changes};
pub use clocks::{Clocks, NearEnd};
pub use lost::{LostMessage, LostMessages};
pub use repetition::{Difference, Repetition};
pub use sides::{Delays, Sides, Way};
pub use traffic::{Extent, Rate, Subject};

use crate::capture::follow::{Event, Message, Summary};
use log::{LogLimits, LoggedMessage, MessageLog};
use std::hash::RandomState;
use traffic::RecordingCounts;

/// One of the two recordings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Which {
    /// The first one: the one before, or one side of a session.
    First,
    /// The second one.
    Second,
}

impl Which {
    /// Both, in their order.
    pub const BOTH: [Which; 2] = [Which::First, Which::Second];

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Which {
        match self {
            Which::First => Which::Second,
            Which::Second => Which::First,
        }
    }

    /// The name: `first` or `second`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Which::First => "first",
            Which::Second => "second",
        }
    }

    /// The one of two things that belongs to this recording.
    pub(crate) fn of<T: Copy>(self, things: [T; 2]) -> T {
        *self.of_ref(&things)
    }

    /// Like [`Which::of`], borrowed.
    pub(crate) const fn of_ref<T>(self, [first, second]: &[T; 2]) -> &T {
        match self {
            Which::First => first,
            Which::Second => second,
        }
    }

    /// Like [`Which::of`], with a mutable reference.
    pub(crate) const fn of_mut<T>(self, [first, second]: &mut [T; 2]) -> &mut T {
        match self {
            Which::First => first,
            Which::Second => second,
        }
    }
}

/// How many bytes the messages of both recordings take, by default: 256 MiB.
const ROOM: usize = 256 << 20;

/// How many connections of a recording are compared.
const CONNECTIONS: usize = 1 << 16;

/// Compares two recordings.
#[derive(Clone, Debug)]
pub struct Comparison {
    hasher: RandomState,
    logs: [MessageLog; 2],
    traffics: [RecordingCounts; 2],
    /// None unless a session and its repetition are compared.
    repetition: Option<Box<Repetition>>,
    /// Whether both recordings are known to be of one session.
    is_same_session: bool,
    sides: Option<Sides>,
    lost: LostMessages,
}

impl Default for Comparison {
    fn default() -> Comparison {
        Comparison::new()
    }
}

impl Comparison {
    /// A comparison that has seen nothing. It keeps up to 256 MiB of both recordings.
    #[must_use]
    pub fn new() -> Comparison {
        Comparison::with_max_bytes(ROOM)
    }

    /// A comparison that keeps up to this many bytes of both recordings together.
    #[must_use]
    pub fn with_max_bytes(bytes: usize) -> Comparison {
        let messages = bytes / 2 / size_of::<LoggedMessage>();
        let limits = LogLimits { messages, connections: CONNECTIONS };
        Comparison {
            hasher: RandomState::new(),
            logs: [MessageLog::new(limits), MessageLog::new(limits)],
            traffics: [RecordingCounts::default(), RecordingCounts::default()],
            repetition: None,
            is_same_session: false,
            sides: None,
            lost: LostMessages::default(),
        }
    }

    /// Also compares the recordings as a session and its repetition.
    #[must_use]
    pub fn with_repetition(self) -> Comparison {
        Comparison { repetition: Some(Box::default()), ..self }
    }

    /// Takes the recordings as those of one session, because that is known: connections that may be
    /// the same then count as the same.
    #[must_use]
    pub fn with_same_session(self) -> Comparison {
        Comparison { is_same_session: true, ..self }
    }

    /// Collects the ids of clients from a message of a recording and its repetition, before all its
    /// messages are taken. Otherwise each id is known from the first message of its client on.
    pub fn collect_peers(&mut self, which: Which, message: &Message<'_>) {
        if let Some(repetition) = &mut self.repetition {
            repetition.collect_peers(which, message);
        }
    }

    /// Takes an event of a recording.
    pub fn event(&mut self, which: Which, event: &Event<'_>) {
        match event {
            Event::Opened(summary) | Event::Recognized(summary) | Event::Closed(summary) => {
                self.connection(which, summary);
            }
            Event::Message(message) => self.message(which, message),
            _ => {}
        }
    }

    /// Takes a connection of a recording, or updates it.
    pub fn connection(&mut self, which: Which, summary: &Summary) {
        which.of_mut(&mut self.logs).connection(summary);
    }

    /// Takes a message of a recording.
    pub fn message(&mut self, which: Which, message: &Message<'_>) {
        which.of_mut(&mut self.logs).message(message, &self.hasher);
        which.of_mut(&mut self.traffics).message(message);
        if let Some(repetition) = &mut self.repetition {
            repetition.message(which, message);
        }
    }

    /// Takes a message of a recording that is not selected. It may be missing in the other recording,
    /// but is not reported.
    pub fn note(&mut self, which: Which, message: &Message<'_>) {
        which.of_mut(&mut self.traffics).is_whole = false;
        which.of_mut(&mut self.logs).message(message, &self.hasher);
    }

    /// Says that only messages of a period were taken, in nanoseconds since 1970, so that rates are
    /// those of this period.
    pub const fn limit_to(&mut self, which: Which, period: [Option<i64>; 2]) {
        which.of_mut(&mut self.traffics).limit_to(period);
    }

    /// The comparison of two builds: the traffic of both recordings, per second and client.
    #[must_use]
    pub fn changes(&self) -> Changes {
        Changes::compare(self.traffics.each_ref(), self.logs.each_ref())
    }

    /// The comparison of a session with its repetition; none unless that was requested.
    #[must_use]
    pub fn repetition(&self) -> Option<&Repetition> {
        self.repetition.as_deref()
    }

    /// Finds out whether both recordings are of one session, after all their events were taken, and
    /// compares its sides.
    pub fn find_sides(&mut self) {
        self.sides = Sides::compare(self.logs.each_ref(), self.is_same_session);
    }

    /// The two sides of one session; none if the recordings are of two sessions.
    #[must_use]
    pub const fn sides(&self) -> Option<&Sides> {
        self.sides.as_ref()
    }

    /// Whether a recording has messages that never arrived, or that its repetition lacks, so that it is worth reading again.
    #[must_use]
    pub fn has_more(&self, which: Which) -> bool {
        if let Some(repetition) = &self.repetition {
            return repetition.has_more(which);
        }
        self.sides.as_ref().is_some_and(|sides| !which.of_ref(&sides.lost).is_empty())
    }

    /// Takes an event of a recording that is read again, in the same way as before, to find the
    /// messages that never arrived.
    pub fn event_again(&mut self, which: Which, event: &Event<'_>) {
        if let Event::Message(message) = event {
            self.message_again(which, message);
        }
    }

    /// Takes a message of a recording that is read again.
    pub fn message_again(&mut self, which: Which, message: &Message<'_>) {
        if let Some(repetition) = &mut self.repetition {
            repetition.message_again(which, message);
        }
        self.find_lost(which, message, true);
    }

    /// Takes a message of a recording that is read again, and that is not selected.
    pub fn note_again(&mut self, which: Which, message: &Message<'_>) {
        self.find_lost(which, message, false);
    }

    fn find_lost(&mut self, which: Which, message: &Message<'_>, is_selected: bool) {
        let Some(sides) = &self.sides else { return };
        let known = (sides, which.of_ref(&self.logs), &self.hasher);
        self.lost.message(which, message, is_selected, known);
    }

    /// Sorts the messages that never arrived by the time at which they were sent.
    pub fn sort_lost(&mut self) {
        self.lost.sort(self.sides.as_ref().map_or(0, |sides| sides.clocks().offset));
    }

    /// The messages that never arrived, as far as the recordings were read again.
    #[must_use]
    pub const fn lost(&self) -> &LostMessages {
        &self.lost
    }

    /// How many messages of a recording are selected.
    #[must_use]
    pub fn selected_messages(&self, which: Which) -> u64 {
        which.of_ref(&self.traffics).messages()
    }

    /// How many messages of a recording were not compared, because they would take too much memory.
    #[must_use]
    pub const fn further_messages(&self, which: Which) -> u64 {
        which.of_ref(&self.logs).further_messages
    }

    /// How many connections of a recording were not compared, because there are too many.
    #[must_use]
    pub const fn further_connections(&self, which: Which) -> u64 {
        which.of_ref(&self.logs).further_connections
    }
}
