//! Reads the HTTP messages that open a WebSocket connection (RFC 6455, section 4).

/// The longest HTTP head that is accepted, in bytes.
pub(super) const LONGEST_HEAD: usize = 16 << 10;

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
            return (is_whole
                && response.code == Some(101)
                && has_accepted
                && is_upgrade(response.headers))
            .then(|| Handshake::Response {
                protocol: field(response.headers, "sec-websocket-protocol"),
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
pub(super) fn head_end(bytes: &[u8], from: usize) -> Option<usize> {
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
