//! Bytes to views.

use crate::dialect::ReadOptions;
use crate::error::{Error, Problem, Reading};
use crate::grammar::value;
use crate::view::VariantRef;
use nom::{Finish, IResult, Parser};

/// Reads a buffer that is one value and nothing else.
///
/// ```
/// use gdwire::{Dialect, parse};
///
/// let packet = [4, 0, 0, 0, 2, 0, 0, 0, b'h', b'i', 0, 0];
/// assert_eq!(parse(Dialect::GODOT_3, &packet)?.as_str(), Some("hi"));
/// # Ok::<(), gdwire::Error>(())
/// ```
///
/// # Errors
///
/// Whatever is wrong with the bytes, and [`Problem::TrailingBytes`] if the value ends before them.
#[inline]
pub fn parse(options: impl Into<ReadOptions>, bytes: &[u8]) -> Result<VariantRef<'_>, Error> {
    whole(options.into(), bytes)
}

#[inline]
fn whole(options: ReadOptions, bytes: &[u8]) -> Result<VariantRef<'_>, Error> {
    let (rest, value) = prefix(options, bytes)?;
    if rest.is_empty() {
        return Ok(value);
    }
    let problem = Problem::TrailingBytes { count: rest.len() };
    Err(Error::new(value.as_bytes().len(), Reading::End, problem))
}

/// Reads one value from the front of a buffer: what follows it, and the value.
///
/// ```
/// use gdwire::{Dialect, parse_prefix};
///
/// let (rest, value) = parse_prefix(Dialect::GODOT_3, &[2, 0, 0, 0, 42, 0, 0, 0, 7, 7])?;
/// assert_eq!((value.as_i64(), rest), (Some(42), &[7, 7][..]));
/// # Ok::<(), gdwire::Error>(())
/// ```
///
/// # Errors
///
/// Whatever is wrong with the bytes.
#[inline]
pub fn parse_prefix(
    options: impl Into<ReadOptions>,
    bytes: &[u8],
) -> Result<(&[u8], VariantRef<'_>), Error> {
    prefix(options.into(), bytes)
}

#[inline]
fn prefix(options: ReadOptions, bytes: &[u8]) -> Result<(&[u8], VariantRef<'_>), Error> {
    value(options).parse_complete(bytes).finish()
}

/// Reads one value from the front of what has come so far of a stream.
///
/// ```
/// use gdwire::{Dialect, parse_streaming};
///
/// let int = [2, 0, 0, 0, 42, 0, 0, 0];
/// let few = parse_streaming(Dialect::GODOT_3, &int[..5]);
/// assert_eq!(few, Err(nom::Err::Incomplete(nom::Needed::new(3))));
/// let enough = parse_streaming(Dialect::GODOT_3, &int);
/// assert_eq!(enough.map(|(rest, value)| (rest.len(), value.as_i64())), Ok((0, Some(42))));
/// ```
///
/// # Errors
///
/// `Incomplete` with the number of bytes that are missing at least, or whatever is wrong with
/// the bytes. Each call starts from the front: for values that come in many pieces, see
/// [`crate::stream`].
#[inline]
pub fn parse_streaming(
    options: impl Into<ReadOptions>,
    bytes: &[u8],
) -> IResult<&[u8], VariantRef<'_>, Error> {
    value(options).parse(bytes)
}
