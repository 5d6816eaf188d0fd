//! Builds datagrams command by command, and passes them to a session.

use gdwire::net::Side;
use gdwire::net::enet::{LostMessage, Mode, Session, SessionEvent, SessionLimits};

/// A datagram to a peer, with a sent time.
pub(crate) fn datagram(commands: &[Vec<u8>]) -> Vec<u8> {
    datagram_at(0x1234, commands)
}

/// A datagram to a peer that was sent at a time.
pub(crate) fn datagram_at(sent_time: u16, commands: &[Vec<u8>]) -> Vec<u8> {
    [&[0x80, 1][..], &sent_time.to_be_bytes(), &commands.concat()].concat()
}

/// A datagram of one command.
pub(crate) fn one(command: Vec<u8>) -> Vec<u8> {
    datagram(&[command])
}

fn command(byte: u8, channel: u8, sequence: u16, rest: &[&[u8]]) -> Vec<u8> {
    let sequence = sequence.to_be_bytes();
    [&[byte, channel][..], &sequence, &rest.concat()].concat()
}

fn len(payload: &[u8]) -> [u8; 2] {
    u16::try_from(payload.len()).unwrap().to_be_bytes()
}

pub(crate) fn reliable(channel: u8, sequence: u16, payload: &[u8]) -> Vec<u8> {
    command(0x86, channel, sequence, &[&len(payload), payload])
}

pub(crate) fn unreliable(channel: u8, sequence: u16, number: u16, payload: &[u8]) -> Vec<u8> {
    command(0x07, channel, sequence, &[&number.to_be_bytes(), &len(payload), payload])
}

pub(crate) fn unsequenced(channel: u8, group: u16, payload: &[u8]) -> Vec<u8> {
    command(0x49, channel, 0, &[&group.to_be_bytes(), &len(payload), payload])
}

pub(crate) fn acknowledge(channel: u8, sequence: u16) -> Vec<u8> {
    acknowledge_at(0x1234, channel, sequence)
}

/// Acknowledges a command in a datagram that was sent at a time.
pub(crate) fn acknowledge_at(sent_time: u16, channel: u8, sequence: u16) -> Vec<u8> {
    let (number, sent_time) = (sequence.to_be_bytes(), sent_time.to_be_bytes());
    command(0x01, channel, sequence, &[&number, &sent_time])
}

pub(crate) fn bandwidth_limit(sequence: u16, incoming: u32, outgoing: u32) -> Vec<u8> {
    command(0x8a, 0xff, sequence, &[&[incoming, outgoing].map(u32::to_be_bytes).concat()])
}

pub(crate) fn throttle_configure(sequence: u16, numbers: [u32; 3]) -> Vec<u8> {
    command(0x8b, 0xff, sequence, &[&numbers.map(u32::to_be_bytes).concat()])
}

pub(crate) fn ping(sequence: u16) -> Vec<u8> {
    command(0x85, 0xff, sequence, &[])
}

pub(crate) fn disconnect(sequence: u16, data: u32) -> Vec<u8> {
    command(0x84, 0xff, sequence, &[&data.to_be_bytes()])
}

/// The fields of a connect command, which a test may change.
#[derive(Clone, Copy)]
pub(crate) struct Connecting {
    pub(crate) mtu: u32,
    pub(crate) window: u32,
    pub(crate) channels: u32,
    pub(crate) id: u32,
}

pub(crate) const CONNECTING: Connecting =
    Connecting { mtu: 1_392, window: 32_768, channels: 255, id: 7 };

impl Connecting {
    fn fields(self) -> Vec<u8> {
        let numbers = [self.mtu, self.window, self.channels, 0, 0, 5_000, 2, 2, self.id];
        let numbers = numbers.into_iter().flat_map(u32::to_be_bytes);
        [0, 3, 0xff, 0xff].into_iter().chain(numbers).collect()
    }

    /// A whole datagram, because its receiver has no peer id yet.
    pub(crate) fn connect(self) -> Vec<u8> {
        let data = 99_u32.to_be_bytes();
        [vec![0x8f, 0xff, 0, 1], command(0x82, 0xff, 1, &[&self.fields(), &data])].concat()
    }

    pub(crate) fn verify(self) -> Vec<u8> {
        one(command(0x83, 0xff, 1, &[&self.fields()]))
    }
}

/// The fields of a fragment, which a test may change.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) start: u16,
    pub(crate) count: u32,
    pub(crate) number: u32,
    pub(crate) total: u32,
    pub(crate) offset: u32,
    pub(crate) payload: &'a [u8],
}

impl Part<'_> {
    fn fields(self) -> Vec<u8> {
        let numbers = [self.count, self.number, self.total, self.offset].map(u32::to_be_bytes);
        [&self.start.to_be_bytes(), &len(self.payload)[..], &numbers.concat(), self.payload]
            .concat()
    }

    pub(crate) fn reliable(self, channel: u8) -> Vec<u8> {
        command(0x88, channel, self.start.wrapping_add(self.number as u16), &[&self.fields()])
    }

    pub(crate) fn unreliable(self, channel: u8, sequence: u16) -> Vec<u8> {
        command(0x0c, channel, sequence, &[&self.fields()])
    }
}

/// The fragments of a message, with sequence numbers from `start` on.
pub(crate) fn parts(message: &[u8], len: usize, start: u16) -> Vec<Part<'_>> {
    let count = message.len().div_ceil(len) as u32;
    let parts = message.chunks(len).zip(0_u32..);
    parts
        .map(|(payload, number)| Part {
            start,
            count,
            number,
            total: message.len() as u32,
            offset: number * len as u32,
            payload,
        })
        .collect()
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Given {
    pub(crate) from: Side,
    pub(crate) channel: u8,
    pub(crate) mode: Mode,
    pub(crate) payload: Vec<u8>,
}

/// A session, and its events.
pub(crate) struct Watched {
    pub(crate) session: Session,
    limits: SessionLimits,
    pub(crate) given: Vec<Given>,
    pub(crate) lost: Vec<LostMessage>,
    pub(crate) other: Vec<String>,
}

impl Watched {
    pub(crate) fn new() -> Watched {
        Watched::with_limits(SessionLimits::default())
    }

    pub(crate) fn with_limits(limits: SessionLimits) -> Watched {
        let session = Session::new(limits);
        Watched { session, limits, given: Vec::new(), lost: Vec::new(), other: Vec::new() }
    }

    /// Runs a function on the session, and keeps the events.
    pub(crate) fn run<T>(
        &mut self,
        action: impl FnOnce(&mut Session, &mut dyn FnMut(SessionEvent<'_>)) -> T,
    ) -> T {
        let Watched { session, given, lost, other, .. } = self;
        let result = action(session, &mut |event| match event {
            SessionEvent::Message(message) => given.push(Given {
                from: message.from,
                channel: message.channel,
                mode: message.mode,
                payload: message.payload.to_vec(),
            }),
            SessionEvent::Lost(loss, _) => lost.push(loss),
            event => other.push(format!("{event:?}")),
        });
        assert!(self.session.held_bytes() <= self.limits.held_bytes);
        result
    }

    pub(crate) fn receive(&mut self, from: Side, datagram: &[u8]) {
        self.run(|session, sink| session.receive(from, datagram, sink)).unwrap();
    }

    pub(crate) fn finish(&mut self) {
        self.run(|session, sink| session.finish(sink));
        assert_eq!(self.session.held_bytes(), 0);
    }

    /// Takes the payloads so far, as text.
    pub(crate) fn texts(&mut self) -> Vec<String> {
        let given = self.given.drain(..);
        given.map(|given| String::from_utf8(given.payload).unwrap()).collect()
    }
}
