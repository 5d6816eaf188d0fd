//! Unit tests of the checks of text: each way to check agrees with the standard library.

#[cfg(feature = "serde")]
use super::are_plain_bytes;
use super::{TextCheck, check_text, is_plain, is_plain_item};
use crate::value::wire::content::padded;
use std::vec::Vec;

/// The bytes at which the rules of UTF-8 change.
const EDGES: [u8; 21] = [
    0, 1, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xec, 0xed, 0xef, 0xf0,
    0xf3, 0xf4, 0xf5, 0xff,
];

/// Checks a text in each way: alone, at the front of longer inputs, and by the function for
/// processors without AVX2. All must agree with the standard library.
#[track_caller]
fn check(text: &[u8]) {
    let until_nul = text.split(|byte| *byte == 0).next().unwrap_or(&[]);
    let expected = match core::str::from_utf8(until_nul) {
        Ok(read) if read.len() == text.len() && !read.starts_with('\u{feff}') => {
            Ok(TextCheck::Plain)
        }
        Ok(_) => Ok(TextCheck::Cut),
        Err(error) => Err(error.valid_up_to()),
    };
    let expected_plain = expected == Ok(TextCheck::Plain);
    assert_eq!(check_text(text), expected, "{text:x?}");
    for after in [0, 0xff] {
        let mut bytes = [after; 328];
        let item = 8 + padded(text.len());
        bytes[8..8 + text.len()].copy_from_slice(text);
        let input = &bytes[8..];
        for found in [
            is_plain(input, text.len()),
            is_plain_item(&bytes[..item], input, text.len()),
            is_plain_item(&bytes[..item], &bytes[8..item], text.len()),
        ] {
            assert!(expected_plain || !found, "{text:x?}");
            // The result may wrongly be false without AVX2, or if the padding belongs to a block.
            if has_avx2() && (after == 0 || !(33..35).contains(&text.len())) {
                assert_eq!(found, expected_plain, "{text:x?}");
            }
        }
    }
    #[cfg(target_arch = "x86_64")]
    if text.len() < 64 {
        assert_eq!(super::sse2::is_plain(text), expected_plain, "{text:x?}");
    }
}

fn has_avx2() -> bool {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    return std::is_x86_feature_detected!("avx2");
    #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
    false
}

#[test]
fn short_texts_get_the_same_checks_as_by_the_standard_library() {
    /// The bytes that can follow three others, and some that cannot.
    const LAST: [u8; 6] = [0, 0x7f, 0x80, 0xbf, 0xc2, 0xff];
    check(&[]);
    for first in 0..=255 {
        check(&[first]);
        for second in 0..=255 {
            check(&[first, second]);
            check(&[first, second, 0x80]);
            check(&[first, second, 0x80, 0x80]);
            if EDGES.contains(&first) && EDGES.contains(&second) {
                for third in EDGES {
                    check(&[first, second, third]);
                    LAST.iter().for_each(|last| check(&[first, second, third, *last]));
                }
            }
        }
    }
}

/// Characters of each length, and mistakes, at every place of texts whose lengths are those at which
/// the number of blocks changes.
#[test]
fn long_texts_get_the_same_checks_as_by_the_standard_library() {
    const PARTS: [&[u8]; 22] = [
        b"\0",
        b"\x7f",
        b"\x80",
        b"\xbf",
        b"\xc0\x80",
        b"\xc1\xbf",
        b"\xc2\x80",
        b"\xdf\xbf",
        b"\xd0\xb6\x80",
        b"\xe0\x9f\xbf",
        b"\xe0\xa0\x80",
        b"\xed\x9f\xbf",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
        b"\xef\xbf\xbf\xbf",
        b"\xf0\x8f\xbf\xbf",
        b"\xf0\x90\x80\x80",
        b"\xf4\x8f\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xf5\x80\x80\x80",
        b"\xf0\x9f\x8e\xae\x80",
        b"\xff",
    ];
    let lengths = (1..=37).chain(61..=69).chain(94..=100).chain(126..=134).chain(159..=164);
    for length in lengths {
        for fill in ["a", "\u{436}", "\u{65e5}"] {
            let text: Vec<u8> = fill.bytes().cycle().take(length).collect();
            check(&text);
            for part in PARTS {
                // Near the start, the end, and the borders of blocks.
                for place in (0..length).filter(|place| (place + 5) % 32 < 10 || place + 5 > length)
                {
                    let mut text = text.clone();
                    let end = length.min(place + part.len());
                    text[place..end].copy_from_slice(&part[..end - place]);
                    check(&text);
                }
            }
        }
    }
}

/// Parts of a character at the end of one pair of blocks, and ASCII in the next.
#[test]
fn characters_that_end_early_are_found_before_ascii() {
    for length in [160, 200, 300] {
        for place in 28..length {
            for part in ["\u{436}", "\u{65e5}", "\u{1f3ae}"] {
                for end in 1..=part.len() {
                    let mut text = [b'a'; 300];
                    let end = end.min(length - place);
                    text[place..place + end].copy_from_slice(&part.as_bytes()[..end]);
                    check(&text[..length]);
                }
            }
        }
    }
}

#[test]
fn a_text_that_its_input_lacks_is_not_plain() {
    for length in [1, 8, 9, 16, 17, 32, 33, 34, 35, 64, 65, 200] {
        let input = [b'a'; 200];
        assert!(is_plain(&input[..length], length) || (33..35).contains(&length));
        assert!(!is_plain(&input[..length - 1], length));
        assert!(!is_plain(&[], length));
    }
    assert!(!is_plain(&[b'a'; 8], usize::MAX));
}

#[cfg(feature = "serde")]
#[test]
fn short_plain_text_is_distinguished_from_other_text_at_every_length_and_place() {
    for length in 0..=8 {
        assert!(are_plain_bytes(b"abcdefgh", length));
        for place in 0..8 {
            for other in [0, 0x80, 0xff] {
                let mut bytes = *b"abcdefgh";
                bytes[place] = other;
                // Bytes after the text do not count.
                assert_eq!(are_plain_bytes(&bytes, length), place >= length, "{other} at {place}");
            }
        }
    }
    assert!(!are_plain_bytes(b"abcdefgh", 9));
}
