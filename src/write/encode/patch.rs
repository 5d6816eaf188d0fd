//! Changes one part of an encoded value: writes that part anew, and copies everything else.

#[cfg(feature = "alloc")]
use super::path::located;
use super::{Builder, Encode, EncodeError, Sink, SliceSink};
use crate::value::{AccessError, MAX_DEPTH, VariantRef};
#[cfg(feature = "alloc")]
use alloc::borrow::ToOwned;
use core::ops::Range;

/// The reason why a value could not be patched.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// There is no value at the path, or the path is not valid.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The new value cannot be encoded, or the buffer is too small.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// Copies a value to the start of a slice, but replaces the value at the end of a path. Returns the
/// length of the copy.
///
/// Everything else is copied byte for byte. Paths have the form of [`VariantRef::at`]. Nothing is
/// allocated unless there is an error.
///
/// ```
/// use gdwire::encode::patch;
/// use gdwire::{Dialect, encode, parse, variant};
///
/// let packet = encode(Dialect::GODOT_4, &variant!({ "player": { "name": "Zoë", "hp": 87 } }))?;
/// let mut buffer = [0; 512];
/// let length = patch(parse(Dialect::GODOT_4, &packet)?, "/player/hp", &100, &mut buffer)?;
/// let patched = parse(Dialect::GODOT_4, &buffer[..length])?;
/// assert_eq!(patched.at("/player/hp")?.to::<i32>()?, 100);
/// assert_eq!(patched.at("/player/name")?.to::<&str>()?, "Zoë");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// This does not check whether a typed container may contain the new value. A value of the same
/// length can be replaced without a copy: see [`VariantRef::range_in`].
///
/// # Errors
///
/// [`PatchError::Access`] if there is no value at the path, [`PatchError::Encode`] if the dialect
/// cannot express the new value, or if the slice is too small. The path in the error leads from the
/// root of the whole value to the part of the new value that cannot be expressed.
pub fn patch<T: Encode + ?Sized>(
    value: VariantRef<'_>,
    path: &str,
    new: &T,
    slice: &mut [u8],
) -> Result<usize, PatchError> {
    Ok(patch_into(value, path, new, SliceSink::new(slice))?.needed())
}

/// Writes a value to a sink, but replaces the value at the end of a path: see [`patch()`].
///
/// ```
/// use gdwire::encode::patch_into;
/// use gdwire::{Dialect, encode, parse, variant};
///
/// let packet = encode(Dialect::GODOT_3, &variant!({ "tags": ["boss", null] }))?;
/// let patched = patch_into(parse(Dialect::GODOT_3, &packet)?, "/tags/1", "fire", Vec::new())?;
/// assert_eq!(patched, encode(Dialect::GODOT_3, &variant!({ "tags": ["boss", "fire"] }))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Those of [`patch()`]. The sink may already contain a part of the value.
pub fn patch_into<T: Encode + ?Sized, S: Sink>(
    value: VariantRef<'_>,
    path: &str,
    new: &T,
    mut sink: S,
) -> Result<S, PatchError> {
    let place = value.at(path)?;
    let bytes = value.as_bytes();
    let end = place.offset().saturating_add(place.value().as_bytes().len());
    // Each segment leads into one container.
    let around = path.matches('/').count();
    let limit = usize::from(MAX_DEPTH).saturating_sub(around) as u16;
    sink.put(bytes.get(..place.offset()).unwrap_or(&[]));
    let mut builder = Builder::with_depth(value.dialect(), sink, limit);
    #[cfg(feature = "alloc")]
    new.encode(&mut builder).map_err(|error| {
        let error = located(error, value.dialect(), limit, new);
        let inner = error.path().to_owned();
        error.at(&(path.to_owned() + &inner))
    })?;
    #[cfg(not(feature = "alloc"))]
    new.encode(&mut builder)?;
    let mut sink = builder.finish_part()?;
    sink.put(bytes.get(end..).unwrap_or(&[]));
    sink.check()?;
    Ok(sink)
}

impl VariantRef<'_> {
    /// The position of the value in `input`, the input that it was read from. `None` if it was read
    /// from another input.
    ///
    /// A value of the same length can be written there, without a copy of the rest:
    ///
    /// ```
    /// use gdwire::{Dialect, encode, encode_to_slice, parse, variant};
    ///
    /// let mut packet = encode(Dialect::GODOT_4, &variant!({ "hp": 87, "alive": true }))?;
    /// let hp = parse(Dialect::GODOT_4, &packet)?.get("hp").and_then(|hp| hp.range_in(&packet));
    /// let place = &mut packet[hp.ok_or("no hp")?];
    /// let length = place.len();
    /// assert_eq!(encode_to_slice(Dialect::GODOT_4, &100, place)?, length);
    /// assert_eq!(packet, encode(Dialect::GODOT_4, &variant!({ "hp": 100, "alive": true }))?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn range_in(self, input: &[u8]) -> Option<Range<usize>> {
        let bytes = self.as_bytes();
        let start = bytes.as_ptr().addr().checked_sub(input.as_ptr().addr())?;
        let end = start.checked_add(bytes.len())?;
        (end <= input.len()).then_some(start..end)
    }
}
