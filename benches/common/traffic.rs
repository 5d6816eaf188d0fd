//! Generates captures of long sessions. The recorded captures are too short to measure the cost of
//! each message.

use gdwire::follow::Transport;

/// The payload of a full segment on Ethernet.
const SEGMENT: usize = 1460;

/// Writes a classic pcap of IPv4 packets.
pub struct Traffic {
    pub file: Vec<u8>,
    packets: u32,
}

/// One session between a server and a client, which sends it messages.
pub struct Session {
    transport: Transport,
    client: u16,
    sequence: u32,
    number: u16,
    /// The bytes of a stream that do not fill a segment yet.
    pending: Vec<u8>,
}

impl Traffic {
    pub fn new() -> Traffic {
        // Magic number, version 2.4, zone, accuracy, longest packet, link type RAW.
        let mut file = Vec::new();
        for word in [0xa1b2_c3d4_u32, 4 << 16 | 2, 0, 0, 65_535, 101] {
            file.extend(word.to_le_bytes());
        }
        Traffic { file, packets: 0 }
    }

    fn packet(&mut self, protocol: u8, transport: &[u8], payload: &[u8]) {
        let length = 20 + transport.len() + payload.len();
        let seconds = self.packets / 10_000;
        let microseconds = self.packets % 10_000 * 100;
        for word in [seconds, microseconds, length as u32, length as u32] {
            self.file.extend(word.to_le_bytes());
        }
        self.packets += 1;
        self.file.extend([0x45, 0]);
        self.file.extend((length as u16).to_be_bytes());
        self.file.extend([0, 0, 0, 0, 64, protocol, 0, 0, 10, 0, 0, 2, 10, 0, 0, 1]);
        self.file.extend_from_slice(transport);
        self.file.extend_from_slice(payload);
    }

    fn udp(&mut self, client: u16, payload: &[u8]) {
        let mut header = Vec::with_capacity(8);
        for half in [client, 7777, 8 + payload.len() as u16, 0] {
            header.extend(half.to_be_bytes());
        }
        self.packet(17, &header, payload);
    }

    fn tcp(&mut self, client: u16, sequence: u32, flags: u8, payload: &[u8]) {
        let mut header = Vec::with_capacity(20);
        header.extend(client.to_be_bytes());
        header.extend(7777_u16.to_be_bytes());
        header.extend(sequence.to_be_bytes());
        header.extend([0, 0, 0, 0, 0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
        self.packet(6, &header, payload);
    }
}

impl Session {
    /// Begins a session.
    pub fn begin(traffic: &mut Traffic, transport: Transport, client: u16) -> Session {
        let mut session =
            Session { transport, client, sequence: 1000, number: 0, pending: Vec::new() };
        if transport.is_over_tcp() {
            traffic.tcp(client, 999, 2, &[]);
        }
        if transport == Transport::WebSocket {
            session.stream(
                traffic,
                b"GET / HTTP/1.1\r\nHost: game\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                  Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            );
            session.end(traffic);
        }
        session
    }

    /// Sends a message.
    pub fn send(&mut self, traffic: &mut Traffic, message: &[u8]) {
        let length = message.len() as u16;
        match self.transport {
            Transport::Udp => traffic.udp(self.client, message),
            Transport::Enet => {
                self.number = self.number.wrapping_add(1);
                let mut datagram = vec![0x80, 0, 0, 0, 0x86, 0];
                datagram.extend(self.number.to_be_bytes());
                datagram.extend(length.to_be_bytes());
                datagram.extend_from_slice(message);
                traffic.udp(self.client, &datagram);
            }
            Transport::Tcp => {
                let framed = [&u32::from(length).to_le_bytes()[..], message].concat();
                self.stream(traffic, &framed);
            }
            _ => {
                let mask = self.sequence.to_le_bytes();
                let mut frame = vec![0x82, 0x80 | 126];
                frame.extend(length.to_be_bytes());
                frame.extend(mask);
                frame.extend(message.iter().zip(mask.iter().cycle()).map(|(byte, by)| byte ^ by));
                self.stream(traffic, &frame);
            }
        }
    }

    fn stream(&mut self, traffic: &mut Traffic, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        while self.pending.len() >= SEGMENT {
            traffic.tcp(self.client, self.sequence, 0x10, &self.pending[..SEGMENT]);
            self.sequence = self.sequence.wrapping_add(SEGMENT as u32);
            self.pending.drain(..SEGMENT);
        }
    }

    /// Sends the pending bytes.
    pub fn end(&mut self, traffic: &mut Traffic) {
        if !self.pending.is_empty() {
            traffic.tcp(self.client, self.sequence, 0x18, &self.pending);
            self.sequence = self.sequence.wrapping_add(self.pending.len() as u32);
            self.pending.clear();
        }
    }
}

/// A capture of one session that sends the same message this many times.
pub fn session(transport: Transport, message: &[u8], messages: usize) -> Vec<u8> {
    let mut traffic = Traffic::new();
    let mut session = Session::begin(&mut traffic, transport, 40_000);
    for _ in 0..messages {
        session.send(&mut traffic, message);
    }
    session.end(&mut traffic);
    traffic.file
}
