//! A value that shares the buffer in which it arrived.

#![expect(unsafe_code, reason = "it makes a checked view again from its parts")]

use crate::value::parse;
use crate::value::wire::TextCheck;
use crate::value::{Dialect, DialectLayout, Error, ReadOptions, VariantRef};
use crate::write::encode::{Builder, Encode, EncodeError, Sink};
use bytes::{Bytes, BytesMut};
use core::fmt;

/// A value with its bytes. It is checked once, and can be kept and sent to other threads.
///
/// [`VariantBytes::view`] returns the view that [`parse`](crate::parse()) returned, without parsing
/// again. A clone shares the bytes, and so does a part of the value, [`VariantBytes::share`].
///
/// ```
/// use bytes::Bytes;
/// use gdwire::{Dialect, VariantBytes};
///
/// let packet = Bytes::from_static(&[4, 0, 0, 0, 2, 0, 0, 0, b'h', b'i', 0, 0]);
/// let value = VariantBytes::parse(Dialect::GODOT_3, packet)?;
/// let reader = std::thread::spawn({
///     let value = value.clone();
///     move || assert_eq!(value.view().as_str(), Some("hi"))
/// });
/// # reader.join().unwrap();
/// # Ok::<(), gdwire::Error>(())
/// ```
///
/// The whole buffer stays in memory, even if the value is a small part of it.
/// `VariantBytes::from(value.view())` copies the value into a buffer of its own.
#[derive(Clone)]
pub struct VariantBytes {
    bytes: Bytes,
    // The results of the check, which each new view needs. Both come from the same view.
    layout: &'static DialectLayout,
    text: TextCheck,
}

impl VariantBytes {
    /// Checks bytes that are one value and nothing else, as [`parse`](crate::parse()) does.
    ///
    /// # Errors
    ///
    /// Those of [`parse`](crate::parse()).
    pub fn parse(options: impl Into<ReadOptions>, bytes: Bytes) -> Result<VariantBytes, Error> {
        let value = parse(options, &bytes)?;
        let (layout, text) = (value.layout(), value.text());
        Ok(VariantBytes { bytes, layout, text })
    }

    /// The value.
    #[inline]
    #[must_use]
    pub fn view(&self) -> VariantRef<'_> {
        // SAFETY: all three were taken from the same view.
        unsafe { VariantRef::validated(self.layout, self.text, &self.bytes) }
    }

    /// A part of the value, in the same buffer. `part` is a view that was found in a view of this
    /// value. Returns `None` if the bytes of `part` are not in this value.
    ///
    /// ```
    /// # use gdwire::{Dialect, VariantBytes, encode, variant};
    /// # let packet = encode(Dialect::GODOT_3, &variant!({ "name": "boss" })).unwrap();
    /// let value = VariantBytes::parse(Dialect::GODOT_3, packet.into())?;
    /// let name = value.view().get("name").and_then(|name| value.share(name));
    /// drop(value);
    /// assert_eq!(name.as_ref().and_then(|name| name.view().as_str()), Some("boss"));
    /// # Ok::<(), gdwire::Error>(())
    /// ```
    #[must_use]
    pub fn share(&self, part: VariantRef<'_>) -> Option<VariantBytes> {
        let (whole, place) = (self.bytes.as_ptr_range(), part.as_bytes().as_ptr_range());
        if place.start < whole.start || place.end > whole.end {
            return None;
        }
        let bytes = self.bytes.slice_ref(part.as_bytes());
        Some(VariantBytes { bytes, layout: part.layout(), text: part.text() })
    }

    /// The dialect in which it was read.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.layout.dialect()
    }

    /// The bytes of the value.
    #[must_use]
    pub const fn as_bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The bytes of the value.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }
}

/// A copy of the bytes of a view in a buffer of its own. They are not checked again.
impl From<VariantRef<'_>> for VariantBytes {
    fn from(value: VariantRef<'_>) -> VariantBytes {
        let bytes = Bytes::copy_from_slice(value.as_bytes());
        VariantBytes { bytes, layout: value.layout(), text: value.text() }
    }
}

impl From<&VariantBytes> for crate::Variant {
    fn from(value: &VariantBytes) -> crate::Variant {
        value.view().into()
    }
}

/// Two values are equal if their views are equal.
impl PartialEq for VariantBytes {
    fn eq(&self, other: &VariantBytes) -> bool {
        self.view() == other.view()
    }
}

impl fmt::Debug for VariantBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.view(), f)
    }
}

/// Encodes the view, in the builder's dialect.
impl Encode for VariantBytes {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        self.view().encode(builder)
    }
}

impl Sink for BytesMut {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}
