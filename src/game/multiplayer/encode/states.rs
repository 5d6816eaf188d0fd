//! Writes the states of synchronizers.

use super::{
    ArgumentEncoder, ArgumentPacking, EncodeArguments, MeasuredValues, PacketEncodeError,
    PacketEncodeProblem, PacketPart, finish, short_id, word,
};
use crate::game::multiplayer::grammar::TOP_BIT;
use crate::game::multiplayer::packet::{State, States, Synchronizer};
use crate::value::Dialect;
use crate::write::encode::Sink;

/// Writes the states of one packet: see [`PacketEncoder::sync`](super::PacketEncoder::sync) and
/// [`PacketEncoder::delta`](super::PacketEncoder::delta).
///
/// ```
/// use gdwire::Dialect;
/// use gdwire::multiplayer::{MultiplayerProtocol, PacketEncoder, Synchronizer};
///
/// let encoder = PacketEncoder::new(MultiplayerProtocol::Godot4, Dialect::GODOT_4);
/// let mut states = encoder.sync(5, Vec::new())?;
/// states.state(Synchronizer::NetId(2), &(100, true))?;
/// let packet = states.finish()?;
/// assert_eq!(packet, [6, 5, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 100, 0x81]);
/// # Ok::<(), gdwire::multiplayer::PacketEncodeError>(())
/// ```
#[derive(Debug)]
pub struct StateEncoder<S> {
    sink: S,
    dialect: Dialect,
    is_delta: bool,
    is_empty: bool,
}

impl<S: Sink> StateEncoder<S> {
    pub(super) const fn new(dialect: Dialect, is_delta: bool, sink: S) -> StateEncoder<S> {
        StateEncoder { sink, dialect, is_delta, is_empty: true }
    }

    /// Writes the state of a synchronizer that sends all properties: the values in order.
    ///
    /// # Errors
    ///
    /// An error if a value cannot be encoded, or if the packet is a delta.
    pub fn state<A: EncodeArguments + ?Sized>(
        &mut self,
        synchronizer: Synchronizer,
        values: &A,
    ) -> Result<(), PacketEncodeError> {
        self.any(synchronizer, None, values)
    }

    /// Writes the properties of a synchronizer that changed: `changed` has one bit for each of its
    /// watched properties, from the lowest.
    ///
    /// # Errors
    ///
    /// An error if a value cannot be encoded, or if the packet is not a delta.
    pub fn changed<A: EncodeArguments + ?Sized>(
        &mut self,
        synchronizer: Synchronizer,
        changed: u64,
        values: &A,
    ) -> Result<(), PacketEncodeError> {
        self.any(synchronizer, Some(changed), values)
    }

    fn any<A: EncodeArguments + ?Sized>(
        &mut self,
        synchronizer: Synchronizer,
        changed: Option<u64>,
        values: &A,
    ) -> Result<(), PacketEncodeError> {
        let part = PacketPart::State;
        if changed.is_some() != self.is_delta {
            return Err(PacketEncodeProblem::OtherState { is_delta: self.is_delta }.at(part));
        }
        let id = match synchronizer {
            Synchronizer::NetId(id) => short_id(part, id)?,
            Synchronizer::PathId(id) => short_id(part, id)? | TOP_BIT,
        };
        let packing = ArgumentPacking::Compressed;
        let measured = MeasuredValues::of(self.dialect, packing, values)?;
        let size = word(part, measured.size)?;
        self.sink.put(&id.to_le_bytes());
        if let Some(changed) = changed {
            self.sink.put(&changed.to_le_bytes());
        }
        self.sink.put(&size.to_le_bytes());
        self.is_empty = false;
        values.encode_arguments(&mut ArgumentEncoder::new(self.dialect, packing, &mut self.sink))
    }

    /// Writes states that were read.
    pub(super) fn all(&mut self, states: &States<'_>) -> Result<(), PacketEncodeError> {
        states.iter().try_for_each(|State { synchronizer, changed, values }| {
            self.any(synchronizer, changed, &values)
        })
    }

    /// Ends the packet, and returns the sink.
    ///
    /// # Errors
    ///
    /// An error if there was no state, or if the sink has no room for the packet.
    pub fn finish(self) -> Result<S, PacketEncodeError> {
        if self.is_empty {
            return Err(PacketEncodeProblem::Empty.at(PacketPart::State));
        }
        finish(self.sink)
    }
}
