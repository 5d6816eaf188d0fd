//! The grammar of the packets: calls, paths, raw bytes and system messages.

use super::arguments::{Argument, Arguments, Form, Packing};
use super::error::{Error, Problem, Reading};
use super::packet::{Call, ConfirmPath, Method, Node, Packet, Raw, Relay, Set, SimplifyPath, Sync};
use super::replication::{spawn, states};
use crate::dialect::ReadOptions;
use core::ffi::CStr;
use nom::combinator::map;
use nom::error::{ErrorKind, ParseError};
use nom::{IResult, Parser};

/// The commands of raw bytes.
const GODOT_3_RAW: u8 = 4;
const GODOT_4_RAW: u8 = 3;
const PANDEMONIUM_RAW: u8 = 3;

/// The top bit of a call's target and of a synchronizer's id.
pub(super) const TOP_BIT: u32 = 1 << 31;

/// An error where it happened.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Fault<'a> {
    at: &'a [u8],
    /// The offset of the error from the start of `at`, in bytes.
    behind: usize,
    reading: Reading,
    problem: Problem,
}

impl Fault<'_> {
    /// The error in the packet that the fault is in.
    pub(super) fn in_packet(self, packet: &[u8]) -> Error {
        // The input of a parser may end before the packet does, so the rest's length does not give
        // the place.
        let offset = self.at.as_ptr().addr().saturating_sub(packet.as_ptr().addr());
        let offset = offset.saturating_add(self.behind).min(packet.len());
        Error { offset, reading: self.reading, problem: self.problem }
    }
}

impl<'a> ParseError<&'a [u8]> for Fault<'a> {
    fn from_error_kind(at: &'a [u8], _: ErrorKind) -> Fault<'a> {
        let problem = Problem::TrailingBytes { count: at.len() };
        Fault { at, behind: 0, reading: Reading::Command, problem }
    }

    fn append(_: &'a [u8], _: ErrorKind, first: Fault<'a>) -> Fault<'a> {
        first
    }
}

pub(super) type Parsed<'a, T> = IResult<&'a [u8], T, Fault<'a>>;

fn fail<'a, T>(at: &'a [u8], reading: Reading, problem: Problem) -> Parsed<'a, T> {
    Err(nom::Err::Error(Fault { at, behind: 0, reading, problem }))
}

/// A number of bytes.
pub(super) fn take<'a>(
    count: usize,
    reading: Reading,
) -> impl Parser<&'a [u8], Output = &'a [u8], Error = Fault<'a>> {
    move |input: &'a [u8]| match input.split_at_checked(count) {
        Some((taken, rest)) => Ok((rest, taken)),
        None => {
            let problem = Problem::UnexpectedEnd { needed: count, available: input.len() };
            fail(input, reading, problem)
        }
    }
}

/// A number of bytes, as an array.
pub(super) fn bytes<'a, const COUNT: usize>(
    reading: Reading,
) -> impl Parser<&'a [u8], Output = [u8; COUNT], Error = Fault<'a>> {
    map(take(COUNT, reading), |taken: &[u8]| taken.first_chunk().copied().unwrap_or([0; COUNT]))
}

pub(super) fn byte<'a>(reading: Reading) -> impl Parser<&'a [u8], Output = u8, Error = Fault<'a>> {
    map(bytes(reading), |[byte]| byte)
}

fn half<'a>(reading: Reading) -> impl Parser<&'a [u8], Output = u16, Error = Fault<'a>> {
    map(bytes(reading), u16::from_le_bytes)
}

pub(super) fn word<'a>(reading: Reading) -> impl Parser<&'a [u8], Output = u32, Error = Fault<'a>> {
    map(bytes(reading), u32::from_le_bytes)
}

/// A text and the NUL that ends it.
fn text<'a>(reading: Reading) -> impl Parser<&'a [u8], Output = &'a str, Error = Fault<'a>> {
    move |input: &'a [u8]| {
        let Ok(text) = CStr::from_bytes_until_nul(input) else {
            return fail(input, reading, Problem::Unterminated);
        };
        match text.to_str() {
            Ok(text) => Ok((input.get(text.len().saturating_add(1)..).unwrap_or(&[]), text)),
            Err(error) => {
                let at = input.get(error.valid_up_to()..).unwrap_or(input);
                fail(at, reading, Problem::InvalidUtf8)
            }
        }
    }
}

/// The end of the input.
fn end(input: &[u8], reading: Reading) -> Parsed<'_, ()> {
    match input.len() {
        0 => Ok((input, ())),
        count => fail(input, reading, Problem::TrailingBytes { count }),
    }
}

/// A text that fills the rest of the input.
pub(super) fn last_text(input: &[u8], reading: Reading) -> Parsed<'_, &str> {
    let (rest, text) = text(reading).parse(input)?;
    end(rest, reading)?;
    Ok((rest, text))
}

/// One value.
pub(super) fn argument<'a>(
    packing: Packing,
    options: ReadOptions,
    input: &'a [u8],
) -> Parsed<'a, Argument<'a>> {
    let (rest, form) = match packing {
        Packing::Plain => plain(options, input)?,
        Packing::Compressed => compressed(options, input)?,
        Packing::Bare => (input.get(input.len()..).unwrap_or(input), Form::Bytes(input)),
        Packing::Framed => framed(options, input)?,
    };
    Ok((rest, Argument::new(form, options)))
}

fn plain<'a>(options: ReadOptions, input: &'a [u8]) -> Parsed<'a, Form<'a>> {
    match crate::parse_prefix(options, input) {
        Ok((rest, value)) => Ok((rest, Form::Value(value))),
        Err(error) => Err(nom::Err::Error(Fault {
            at: input,
            behind: error.offset,
            reading: Reading::Argument(0),
            problem: Problem::Value { reading: error.reading, problem: error.problem },
        })),
    }
}

/// The length of a value, and the value.
fn framed<'a>(options: ReadOptions, input: &'a [u8]) -> Parsed<'a, Form<'a>> {
    let part = Reading::Argument(0);
    let (rest, length) = map(bytes(part), u32::from_le_bytes).parse(input)?;
    let (rest, frame) = take(usize::try_from(length).unwrap_or(usize::MAX), part).parse(rest)?;
    let (after, value) = plain(options, frame)?;
    end(after, part)?;
    Ok((rest, value))
}

/// The low six bits of the first byte are the type. In a bool, the top bit is the value; in an int,
/// the two top bits say how many bytes follow.
fn compressed<'a>(options: ReadOptions, input: &'a [u8]) -> Parsed<'a, Form<'a>> {
    const TYPE: u8 = 0x3f;
    const BOOL: u8 = 1;
    const INT: u8 = 2;
    let part = Reading::Argument(0);
    let (rest, first) = byte(part).parse(input)?;
    match (first & TYPE, first >> 6) {
        (BOOL, _) => Ok((rest, Form::Bool(first & 0x80 != 0))),
        (INT, 0) => {
            map(bytes(part), |[byte]| Form::Int(i8::from_le_bytes([byte]).into())).parse(rest)
        }
        (INT, 1) => {
            map(bytes(part), |bytes| Form::Int(i16::from_le_bytes(bytes).into())).parse(rest)
        }
        (INT, 2) => {
            map(bytes(part), |bytes| Form::Int(i32::from_le_bytes(bytes).into())).parse(rest)
        }
        (INT, _) => map(bytes(part), |bytes| Form::Int(i64::from_le_bytes(bytes))).parse(rest),
        _ => plain(options, input),
    }
}

/// The number of values.
#[derive(Clone, Copy)]
pub(super) enum Count {
    Exactly(usize),
    /// As many as fill the rest.
    ToEnd,
}

/// Values, up to the end of the input.
pub(super) fn arguments<'a>(
    packing: Packing,
    options: ReadOptions,
    count: Count,
    input: &'a [u8],
) -> Parsed<'a, Arguments<'a>> {
    let mut rest = input;
    let mut len = 0usize;
    while match count {
        Count::Exactly(count) => len < count,
        Count::ToEnd => !rest.is_empty(),
    } {
        let place = u32::try_from(len).unwrap_or(u32::MAX);
        (rest, _) = argument(packing, options, rest).map_err(|error| {
            error.map(|fault: Fault<'a>| Fault { reading: Reading::Argument(place), ..fault })
        })?;
        len = len.saturating_add(1);
    }
    let last = u32::try_from(len.saturating_sub(1)).unwrap_or(u32::MAX);
    end(rest, if len == 0 { Reading::ArgumentCount } else { Reading::Argument(last) })?;
    Ok((rest, Arguments { bytes: input, len, packing, options }))
}

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
    let (input, target) = word(Reading::Node).parse(input)?;
    let (input, node) = node(packet, input, target)?;
    let (input, name) = text(Reading::Method).parse(input)?;
    let (input, count) = byte(Reading::ArgumentCount).parse(input)?;
    let count = Count::Exactly(count.into());
    let (rest, arguments) = arguments(Packing::Plain, options, count, input)?;
    let method = Method::Name(name);
    Ok((rest, Packet::Call(Call { node, method, arguments })))
}

fn set<'a>(options: ReadOptions, packet: &'a [u8], input: &'a [u8]) -> Parsed<'a, Packet<'a>> {
    let (input, target) = word(Reading::Node).parse(input)?;
    let (input, node) = node(packet, input, target)?;
    let (input, property) = text(Reading::Property).parse(input)?;
    let (rest, value) = arguments(Packing::Plain, options, Count::Exactly(1), input)?;
    Ok((rest, Packet::Set(Set { node, property, value })))
}

fn simplify_path(input: &[u8]) -> Parsed<'_, Packet<'_>> {
    let (input, id) = word(Reading::Node).parse(input)?;
    let (rest, path) = last_text(input, Reading::Path)?;
    Ok((rest, Packet::SimplifyPath(SimplifyPath { id, path, md5: None })))
}

fn confirm_path(input: &[u8]) -> Parsed<'_, Packet<'_>> {
    let (rest, path) = last_text(input, Reading::Path)?;
    let confirm = ConfirmPath { node: Node::Path(path), is_valid: None };
    Ok((rest, Packet::ConfirmPath(confirm)))
}

/// Raw bytes. The engines neither send nor accept raw packets without bytes.
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
    let (rest, peer) = map(bytes(Reading::Peer), i32::from_le_bytes).parse(content)?;
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
fn direct<'a>(options: ReadOptions, packet: &'a [u8]) -> Parsed<'a, Packet<'a>> {
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
            let (input, id) = word(Reading::Node).parse(rest)?;
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
            let (rest, net_id) = word(Reading::NetId).parse(input)?;
            end(rest, Reading::NetId)?;
            Ok((rest, Packet::Despawn { net_id }))
        }
        6 if first & DELTA != 0 => {
            let (rest, states) = states(options, true, input)?;
            Ok((rest, Packet::Delta(states)))
        }
        6 => {
            let (input, time) = half(Reading::Time).parse(input)?;
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
        2 => map(half(Reading::Node), u32::from).parse(input)?,
        _ => word(Reading::Node).parse(input)?,
    };
    let (input, node) = node(packet, input, target)?;
    let (input, number) = if head.method == 1 {
        map(byte(Reading::Method), u16::from).parse(input)?
    } else {
        half(Reading::Method).parse(input)?
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
        // Fewer bytes than an id has can only be a path.
        [name @ .., 0] if name.len() < 3 => name.iter().all(|byte| *byte >= b' '),
        _ => input.len() > 4,
    };
    if is_path {
        let (rest, path) = last_text(input, Reading::Path)?;
        return Ok((rest, Node::Path(path)));
    }
    map(word(Reading::Node), Node::Id).parse(input)
}
