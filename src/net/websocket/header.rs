//! Reads the headers of WebSocket frames (RFC 6455, section 5.2).

/// The bit of the first byte that marks control frames.
pub(crate) const CONTROL: u8 = 0x08;

/// The header of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Header {
    pub(crate) is_final: bool,
    /// RSV1: the message is compressed (RFC 7692).
    pub(crate) is_compressed: bool,
    pub(crate) opcode: Opcode,
    pub(crate) mask: Option<[u8; 4]>,
    /// The length of the header, in bytes.
    pub(crate) length: usize,
    /// The length of the payload, in bytes.
    pub(crate) payload: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Opcode {
    Continuation,
    Text,
    Binary,
    Close,
    Ping,
    Pong,
}

/// The result of reading a header.
pub(crate) enum HeaderRead {
    Header(Header),
    /// At least this many more bytes are needed.
    Needed(usize),
    /// The bytes are not a valid header.
    Malformed,
}

impl Header {
    /// Whether a byte may be the first one of a whole message, or of a control frame.
    pub(crate) const fn may_be_whole(first: u8) -> bool {
        matches!(first, 0x81 | 0x82 | 0xc1 | 0xc2 | 0x88..=0x8a)
    }

    pub(crate) fn read(bytes: &[u8]) -> HeaderRead {
        let Some(([first, second], rest)) = bytes.split_first_chunk() else {
            return HeaderRead::Needed(2usize.saturating_sub(bytes.len()));
        };
        let opcode = match first & 0x0f {
            0 => Opcode::Continuation,
            1 => Opcode::Text,
            2 => Opcode::Binary,
            8 => Opcode::Close,
            9 => Opcode::Ping,
            10 => Opcode::Pong,
            _ => return HeaderRead::Malformed,
        };
        let is_final = first & 0x80 != 0;
        let short = second & 0x7f;
        let is_control = first & CONTROL != 0;
        // No extension uses RSV2 and RSV3. Control frames have up to 125 bytes, and are neither
        // fragmented nor compressed.
        if first & 0x30 != 0 || is_control && (!is_final || short > 125 || first & 0x40 != 0) {
            return HeaderRead::Malformed;
        }
        let extended = match short {
            126 => 2,
            127 => 8,
            _ => 0usize,
        };
        let is_masked = second & 0x80 != 0;
        let after = extended.saturating_add(if is_masked { 4 } else { 0 });
        let Some((numbers, _)) = rest.split_at_checked(after) else {
            return HeaderRead::Needed(after.saturating_sub(rest.len()));
        };
        let (length, key) = numbers.split_at_checked(extended).unwrap_or((numbers, &[]));
        let payload = match short {
            126 | 127 => length.iter().fold(0, |sum: u64, byte| sum << 8 | u64::from(*byte)),
            short => short.into(),
        };
        // A length must use the shortest form, and the top bit of a 64-bit length must be zero.
        let least = match short {
            127 => 0x1_0000,
            126 => 126,
            _ => 0,
        };
        if payload < least || payload >> 63 != 0 {
            return HeaderRead::Malformed;
        }
        HeaderRead::Header(Header {
            is_final,
            is_compressed: first & 0x40 != 0,
            opcode,
            mask: key.first_chunk().copied(),
            length: after.saturating_add(2),
            payload,
        })
    }

    /// The length of the frame in bytes, including its header.
    pub(crate) fn frame(&self) -> u64 {
        self.payload.saturating_add(self.length as u64)
    }

    pub(crate) const fn is_control(&self) -> bool {
        matches!(self.opcode, Opcode::Close | Opcode::Ping | Opcode::Pong)
    }
}

/// Removes the mask from a payload, eight bytes at a time.
pub(crate) fn unmask(payload: &mut [u8], mask: [u8; 4]) {
    let [a, b, c, d] = mask;
    let word = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    let (words, rest) = payload.as_chunks_mut();
    for bytes in words {
        *bytes = (u64::from_ne_bytes(*bytes) ^ word).to_ne_bytes();
    }
    for (byte, key) in rest.iter_mut().zip([a, b, c, d, a, b, c]) {
        *byte ^= key;
    }
}
