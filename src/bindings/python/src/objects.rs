//! New lists, tuples and strings.
//!
//! Functions that take references take them over. They return null if one of these is null or if they fail;
//! then Python has set an exception. All of them need Python's lock.

use crate::items::Items;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::ptr;

/// How CPython stores a list.
#[repr(C)]
struct RawList {
    head: ffi::PyVarObject,
    items: *mut *mut ffi::PyObject,
    room: ffi::Py_ssize_t,
}

/// How Python stores lists and tuples, which its stable interface does not say. If the probe finds what each
/// CPython until 3.13 has, items are written directly, which saves a call of Python for each. Otherwise
/// Python writes them.
#[derive(Clone, Copy)]
pub struct Layout {
    has_raw_lists: bool,
    has_simple_tuples: bool,
}

impl Layout {
    /// Looks at how this Python stores a list and a tuple.
    pub fn probe(py: Python<'_>) -> PyResult<Layout> {
        let size = |class: Bound<'_, pyo3::types::PyType>| -> PyResult<usize> {
            class.getattr("__basicsize__")?.extract()
        };
        let list = PyList::new(py, [py.None(), py.NotImplemented()])?;
        let has_raw_lists = size(py.get_type::<PyList>())? == size_of::<RawList>() && {
            // SAFETY: a list has that many bytes. If the first word after its head is no address, it is the
            // room, which is small.
            unsafe {
                let items = (*list.as_ptr().cast::<RawList>()).items;
                items.addr() > 1 << 12
                    && items.is_aligned()
                    && *items == py.None().as_ptr()
                    && *items.add(1) == py.NotImplemented().as_ptr()
            }
        };
        let has_simple_tuples = size(py.get_type::<PyTuple>())? == size_of::<ffi::PyVarObject>();
        Ok(Layout { has_raw_lists, has_simple_tuples })
    }

    /// A list of the items from that place on, which it takes from the stack.
    #[inline(always)]
    pub unsafe fn list(self, items: &mut Items, start: usize) -> *mut ffi::PyObject {
        let Some(content) = items.0.get(start..) else { return ptr::null_mut() };
        // SAFETY: the caller holds the lock. Nobody else has seen the list, and each of its places is filled.
        unsafe {
            let list = ffi::PyList_New(content.len() as isize);
            if list.is_null() {
                return list;
            }
            if self.has_raw_lists {
                let places = (*list.cast::<RawList>()).items;
                for (at, item) in content.iter().enumerate() {
                    places.add(at).write(item.into_owned());
                }
            } else {
                for (at, item) in (0..).zip(content) {
                    ffi::PyList_SetItem(list, at, item.into_owned());
                }
            }
            items.0.truncate(start);
            list
        }
    }

    /// An instance of a subclass of `tuple` that has no fields of its own.
    #[inline(always)]
    pub unsafe fn instance<const N: usize>(
        self,
        class: *mut ffi::PyObject,
        items: [*mut ffi::PyObject; N],
    ) -> *mut ffi::PyObject {
        if !self.has_simple_tuples || items.iter().any(|item| item.is_null()) {
            // SAFETY: the caller holds the lock.
            return unsafe { call(class, items) };
        }
        // SAFETY: the general allocator makes a tuple with room for the items, which follow its head.
        unsafe {
            let tuple = ffi::PyType_GenericAlloc(class.cast(), N as isize);
            if tuple.is_null() {
                drop_all(items);
            } else {
                let places = tuple.cast::<ffi::PyVarObject>().add(1);
                places.cast::<[*mut ffi::PyObject; N]>().write(items);
            }
            tuple
        }
    }
}

unsafe fn drop_all<const N: usize>(items: [*mut ffi::PyObject; N]) {
    // SAFETY: the caller owns the references, and holds the lock.
    items.iter().for_each(|item| unsafe { ffi::Py_XDECREF(*item) });
}

pub unsafe fn none() -> *mut ffi::PyObject {
    // SAFETY: the caller holds the lock.
    unsafe {
        ffi::Py_INCREF(ffi::Py_None());
        ffi::Py_None()
    }
}

#[inline]
pub unsafe fn string(text: &str) -> *mut ffi::PyObject {
    // SAFETY: the caller holds the lock.
    unsafe { ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), text.len() as isize) }
}

/// A tuple of strings.
pub unsafe fn strings<'t>(texts: impl Iterator<Item = &'t str>) -> *mut ffi::PyObject {
    // SAFETY: the caller holds the lock.
    unsafe {
        let list = list_of(texts.map(|text| string(text)));
        let tuple = if list.is_null() { list } else { ffi::PySequence_Tuple(list) };
        ffi::Py_XDECREF(list);
        tuple
    }
}

pub unsafe fn list_of(items: impl Iterator<Item = *mut ffi::PyObject>) -> *mut ffi::PyObject {
    // SAFETY: the caller holds the lock. Each place is filled before anyone sees the list.
    unsafe {
        let (len, _) = items.size_hint();
        let mut list = ffi::PyList_New(len as isize);
        for (place, item) in items.enumerate() {
            if item.is_null() || list.is_null() {
                ffi::Py_XDECREF(item);
                ffi::Py_XDECREF(list);
                list = ptr::null_mut();
            } else if place < len {
                ffi::PyList_SetItem(list, place as isize, item);
            } else {
                ffi::PyList_Append(list, item);
                ffi::Py_DECREF(item);
            }
        }
        list
    }
}

pub unsafe fn tuple<const N: usize>(items: [*mut ffi::PyObject; N]) -> *mut ffi::PyObject {
    let is_complete = items.iter().all(|item| !item.is_null());
    // SAFETY: the caller holds the lock, and nobody else has seen the tuple.
    unsafe {
        let tuple = if is_complete { ffi::PyTuple_New(N as isize) } else { ptr::null_mut() };
        if tuple.is_null() {
            drop_all(items);
        } else {
            for (place, item) in (0..).zip(items) {
                ffi::PyTuple_SetItem(tuple, place, item);
            }
        }
        tuple
    }
}

/// Calls a class with arguments.
pub unsafe fn call<const N: usize>(
    class: *mut ffi::PyObject,
    arguments: [*mut ffi::PyObject; N],
) -> *mut ffi::PyObject {
    // SAFETY: the caller holds the lock.
    unsafe {
        let arguments = tuple(arguments);
        if arguments.is_null() {
            return arguments;
        }
        let made = ffi::PyObject_Call(class, arguments, ptr::null_mut());
        ffi::Py_DECREF(arguments);
        made
    }
}
