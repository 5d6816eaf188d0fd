//! The two file formats in all their variants.

use crate::capture::annotated::copy;
use crate::capture::assemble::{BIG, LITTLE, Order, PAYLOAD, udp_packet};
use crate::common::wireshark;
use gdwire::capture::{Capture, PacketReader};
use gdwire::packet::{CapturedPacket, Error, LinkType, Payload, Problem};
use std::fs;
use std::io::{self, Read};
use std::path::Path;

fn packets(file: &[u8]) -> Vec<CapturedPacket<'_>> {
    Capture::new(file).unwrap().collect::<Result<_, _>>().unwrap()
}

/// The times of a file's packets in nanoseconds, and the decimal places of their clock.
fn times(file: &[u8]) -> Vec<Option<(i64, u8)>> {
    let times = packets(file).into_iter().map(|packet| packet.time);
    times.map(|time| time.map(|time| (time.as_nanos(), time.decimals()))).collect()
}

fn error(file: &[u8]) -> Error {
    match Capture::new(file) {
        Ok(capture) => capture.last().unwrap().unwrap_err(),
        Err(error) => error,
    }
}

#[test]
fn classic_files_have_two_byte_orders_and_two_units_of_time() {
    for order in [LITTLE, BIG] {
        let second = 1_000_000_000_000;
        let micro = order.pcap(0xa1b2_c3d4, 101, &[&udp_packet(), &[]]);
        assert_eq!(times(&micro), [Some((second + 7_000, 6)); 2]);
        let nano = order.pcap(0xa1b2_3c4d, 101, &[&udp_packet()]);
        assert_eq!(times(&nano), [Some((second + 7, 9))]);
        assert_eq!(packets(&nano)[0].link_type, LinkType::RAW);
    }
}

#[test]
fn a_modified_classic_file_has_longer_packet_headers() {
    let mut file = LITTLE.pcap(0xa1b2_cd34, 101, &[]);
    file.extend(LITTLE.u32s(&[1, 2, 8, 9, 0, 0]));
    file.extend_from_slice(PAYLOAD);
    assert_eq!(packets(&file)[0].data, PAYLOAD);
    assert!(packets(&file)[0].is_cut());
}

#[test]
fn bits_above_the_link_type_do_not_change_it() {
    let file = LITTLE.pcap(0xa1b2_c3d4, 0x2400_0000 | 101, &[&udp_packet()]);
    assert_eq!(packets(&file)[0].link_type, LinkType::RAW);
}

#[test]
fn classic_files_that_were_joined_by_cat_are_read_one_after_the_other() {
    let files = [
        LITTLE.pcap(0xa1b2_c3d4, 101, &[&udp_packet(), &[]]),
        LITTLE.pcap(0xa1b2_c3d4, 101, &[]),
        BIG.pcap(0xa1b2_3c4d, 228, &[&udp_packet()]),
    ];
    let joined = files.concat();
    let apart: Vec<_> = files.iter().flat_map(|file| packets(file)).collect();
    let without_place = |packets: &[CapturedPacket<'_>]| -> Vec<_> {
        packets.iter().map(|it| (it.time, it.link_type, it.data.to_vec())).collect()
    };
    assert_eq!(without_place(&packets(&joined)), without_place(&apart));
    assert_eq!(packets(&joined).iter().map(|it| it.frame).collect::<Vec<_>>(), [1, 2, 3]);
    // Also from a stream.
    let mut stream = PacketReader::new(joined.as_slice());
    let mut streamed = Vec::new();
    while let Some(packet) = stream.next_packet().unwrap() {
        streamed.push((packet.offset, packet.time, packet.link_type, packet.data.to_vec()));
    }
    let whole = packets(&joined).into_iter();
    let whole: Vec<_> =
        whole.map(|it| (it.offset, it.time, it.link_type, it.data.to_vec())).collect();
    assert_eq!(streamed, whole);
    let cut = error(&[&files[0][..], &files[1][..20]].concat());
    assert!(matches!(cut.problem, Problem::Cut { .. }));
    assert_eq!(cut.offset, files[0].len() as u64);
}

/// Its time has the same bytes as the mark of a file.
#[test]
fn an_empty_packet_is_not_taken_for_another_file() {
    let mut file = LITTLE.pcap(0xa1b2_c3d4, 101, &[]);
    file.extend(LITTLE.u32s(&[0xa1b2_c3d4, 5, 0, 0]));
    assert_eq!(times(&file), [Some((0xa1b2_c3d4 * 1_000_000_000 + 5_000, 6))]);
}

/// A section with every kind of packet block, and blocks of other types in between.
pub(crate) fn section(order: Order) -> Vec<u8> {
    let milliseconds = order.option(9, &[3]);
    let offset = if order.is_big { (-10_i64).to_be_bytes() } else { (-10_i64).to_le_bytes() };
    let shifted = [order.option(9, &[9]), order.option(14, &offset)].concat();
    let packet = udp_packet();
    let len = packet.len().try_into().unwrap();
    let obsolete =
        [order.u16(1), order.u16(0xffff), order.u32s(&[0, 5_000, len, len]), packet.clone()];
    [
        order.section(),
        order.interface(101, 0, &[]),
        order.block(0x0bad_cafe, b"anything"),
        order.interface(228, 30, &milliseconds),
        order.interface(12, 0, &shifted),
        order.packet(0, 1_500_000, &packet, &order.option(1, b"a comment")),
        order.packet(1, 1_500, &packet, &[]),
        order.packet(2, 11_000_000_001, &packet, &[]),
        order.block(2, &obsolete.concat()),
        order.block(3, &[order.u32(len), packet].concat()),
        order.block(5, &order.u32s(&[0, 0, 0])),
    ]
    .concat()
}

#[test]
fn each_section_has_its_own_byte_order_and_interfaces() {
    let file = [section(LITTLE), section(BIG), section(LITTLE)].concat();
    let expected = [
        Some((1_500_000_000, 6)),
        Some((1_500_000_000, 3)),
        Some((1_000_000_001, 9)),
        Some((5_000_000_000, 3)),
        None,
    ];
    assert_eq!(times(&file), expected.repeat(3));
    let links: Vec<_> = packets(&file).iter().map(|packet| packet.link_type.0).collect();
    assert_eq!(links, [101, 228, 12, 228, 101].repeat(3));
    for packet in packets(&file) {
        let Payload::Udp(datagram) = packet.payload() else { panic!("{packet:?}") };
        assert_eq!(datagram.payload, PAYLOAD);
        let start = usize::try_from(packet.offset).unwrap();
        assert_eq!(&file[start..start + packet.data.len()], packet.data);
    }
}

/// A stream whose bytes arrive one by one.
struct Slowly<'a>(&'a [u8]);

impl Read for Slowly<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(&mut into[..1])
    }
}

/// Wireshark also numbers some blocks that are not packets.
#[test]
fn frames_have_the_numbers_of_wireshark() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("numbered.pcapng");
    for order in [LITTLE, BIG] {
        let packet = order.packet(0, 0, &udp_packet(), &[]);
        let custom = order.block(0xbad, &[order.u32(32_473), b"custom".to_vec()].concat());
        let file = [
            &order.section(),
            &order.interface(101, 0, &[]),
            &custom,
            &packet,
            &order.block(0x4000_0bad, &[order.u32(32_473), b"not copied".to_vec()].concat()),
            &order.block(9, b"__REALTIME_TIMESTAMP=1700000000000000\nMESSAGE=hello\n"),
            &packet,
            &order.block(0x0bad_cafe, b"anything"),
            &packet,
            &custom,
        ];
        let file = file.map(|block| &block[..]).concat();
        let numbers = [2, 5, 6];
        assert!(packets(&file).iter().map(|packet| packet.frame).eq(numbers));
        let mut reader = PacketReader::new(Slowly(&file));
        for number in numbers {
            assert_eq!(reader.next_packet().unwrap().unwrap().frame, number);
        }
        assert_eq!(error(&file[..file.len() - custom.len() - 1]).frame, Some(6));
        assert_eq!(error(&file[..file.len() - 1]).frame, Some(7));

        let comments = numbers.map(|number| (number, "seen"));
        let (annotated, done) = copy(&file, &comments);
        assert_eq!((done.comments, done.packets, done.unplaced), (3, 3, 0));
        assert!(packets(&annotated).iter().map(|packet| packet.frame).eq(numbers));

        fs::write(&path, &file).unwrap();
        let fields = ["-T", "fields", "-e", "frame.number", "-e", "frame.interface_id"];
        let arguments = [&["-r", path.to_str().unwrap()], &fields[..]].concat();
        if let Some(lines) = wireshark("tshark", &arguments) {
            let is_packet = |line: &&str| line.ends_with("\t0");
            let lines = lines.iter().map(String::as_str);
            let packets: Vec<_> = lines.filter(is_packet).collect();
            assert_eq!(packets, numbers.map(|number| format!("{number}\t0")));
        }
    }
}

#[test]
fn a_simple_packet_is_as_long_as_its_interface_allows() {
    let packet = udp_packet();
    let content = [LITTLE.u32(500), packet[..24].to_vec()].concat();
    let file =
        [LITTLE.section(), LITTLE.interface(101, 24, &[]), LITTLE.block(3, &content)].concat();
    let packets = packets(&file);
    assert_eq!(packets[0].data, &packet[..24]);
    assert_eq!((packets[0].original_len, packets[0].is_cut()), (500, true));
}

#[test]
fn errors_have_their_place() {
    let start = [LITTLE.section(), LITTLE.interface(101, 0, &[])].concat();
    let at = start.len() as u64;
    let cases: [(&[u8], u64, Option<u64>, Problem); 9] = [
        (b"no capture", 0, None, Problem::UnknownFormat),
        (b"", 0, None, Problem::UnknownFormat),
        (&start[..20], 0, None, Problem::Cut { missing: 8, available: 20 }),
        (
            &[&start[..], &LITTLE.packet(1, 0, PAYLOAD, &[])].concat(),
            at,
            Some(1),
            Problem::UnknownInterface { interface: 1 },
        ),
        (
            &[&start[..], &LITTLE.u32s(&[6, 33, 0, 0, 0, 0, 0, 0, 33, 0])].concat(),
            at,
            Some(1),
            Problem::BlockLength { len: 33 },
        ),
        (
            &[&start[..], &LITTLE.u32s(&[6, 4, 4])].concat(),
            at,
            Some(1),
            Problem::BlockLength { len: 4 },
        ),
        (
            &[&start[..], &LITTLE.block(6, &[0; 16])].concat(),
            at,
            Some(1),
            Problem::BlockTooShort { block_type: 6, len: 28 },
        ),
        (
            &[&start[..], &LITTLE.block(0x0a0d_0d0a, &LITTLE.u32s(&[0x1a2b_3c4d]))].concat(),
            at,
            Some(1),
            Problem::BlockTooShort { block_type: 0x0a0d_0d0a, len: 16 },
        ),
        (
            &[&start[..], &LITTLE.block(6, &LITTLE.u32s(&[0, 0, 0, 9, 9, 0, 0]))].concat(),
            at,
            Some(1),
            Problem::PacketTooLong { len: 9, available: 8 },
        ),
    ];
    for (file, offset, frame, problem) in cases {
        let error = error(file);
        assert_eq!((error.offset, error.frame, error.problem), (offset, frame, problem));
    }
}

#[test]
fn errors_read_as_sentences() {
    let file = LITTLE.pcap(0xa1b2_c3d4, 1, &[&[0; 60], &[0; 60]]);
    assert_eq!(
        error(&file[..130]).to_string(),
        "byte 100 (frame 2): the file is cut off: 30 bytes are left, 46 more are needed"
    );
    assert_eq!(error(b"hm").to_string(), "byte 0: neither a pcap nor a pcapng file");
}

/// A packet is returned once it has arrived, although the stream goes on.
#[test]
fn a_stream_is_read_no_further_than_the_packet() {
    struct Waiting;
    impl Read for Waiting {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::WouldBlock.into())
        }
    }
    let file = LITTLE.pcap(0xa1b2_c3d4, 1, &[&[0; 60]]);
    let (start, rest) = file.split_at(50);
    let mut stream = PacketReader::new(start.chain(rest).chain(Waiting));
    assert_eq!(stream.next_packet().unwrap().unwrap().data, [0; 60]);
    assert!(stream.next_packet().is_err());
}
