//! The bytes of WebSocket (RFC 6455): the HTTP messages that open a connection (section 4), and the
//! headers of frames (section 5.2).

/// The longest HTTP head that is accepted, in bytes.
pub const LONGEST_HEAD: usize = 16 << 10;

/// How many header fields are accepted.
const MOST_FIELDS: usize = 64;

/// An HTTP message that opens a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Handshake<'a> {
    /// The client's request.
    Request {
        /// The target in the request line.
        path: &'a str,
        /// The subprotocols that it offers: `Sec-WebSocket-Protocol`.
        protocols: Option<&'a str>,
    },
    /// The server's answer, which accepts the connection.
    Response {
        /// The subprotocol that it has chosen.
        protocol: Option<&'a str>,
    },
}

impl<'a> Handshake<'a> {
    /// Reads a complete head, up to the empty line; none if it does not open a WebSocket.
    pub(super) fn read(head: &'a [u8]) -> Option<Handshake<'a>> {
        let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
        let head = without_blank_lines(head);
        if head.starts_with(RESPONSE) {
            let mut response = httparse::Response::new(&mut fields);
            let is_whole = response.parse(head).is_ok_and(|status| status.is_complete());
            let has_accepted = field(response.headers, "sec-websocket-accept").is_some();
            return (is_whole && has_accepted && is_upgrade(response.headers)).then(|| {
                Handshake::Response { protocol: field(response.headers, "sec-websocket-protocol") }
            });
        }
        let mut request = httparse::Request::new(&mut fields);
        let is_whole = request.parse(head).is_ok_and(|status| status.is_complete());
        let has_key = field(request.headers, "sec-websocket-key").is_some();
        let path = request.path.filter(|_| {
            is_whole && has_key && request.method == Some("GET") && is_upgrade(request.headers)
        })?;
        Some(Handshake::Request {
            path,
            protocols: field(request.headers, "sec-websocket-protocol"),
        })
    }
}

const REQUEST: &[u8] = b"GET ";
const RESPONSE: &[u8] = b"HTTP/1.1 101";

/// Whether the first bytes of a stream are a WebSocket request or response. While the head is
/// incomplete, this may also be true for other HTTP.
#[must_use]
pub fn is_handshake(start: &[u8]) -> bool {
    match head_end(start, 0) {
        Some(end) => start.get(..end).and_then(Handshake::read).is_some(),
        None => {
            let head = without_blank_lines(start);
            !start.is_empty()
                && start.len() <= LONGEST_HEAD
                && [REQUEST, RESPONSE, b"\r\n"].into_iter().any(|line| {
                    let known = line.len().min(head.len());
                    head.get(..known) == line.get(..known)
                })
        }
    }
}

/// The bytes after the empty lines that may precede a head (RFC 9112, section 2.2).
fn without_blank_lines(mut bytes: &[u8]) -> &[u8] {
    while let Some(rest) = bytes.strip_prefix(b"\r\n").or_else(|| bytes.strip_prefix(b"\n")) {
        bytes = rest;
    }
    bytes
}

/// The end of the head, after its empty line. The bytes before `from` have been examined already.
pub fn head_end(bytes: &[u8], from: usize) -> Option<usize> {
    let start = bytes.len().saturating_sub(without_blank_lines(bytes).len());
    let from = from.saturating_sub(3).max(start);
    let end = bytes.get(from..)?.windows(4).position(|end| end == b"\r\n\r\n")?;
    Some(from.saturating_add(end).saturating_add(4))
}

fn field<'a>(fields: &[httparse::Header<'a>], name: &str) -> Option<&'a str> {
    let found = fields.iter().find(|field| field.name.eq_ignore_ascii_case(name))?;
    core::str::from_utf8(found.value).ok()
}

fn is_upgrade(fields: &[httparse::Header<'_>]) -> bool {
    field(fields, "upgrade").is_some_and(|value| value.trim().eq_ignore_ascii_case("websocket"))
}

/// The bit of the first byte that marks control frames.
pub const CONTROL: u8 = 0x08;

/// The header of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameHeader {
    pub is_final: bool,
    /// RSV1: the message is compressed (RFC 7692).
    pub is_compressed: bool,
    pub opcode: Opcode,
    pub mask: Option<[u8; 4]>,
    /// The length of the header, in bytes.
    pub length: usize,
    /// The length of the payload, in bytes.
    pub payload: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opcode {
    Continuation,
    Text,
    Binary,
    Close,
    Ping,
    Pong,
}

/// The result of reading a header.
pub enum HeaderRead<'b> {
    /// A header, and the bytes after it.
    Header(FrameHeader, &'b [u8]),
    /// At least this many more bytes are needed.
    Needed(usize),
    /// The bytes are not a valid header.
    Malformed,
}

impl FrameHeader {
    /// Whether a byte may be the first one of a whole message, or of a control frame.
    pub const fn may_be_whole(first: u8) -> bool {
        matches!(first, 0x81 | 0x82 | 0xc1 | 0xc2 | 0x88..=0x8a)
    }

    #[inline(always)]
    pub fn read(bytes: &[u8]) -> HeaderRead<'_> {
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
        let Some((numbers, rest)) = rest.split_at_checked(after) else {
            return HeaderRead::Needed(after.saturating_sub(rest.len()));
        };
        let (payload, key) = match (short, numbers) {
            (126, [a, b, key @ ..]) => (u16::from_be_bytes([*a, *b]).into(), key),
            (127, [a, b, c, d, e, f, g, h, key @ ..]) => {
                (u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h]), key)
            }
            _ => (short.into(), numbers),
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
        let header = FrameHeader {
            is_final,
            is_compressed: first & 0x40 != 0,
            opcode,
            mask: key.first_chunk().copied(),
            length: after.saturating_add(2),
            payload,
        };
        HeaderRead::Header(header, rest)
    }

    /// The length of the frame in bytes, including its header.
    pub fn frame(&self) -> u64 {
        self.payload.saturating_add(self.length as u64)
    }

    pub const fn is_control(&self) -> bool {
        matches!(self.opcode, Opcode::Close | Opcode::Ping | Opcode::Pong)
    }
}

/// Removes the mask from a payload.
pub fn unmask(payload: &mut [u8], mask: [u8; 4]) {
    let key = key(mask);
    let (words, rest) = payload.as_chunks_mut::<8>();
    words.iter_mut().for_each(|word| *word = without_key(*word, key));
    rest.iter_mut().zip(key.to_le_bytes()).for_each(|(byte, key)| *byte ^= key);
}

/// Copies a payload to a buffer of the same length, without its mask.
pub fn copy_unmasked(payload: &[u8], mask: [u8; 4], buffer: &mut [u8]) {
    let key = key(mask);
    let (words, rest) = payload.as_chunks::<8>();
    let (to_words, to_rest) = buffer.as_chunks_mut::<8>();
    for (to, word) in to_words.iter_mut().zip(words) {
        *to = without_key(*word, key);
    }
    for ((to, byte), key) in to_rest.iter_mut().zip(rest).zip(key.to_le_bytes()) {
        *to = byte ^ key;
    }
}

/// The mask twice, as a word.
fn key(mask: [u8; 4]) -> u64 {
    let key = u64::from(u32::from_le_bytes(mask));
    key << 32 | key
}

#[inline(always)]
const fn without_key(word: [u8; 8], key: u64) -> [u8; 8] {
    (u64::from_le_bytes(word) ^ key).to_le_bytes()
}
