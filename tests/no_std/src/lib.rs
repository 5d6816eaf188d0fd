//! A device without an operating system that talks to a game.
//!
//! The standard library has a panic handler, too: if a dependency links it, this crate does not
//! build.

#![no_std]

use core::panic::PanicInfo;
use gdwire::math::Vector3;
use gdwire::stream::{Split, split_frame};
use gdwire::view::AccessError;
use gdwire::walk::{Event, WalkStack};
use gdwire::{Dialect, EncodeError, Error, VariantRef, encode_to_slice, parse};

#[panic_handler]
fn halt(_: &PanicInfo<'_>) -> ! {
    loop {}
}

/// The sum of the integers in the first frame of what was received.
///
/// # Errors
///
/// If the frame does not contain a value.
pub fn sum(received: &[u8]) -> Result<i64, Error> {
    let Split::Frame { frame, .. } = split_frame(received, 1024)? else { return Ok(0) };
    let mut stack = WalkStack::new();
    let events = parse(Dialect::GODOT_3, frame)?.walk(&mut stack);
    Ok(events.fold(0, |sum, event| match event {
        Event::Value(_, value) => sum + value.as_i64().unwrap_or(0),
        _ => sum,
    }))
}

/// The name of the first item.
///
/// # Errors
///
/// If there is no item, or its name is not a string.
pub fn first_item(value: VariantRef<'_>) -> Result<&str, AccessError> {
    value.at("/items/0/name")?.to()
}

/// Writes a position, and returns the number of bytes.
///
/// # Errors
///
/// If the datagram is too small.
pub fn report(position: Vector3<f32>, datagram: &mut [u8]) -> Result<usize, EncodeError> {
    encode_to_slice(Dialect::GODOT_3, &position, datagram)
}

/// The errors implement `Error` without the standard library.
pub fn as_errors<'a>(
    one: &'a Error,
    other: &'a EncodeError,
    third: &'a AccessError,
) -> [&'a dyn core::error::Error; 3] {
    [one, other, third]
}

/// Requires an allocator.
#[cfg(feature = "alloc")]
pub fn own(packet: &[u8]) -> Result<gdwire::Variant, Error> {
    parse(Dialect::GODOT_3, packet).map(Into::into)
}
