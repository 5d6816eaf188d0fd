//! The numbers of frames that `--frames` takes.

use std::str::FromStr;

/// A range of frame numbers, with both ends: `5`, `5-9` or `5-`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Frames {
    first: u64,
    last: u64,
}

impl Frames {
    pub(crate) fn contains(self, frame: u64) -> bool {
        (self.first..=self.last).contains(&frame)
    }
}

impl FromStr for Frames {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Frames, &'static str> {
        const PROBLEM: &str = "write one frame as 5, or a range as 5-9 or 5-";
        let number = |text: &str| {
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| is_number).ok_or(PROBLEM)
        };
        let (first, last) = match text.split_once('-') {
            Some((first, "")) => (number(first)?, u64::MAX),
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(text)?, number(text)?),
        };
        if first > last {
            return Err("the first frame of the range is after the last");
        }
        Ok(Frames { first, last })
    }
}

#[cfg(test)]
mod tests {
    use super::Frames;

    #[test]
    fn ranges_include_their_ends() {
        for (text, frame, is_in) in [
            ("5", 5, true),
            ("5", 6, false),
            ("5-9", 4, false),
            ("5-9", 5, true),
            ("5-9", 9, true),
            ("5-9", 10, false),
            ("5-", u64::MAX, true),
            ("5-", 4, false),
        ] {
            assert_eq!(text.parse::<Frames>().unwrap().contains(frame), is_in, "{text} {frame}");
        }
        for text in ["", "-", "-5", "9-5", "a", "5-b", "+5", "5--9", "18446744073709551616"] {
            assert!(text.parse::<Frames>().is_err(), "{text}");
        }
    }
}
