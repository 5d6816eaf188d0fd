//! The objects that are complete, until their container ends.

use pyo3::ffi;

/// A reference to an object, or null. It is owned, or lent by a table of texts or by Python itself: then it
/// need not be counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Item(*mut ffi::PyObject);

impl Item {
    /// Objects are aligned, so the lowest bit of their address is free.
    const LENT: usize = 1;

    #[inline(always)]
    pub fn owned(object: *mut ffi::PyObject) -> Item {
        Item(object)
    }

    /// An object that outlives this. Null stays null.
    #[inline(always)]
    pub fn lent(object: *mut ffi::PyObject) -> Item {
        if object.is_null() { Item(object) } else { Item(object.map_addr(|at| at | Item::LENT)) }
    }

    #[inline(always)]
    pub fn is_lent(self) -> bool {
        self.0.addr() & Item::LENT != 0
    }

    #[inline(always)]
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The object, whose reference stays with this.
    #[inline(always)]
    pub fn object(self) -> *mut ffi::PyObject {
        self.0.map_addr(|at| at & !Item::LENT)
    }

    /// A reference of one's own.
    ///
    /// # Safety
    ///
    /// The thread must hold Python's lock, and the item must not be used any more.
    #[inline(always)]
    pub unsafe fn into_owned(self) -> *mut ffi::PyObject {
        if self.is_lent() {
            // SAFETY: the caller's promise.
            unsafe { ffi::Py_INCREF(self.object()) };
        }
        self.object()
    }
}

/// Items that this owns.
pub struct Items(pub Vec<Item>);

impl Drop for Items {
    fn drop(&mut self) {
        self.cut(0);
    }
}

impl Items {
    /// Drops the items from that place on.
    #[inline]
    pub fn cut(&mut self, start: usize) {
        let from = start.min(self.0.len());
        for item in self.0.get(from..).unwrap_or(&[]).iter().filter(|item| !item.is_lent()) {
            // SAFETY: the vector owned the reference, and the lock is held wherever it lives.
            unsafe { ffi::Py_XDECREF(item.0) };
        }
        // A destructor that ran has not changed this vector.
        self.0.truncate(from);
    }

    /// The references from that place on, which the caller now owns.
    ///
    /// # Safety
    ///
    /// The thread must hold Python's lock.
    pub unsafe fn take(&mut self, start: usize) -> Vec<*mut ffi::PyObject> {
        let from = start.min(self.0.len());
        // SAFETY: the caller's promise.
        self.0.drain(from..).map(|item| unsafe { item.into_owned() }).collect()
    }
}
