//! Decompresses messages (permessage-deflate, RFC 7692), for the reader of a stream.
//!
//! The reader does not need the parameters that the ends agreed on in the handshake. A sender may
//! refer to the last 32 KiB of its earlier messages, whatever smaller window was agreed on. If it
//! compresses each message on its own, it never does.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// How far back a message may refer, in bytes.
const WINDOW: usize = 32 << 10;

/// The most bytes of earlier messages that are kept. Twice the window, so that they need not be
/// moved after each message.
const MOST: usize = 2 * WINDOW;

/// Senders leave out the last four bytes of each message: the end of an empty block. After these
/// follows a final block without content, to see that nothing is left open.
const END: [u8; 9] = [0, 0, 0xff, 0xff, 1, 0, 0, 0xff, 0xff];

/// A reference to bytes before the start of the buffer is an error.
const FLAGS: u32 = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF | TINFL_FLAG_HAS_MORE_INPUT;

/// Why a compressed message cannot be decompressed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Compressed {
    /// It refers to earlier messages that were not seen, or could not be decompressed themselves.
    Unseen,
    /// It is not valid.
    Damaged,
}

impl fmt::Display for Compressed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Compressed::Unseen => f.write_str(
                "the message is compressed, and refers to earlier ones that were not seen",
            ),
            Compressed::Damaged => f.write_str("the message is compressed, and damaged"),
        }
    }
}

/// Why nothing is delivered for a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InflateFailure {
    Unreadable(Compressed),
    TooLong,
}

const UNSEEN: InflateFailure = InflateFailure::Unreadable(Compressed::Unseen);

/// Decompresses the messages of one end. Most connections never need it.
#[derive(Clone, Default, Debug)]
pub struct MessageInflate(Option<Box<InflateState>>);

#[derive(Clone, Default)]
struct InflateState {
    /// Most connections with a handshake do not need it either.
    decompressor: Option<Box<DecompressorOxide>>,
    /// The end of the earlier messages, one after the other, as far as it is known.
    before: Vec<u8>,
    /// Whether no bytes are missing before these.
    is_whole: bool,
}

impl MessageInflate {
    /// Starts again with the first message of a connection.
    pub fn begin(&mut self) {
        self.0 = Some(Box::new(InflateState { is_whole: true, ..InflateState::default() }));
    }

    /// Forgets the earlier messages: bytes between them and the next one are unknown.
    pub fn forget(&mut self) {
        if let Some(state) = &mut self.0 {
            state.forget();
        }
    }

    /// Decompresses the next message, and passes it on. It may have up to `limit` bytes.
    pub fn message(
        &mut self,
        payload: &[u8],
        limit: usize,
        sink: impl FnOnce(Result<&[u8], InflateFailure>),
    ) {
        self.0.get_or_insert_default().message(payload, limit, sink);
    }

    /// How many bytes of earlier messages are kept.
    pub fn held_bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |state| state.before.len())
    }

    /// How much memory is in use.
    pub fn heap_bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |state| {
            let decompressor = state.decompressor.as_ref().map_or(0, |it| size_of_val(&**it));
            size_of_val(&**state)
                .saturating_add(state.before.capacity())
                .saturating_add(decompressor)
        })
    }
}

impl InflateState {
    fn forget(&mut self) {
        self.before.clear();
        self.is_whole = false;
    }

    fn message(
        &mut self,
        payload: &[u8],
        limit: usize,
        sink: impl FnOnce(Result<&[u8], InflateFailure>),
    ) {
        let start = self.before.len();
        match self.read(payload, limit) {
            Ok(()) => sink(Ok(self.before.get(start..).unwrap_or(&[]))),
            Err(InflateFailure::Unreadable(_)) if !self.is_whole => {
                // With any bytes in place of those that are unknown, the message is valid if it only
                // refers to these.
                self.before.clear();
                self.before.resize(WINDOW, 0);
                sink(Err(self.read(payload, limit).err().unwrap_or(UNSEEN)));
                self.forget();
            }
            Err(failure) => {
                sink(Err(failure));
                self.forget();
            }
        }
        if self.before.len() > MOST {
            self.before.drain(..self.before.len().saturating_sub(WINDOW));
        }
        self.before.shrink_to(2 * MOST);
    }

    /// Decompresses a message, and adds it to the earlier ones.
    fn read(&mut self, payload: &[u8], limit: usize) -> Result<(), InflateFailure> {
        // An empty message is an empty block, but some senders leave that out, too.
        if payload.is_empty() {
            return Ok(());
        }
        let InflateState { decompressor, before: bytes, .. } = self;
        let decompressor = decompressor.get_or_insert_default();
        decompressor.init();
        // One more byte, to see whether a message of the greatest length ends there.
        let most = bytes.len().saturating_add(limit).saturating_add(1);
        let (start, mut end) = (bytes.len(), bytes.len());
        let mut room = payload.len().saturating_mul(4);
        'parts: for (mut rest, is_last) in [(payload, false), (&END[..], true)] {
            loop {
                bytes.resize(end.saturating_add(room).min(most), 0);
                let (status, read, written) = decompress(decompressor, rest, bytes, end, FLAGS);
                rest = rest.get(read..).unwrap_or(&[]);
                end = end.saturating_add(written);
                match status {
                    TINFLStatus::NeedsMoreInput if !is_last => continue 'parts,
                    TINFLStatus::HasMoreOutput if bytes.len() < most => {
                        room = room.saturating_mul(2);
                    }
                    TINFLStatus::Done if rest.is_empty() => break 'parts,
                    // The final block of the sender's compressor, which begins anew after it.
                    TINFLStatus::Done => decompressor.init(),
                    TINFLStatus::HasMoreOutput => return Err(InflateFailure::TooLong),
                    _ => return Err(InflateFailure::Unreadable(Compressed::Damaged)),
                }
            }
        }
        if end.saturating_sub(start) > limit {
            return Err(InflateFailure::TooLong);
        }
        bytes.truncate(end);
        Ok(())
    }
}

impl fmt::Debug for InflateState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InflateState { before, is_whole, .. } = self;
        debug_fields!(f, InflateState { before = before.len(), is_whole, .. })
    }
}
