//! The first look at every flow, all at once and within the limits.

use super::sample::Sample;
use super::{Known, State, Survey, Traffic};
use crate::capture::table::{Held, Table};
use crate::capture::{Capture, Defragmenter, Flow, Options, Packet, Payload};
use crate::net::{Side, enet};
use hashbrown::hash_map::Entry;

pub(super) struct FirstLook<'l, 'o> {
    survey: Survey,
    options: &'l Options<'o>,
    /// What is looked at.
    open: Table<Open>,
}

struct Open {
    /// Where the flow is in the survey.
    place: usize,
    sample: Sample,
}

impl Held for Open {
    fn held(&self) -> usize {
        self.sample.held()
    }
}

impl<'l, 'o> FirstLook<'l, 'o> {
    /// Looks at a file: every flow in it is found to be something.
    pub(super) fn at(file: &[u8], options: &'l Options<'o>) -> Survey {
        let (survey, open) = (Survey::default(), Table::new(options.limits));
        let mut look = FirstLook { survey, options, open };
        let mut fragments = Defragmenter::with_limit(options.limits.fragments());
        let mut scratch = enet::Scratch::default();
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
                    let flow = Flow::of(false, datagram.src, datagram.dst);
                    let len = datagram.payload.len().saturating_add(datagram.missing);
                    look.look(flow, (&packet, len), |sample, from| {
                        if let Sample::Udp(sample) = sample {
                            sample.datagram(from, &datagram, &mut scratch, &options.limits);
                        }
                    });
                }
                Some(Payload::Tcp(segment)) => {
                    let flow = Flow::of(true, segment.src, segment.dst);
                    let len = segment.payload.len().saturating_add(segment.missing);
                    look.look(flow, (&packet, len), |sample, from| {
                        if let Sample::Tcp(sample) = sample {
                            sample.segment(from, &segment);
                        }
                    });
                }
                _ => {}
            }
            // Those that hold the most are decided by what has been seen of them.
            while let Some((_, open)) = look.open.take_excess(fragments.held_bytes()) {
                look.decide(open);
            }
        }
        while let Some((_, open)) = look.open.take_oldest() {
            look.decide(open);
        }
        look.survey
    }

    fn look(
        &mut self,
        (flow, from): (Flow, Side),
        (packet, len): (&Packet<'_>, usize),
        look: impl FnOnce(&mut Sample, Side),
    ) {
        let FirstLook { survey, options, open } = self;
        let (src, dst) = flow.from(from);
        if options.excludes(&flow) || !options.admits(src, dst) {
            return;
        }
        let place = match survey.places.entry(flow) {
            Entry::Occupied(place) => *place.get(),
            Entry::Vacant(_) if survey.flows.len() >= options.limits.flows => {
                survey.beyond = survey.beyond.saturating_add(1);
                return;
            }
            Entry::Vacant(place) => {
                let traffic = Traffic::default();
                survey.flows.push(Known { flow, traffic, state: State::Open });
                *place.insert(survey.flows.len().saturating_sub(1))
            }
        };
        let Some(known) = survey.flows.get_mut(place) else { return };
        known.traffic.add(packet.time, len);
        if !matches!(known.state, State::Open) {
            return;
        }
        let mut is_enough = false;
        let new = || Some(Open { place, sample: Sample::new(flow.is_tcp(), &options.limits) });
        open.update(flow, new, |open| {
            look(&mut open.sample, from);
            is_enough = open.sample.is_enough();
        });
        if is_enough && let Some(open) = open.take(&flow) {
            self.decide(open);
        }
    }

    fn decide(&mut self, Open { place, sample }: Open) {
        if let Some(known) = self.survey.flows.get_mut(place) {
            known.state = State::Found(Box::new(sample.decide(self.options)));
        }
    }
}
