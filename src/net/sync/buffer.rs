//! The buffers of flows.

use alloc::vec::Vec;

/// How much buffer memory every flow keeps while its buffer is empty.
pub(crate) const KEPT: usize = 1 << 10;

/// Makes room for `bytes` more. The buffer at least doubles, but stays within `most` if it can.
pub(crate) fn grow(buffer: &mut Vec<u8>, bytes: usize, most: usize) {
    let needed = buffer.len().saturating_add(bytes);
    if needed > buffer.capacity() {
        let roomy = buffer.len().saturating_mul(2).min(most).max(needed);
        buffer.reserve_exact(roomy.saturating_sub(buffer.len()));
    }
}
