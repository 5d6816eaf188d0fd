//! Short texts that Python already has as strings, because texts repeat from value to value.

use crate::items::Item;
use crate::locked::Locked;
use pyo3::ffi;
use std::ptr;

/// The longest text that is kept.
const LONGEST: usize = 32;
/// How many texts are kept: a power of two.
const TEXTS: usize = 1024;

/// A text of up to `LONGEST` bytes, in a form that is quick to compare: its length, and words from its start
/// and its end, which may overlap.
#[derive(Clone, Copy)]
struct Text {
    len: u64,
    words: [u64; 4],
}

impl Text {
    #[inline(always)]
    fn of(text: &str) -> Option<Text> {
        let bytes = text.as_bytes();
        let word = |at: usize| {
            let word = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
            word.map(|word| u64::from_le_bytes(*word))
        };
        let len = bytes.len();
        let words = if let Some(last) = bytes.last_chunk() {
            let (first, last) = (word(0)?, u64::from_le_bytes(*last));
            match len {
                ..=16 => [first, last, 0, 0],
                17..=LONGEST => [first, last, word(8)?, word(len - 16)?],
                _ => return None,
            }
        } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            [u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into(), 0, 0]
        } else {
            [bytes.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)), 0, 0, 0]
        };
        Some(Text { len: len as u64, words })
    }

    /// Whether both are the same text.
    // Not derived: then the words would be compared in memory, to which they have just been written.
    #[inline(always)]
    fn is(&self, other: &Text) -> bool {
        let differs =
            self.words.iter().zip(&other.words).fold(0, |all, (one, two)| all | (one ^ two));
        differs | (self.len ^ other.len) == 0
    }

    /// The place of the text in a table: less than `TEXTS`.
    #[inline(always)]
    fn place(&self) -> usize {
        const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
        let [first, last, second, third] = self.words;
        let mix = |hash: u64, part: u64| (hash.rotate_left(5) ^ part).wrapping_mul(FACTOR);
        let hash = mix(mix(self.len, first ^ third.rotate_left(7)), last ^ second.rotate_left(9));
        (hash >> 40) as usize & (TEXTS - 1)
    }
}

#[derive(Clone, Copy)]
struct Kept {
    text: Text,
    /// Null if the place is free.
    string: *mut ffi::PyObject,
}

/// A table of strings, each in the place that its text decides.
pub struct Texts(Locked<[Kept; TEXTS]>);

impl Texts {
    pub const fn new() -> Texts {
        let text = Text { len: 0, words: [0; 4] };
        Texts(Locked::new([Kept { text, string: ptr::null_mut() }; TEXTS]))
    }

    /// A string for the text: a kept one, which is lent until `Lent` ends, or one that `make` returns. Null
    /// if that failed.
    ///
    /// # Safety
    ///
    /// The thread must hold Python's lock and have a `Lent`. `make` must return a new reference or null.
    #[inline(always)]
    pub unsafe fn get(&self, text: &str, make: impl Fn(&str) -> *mut ffi::PyObject) -> Item {
        let Some(wanted) = Text::of(text) else { return Item::owned(make(text)) };
        // SAFETY: the caller holds the lock.
        if let Some(kept) = unsafe { self.0.get().get(wanted.place()) }
            && kept.text.is(&wanted)
            && !kept.string.is_null()
        {
            return Item::lent(kept.string);
        }
        // This may run Python code, and change the table.
        let string = make(text);
        // SAFETY: the same.
        unsafe { self.keep(wanted, string) }
    }

    #[inline(never)]
    unsafe fn keep(&self, text: Text, string: *mut ffi::PyObject) -> Item {
        // SAFETY: the caller holds the lock.
        let place = unsafe { self.0.get().get_mut(text.place()) };
        let (Some(kept), false) = (place, string.is_null()) else { return Item::owned(string) };
        let before = std::mem::replace(kept, Kept { text, string });
        if !before.string.is_null() {
            // SAFETY: the same.
            unsafe { LENT.get().dropped.push(before.string) };
        }
        Item::lent(string)
    }
}

/// How many values are being read, and the strings that the tables dropped meanwhile.
struct Lending {
    readers: usize,
    dropped: Vec<*mut ffi::PyObject>,
}

static LENT: Locked<Lending> = Locked::new(Lending { readers: 0, dropped: Vec::new() });

/// As long as one exists, the strings that tables return stay.
pub struct Lent(());

impl Lent {
    /// # Safety
    ///
    /// The thread must hold Python's lock, here and where this is dropped.
    pub unsafe fn new() -> Lent {
        // SAFETY: the caller's promise.
        unsafe { LENT.get().readers += 1 };
        Lent(())
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // SAFETY: the lock is held, and strings have no code that runs when they end.
        unsafe {
            let lent = LENT.get();
            lent.readers -= 1;
            if lent.readers == 0 {
                lent.dropped.drain(..).for_each(|string| ffi::Py_DECREF(string));
            }
        }
    }
}
