//! Writes the values in packets: the arguments of a call, or the properties of a state.

use super::error::{PacketEncodeError, PacketEncodeProblem};
use crate::game::multiplayer::arguments::{ArgumentPacking, Arguments};
use crate::game::multiplayer::error::PacketPart;
use crate::value::{Dialect, FLAG_64, Kind};
use crate::write::encode::{CountSink, Encode, Sink, encode_part};

/// Values that can be the arguments of a call or the properties of a state.
///
/// Each field of a tuple is one argument, and so is each element of a slice, an array or a `Vec`.
/// `()` has none. The [`Arguments`] of a packet that was read can be written again: in the same
/// dialect and packet format, their bytes do not change.
///
/// ```
/// use gdwire::Dialect;
/// use gdwire::math::Vector3;
/// use gdwire::multiplayer::{Method, MultiplayerProtocol, Node, PacketEncoder};
///
/// let encoder = PacketEncoder::new(MultiplayerProtocol::Godot3, Dialect::GODOT_3);
/// let (node, method) = (Node::Id(7), Method::Name("take_hit"));
/// let packet = encoder.call(node, method, &(5, "arrow", Vector3::new(0.5, 0.0, 1.0)), Vec::new())?;
/// assert_eq!(packet[..5], [0, 7, 0, 0, 0]);
/// # Ok::<(), gdwire::multiplayer::PacketEncodeError>(())
/// ```
pub trait EncodeArguments {
    /// Writes the values in order. It may be called several times for one packet, and must always
    /// write the same.
    ///
    /// # Errors
    ///
    /// Those of [`ArgumentEncoder::argument`].
    fn encode_arguments<S: Sink>(
        &self,
        encoder: &mut ArgumentEncoder<S>,
    ) -> Result<(), PacketEncodeError>;
}

/// Writes values one after the other: see [`EncodeArguments`].
#[derive(Debug)]
pub struct ArgumentEncoder<S> {
    sink: S,
    dialect: Dialect,
    packing: ArgumentPacking,
    len: usize,
    /// Whether the first value is a byte array.
    begins_with_bytes: bool,
    /// Whether the values were read from a packet that has them after their count.
    was_counted: bool,
}

impl<S: Sink> ArgumentEncoder<S> {
    pub(in crate::game::multiplayer) const fn new(
        dialect: Dialect,
        packing: ArgumentPacking,
        sink: S,
    ) -> ArgumentEncoder<S> {
        let (begins_with_bytes, was_counted) = (false, false);
        ArgumentEncoder { sink, dialect, packing, len: 0, begins_with_bytes, was_counted }
    }

    /// Writes the next value.
    ///
    /// # Errors
    ///
    /// [`PacketEncodeProblem::Value`] if the dialect cannot express the value.
    pub fn argument<T: Encode + ?Sized>(&mut self, value: &T) -> Result<(), PacketEncodeError> {
        let sink = ValueSink::new(&mut self.sink, self.packing);
        let header = encode_part(self.dialect, value, sink).map(ValueSink::finish);
        let place = u32::try_from(self.len).unwrap_or(u32::MAX);
        let header = header
            .map_err(|error| PacketEncodeProblem::Value(error).at(PacketPart::Argument(place)))?;
        if self.len == 0 {
            let number = self.dialect.type_number(Kind::PackedByteArray);
            self.begins_with_bytes = number == Some(header[0]);
        }
        self.len = self.len.saturating_add(1);
        Ok(())
    }

    /// Writes values that have the form of a packet of Godot 4 already.
    #[cfg(feature = "alloc")]
    pub(in crate::game::multiplayer) fn put_compressed(&mut self, bytes: &[u8]) {
        self.sink.put(bytes);
        self.len = self.len.saturating_add(1);
    }

    /// Writes values that were read from a packet.
    fn arguments(&mut self, arguments: &Arguments<'_>) -> Result<(), PacketEncodeError> {
        if arguments.packing == self.packing && arguments.options.dialect() == self.dialect {
            self.sink.put(arguments.bytes);
            self.len = self.len.saturating_add(arguments.len);
            self.was_counted = true;
            return Ok(());
        }
        arguments.iter().try_for_each(|argument| self.argument(&argument))
    }
}

/// The bytes of one value in the form of a packet of Godot 4.
#[cfg(feature = "alloc")]
pub(in crate::game::multiplayer) fn compressed<T: Encode + ?Sized>(
    dialect: Dialect,
    value: &T,
) -> Result<alloc::vec::Vec<u8>, PacketEncodeError> {
    let bytes = alloc::vec::Vec::new();
    let mut encoder = ArgumentEncoder::new(dialect, ArgumentPacking::Compressed, bytes);
    encoder.argument(value)?;
    Ok(encoder.sink)
}

impl EncodeArguments for Arguments<'_> {
    fn encode_arguments<S: Sink>(
        &self,
        encoder: &mut ArgumentEncoder<S>,
    ) -> Result<(), PacketEncodeError> {
        encoder.arguments(self)
    }
}

/// The same as for the type that it refers to.
impl<T: EncodeArguments + ?Sized> EncodeArguments for &T {
    fn encode_arguments<S: Sink>(
        &self,
        encoder: &mut ArgumentEncoder<S>,
    ) -> Result<(), PacketEncodeError> {
        (**self).encode_arguments(encoder)
    }
}

/// Each element is an argument.
impl<T: Encode> EncodeArguments for [T] {
    fn encode_arguments<S: Sink>(
        &self,
        encoder: &mut ArgumentEncoder<S>,
    ) -> Result<(), PacketEncodeError> {
        self.iter().try_for_each(|value| encoder.argument(value))
    }
}

/// Each element is an argument.
impl<T: Encode, const N: usize> EncodeArguments for [T; N] {
    fn encode_arguments<S: Sink>(
        &self,
        encoder: &mut ArgumentEncoder<S>,
    ) -> Result<(), PacketEncodeError> {
        self.as_slice().encode_arguments(encoder)
    }
}

/// Each element is an argument.
#[cfg(feature = "alloc")]
impl<T: Encode> EncodeArguments for alloc::vec::Vec<T> {
    fn encode_arguments<S: Sink>(
        &self,
        encoder: &mut ArgumentEncoder<S>,
    ) -> Result<(), PacketEncodeError> {
        self.as_slice().encode_arguments(encoder)
    }
}

/// No arguments.
impl EncodeArguments for () {
    fn encode_arguments<S: Sink>(
        &self,
        _: &mut ArgumentEncoder<S>,
    ) -> Result<(), PacketEncodeError> {
        Ok(())
    }
}

macro_rules! tuples {
    ($($($type:ident $place:tt)*;)*) => {$(
        /// Each field is an argument.
        impl<$($type: Encode),*> EncodeArguments for ($($type,)*) {
            fn encode_arguments<S: Sink>(
                &self,
                encoder: &mut ArgumentEncoder<S>,
            ) -> Result<(), PacketEncodeError> {
                $(encoder.argument(&self.$place)?;)*
                Ok(())
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
}

/// The number and size of values, and the facts that decide whether a call writes their number.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeasuredValues {
    pub(super) len: usize,
    /// The number of bytes.
    pub(super) size: usize,
    begins_with_bytes: bool,
    was_counted: bool,
}

impl MeasuredValues {
    pub(super) fn of<A: EncodeArguments + ?Sized>(
        dialect: Dialect,
        packing: ArgumentPacking,
        arguments: &A,
    ) -> Result<MeasuredValues, PacketEncodeError> {
        let mut encoder = ArgumentEncoder::new(dialect, packing, CountSink::default());
        arguments.encode_arguments(&mut encoder)?;
        let ArgumentEncoder { sink, len, begins_with_bytes, was_counted, .. } = encoder;
        Ok(MeasuredValues { len, size: sink.count(), begins_with_bytes, was_counted })
    }

    /// Whether a call of Godot 4 has the arguments without their count: there are none, or one
    /// byte array.
    pub(super) const fn is_bare(&self) -> bool {
        !self.was_counted && (self.len == 0 || self.len == 1 && self.begins_with_bytes)
    }
}

/// The most bytes of a bool or an int: the header and 64 bits.
const LONGEST_SHORT: usize = 12;

/// Takes the plain form of one value, and passes the form of a packet on.
struct ValueSink<S> {
    sink: S,
    packing: ArgumentPacking,
    /// The first bytes of the value.
    head: [u8; LONGEST_SHORT],
    /// The number of bytes that came.
    len: usize,
    /// Whether the head was passed on.
    is_passed: bool,
}

impl<S: Sink> ValueSink<S> {
    const fn new(sink: S, packing: ArgumentPacking) -> ValueSink<S> {
        ValueSink { sink, packing, head: [0; LONGEST_SHORT], len: 0, is_passed: false }
    }

    /// A word of the head.
    fn word(&self, place: usize) -> [u8; 4] {
        self.head.get(place..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; 4])
    }

    /// Whether the value is a bool or an int. All dialects have the same numbers for them.
    fn has_short_form(&self) -> bool {
        matches!(self.head[0], BOOL | INT)
    }

    /// Ends the value, and returns its header.
    fn finish(mut self) -> [u8; 4] {
        let header = self.word(0);
        if self.packing == ArgumentPacking::Compressed && !self.is_passed {
            let [low, high] = [self.word(4), self.word(8)];
            if self.head[0] == BOOL {
                self.sink.put(&[BOOL | u8::from(low != [0; 4]) << 7]);
            } else if u32::from_le_bytes(header) & FLAG_64 != 0 {
                let [low, high] = [low, high].map(|half| u64::from(u32::from_le_bytes(half)));
                self.put_int((high << 32 | low).cast_signed());
            } else {
                self.put_int(i32::from_le_bytes(low).into());
            }
        }
        header
    }

    /// Writes an int in the fewest bytes, after its width.
    fn put_int(&mut self, content: i64) {
        if let Ok(content) = i8::try_from(content) {
            self.sink.put(&[INT]);
            self.sink.put(&content.to_le_bytes());
        } else if let Ok(content) = i16::try_from(content) {
            self.sink.put(&[INT | 1 << 6]);
            self.sink.put(&content.to_le_bytes());
        } else if let Ok(content) = i32::try_from(content) {
            self.sink.put(&[INT | 2 << 6]);
            self.sink.put(&content.to_le_bytes());
        } else {
            self.sink.put(&[INT | 3 << 6]);
            self.sink.put(&content.to_le_bytes());
        }
    }

    /// The bytes of a byte array, without its header, length and padding. `before` bytes of the value
    /// came earlier.
    fn put_bare(&mut self, before: usize, bytes: &[u8]) {
        const START: usize = 8;
        let len = u32::from_le_bytes(self.word(4)) as usize;
        let content = bytes.get(START.saturating_sub(before)..).unwrap_or(&[]);
        let left = len.saturating_sub(before.saturating_sub(START));
        self.sink.put(content.get(..left).unwrap_or(content));
    }
}

impl<S: Sink> Sink for ValueSink<S> {
    fn put(&mut self, bytes: &[u8]) {
        let before = self.len;
        self.len = before.saturating_add(bytes.len());
        let room = self.head.get_mut(before..).unwrap_or(&mut []);
        let rest = match bytes.split_at_checked(room.len()) {
            Some((first, rest)) => {
                room.copy_from_slice(first);
                rest
            }
            None => {
                room.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                &[]
            }
        };
        match self.packing {
            ArgumentPacking::Compressed if !self.is_passed => {
                if !self.has_short_form() || !rest.is_empty() {
                    self.is_passed = true;
                    let head = self.head.get(..self.len).unwrap_or(&self.head);
                    self.sink.put(head);
                    self.sink.put(rest);
                }
            }
            ArgumentPacking::Bare => self.put_bare(before, bytes),
            _ => self.sink.put(bytes),
        }
    }
}

const BOOL: u8 = 1;
const INT: u8 = 2;
