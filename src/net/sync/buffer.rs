//! How the buffer of a stream grows.

use alloc::vec::Vec;

/// The most bytes of memory that an empty buffer keeps.
pub(crate) const KEPT: usize = 1 << 10;

/// Makes room for `bytes` more. The capacity at least doubles, but does not exceed `most` unless
/// the bytes need it.
pub(crate) fn grow(buffer: &mut Vec<u8>, bytes: usize, most: usize) {
    let needed = buffer.len().saturating_add(bytes);
    if needed > buffer.capacity() {
        let roomy = buffer.len().saturating_mul(2).min(most).max(needed);
        buffer.reserve_exact(roomy.saturating_sub(buffer.len()));
    }
}
