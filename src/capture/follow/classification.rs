//! The transport and content that a connection was found to have, and how its messages are read, also where the evidence does not
//! decide.

use super::{DialectEvidence, Options, Transport};
use crate::value::Dialect;
use crate::value::detect::{Detection, Detector};

/// The layers around the values of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Layers {
    /// Whether the ids of the sender and the receiver precede each message, as the multiplayer
    /// peers of Godot 3 and Pandemonium send them.
    pub has_peers: bool,
    /// Whether the messages are packets of the high-level multiplayer API.
    pub is_multiplayer: bool,
    /// Whether the messages are those of the remote debugger.
    pub is_debugger: bool,
}

/// This many messages are enough to compare how many values two dialects find in them.
const MANY: u32 = 8;

/// The messages that count as values, among those that can be read as a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trust {
    /// None: so few of the connection's messages can be read that these are values by chance.
    Nothing,
    /// Those that an engine writes like this.
    Written,
    /// All.
    Everything,
}

impl Trust {
    /// The trust if some of the connection's messages can be read. In recorded games, nearly all
    /// can. Among 64 messages of 16 bytes of another program, 16 may be values by chance.
    pub const fn of(read: u32, messages: u32) -> Trust {
        if read.saturating_mul(2) >= messages {
            Trust::Everything
        } else if read.saturating_mul(4) > messages {
            Trust::Written
        } else {
            Trust::Nothing
        }
    }
}

/// The transport and content that a connection was found to have.
#[derive(Clone)]
pub struct Classification {
    /// None if its messages are not from the engines, as far as can be seen.
    pub transport: Option<Transport>,
    pub decision: Decision,
    /// How many packets or messages fit the transport, and how many were examined.
    pub fitting: u32,
    pub trust: Trust,
    pub seen: u32,
}

/// How most of the messages can be read.
#[derive(Clone)]
pub struct Decision {
    pub layers: Layers,
    pub detection: Detection,
    /// How many of them.
    pub read: u32,
    /// Another way to read as many, which is less common. Few connections have one.
    pub tied: Option<Box<(Layers, Detection)>>,
}

impl Decision {
    /// The decision for a connection without messages.
    pub fn nothing() -> Decision {
        let detection = Detector::new().detection();
        Decision { layers: Layers::default(), detection, read: 0, tied: None }
    }

    /// How far messages are trusted, of which there are this many. If the user named the transport, those
    /// that can be read are not there by chance.
    pub fn trust(&self, messages: u32, is_named: bool) -> Trust {
        match Trust::of(self.read, messages) {
            Trust::Nothing if is_named => Trust::Written,
            trust => trust,
        }
    }
}

impl Classification {
    /// The finding for a connection without messages.
    pub fn nothing() -> Classification {
        let (decision, trust) = (Decision::nothing(), Trust::Everything);
        Classification { transport: None, decision, fitting: 0, trust, seen: 0 }
    }

    /// If the messages can be read in two ways, the other connections decide. `common` is their
    /// evidence.
    pub fn among(mut self, common: &DialectEvidence) -> Classification {
        let Decision { layers, detection, tied, .. } = &mut self.decision;
        if let Some(tied) = tied
            && let Some(common) = common.with(|common| common.detection().best().next())
            && tied.1.is_best(common)
            && !detection.is_best(common)
        {
            (*layers, *detection) = (**tied).clone();
        }
        self
    }

    /// Whether the messages themselves show in which dialect they are. Dialects that differ only in
    /// the width of reals count as one. Among few messages, it is no evidence that a dialect finds
    /// more values in them than another one that reads them as well.
    pub fn is_decided(&self) -> bool {
        let Decision { detection, tied, .. } = &self.decision;
        let mut best = detection.best();
        let Some(first) = best.next() else { return false };
        let is_other = |it: Dialect| !first.differs_only_in_width(it);
        let most = detection.payloads_read();
        let mut candidates = detection.candidates();
        let is_known = detection.payloads() >= MANY
            || !candidates.any(|it| it.payloads >= most && is_other(it.dialect));
        tied.is_none() && is_known && !best.any(is_other)
    }
}

/// The dialect of a connection if there is no evidence for one.
pub const DEFAULT: Dialect = Dialect::GODOT_4;

/// How the messages of a connection are read.
#[derive(Clone, Copy, Debug)]
pub struct Decoding {
    pub transport: Transport,
    pub layers: Layers,
    pub dialect: Dialect,
    /// Whether at least one packet or message fits the transport.
    pub is_sure: bool,
    /// Whether at least one message of the connection can be read.
    pub is_read: bool,
    pub trust: Trust,
    /// Whether the connection's messages have decided this, and it is not a guess.
    pub is_decided: bool,
}

impl Decoding {
    /// How a connection with this classification is read; none if the messages are not from the engines. `common` is the
    /// evidence of the other connections.
    pub fn of(
        classification: &Classification,
        common: &DialectEvidence,
        options: &Options<'_>,
    ) -> Option<Decoding> {
        let Classification { transport, ref decision, fitting, trust, .. } = *classification;
        let Decision { layers, ref detection, read, .. } = *decision;
        let transport = transport?;
        let first = detection.best().next().unwrap_or(DEFAULT);
        // The form of a debugger's messages shows which engines it may be.
        let form = |dialect: Dialect| dialect.engine().has_debugger_arrays();
        let is_possible = |dialect| !layers.is_debugger || form(dialect) == form(first);
        let is_best = |dialect| detection.is_best(dialect) && is_possible(dialect);
        let dialect = dialect(first, layers, is_best, common, options);
        let (is_sure, is_read) = (fitting > 0, read > 0 && trust != Trust::Nothing);
        let is_decided = options.dialect.is_some() || classification.is_decided();
        Some(Decoding { transport, layers, dialect, is_sure, is_read, trust, is_decided })
    }

    /// How messages are read that several dialects read alike. The dialects are in the order of
    /// preference.
    pub fn among(
        dialects: &[Dialect],
        transport: Transport,
        layers: Layers,
        common: &DialectEvidence,
        options: &Options<'_>,
    ) -> Decoding {
        let first = dialects.first().copied().unwrap_or(DEFAULT);
        let is_best = |dialect: Dialect| dialects.iter().any(|it| it.reads_like(dialect));
        let dialect = dialect(first, layers, is_best, common, options);
        let (is_sure, is_read, trust, is_decided) = (true, true, Trust::Written, false);
        Decoding { transport, layers, dialect, is_sure, is_read, trust, is_decided }
    }

    /// Whether both choices read messages in the same way.
    pub fn reads_like(&self, other: &Decoding) -> bool {
        (self.transport, self.layers, self.dialect)
            == (other.transport, other.layers, other.dialect)
    }
}

/// The dialect of a connection. If the connection fits several, the other connections decide.
fn dialect(
    first: Dialect,
    layers: Layers,
    is_best: impl Fn(Dialect) -> bool,
    common: &DialectEvidence,
    options: &Options<'_>,
) -> Dialect {
    let mut dialect = first;
    let is_possible = |common: Dialect| {
        let is_possible = if layers.has_peers {
            common.engine().has_peer_headers()
        } else {
            !layers.is_multiplayer || common.engine() == first.engine()
        };
        is_possible && !common.differs_only_in_width(first) && is_best(common)
    };
    // If only one dialect is possible, the evidence is not needed, for which others may have to wait.
    let mut others = Dialect::CANDIDATES.iter().flat_map(|it| [*it, it.with_double_reals()]);
    if others.any(&is_possible) {
        let admits = |dialect| options.admits_dialect(dialect);
        let common = common.with(|common| common.detection_among(admits).best().next());
        dialect = common.filter(|common| is_possible(*common)).unwrap_or(first);
    }
    if options.is_double {
        dialect = dialect.with_double_reals();
    }
    options.dialect.unwrap_or(dialect)
}
