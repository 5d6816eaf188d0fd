//! Recorded connections in which packets are missing, doubled, reordered or cut.

use crate::streams::recorded::{CAPTURES, Packet, Seen, packets, read};
use gdwire::Dialect;
use gdwire::net::tcp::LossReason;

/// Both sides of each connection, with the messages of the complete connection.
fn each(mut check: impl FnMut(&str, Dialect, &[Packet], bool, &Seen)) {
    for (name, suffix, dialect) in CAPTURES {
        let packets = packets(&format!("{name}.{suffix}"));
        for is_client in [true, false] {
            let whole = read(dialect, &packets, is_client);
            check(name, dialect, &packets, is_client, &whole);
        }
    }
}

/// The ranges of lost bytes in a stream: those that are missing, and all.
fn missing(seen: &Seen) -> Vec<(u64, u64)> {
    let missing = seen.lost.iter().filter(|(_, _, reason)| *reason == LossReason::Missing);
    missing.map(|(offset, bytes, _)| (*offset, offset + bytes)).collect()
}

/// Checks that every returned message was sent, `shift` bytes away. Returns the place and the
/// length of the messages that no gap touches and that were not returned.
fn not_returned(whole: &Seen, seen: &Seen, shift: u64) -> Vec<(u64, usize)> {
    for (offset, bytes) in &seen.messages {
        let found = whole.messages.binary_search_by_key(&(offset + shift), |(offset, _)| *offset);
        assert!(found.is_ok_and(|at| whole.messages[at].1 == *bytes), "{offset} {bytes:x?}");
    }
    let gaps = missing(seen);
    let mut lost = Vec::new();
    for (offset, bytes) in &whole.messages {
        let Some(start) = offset.checked_sub(shift) else { continue };
        let (start, end) = (start - 4.min(start), start + bytes.len() as u64);
        let is_touched = gaps.iter().any(|(from, to)| start < *to && *from < end);
        let is_returned = seen.messages.iter().any(|(returned, _)| *returned == start + 4);
        if !is_touched && !is_returned && offset - shift >= 4 {
            lost.push((*offset, bytes.len()));
        }
    }
    lost
}

#[test]
fn without_any_one_packet_only_what_it_carried_is_lost() {
    each(|name, dialect, packets, is_client, whole| {
        for at in 0..packets.len() {
            let mut rest = packets.to_vec();
            let packet = rest.remove(at);
            let seen = read(dialect, &rest, is_client);
            if packet.is_client != is_client || packet.payload.is_empty() {
                let is_syn = packet.flags.0 && packet.is_client == is_client;
                assert!(is_syn || seen.messages == whole.messages, "{name} {at}");
                continue;
            }
            let gone: u64 = missing(&seen).iter().map(|(from, to)| to - from).sum();
            assert_eq!(gone, packet.payload.len() as u64);
            assert_eq!(not_returned(whole, &seen, 0), [], "{name} {is_client} {at}");
        }
    });
}

#[test]
fn messages_are_found_from_any_packet_on() {
    each(|name, dialect, packets, is_client, whole| {
        let sides = packets.iter().filter(|packet| packet.is_client == is_client);
        let first = sides.clone().next().unwrap().sequence.wrapping_add(1);
        for at in 1..packets.len() {
            let rest = &packets[at..];
            let mut of_side = rest.iter().filter(|packet| packet.is_client == is_client);
            let Some(start) = of_side.find(|packet| !packet.payload.is_empty()) else { continue };
            let shift = u64::from(start.sequence.wrapping_sub(first));
            let seen = read(dialect, rest, is_client);
            assert_eq!(not_returned(whole, &seen, shift), [], "{name} {is_client} {at}");
        }
    });
}

#[test]
fn doubled_and_reordered_packets_change_nothing() {
    each(|name, dialect, packets, is_client, whole| {
        for at in 0..packets.len() {
            let mut doubled = packets.to_vec();
            doubled.insert((at + at % 5).min(packets.len()), packets[at].clone());
            let seen = read(dialect, &doubled, is_client);
            assert!(seen.messages == whole.messages && seen.lost.is_empty(), "{name} {at}");
        }
        for window in 2..=7 {
            for start in 0..window {
                let mut exchanged = packets.to_vec();
                exchanged[start..].chunks_mut(window).for_each(<[Packet]>::reverse);
                let seen = read(dialect, &exchanged, is_client);
                assert!(seen.messages == whole.messages && seen.lost.is_empty(), "{name} {window}");
            }
        }
    });
}

#[test]
fn complete_messages_of_cut_packets_are_returned() {
    each(|name, dialect, packets, is_client, whole| {
        for length in [0, 1, 60, 100, 1000] {
            let mut cut = packets.to_vec();
            for packet in &mut cut {
                packet.missing = packet.payload.len().saturating_sub(length);
                packet.payload.truncate(length);
            }
            let seen = read(dialect, &cut, is_client);
            let gone: u64 = missing(&seen).iter().map(|(from, to)| to - from).sum();
            let cut_away: usize = cut
                .iter()
                .filter(|packet| packet.is_client == is_client)
                .map(|packet| packet.missing)
                .sum();
            assert_eq!(gone, cut_away as u64);
            let not_returned = not_returned(whole, &seen, 0);
            // A message of 8 bytes between two gaps may be anything.
            let is_small = |(_, length): &(u64, usize)| *length <= 8;
            assert!(
                not_returned.len() <= 1 && not_returned.iter().all(is_small),
                "{name} {length}"
            );
        }
    });
}
