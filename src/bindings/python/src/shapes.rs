//! Dictionaries whose keys were seen before: their tables are copied, and do not grow entry by entry.

use crate::items::Item;
use crate::locked::Locked;
use pyo3::ffi;
use std::ptr;

/// With fewer entries, Python's own dictionaries do not grow either.
const FEWEST: usize = 6;
/// With more, growing costs little beside the entries.
const MOST: usize = 64;
/// How many dictionaries are kept: a power of two.
const SHAPES: usize = 64;

struct Shape {
    /// The hash of the keys that were read last. If the same keys come again, their dictionary is kept.
    seen: usize,
    keys: Vec<Item>,
    /// A dictionary of these keys, in their order, which owns them. Null if the place is free.
    template: *mut ffi::PyObject,
}

/// A table of dictionaries, each in the place that the identities of its keys decide.
pub struct Shapes(Locked<[Shape; SHAPES]>);

type Entry = [Item; 2];

impl Shapes {
    pub const fn new() -> Shapes {
        const FREE: Shape = Shape { seen: 0, keys: Vec::new(), template: ptr::null_mut() };
        Shapes(Locked::new([FREE; SHAPES]))
    }

    /// A dictionary with these entries, whose references stay the caller's. Null if that failed, and then
    /// Python may have set an exception; also if keys are equal.
    ///
    /// # Safety
    ///
    /// The thread must hold Python's lock, and the entries must be objects.
    pub unsafe fn dict(&self, entries: &[Entry]) -> *mut ffi::PyObject {
        if !(FEWEST..=MOST).contains(&entries.len()) {
            // SAFETY: the caller's promise.
            return unsafe { filled(ffi::PyDict_New(), entries) };
        }
        let hash = hash_of(entries);
        // SAFETY: the caller holds the lock. The reference ends before Python code can run.
        let Some(shape) = (unsafe { self.0.get().get_mut(hash & (SHAPES - 1)) }) else {
            return ptr::null_mut();
        };
        if shape.keys.len() == entries.len()
            && shape.keys.iter().zip(entries).all(|(kept, [key, _])| kept == key)
        {
            let template = shape.template;
            // SAFETY: the table owns the template. Another reference keeps it, whatever runs meanwhile.
            return unsafe {
                ffi::Py_INCREF(template);
                let dict = ffi::PyDict_Copy(template);
                ffi::Py_DECREF(template);
                with_entries(dict, entries)
            };
        }
        let is_second = std::mem::replace(&mut shape.seen, hash) == hash;
        // SAFETY: the caller's promise.
        unsafe {
            let dict = filled(ffi::PyDict_New(), entries);
            if is_second && !dict.is_null() {
                self.keep(hash, entries, dict);
            }
            dict
        }
    }

    /// Keeps a dictionary whose keys come from the tables of texts, so that others with the same keys have
    /// the same objects.
    #[cold]
    unsafe fn keep(&self, hash: usize, entries: &[Entry], dict: *mut ffi::PyObject) {
        if !entries.iter().all(|[key, _]| key.is_lent()) {
            return;
        }
        // SAFETY: the copy is new, and `None` takes the place of its values.
        unsafe {
            let nothing = Item::lent(ffi::Py_None());
            let cleared: Vec<Entry> = entries.iter().map(|[key, _]| [*key, nothing]).collect();
            let copy = with_entries(ffi::PyDict_Copy(dict), &cleared);
            let place = self.0.get().get_mut(hash & (SHAPES - 1));
            let (Some(shape), false) = (place, copy.is_null()) else {
                return ffi::PyErr_Clear();
            };
            shape.keys.clear();
            shape.keys.extend(entries.iter().map(|[key, _]| *key));
            let before = std::mem::replace(&mut shape.template, copy);
            ffi::Py_XDECREF(before);
        }
    }
}

/// Sets the entries of a new dictionary. It takes the dictionary over, and returns null if keys are equal.
#[inline(always)]
unsafe fn filled(dict: *mut ffi::PyObject, entries: &[Entry]) -> *mut ffi::PyObject {
    // SAFETY: the caller owns the dictionary and the entries, and holds the lock.
    unsafe {
        let dict = with_entries(dict, entries);
        if !dict.is_null() && ffi::PyDict_Size(dict) != entries.len() as isize {
            ffi::Py_DECREF(dict);
            return ptr::null_mut();
        }
        dict
    }
}

/// Sets entries of a dictionary, which it takes over.
#[inline(always)]
unsafe fn with_entries(dict: *mut ffi::PyObject, entries: &[Entry]) -> *mut ffi::PyObject {
    if dict.is_null() {
        return dict;
    }
    for [key, value] in entries {
        // SAFETY: the same.
        unsafe {
            if ffi::PyDict_SetItem(dict, key.object(), value.object()) != 0 {
                ffi::Py_DECREF(dict);
                return ptr::null_mut();
            }
        }
    }
    dict
}

fn hash_of(entries: &[Entry]) -> usize {
    let mix = |hash: usize, [key, _]: &Entry| {
        (hash.rotate_left(5) ^ (key.object().addr() >> 4)).wrapping_mul(0x9E37_79B9)
    };
    let hash = entries.iter().fold(entries.len(), mix);
    hash ^ hash >> 16
}
