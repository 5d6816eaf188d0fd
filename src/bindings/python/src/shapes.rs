//! Dictionaries whose keys were seen before: their tables are copied, and do not grow entry by entry.

use pyo3::ffi;
use std::cell::UnsafeCell;
use std::ptr;

/// With fewer entries, Python's own dictionaries do not grow either.
const FEWEST: usize = 6;
/// With more, growing costs little beside the entries.
const MOST: usize = 64;
/// The longest key that is kept.
const LONGEST_KEY: isize = 31;
/// How many dictionaries are kept: a power of two.
const SHAPES: usize = 64;

struct Shape {
    /// The hash of the keys that were read last. If the same keys come again, their dictionary is kept.
    seen: usize,
    keys: Vec<*mut ffi::PyObject>,
    /// A dictionary of these keys, in their order, which owns them. Null if the place is free.
    template: *mut ffi::PyObject,
}

/// A table of dictionaries, each in the place that the identities of its keys decide.
pub struct Shapes(UnsafeCell<[Shape; SHAPES]>);

// SAFETY: as for `StringCache`, only threads that hold Python's lock use it.
unsafe impl Sync for Shapes {}

type Entry = [*mut ffi::PyObject; 2];

impl Shapes {
    pub const fn new() -> Shapes {
        const FREE: Shape = Shape { seen: 0, keys: Vec::new(), template: ptr::null_mut() };
        Shapes(UnsafeCell::new([FREE; SHAPES]))
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
        // SAFETY: the index is masked. The reference ends before Python code can run.
        let shape = unsafe { &mut *self.0.get().cast::<Shape>().add(hash & (SHAPES - 1)) };
        if shape.keys.len() == entries.len()
            && shape.keys.iter().zip(entries).all(|(kept, [key, _])| kept == key)
        {
            let template = shape.template;
            // SAFETY: the table owns the template. Another reference keeps it, whatever runs meanwhile.
            return unsafe {
                ffi::Py_INCREF(template);
                let dict = ffi::PyDict_Copy(template);
                ffi::Py_DECREF(template);
                filled(dict, entries)
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

    #[cold]
    unsafe fn keep(&self, hash: usize, entries: &[Entry], dict: *mut ffi::PyObject) {
        // SAFETY: the entries are objects.
        let is_short = |key: *mut ffi::PyObject| unsafe {
            ffi::PyUnicode_CheckExact(key) != 0 && ffi::PyUnicode_GetLength(key) <= LONGEST_KEY
        };
        if !entries.iter().all(|[key, _]| is_short(*key)) {
            return;
        }
        // SAFETY: the copy is new, and `None` takes the place of its values.
        unsafe {
            let nothing = ffi::Py_None();
            let copy = ffi::PyDict_Copy(dict);
            let is_cleared = |[key, _]: &Entry| ffi::PyDict_SetItem(copy, *key, nothing) == 0;
            if copy.is_null() || !entries.iter().all(is_cleared) {
                ffi::PyErr_Clear();
                ffi::Py_XDECREF(copy);
                return;
            }
            let shape = &mut *self.0.get().cast::<Shape>().add(hash & (SHAPES - 1));
            shape.keys.clear();
            shape.keys.extend(entries.iter().map(|[key, _]| *key));
            let before = std::mem::replace(&mut shape.template, copy);
            ffi::Py_XDECREF(before);
        }
    }
}

/// Sets the entries of a dictionary that has no other keys. It takes the dictionary over.
#[inline]
unsafe fn filled(dict: *mut ffi::PyObject, entries: &[Entry]) -> *mut ffi::PyObject {
    if dict.is_null() {
        return dict;
    }
    // SAFETY: the caller owns the dictionary and the entries, and holds the lock.
    unsafe {
        let is_set = |[key, value]: &Entry| ffi::PyDict_SetItem(dict, *key, *value) == 0;
        if entries.iter().all(is_set) && ffi::PyDict_Size(dict) == entries.len() as isize {
            return dict;
        }
        ffi::Py_DECREF(dict);
    }
    ptr::null_mut()
}

fn hash_of(entries: &[Entry]) -> usize {
    let mix = |hash: usize, [key, _]: &Entry| {
        (hash.rotate_left(5) ^ (*key as usize >> 4)).wrapping_mul(0x9E37_79B9)
    };
    let hash = entries.iter().fold(entries.len(), mix);
    hash ^ hash >> 16
}
