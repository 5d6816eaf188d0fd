//! The grammar of the packets: calls, paths, raw bytes and system messages, and the numbers and texts
//! of which all packets consist. Its errors have their place.

use super::arguments::{ArgumentCount, ArgumentPacking, Arguments, arguments};
use super::error::{Error, PacketPart, PacketProblem};
use super::packet::{
    Call, CallWidths, ConfirmPath, Method, NetIds, Node, Packet, Raw, Relay, Set, SimplifyPath,
    Spawn, Sync, states,
};
use crate::net::peer::PeerId;
use crate::value::ReadOptions;
use core::ffi::CStr;
use nom::combinator::map;
use nom::error::{ErrorKind, ParseError};
use nom::{IResult, Parser};

/// The commands of raw bytes.
pub(super) const GODOT_3_RAW: u8 = 4;
pub(super) const GODOT_4_RAW: u8 = 3;
pub(super) const PANDEMONIUM_RAW: u8 = 3;

/// The node of a call, and the rest of the packet without the node's path. `target` is the node's
/// id or the offset of its path.
fn node<'a>(packet: &'a [u8], input: &'a [u8], target: u32) -> Parsed<'a, Node<'a>> {
    if target & TOP_BIT == 0 {
        return Ok((input, Node::Id(target)));
    }
    let offset = target & !TOP_BIT;
    let before = packet.len().saturating_sub(input.len());
    let split = (offset as usize).checked_sub(before).and_then(|at| input.split_at_checked(at));
    match split {
        Some((content, path @ [_, ..])) => {
            let (_, path) = last_text(path, PacketPart::Path)?;
            Ok((content, Node::Path(path)))
        }
        _ => fail(input, PacketPart::Node, PacketProblem::PathOffset { offset }),
    }
}

/// A packet of Godot 3.
pub(super) fn godot_3<'a>(options: ReadOptions, packet: &'a [u8]) -> Parsed<'a, Packet<'a>> {
    let (input, command) = byte(PacketPart::Command).parse(packet)?;
    match command {
        0 => named_call(options, packet, input),
        1 => set(options, packet, input),
        2 => simplify_path(input),
        3 => confirm_path(input),
        GODOT_3_RAW => raw(options, input),
        number => fail(packet, PacketPart::Command, PacketProblem::UnknownCommand { number }),
    }
}

/// A packet of Pandemonium, which has no remote set.
pub(super) fn pandemonium<'a>(options: ReadOptions, packet: &'a [u8]) -> Parsed<'a, Packet<'a>> {
    let (input, command) = byte(PacketPart::Command).parse(packet)?;
    match command {
        0 => named_call(options, packet, input),
        1 => simplify_path(input),
        2 => confirm_path(input),
        PANDEMONIUM_RAW => raw(options, input),
        number => fail(packet, PacketPart::Command, PacketProblem::UnknownCommand { number }),
    }
}

/// A call by the method's name.
fn named_call<'a>(
    options: ReadOptions,
    packet: &'a [u8],
    input: &'a [u8],
) -> Parsed<'a, Packet<'a>> {
    let (input, target) = le_u32(PacketPart::Node).parse(input)?;
    let (input, node) = node(packet, input, target)?;
    let (input, name) = text(PacketPart::Method).parse(input)?;
    let (input, count) = byte(PacketPart::ArgumentCount).parse(input)?;
    let count = ArgumentCount::Exactly(count.into());
    let (rest, arguments) = arguments(ArgumentPacking::Plain, options, count, input)?;
    let method = Method::Name(name);
    let widths = CallWidths::default();
    Ok((rest, Packet::Call(Call { node, method, arguments, widths })))
}

fn set<'a>(options: ReadOptions, packet: &'a [u8], input: &'a [u8]) -> Parsed<'a, Packet<'a>> {
    let (input, target) = le_u32(PacketPart::Node).parse(input)?;
    let (input, node) = node(packet, input, target)?;
    let (input, property) = text(PacketPart::Property).parse(input)?;
    let (rest, value) =
        arguments(ArgumentPacking::Plain, options, ArgumentCount::Exactly(1), input)?;
    Ok((rest, Packet::Set(Set { node, property, value })))
}

fn simplify_path(input: &[u8]) -> Parsed<'_, Packet<'_>> {
    let (input, id) = le_u32(PacketPart::Node).parse(input)?;
    let (rest, path) = last_text(input, PacketPart::Path)?;
    Ok((rest, Packet::SimplifyPath(SimplifyPath { id, path, md5: None })))
}

fn confirm_path(input: &[u8]) -> Parsed<'_, Packet<'_>> {
    let (rest, path) = last_text(input, PacketPart::Path)?;
    let confirm = ConfirmPath { node: Node::Path(path), is_valid: None };
    Ok((rest, Packet::ConfirmPath(confirm)))
}

/// Raw bytes. The engines neither send nor accept empty ones.
fn raw<'a>(options: ReadOptions, input: &'a [u8]) -> Parsed<'a, Packet<'a>> {
    take(1, PacketPart::Bytes).parse(input)?;
    Ok((&[], Packet::Raw(Raw { bytes: input, options })))
}

pub(super) const SYSTEM: u8 = 7;

/// A packet of Godot 4.
pub(super) fn godot_4<'a>(options: ReadOptions, packet: &'a [u8]) -> Parsed<'a, Packet<'a>> {
    let (input, first) = byte(PacketPart::Command).parse(packet)?;
    if first & 7 != SYSTEM {
        return direct(options, packet);
    }
    if first != SYSTEM {
        return unknown_flags(packet, first & !SYSTEM);
    }
    let (content, number) = byte(PacketPart::SystemCommand).parse(input)?;
    if number == 0 {
        return Ok((&[], Packet::Auth(content)));
    }
    if number > 3 {
        return fail(input, PacketPart::SystemCommand, PacketProblem::UnknownCommand { number });
    }
    let (rest, peer) = map(bytes(PacketPart::Peer), PeerId::from_le_bytes).parse(content)?;
    if number == 3 {
        take(1, PacketPart::Relayed).parse(rest)?;
        // Like the engine, this refuses a system message in a relay.
        let (end, _) = direct(options, rest)?;
        return Ok((end, Packet::Relay(Relay { peer, bytes: rest, options })));
    }
    end(rest, PacketPart::Peer)?;
    let packet =
        if number == 1 { Packet::PeerAdded { peer } } else { Packet::PeerRemoved { peer } };
    Ok((rest, packet))
}

/// The flag of a sync that has only changed properties.
pub(super) const DELTA: u8 = 1 << 4;

fn unknown_flags(packet: &[u8], flags: u8) -> Parsed<'_, Packet<'_>> {
    fail(packet, PacketPart::Command, PacketProblem::UnknownFlags { flags })
}

/// A packet that is not a system message.
pub(super) fn direct<'a>(options: ReadOptions, packet: &'a [u8]) -> Parsed<'a, Packet<'a>> {
    let (input, first) = byte(PacketPart::Command).parse(packet)?;
    let (command, flags) = (first & 7, first & !7);
    let unknown = match command {
        0 => flags & 1 << 3,
        6 => flags & !DELTA,
        SYSTEM => 0,
        _ => flags,
    };
    if unknown != 0 {
        return unknown_flags(packet, unknown);
    }
    match command {
        0 => call(options, packet, input, first),
        1 => {
            let (rest, md5) = text(PacketPart::Md5).parse(input)?;
            if !is_hash(md5) {
                return fail(input, PacketPart::Md5, PacketProblem::NotHexadecimal);
            }
            let (input, id) = le_u32(PacketPart::Node).parse(rest)?;
            let (rest, path) = last_text(input, PacketPart::Path)?;
            Ok((rest, Packet::SimplifyPath(SimplifyPath { id, path, md5: Some(md5) })))
        }
        2 => {
            let (content, number) = byte(PacketPart::Validity).parse(input)?;
            if number > 1 {
                let problem = PacketProblem::UnknownCommand { number };
                return fail(input, PacketPart::Validity, problem);
            }
            let (rest, node) = confirmed(content)?;
            let is_valid = Some(number == 1);
            Ok((rest, Packet::ConfirmPath(ConfirmPath { node, is_valid })))
        }
        GODOT_4_RAW => raw(options, input),
        4 => spawn(options, input),
        5 => {
            let (rest, net_id) = le_u32(PacketPart::NetId).parse(input)?;
            end(rest, PacketPart::NetId)?;
            Ok((rest, Packet::Despawn { net_id }))
        }
        6 if first & DELTA != 0 => {
            let (rest, states) = states(options, true, input)?;
            Ok((rest, Packet::Delta(states)))
        }
        6 => {
            let (input, time) = le_u16(PacketPart::Time).parse(input)?;
            let (rest, states) = states(options, false, input)?;
            Ok((rest, Packet::Sync(Sync { time, states })))
        }
        number => fail(packet, PacketPart::Command, PacketProblem::UnknownCommand { number }),
    }
}

/// Whether a text is an MD5 in hexadecimal digits.
pub(super) fn is_hash(md5: &str) -> bool {
    md5.len() == 32 && md5.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// The content of the first byte of a call in Godot 4.
pub(crate) struct CallHead {
    /// The number of bytes of the node's id, and of the method's number.
    pub(crate) node: u8,
    pub(crate) method: u8,
    /// Whether a count precedes the arguments. If not, there are none, or one byte array.
    pub(crate) is_counted: bool,
}

impl CallHead {
    /// Reads the first byte of a call; none if the node's id has an unknown width.
    pub(crate) const fn of(first: u8) -> Option<CallHead> {
        const WIDE_METHOD: u8 = 1 << 6;
        const UNCOUNTED: u8 = 1 << 7;
        let node = match first >> 4 & 3 {
            0 => 1,
            1 => 2,
            2 => 4,
            _ => return None,
        };
        let method = if first & WIDE_METHOD == 0 { 1 } else { 2 };
        Some(CallHead { node, method, is_counted: first & UNCOUNTED == 0 })
    }
}

fn call<'a>(
    options: ReadOptions,
    packet: &'a [u8],
    input: &'a [u8],
    first: u8,
) -> Parsed<'a, Packet<'a>> {
    const OWN: u16 = 1 << 15;
    let Some(head) = CallHead::of(first) else {
        return fail(packet, PacketPart::Node, PacketProblem::UnknownWidth);
    };
    let (input, target) = match head.node {
        1 => map(byte(PacketPart::Node), u32::from).parse(input)?,
        2 => map(le_u16(PacketPart::Node), u32::from).parse(input)?,
        _ => le_u32(PacketPart::Node).parse(input)?,
    };
    let (input, node) = node(packet, input, target)?;
    let (input, number) = if head.method == 1 {
        map(byte(PacketPart::Method), u16::from).parse(input)?
    } else {
        le_u16(PacketPart::Method).parse(input)?
    };
    let method = Method::Number { index: number & !OWN, is_own: number & OWN != 0 };
    let (rest, arguments) = if head.is_counted {
        let (input, count) = byte(PacketPart::ArgumentCount).parse(input)?;
        arguments(
            ArgumentPacking::Compressed,
            options,
            ArgumentCount::Exactly(count.into()),
            input,
        )?
    } else {
        let count = ArgumentCount::Exactly(usize::from(!input.is_empty()));
        arguments(ArgumentPacking::Bare, options, count, input)?
    };
    let widths = CallWidths { node: head.node, method: head.method };
    Ok((rest, Packet::Call(Call { node, method, arguments, widths })))
}

/// The node of a confirmation: its id, or in older versions its path.
fn confirmed(input: &[u8]) -> Parsed<'_, Node<'_>> {
    let is_path = match input {
        // Ids count up from 1. Only from about three million on could an id read as a path.
        [name @ .., 0] if name.len() == 3 => {
            name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        }
        // Fewer than 4 bytes are too short for an id.
        [name @ .., 0] if name.len() < 3 => name.iter().all(|byte| *byte >= b' '),
        _ => input.len() > 4,
    };
    if is_path {
        let (rest, path) = last_text(input, PacketPart::Path)?;
        return Ok((rest, Node::Path(path)));
    }
    map(le_u32(PacketPart::Node), Node::Id).parse(input)
}

/// The scene number of nodes that `MultiplayerSpawner.spawn()` made from an argument.
pub(super) const CUSTOM: u8 = 255;

/// A node that is spawned.
fn spawn<'a>(options: ReadOptions, input: &'a [u8]) -> Parsed<'a, Packet<'a>> {
    let part = PacketPart::Spawn;
    let (input, scene) = byte(part).parse(input)?;
    let (input, (spawner, net_id)) = (le_u32(part), le_u32(PacketPart::NetId)).parse(input)?;
    let (input, (synchronizers, name_len)) = (le_u32(part), le_u32(part)).parse(input)?;
    let ids = (synchronizers as usize).saturating_mul(4);
    let (input, ids) = take(ids, PacketPart::NetId).parse(input)?;
    let (input, name) = take(name_len as usize, PacketPart::SpawnName).parse(input)?;
    let (_, name) = last_text(name, PacketPart::SpawnName)?;
    let (input, argument) = if scene == CUSTOM {
        let (input, size) = le_u32(part).parse(input)?;
        let (input, argument) = take(size as usize, PacketPart::Argument(0)).parse(input)?;
        let (_, argument) =
            arguments(ArgumentPacking::Compressed, options, ArgumentCount::Exactly(1), argument)?;
        (input, argument)
    } else {
        (input, Arguments::none(options))
    };
    let (rest, state) =
        arguments(ArgumentPacking::Compressed, options, ArgumentCount::ToEnd, input)?;
    let scene = (scene != CUSTOM).then_some(scene);
    let (ids, _) = ids.as_chunks();
    let synchronizers = NetIds(ids);
    let spawn = Spawn { spawner, scene, net_id, name, synchronizers, argument, state };
    Ok((rest, Packet::Spawn(spawn)))
}

/// The top bit of a call's target and of a synchronizer's id.
pub(super) const TOP_BIT: u32 = 1 << 31;

/// An error of a parser, with the input at which it occurred.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct PacketFault<'a> {
    pub(super) at: &'a [u8],
    /// The offset of the error from the start of `at`, in bytes.
    pub(super) offset: usize,
    pub(super) reading: PacketPart,
    pub(super) problem: PacketProblem,
}

impl PacketFault<'_> {
    /// The error in the packet that the fault is in.
    pub(super) fn in_packet(self, packet: &[u8]) -> Error {
        // The input of a parser may end before the packet does, so the rest's length does not give
        // the place.
        let offset = self.at.as_ptr().addr().saturating_sub(packet.as_ptr().addr());
        let offset = offset.saturating_add(self.offset).min(packet.len());
        Error { offset, reading: self.reading, problem: self.problem }
    }
}

impl<'a> ParseError<&'a [u8]> for PacketFault<'a> {
    fn from_error_kind(at: &'a [u8], _: ErrorKind) -> PacketFault<'a> {
        let problem = PacketProblem::TrailingBytes { count: at.len() };
        PacketFault { at, offset: 0, reading: PacketPart::Command, problem }
    }

    fn append(_: &'a [u8], _: ErrorKind, first: PacketFault<'a>) -> PacketFault<'a> {
        first
    }
}

pub(super) type Parsed<'a, T> = IResult<&'a [u8], T, PacketFault<'a>>;

pub(super) fn fail<'a, T>(
    at: &'a [u8],
    reading: PacketPart,
    problem: PacketProblem,
) -> Parsed<'a, T> {
    Err(nom::Err::Error(PacketFault { at, offset: 0, reading, problem }))
}

/// A number of bytes.
pub(super) fn take<'a>(
    count: usize,
    reading: PacketPart,
) -> impl Parser<&'a [u8], Output = &'a [u8], Error = PacketFault<'a>> {
    move |input: &'a [u8]| match input.split_at_checked(count) {
        Some((taken, rest)) => Ok((rest, taken)),
        None => {
            let problem = PacketProblem::UnexpectedEnd { needed: count, available: input.len() };
            fail(input, reading, problem)
        }
    }
}

/// A number of bytes, as an array.
pub(super) fn bytes<'a, const COUNT: usize>(
    reading: PacketPart,
) -> impl Parser<&'a [u8], Output = [u8; COUNT], Error = PacketFault<'a>> {
    map(take(COUNT, reading), |taken: &[u8]| taken.first_chunk().copied().unwrap_or([0; COUNT]))
}

pub(super) fn byte<'a>(
    reading: PacketPart,
) -> impl Parser<&'a [u8], Output = u8, Error = PacketFault<'a>> {
    map(bytes(reading), |[byte]| byte)
}

pub(super) fn le_u16<'a>(
    reading: PacketPart,
) -> impl Parser<&'a [u8], Output = u16, Error = PacketFault<'a>> {
    map(bytes(reading), u16::from_le_bytes)
}

pub(super) fn le_u32<'a>(
    reading: PacketPart,
) -> impl Parser<&'a [u8], Output = u32, Error = PacketFault<'a>> {
    map(bytes(reading), u32::from_le_bytes)
}

/// A text and the NUL that ends it.
pub(super) fn text<'a>(
    reading: PacketPart,
) -> impl Parser<&'a [u8], Output = &'a str, Error = PacketFault<'a>> {
    move |input: &'a [u8]| {
        let Ok(text) = CStr::from_bytes_until_nul(input) else {
            return fail(input, reading, PacketProblem::Unterminated);
        };
        match text.to_str() {
            Ok(text) => Ok((input.get(text.len().saturating_add(1)..).unwrap_or(&[]), text)),
            Err(error) => {
                let at = input.get(error.valid_up_to()..).unwrap_or(input);
                fail(at, reading, PacketProblem::InvalidUtf8)
            }
        }
    }
}

/// The end of the input.
pub(super) fn end(input: &[u8], reading: PacketPart) -> Parsed<'_, ()> {
    match input.len() {
        0 => Ok((input, ())),
        count => fail(input, reading, PacketProblem::TrailingBytes { count }),
    }
}

/// A text that fills the rest of the input.
pub(super) fn last_text(input: &[u8], reading: PacketPart) -> Parsed<'_, &str> {
    let (rest, text) = text(reading).parse(input)?;
    end(rest, reading)?;
    Ok((rest, text))
}
