//! The values in packets: the arguments of a call, or the properties of a state. Godot 4 writes some of
//! them in a shorter form than `var_to_bytes` does.

use super::error::{PacketPart, PacketProblem};
use super::grammar::{PacketFault, Parsed, byte, bytes, end, take};
use crate::format::text;
use crate::format::text::Layout;
use crate::value::{Dialect, Kind, ReadOptions, VariantRef, View};
use crate::write::encode::{Builder, Encode, EncodeError, Sink};
use core::fmt::{self, Write};
use core::iter::FusedIterator;
use nom::Parser;
use nom::combinator::map;

/// The values of a packet: the arguments of a call, or the properties of a state.
#[derive(Clone, Copy)]
pub struct Arguments<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) len: usize,
    pub(super) packing: ArgumentPacking,
    pub(super) options: ReadOptions,
}

/// A value of a packet.
///
/// It can be encoded (to the bytes of `var_to_bytes`), displayed, and converted to a `Variant`.
#[derive(Clone, Copy)]
pub struct Argument<'a> {
    form: Form<'a>,
    options: ReadOptions,
}

impl<'a> Argument<'a> {
    pub(super) const fn new(form: Form<'a>, options: ReadOptions) -> Argument<'a> {
        Argument { form, options }
    }

    /// The form on the wire.
    #[must_use]
    pub const fn form(&self) -> Form<'a> {
        self.form
    }

    /// The dialect that it was read in.
    #[must_use]
    pub const fn dialect(&self) -> Dialect {
        self.options.dialect()
    }

    /// The kind of the value.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.form {
            Form::Value(value) => value.kind(),
            Form::Bool(_) => Kind::Bool,
            Form::Int(_) => Kind::Int,
            Form::Bytes(_) => Kind::PackedByteArray,
        }
    }

    /// The value, whatever its form.
    #[must_use]
    pub fn view(&self) -> View<'a> {
        match self.form {
            Form::Value(value) => value.view(),
            Form::Bool(content) => View::Bool(content),
            Form::Int(content) => View::Int(content),
            Form::Bytes(content) => View::PackedByteArray(content),
        }
    }

    /// The content of a bool.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.view() {
            View::Bool(content) => Some(content),
            _ => None,
        }
    }

    /// The content of an int.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self.view() {
            View::Int(content) => Some(content),
            _ => None,
        }
    }

    /// The content of a string or string name.
    #[must_use]
    pub fn as_str(&self) -> Option<&'a str> {
        match self.form {
            Form::Value(value) => value.as_str(),
            _ => None,
        }
    }

    /// The content of a byte array.
    #[must_use]
    pub fn as_byte_array(&self) -> Option<&'a [u8]> {
        match self.view() {
            View::PackedByteArray(content) => Some(content),
            _ => None,
        }
    }

    /// The value as the literal of its engine: see [`mod@crate::text`].
    #[must_use]
    pub const fn display(&self, layout: Layout) -> ArgumentLiteral<'a> {
        ArgumentLiteral { argument: *self, layout }
    }
}

impl Encode for Argument<'_> {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        match self.form {
            Form::Value(value) => value.encode(builder),
            Form::Bool(content) => builder.bool(content),
            Form::Int(content) => builder.int(content),
            Form::Bytes(content) => builder.byte_array(content),
        }
    }
}

#[cfg(feature = "alloc")]
impl From<Argument<'_>> for crate::Variant {
    fn from(argument: Argument<'_>) -> crate::Variant {
        match argument.form {
            Form::Value(value) => value.into(),
            Form::Bool(content) => crate::Variant::Bool(content),
            Form::Int(content) => crate::Variant::Int(content),
            Form::Bytes(content) => crate::Variant::PackedByteArray(content.to_vec()),
        }
    }
}

/// The literal in one line.
impl fmt::Display for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display(Layout::Line).fmt(f)
    }
}

impl fmt::Debug for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::bounded(f, self)
    }
}

/// Shows an argument as its engine's literal: see [`Argument::display`].
#[derive(Clone, Copy, Debug)]
pub struct ArgumentLiteral<'a> {
    argument: Argument<'a>,
    layout: Layout,
}

impl fmt::Display for ArgumentLiteral<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.argument.form {
            Form::Value(value) => value.display(self.layout).fmt(f),
            Form::Bool(content) => write!(f, "{content}"),
            Form::Int(content) => write!(f, "{content}"),
            Form::Bytes(content) => text::byte_array(content, self.argument.dialect(), f),
        }
    }
}

impl<'a> Arguments<'a> {
    pub(super) const fn none(options: ReadOptions) -> Arguments<'a> {
        Arguments { bytes: &[], len: 0, packing: ArgumentPacking::Plain, options }
    }

    /// The arguments of a debugger's message, each in a frame. Returns none if the bytes are not
    /// exactly `count` frames.
    pub(crate) fn of_frames(
        options: ReadOptions,
        count: usize,
        bytes: &'a [u8],
    ) -> Option<Arguments<'a>> {
        let count = ArgumentCount::Exactly(count);
        Some(arguments(ArgumentPacking::Framed, options, count, bytes).ok()?.1)
    }

    /// The last elements of an array, which `elements` iterates over.
    pub(crate) fn of_elements(
        options: ReadOptions,
        array: VariantRef<'a>,
        elements: impl Iterator<Item = VariantRef<'a>>,
    ) -> Arguments<'a> {
        let (len, size) = elements.fold((0_usize, 0_usize), |(len, size), element| {
            (len + 1, size + element.as_bytes().len())
        });
        let array = array.as_bytes();
        let bytes = array.get(array.len().saturating_sub(size)..).unwrap_or(&[]);
        Arguments { bytes, len, packing: ArgumentPacking::Plain, options }
    }

    /// The number of arguments.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The arguments in order.
    #[must_use]
    pub const fn iter(&self) -> ArgumentsIter<'a> {
        ArgumentsIter(*self)
    }

    /// The bytes of all arguments in the packet.
    #[cfg(feature = "alloc")]
    pub(crate) const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The arguments in order, each with the number of its bytes in the packet.
    #[cfg(feature = "alloc")]
    pub(crate) fn with_lengths(self) -> impl Iterator<Item = (Argument<'a>, usize)> {
        let mut rest = self.iter();
        core::iter::from_fn(move || {
            let before = rest.0.bytes.len();
            let argument = rest.next()?;
            Some((argument, before.saturating_sub(rest.0.bytes.len())))
        })
    }
}

impl<'a> IntoIterator for Arguments<'a> {
    type Item = Argument<'a>;
    type IntoIter = ArgumentsIter<'a>;

    fn into_iter(self) -> ArgumentsIter<'a> {
        self.iter()
    }
}

/// Shows the arguments as in a call, without the parentheses.
impl fmt::Display for Arguments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, argument) in self.iter().enumerate() {
            if place > 0 {
                f.write_str(", ")?;
            }
            argument.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Arguments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        text::bounded(f, self)?;
        f.write_char(']')
    }
}

/// The arguments of a packet: see [`Arguments::iter`].
#[derive(Clone, Copy, Debug)]
pub struct ArgumentsIter<'a>(Arguments<'a>);

impl<'a> Iterator for ArgumentsIter<'a> {
    type Item = Argument<'a>;

    fn next(&mut self) -> Option<Argument<'a>> {
        self.0.len = self.0.len.checked_sub(1)?;
        let (rest, form) = form(self.0.packing, self.0.options, self.0.bytes).ok()?;
        self.0.bytes = rest;
        Some(Argument { form, options: self.0.options })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len, Some(self.0.len))
    }
}

impl ExactSizeIterator for ArgumentsIter<'_> {}
impl FusedIterator for ArgumentsIter<'_> {}

/// The number of values.
#[derive(Clone, Copy)]
pub(super) enum ArgumentCount {
    Exactly(usize),
    /// All values in the rest of the input.
    ToEnd,
}

/// Values, up to the end of the input.
pub(super) fn arguments<'a>(
    packing: ArgumentPacking,
    options: ReadOptions,
    count: ArgumentCount,
    input: &'a [u8],
) -> Parsed<'a, Arguments<'a>> {
    let mut rest = input;
    let mut len = 0usize;
    while match count {
        ArgumentCount::Exactly(count) => len < count,
        ArgumentCount::ToEnd => !rest.is_empty(),
    } {
        let place = u32::try_from(len).unwrap_or(u32::MAX);
        (rest, _) = form(packing, options, rest).map_err(|error| {
            error.map(|fault: PacketFault<'a>| PacketFault {
                reading: PacketPart::Argument(place),
                ..fault
            })
        })?;
        len += 1;
    }
    let last = u32::try_from(len.saturating_sub(1)).unwrap_or(u32::MAX);
    end(rest, if len == 0 { PacketPart::ArgumentCount } else { PacketPart::Argument(last) })?;
    Ok((rest, Arguments { bytes: input, len, packing, options }))
}

/// How the values of a packet are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ArgumentPacking {
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
    packing: ArgumentPacking,
    options: ReadOptions,
    input: &'a [u8],
) -> Parsed<'a, Form<'a>> {
    match packing {
        ArgumentPacking::Plain => plain(options, input),
        ArgumentPacking::Compressed => compressed(options, input),
        ArgumentPacking::Bare => {
            Ok((input.get(input.len()..).unwrap_or(input), Form::Bytes(input)))
        }
        ArgumentPacking::Framed => framed(options, input),
    }
}

fn plain<'a>(options: ReadOptions, input: &'a [u8]) -> Parsed<'a, Form<'a>> {
    match crate::parse_prefix(options, input) {
        Ok((rest, value)) => Ok((rest, Form::Value(value))),
        Err(error) => Err(nom::Err::Error(PacketFault {
            at: input,
            offset: error.offset,
            reading: PacketPart::Argument(0),
            problem: PacketProblem::Value { reading: error.reading, problem: error.problem },
        })),
    }
}

/// The length of a value, and the value.
fn framed<'a>(options: ReadOptions, input: &'a [u8]) -> Parsed<'a, Form<'a>> {
    let part = PacketPart::Argument(0);
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
    let part = PacketPart::Argument(0);
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
