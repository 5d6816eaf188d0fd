//! The grammar of the packets: calls, paths, raw bytes and system messages.

use super::arguments::{Arguments, Count, arguments};
use super::error::{Problem, Reading};
use super::form::Packing;
use super::packet::{
    Call, ConfirmPath, Method, NetIds, Node, Packet, Raw, Relay, Set, SimplifyPath, Spawn, Sync,
};
use super::parts::{
    Parsed, TOP_BIT, byte, bytes, end, fail, last_text, le_u16, le_u32, take, text,
};
use super::states::states;
use crate::net::peer::PeerId;
use crate::value::ReadOptions;
use nom::Parser;
use nom::combinator::map;

/// The commands of raw bytes.
const GODOT_3_RAW: u8 = 4;
const GODOT_4_RAW: u8 = 3;
const PANDEMONIUM_RAW: u8 = 3;

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
            let (_, path) = last_text(path, Reading::Path)?;
            Ok((content, Node::Path(path)))
        }
        _ => fail(input, Reading::Node, Problem::PathOffset { offset }),
    }
}

/// A packet of Godot 3.
pub(super) fn godot_3<'a>(options: ReadOptions, packet: &'a [u8]) -> Parsed<'a, Packet<'a>> {
    let (input, command) = byte(Reading::Command).parse(packet)?;
    match command {
        0 => named_call(options, packet, input),
        1 => set(options, packet, input),
        2 => simplify_path(input),
        3 => confirm_path(input),
        GODOT_3_RAW => raw(options, input),
        number => fail(packet, Reading::Command, Problem::UnknownCommand { number }),
    }
}

/// A packet of Pandemonium, which has no remote set.
pub(super) fn pandemonium<'a>(options: ReadOptions, packet: &'a [u8]) -> Parsed<'a, Packet<'a>> {
    let (input, command) = byte(Reading::Command).parse(packet)?;
    match command {
        0 => named_call(options, packet, input),
        1 => simplify_path(input),
        2 => confirm_path(input),
        PANDEMONIUM_RAW => raw(options, input),
        number => fail(packet, Reading::Command, Problem::UnknownCommand { number }),
    }
}

/// A call by the method's name.
fn named_call<'a>(
    options: ReadOptions,
    packet: &'a [u8],
    input: &'a [u8],
) -> Parsed<'a, Packet<'a>> {
    let (input, target) = le_u32(Reading::Node).parse(input)?;
    let (input, node) = node(packet, input, target)?;
    let (input, name) = text(Reading::Method).parse(input)?;
    let (input, count) = byte(Reading::ArgumentCount).parse(input)?;
    let count = Count::Exactly(count.into());
    let (rest, arguments) = arguments(Packing::Plain, options, count, input)?;
    let method = Method::Name(name);
    Ok((rest, Packet::Call(Call { node, method, arguments })))
}

fn set<'a>(options: ReadOptions, packet: &'a [u8], input: &'a [u8]) -> Parsed<'a, Packet<'a>> {
    let (input, target) = le_u32(Reading::Node).parse(input)?;
    let (input, node) = node(packet, input, target)?;
    let (input, property) = text(Reading::Property).parse(input)?;
    let (rest, value) = arguments(Packing::Plain, options, Count::Exactly(1), input)?;
    Ok((rest, Packet::Set(Set { node, property, value })))
}

fn simplify_path(input: &[u8]) -> Parsed<'_, Packet<'_>> {
    let (input, id) = le_u32(Reading::Node).parse(input)?;
    let (rest, path) = last_text(input, Reading::Path)?;
    Ok((rest, Packet::SimplifyPath(SimplifyPath { id, path, md5: None })))
}

fn confirm_path(input: &[u8]) -> Parsed<'_, Packet<'_>> {
    let (rest, path) = last_text(input, Reading::Path)?;
    let confirm = ConfirmPath { node: Node::Path(path), is_valid: None };
    Ok((rest, Packet::ConfirmPath(confirm)))
}

/// Raw bytes. The engines neither send nor accept empty ones.
fn raw<'a>(options: ReadOptions, input: &'a [u8]) -> Parsed<'a, Packet<'a>> {
    take(1, Reading::Bytes).parse(input)?;
    let rest = input.get(input.len()..).unwrap_or(input);
    Ok((rest, Packet::Raw(Raw { bytes: input, options })))
}

const SYSTEM: u8 = 7;

/// A packet of Godot 4.
pub(super) fn godot_4<'a>(options: ReadOptions, packet: &'a [u8]) -> Parsed<'a, Packet<'a>> {
    let (input, first) = byte(Reading::Command).parse(packet)?;
    if first & 7 != SYSTEM {
        return direct(options, packet);
    }
    let (content, number) = byte(Reading::SystemCommand).parse(input)?;
    if number == 0 {
        let rest = content.get(content.len()..).unwrap_or(content);
        return Ok((rest, Packet::Auth(content)));
    }
    if number > 3 {
        return fail(input, Reading::SystemCommand, Problem::UnknownCommand { number });
    }
    let (rest, peer) = map(bytes(Reading::Peer), PeerId::from_le_bytes).parse(content)?;
    if number == 3 {
        take(1, Reading::Relayed).parse(rest)?;
        // Like the engine, this refuses a system message in a relay.
        let (end, _) = direct(options, rest)?;
        return Ok((end, Packet::Relay(Relay { peer, bytes: rest, options })));
    }
    end(rest, Reading::Peer)?;
    let packet =
        if number == 1 { Packet::PeerAdded { peer } } else { Packet::PeerRemoved { peer } };
    Ok((rest, packet))
}

/// A packet that is not a system message.
pub(super) fn direct<'a>(options: ReadOptions, packet: &'a [u8]) -> Parsed<'a, Packet<'a>> {
    /// The flag of a sync that has only changed properties.
    const DELTA: u8 = 1 << 4;
    let (input, first) = byte(Reading::Command).parse(packet)?;
    match first & 7 {
        0 => call(options, packet, input, first),
        1 => {
            let (rest, md5) = text(Reading::Md5).parse(input)?;
            if md5.len() != 32 || !md5.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return fail(input, Reading::Md5, Problem::NotHexadecimal);
            }
            let (input, id) = le_u32(Reading::Node).parse(rest)?;
            let (rest, path) = last_text(input, Reading::Path)?;
            Ok((rest, Packet::SimplifyPath(SimplifyPath { id, path, md5: Some(md5) })))
        }
        2 => {
            let (input, is_valid) = byte(Reading::Validity).parse(input)?;
            let (rest, node) = confirmed(input)?;
            let is_valid = Some(is_valid != 0);
            Ok((rest, Packet::ConfirmPath(ConfirmPath { node, is_valid })))
        }
        GODOT_4_RAW => raw(options, input),
        4 => spawn(options, input),
        5 => {
            let (rest, net_id) = le_u32(Reading::NetId).parse(input)?;
            end(rest, Reading::NetId)?;
            Ok((rest, Packet::Despawn { net_id }))
        }
        6 if first & DELTA != 0 => {
            let (rest, states) = states(options, true, input)?;
            Ok((rest, Packet::Delta(states)))
        }
        6 => {
            let (input, time) = le_u16(Reading::Time).parse(input)?;
            let (rest, states) = states(options, false, input)?;
            Ok((rest, Packet::Sync(Sync { time, states })))
        }
        number => fail(packet, Reading::Command, Problem::UnknownCommand { number }),
    }
}

/// The content of the first byte of a call in Godot 4.
pub(crate) struct CallHead {
    /// The number of bytes of the node's id, and of the method's number.
    pub(crate) node: usize,
    pub(crate) method: usize,
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
        return fail(packet, Reading::Node, Problem::UnknownWidth);
    };
    let (input, target) = match head.node {
        1 => map(byte(Reading::Node), u32::from).parse(input)?,
        2 => map(le_u16(Reading::Node), u32::from).parse(input)?,
        _ => le_u32(Reading::Node).parse(input)?,
    };
    let (input, node) = node(packet, input, target)?;
    let (input, number) = if head.method == 1 {
        map(byte(Reading::Method), u16::from).parse(input)?
    } else {
        le_u16(Reading::Method).parse(input)?
    };
    let method = Method::Number { index: number & !OWN, is_own: number & OWN != 0 };
    let (rest, arguments) = if head.is_counted {
        let (input, count) = byte(Reading::ArgumentCount).parse(input)?;
        arguments(Packing::Compressed, options, Count::Exactly(count.into()), input)?
    } else {
        let count = Count::Exactly(usize::from(!input.is_empty()));
        arguments(Packing::Bare, options, count, input)?
    };
    Ok((rest, Packet::Call(Call { node, method, arguments })))
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
        let (rest, path) = last_text(input, Reading::Path)?;
        return Ok((rest, Node::Path(path)));
    }
    map(le_u32(Reading::Node), Node::Id).parse(input)
}

/// The scene number of nodes that `MultiplayerSpawner.spawn()` made from an argument.
const CUSTOM: u8 = 255;

/// A node that is spawned.
fn spawn<'a>(options: ReadOptions, input: &'a [u8]) -> Parsed<'a, Packet<'a>> {
    let part = Reading::Spawn;
    let (input, scene) = byte(part).parse(input)?;
    let (input, (spawner, net_id)) = (le_u32(part), le_u32(Reading::NetId)).parse(input)?;
    let (input, (synchronizers, name_len)) = (le_u32(part), le_u32(part)).parse(input)?;
    let ids = (synchronizers as usize).saturating_mul(4);
    let (input, ids) = take(ids, Reading::NetId).parse(input)?;
    let (input, name) = take(name_len as usize, Reading::SpawnName).parse(input)?;
    let (_, name) = last_text(name, Reading::SpawnName)?;
    let (input, argument) = if scene == CUSTOM {
        let (input, size) = le_u32(part).parse(input)?;
        let (input, argument) = take(size as usize, Reading::Argument(0)).parse(input)?;
        let (_, argument) = arguments(Packing::Compressed, options, Count::Exactly(1), argument)?;
        (input, argument)
    } else {
        (input, Arguments::none(options))
    };
    let (rest, state) = arguments(Packing::Compressed, options, Count::ToEnd, input)?;
    let scene = (scene != CUSTOM).then_some(scene);
    let (ids, _) = ids.as_chunks();
    let synchronizers = NetIds(ids);
    let spawn = Spawn { spawner, scene, net_id, name, synchronizers, argument, state };
    Ok((rest, Packet::Spawn(spawn)))
}
