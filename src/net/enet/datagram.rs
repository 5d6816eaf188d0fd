//! A datagram and its commands.

use super::command::{Body, Command};
use super::error::{Error, Fault, Problem};
use super::grammar;
use super::range_coder::RangeDecoder;
use core::fmt;
use core::iter::FusedIterator;

/// The most bytes that a datagram has, compressed or not.
pub const MAX_DATAGRAM_LEN: usize = 4_096;

/// The peer id of a receiver that has not given one yet.
pub const UNASSIGNED_PEER: u16 = 0xfff;

/// What stands in front of a datagram's commands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Header {
    /// Which of the receiver's peers the sender is, 12 bits; or [`UNASSIGNED_PEER`].
    pub peer: u16,
    /// The number of the session between the two, 2 bits.
    pub session: u8,
    /// Whether the commands were compressed.
    pub is_compressed: bool,
    /// The low 16 bits of the sender's clock, in milliseconds.
    pub sent_time: Option<u16>,
}

/// A datagram whose commands have been found sound.
#[derive(Clone, Copy)]
pub struct Datagram<'a> {
    header: Header,
    checksum: Option<u32>,
    /// How many bytes are in front of the commands.
    before: usize,
    commands: &'a [u8],
    cut: usize,
}

impl<'a> Datagram<'a> {
    /// Reads a datagram that is not compressed.
    ///
    /// All of its commands have to be sound, and end where it does. Random bytes, and the packets
    /// of other protocols, do not come through.
    ///
    /// # Errors
    ///
    /// If it is not one of ENet, or [`Problem::Compressed`].
    pub fn parse(bytes: &'a [u8]) -> Result<Datagram<'a>, Error> {
        Datagram::read(bytes, None, false)
    }

    /// Reads a datagram, decompressed into the buffer if it was compressed.
    ///
    /// # Errors
    ///
    /// If it is not one of ENet, or [`Problem::UnknownCompression`].
    pub fn parse_with(
        bytes: &'a [u8],
        decoder: &mut RangeDecoder,
        buffer: &'a mut Vec<u8>,
    ) -> Result<Datagram<'a>, Error> {
        Datagram::read(bytes, Some((decoder, buffer)), false)
    }

    /// Reads a datagram of which the end was not captured: the commands that are whole.
    ///
    /// # Errors
    ///
    /// Those of [`Datagram::parse`]. A compressed one cannot be read in parts.
    pub fn parse_cut(bytes: &'a [u8]) -> Result<Datagram<'a>, Error> {
        Datagram::read(bytes, None, true)
    }

    fn read(
        bytes: &'a [u8],
        decompress: Option<(&mut RangeDecoder, &'a mut Vec<u8>)>,
        is_cut: bool,
    ) -> Result<Datagram<'a>, Error> {
        if bytes.len() > MAX_DATAGRAM_LEN {
            let problem = Problem::TooLong { len: bytes.len() };
            return Err(Error { offset: 0, problem });
        }
        let (body, header) = grammar::header(bytes).map_err(|error| located(bytes, error))?;
        let behind_checksum = body.split_first_chunk();
        if !header.is_compressed {
            let first = Datagram::checked(bytes, body, header, None, is_cut);
            return match (first, behind_checksum) {
                (Err(error), Some((checksum, body))) => {
                    let checksum = Some(u32::from_be_bytes(*checksum));
                    // What it says without one is more likely what is wrong.
                    Datagram::checked(bytes, body, header, checksum, is_cut).map_err(|_| error)
                }
                (first, _) => first,
            };
        }
        let offset = bytes.len().saturating_sub(body.len());
        let Some((decoder, buffer)) = decompress else {
            return Err(Error { offset, problem: Problem::Compressed });
        };
        let unknown = Error { offset, problem: Problem::UnknownCompression };
        let limit = MAX_DATAGRAM_LEN.saturating_sub(offset);
        let is_plain = decoder.decode(body, buffer, limit).is_ok()
            && Datagram::checked(buffer, buffer, header, None, false).is_ok();
        let mut checksum = None;
        if !is_plain {
            let (number, body) = behind_checksum.ok_or(unknown)?;
            checksum = Some(u32::from_be_bytes(*number));
            decoder.decode(body, buffer, limit).map_err(|_| unknown)?;
        }
        Datagram::checked(buffer, buffer, header, checksum, false).map_err(|_| unknown)
    }

    /// Checks every command, all of which are behind the header, and a checksum.
    fn checked(
        whole: &'a [u8],
        commands: &'a [u8],
        header: Header,
        checksum: Option<u32>,
        is_cut: bool,
    ) -> Result<Datagram<'a>, Error> {
        let mut rest = commands;
        while !rest.is_empty() {
            let (after, command) = match grammar::command(rest) {
                Err(nom::Err::Incomplete(_)) if is_cut => break,
                read => read.map_err(|error| located(whole, error))?,
            };
            let is_first = rest.len() == commands.len();
            let at = |problem| Err(Fault { at: rest, problem }.in_datagram(whole));
            if command.needs_acknowledgement && header.sent_time.is_none() {
                return at(Problem::NoSentTime);
            }
            // Only these two are sent to who has not given a peer id.
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
            return Err(Fault { at: commands, problem: Problem::Empty }.in_datagram(whole));
        }
        let (commands, tail) = commands.split_at(commands.len().saturating_sub(rest.len()));
        let behind = commands.len().saturating_add(tail.len());
        let before = whole.len().saturating_sub(behind);
        Ok(Datagram { header, checksum, before, commands, cut: tail.len() })
    }

    /// What stands in front of the commands.
    #[must_use]
    pub const fn header(&self) -> Header {
        self.header
    }

    /// The CRC-32 behind the header, if there is one. It was not compared with anything: what it
    /// covers has the connection's id in it.
    #[must_use]
    pub const fn checksum(&self) -> Option<u32> {
        self.checksum
    }

    /// The commands, in the order in which they stand in the datagram.
    #[must_use]
    pub const fn commands(&self) -> Commands<'a> {
        Commands { rest: self.commands, offset: self.before }
    }

    /// How many bytes stand behind the last whole command, if the datagram was read by
    /// [`Datagram::parse_cut`].
    #[must_use]
    pub const fn cut_len(&self) -> usize {
        self.cut
    }
}

fn located(whole: &[u8], error: nom::Err<Fault<'_>>) -> Error {
    match error {
        nom::Err::Error(fault) | nom::Err::Failure(fault) => fault.in_datagram(whole),
        nom::Err::Incomplete(_) => Error { offset: whole.len(), problem: Problem::UnexpectedEnd },
    }
}

impl fmt::Debug for Datagram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Datagram")
            .field("header", &self.header)
            .field("checksum", &self.checksum)
            .field("commands", &self.commands.len())
            .field("cut", &self.cut)
            .finish()
    }
}

/// The commands of a datagram.
#[derive(Clone)]
pub struct Commands<'a> {
    rest: &'a [u8],
    offset: usize,
}

impl Commands<'_> {
    /// Where the next command starts, or the last one ended: in bytes from the start of the
    /// datagram, or if it was compressed, of what was in it.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }
}

impl<'a> Iterator for Commands<'a> {
    type Item = Command<'a>;

    #[inline]
    fn next(&mut self) -> Option<Command<'a>> {
        // They were all sound before.
        let (rest, command) = grammar::command(self.rest).ok()?;
        let len = self.rest.len().saturating_sub(rest.len());
        self.offset = self.offset.saturating_add(len);
        self.rest = rest;
        Some(command)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // A ping is the shortest.
        (usize::from(!self.rest.is_empty()), Some(self.rest.len() / 4))
    }
}

impl FusedIterator for Commands<'_> {}

impl fmt::Debug for Commands<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Commands")
            .field("offset", &self.offset)
            .field("rest", &self.rest.len())
            .finish()
    }
}
