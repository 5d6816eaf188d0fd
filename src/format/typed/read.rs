//! The functions that read a type from bytes or from a view.

use super::de::Deserializer;
use super::error::Result;
use crate::value::{ReadOptions, VariantRef};
use serde::Deserialize;

/// Reads a type from a buffer that holds exactly one value.
///
/// ```
/// use gdwire::Dialect;
///
/// let packet = [19, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0];
/// let pair: (u8, u8) = gdwire::from_slice(Dialect::GODOT_3, &packet)?;
/// assert_eq!(pair, (1, 2));
/// # Ok::<(), gdwire::typed::Error>(())
/// ```
///
/// # Errors
///
/// The bytes are not a value, bytes follow the value, or the value does not fit the type: see
/// [`Error`](super::Error).
#[inline]
pub fn from_slice<'de, T: Deserialize<'de>>(
    options: impl Into<ReadOptions>,
    bytes: &'de [u8],
) -> Result<T> {
    let mut deserializer = Deserializer::from_slice(options, bytes);
    let mut result = deserializer.value();
    if result.is_ok()
        && let Err(error) = deserializer.end()
    {
        result = Err(error);
    }
    result
}

/// Reads a type from the front of a buffer. Returns the bytes after it, and the type.
///
/// # Errors
///
/// Those of [`from_slice`], except that bytes may follow the value.
#[inline]
pub fn from_slice_prefix<'de, T: Deserialize<'de>>(
    options: impl Into<ReadOptions>,
    bytes: &'de [u8],
) -> Result<(&'de [u8], T)> {
    let mut deserializer = Deserializer::from_slice(options, bytes);
    let value = deserializer.value()?;
    Ok((deserializer.rest(), value))
}

/// Reads a type from a value that has been parsed, or from a part of one.
///
/// ```
/// use gdwire::{Dialect, encode, from_view, parse, variant};
///
/// #[derive(serde::Deserialize)]
/// struct Item<'a> {
///     name: &'a str,
///     count: u32,
/// }
///
/// # let packet = encode(Dialect::GODOT_3, &variant!({
/// #     "kind": "give", "item": { "name": "arrow", "count": 20 },
/// # }))?;
/// let message = parse(Dialect::GODOT_3, &packet)?;
/// if let Some(item) = message.get("item") {
///     let item: Item = from_view(item)?;
///     assert_eq!((item.name, item.count), ("arrow", 20));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The value does not fit the type. The offset in the error counts from the start of the value.
pub fn from_view<'de, T: Deserialize<'de>>(value: VariantRef<'de>) -> Result<T> {
    from_slice(value.dialect(), value.as_bytes())
}
