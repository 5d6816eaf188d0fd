//! Several ENet connections between the same ends, and which datagrams belong to each.

use crate::common::unhex;
use crate::follow::given::Given;
use crate::follow::refused::CONNECT;
use crate::follow::waiting::ends;
use gdwire::follow::{Closed, Follower, Options, Place, Transport};
use gdwire::packet::UdpDatagram;
use std::net::SocketAddr;

/// Pushes ENet datagrams, and keeps the events.
struct Pushed(Follower<'static>, Vec<Given>);

impl Pushed {
    fn new() -> Pushed {
        Pushed(Follower::with_options(Options::new().with_transport(Transport::Enet)), Vec::new())
    }

    fn push(&mut self, (src, dst): (SocketAddr, SocketAddr), payload: &[u8]) {
        let events = self.0.datagram(Place::new(1), &UdpDatagram::new(src, dst, payload));
        events.for_each(|event| self.1.push(Given::of(&event)));
    }

    fn count(&self, is_it: impl Fn(&Given) -> bool) -> usize {
        self.1.iter().filter(|it| is_it(it)).count()
    }
}

fn connect(id: u8) -> Vec<u8> {
    let mut connect = unhex(CONNECT);
    let at = connect.len() - 5;
    connect[at] = id;
    connect
}

/// A reliable command to a peer with an id, with an int.
fn reliable(peer: u8, sequence: u8) -> Vec<u8> {
    [&[0x80, peer, 0x12, 0x34, 0x86, 0, 0, sequence, 0, 8][..], &[2, 0, 0, 0, 7, 0, 0, 0]].concat()
}

#[test]
fn another_peer_id_shows_that_a_connect_command_was_real() {
    let (client, server) = ends();
    let to_server = (client, server);
    let mut pushed = Pushed::new();
    pushed.push(to_server, &connect(7));
    for sequence in 1..80 {
        pushed.push(to_server, &reliable(1, sequence));
    }
    pushed.push(to_server, &connect(8));
    pushed.push(to_server, &reliable(1, 80));
    let opened = |pushed: &Pushed| pushed.count(|it| matches!(it, Given::Opened(_)));
    assert_eq!(opened(&pushed), 1);
    pushed.push(to_server, &reliable(2, 9));
    assert_eq!(opened(&pushed), 2);
    assert_eq!(pushed.count(|it| matches!(it, Given::Closed(1, Closed::Replaced, _, _))), 1);
}

/// A client that gets no answer tries again.
#[test]
fn connect_commands_without_an_answer_belong_to_the_connection_after_them() {
    let (client, server) = ends();
    let mut pushed = Pushed::new();
    pushed.push((client, server), &connect(7));
    pushed.push((client, server), &connect(8));
    let verify = [&[0x80, 1, 0x12, 0x34, 0x83, 0xff, 0, 1], &connect(8)[8..48]].concat();
    pushed.push((server, client), &verify);
    (1..80).for_each(|sequence| pushed.push((client, server), &reliable(1, sequence)));
    let found = [
        pushed.count(|it| matches!(it, Given::Opened(_))),
        pushed.count(|it| matches!(it, Given::Message { .. })),
    ];
    assert_eq!(found, [1, 79]);
}

/// The ports of a connection may be used again as soon as it is closed. The server answers the
/// connect command.
#[test]
fn after_a_disconnect_command_the_same_ends_connect_again_at_once() {
    let (client, server) = ends();
    let mut pushed = Pushed::new();
    for id in 7..10 {
        let connect = connect(id);
        let verify = [&[0x80, 1, 0x12, 0x34, 0x83, 0xff, 0, 1], &connect[8..48]].concat();
        // The commands are repeated.
        for _ in 0..2 {
            pushed.push((client, server), &connect);
            pushed.push((server, client), &verify);
        }
        for sequence in 1..30 {
            pushed.push((client, server), &reliable(1, sequence));
        }
        for _ in 0..2 {
            let disconnect = [0x80, 1, 0x12, 0x34, 0x84, 0xff, 0, 9, 0, 0, 0, 0];
            pushed.push((client, server), &disconnect);
        }
    }
    pushed.0.finish().for_each(|event| pushed.1.push(Given::of(&event)));
    let closed = |number, why| {
        pushed.count(|it| matches!(it, Given::Closed(at, by, 35, _) if (*at, *by) == (number, why)))
    };
    let each =
        [closed(1, Closed::Replaced), closed(2, Closed::Replaced), closed(3, Closed::ByEnds)];
    assert_eq!((each, pushed.count(|it| matches!(it, Given::Message { .. }))), ([1; 3], 87));
}

/// Values after forged commands that open a connection are still read.
#[test]
fn values_are_read_after_forged_connect_commands() {
    let (client, server) = ends();
    let mut pushed = Pushed(Follower::new(), Vec::new());
    let connect = connect(7);
    let verify = [&[0x80, 1, 0x12, 0x34, 0x83, 0xff, 0, 1], &connect[8..48]].concat();
    pushed.push((client, server), &connect);
    pushed.push((server, client), &verify);
    for _ in 0..50 {
        pushed.push((client, server), &[2, 0, 0, 0, 7, 0, 0, 0]);
    }
    pushed.0.finish().for_each(|event| pushed.1.push(Given::of(&event)));
    assert_eq!(pushed.count(|it| matches!(it, Given::Message { .. })), 50);
}

/// A disconnect command closes the connection unless its sender continues. Earlier messages of the
/// other end may arrive after it.
#[test]
fn messages_of_the_other_end_do_not_take_back_a_disconnect_command() {
    let (client, server) = ends();
    let disconnect = [0x80, 1, 0x12, 0x34, 0x84, 0xff, 0, 9, 0, 0, 0, 0];
    let (from_client, from_server) = ((client, server), (server, client));
    // With few messages, the dialect is not known yet.
    for (messages, last, is_over) in [
        (2, from_server, true),
        (2, from_client, false),
        (80, from_server, true),
        (80, from_client, false),
    ] {
        let mut pushed = Pushed::new();
        pushed.push(from_client, &connect(7));
        for sequence in 1..messages {
            pushed.push(from_client, &reliable(1, sequence));
            pushed.push(from_server, &reliable(1, sequence));
        }
        pushed.push(from_client, &disconnect);
        pushed.push(last, &reliable(1, messages));
        pushed.0.finish().for_each(|event| pushed.1.push(Given::of(&event)));
        let by_ends = pushed.count(|it| matches!(it, Given::Closed(1, Closed::ByEnds, _, _)));
        assert_eq!(by_ends, usize::from(is_over), "{messages} {last:?}");
    }
}

/// A connect command may be forged. If messages of a channel begin again, it is not. The first message on
/// another channel shows nothing.
#[test]
fn messages_that_begin_again_show_that_a_connect_command_was_real() {
    let (client, server) = ends();
    for (messages, channel, expected) in [(2, 0, 2), (2, 1, 1), (80, 0, 2), (80, 1, 1)] {
        let mut pushed = Pushed::new();
        pushed.push((client, server), &connect(7));
        for sequence in 1..messages {
            pushed.push((client, server), &reliable(1, sequence));
        }
        pushed.push((client, server), &connect(8));
        let mut first = reliable(1, 1);
        first[5] = channel;
        pushed.push((client, server), &first);
        let opened = pushed.count(|it| matches!(it, Given::Opened(_)));
        assert_eq!(opened, expected, "{messages} {channel}");
    }
}
