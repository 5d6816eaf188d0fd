//! The grammar of the packets for spawned and synchronized nodes (Godot 4).

use super::arguments::{Arguments, Packing};
use super::error::Reading;
use super::grammar::{Count, Parsed, TOP_BIT, arguments, byte, bytes, last_text, take, word};
use super::packet::{NetIds, Packet, Spawn, State, States, Synchronizer};
use crate::dialect::ReadOptions;
use nom::Parser;
use nom::combinator::map;

/// The scene number of nodes that `spawn()` made from an argument.
const CUSTOM: u8 = 255;

pub(super) fn spawn<'a>(options: ReadOptions, input: &'a [u8]) -> Parsed<'a, Packet<'a>> {
    let part = Reading::Spawn;
    let (input, scene) = byte(part).parse(input)?;
    let (input, (spawner, net_id)) = (word(part), word(Reading::NetId)).parse(input)?;
    let (input, (synchronizers, name_len)) = (word(part), word(part)).parse(input)?;
    let ids = (synchronizers as usize).saturating_mul(4);
    let (input, ids) = take(ids, Reading::NetId).parse(input)?;
    let (input, name) = take(name_len as usize, Reading::SpawnName).parse(input)?;
    let (_, name) = last_text(name, Reading::SpawnName)?;
    let (input, argument) = if scene == CUSTOM {
        let (input, size) = word(part).parse(input)?;
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

/// At least one state, up to the end of the input.
pub(super) fn states<'a>(
    options: ReadOptions,
    is_delta: bool,
    input: &'a [u8],
) -> Parsed<'a, States<'a>> {
    let (mut rest, _) = state(options, is_delta, input)?;
    while !rest.is_empty() {
        (rest, _) = state(options, is_delta, rest)?;
    }
    Ok((rest, States { bytes: input, options, is_delta }))
}

pub(super) fn state<'a>(
    options: ReadOptions,
    is_delta: bool,
    input: &'a [u8],
) -> Parsed<'a, State<'a>> {
    let (input, id) = word(Reading::State).parse(input)?;
    let synchronizer = match id & TOP_BIT {
        0 => Synchronizer::NetId(id),
        _ => Synchronizer::PathId(id & !TOP_BIT),
    };
    let (input, changed) = if is_delta {
        map(bytes(Reading::State), |bits| Some(u64::from_le_bytes(bits))).parse(input)?
    } else {
        (input, None)
    };
    let (input, size) = word(Reading::State).parse(input)?;
    let (rest, values) = take(size as usize, Reading::State).parse(input)?;
    let (_, values) = arguments(Packing::Compressed, options, Count::ToEnd, values)?;
    Ok((rest, State { synchronizer, changed, values }))
}
