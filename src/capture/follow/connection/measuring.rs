//! The measurements of a connection, for its summary and for the memory limits.

use super::{Connection, State};
use crate::capture::follow::summary::Summary;
use crate::net::{Measures, Side};

impl Connection {
    /// The summary of the connection, with the measurements so far.
    pub(crate) fn summarized(&self) -> Summary {
        let mut summary = self.summary.clone();
        for from in [Side::First, Side::Second] {
            let measured = match (&self.state, &self.meter) {
                (State::Datagrams { reader, .. }, _) => reader.measures(from),
                (_, meter) => meter.as_ref().map(|meter| meter.measures(from)),
            };
            if let Some(measures) = &mut summary.direction_mut(from).measures
                && let Some(measured) = measured
            {
                let sizes = core::mem::take(&mut measures.sizes);
                let packets_over_time = measures.packets_over_time.clone();
                **measures = Measures { sizes, packets_over_time, ..measured.clone() };
            }
        }
        summary
    }

    /// About how many bytes the measurements take, except those of a reader for datagrams, which
    /// counts them itself.
    pub(super) fn measured_bytes(&self) -> usize {
        let meter = self.meter.as_deref();
        let meter = meter.map_or(0, |it| size_of_val(it).saturating_add(it.heap_bytes()));
        meter.saturating_add(self.summary.heap_bytes())
    }
}
