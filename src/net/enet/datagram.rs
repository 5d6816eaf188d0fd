//! ENet datagrams: their headers, their commands, and how they are decompressed.

use super::{Body, Command, CommandFault, Error, Problem, RangeDecoder, command};
#[cfg(feature = "compression")]
use crate::format::compression::{Inflate, Zstandard, fastlz};
use core::fmt;
use core::iter::FusedIterator;

/// The maximum length of a datagram, before and after decompression.
pub const MAX_DATAGRAM_LEN: usize = 4_096;

/// The most bytes that a UDP datagram of ENet has by default: 1,400 in older versions, 1,392 in
/// newer ones. The network may split longer datagrams into fragments; if a fragment is lost, the
/// whole datagram is.
pub const USUAL_MTU: u64 = 1_400;

/// After this time, in nanoseconds, ENet has sent a reliable command again that was not acknowledged:
/// it waits for about the time of a round trip, and half a second before the first one is measured.
pub const RESENT_WITHIN: i64 = 2_000_000_000;

/// State for decompressing the datagrams of one connection, kept from one datagram to the next.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The compression of the connection's last datagrams, which is tried first.
    pub codec: Codec,
    /// The work that decompressing may still take, in visits of the range decoder's nodes.
    pub work: u32,
}

/// A datagram whose commands have all been checked.
#[derive(Clone, Copy)]
pub struct Datagram<'a> {
    header: Header,
    checksum: Option<u32>,
    /// How many bytes precede the commands.
    before: usize,
    commands: &'a [u8],
    cut: usize,
}

impl<'a> Datagram<'a> {
    /// Reads a datagram that is not compressed.
    ///
    /// All its commands have to be valid, and the last one has to end where the datagram does.
    /// Random bytes and packets of other protocols almost never pass.
    ///
    /// # Errors
    ///
    /// If it is not ENet; [`Problem::Compressed`] if it is compressed.
    pub fn parse(bytes: &'a [u8]) -> Result<Datagram<'a>, Error> {
        Datagram::read(bytes, None, false)
    }

    /// Reads a datagram. If it is compressed, it is decompressed into the buffer.
    ///
    /// # Errors
    ///
    /// If it is not ENet; [`Problem::UnknownCompression`] if it is compressed in another way.
    pub fn parse_with(
        bytes: &'a [u8],
        decompressor: &mut DatagramDecompressor,
        buffer: &'a mut Vec<u8>,
    ) -> Result<Datagram<'a>, Error> {
        let mut bounds = Bounds { codec: Codec::default(), work: u32::MAX };
        Datagram::parse_within(bytes, decompressor, buffer, &mut bounds)
    }

    /// Like [`Datagram::parse_with`], with a bound on the work of decompressing.
    pub(crate) fn parse_within(
        bytes: &'a [u8],
        decompressor: &mut DatagramDecompressor,
        buffer: &'a mut Vec<u8>,
        bounds: &mut Bounds,
    ) -> Result<Datagram<'a>, Error> {
        Datagram::read(bytes, Some((decompressor, buffer, bounds)), false)
    }

    /// Reads the complete commands of a datagram whose end was not captured.
    ///
    /// # Errors
    ///
    /// Those of [`Datagram::parse`]. A compressed datagram cannot be read in part.
    pub fn parse_cut(bytes: &'a [u8]) -> Result<Datagram<'a>, Error> {
        Datagram::read(bytes, None, true)
    }

    fn read(
        bytes: &'a [u8],
        decompress: Option<(&mut DatagramDecompressor, &'a mut Vec<u8>, &mut Bounds)>,
        is_cut: bool,
    ) -> Result<Datagram<'a>, Error> {
        if bytes.len() > MAX_DATAGRAM_LEN {
            let problem = Problem::TooLong { len: bytes.len() };
            return Err(Error { offset: 0, problem });
        }
        let (body, header) = command::header(bytes).map_err(|error| located(bytes, error))?;
        let after_checksum = body.split_first_chunk();
        if !header.is_compressed {
            let first = Datagram::checked(bytes, body, header, None, is_cut);
            return match (first, after_checksum) {
                (Err(error), Some((checksum, body))) => {
                    let checksum = Some(u32::from_be_bytes(*checksum));
                    // If the datagram is valid neither with nor without a checksum, the error
                    // without one is returned, because few hosts use checksums.
                    Datagram::checked(bytes, body, header, checksum, is_cut).map_err(|_| error)
                }
                (first, _) => first,
            };
        }
        let offset = bytes.len().saturating_sub(body.len());
        let Some((decompressor, buffer, Bounds { codec, work })) = decompress else {
            return Err(Error { offset, problem: Problem::Compressed });
        };
        let limit = MAX_DATAGRAM_LEN.saturating_sub(offset);
        let with_checksum = after_checksum.map(|(checksum, body)| (Some(checksum), body));
        let bodies = [Some((None, body)), with_checksum];
        let mut readings = codec.first().flat_map(|codec| {
            bodies.into_iter().flatten().map(move |(checksum, body)| (codec, checksum, body))
        });
        let found = readings.find(|(codec, _, body)| {
            decompressor.decode(*codec, body, buffer, limit, work)
                && Datagram::checked(buffer, buffer, header, None, false).is_ok()
        });
        let Some((found, checksum, _)) = found else {
            let is_bounded = *work == 0;
            let problem =
                if is_bounded { Problem::TooMuchWork } else { Problem::UnknownCompression };
            return Err(Error { offset, problem });
        };
        *codec = found;
        let checksum = checksum.map(|number| u32::from_be_bytes(*number));
        Datagram::checked(buffer, buffer, header, checksum, false)
    }

    /// Checks every command.
    fn checked(
        whole: &'a [u8],
        commands: &'a [u8],
        header: Header,
        checksum: Option<u32>,
        is_cut: bool,
    ) -> Result<Datagram<'a>, Error> {
        let mut rest = commands;
        while !rest.is_empty() {
            let (after, command) = match command::command(rest) {
                Err(nom::Err::Incomplete(_)) if is_cut => break,
                read => read.map_err(|error| located(whole, error))?,
            };
            let is_first = rest.len() == commands.len();
            let at = |problem| Err(CommandFault { at: rest, problem }.in_datagram(whole));
            if command.needs_acknowledgement && header.sent_time.is_none() {
                return at(Problem::NoSentTime);
            }
            // Only these two are sent to a receiver without a peer id.
            let is_unassigned = header.peer == UNASSIGNED_PEER;
            let fits = match command.body {
                Body::Connect(_) => is_first && is_unassigned,
                Body::Disconnect { .. } => true,
                _ => !is_first || !is_unassigned,
            };
            if !fits {
                return at(Problem::Unassigned);
            }
            rest = after;
        }
        if commands.is_empty() && !is_cut {
            return Err(CommandFault { at: commands, problem: Problem::Empty }.in_datagram(whole));
        }
        let (commands, tail) = commands.split_at(commands.len().saturating_sub(rest.len()));
        let behind = commands.len().saturating_add(tail.len());
        let before = whole.len().saturating_sub(behind);
        Ok(Datagram { header, checksum, before, commands, cut: tail.len() })
    }

    /// The header.
    #[must_use]
    pub const fn header(&self) -> Header {
        self.header
    }

    /// The CRC-32 after the header, if there is one. It is not verified, because it also covers the
    /// connection's id.
    #[must_use]
    pub const fn checksum(&self) -> Option<u32> {
        self.checksum
    }

    /// The commands, in the order of the datagram.
    #[must_use]
    pub const fn commands(&self) -> Commands<'a> {
        Commands { rest: self.commands, offset: self.before }
    }

    /// The bytes of the commands, decompressed.
    pub(crate) const fn command_bytes(&self) -> &'a [u8] {
        self.commands
    }

    /// How many bytes follow the last complete command, if the datagram was read by
    /// [`Datagram::parse_cut`].
    #[must_use]
    pub const fn cut_len(&self) -> usize {
        self.cut
    }
}

fn located(whole: &[u8], error: nom::Err<CommandFault<'_>>) -> Error {
    match error {
        nom::Err::Error(fault) | nom::Err::Failure(fault) => fault.in_datagram(whole),
        nom::Err::Incomplete(_) => Error { offset: whole.len(), problem: Problem::UnexpectedEnd },
    }
}

impl fmt::Debug for Datagram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Datagram { header, checksum, commands, cut, .. } = self;
        debug_fields!(f, Datagram { header, checksum, commands = commands.len(), cut })
    }
}

/// The commands of a datagram.
#[derive(Clone)]
pub struct Commands<'a> {
    rest: &'a [u8],
    offset: usize,
}

impl Commands<'_> {
    /// The offset of the next command, or of the end after the last one: in bytes from the start of
    /// the datagram, after decompression.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }
}

impl<'a> Commands<'a> {
    /// [`next`](Iterator::next) for the loop of a session, which is the one that has to be fast.
    #[inline(always)]
    pub(super) fn next_command(&mut self) -> Option<Command<'a>> {
        // All commands were checked before.
        let (rest, command) = command::command(self.rest).ok()?;
        let len = self.rest.len().saturating_sub(rest.len());
        self.offset = self.offset.saturating_add(len);
        self.rest = rest;
        Some(command)
    }
}

impl<'a> Iterator for Commands<'a> {
    type Item = Command<'a>;

    fn next(&mut self) -> Option<Command<'a>> {
        self.next_command()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // The shortest command is a ping.
        (usize::from(!self.rest.is_empty()), Some(self.rest.len() / 4))
    }
}

impl FusedIterator for Commands<'_> {}

impl fmt::Debug for Commands<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Commands { offset, rest, .. } = self;
        debug_fields!(f, Commands { offset, rest = rest.len() })
    }
}

/// The peer id that stands for a receiver whose peer id is not known yet.
pub const UNASSIGNED_PEER: u16 = 0xfff;

/// The header of a datagram, before its commands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Header {
    /// The sender's index among the receiver's peers, 12 bits, or [`UNASSIGNED_PEER`].
    pub peer: u16,
    /// The number of the session between the two peers, 2 bits.
    pub session: u8,
    /// Whether the commands were compressed.
    pub is_compressed: bool,
    /// The low 16 bits of the sender's clock, in milliseconds.
    pub sent_time: Option<u16>,
}

/// A compression of datagrams, which Godot sets with `ENetConnection.compress` and, in Godot 3, with
/// `NetworkedMultiplayerENet.compression_mode`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Codec {
    /// ENet's range coder.
    #[default]
    RangeCoder,
    /// FastLZ.
    #[cfg(feature = "compression")]
    FastLz,
    /// Deflate, in the zlib format.
    #[cfg(feature = "compression")]
    Zlib,
    /// Zstandard.
    #[cfg(feature = "compression")]
    Zstandard,
}

impl Codec {
    /// Every compression that this build of the crate can read.
    const ALL: &[Codec] = &[
        Codec::RangeCoder,
        #[cfg(feature = "compression")]
        Codec::FastLz,
        #[cfg(feature = "compression")]
        Codec::Zlib,
        #[cfg(feature = "compression")]
        Codec::Zstandard,
    ];

    /// All compressions, this one first.
    pub fn first(self) -> impl Iterator<Item = Codec> {
        let others = Codec::ALL.iter().copied().filter(move |codec| *codec != self);
        core::iter::once(self).chain(others)
    }
}

/// Decompresses datagrams. It keeps no state of a connection, so it can serve any number of
/// connections.
///
/// The feature `compression` adds zlib, Zstandard and FastLZ to ENet's range coder.
///
/// ```
/// use gdwire::net::enet::{Datagram, DatagramDecompressor};
///
/// // This datagram is not compressed, so the buffer stays empty.
/// let bytes = [0x80, 0, 0, 9, 0x86, 1, 0, 1, 0, 2, b'h', b'i'];
/// let (mut decompressor, mut buffer) = (DatagramDecompressor::new(), Vec::new());
/// let datagram = Datagram::parse_with(&bytes, &mut decompressor, &mut buffer)?;
/// assert_eq!(datagram.commands().count(), 1);
/// # Ok::<(), gdwire::net::enet::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct DatagramDecompressor {
    range: RangeDecoder,
    #[cfg(feature = "compression")]
    inflate: Inflate,
    #[cfg(feature = "compression")]
    zstandard: Zstandard,
}

impl DatagramDecompressor {
    /// A new decompressor. It allocates memory with the first compressed datagrams.
    #[must_use]
    pub fn new() -> DatagramDecompressor {
        DatagramDecompressor::default()
    }

    /// Decompresses into a buffer, whose content is replaced, and returns whether the bytes were
    /// compressed this way and decompress to at most `limit` bytes. The range coder's work is
    /// subtracted from `work`; the others need little.
    pub(super) fn decode(
        &mut self,
        codec: Codec,
        bytes: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
        work: &mut u32,
    ) -> bool {
        match codec {
            Codec::RangeCoder => self.range.decode_within(bytes, out, limit, work).is_ok(),
            #[cfg(feature = "compression")]
            Codec::FastLz => {
                out.clear();
                fastlz::decompress(bytes, limit, out).is_ok()
            }
            #[cfg(feature = "compression")]
            Codec::Zlib => self.inflate.decompress(bytes, limit, out),
            #[cfg(feature = "compression")]
            Codec::Zstandard => self.zstandard.decompress(bytes, limit, out),
        }
    }
}
