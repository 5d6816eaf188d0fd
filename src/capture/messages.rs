//! The messages of a capture file.

use super::{Capture, Error, Event, Options};
use crate::follow::Follower;
use core::fmt;

/// The messages of a capture file, whatever carried them.
///
/// ```
/// use gdwire::capture::{Content, Event, Messages};
///
/// # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot3-rpc.pcapng"))?;
/// let mut messages = Messages::new(&file)?;
/// let mut calls = 0;
/// while let Some(event) = messages.next_event() {
///     match event {
///         Event::Message(message) => match message.content {
///             Content::Value(value) => println!("{}: {value:?}", message.origin.src()),
///             // 127.0.0.1:7778: Game/Chat.any(Rect2( -34.09375, -485.53125, 238.76563, 463.39063 ))
///             Content::Packet(packet) => {
///                 println!("{}: {}", message.origin.src(), packet.display(message.context()));
///                 calls += usize::from(packet.command() == "call");
///             }
///             _ => {}
///         },
///         Event::Lost(lost) => eprintln!("frame {}: {}", lost.place.frame, lost.loss),
///         _ => {}
///     }
/// }
/// assert!(calls > 50);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// This is a [`Follower`] that is given the packets of a file. The file is read once. Bytes are lent
/// from the file if they stand there as they are, else from buffers that are used again. What is
/// held back is bounded by [`Limits`](super::Limits).
pub struct Messages<'a> {
    capture: Capture<'a>,
    follower: Follower<'a>,
    /// The packet that was pushed last.
    packet: &'a [u8],
    is_finished: bool,
}

impl<'a> Messages<'a> {
    /// Starts to read a file, given whole.
    ///
    /// # Errors
    ///
    /// If the file is in another format or ends within its first header.
    pub fn new(file: &'a [u8]) -> Result<Messages<'a>, Error> {
        Messages::with_options(file, Options::new())
    }

    /// The same, with something known about the file.
    ///
    /// # Errors
    ///
    /// As [`Messages::new`].
    pub fn with_options(file: &'a [u8], options: Options<'a>) -> Result<Messages<'a>, Error> {
        let (capture, follower) = (Capture::new(file)?, Follower::with_options(options));
        Ok(Messages { capture, follower, packet: &[], is_finished: false })
    }

    /// How many bytes of the file have been read.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.capture.position()
    }

    /// How many bytes are kept of connections and of IP packets in parts now: no more than
    /// [`Limits::total_bytes`](super::Limits::total_bytes).
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.follower.held_bytes()
    }

    /// The next event, or `None` at the end of the file.
    pub fn next_event(&mut self) -> Option<Event<'_>> {
        loop {
            if let Some(next) = self.follower.next_entry(self.packet) {
                return self.follower.lend(self.packet, next);
            }
            match self.capture.next() {
                Some(Ok(packet)) => {
                    self.packet = packet.data;
                    self.follower.push_packet(&packet);
                }
                Some(Err(error)) => self.follower.push_damage(error),
                None if self.is_finished => return None,
                None => {
                    self.is_finished = true;
                    self.follower.begin_to_finish();
                }
            }
        }
    }
}

impl fmt::Debug for Messages<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages")
            .field("capture", &self.capture)
            .field("follower", &self.follower)
            .finish_non_exhaustive()
    }
}
