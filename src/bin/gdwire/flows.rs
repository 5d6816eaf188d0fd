//! Which dialect the flows of a capture are of.

use crate::args::Filters;
use crate::sample;
use gdwire::Dialect;
use gdwire::capture::{Capture, Datagram, Payload};
use gdwire::detect::{Detection, Detector};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::SocketAddr;

/// How many flows are told apart: those that come later are read as most of the others.
const FLOWS: usize = 1 << 16;

/// The two ends of a flow, the lesser first: it is one flow in both directions.
type Ends = (SocketAddr, SocketAddr);

fn ends(datagram: &Datagram<'_>) -> Ends {
    (datagram.src.min(datagram.dst), datagram.src.max(datagram.dst))
}

/// The dialects of a capture's flows.
pub(crate) struct Flows {
    places: HashMap<Ends, usize>,
    flows: Vec<(Ends, Detector)>,
    all: Detection,
    /// Whether reals are known to have eight bytes.
    is_double: bool,
}

impl Flows {
    /// Looks at the first values of every flow.
    pub(crate) fn of(file: &[u8], filters: &Filters, is_double: bool) -> Flows {
        let mut places = HashMap::new();
        let mut flows: Vec<(Ends, Detector)> = Vec::new();
        let packets = Capture::new(file).into_iter().flatten().filter_map(Result::ok);
        for packet in packets {
            let Payload::Udp(datagram) = packet.payload() else { continue };
            if datagram.missing > 0 || !filters.admits(datagram.src, datagram.dst) {
                continue;
            }
            let ends = ends(&datagram);
            let place = match places.entry(ends) {
                Entry::Occupied(place) => *place.get(),
                Entry::Vacant(_) if flows.len() == FLOWS => continue,
                Entry::Vacant(place) => {
                    flows.push((ends, Detector::new()));
                    *place.insert(flows.len() - 1)
                }
            };
            if let Some((_, detector)) = flows.get_mut(place)
                && detector.payloads() < sample::VALUES
            {
                detector.payload(datagram.payload);
            }
        }
        let mut all = Detector::new();
        flows.iter().for_each(|(_, detector)| all.merge(detector));
        Flows { places, flows, all: sample::detection(&all, is_double), is_double }
    }

    /// The dialect of the flow that a datagram is of.
    pub(crate) fn dialect(&self, datagram: &Datagram<'_>) -> Dialect {
        let place = self.places.get(&ends(datagram)).and_then(|place| self.flows.get(*place));
        place.map_or(self.all.dialect(), |(_, detector)| self.choose(&self.detection(detector)))
    }

    fn detection(&self, detector: &Detector) -> Detection {
        sample::detection(detector, self.is_double)
    }

    /// What a flow does not tell, the others may.
    fn choose(&self, flow: &Detection) -> Dialect {
        let common = self.all.dialect();
        if flow.is_best(common) && common.name() != flow.dialect().name() {
            common
        } else {
            flow.dialect()
        }
    }

    /// What was chosen for each flow, and why.
    pub(crate) fn reasons(&self) -> impl Iterator<Item = String> + '_ {
        self.flows.iter().map(|((one, other), detector)| {
            let detection = self.detection(detector);
            let chosen = self.choose(&detection);
            if chosen == detection.dialect() {
                return format!("{one} and {other}: {detection}");
            }
            format!(
                "{one} and {other}: {chosen}, as most of the capture, which reads as much as \
                     {detection}"
            )
        })
    }
}
