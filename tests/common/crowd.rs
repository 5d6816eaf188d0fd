//! A recorded game with many clients: its packets once for each client.

use gdwire::capture::Capture;
use gdwire::packet::LinkType;

/// The offset of the IPv4 header in an Ethernet frame.
const IP: usize = 14;

/// The packets of a capture from the loopback interface, once for each of this many clients, each
/// with an address of its own. All clients play at the same time, a millisecond apart from each
/// other. The server's port is one of those of the recordings.
pub fn crowd(capture: &[u8], clients: u16) -> Vec<u8> {
    crowd_at(capture, clients, |client, _, time| time + i64::from(client) * 1_000_000)
}

/// As [`crowd`]. `when` gives the time of each packet, in nanoseconds, from the client's number, the
/// number of the packet in the recording, and its time there.
pub fn crowd_at(capture: &[u8], clients: u16, when: impl Fn(u16, usize, i64) -> i64) -> Vec<u8> {
    let packets: Vec<_> = Capture::new(capture).unwrap().map(Result::unwrap).collect();
    let mut all = Vec::new();
    for client in 0..clients {
        let [high, low] = client.to_be_bytes();
        for (number, packet) in packets.iter().enumerate() {
            assert_eq!(packet.link_type, LinkType::ETHERNET);
            let mut data = packet.data.to_vec();
            assert_eq!(data[IP], 0x45, "IPv4 without options");
            let port = |at: usize| u16::from_be_bytes([data[IP + at], data[IP + at + 1]]);
            let is_from_server = is_server(port(20));
            assert!(is_from_server != is_server(port(22)));
            let at = IP + if is_from_server { 16 } else { 12 };
            data[at..at + 4].copy_from_slice(&[10, 7, high, low]);
            all.push((when(client, number, packet.time.unwrap().as_nanos()), data));
        }
    }
    all.sort_by_key(|(time, _)| *time);
    let nanoseconds = [0xa1b2_3c4d_u32, 4 << 16 | 2, 0, 0, 65_535, 1];
    let mut file: Vec<u8> = nanoseconds.map(u32::to_le_bytes).concat();
    for (time, data) in all {
        let (seconds, part) = (time / 1_000_000_000, time % 1_000_000_000);
        let len = data.len() as u32;
        let record = [seconds as u32, part as u32, len, len];
        file.extend(record.map(u32::to_le_bytes).concat());
        file.extend(data);
    }
    file
}

fn is_server(port: u16) -> bool {
    [7777, 7911, 6007].contains(&port)
}
