//! Recorded connections whose datagrams arrive twice, in another order, not at all, or in part.

use super::assemble::{Given, Watched};
use super::recorded::{Flow, VALUES, flow, watch};
use gdwire::net::Side;
use gdwire::net::enet::{Body, Datagram, Mode};

fn sorted(mut given: Vec<Given>) -> Vec<Given> {
    given.sort();
    given
}

/// The reliable messages of each direction and channel, in order.
fn in_order(given: &[Given]) -> Vec<Given> {
    let mut given: Vec<_> = given.iter().filter(|it| it.mode == Mode::Reliable).cloned().collect();
    given.sort_by_key(|it| (it.from, it.channel));
    given
}

#[test]
fn duplicate_datagrams_are_returned_once() {
    for name in VALUES {
        let flow = flow(name);
        let whole = watch(&flow);
        let twice: Flow = flow.iter().flat_map(|it| [it.clone(), it.clone()]).collect();
        let delayed: Flow = flow
            .iter()
            .zip(flow[..5].iter().chain(&flow))
            .flat_map(|(a, b)| [a.clone(), b.clone()])
            .collect();
        for flow in [twice, delayed] {
            let watched = watch(&flow);
            assert!(watched.given == whole.given, "{name}");
            assert_eq!(watched.lost, whole.lost, "{name}");
            assert_eq!(watched.other.len(), whole.other.len(), "{name}");
        }
    }
}

#[test]
fn datagrams_in_another_order_give_the_same_messages() {
    for name in VALUES {
        let flow = flow(name);
        let whole = watch(&flow);
        for window in [2, 3, 5, 8] {
            let mut flow = flow.clone();
            for datagrams in flow[2..].chunks_mut(window) {
                datagrams.reverse();
            }
            let watched = watch(&flow);
            assert_eq!(watched.lost, whole.lost, "{name} {window}");
            assert!(in_order(&watched.given) == in_order(&whole.given), "{name} {window}");
            assert!(sorted(watched.given) == sorted(whole.given.clone()), "{name} {window}");
        }
    }
}

/// If all commands of a datagram are known: whether a reliable one is among them, and whether a
/// message is.
fn sends(bytes: &[u8]) -> Option<(bool, bool)> {
    let datagram = Datagram::parse(bytes).ok()?;
    let is_reliable = |body| matches!(body, Body::SendReliable { .. } | Body::SendFragment(_));
    let is_message = |body| {
        is_reliable(body)
            || matches!(
                body,
                Body::SendUnreliable { .. }
                    | Body::SendUnsequenced { .. }
                    | Body::SendUnreliableFragment(_)
            )
    };
    let mut commands = datagram.commands().map(|command| command.body);
    Some((commands.clone().any(is_reliable), commands.any(is_message)))
}

#[test]
fn without_a_datagram_the_rest_is_returned_and_reliable_losses_are_reported() {
    for name in ["godot3-enet.pcapng", "godot4-enet.pcapng"] {
        let flow = flow(name);
        let whole = watch(&flow);
        let mut losses = 0;
        for dropped in 0..flow.len() {
            let mut flow = flow.clone();
            let (from, bytes) = flow.remove(dropped);
            let watched = watch(&flow);
            let (is_reliable, is_message) = sends(&bytes).unwrap();
            // The returned messages are those that were sent, except for some, and in order.
            let given = in_order(&watched.given);
            let expected = in_order(&whole.given);
            let mut rest = expected.iter();
            assert!(given.iter().all(|it| rest.any(|other| other == it)), "{name} {dropped}");
            let mut left = sorted(whole.given.clone());
            for it in &watched.given {
                let at = left.iter().position(|other| other == it).expect("it was sent");
                assert!(left.remove(at).from == it.from);
            }
            if !is_message {
                assert_eq!((left.len(), watched.lost), (0, whole.lost.clone()), "{name} {dropped}");
                continue;
            }
            // A datagram carries a few messages, and was perhaps sent again.
            assert!(left.iter().all(|it| it.from == from), "{name} {dropped}");
            let lost_reliable = left.iter().any(|it| it.mode == Mode::Reliable);
            assert!(is_reliable || !lost_reliable, "{name} {dropped}");
            if lost_reliable {
                assert!(watched.lost.iter().any(|loss| loss.from == from), "{name} {dropped}");
                losses += 1;
            }
        }
        assert!(losses > 10, "{name} {losses}");
    }
}

#[test]
fn cut_datagrams_give_their_complete_commands() {
    for name in VALUES {
        let flow = flow(name);
        let whole = watch(&flow);
        for limit in [40, 100, 500] {
            let mut watched = Watched::new();
            for (side, datagram) in &flow {
                let len = datagram.len().min(limit);
                let missing = datagram.len() - len;
                watched
                    .run(|session, sink| {
                        session.receive_cut(*side, &datagram[..len], missing, sink)
                    })
                    .unwrap();
            }
            watched.finish();
            assert!(watched.given.iter().all(|it| whole.given.contains(it)), "{name} {limit}");
            assert!(watched.given.len() < whole.given.len(), "{name} {limit}");
            assert!(!watched.lost.is_empty());
            for side in [Side::First, Side::Second] {
                assert!(watched.lost.iter().any(|loss| loss.from == side), "{name} {limit}");
            }
        }
    }
}
