//! gdwire for JavaScript. The crate `gdwire` does the work; `values.js` makes objects of what
//! `decode` finds, and the tape that `encode` writes.

#[cfg(feature = "full")]
mod captures;
mod decode;
mod encode;
#[cfg(feature = "full")]
mod session;
mod streams;
#[cfg(feature = "full")]
mod text;

use gdwire::{Dialect, Kind};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// The memory through which JavaScript and this module exchange values.
#[derive(Default)]
struct Shared {
    /// The value that `decode` reads, and the tape that it writes.
    input: Vec<u8>,
    tape: Vec<u32>,
    /// The value that `encode` reads, as words, and the texts and numbers that the words refer to.
    words: Vec<u32>,
    heap: Vec<u8>,
}

thread_local! {
    static SHARED: RefCell<Shared> = RefCell::default();
}

fn shared<T>(work: impl FnOnce(&mut Shared) -> T) -> T {
    SHARED.with_borrow_mut(work)
}

/// Makes room for an input of `len` bytes, and returns its address. JavaScript writes the input there.
#[wasm_bindgen]
pub fn input(len: usize) -> *mut u8 {
    shared(|shared| {
        shared.input.resize(len, 0);
        shared.input.as_mut_ptr()
    })
}

/// The place of the tape that `decode` has left.
#[wasm_bindgen]
pub fn tape() -> *const u32 {
    shared(|shared| shared.tape.as_ptr())
}

/// The place of this many words for `encode`. Those that were filled before are kept.
#[wasm_bindgen]
pub fn words(len: usize) -> *mut u32 {
    shared(|shared| {
        shared.words.resize(len, 0);
        shared.words.as_mut_ptr()
    })
}

/// The place of this many bytes for `encode`. Those that were filled before are kept.
#[wasm_bindgen]
pub fn heap(len: usize) -> *mut u8 {
    shared(|shared| {
        shared.heap.resize(len, 0);
        shared.heap.as_mut_ptr()
    })
}

/// The names of all kinds, in the order of their numbers on the tape.
#[wasm_bindgen]
pub fn kinds() -> String {
    Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(" ")
}

/// The names of the dialects, in the order of their numbers.
#[wasm_bindgen]
pub fn dialects() -> String {
    Dialect::ALL.iter().map(|dialect| dialect.name()).collect::<Vec<_>>().join(" ")
}

/// The dialect of that number. The bit 8 stands for double-precision reals.
fn dialect(number: u32) -> Dialect {
    let dialect = Dialect::ALL.get(number as usize & 0xFF).copied().unwrap_or(Dialect::GODOT_4);
    if number & 0x100 == 0 { dialect } else { dialect.with_double_reals() }
}

/// An error that JavaScript makes an exception of: the message, and its place.
fn failure(message: String, offset: Option<usize>, path: &str) -> JsValue {
    let offset = offset.map_or(JsValue::UNDEFINED, |offset| JsValue::from_f64(offset as f64));
    make_error(&message, offset, path)
}

#[wasm_bindgen(inline_js = "export function make_error(message, offset, path) {
    return Object.assign(new Error(message), { name: 'GdwireError', offset, path });
}")]
extern "C" {
    fn make_error(message: &str, offset: JsValue, path: &str) -> JsValue;
}
