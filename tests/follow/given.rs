//! The events of a follower, kept to be compared.

use gdwire::capture::{Capture, Messages};
use gdwire::follow::{Closed, Content, Direction, Event, Follower, Peers, Place, Transport};
use gdwire::net::Side;
use gdwire::net::enet::Mode;
use gdwire::packet::{CapturedPacket, Defragmenter, LinkType, Payload, Time};
use std::net::SocketAddr;

/// An event without borrowed data.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Given {
    Opened(u64),
    Recognized(String),
    Message {
        frame: u64,
        ends: (SocketAddr, SocketAddr),
        bytes: Vec<u8>,
        shown: String,
        how: How,
    },
    Lost(u64, String),
    Other(u64, String),
    /// A summary, with the number of packets and what each end has sent.
    Closed(u64, Closed, u64, Box<[Direction; 2]>),
    Damaged(String),
}

/// How a message was sent.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct How {
    pub(crate) connection: u64,
    transport: Transport,
    time: Option<Time>,
    offset: u64,
    channel: Option<u8>,
    mode: Option<Mode>,
    peers: Peers,
    pub(crate) is_decided: bool,
}

impl Given {
    pub(crate) fn of(event: &Event<'_>) -> Given {
        match event {
            Event::Opened(summary) => Given::Opened(summary.connection()),
            Event::Recognized(summary) => Given::Recognized(summary.to_string()),
            Event::Message(message) => Given::Message {
                frame: message.place.frame,
                ends: (message.origin.src(), message.origin.dst()),
                bytes: message.bytes.to_vec(),
                shown: match &message.content {
                    Content::Value(value) => format!("{} {value:?}", message.dialect),
                    Content::Packet(packet) => packet.display(message.context()).to_string(),
                    Content::Debugger(command) => command.to_string(),
                    other => panic!("{other:?}"),
                },
                how: How {
                    connection: message.origin.connection,
                    transport: message.origin.transport,
                    time: message.place.time,
                    offset: message.delivery.offset,
                    channel: message.delivery.channel,
                    mode: message.delivery.mode,
                    peers: message.peers,
                    is_decided: message.is_decided,
                },
            },
            Event::Lost(lost) => Given::Lost(lost.place.frame, lost.cause.to_string()),
            Event::Other(other) => Given::Other(other.place.frame, other.reason.to_string()),
            Event::Closed(summary) => {
                let closed = summary.closed().unwrap();
                let directions = [Side::First, Side::Second].map(|from| {
                    let mut direction = summary.direction(from).clone();
                    // Not every packet is pushed with its frame.
                    direction.wire = None;
                    direction
                });
                let packets = summary.traffic().packets;
                Given::Closed(summary.connection(), closed, packets, Box::new(directions))
            }
            Event::Damaged(error) => Given::Damaged(error.to_string()),
            other => panic!("{other:?}"),
        }
    }
}

/// The events of a capture file.
pub(crate) fn of_file(file: &[u8]) -> Vec<Given> {
    of_messages(&mut Messages::new(file).unwrap())
}

/// All events until the end.
pub(crate) fn of_messages(messages: &mut Messages<'_>) -> Vec<Given> {
    let mut given = Vec::new();
    while let Some(event) = messages.next_event() {
        given.push(Given::of(&event));
    }
    given
}

/// Pushes a packet in one of several forms, and keeps its events.
pub(crate) type Push =
    fn(&mut Follower<'_>, &mut Defragmenter, &CapturedPacket<'_>, &mut Vec<Given>);

/// The events if the packets of a file are pushed.
pub(crate) fn pushed(file: &[u8], push: Push) -> Vec<Given> {
    let (mut follower, mut fragments) = (Follower::new(), Defragmenter::new());
    let mut given = Vec::new();
    for packet in Capture::new(file).unwrap() {
        push(&mut follower, &mut fragments, &packet.unwrap(), &mut given);
    }
    follower.finish().for_each(|event| given.push(Given::of(&event)));
    assert_eq!(follower.held_bytes(), 0);
    given
}

fn place(packet: &CapturedPacket<'_>) -> Place {
    let place = Place::new(packet.frame);
    packet.time.map_or(place, |time| place.with_time(time))
}

pub(crate) fn packets(
    follower: &mut Follower<'_>,
    _: &mut Defragmenter,
    packet: &CapturedPacket<'_>,
    given: &mut Vec<Given>,
) {
    // A copy, which is freed at once: the follower must not keep references to it.
    let data = packet.data.to_vec();
    let copy = CapturedPacket::new(packet.link_type, &data);
    let copy = copy.with_frame(packet.frame).with_original_len(packet.original_len);
    let copy = packet.time.map_or(copy, |time| copy.with_time(time));
    follower.packet(&copy).for_each(|event| given.push(Given::of(&event)));
}

pub(crate) fn ip_packets(
    follower: &mut Follower<'_>,
    fragments: &mut Defragmenter,
    packet: &CapturedPacket<'_>,
    given: &mut Vec<Given>,
) {
    let header = match packet.link_type {
        LinkType::ETHERNET if packet.data[12..14] == [0x08, 0] => 14,
        LinkType::ETHERNET if packet.data[12..14] == [0x86, 0xdd] => 14,
        LinkType::RAW => 0,
        _ => return packets(follower, fragments, packet, given),
    };
    let ip = packet.data[header..].to_vec();
    follower.ip(place(packet), &ip).for_each(|event| given.push(Given::of(&event)));
}

pub(crate) fn datagrams_and_segments(
    follower: &mut Follower<'_>,
    fragments: &mut Defragmenter,
    packet: &CapturedPacket<'_>,
    given: &mut Vec<Given>,
) {
    let mut payload = packet.payload();
    if let Payload::Fragment(fragment) = payload {
        let lost = &mut |lost| panic!("{lost}");
        match fragments.push(packet.frame, packet.time, &fragment, lost) {
            Some(whole) => payload = whole,
            None => return,
        }
    }
    let events = match &payload {
        Payload::Udp(datagram) => follower.datagram(place(packet), datagram),
        Payload::Tcp(segment) => follower.segment(place(packet), segment),
        _ => return packets(follower, fragments, packet, given),
    };
    events.for_each(|event| given.push(Given::of(&event)));
}
