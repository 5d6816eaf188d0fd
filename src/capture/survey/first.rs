//! Runs the survey: examines the first packets of all flows in one pass, within the limits.

use super::Traffic;
use super::flows::{Flows, Known};
use super::opened::{Decompressor, Opened};
use super::sample::Sample;
use crate::capture::table::Table;
use crate::capture::{Capture, Defragmenter, Flow, Options, Packet, Payload};
use crate::net::{Side, enet};

pub(super) struct FirstLook<'l, 'o> {
    flows: Flows,
    options: &'l Options<'o>,
    /// The flows that are still being examined.
    open: Table<Sample>,
}

impl<'l, 'o> FirstLook<'l, 'o> {
    /// Examines a file and decides how each of its flows is read.
    pub(super) fn at(file: &[u8], options: &'l Options<'o>) -> Flows {
        let flows = Flows::new(options.limits.flows);
        let mut look = FirstLook { flows, options, open: Table::new(options.limits) };
        let mut fragments = Defragmenter::with_limit(options.limits.fragments());
        let mut scratch = enet::Scratch::default();
        let mut decompressor = Decompressor::default();
        let packets = Capture::new(file).into_iter().flatten().map_while(Result::ok);
        for packet in packets {
            let payload = match packet.payload() {
                Payload::Fragment(fragment) => {
                    fragments.push(packet.frame, packet.time, &fragment, &mut |_| {})
                }
                payload => Some(payload),
            };
            match payload {
                Some(Payload::Udp(datagram)) => {
                    let (flow, from) = Flow::of(false, datagram.src, datagram.dst);
                    let len = datagram.payload.len().saturating_add(datagram.missing);
                    let opens = |opened: &mut Opened, before| {
                        opened.datagram((from, before), &datagram, &mut decompressor)
                    };
                    look.look((flow, from), (&packet, len), opens, |sample| {
                        if let Sample::Udp(sample) = sample {
                            sample.datagram(from, &datagram, &mut scratch, &options.limits);
                        }
                    });
                }
                Some(Payload::Tcp(segment)) => {
                    let (flow, from) = Flow::of(true, segment.src, segment.dst);
                    let len = segment.payload.len().saturating_add(segment.missing);
                    let opens = |opened: &mut Opened, _| opened.segment(from, &segment);
                    look.look((flow, from), (&packet, len), opens, |sample| {
                        if let Sample::Tcp(sample) = sample {
                            sample.segment(from, &segment);
                        }
                    });
                }
                _ => {}
            }
            // Flows that hold the most are decided by what has been seen of them so far.
            while let Some((flow, sample)) = look.open.take_excess(fragments.held_bytes()) {
                look.decide(flow, sample);
            }
        }
        while let Some((flow, sample)) = look.open.take_oldest() {
            look.decide(flow, sample);
        }
        look.flows
    }

    fn look(
        &mut self,
        (flow, from): (Flow, Side),
        (packet, len): (&Packet<'_>, usize),
        opens: impl FnOnce(&mut Opened, u64) -> bool,
        look: impl FnOnce(&mut Sample),
    ) {
        let (src, dst) = flow.from(from);
        if self.options.excludes(&flow) || !self.options.admits(src, dst) {
            return;
        }
        let mut opened = Opened::default();
        let known = match self.flows.get(flow) {
            Some(known) => {
                let is_again = opens(&mut known.opened, known.traffic.packets);
                opened = known.opened;
                // A connection without messages loses nothing if the next one is taken for it.
                let has_messages = || self.open.get(&flow).is_none_or(Sample::has_messages);
                let has_begun = |bytes: u64| if flow.is_tcp() { bytes > 0 } else { has_messages() };
                if is_again && has_begun(known.traffic.bytes) { None } else { Some(known) }
            }
            None => {
                opens(&mut opened, 0);
                None
            }
        };
        let is_open = match known {
            Some(known) => {
                known.last = packet.frame;
                known.traffic.add(packet.time, len);
                known.finding.is_none()
            }
            None => {
                self.begin(flow, opened, (packet, len));
                self.options.limits.flows > 0
            }
        };
        if !is_open {
            return;
        }
        let mut is_enough = false;
        let new = || Some(Sample::new(flow.is_tcp(), &self.options.limits));
        self.open.update(flow, new, |sample| {
            look(sample);
            is_enough = sample.is_enough();
        });
        if is_enough && let Some(sample) = self.open.take(&flow) {
            self.decide(flow, sample);
        }
    }

    /// Starts a connection, which may be a further one of its flow.
    fn begin(&mut self, flow: Flow, opened: Opened, (packet, len): (&Packet<'_>, usize)) {
        if let Some(sample) = self.open.take(&flow) {
            self.decide(flow, sample);
        }
        self.flows.close(flow);
        let FirstLook { flows, options, open } = self;
        let (first, last) = (packet.frame, packet.frame);
        let mut known = Known { first, last, traffic: Traffic::default(), opened, finding: None };
        known.traffic.add(packet.time, len);
        flows.insert(flow, known, |flow| open.take(flow).map(|sample| sample.decide(options)));
    }

    fn decide(&mut self, flow: Flow, sample: Sample) {
        self.flows.found(flow, sample.decide(self.options));
    }
}
