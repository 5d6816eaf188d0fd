//! Numbers in decimal: the fewest digits that read back to the same number.

use super::gather::Gather;
use core::fmt::{self, Display, Write};

/// The only single-precision number that changes if its fewest digits are read as a double and then
/// rounded to single precision: 7.038531e-26 becomes its neighbour. All others have been tried.
const ROUNDED_TWICE: u32 = 0x15ae_43fd;

/// A real. Its decimal form is plain from 1e-5 up to 1e16; other numbers have an exponent of at least
/// two digits.
///
/// Read as a double and rounded to its width, it gives the same real again.
pub(crate) trait Decimal: Copy + Into<f64> {
    /// Writes a finite number. A whole number ends in `.0`.
    fn write(self, out: &mut Gather<'_>) -> fmt::Result;

    /// Writes a finite number. A whole number has no decimal point, except for negative zero: readers
    /// take `-0` for an integer, which has no negative zero.
    fn write_short(self, out: &mut Gather<'_>) -> fmt::Result;
}

macro_rules! decimal {
    ($real:ident $plain_end:literal) => {
        impl Decimal for $real {
            #[inline]
            fn write(self, out: &mut Gather<'_>) -> fmt::Result {
                // Many numbers in games are whole and small.
                let whole = self as i32;
                if $real::from(whole as i16).to_bits() == self.to_bits() {
                    if let Some(digit) = digit(whole) {
                        return out.ascii([digit, b'.', b'0']);
                    }
                    out.int(whole)?;
                    return out.text(".0");
                }
                if (1e-5..$plain_end).contains(&self.abs()) {
                    return out.text(zmij::Buffer::new().format_finite(self));
                }
                rare(self, false, out)
            }

            #[inline]
            fn write_short(self, out: &mut Gather<'_>) -> fmt::Result {
                let whole = self as i32;
                if $real::from(whole as i16).to_bits() == self.to_bits() {
                    return match digit(whole) {
                        Some(digit) => out.ascii([digit]),
                        None => out.int(whole),
                    };
                }
                if (1e-5..$plain_end).contains(&self.abs()) {
                    return out.text(short(zmij::Buffer::new().format_finite(self)));
                }
                rare(self, true, out)
            }
        }
    };
}

// From 1e13 on, zmij writes singles with an exponent.
decimal! { f32 1e13 }
decimal! { f64 1e16 }

/// The digit of a number that has only one. Most components of positions and speeds are such numbers.
#[inline]
const fn digit(number: i32) -> Option<u8> {
    match number {
        0..=9 => Some(b'0'.saturating_add(number as u8)),
        _ => None,
    }
}

/// The digits of a number without the fraction of a whole number.
fn short(digits: &str) -> &str {
    match digits.strip_suffix(".0") {
        Some("-0") | None => digits,
        Some(whole) => whole,
    }
}

/// Writes a number that is very large or very small.
#[cold]
#[inline(never)]
fn rare<T: Decimal + zmij::Float + Display>(
    number: T,
    is_short: bool,
    out: &mut Gather<'_>,
) -> fmt::Result {
    let double: f64 = number.into();
    let mut buffer = zmij::Buffer::new();
    if size_of::<T>() == size_of::<f32>() {
        let magnitude = double.abs();
        if magnitude == f64::from(f32::from_bits(ROUNDED_TWICE)) {
            return out.text(buffer.format_finite(double));
        }
        if (1e13..1e16).contains(&magnitude) {
            return write!(out, "{number}{}", if is_short { "" } else { ".0" });
        }
        if (1e-6..1e-5).contains(&magnitude) {
            // zmij writes singles of this size without an exponent.
            let plain = buffer.format_finite(number);
            let (sign, plain) = plain.strip_prefix('-').map_or(("", plain), |plain| ("-", plain));
            let digits = plain.strip_prefix("0.00000").unwrap_or(plain);
            let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, ""));
            let point = if rest.is_empty() { "" } else { "." };
            return [sign, first, point, rest, "e-06"].into_iter().try_for_each(|it| out.text(it));
        }
    }
    let digits = buffer.format_finite(number);
    match digits.split_at_checked(digits.len().saturating_sub(1)) {
        // An exponent has at least two digits.
        Some((start, last)) if start.ends_with("e-") => write!(out, "{start}0{last}"),
        _ if is_short => out.text(short(digits)),
        _ => out.text(digits),
    }
}

#[cfg(all(test, feature = "alloc"))]
#[allow(clippy::unwrap_used, reason = "helpers of tests are tests")]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;

    fn written(write: impl FnOnce(&mut Gather<'_>) -> fmt::Result) -> String {
        let mut text = alloc::vec::Vec::new();
        Gather::to(&mut text, write).unwrap();
        String::from_utf8(text).unwrap()
    }

    fn float(number: f64) -> String {
        written(|out| number.write(out))
    }

    fn component(number: f32) -> String {
        written(|out| number.write_short(out))
    }

    /// The expected text, made by the standard library.
    fn expected(number: &(impl fmt::Display + fmt::LowerExp), is_plain: bool, end: &str) -> String {
        if is_plain {
            let plain = format!("{number}");
            let is_whole = !plain.contains('.');
            return plain + if is_whole { end } else { "" };
        }
        let text = format!("{number:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap();
        let exponent: i32 = exponent.parse().unwrap();
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{mantissa}e{sign}{:02}", exponent.abs())
    }

    /// If two numbers with the fewest digits are equally near, the standard library takes the
    /// greater one, and `zmij` takes the one whose last digit is even.
    fn assert_same<T>(text: &str, expected: &str)
    where
        T: core::str::FromStr<Err: fmt::Debug> + PartialEq + fmt::Debug,
    {
        if text != expected {
            assert_eq!(text.len(), expected.len(), "{text} {expected}");
            assert_eq!(text.parse::<T>().unwrap(), expected.parse::<T>().unwrap());
        }
    }

    #[test]
    fn digits_are_those_of_the_standard_library() {
        let mut state = 1_u64;
        for _ in 0..30_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let bits = state ^ state >> 29;
            let any = f64::from_bits(bits);
            let any_single = f32::from_bits((bits >> 32) as u32);
            // Numbers such as 1.25, and those around the bounds of the plain form.
            let fraction = f64::from(bits as i32) / f64::from(1 << (bits >> 59));
            let bounds = [1e-6, 1e-5, 1e-4, 1e13, 1e15, 1e16];
            let near = fraction.fract() * bounds[(bits % 6) as usize];
            let small = f64::from(bits as i8);
            for double in [any, fraction, near, small].into_iter().filter(|it| it.is_finite()) {
                let is_plain = double == 0.0 || (1e-5..1e16).contains(&double.abs());
                assert_same::<f64>(&float(double), &expected(&double, is_plain, ".0"));
            }
            for single in [any_single, fraction as f32, near as f32, small as f32] {
                let magnitude = single.abs();
                if single.is_finite() && magnitude.to_bits() != ROUNDED_TWICE {
                    let is_plain = magnitude == 0.0 || (1e-5..1e16).contains(&magnitude);
                    let end = if single.to_bits() == 1 << 31 { ".0" } else { "" };
                    assert_same::<f32>(&component(single), &expected(&single, is_plain, end));
                    let pointed = written(|out| single.write(out));
                    assert_same::<f32>(&pointed, &expected(&single, is_plain, ".0"));
                }
            }
        }
    }

    #[test]
    fn floats_show_that_they_are_floats() {
        for (number, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (2.5, "2.5"),
            (1e10, "10000000000.0"),
            (16_777_217.0, "16777217.0"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (1e100, "1e+100"),
            (1e-45, "1e-45"),
            (-1.5e-7, "-1.5e-07"),
            (1e-5, "0.00001"),
            (f64::MAX, "1.7976931348623157e+308"),
            (-f64::MIN_POSITIVE, "-2.2250738585072014e-308"),
        ] {
            assert_eq!(float(number), text);
        }
    }

    #[test]
    fn components_have_the_digits_of_their_width() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "-0.0"),
            (1.0, "1"),
            (0.1, "0.1"),
            (1e10, "10000000000"),
            (f32::MAX, "3.4028235e+38"),
            (1e-45, "1e-45"),
        ] {
            assert_eq!(component(number), text);
        }
    }

    #[test]
    fn singles_survive_being_read_as_doubles() {
        // Every 4,099th number, and the neighbours of the one that needs more digits.
        let all = (0..=u32::MAX).step_by(4_099);
        for bits in all.chain(ROUNDED_TWICE - 100..ROUNDED_TWICE + 100) {
            let number = f32::from_bits(bits);
            if number.is_finite() {
                let read: f64 = component(number).parse().unwrap();
                assert_eq!((read as f32).to_bits(), bits, "{number:e}");
            }
        }
        for sign in [1.0, -1.0] {
            let number = sign * f32::from_bits(ROUNDED_TWICE);
            assert_ne!(format!("{number:e}").parse::<f64>().unwrap() as f32, number);
            assert_eq!(component(number).parse::<f64>().unwrap() as f32, number);
        }
    }
}
