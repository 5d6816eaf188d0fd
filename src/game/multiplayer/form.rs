//! The forms of the values in packets. Godot 4 writes some of them in a shorter form than
//! `var_to_bytes` does.

use super::error::{Problem, Reading};
use super::parts::{Fault, Parsed, byte, bytes, end, take};
use crate::value::{ReadOptions, VariantRef};
use core::fmt;
use nom::Parser;
use nom::combinator::map;

/// How the values of a packet are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Packing {
    /// All values in their plain form: Godot 3 and Pandemonium.
    Plain,
    /// Bools and ints in a short form, other values in their plain form: Godot 4.
    Compressed,
    /// The bytes of a single byte array, without header or length: Godot 4.
    Bare,
    /// All values in their plain form, each after its length: the remote debugger of Godot 3.
    Framed,
}

/// The form of a value on the wire.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Form<'a> {
    /// The plain form: that of `var_to_bytes`.
    Value(VariantRef<'a>),
    /// A bool in one byte: Godot 4.
    Bool(bool),
    /// An int after its width, in 2, 3, 5 or 9 bytes: Godot 4.
    Int(i64),
    /// The bytes of a byte array, without header or length: Godot 4.
    Bytes(&'a [u8]),
}

impl fmt::Debug for Form<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Value(value) => f.debug_tuple("Value").field(value).finish(),
            Form::Bool(content) => f.debug_tuple("Bool").field(content).finish(),
            Form::Int(content) => f.debug_tuple("Int").field(content).finish(),
            Form::Bytes(content) => write!(f, "Bytes({} bytes)", content.len()),
        }
    }
}

/// One value.
pub(super) fn form<'a>(
    packing: Packing,
    options: ReadOptions,
    input: &'a [u8],
) -> Parsed<'a, Form<'a>> {
    match packing {
        Packing::Plain => plain(options, input),
        Packing::Compressed => compressed(options, input),
        Packing::Bare => Ok((input.get(input.len()..).unwrap_or(input), Form::Bytes(input))),
        Packing::Framed => framed(options, input),
    }
}

fn plain<'a>(options: ReadOptions, input: &'a [u8]) -> Parsed<'a, Form<'a>> {
    match crate::parse_prefix(options, input) {
        Ok((rest, value)) => Ok((rest, Form::Value(value))),
        Err(error) => Err(nom::Err::Error(Fault {
            at: input,
            offset: error.offset,
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
