//! Copies of captures with comments on their packets.

use crate::capture::assemble::{BIG, LITTLE, Order, udp_packet};
use crate::capture::formats::section;
use crate::capture::recorded::read;
use gdwire::capture::Capture;
use gdwire::capture::annotate::{Annotated, Comments, annotate};
use gdwire::packet::{Problem, Time};
use std::io::{Cursor, ErrorKind};

fn comments(comments: &[(u64, &str)]) -> Comments<Cursor<Vec<u8>>> {
    let mut kept = Comments::new(|| Ok(Cursor::new(Vec::new())));
    comments.iter().for_each(|(frame, text)| kept.add(*frame, 100, text).unwrap());
    kept
}

pub(crate) fn copy(file: &[u8], on_packets: &[(u64, &str)]) -> (Vec<u8>, Annotated) {
    let mut copy = Vec::new();
    let annotated = annotate(file, comments(on_packets), &mut copy).unwrap();
    (copy, annotated)
}

fn error(file: &[u8]) -> String {
    annotate(file, comments(&[]), &mut Vec::new()).unwrap_err().to_string()
}

/// A packet of 30 bytes, 100 of which were on the network, and its block with these options.
fn cut_packet(order: Order, options: &[u8]) -> Vec<u8> {
    let mut content = order.u32s(&[0, 7, 8, 30, 100]);
    content.extend(udp_packet().iter().cycle().take(30));
    content.extend([0; 2]);
    content.extend_from_slice(options);
    order.block(6, &content)
}

#[test]
fn comments_become_options_before_the_others() {
    for order in [LITTLE, BIG] {
        let end = order.option(0, &[]);
        // Only comments are compared with the prefix; options of other kinds stay as they are.
        let users = [order.option(1, b"mine"), order.option(99, b"gdwire: other")].concat();
        let own = |text: &str| order.option(1, format!("gdwire: {text}").as_bytes());
        let file = |packets: &[&[u8]]| {
            let blocks = packets.iter().flat_map(|options| cut_packet(order, options));
            let start = [order.section(), order.interface(101, 0, &[])].concat();
            start.into_iter().chain(blocks).collect::<Vec<u8>>()
        };
        let original = file(&[&[], &users, &[&users[..], &end].concat(), &end]);
        let on_packets = [(4, "d"), (1, "a"), (2, "b"), (1, "A"), (9, "nowhere")];
        let expected = [
            [own("a"), own("A"), end.clone()].concat(),
            [&own("b")[..], &users].concat(),
            [&users[..], &end].concat(),
            [&own("d")[..], &end].concat(),
        ];
        let expected = file(&expected.each_ref().map(|options| &options[..]));
        let (annotated, done) = copy(&original, &on_packets);
        assert_eq!(annotated, expected);
        let counts = (done.packets, done.comments, done.replaced, done.unplaced, done.damage);
        assert_eq!(counts, (4, 4, 0, 1, None));

        // Again: the old comments are replaced, those of the user are kept.
        let (again, done) = copy(&annotated, &on_packets);
        assert_eq!((again, done.replaced), (expected, 4));
        let (without, _) = copy(&annotated, &[]);
        // An empty list of options and none are the same.
        assert_eq!(without, file(&[&[], &users, &[&users[..], &end].concat(), &[]]));
    }
}

#[test]
fn blocks_of_all_kinds_are_copied_as_they_are() {
    let mixed = [section(LITTLE), section(BIG), section(LITTLE)].concat();
    let (same, done) = copy(&mixed, &[]);
    assert_eq!(same, mixed);
    let packets: Vec<_> = Capture::new(&mixed).unwrap().map(Result::unwrap).collect();
    assert_eq!(done.packets, packets.len() as u64);

    let on_packets: Vec<_> = (1..=done.packets).map(|frame| (frame, "seen")).collect();
    let (annotated, done) = copy(&mixed, &on_packets);
    // One packet of each section is in a Simple Packet Block.
    assert_eq!((done.unplaced, done.comments), (3, packets.len() as u64 - 3));
    let of_copy: Vec<_> = Capture::new(&annotated).unwrap().map(Result::unwrap).collect();
    for (packet, original) in of_copy.iter().zip(&packets) {
        assert_eq!(packet.data, original.data);
        assert_eq!((packet.time, packet.link_type), (original.time, original.link_type));
    }
    assert_eq!(of_copy.len(), packets.len());
    assert_eq!(copy(&annotated, &[]).0, mixed);
}

#[test]
fn the_length_of_a_section_is_no_longer_stated() {
    let mut file = [LITTLE.section(), LITTLE.interface(101, 0, &[])].concat();
    let unstated = file.clone();
    file[16..24].copy_from_slice(&20_u64.to_le_bytes());
    assert_eq!(copy(&file, &[]).0, unstated);
}

#[test]
fn a_recorded_capture_without_the_comments_is_the_original() {
    for name in ["godot3-rpc.pcapng", "godot3-udp-bigendian.pcapng", "godot3-udp-twice.pcapng"] {
        let file = read(name);
        assert_eq!(copy(&file, &[]).0, file, "{name}");
        let (annotated, done) = copy(&file, &[(3, "three"), (3, "drei"), (20, "twenty")]);
        assert_eq!(done.comments, 3);
        assert_eq!(annotated.len(), file.len() + 20 + 16 + 20 + 2 * 4, "{name}");
        assert_eq!(copy(&annotated, &[]).0, file, "{name}");
    }
}

#[test]
fn a_classic_file_becomes_pcapng_with_the_same_packets() {
    for order in [LITTLE, BIG] {
        for (magic, decimals) in [(0xa1b2_c3d4, 6), (0xa1b2_3c4d, 9)] {
            let mut file = order.pcap(magic, 0x2400_0000 | 101, &[&udp_packet()]);
            // The last second of 32 bits, a fraction that is more than a second, a cut packet.
            file.extend(order.u32s(&[u32::MAX, 4_000_000, 5, 9_000]));
            file.extend([1, 2, 3, 4, 5]);
            let (annotated, done) = copy(&file, &[(2, "cut")]);
            assert_eq!((done.packets, done.comments, done.damage), (2, 1, None));
            let [original, copied] = [&file, &annotated].map(|file| {
                let packets = Capture::new(file).unwrap().map(Result::unwrap);
                let packets = packets.map(|it| (it.time, it.data, it.original_len, it.link_type));
                packets.collect::<Vec<_>>()
            });
            assert_eq!(original, copied);
            assert!(copied.iter().all(|it| it.0.unwrap().decimals() == decimals));
            // The interface has the longest captured length of the file, and its clock.
            let interface =
                [LITTLE.u16(101), LITTLE.u16(0), LITTLE.u32(65_535), LITTLE.option(9, &[decimals])];
            assert!(annotated[28 + 8..].starts_with(&interface.concat()));
            // Both packets state that their last four bytes are a frame check sequence.
            let flags = LITTLE.option(2, &(4_u32 << 5).to_le_bytes());
            assert_eq!(annotated.windows(flags.len()).filter(|it| *it == flags).count(), 2);
        }
    }
    let too_large = LITTLE.pcap(0xa1b2_c3d4, 0x0001_0000, &[]);
    assert_eq!(error(&too_large), "pcapng has no room for the link type");
    assert_eq!(error(b"text"), "byte 0: neither a pcap nor a pcapng file");
}

/// Every byte of the copy, with and without a comment, for each way to state a frame check sequence.
#[test]
fn each_packet_of_a_classic_file_has_only_the_options_it_needs() {
    let packet = udp_packet();
    let comment = LITTLE.option(1, b"gdwire: one");
    for (stated, flags) in [
        (0, None),
        (0x2000_0000, None),
        (0x0400_0000, Some(0)),
        (0x2400_0000, Some(128)),
        (0x7400_0000, Some(448)),
        (0x8400_0000, None),
    ] {
        let file = LITTLE.pcap(0xa1b2_c3d4, stated | 101, &[&packet, &packet]);
        let end = LITTLE.option(0, &[]);
        let clock = [LITTLE.option(9, &[6]), end.clone()].concat();
        let flags = flags.map_or(Vec::new(), |flags: u32| LITTLE.option(2, &flags.to_le_bytes()));
        let options = |own: &[u8]| match [own, &flags].concat() {
            none if none.is_empty() => none,
            some => [some, end.clone()].concat(),
        };
        let on_packet = |own: &[u8]| LITTLE.packet(0, 1_000_000_007, &packet, &options(own));
        let start = [LITTLE.section(), LITTLE.interface(101, 65_535, &clock)].concat();
        let expected = [&start[..], &on_packet(&[]), &on_packet(&comment)].concat();
        assert_eq!(copy(&file, &[(2, "one")]).0, expected, "{stated:x}");
    }
}

#[test]
fn classic_files_that_were_joined_by_cat_become_sections() {
    let micro = LITTLE.pcap(0xa1b2_c3d4, 101, &[&udp_packet()]);
    let file = [micro, BIG.pcap(0xa1b2_3c4d, 228, &[&udp_packet(), &[]])].concat();
    let (annotated, done) = copy(&file, &[(1, "first"), (3, "last")]);
    assert_eq!((done.packets, done.comments, done.damage), (3, 2, None));
    assert_eq!(packets(&annotated), packets(&file));
}

#[test]
fn what_follows_damage_is_copied_or_reported() {
    let file = read("godot3-udp.pcapng");
    for len in (300..3_000).step_by(7) {
        let cut = &file[..len];
        let (same, done) = copy(cut, &[]);
        assert_eq!(same, cut);
        let error = Capture::new(cut).unwrap().find_map(Result::err);
        assert_eq!(done.damage, error);
    }
    let file = read("godot3-udp-usec.pcap");
    let (annotated, done) = copy(&file[..1_000], &[]);
    let damage = done.damage.unwrap();
    assert!(matches!(damage.problem, Problem::Cut { .. }));
    assert_eq!(damage.frame, Some(done.packets + 1));
    assert_eq!(Capture::new(&annotated).unwrap().map(Result::unwrap).count() as u64, done.packets);
}

#[test]
fn comments_are_bounded_and_escaped() {
    let file = [LITTLE.section(), LITTLE.interface(101, 0, &[]), cut_packet(LITTLE, &[])].concat();
    let options = |file: &[u8], len: usize, texts: &[String]| {
        let mut comments = comments(&[]);
        texts.iter().for_each(|text| comments.add(1, len, text).unwrap());
        let mut copy = Vec::new();
        annotate(file, comments, &mut copy).unwrap();
        let mut rest = &copy[48 + 28 + 32..];
        let mut found = Vec::new();
        while let [1, 0, low, high, after @ ..] = rest {
            let len = usize::from(u16::from_le_bytes([*low, *high]));
            found.push(String::from_utf8(after[..len].to_vec()).unwrap());
            rest = &after[len.next_multiple_of(4)..];
        }
        found
    };
    let one = |len, text: &str| options(&file, len, &[text.to_owned()]).concat();
    assert_eq!(one(9, "a\u{1b}[31m \"é\"\n\u{e0041}"), "gdwire: a\\u{1b}[31m \"é\"\\n\\u{e0041}");
    let long = "é".repeat(9_999);
    assert_eq!(one(0, &long), format!("gdwire: {}…", "é".repeat((128 - 3) / 2)));
    assert_eq!(one(9, &long).len(), "gdwire: ".len() + 128 + 9 * 16 - 1);
    assert_eq!(one(1 << 30, &long).len(), "gdwire: ".len() + 4096 - 1);
    let many = options(&file, 100, &vec!["x".repeat(992); 1_000]);
    assert_eq!((many.len(), &many[66][..]), (67, "gdwire: 934 more"));
}

#[test]
fn comments_that_do_not_fit_into_memory_are_sorted_through_a_file() {
    let file = read("godot3-udp.pcapng");
    let packets = Capture::new(&file).unwrap().count() as u64;
    let annotated = |memory: usize| {
        let mut comments = comments(&[]).with_memory(memory);
        // In random order, and several for each packet.
        for number in 0..3_000_u64 {
            let frame = number * 7_919 % (packets + 1);
            comments.add(frame, 100, &format!("{number} {}", "x".repeat(frame as usize))).unwrap();
        }
        let mut copy = Vec::new();
        (annotate(&file, comments, &mut copy).unwrap(), copy)
    };
    let (done, expected) = annotated(usize::MAX);
    assert_eq!(done.comments + done.unplaced, 3_000);
    for memory in [0, 1_000, 30_000] {
        assert_eq!(annotated(memory), (done, expected.clone()), "{memory}");
    }
}

/// The memory is free again once the comments in it were written to the file.
#[test]
fn comments_move_to_a_file_when_the_memory_is_full() {
    let mut comments = comments(&[]).with_memory(10_000);
    for frame in 1..=1_000 {
        comments.add(frame, 100, &"x".repeat(68)).unwrap();
    }
    // Each takes 76 bytes of text and three numbers, so a hundred fit.
    assert_eq!(format!("{comments:?}"), "Comments { in_memory: 91, runs: 9, .. }");
}

/// The file is read in pieces of 16 KiB. The text of the last comment follows in another piece than its
/// header.
#[test]
fn the_last_comment_may_be_in_two_pieces_of_the_file() {
    for last in [118, 119, 182, 400] {
        // The prefix has 8 bytes, each header 10, and each comment in memory three numbers.
        let memory = 127 * 118 + 8 + last + 128 * 24 - 1;
        let mut comments = comments(&[]).with_memory(memory);
        for number in 1..=128 {
            let text = "x".repeat(if number == 128 { last } else { 110 });
            comments.add(1, 100, &text).unwrap();
        }
        assert_eq!(format!("{comments:?}"), "Comments { in_memory: 0, runs: 1, .. }", "{last}");
        let done = annotate(&read("godot3-udp.pcapng"), comments, &mut Vec::new()).unwrap();
        assert_eq!((done.comments, done.unplaced), (128, 0), "{last}");
    }
}

/// How many comments were left out is said on their packet, also if a comment on another one follows.
#[test]
fn comments_that_were_left_out_are_counted_on_each_packet() {
    let mut comments = comments(&[]);
    for (frame, each) in [(1, 70), (2, 1), (1, 68)] {
        (0..each).for_each(|_| comments.add(frame, 100, &"x".repeat(992)).unwrap());
    }
    let mut copy = Vec::new();
    let done = annotate(&read("godot3-udp.pcapng"), comments, &mut copy).unwrap();
    let count = |text: &[u8]| copy.windows(text.len()).filter(|it| *it == text).count();
    assert_eq!(done.comments, 67 + 1 + 67);
    assert_eq!([count(b"gdwire: 4 more"), count(b"gdwire: 2 more"), count(b" more")], [1, 1, 2]);
}

/// Time, bytes, length and link type of the packets before the end or the damage.
fn packets(file: &[u8]) -> Vec<(Option<Time>, Vec<u8>, u32, u32)> {
    let packets = Capture::new(file).unwrap().filter_map(Result::ok);
    packets.map(|it| (it.time, it.data.to_vec(), it.original_len, it.link_type.0)).collect()
}

#[test]
fn overwritten_files_keep_the_packets_that_can_be_read() {
    for name in ["godot3-udp-usec.pcap", "godot3-udp.pcapng", "godot3-udp-bigendian.pcapng"] {
        let mut file = read(name);
        file.truncate(1_200);
        for at in 0..file.len() {
            for byte in [0, 0xff, file[at] ^ 0x80, file[at].wrapping_add(1)] {
                let before = std::mem::replace(&mut file[at], byte);
                let mut copy = Vec::new();
                let on_packets = comments(&[(1, "one"), (2, "two"), (2, "again"), (9, "nine")]);
                match (annotate(&file, on_packets, &mut copy), Capture::new(&file)) {
                    (Ok(done), Ok(capture)) => {
                        assert_eq!(packets(&copy), packets(&file), "{name} {at} {byte}");
                        assert_eq!(done.comments + done.unplaced, 4);
                        assert_eq!(done.damage, { capture }.find_map(Result::err));
                    }
                    // Link types of more than 16 bits cannot be expressed.
                    (Err(error), capture) => {
                        assert!(capture.is_err() || error.kind() == ErrorKind::Unsupported);
                    }
                    other => panic!("{name} {at} {byte}: {other:?}"),
                }
                file[at] = before;
            }
        }
    }
}
