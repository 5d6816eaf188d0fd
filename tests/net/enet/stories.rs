//! Connections whose datagrams arrive in any order, or not: `stories.txt` says what each gives.
//!
//! Each line is one connection: what arrives, and in brackets what the session says to it. `r3` is the
//! reliable message 3, `u3.1` the first unreliable message after that, `g3` the unsequenced message 3,
//! `f3:1/4` a fragment of a reliable message of four, `v3.1:1/4` one of an unreliable message. `a3` is an
//! acknowledgement by the other side, `c` the command that opens the connection, `v0` the answer to it, `w30`
//! are 30 other datagrams. `1r3..2` is the message 3 of another channel and the start of an unreliable one
//! whose last two bytes were not captured, `?` is no datagram. After `/` is how much is held back.

use super::assemble::*;
use crate::common::{Numbers, written_down};
use gdwire::net::Side::{First, Second};
use gdwire::net::enet::{Lost, LostMessage, SessionLimits};

fn shown(lost: &LostMessage) -> String {
    let what = match lost.lost {
        Lost::Missing { mode, count } => format!("{count} {mode:?}"),
        other => format!("{other:?}"),
    };
    format!("lost {what} {:?}", lost.reason)
}

/// Lets something arrive at a session, and says how both are written.
fn arrive(watched: &mut Watched, numbers: &mut Numbers, base: u16) -> String {
    let near = numbers.below(8) as u16;
    let at = base.wrapping_add(near);
    let (minor, count) = (numbers.below(4), 2 + numbers.below(3));
    let number = numbers.below(count);
    let fragment = |text: &str| {
        let message = text.repeat(9);
        let len = message.len().div_ceil(count as usize);
        let mut part = parts(message.as_bytes(), len, at)[number as usize];
        part.start = at;
        (part.reliable(0), Part { start: minor as u16, ..part }.unreliable(0, at))
    };
    match numbers.below(24) {
        0..8 => {
            watched.receive(First, &one(reliable(0, at, format!("r{near}").as_bytes())));
            format!("r{near}")
        }
        8..11 => {
            let text = format!("u{near}.{minor}");
            watched.receive(First, &one(unreliable(0, at, minor as u16, text.as_bytes())));
            text
        }
        11 => {
            watched.receive(First, &one(unsequenced(0, at, format!("g{near}").as_bytes())));
            format!("g{near}")
        }
        12..15 => {
            let text = format!("f{near}");
            watched.receive(First, &one(fragment(&text).0));
            format!("{text}:{number}/{count}")
        }
        15 => {
            let text = format!("v{near}.{minor}");
            watched.receive(First, &one(fragment(&text).1));
            format!("{text}:{number}/{count}")
        }
        16..18 => {
            watched.receive(Second, &one(acknowledge(0, at)));
            format!("a{near}")
        }
        18 => {
            let far = [0x3f, 0x40, 0x3ff, 0x400, 0x7fff, 0x8000, 0xbfff, 0xc000][near as usize];
            let at = base.wrapping_add(far).wrapping_add(minor as u16);
            watched.receive(First, &one(unsequenced(0, at, b"far")));
            format!("g{far}+{minor}")
        }
        19 => {
            let commands = [reliable(1, at, b"one"), unreliable(0, at, 1, b"cut")].concat();
            let datagram = one(commands);
            let (kept, cut) = datagram.split_at(datagram.len() - minor as usize - 1);
            watched.run(|session, sink| session.receive_cut(First, kept, cut.len(), sink)).unwrap();
            format!("1r{near}..{}", cut.len())
        }
        20 => {
            let id = minor / 2;
            let connecting = Connecting { id, ..CONNECTING };
            let is_answer = minor % 2 == 1;
            let datagram = if is_answer { connecting.verify() } else { connecting.connect() };
            watched.receive(if is_answer { Second } else { First }, &datagram);
            format!("{}{id}", if is_answer { "v" } else { "c" })
        }
        21 => {
            watched.run(|session, sink| session.receive(First, b"?", sink)).unwrap_err();
            "?".to_owned()
        }
        _ => {
            let others = [1, 10, 40, 200][minor as usize];
            for _ in 0..others {
                watched.receive(Second, &one(ping(0)));
            }
            format!("w{others}")
        }
    }
}

fn story(seed: u32) -> String {
    let mut numbers = Numbers::new(seed);
    let limits = match seed % 4 {
        0 => SessionLimits::default().with_held_bytes(500).with_unfinished(1),
        1 => SessionLimits::default().with_patience(20).with_message_len(30),
        _ => SessionLimits::default().with_patience(20),
    };
    let mut watched = Watched::with_limits(limits);
    let base = [1, 100, 0xfffd][numbers.below(3) as usize];
    let mut line = Vec::new();
    let mut note = |what: String, watched: &mut Watched| {
        let given = watched.texts();
        let lost = watched.lost.drain(..).map(|lost| shown(&lost));
        let opened = watched.other.drain(..).map(|event| event[..4].to_owned());
        let said: Vec<_> = given.into_iter().chain(lost).chain(opened).collect();
        let held = watched.session.held_bytes();
        let held = if held > 0 { format!("/{held}") } else { String::new() };
        let said = if said.is_empty() { said.concat() } else { format!("[{}]", said.join(", ")) };
        line.push(format!("{what}{said}{held}"));
    };
    if base == 1 && numbers.below(2) == 1 {
        watched.receive(First, &CONNECTING.connect());
        note("c".to_owned(), &mut watched);
    }
    for _ in 0..16 {
        let what = arrive(&mut watched, &mut numbers, base);
        note(what, &mut watched);
    }
    watched.finish();
    note("end".to_owned(), &mut watched);
    line.join(" ")
}

#[test]
fn every_order_of_arrival_gives_what_is_written_down() {
    let stories: Vec<_> = (1..400).map(story).collect();
    written_down("tests/net/enet/stories.txt", &(stories.join("\n") + "\n"));
}
