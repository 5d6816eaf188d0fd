//! Packets that an attacker forges in the name of a connection's ends. They cause no loss of its
//! messages, and a connection that really begins anew is still recognized.

use crate::wire::{
    ACK, End, FIN, Numbers, Packet, RST, SERVER, SYN, Sender, client, enet, enet_connect,
    enet_disconnect, enet_parameters, tcp, udp,
};
use gdwire::follow::{Closed, Content, Event, Follower, Place, Transport};
use gdwire::{Dialect, encode, variant};

/// The messages and losses of some packets.
#[derive(Default, Debug, PartialEq)]
struct Taken {
    /// For each message, whether a client sent it, and its number.
    messages: Vec<(bool, i64)>,
    opened: usize,
    closed: Vec<Closed>,
    lost: Vec<String>,
}

fn follow(packets: &[Packet]) -> Taken {
    let mut taken = Taken::default();
    let mut take = |event: Event<'_>| match event {
        Event::Message(message) => {
            let Content::Value(value) = message.content else { panic!("{message:?}") };
            let number = value.get("number").and_then(|number| number.as_i64()).unwrap();
            taken.messages.push((message.origin.dst().port() == SERVER.1, number));
        }
        Event::Opened(_) => taken.opened += 1,
        Event::Closed(summary) => taken.closed.push(summary.closed().unwrap()),
        Event::Lost(lost) => taken.lost.push(lost.cause.to_string()),
        _ => {}
    };
    let mut follower = Follower::new();
    for (at, packet) in packets.iter().enumerate() {
        follower.ip(Place::new(at as u64 + 1), packet).for_each(&mut take);
    }
    follower.finish().for_each(&mut take);
    taken
}

#[track_caller]
fn assert_same(taken: &Taken, expected: &Taken, says: &str) {
    let lacks = expected.messages.iter().find(|message| !taken.messages.contains(message));
    assert!(lacks.is_none(), "{says}: {lacks:?} {:?}", taken.lost);
    assert!(taken == expected, "{says}: {} {:?} {:?}", taken.opened, taken.closed, taken.lost);
}

fn message(number: i64) -> Vec<u8> {
    let value = variant!({"number": number, "speed": 0.5, "name": "somebody"});
    encode(Dialect::GODOT_4, &value).unwrap()
}

const CLIENT: End = End(2, 40_000);

/// Both ends of a connection, and what each has sent.
struct Talk {
    client: Sender,
    server: Sender,
    packets: Vec<Packet>,
    has_answers: bool,
}

impl Talk {
    fn open(transport: Transport, initial: u32, has_answers: bool) -> Talk {
        let server = Sender::new(transport, (SERVER, CLIENT), initial.wrapping_mul(3));
        let client = Sender::new(transport, (CLIENT, SERVER), initial);
        let mut talk = Talk { client, server, packets: Vec::new(), has_answers };
        talk.client.open(&mut talk.packets);
        talk.answer(initial.wrapping_add(1));
        talk
    }

    /// The server's answer to the client's opening.
    fn answer(&mut self, next: u32) {
        if !self.has_answers {
            return;
        }
        if self.client.transport == Transport::Enet {
            self.packets.push(udp(SERVER, CLIENT, &enet_verify(77)));
        } else {
            let syn = tcp((SERVER, CLIENT), self.server.sequence, Some(next), SYN, &[]);
            self.packets.insert(1, syn);
            self.server.sequence = self.server.sequence.wrapping_add(1);
            self.client.acknowledged = Some(self.server.sequence);
        }
    }

    /// Each end sends a message.
    fn say(&mut self, number: i64) {
        self.client.send(&message(number), &mut self.packets);
        if self.client.transport != Transport::Enet {
            self.client.flush(&mut self.packets);
        }
        if self.has_answers && self.client.transport != Transport::WebSocket {
            self.server.acknowledged = Some(self.client.sequence);
            self.server.send(&message(number), &mut self.packets);
            if self.client.transport != Transport::Enet {
                self.server.flush(&mut self.packets);
            }
            self.client.acknowledged = Some(self.server.sequence);
        }
    }
}

/// Segments that pretend to open, end or abort a connection.
fn forged_segments(talk: &Talk, random: &mut Numbers) -> Vec<Packet> {
    let mut forged = Vec::new();
    for (from, other) in [(&talk.client, &talk.server), (&talk.server, &talk.client)] {
        // If nothing of an end was captured, forged segments look like its own.
        if from.ends.0 == SERVER && !talk.has_answers {
            continue;
        }
        let next = from.sequence;
        let random = random.next() as u32;
        for sequence in [random, next, next.wrapping_sub(1), next.wrapping_add(1_000), 0] {
            forged.push(tcp(from.ends, sequence, None, SYN, &[]));
            // Acknowledged bytes that were never seen would be missing.
            let acknowledged = Some(other.sequence.wrapping_sub(5_000_000));
            forged.push(tcp(from.ends, sequence, acknowledged, SYN, &[]));
        }
        forged.push(tcp(from.ends, next.wrapping_sub(70_000), None, SYN, &[]));
        forged.push(tcp(from.ends, next, Some(other.sequence), RST, &[]));
        forged.push(tcp(from.ends, next.wrapping_sub(20), None, RST | ACK, &[]));
        forged.push(tcp(from.ends, next, Some(other.sequence), FIN, &[]));
        forged.push(tcp(from.ends, next.wrapping_sub(20), Some(other.sequence), FIN, &[]));
    }
    forged
}

const MESSAGES: i64 = 150;

#[test]
fn forged_segments_cause_no_loss() {
    for transport in [Transport::Tcp, Transport::WebSocket] {
        for has_answers in [true, false] {
            let mut random = Numbers(5);
            let mut talk = Talk::open(transport, 1_000_000, has_answers);
            let mut each = Vec::new();
            for number in 0..MESSAGES {
                talk.say(number);
                each.push((talk.packets.len(), forged_segments(&talk, &mut random)));
            }
            let whole = follow(&talk.packets);
            assert_eq!((whole.opened, &whole.lost[..]), (1, &[][..]));
            assert!(whole.messages.len() >= MESSAGES as usize);
            // One at a time, at the beginning, soon after it, and in the middle.
            for (at, forged) in [&each[0], &each[3], &each[100]] {
                for forged in forged {
                    let mut packets = talk.packets.clone();
                    packets.insert(*at, forged.clone());
                    let says = format!("{transport} {at} {forged:02x?}");
                    assert_same(&follow(&packets), &whole, &says);
                }
            }
            // All of them between all messages. After the last message, nothing shows that they are
            // forged.
            let mut packets = talk.packets.clone();
            for (at, forged) in each.iter().rev().skip(1) {
                packets.splice(at..at, forged.iter().cloned());
            }
            assert_same(&follow(&packets), &whole, transport.name());
        }
    }
}

#[test]
fn a_message_goes_on_after_a_forged_end() {
    for transport in [Transport::Tcp, Transport::WebSocket] {
        let mut talk = Talk::open(transport, 5, true);
        for number in 0..20 {
            talk.say(number);
        }
        let whole = follow(&talk.packets);
        let (ends, start) = (talk.client.ends, talk.client.sequence);
        talk.client.send(&message(20), &mut talk.packets);
        talk.client.flush(&mut talk.packets);
        let sent = talk.packets.pop().unwrap();
        let (first, rest) = sent[40..].split_at(30);
        for flags in [FIN, RST] {
            let mut packets = talk.packets.clone();
            packets.push(tcp(ends, start, None, 0, first));
            packets.push(tcp(ends, start + 30, None, flags, &[]));
            packets.push(tcp((SERVER, CLIENT), talk.server.sequence, None, flags, &[]));
            packets.push(tcp(ends, start + 30, None, 0, rest));
            let taken = follow(&packets);
            assert_eq!((taken.opened, &taken.lost[..]), (1, &[][..]), "{transport} {flags}");
            assert_eq!(taken.messages, [&whole.messages[..], &[(true, 20)]].concat());
        }
    }
}

/// If a real connection begins anew, forged segments before, in and after its handshake change
/// nothing.
#[test]
fn connections_that_begin_anew_are_recognized_among_forged_segments() {
    for transport in [Transport::Tcp, Transport::WebSocket] {
        // 65,538 after the last number: that is what Linux chooses.
        for (initial, has_answers) in
            [(3_000_000_000, true), (3_000_000_000, false), (0, true), (1, true)]
        {
            let mut first = Talk::open(transport, 1_000_000, has_answers);
            (0..30).for_each(|number| first.say(number));
            let initial = match initial {
                0 => first.client.sequence.wrapping_add(65_537),
                1 => first.client.sequence,
                initial => initial,
            };
            let mut second = Talk::open(transport, initial, has_answers);
            (30..60).for_each(|number| second.say(number));
            let forged = forged_segments(&first, &mut Numbers(9));
            let expected =
                [follow(&first.packets).messages, follow(&second.packets).messages].concat();
            for place in 0..5 {
                for forged in &forged {
                    let mut packets = [&first.packets[..], &second.packets].concat();
                    packets.insert(first.packets.len() + place, forged.clone());
                    let taken = follow(&packets);
                    let says = format!("{transport} {initial} {place} {forged:02x?}");
                    assert!(taken.messages == expected, "{says} {:?}", taken.lost);
                    assert_eq!(taken.closed, [Closed::Replaced, Closed::Finished], "{says}");
                    assert_eq!((taken.opened, &taken.lost[..]), (2, &[][..]), "{says}");
                }
            }
        }
    }
}

/// An attacker pretends to reopen or end ENet connections.
#[test]
fn forged_enet_commands_cause_no_loss() {
    let mut talk = Talk::open(Transport::Enet, 0, true);
    let mut places = Vec::new();
    for number in 0..MESSAGES {
        talk.say(number);
        places.push(talk.packets.len());
    }
    let whole = follow(&talk.packets);
    assert_eq!((whole.opened, whole.messages.len()), (1, 2 * MESSAGES as usize));
    let forged = [
        udp(CLIENT, SERVER, &enet_connect(0xdead_beef, 9)),
        udp(SERVER, CLIENT, &enet_connect(0xdead_beef, 9)),
        udp(CLIENT, SERVER, &enet_disconnect(0)),
        udp(SERVER, CLIENT, &enet_disconnect(0)),
        udp(CLIENT, SERVER, &enet_verify(0xdead_beef)),
        udp(SERVER, CLIENT, &enet_verify(0xdead_beef)),
    ];
    // Other connections are closed meanwhile, so this one could be closed, too.
    let others: Vec<Packet> =
        (1..100).map(|number| udp(client(number), SERVER, &message(0))).collect();
    for forged in &forged {
        for place in [places[0], places[5], places[100]] {
            let mut packets = talk.packets.clone();
            packets.insert(place, forged.clone());
            assert_same(&follow(&packets), &whole, &format!("{place} {forged:02x?}"));
            packets.splice(place + 4..place + 4, others.iter().cloned());
            let mut taken = follow(&packets);
            taken.messages.retain(|(_, number)| *number > 0);
            let expected = whole.messages.iter().filter(|(_, number)| *number > 0);
            assert!(taken.messages.iter().eq(expected), "{place} {forged:02x?}");
            assert_eq!(taken.opened, 100);
        }
        let mut packets = talk.packets.clone();
        for place in places.iter().rev() {
            packets.insert(*place, forged.clone());
        }
        assert_same(&follow(&packets), &whole, &format!("{forged:02x?}"));
    }
}

/// Only the answer to the second connect command was captured.
#[test]
fn an_answer_to_another_enet_connect_command_begins_a_new_connection() {
    let mut first = Talk::open(Transport::Enet, 0, true);
    (0..100).for_each(|number| first.say(number));
    let mut second = Talk::open(Transport::Enet, 0, true);
    (100..200).for_each(|number| second.say(number));
    second.packets[0] = udp(SERVER, CLIENT, &enet_verify(0x0102_0304));
    second.packets.remove(1);
    let taken = follow(&[&first.packets[..], &second.packets].concat());
    let numbers: Vec<i64> = taken.messages.iter().map(|(_, number)| *number).collect();
    assert_eq!(numbers, (0..200).flat_map(|number| [number; 2]).collect::<Vec<i64>>());
    assert_eq!(taken.lost, [""; 0]);
}

#[test]
fn enet_reconnects_are_recognized_among_forged_commands() {
    let mut first = Talk::open(Transport::Enet, 0, true);
    (0..100).for_each(|number| first.say(number));
    let mut second = Talk::open(Transport::Enet, 0, true);
    (100..200).for_each(|number| second.say(number));
    let id = 0x0102_0304;
    second.packets[0] = udp(CLIENT, SERVER, &enet_connect(id, 6));
    second.packets[1] = udp(SERVER, CLIENT, &enet_verify(id));
    let forged = udp(CLIENT, SERVER, &enet_connect(0xdead_beef, 9));
    let ping = udp(CLIENT, SERVER, &enet(0, 0x85, 0xff, 3, &[]));
    for place in 0..4 {
        let mut packets = [&first.packets[..], &second.packets].concat();
        packets.insert(first.packets.len() + place, forged.clone());
        // The open connection continues until the new one is answered.
        packets.insert(first.packets.len(), ping.clone());
        let taken = follow(&packets);
        let numbers: Vec<i64> = taken.messages.iter().map(|(_, number)| *number).collect();
        let expected: Vec<i64> = (0..200).flat_map(|number| [number; 2]).collect();
        assert_eq!(numbers, expected, "{place}");
        assert_eq!((taken.opened, &taken.lost[..]), (2, &[][..]), "{place}");
        assert_eq!(taken.closed, [Closed::Replaced, Closed::Finished], "{place}");
    }
}

/// The answer to a connect command.
fn enet_verify(id: u32) -> Vec<u8> {
    enet(0, 0x83, 0xff, 1, &enet_parameters(id))
}
