//! Recorded connections that are opened again, and TCP streams in other segments.

use crate::messages::build::{CLIENT, PUSH, Packet, SERVER, SYN, pcap, tcp};
use crate::messages::output::Output;
use crate::messages::parts::{Recording, recordings};
use gdwire::capture::Capture;
use gdwire::follow::{Cause, Reason, Transport};
use gdwire::net::enet::{Body, Datagram};
use gdwire::net::tcp as stream;
use gdwire::packet::Payload;

const FIN: u8 = 1;
const RST: u8 = 4;
const ACK: u8 = 16;

#[derive(Clone)]
struct Segment {
    is_client: bool,
    sequence: u32,
    acknowledgement: Option<u32>,
    flags: u8,
    payload: Vec<u8>,
}

impl Segment {
    fn packet(&self) -> Packet {
        let (src, dst) = if self.is_client { (CLIENT, SERVER) } else { (SERVER, CLIENT) };
        let flags = self.flags | self.acknowledgement.map_or(0, |_| ACK);
        let mut packet = tcp(src, dst, self.sequence, flags, &self.payload);
        let number = self.acknowledgement.unwrap_or(0).to_be_bytes();
        packet.data[28..32].copy_from_slice(&number);
        packet
    }
}

fn packets(segments: &[Segment]) -> Vec<Packet> {
    segments.iter().map(Segment::packet).collect()
}

/// The segments of a connection, both of whose streams begin with a number.
fn segments(recording: &Recording, first: u32) -> Vec<Segment> {
    let file = pcap(&recording.packets);
    let (mut client, mut initial) = (None, [None, None]);
    let mut segments = Vec::new();
    for packet in Capture::new(&file).unwrap() {
        let packet = packet.unwrap();
        let Payload::Tcp(segment) = packet.payload() else { panic!("{packet:?}") };
        let is_client = *client.get_or_insert(segment.src) == segment.src;
        let initial_of = &mut initial[usize::from(is_client)];
        let start = *initial_of.get_or_insert(segment.sequence);
        let renumbered = |number: u32, start: u32| number.wrapping_sub(start).wrapping_add(first);
        let other = initial[usize::from(!is_client)];
        let flags = [(segment.is_syn, SYN), (segment.is_fin, FIN), (segment.is_reset, RST)];
        segments.push(Segment {
            is_client,
            sequence: renumbered(segment.sequence, start),
            acknowledgement: segment.acknowledgement.zip(other).map(|(it, at)| renumbered(it, at)),
            flags: flags.iter().map(|(is_set, flag)| if *is_set { *flag } else { 0 }).sum::<u8>()
                | PUSH,
            payload: segment.payload.to_vec(),
        });
    }
    segments
}

/// The messages of each end, and the losses of each stream: place, size and reason.
type Given = ([Vec<Vec<u8>>; 2], Vec<(bool, u64, u64, stream::LossReason)>);

fn given(output: &Output, is_client: impl Fn(u16) -> bool) -> Given {
    let mut messages = [Vec::new(), Vec::new()];
    for returned in &output.returned {
        let side = usize::from(is_client(returned.lane.0.port()));
        messages[side].push(returned.bytes.clone());
    }
    let is_id = |reason: &Reason| matches!(reason, Reason::PeerId(_));
    assert!(output.other.iter().all(|(_, reason)| is_id(reason)));
    let mut lost = Vec::new();
    for it in &output.lost {
        let Cause::Stream { offset, bytes, reason } = it.cause else { panic!("{it:?}") };
        lost.push((is_client(it.ends.unwrap().0.port()), offset, bytes, reason));
    }
    (messages, lost)
}

fn read(segments: &[Segment]) -> Given {
    given(&Output::of(&packets(segments)), |port| port == CLIENT.1)
}

/// Every recorded connection, with its messages and losses.
fn each(mut check: impl FnMut(&Recording, Given)) {
    let is_tcp = |it: &&Recording| it.whole.returned[0].transport.is_over_tcp();
    for recording in recordings().iter().filter(is_tcp) {
        let is_client = |port| ![7777, 7911].contains(&port);
        let whole = given(&recording.whole, is_client);
        assert!(whole.0.iter().all(|messages| messages.len() >= 6));
        check(recording, whole);
    }
}

/// The bytes of each stream, from the server and from the client.
fn streams(segments: &[Segment], first: u32) -> [Vec<u8>; 2] {
    let mut streams = [Vec::new(), Vec::new()];
    for segment in segments.iter().filter(|segment| !segment.payload.is_empty()) {
        let stream = &mut streams[usize::from(segment.is_client)];
        let start = segment.sequence.wrapping_sub(first).wrapping_sub(1) as usize;
        stream.resize(stream.len().max(start + segment.payload.len()), 0);
        stream[start..start + segment.payload.len()].copy_from_slice(&segment.payload);
    }
    streams
}

#[test]
fn sequence_numbers_wrap_around_anywhere() {
    each(|recording, whole| {
        for distance in [0, 1, 2, 100, 1_449, 5_000, 9_000] {
            let segments = segments(recording, 0_u32.wrapping_sub(distance));
            assert!(read(&segments) == whole, "{} {distance}", recording.name);
            // Bytes that are lost there are reported.
            let wrapped = Recording::of_packets(recording.name.clone(), packets(&segments));
            for lost in (8..segments.len() - 16).step_by(31) {
                let mut kept = wrapped.all();
                kept.remove(lost);
                let outcome = wrapped.with_packets(&kept);
                assert!(
                    outcome.reports_all_losses(&wrapped),
                    "{} {distance} {lost}",
                    recording.name
                );
                assert!(outcome.reports_a_loss() || outcome.broken.is_empty());
            }
        }
    });
}

#[test]
fn segments_sent_again_with_other_bounds_change_nothing() {
    each(|recording, whole| {
        let first = 0_u32.wrapping_sub(4_000);
        let segments = segments(recording, first);
        let streams = streams(&segments, first);
        for (before, after) in [(1, 0), (0, 1), (700, 0), (3_000, 2), (5, 900)] {
            // A longer segment follows or precedes each segment.
            for is_behind in [true, false] {
                let mut sent = Vec::new();
                for segment in &segments {
                    let stream = &streams[usize::from(segment.is_client)];
                    let start = segment.sequence.wrapping_sub(first).wrapping_sub(1) as usize;
                    if segment.payload.is_empty() {
                        sent.push(segment.clone());
                        continue;
                    }
                    let from = start.saturating_sub(before);
                    let to = (start + segment.payload.len() + after).min(stream.len());
                    let again = Segment {
                        sequence: first.wrapping_add(1 + from as u32),
                        payload: stream[from..to].to_vec(),
                        flags: PUSH,
                        ..segment.clone()
                    };
                    let (one, other) = (segment.clone(), again);
                    sent.extend(if is_behind { [one, other] } else { [other, one] });
                }
                assert!(read(&sent) == whole, "{} {before} {after}", recording.name);
            }
        }
    });
}

#[test]
fn streams_may_be_cut_into_any_segments() {
    each(|recording, whole| {
        let first = 77;
        let segments = segments(recording, first);
        let streams = streams(&segments, first);
        let opening = segments.iter().take_while(|segment| segment.payload.is_empty());
        let opening: Vec<_> = opening.cloned().collect();
        for len in [3, 8, 536, 60_000] {
            let mut sent = opening.clone();
            // The client sends first, because it sends the request for the upgrade.
            for is_client in [true, false] {
                let stream = &streams[usize::from(is_client)];
                let mut sequence = first.wrapping_add(1);
                for payload in stream.chunks(len) {
                    let payload = payload.to_vec();
                    let len = payload.len() as u32;
                    let (acknowledgement, flags) = (None, PUSH);
                    sent.push(Segment { is_client, sequence, acknowledgement, flags, payload });
                    sequence = sequence.wrapping_add(len);
                }
            }
            let (messages, lost) = read(&sent);
            assert!(messages == whole.0, "{} {len}", recording.name);
            assert_eq!(lost.len(), whole.1.len(), "{} {len}", recording.name);
        }
    });
}

#[test]
fn a_connection_may_be_reset_and_its_ports_be_used_again() {
    each(|recording, whole| {
        let before = segments(recording, 1_000);
        let after = segments(recording, 3_000_000_000);
        for end in [before.len() / 2, before.len() * 3 / 4, before.len()] {
            for is_reset in [true, false] {
                let mut sent = before[..end].to_vec();
                let alone = read(&sent).0;
                if is_reset {
                    let last = sent.iter().rfind(|segment| segment.is_client).unwrap();
                    sent.push(Segment {
                        sequence: last.sequence.wrapping_add(last.payload.len() as u32),
                        payload: Vec::new(),
                        flags: RST,
                        ..last.clone()
                    });
                }
                sent.extend(after.iter().cloned());
                let (messages, lost) = read(&sent);
                for side in 0..2 {
                    let expected = [&alone[side][..], &whole.0[side]].concat();
                    assert!(messages[side] == expected, "{} {end} {side}", recording.name);
                }
                // The end of a message that the first connection did not send.
                let is_cut_off = |reason: stream::LossReason| {
                    matches!(
                        reason,
                        stream::LossReason::Broken
                            | stream::LossReason::Unfinished
                            | stream::LossReason::Missing
                    )
                };
                assert!(
                    lost.iter().all(|(.., reason)| is_cut_off(*reason)),
                    "{} {end} {lost:?}",
                    recording.name
                );
                assert!(lost.len() <= 2 * whole.1.len() + 3, "{} {end} {lost:?}", recording.name);
            }
        }
    });
}

/// The packets of an ENet connection with another id.
fn reconnected(packets: &[Packet]) -> Vec<Packet> {
    let file = pcap(packets);
    let mut again = packets.to_vec();
    let mut changed = 0;
    for (packet, copy) in Capture::new(&file).unwrap().zip(&mut again) {
        let packet = packet.unwrap();
        let Payload::Udp(datagram) = packet.payload() else { panic!("{packet:?}") };
        let Ok(parsed) = Datagram::parse(datagram.payload) else { continue };
        for command in parsed.commands() {
            let id = match command.body {
                Body::Connect(connect) => connect.parameters.connect_id,
                Body::VerifyConnect(verify) => verify.connect_id,
                _ => continue,
            };
            let id = id.to_be_bytes();
            let place = copy.data.windows(4).rposition(|bytes| bytes == id).unwrap();
            copy.data[place] ^= 0x55;
            changed += 1;
        }
    }
    assert!(changed >= 2);
    again
}

#[test]
fn enet_may_connect_again_between_the_same_ports() {
    // In compressed datagrams, the id is compressed, too.
    let is_enet = |it: &&Recording| {
        it.whole.returned[0].transport == Transport::Enet && !it.name.contains("compressed")
    };
    for recording in recordings().iter().filter(is_enet) {
        let again = reconnected(&recording.packets);
        let output = Output::of(&[&recording.packets[..], &again].concat());
        let messages = |of: &Output| -> Vec<_> {
            of.returned.iter().map(|it| (it.lane, it.path.clone(), it.bytes.clone())).collect()
        };
        let once = messages(&recording.whole);
        assert!(messages(&output) == [&once[..], &once].concat(), "{}", recording.name);
        let lost = output.lost.len();
        assert_eq!(lost, 2 * recording.whole.lost.len(), "{} {:?}", recording.name, output.lost);
    }
}
