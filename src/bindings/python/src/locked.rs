//! A container for values that all threads share and only the one that holds Python's lock uses.

use std::cell::UnsafeCell;

/// A value that Python's lock protects. The limited interface of Python, which this package is built for,
/// has such a lock.
pub struct Locked<T>(UnsafeCell<T>);

// SAFETY: only threads that hold Python's lock use the value.
unsafe impl<T> Sync for Locked<T> {}

impl<T> Locked<T> {
    pub const fn new(value: T) -> Locked<T> {
        Locked(UnsafeCell::new(value))
    }

    /// The value.
    ///
    /// # Safety
    ///
    /// The thread must hold Python's lock, and the reference must end before Python code can run, which may
    /// give the lock to another thread.
    #[expect(clippy::mut_from_ref, reason = "the lock makes sure that there is one reference only")]
    #[inline(always)]
    pub unsafe fn get(&self) -> &mut T {
        // SAFETY: the caller's promise.
        unsafe { &mut *self.0.get() }
    }
}
