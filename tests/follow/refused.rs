//! Each datagram that is not read because of a limit is a loss.

use crate::common::unhex;
use crate::follow::waiting::ends;
use gdwire::follow::{Cause, Event, Follower, Place};
use gdwire::net::enet::{LossReason, LostMessage};
use gdwire::packet::UdpDatagram;

/// A connect command of ENet.
pub(crate) const CONNECT: &str = "8fff000082ff00010000ffff0000057000010000000000ff\
    0000000000000000000013880000000200000002000000070000004d";

/// An unsequenced message of 4,000 zeros, as ENet compresses it.
const ZEROS: &str = "c000000949b7496d446c1675f67ae9b0437b41876e747752c9";

#[test]
fn datagrams_that_take_too_much_work_to_decompress_are_lost() {
    let mut follower = Follower::new();
    let (src, dst) = ends();
    let (connect, zeros) = (unhex(CONNECT), unhex(ZEROS));
    let mut lost = Vec::new();
    let mut others = 0;
    for (payload, number) in [&connect, &zeros, &zeros, &zeros].into_iter().zip(1..) {
        let datagram = UdpDatagram::new(src, dst, payload);
        let events = follower.datagram(Place::new(number), &datagram);
        events.for_each(|event| match event {
            Event::Lost(loss) => lost.push((loss.place.frame, loss.cause)),
            Event::Other(_) => others += 1,
            _ => {}
        });
    }
    follower.finish().for_each(|event| match event {
        Event::Lost(loss) => lost.push((loss.place.frame, loss.cause)),
        Event::Other(_) => others += 1,
        _ => {}
    });
    assert_eq!((lost.len(), others), (3, 0), "{lost:?}");
    for (_, cause) in lost {
        assert!(matches!(cause, Cause::Enet(LostMessage { reason: LossReason::Work, .. })));
        assert!(cause.to_string().contains("too much work"), "{cause}");
    }
}
