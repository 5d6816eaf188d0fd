//! The last messages and their packets, kept so that one of them can be explained byte by byte.

use crate::decode::HexRows;
use crate::terminal::Styles;
use gdwire::explain::Recent;
use gdwire::follow::{Batch, Event, Events};
use gdwire::packet::CapturedPacket;
use std::collections::VecDeque;

/// How many bytes of packets and of messages are kept.
const PACKETS: usize = 16 << 20;
const MESSAGES: usize = 16 << 20;

/// The size of a batch. The oldest batch is dropped as a whole.
const BATCH: usize = 256 << 10;

pub struct KeptPackets {
    packets: Recent,
    /// Messages, and the number of the first one in each batch.
    batches: VecDeque<(u64, Batch)>,
    /// The bytes of the batches that are full.
    bytes: usize,
}

impl KeptPackets {
    pub fn new() -> KeptPackets {
        KeptPackets { packets: Recent::new(PACKETS), batches: VecDeque::new(), bytes: 0 }
    }

    /// Forgets everything, because another capture begins.
    pub fn clear(&mut self) {
        *self = KeptPackets::new();
    }

    pub fn packet(&mut self, packet: &CapturedPacket<'_>) {
        self.packets.note(packet);
    }

    /// Keeps the event that was returned last, which is the message with this number. The numbers are
    /// consecutive.
    pub fn message(&mut self, number: u64, events: &Events<'_, '_>) {
        if self.batches.back().is_none_or(|(_, batch)| batch.is_full()) {
            let full = self.batches.back().map_or(0, |(_, batch)| batch.held_bytes());
            self.bytes = self.bytes.saturating_add(full);
            while self.bytes > MESSAGES
                && let Some((_, oldest)) = self.batches.pop_front()
            {
                self.bytes = self.bytes.saturating_sub(oldest.held_bytes());
            }
            self.batches.push_back((number, Batch::new(BATCH)));
        }
        if let Some((_, batch)) = self.batches.back_mut() {
            events.keep(batch);
        }
    }

    /// The lines that explain a message, cut to a width; none if it is no longer kept.
    pub fn explain(&self, number: u64, styles: Styles, columns: usize) -> Option<Vec<String>> {
        let after = self.batches.partition_point(|(first, _)| *first <= number);
        let (first, batch) = self.batches.get(after.checked_sub(1)?)?;
        let place = usize::try_from(number.checked_sub(*first)?).ok()?;
        let Event::Message(message) = batch.get(place)? else { return None };
        let mut out = Vec::new();
        let mut rows = HexRows { out: &mut out, styles, columns };
        // Writing to memory does not fail.
        rows.message(&message, &self.packets).ok()?;
        let text = String::from_utf8_lossy(&out);
        Some(text.lines().map(str::to_owned).collect())
    }
}
