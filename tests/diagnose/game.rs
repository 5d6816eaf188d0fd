//! A Godot 4 game over ENet, put together by hand.

use crate::diagnose::wire::{End, Packet, SERVER, client, enet_connect, enet_reliable, udp};
use gdwire::Dialect;
use gdwire::diagnose::Diagnosis;
use gdwire::follow::{Event, Follower, Message, Options, Place};

/// The sender of a packet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sender {
    Server,
    Client,
}

pub(crate) use Sender::{Client, Server};

/// The packets of a game with one client.
pub(crate) struct Game {
    pub(crate) packets: Vec<Packet>,
    sequences: [u16; 2],
}

impl Game {
    /// A game whose client connects.
    pub(crate) fn new() -> Game {
        let mut game = Game::late();
        let (src, dst) = game.ends(Client);
        game.packets.push(udp(src, dst, &enet_connect(7, 1_234)));
        game
    }

    /// A game whose start was not captured.
    pub(crate) fn late() -> Game {
        Game { packets: Vec::new(), sequences: [0; 2] }
    }

    pub(crate) fn ends(&self, from: Sender) -> (End, End) {
        match from {
            Server => (SERVER, client(0)),
            Client => (client(0), SERVER),
        }
    }

    /// Sends a reliable message, and returns the number of its frame.
    pub(crate) fn send(&mut self, from: Sender, message: &[u8]) -> u64 {
        let sequence = &mut self.sequences[from as usize];
        *sequence = sequence.wrapping_add(1);
        let (sequence, (src, dst)) = (*sequence, self.ends(from));
        self.packets.push(udp(src, dst, &enet_reliable(0, 0, sequence, message)));
        self.packets.len() as u64
    }

    /// The server announces a spawner and a node, and the client confirms them.
    pub(crate) fn announce(&mut self) {
        for (id, path) in [(1, "Main/World/Spawner"), (2, "Main/World")] {
            self.send(Server, &simplify_path(id, path));
            self.send(Client, &confirm_path(id, true));
        }
    }

    pub(crate) fn diagnosis(&self) -> Diagnosis {
        self.diagnosis_with(Options::new())
    }

    pub(crate) fn diagnosis_with(&self, options: Options<'_>) -> Diagnosis {
        self.diagnosis_of(options, Place::new, |_| true)
    }

    /// The diagnosis of the messages that a function selects, with the place of each frame.
    pub(crate) fn diagnosis_of(
        &self,
        options: Options<'_>,
        place: impl Fn(u64) -> Place,
        selects: impl Fn(&Message<'_>) -> bool,
    ) -> Diagnosis {
        let mut follower = Follower::with_options(options.with_measures());
        let mut diagnosis = Diagnosis::new();
        let mut look = |event: Event<'_>| match &event {
            Event::Message(message) if !selects(message) => diagnosis.note(message),
            event => diagnosis.event(event),
        };
        for (frame, packet) in (1..).zip(&self.packets) {
            follower.ip(place(frame), packet).for_each(&mut look);
        }
        follower.finish().for_each(&mut look);
        diagnosis
    }
}

/// An announcement. `Main/World` has the methods `fire` and `reload`, other nodes have none.
pub(crate) fn simplify_path(id: u32, path: &str) -> Vec<u8> {
    announced(id, path, path == "Main/World")
}

/// An announcement of a node that has the methods `fire` and `reload`, or none.
pub(crate) fn announced(id: u32, path: &str, has_methods: bool) -> Vec<u8> {
    let digest = if has_methods {
        b"2fadfb6344d9a37078614b6029dcf101\0"
    } else {
        b"d41d8cd98f00b204e9800998ecf8427e\0"
    };
    [&[1], &digest[..], &id.to_le_bytes(), path.as_bytes(), &[0]].concat()
}

pub(crate) fn confirm_path(id: u32, is_valid: bool) -> Vec<u8> {
    [&[2, u8::from(is_valid)][..], &id.to_le_bytes()].concat()
}

/// A call of a node with an announced id.
pub(crate) fn call(node: u8, method: u8, arguments: &[&[u8]]) -> Vec<u8> {
    [&[0, node, method, arguments.len() as u8][..], &arguments.concat()].concat()
}

/// A call of a node by its path.
pub(crate) fn call_path(path: &str, method: u8) -> Vec<u8> {
    let target = 0x8000_0007_u32.to_le_bytes();
    [&[0x20][..], &target, &[method, 0], path.as_bytes(), &[0]].concat()
}

pub(crate) fn spawn(net_id: u32, synchronizer: u32, name: &str) -> Vec<u8> {
    let len = name.len() as u32 + 1;
    let numbers = [1, net_id, 1, len, synchronizer].map(u32::to_le_bytes);
    [&[4, 0][..], numbers.as_flattened(), name.as_bytes(), &[0]].concat()
}

pub(crate) fn despawn(net_id: u32) -> Vec<u8> {
    [&[5][..], &net_id.to_le_bytes()].concat()
}

pub(crate) fn sync(time: u16, synchronizer: u32, values: &[u8]) -> Vec<u8> {
    let numbers = [synchronizer, values.len() as u32].map(u32::to_le_bytes);
    [&[6][..], &time.to_le_bytes(), numbers.as_flattened(), values].concat()
}

pub(crate) fn value(value: impl gdwire::encode::Encode) -> Vec<u8> {
    gdwire::encode(Dialect::GODOT_4, &value).unwrap()
}
