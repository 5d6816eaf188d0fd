//! Datagrams that open a connection, or that show which connection they belong to.

use super::command::OWN_CHANNEL;
use super::{Body, Bounds, Codec, Datagram, DatagramDecompressor, RangeDecoder, UNASSIGNED_PEER};

/// The bits of a datagram's header that are the session's number and the receiver's peer id.
const SESSION_AND_PEER: u16 = 0x3fff;

/// The commands in a datagram that show a new connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum HandshakeCommand {
    /// A connect command, with the connect id.
    Connect(u32),
    /// The answer to a connect command, with the same id.
    Verify(u32),
    /// The first message on a channel.
    First(u8),
    None,
}

/// The session's number and the receiver's peer id in a datagram; none if the receiver's peer id is
/// not known yet.
pub fn session_and_peer(datagram: &[u8]) -> Option<u32> {
    let bits = u16::from_be_bytes(*datagram.first_chunk()?) & SESSION_AND_PEER;
    (bits & UNASSIGNED_PEER != UNASSIGNED_PEER).then_some(bits.into())
}

/// Reads the commands that open connections.
#[derive(Default)]
pub struct HandshakeReader {
    decompressor: DatagramDecompressor,
    codec: Codec,
    decompressed: Vec<u8>,
}

impl HandshakeReader {
    /// Whether a datagram opens a connection.
    pub fn is_connect(&mut self, datagram: &[u8]) -> bool {
        session_and_peer(datagram).is_none()
            && matches!(self.handshake(datagram), Some(HandshakeCommand::Connect(_)))
    }

    /// The commands of a datagram that show a new connection; none if the datagram is not ENet.
    pub fn handshake(&mut self, bytes: &[u8]) -> Option<HandshakeCommand> {
        let HandshakeReader { decompressor, codec, decompressed } = self;
        let mut bounds = Bounds { codec: *codec, work: RangeDecoder::fair_work(bytes.len()) };
        let parsed = Datagram::parse_within(bytes, decompressor, decompressed, &mut bounds);
        *codec = bounds.codec;
        let datagram = parsed.ok()?;
        let handshake = datagram.commands().find_map(|command| match command.body {
            Body::Connect(connect) => {
                Some(HandshakeCommand::Connect(connect.parameters.connect_id))
            }
            Body::VerifyConnect(verify) => Some(HandshakeCommand::Verify(verify.connect_id)),
            Body::SendReliable { .. } if command.sequence == 1 && command.channel < OWN_CHANNEL => {
                Some(HandshakeCommand::First(command.channel))
            }
            _ => None,
        });
        Some(handshake.unwrap_or(HandshakeCommand::None))
    }
}
