//! Chooses how the messages of a connection are read, also where the evidence does not decide.

use super::finding::{Finding, Layers, Trust};
use super::{Options, Transport};
use crate::value::detect::Detector;
use crate::value::dialect::Dialect;

/// The dialect of a connection if there is no evidence for one.
pub(super) const DEFAULT: Dialect = Dialect::GODOT_4;

/// How the messages of a connection are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) transport: Transport,
    pub(super) layers: Layers,
    pub(super) dialect: Dialect,
    /// Whether at least one packet or message fits the transport.
    pub(super) is_sure: bool,
    /// Whether at least one message of the connection can be read.
    pub(super) is_read: bool,
    pub(super) trust: Trust,
    /// Whether the connection's messages have decided this, and it is not a guess.
    pub(super) is_decided: bool,
}

impl Choice {
    /// The choice for a finding; none if the messages are not from the engines. `common` is the
    /// evidence of the other connections.
    pub(super) fn of(
        finding: &Finding,
        common: &Detector,
        options: &Options<'_>,
    ) -> Option<Choice> {
        let Finding { layers, ref detection, fitting, trust, .. } = *finding;
        let transport = finding.transport?;
        let first = detection.best().next().unwrap_or(DEFAULT);
        // The form of a debugger's messages shows which engines it may be.
        let form = |dialect: Dialect| dialect.engine().has_debugger_arrays();
        let is_possible = |dialect| !layers.is_debugger || form(dialect) == form(first);
        let is_best = |dialect| detection.is_best(dialect) && is_possible(dialect);
        let dialect = dialect((first, layers), is_best, common, options);
        let (is_sure, is_read) = (fitting > 0, finding.read > 0 && trust != Trust::Nothing);
        let is_decided = options.dialect.is_some() || finding.is_decided();
        Some(Choice { transport, layers, dialect, is_sure, is_read, trust, is_decided })
    }

    /// The choice for messages that several dialects read alike. The dialects are in the order of
    /// preference.
    pub(super) fn among(
        dialects: &[Dialect],
        (transport, layers): (Transport, Layers),
        common: &Detector,
        options: &Options<'_>,
    ) -> Choice {
        let first = dialects.first().copied().unwrap_or(DEFAULT);
        let is_best = |dialect: Dialect| dialects.iter().any(|it| it.reads_like(dialect));
        let dialect = dialect((first, layers), is_best, common, options);
        let (is_sure, is_read, trust, is_decided) = (true, true, Trust::Written, false);
        Choice { transport, layers, dialect, is_sure, is_read, trust, is_decided }
    }

    /// Whether both choices read messages in the same way.
    pub(super) fn reads_like(&self, other: &Choice) -> bool {
        (self.transport, self.layers, self.dialect)
            == (other.transport, other.layers, other.dialect)
    }
}

/// The dialect of a connection. If the connection fits several, the other connections decide.
fn dialect(
    (first, layers): (Dialect, Layers),
    is_best: impl Fn(Dialect) -> bool,
    common: &Detector,
    options: &Options<'_>,
) -> Dialect {
    let mut dialect = first;
    let common = common.detection_among(|dialect| options.admits_dialect(dialect));
    if let Some(common) = common.best().next() {
        let is_possible = if layers.has_peers {
            common.engine().has_peer_headers()
        } else {
            !layers.is_multiplayer || common.engine() == dialect.engine()
        };
        if is_possible && !common.differs_only_in_width(dialect) && is_best(common) {
            dialect = common;
        }
    }
    if options.is_double {
        dialect = dialect.with_double_reals();
    }
    options.dialect.unwrap_or(dialect)
}
