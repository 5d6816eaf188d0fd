//! A codec for datagrams with one value each.

use super::CodecError;
use crate::value::ReadOptions;
use crate::write::encode::{Encode, encode_into};
use crate::write::shared::VariantBytes;
use bytes::{Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

/// Reads and sends datagrams of one value each, as `PacketPeerUDP.put_var` does: for tokio-util's
/// `UdpFramed`.
///
/// ```
/// # use bytes::BytesMut;
/// # use tokio_util::codec::{Decoder, Encoder};
/// use gdwire::{Dialect, codec::DatagramCodec};
///
/// let mut codec = DatagramCodec::new(Dialect::GODOT_3);
/// let mut datagram = BytesMut::new();
/// codec.encode("hi", &mut datagram)?;
/// let value = codec.decode_eof(&mut datagram)?;
/// assert_eq!(value.as_ref().and_then(|value| value.view().as_str()), Some("hi"));
/// # Ok::<(), gdwire::codec::CodecError>(())
/// ```
///
/// A datagram that is not a value is a [`CodecError::Value`], and the next one can be read. Empty
/// datagrams are skipped: no engine sends one for a value. A received value is a copy. Otherwise it
/// would keep the buffer of 64 KiB in memory that `UdpFramed` receives in.
#[derive(Clone, Debug)]
pub struct DatagramCodec {
    options: ReadOptions,
}

impl DatagramCodec {
    /// Reads and sends values of a dialect. With [`ReadOptions`], it also limits the depth of
    /// received values.
    #[must_use]
    pub fn new(options: impl Into<ReadOptions>) -> DatagramCodec {
        DatagramCodec { options: options.into() }
    }
}

impl Decoder for DatagramCodec {
    type Item = VariantBytes;
    type Error = CodecError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<VariantBytes>, CodecError> {
        if buffer.is_empty() {
            return Ok(None);
        }
        let datagram = Bytes::copy_from_slice(buffer);
        buffer.clear();
        VariantBytes::parse(self.options, datagram).map(Some).map_err(CodecError::Value)
    }
}

impl<T: Encode> Encoder<T> for DatagramCodec {
    type Error = CodecError;

    fn encode(&mut self, value: T, out: &mut BytesMut) -> Result<(), CodecError> {
        let start = out.len();
        if let Err(error) = encode_into(self.options.dialect(), &value, &mut *out) {
            out.truncate(start);
            return Err(error.into());
        }
        Ok(())
    }
}
