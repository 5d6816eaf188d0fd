//! FastLZ, the compression that Godot uses by default for files and packets.
//!
//! Compressed data is a sequence of instructions. The top three bits of an instruction's first byte
//! say what it is:
//!
//! | top bits | instruction |
//! |---|---|
//! | 0 | literals: as many bytes follow as the other five bits say, plus 1 |
//! | 1 to 6 | a match of 3 to 8 bytes: repeats bytes that were written before |
//! | 7 | a longer match |
//!
//! A match has 13 bits for its distance. Two levels differ in long matches: level 1 has one byte
//! for the length, and level 2 any number; level 2 also has a form for distances up to 73,726. The
//! top bits of the very first byte, which begins literals, name the level instead.

#[cfg(any(feature = "peer", feature = "save"))]
mod compress;

#[cfg(any(feature = "peer", feature = "save"))]
pub(crate) use compress::compress;

use alloc::vec::Vec;

/// The engines pad shorter content with zeros to this length before they compress it.
const LEAST: usize = 16;

/// The longest distance that the 13 bits hold in level 1. In level 2, the highest value of these
/// bits announces two more bytes, so there the distance is one less.
const NEAR: usize = 1 << 13;

/// The two formats of long matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FastLzLevel {
    One,
    Two,
}

impl FastLzLevel {
    /// The longest distance without further bytes.
    const fn near(self) -> usize {
        match self {
            FastLzLevel::One => NEAR,
            FastLzLevel::Two => NEAR - 1,
        }
    }
}

/// Why bytes are not FastLZ.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum FastLzProblem {
    #[error("the compressed data ends in the middle of an instruction")]
    End,
    #[error("level {0} is unknown")]
    Level(u8),
    #[error("a match repeats bytes from {distance} bytes back, but there are only {len}")]
    Distance { distance: usize, len: usize },
    #[error("the content is longer than the {limit} bytes that were announced")]
    TooLong { limit: usize },
}

/// Decompresses to the end of `out`, at most `limit` bytes. On an error, `out` has the bytes up to
/// there, and the offset of the instruction in `input` is returned with the problem.
pub(crate) fn decompress(
    input: &[u8],
    limit: usize,
    out: &mut Vec<u8>,
) -> Result<(), (usize, FastLzProblem)> {
    let start = out.len();
    let mut reader = FastLzReader { input, out, start, limit: limit.max(LEAST) };
    let result = reader.run();
    let rest = reader.input.len();
    // Short content was padded.
    out.truncate(start.saturating_add(limit));
    result.map_err(|problem| (input.len().saturating_sub(rest), problem))
}

struct FastLzReader<'i, 'o> {
    input: &'i [u8],
    out: &'o mut Vec<u8>,
    /// The index in `out` at which the content starts.
    start: usize,
    /// How long the content may be.
    limit: usize,
}

impl FastLzReader<'_, '_> {
    fn run(&mut self) -> Result<(), FastLzProblem> {
        let first = *self.input.first().ok_or(FastLzProblem::End)?;
        let level = match first >> 5 {
            0 => FastLzLevel::One,
            1 => FastLzLevel::Two,
            other => return Err(FastLzProblem::Level(other.saturating_add(1))),
        };
        let mut first = Some(first & 0x1f);
        while let Some((byte, rest)) = self.input.split_first() {
            let code = first.take().unwrap_or(*byte);
            // An instruction that fails stays in the input, so that its offset is known.
            self.input = match code >> 5 {
                0 => self.literals(usize::from(code).saturating_add(1), rest)?,
                _ => self.repeat(level, code, rest)?,
            };
        }
        Ok(())
    }

    fn literals<'i>(&mut self, len: usize, rest: &'i [u8]) -> Result<&'i [u8], FastLzProblem> {
        let (literals, rest) = rest.split_at_checked(len).ok_or(FastLzProblem::End)?;
        self.reserve(len)?;
        self.out.extend_from_slice(literals);
        Ok(rest)
    }

    fn repeat<'i>(
        &mut self,
        level: FastLzLevel,
        code: u8,
        mut rest: &'i [u8],
    ) -> Result<&'i [u8], FastLzProblem> {
        let mut next = || {
            let (byte, after) = rest.split_first().ok_or(FastLzProblem::End)?;
            rest = after;
            Ok::<usize, FastLzProblem>(usize::from(*byte))
        };
        let mut len = usize::from(code >> 5).saturating_add(2);
        if code >> 5 == 7 {
            loop {
                let more = next()?;
                len += more;
                if more < 255 || level == FastLzLevel::One {
                    break;
                }
            }
        }
        let mut distance = usize::from(code & 0x1f) << 8 | next()?;
        if distance == level.near() {
            distance += next()? << 8 | next()?;
        }
        self.copy(distance.saturating_add(1), len)?;
        Ok(rest)
    }

    /// Repeats bytes of the content. A match may repeat bytes that it writes itself.
    fn copy(&mut self, distance: usize, len: usize) -> Result<(), FastLzProblem> {
        self.reserve(len)?;
        let content = self.out.len().saturating_sub(self.start);
        let from = self.out.len().checked_sub(distance).filter(|_| distance <= content);
        let mut from = from.ok_or(FastLzProblem::Distance { distance, len: content })?;
        let mut left = len;
        while left > 0 {
            let some = left.min(self.out.len().saturating_sub(from));
            self.out.extend_from_within(from..from.saturating_add(some));
            from += some;
            left = left.saturating_sub(some);
        }
        Ok(())
    }

    fn reserve(&self, len: usize) -> Result<(), FastLzProblem> {
        let content = self.out.len().saturating_sub(self.start);
        if content.saturating_add(len) > self.limit {
            return Err(FastLzProblem::TooLong { limit: self.limit });
        }
        Ok(())
    }
}

#[cfg(all(test, feature = "save"))]
mod tests {
    use super::{compress, decompress};
    use alloc::vec::Vec;

    /// A text twice, at this distance, and then something else. Between are zeros.
    fn repeated(distance: usize, len: usize) -> Vec<u8> {
        let mut content = Vec::new();
        let text = (0..len).map(|at| 1 + (at * at % 251) as u8 % 250);
        content.extend(text.clone());
        content.resize(distance, 0);
        content.extend(text);
        content.extend_from_slice(&[255; 20]);
        content
    }

    fn compressed(content: &[u8]) -> usize {
        let (mut out, mut again) = (Vec::from([9]), Vec::from([8]));
        compress(content, &mut out);
        let packed = out.get(1..).unwrap_or_default();
        assert_eq!(decompress(packed, content.len(), &mut again), Ok(()));
        assert!(again.starts_with(&[8]) && again.ends_with(content));
        assert_eq!(again.len(), content.len() + 1);
        packed.len()
    }

    #[test]
    fn short_content_is_padded_as_the_engines_do_it() {
        for content in [&[][..], &[7; 3], &[7; 15], &[7; 16]] {
            let mut out = Vec::new();
            compress(content, &mut out);
            let mut again = Vec::new();
            assert_eq!(decompress(&out, 16, &mut again), Ok(()));
            let padding = alloc::vec![0; 16 - content.len()];
            assert_eq!(again, [content, &padding].concat());
        }
    }

    #[test]
    fn matches_reach_as_far_as_13_bits_say() {
        for distance in [300, 8_190, 8_191] {
            let (near, far) = (repeated(distance, 60), repeated(distance + 8_192, 60));
            // Beyond that, the text is written again.
            assert!(compressed(&near) + 50 < compressed(&far), "{distance}");
        }
        assert!(compressed(&repeated(8_191, 60)) + 50 < compressed(&repeated(8_192, 60)));
    }

    #[test]
    fn a_long_match_takes_three_bytes_for_each_262() {
        // Three literals with their length, then zeros that repeat those before them.
        let len = |zeros: usize| compressed(&[&[1, 2, 3][..], &alloc::vec![0; zeros]].concat());
        let base = len(270);
        for (zeros, more) in [(270 + 262, 3), (270 + 2 * 262, 6), (270 + 20 * 262, 60)] {
            assert_eq!(len(zeros), base + more, "{zeros}");
        }
        (0..900).for_each(|zeros| {
            len(zeros);
        });
        (20..600).for_each(|text| {
            compressed(&repeated(700, text));
        });
    }
}
