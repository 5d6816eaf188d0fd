//! Short texts that Python already has as strings, because keys repeat from value to value.

use pyo3::ffi;
use std::cell::UnsafeCell;

/// The longest text that is kept.
const LONGEST: usize = 31;
/// How many texts are kept: a power of two.
const TEXTS: usize = 1024;

struct Kept {
    len: u8,
    text: [u8; LONGEST],
    /// Null if the place is free.
    string: *mut ffi::PyObject,
}

/// A table of strings, each in the place that its text decides.
pub struct StringCache(UnsafeCell<[Kept; TEXTS]>);

// SAFETY: only threads that hold Python's lock use it. The limited interface of Python, which this
// package is built for, has such a lock.
unsafe impl Sync for StringCache {}

impl StringCache {
    pub const fn new() -> StringCache {
        const FREE: Kept = Kept { len: 0, text: [0; LONGEST], string: std::ptr::null_mut() };
        StringCache(UnsafeCell::new([FREE; TEXTS]))
    }

    /// A string for the text: a kept one, or one that `make` returns. Null if that failed.
    ///
    /// # Safety
    ///
    /// The thread must hold Python's lock. `make` must return a new reference or null.
    #[inline]
    pub unsafe fn get(
        &self,
        text: &str,
        make: impl FnOnce(&str) -> *mut ffi::PyObject,
    ) -> *mut ffi::PyObject {
        let bytes = text.as_bytes();
        if bytes.len() > LONGEST {
            return make(text);
        }
        // SAFETY: the index is masked, and no other reference to the place exists: it is created
        // anew after `make`, which may run Python code.
        let place = unsafe { &mut *self.0.get().cast::<Kept>().add(place_of(bytes)) };
        if !place.string.is_null()
            && usize::from(place.len) == bytes.len()
            && place.text[..bytes.len()] == *bytes
        {
            // SAFETY: the cache owns a reference to it.
            unsafe { ffi::Py_INCREF(place.string) };
            return place.string;
        }
        let string = make(text);
        if string.is_null() {
            return string;
        }
        // SAFETY: as before.
        let place = unsafe { &mut *self.0.get().cast::<Kept>().add(place_of(bytes)) };
        // SAFETY: it is a string, which the cache now also owns.
        unsafe { ffi::Py_INCREF(string) };
        let before = std::mem::replace(&mut place.string, string);
        place.text[..bytes.len()].copy_from_slice(bytes);
        place.len = bytes.len() as u8;
        // SAFETY: the cache owned a reference to it. Strings have no code that runs when they end.
        unsafe { ffi::Py_XDECREF(before) };
        string
    }
}

/// The place of a text: less than `TEXTS`.
#[inline]
fn place_of(text: &[u8]) -> usize {
    let (words, rest) = text.as_chunks::<4>();
    let mut hash = text.len() as u64;
    let mut add = |word: u32| {
        hash = (hash.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
    };
    words.iter().for_each(|word| add(u32::from_le_bytes(*word)));
    if !rest.is_empty() {
        add(rest.iter().fold(0, |word, byte| word << 8 | u32::from(*byte)));
    }
    (hash >> 40) as usize & (TEXTS - 1)
}
