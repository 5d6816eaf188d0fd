//! Numbers in decimal: the fewest digits that read back to the same number.

use core::fmt::{self, Display, LowerExp, Write};
use core::str;

/// The only single-precision number that changes if its fewest digits are read as a double and then
/// rounded to single precision: 7.038531e-26 becomes its neighbour. All others have been tried.
const ROUNDED_TWICE: u32 = 0x15ae_43fd;

/// A finite real in decimal. Numbers from 1e-5 up to 1e16 are plain, others have an exponent of at
/// least two digits.
///
/// Read as a double and rounded to its width, it gives the same real again.
#[derive(Clone, Copy)]
pub(crate) struct Decimal<T> {
    pub(crate) number: T,
    /// Whether a whole number ends in `.0`. Negative zero always does, because readers take `-0`
    /// for an integer, which has no negative zero.
    pub(crate) is_pointed: bool,
}

impl Display for Decimal<f64> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.number.abs();
        if magnitude != 0.0 && !(1e-5..1e16).contains(&magnitude) {
            return scientific(f, &self.number);
        }
        // A whole number of this size fits in an integer of 64 bits.
        let is_whole = self.number as i64 as f64 == self.number;
        let is_negative_zero = magnitude == 0.0 && self.number.is_sign_negative();
        plain(f, &self.number, is_whole && (self.is_pointed || is_negative_zero))
    }
}

impl Display for Decimal<f32> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.number.abs();
        if magnitude.to_bits() == ROUNDED_TWICE {
            return scientific(f, &f64::from(self.number));
        }
        if magnitude != 0.0 && !(1e-5..1e16).contains(&magnitude) {
            return scientific(f, &self.number);
        }
        let is_whole = self.number as i64 as f32 == self.number;
        let is_negative_zero = magnitude == 0.0 && self.number.is_sign_negative();
        plain(f, &self.number, is_whole && (self.is_pointed || is_negative_zero))
    }
}

fn plain(f: &mut fmt::Formatter<'_>, number: &impl Display, is_pointed: bool) -> fmt::Result {
    // Format it anew, so that the caller's width does not apply.
    write!(f, "{number}{}", if is_pointed { ".0" } else { "" })
}

/// Writes an exponent as C does, `1.5e+20`. Rust writes neither the plus nor a second digit.
fn scientific(f: &mut fmt::Formatter<'_>, number: &impl LowerExp) -> fmt::Result {
    let mut digits = Digits { bytes: [0; 32], len: 0 };
    write!(digits, "{number:e}")?;
    let Some((mantissa, exponent)) = digits.as_str().split_once('e') else {
        return f.write_str(digits.as_str());
    };
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    write!(f, "{mantissa}e{sign}{exponent:0>2}")
}

/// Room for the longest double, which has 24 characters.
struct Digits {
    bytes: [u8; 32],
    len: usize,
}

impl Digits {
    fn as_str(&self) -> &str {
        self.bytes.get(..self.len).and_then(|digits| str::from_utf8(digits).ok()).unwrap_or("")
    }
}

impl Write for Digits {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;

    fn float(number: f64) -> String {
        format!("{}", Decimal { number, is_pointed: true })
    }

    fn component(number: f32) -> String {
        format!("{}", Decimal { number, is_pointed: false })
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
