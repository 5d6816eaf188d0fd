//! Reads the handshake, frames and messages of one direction of a WebSocket connection.

use super::{
    CONTROL, Compressed, FrameHeader, Handshake, HeaderRead, InflateFailure, LONGEST_HEAD,
    MessageInflate, Opcode, copy_unmasked, head_end, is_handshake, unmask,
};
use crate::net::Tag;
use crate::net::sync::hunt::{ChainEvidence, FrameLook, FrameSearch};
use crate::net::sync::{Frame, FrameSynchronizer, Framing, HeaderSplit, KEPT, TakeFrames, grow};
use crate::net::tcp::{LossReason, Piece};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

/// Reads one direction of a WebSocket connection. See [`super`] for an example.
///
/// A message in one unmasked frame is borrowed from its piece if it lies within one piece. After a
/// gap, and in a stream that is seen from its middle on, the next frame is searched for.
#[derive(Clone, Debug)]
pub struct Stream<T = ()> {
    /// The start of an incomplete handshake.
    head: Option<Vec<u8>>,
    synchronizer: FrameSynchronizer<T>,
    /// Whether the frames are masked, as a client's are; none while that is unknown.
    is_masked: Option<bool>,
    message: MessageAssembly<T>,
}

/// The message that is being reassembled, and the buffer in which payloads are unmasked.
#[derive(Clone, Debug)]
struct MessageAssembly<T> {
    limit: usize,
    /// Few senders split messages into several frames.
    open: Option<Box<OpenMessage<T>>>,
    bytes: Vec<u8>,
    inflate: MessageInflate,
}

/// An incomplete message.
#[derive(Clone, Copy, Debug)]
struct OpenMessage<T> {
    offset: u64,
    /// The joined tag so far.
    tag: T,
    is_text: bool,
    is_compressed: bool,
}

/// The next event in one direction of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamEvent<'a, T = ()> {
    /// A handshake opens the connection.
    Handshake(Handshake<'a>),
    /// A message.
    Message {
        /// The offset of its first frame in the stream.
        offset: u64,
        /// Whether its sender marked it as text. The content is not checked.
        is_text: bool,
        /// Whether it was compressed (RFC 7692).
        is_compressed: bool,
        /// The payload, unmasked and decompressed.
        payload: &'a [u8],
        /// The [joined](crate::net::Tag) tag of the segments that carried it.
        tag: T,
    },
    /// A compressed message that cannot be decompressed.
    Unreadable {
        /// The offset of its first frame in the stream.
        offset: u64,
        /// Whether its sender marked it as text.
        is_text: bool,
        /// The payload, unmasked but compressed.
        payload: &'a [u8],
        /// The [joined](crate::net::Tag) tag of the segments that carried it.
        tag: T,
        /// Why it cannot be decompressed.
        problem: Compressed,
    },
    /// A control frame.
    Control {
        /// Its offset in the stream.
        offset: u64,
        /// Its kind and content.
        control: Control<'a>,
    },
    /// Bytes that could not be delivered. For a fragmented message, these are its payload so far.
    Lost {
        /// Their offset in the stream.
        offset: u64,
        /// How many bytes.
        bytes: u64,
        /// Why they could not be delivered.
        reason: LossReason,
    },
}

/// The kind and content of a control frame.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Control<'a> {
    /// The sender asks the other end to return these bytes.
    Ping(&'a [u8]),
    /// The answer to a ping.
    Pong(&'a [u8]),
    /// The sender closes the connection.
    Close {
        /// The reason as a number, if the sender gave one.
        code: Option<u16>,
        /// The reason as text. Godot 3 ends it with a NUL.
        reason: &'a [u8],
    },
}

/// Takes the events of a stream. Messages that need no reassembly have a function of their own,
/// because there are many. A closure takes everything.
pub(crate) trait TakeStreamEvents<T> {
    fn message(&mut self, offset: u64, is_text: bool, payload: &[u8], tag: T);
    fn other(&mut self, event: StreamEvent<'_, T>);
}

impl<T, F: FnMut(StreamEvent<'_, T>) + ?Sized> TakeStreamEvents<T> for F {
    fn message(&mut self, offset: u64, is_text: bool, payload: &[u8], tag: T) {
        self(StreamEvent::Message { offset, is_text, is_compressed: false, payload, tag });
    }

    fn other(&mut self, event: StreamEvent<'_, T>) {
        self(event);
    }
}

struct WebSocketFraming {
    limit: usize,
    is_masked: Option<bool>,
}

impl Framing for WebSocketFraming {
    type Header = FrameHeader;

    fn longest(&self) -> usize {
        // The longest header has 14 bytes.
        self.limit.saturating_add(14)
    }

    #[inline(always)]
    fn split<'b>(&self, bytes: &'b [u8]) -> HeaderSplit<'b, FrameHeader> {
        match FrameHeader::read(bytes) {
            HeaderRead::Needed(more) => HeaderSplit::CutHeader(more),
            HeaderRead::Header(header, rest)
                if self.is_masked.is_none_or(|is_masked| is_masked == header.mask.is_some()) =>
            {
                let length = usize::try_from(header.payload).unwrap_or(usize::MAX);
                if length > self.limit {
                    let (len, limit) = (header.payload, self.limit as u64);
                    return HeaderSplit::Bad(header.length, LossReason::TooLong { len, limit });
                }
                match rest.split_at_checked(length) {
                    Some((content, after)) => HeaderSplit::Frame { header, content, after },
                    None => HeaderSplit::CutContent(length.saturating_sub(rest.len())),
                }
            }
            HeaderRead::Header(header, _) => HeaderSplit::Bad(header.length, LossReason::Malformed),
            HeaderRead::Malformed => HeaderSplit::Bad(bytes.len().min(2), LossReason::Malformed),
        }
    }
}

impl FrameSearch for WebSocketFraming {
    /// The two bytes of a header are little evidence, so several frames are needed. The first one
    /// within a segment is never accepted.
    const EVIDENCE: ChainEvidence = ChainEvidence {
        whole_segments: (2, 2),
        at_the_end: (1, 1),
        to_segment_end: (3, 3),
        anywhere: (8, 8),
        first: 2,
    };

    fn next_start(&self, bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|first| FrameHeader::may_be_whole(*first))
    }

    fn look(&self, bytes: &[u8], _: usize) -> FrameLook {
        // Zeros read as empty continuation frames.
        let is_evidence =
            |header: FrameHeader| header.is_final && header.opcode != Opcode::Continuation;
        let has_evidence = || match FrameHeader::read(bytes) {
            HeaderRead::Header(header, _) => is_evidence(header),
            _ => false,
        };
        match self.split(bytes) {
            HeaderSplit::Frame { header, after, .. } => FrameLook::Frame {
                length: bytes.len().saturating_sub(after.len()),
                weight: u32::from(is_evidence(header)),
            },
            HeaderSplit::CutHeader(more) => FrameLook::Needed(bytes.len().saturating_add(more)),
            HeaderSplit::CutContent(more) if has_evidence() => {
                FrameLook::Needed(bytes.len().saturating_add(more))
            }
            _ => FrameLook::No(None),
        }
    }

    /// Any content may look like frames. The evidence alone decides.
    fn may_be_content(&self, _: &[u8]) -> bool {
        false
    }
}

/// Whether a segment in the middle of a stream may contain WebSocket frames: it consists of
/// complete frames, or of a header alone, whose payload follows in the next segment.
#[must_use]
pub fn are_frames(segment: &[u8]) -> bool {
    let mut rest = segment;
    while let HeaderRead::Header(header, _) = FrameHeader::read(rest) {
        if header.length == rest.len() && (rest.len() == segment.len() || header.payload == 0) {
            return header.is_final;
        }
        let frame = usize::try_from(header.frame()).unwrap_or(usize::MAX);
        match rest.split_at_checked(frame) {
            Some((_, [])) => return true,
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    false
}

impl<T: Tag> Stream<T> {
    /// Accepts messages of up to `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Stream<T> {
        Stream {
            head: None,
            synchronizer: FrameSynchronizer::new(),
            is_masked: None,
            message: MessageAssembly {
                limit,
                open: None,
                bytes: Vec::new(),
                inflate: MessageInflate::default(),
            },
        }
    }

    /// How many bytes are kept: at most twice the limit, a header, 16 KiB for a handshake, and 64 KiB
    /// of earlier messages if messages are compressed.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        let head = self.head.as_ref().map_or(0, Vec::len);
        let MessageAssembly { open, bytes, inflate, .. } = &self.message;
        let message = if open.is_some() { bytes.len() } else { 0 };
        let message = message.saturating_add(inflate.held_bytes());
        self.synchronizer.held_bytes().saturating_add(head).saturating_add(message)
    }

    /// About how much memory is in use, in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let head = self.head.as_ref().map_or(0, Vec::capacity);
        let MessageAssembly { open, bytes, inflate, .. } = &self.message;
        let open = open.as_deref().map_or(0, size_of_val);
        self.synchronizer.heap_bytes() + head + bytes.capacity() + inflate.heap_bytes() + open
    }

    /// Takes the next piece from a [`crate::net::tcp::Reassembler`].
    pub fn push(&mut self, piece: Piece<'_, T>, sink: &mut dyn FnMut(StreamEvent<'_, T>)) {
        self.read(Some(piece), sink);
    }

    /// Ends the input: the kept bytes are lost, except for the start of a control frame.
    pub fn finish(&mut self, sink: &mut dyn FnMut(StreamEvent<'_, T>)) {
        self.read(None, sink);
    }

    /// Takes the next piece, or ends the input.
    pub(crate) fn read(
        &mut self,
        piece: Option<Piece<'_, T>>,
        sink: &mut (impl TakeStreamEvents<T> + ?Sized),
    ) {
        let Some(piece) = piece else { return self.end(sink) };
        match piece {
            Piece::Start => {
                self.end(sink);
                self.is_masked = None;
                self.synchronizer.begin(0);
                self.head = Some(Vec::new());
            }
            Piece::Data { payload: [], .. } => {}
            Piece::Data { tag, offset, payload: bytes } => {
                // The SYN may not have been captured although the handshake was.
                if offset == 0 && self.head.is_none() && is_handshake(bytes) {
                    self.end(sink);
                    self.head = Some(Vec::new());
                }
                let read = self.handshake(offset, bytes, sink);
                let offset = offset.saturating_add(read as u64);
                if let Some(bytes) = bytes.get(read..).filter(|bytes| !bytes.is_empty()) {
                    self.frames(Some(Piece::Data { tag, offset, payload: bytes }), sink);
                }
            }
            // If the end is forged, the head continues after it.
            Piece::End(_) if self.head.is_some() => {}
            other => {
                self.give_up_head(sink);
                self.frames(Some(other), sink);
            }
        }
    }

    fn end(&mut self, sink: &mut (impl TakeStreamEvents<T> + ?Sized)) {
        self.give_up_head(sink);
        self.pass_unfinished_control();
        self.frames(None, sink);
        self.message.lose(sink);
        self.message.inflate.forget();
    }

    /// Skips an incomplete control frame at the end without reporting a loss. Connections often end
    /// within the close frame.
    fn pass_unfinished_control(&mut self) {
        let first = self.synchronizer.unfinished().first();
        if first.is_some_and(|first| first & CONTROL != 0) {
            self.synchronizer.pass_unfinished();
        }
    }

    /// Reads the next piece of the frames, or ends them.
    fn frames(
        &mut self,
        piece: Option<Piece<'_, T>>,
        sink: &mut (impl TakeStreamEvents<T> + ?Sized),
    ) {
        let framing = WebSocketFraming { limit: self.message.limit, is_masked: self.is_masked };
        let (message, is_masked) = (&mut self.message, &mut self.is_masked);
        let take = &mut MessageFrames { message, is_masked, sink };
        match piece {
            Some(piece) => self.synchronizer.push(piece, &framing, take),
            None => self.synchronizer.finish(&framing, take),
        }
        if self.message.open.is_none() && self.message.bytes.capacity() > KEPT {
            self.message.bytes = Vec::new();
        }
    }

    /// Takes bytes of a handshake. Returns how many belong to it.
    fn handshake(
        &mut self,
        offset: u64,
        bytes: &[u8],
        sink: &mut (impl TakeStreamEvents<T> + ?Sized),
    ) -> usize {
        let Some(head) = &mut self.head else { return 0 };
        let before = head.len();
        let room = LONGEST_HEAD.saturating_sub(before);
        head.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        let Some(end) = head_end(head, before) else {
            if !is_handshake(head) || head.len() >= LONGEST_HEAD {
                // These may be frames after a handshake that was not captured, so frames are
                // searched for.
                let read = head.len().saturating_sub(before);
                self.give_up_head(sink);
                return read;
            }
            return bytes.len();
        };
        let read = end.saturating_sub(before);
        match head.get(..end).and_then(Handshake::read) {
            Some(handshake) => {
                self.is_masked = Some(matches!(handshake, Handshake::Request { .. }));
                sink.other(StreamEvent::Handshake(handshake));
                self.message.inflate.begin();
                self.synchronizer.begin(offset.saturating_add(read as u64));
                self.head = None;
            }
            None => {
                head.truncate(end);
                self.give_up_head(sink);
            }
        }
        read
    }

    /// Reports the kept bytes as lost if they are an incomplete handshake or none.
    fn give_up_head(&mut self, sink: &mut (impl TakeStreamEvents<T> + ?Sized)) {
        if let Some(head) = self.head.take() {
            let bytes = head.len() as u64;
            if bytes > 0 {
                sink.other(StreamEvent::Lost { offset: 0, bytes, reason: LossReason::Malformed });
            }
            self.synchronizer.search_from(bytes);
        }
    }
}

/// Takes the messages out of frames.
struct MessageFrames<'m, T, S: ?Sized> {
    message: &'m mut MessageAssembly<T>,
    is_masked: &'m mut Option<bool>,
    sink: &'m mut S,
}

impl<T: Tag, S: TakeStreamEvents<T> + ?Sized> TakeFrames<T, FrameHeader>
    for MessageFrames<'_, T, S>
{
    #[inline(always)]
    fn frame(&mut self, frame: Frame<'_, T, FrameHeader>) {
        let MessageFrames { message, is_masked, sink } = self;
        let Frame { offset, header, content, tag } = frame;
        is_masked.get_or_insert(header.mask.is_some());
        // Most messages are in one frame.
        let is_whole = header.is_final && !header.is_compressed && message.open.is_none();
        if is_whole && matches!(header.opcode, Opcode::Binary | Opcode::Text) {
            let payload = unmasked(&mut message.bytes, header.mask, content);
            sink.message(offset, header.opcode == Opcode::Text, payload, *tag);
        } else {
            message.take(Frame { offset, header, content, tag }, *sink);
        }
    }

    fn lost(&mut self, offset: u64, bytes: u64, reason: LossReason) {
        let MessageFrames { message, sink, .. } = self;
        if reason != LossReason::Late {
            message.lose(*sink);
            message.inflate.forget();
        }
        sink.other(StreamEvent::Lost { offset, bytes, reason });
    }
}

impl<T: Tag> MessageAssembly<T> {
    /// Takes a frame that is not a whole message.
    #[inline(never)]
    fn take(
        &mut self,
        Frame { offset, header, content: payload, tag }: Frame<'_, T, FrameHeader>,
        sink: &mut (impl TakeStreamEvents<T> + ?Sized),
    ) {
        if header.is_control() {
            // It has at most 125 bytes, and is rare: no buffer is kept for it.
            let mut control = Vec::new();
            let payload = unmasked(&mut control, header.mask, payload);
            sink.other(StreamEvent::Control {
                offset,
                control: Control::of(header.opcode, payload),
            });
            return;
        }
        match (self.open.as_deref().copied(), header.opcode) {
            (None, Opcode::Continuation) => {
                let bytes = header.frame();
                self.inflate.forget();
                sink.other(StreamEvent::Lost { offset, bytes, reason: LossReason::Broken });
            }
            (Some(open), Opcode::Continuation) => {
                let tag = open.tag.join(*tag);
                if !self.append(&header, payload, sink) {
                    let bytes = payload.len() as u64;
                    sink.other(StreamEvent::Lost { offset, bytes, reason: LossReason::Broken });
                } else if header.is_final {
                    self.open = None;
                    give(
                        &OpenMessage { tag, ..open },
                        &self.bytes,
                        self.limit,
                        &mut self.inflate,
                        sink,
                    );
                } else if let Some(open) = &mut self.open {
                    open.tag = tag;
                }
            }
            _ => {
                // A new message begins before the open one has ended.
                self.lose(sink);
                let is_text = header.opcode == Opcode::Text;
                let is_compressed = header.is_compressed;
                let open = OpenMessage { offset, tag: *tag, is_text, is_compressed };
                if header.is_final {
                    let payload = unmasked(&mut self.bytes, header.mask, payload);
                    give(&open, payload, self.limit, &mut self.inflate, sink);
                } else {
                    self.bytes.clear();
                    self.open = Some(Box::new(open));
                    self.append(&header, payload, sink);
                }
            }
        }
    }

    /// Adds to the open message. A message that becomes too long is lost.
    fn append(
        &mut self,
        header: &FrameHeader,
        payload: &[u8],
        sink: &mut (impl TakeStreamEvents<T> + ?Sized),
    ) -> bool {
        let length = self.bytes.len().saturating_add(payload.len());
        if length > self.limit {
            let (length, limit) = (length as u64, self.limit as u64);
            self.lose_because(LossReason::TooLong { len: length, limit }, sink);
            return false;
        }
        let before = self.bytes.len();
        grow(&mut self.bytes, payload.len(), self.limit);
        self.bytes.extend_from_slice(payload);
        if let (Some(mask), Some(added)) = (header.mask, self.bytes.get_mut(before..)) {
            unmask(added, mask);
        }
        true
    }

    fn lose(&mut self, sink: &mut (impl TakeStreamEvents<T> + ?Sized)) {
        self.lose_because(LossReason::Broken, sink);
    }

    fn lose_because(&mut self, reason: LossReason, sink: &mut (impl TakeStreamEvents<T> + ?Sized)) {
        if let Some(open) = self.open.take() {
            let offset = open.offset;
            let bytes = self.bytes.len() as u64;
            self.inflate.forget();
            sink.other(StreamEvent::Lost { offset, bytes, reason });
        }
    }
}

/// Delivers a message with its whole payload.
#[inline]
fn give<T: Tag>(
    message: &OpenMessage<T>,
    payload: &[u8],
    limit: usize,
    inflate: &mut MessageInflate,
    sink: &mut (impl TakeStreamEvents<T> + ?Sized),
) {
    let OpenMessage { offset, tag, is_text, is_compressed } = *message;
    if !is_compressed {
        return sink.other(StreamEvent::Message { offset, is_text, is_compressed, payload, tag });
    }
    inflate.message(payload, limit, |inflated| {
        sink.other(match inflated {
            Ok(payload) => StreamEvent::Message { offset, is_text, is_compressed, payload, tag },
            Err(InflateFailure::Unreadable(problem)) => {
                StreamEvent::Unreadable { offset, is_text, payload, tag, problem }
            }
            Err(InflateFailure::TooLong) => {
                let (bytes, limit) = (payload.len() as u64, limit as u64);
                // It was decompressed up to the limit and one more byte.
                let reason = LossReason::TooLong { len: limit.saturating_add(1), limit };
                StreamEvent::Lost { offset, bytes, reason }
            }
        });
    });
}

/// A payload without its mask. A masked payload is copied to the buffer.
fn unmasked<'a>(buffer: &'a mut Vec<u8>, mask: Option<[u8; 4]>, payload: &'a [u8]) -> &'a [u8] {
    let Some(mask) = mask else { return payload };
    // The rest of the buffer is left as it is.
    if buffer.len() < payload.len() {
        buffer.resize(payload.len(), 0);
    }
    let Some(buffer) = buffer.get_mut(..payload.len()) else { return &[] };
    copy_unmasked(payload, mask, buffer);
    buffer
}

impl<'a> Control<'a> {
    fn of(opcode: Opcode, payload: &'a [u8]) -> Control<'a> {
        match opcode {
            Opcode::Ping => Control::Ping(payload),
            Opcode::Pong => Control::Pong(payload),
            _ => match payload.split_first_chunk() {
                Some((code, reason)) => {
                    Control::Close { code: Some(u16::from_be_bytes(*code)), reason }
                }
                None => Control::Close { code: None, reason: payload },
            },
        }
    }
}

impl fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Control::Ping(payload) => write!(f, "Ping({} bytes)", payload.len()),
            Control::Pong(payload) => write!(f, "Pong({} bytes)", payload.len()),
            Control::Close { code, reason } => {
                debug_fields!(f, Close { code, reason = reason.escape_ascii().to_string() })
            }
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for StreamEvent<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamEvent::Handshake(handshake) => handshake.fmt(f),
            StreamEvent::Message { offset, is_text, is_compressed, payload, tag } => {
                debug_fields!(f, Message { offset, is_text, is_compressed, len = payload.len(), tag })
            }
            StreamEvent::Unreadable { offset, is_text, payload, tag, problem } => {
                debug_fields!(f, Unreadable { offset, is_text, len = payload.len(), tag, problem })
            }
            StreamEvent::Control { offset, control } => {
                f.debug_struct("Control").field("offset", offset).field("control", control).finish()
            }
            StreamEvent::Lost { offset, bytes, reason } => {
                debug_fields!(f, Lost { offset, bytes, reason })
            }
        }
    }
}
