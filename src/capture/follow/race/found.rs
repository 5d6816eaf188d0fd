//! What one of the readers in a race has found.

use super::kept::{Bytes, Finds};
use super::looks::Looks;
use crate::capture::follow::Transport;
use crate::capture::follow::carried::Carried;
use crate::capture::follow::place::Place;
use crate::net::Side;

/// What the reader of a transport has found, and the statistics of its messages.
pub(super) struct Found {
    pub(super) transport: Transport,
    pub(super) looks: Looks,
    pub(super) finds: Finds,
}

impl Found {
    pub(super) fn new(transport: Transport) -> Found {
        Found { transport, looks: Looks::default(), finds: Finds::default() }
    }

    /// Examines what the reader delivers, and keeps it.
    pub(super) fn take(
        &mut self,
        from: Side,
        place: Place,
        carried: Carried<'_>,
        bytes: &mut Bytes,
    ) {
        self.looks.look_at(self.transport, &carried);
        self.finds.push(from, place, carried, bytes);
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.looks.heap_bytes().saturating_add(self.finds.heap_bytes())
    }
}
