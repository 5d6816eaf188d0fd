//! The messages of a capture file.

use super::Capture;
use super::follow::{Batch, Event, Follower, Options};
use crate::game::multiplayer::Evidence;
use crate::net::packet::Error;
use core::fmt;
use std::collections::VecDeque;
use std::sync::Arc;

/// The messages of a capture file, over all transports.
///
/// ```
/// use gdwire::capture::Messages;
/// use gdwire::follow::{Content, Event};
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
///         Event::Lost(lost) => eprintln!("frame {}: {}", lost.place.frame, lost.cause),
///         _ => {}
///     }
/// }
/// assert!(calls > 50);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// This is a [`Follower`] that gets the packets of a file. The file is read once. A message is
/// borrowed from the file if its bytes are there as they are, and otherwise from a buffer that is
/// reused. [`Limits`](crate::follow::Limits) bound the memory for messages that wait for earlier ones.
pub struct Messages<'a> {
    capture: Capture<'a>,
    /// The files that follow `capture`.
    next: VecDeque<Capture<'a>>,
    /// How many bytes the files before `capture` have.
    before: u64,
    /// How many files were joined, readable or not.
    joined: u32,
    follower: Follower<'a>,
    /// The packet that was pushed last.
    packet: &'a [u8],
    is_finished: bool,
}

impl<'a> Messages<'a> {
    /// Starts to read a file, whose whole content is in memory.
    ///
    /// # Errors
    ///
    /// If the file is in another format or ends within its first header.
    pub fn new(file: &'a [u8]) -> Result<Messages<'a>, Error> {
        Messages::with_options(file, Options::new())
    }

    /// Like [`Messages::new`], with options.
    ///
    /// # Errors
    ///
    /// Like [`Messages::new`].
    pub fn with_options(file: &'a [u8], options: Options<'a>) -> Result<Messages<'a>, Error> {
        let (capture, follower) = (Capture::new(file)?, Follower::with_options(options));
        let next = VecDeque::new();
        let (before, joined, is_finished) = (0, 0, false);
        Ok(Messages { capture, next, before, joined, follower, packet: &[], is_finished })
    }

    /// Adds a file that continues the capture, as the files of dumpcap's ring buffer do. It is read
    /// after the others. Connections, IP fragments and the numbers of packets continue from file to
    /// file, as after `mergecap -a`. [`Place::file`](crate::follow::Place::file) is the number of a
    /// packet's file, and increases by one with each call.
    ///
    /// ```
    /// use gdwire::capture::Messages;
    /// use gdwire::follow::Event;
    ///
    /// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/");
    /// # let first = std::fs::read(format!("{folder}godot4-tcp.pcapng"))?;
    /// # let second = std::fs::read(format!("{folder}godot4-udp.pcapng"))?;
    /// let mut messages = Messages::new(&first)?;
    /// messages.join(&second)?;
    /// let mut counts = [0, 0];
    /// while let Some(event) = messages.next_event() {
    ///     if let Event::Message(message) = event {
    ///         counts[message.place.file as usize] += 1;
    ///     }
    /// }
    /// assert_eq!(counts, [72, 72]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Like [`Messages::new`]. The file is then skipped.
    pub fn join(&mut self, file: &'a [u8]) -> Result<(), Error> {
        self.joined = self.joined.saturating_add(1);
        let number = self.joined;
        let capture = Capture::new(file).map_err(|error| Error { file: number, ..error })?;
        self.next.push_back(Capture { file: number, ..capture });
        Ok(())
    }

    /// How many bytes of the files have been read.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.before.saturating_add(self.capture.position())
    }

    /// How many bytes are kept now for connections and for incomplete IP packets: no more than
    /// [`Limits::total_bytes`](crate::follow::Limits::total_bytes).
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.follower.held_bytes()
    }

    /// The evidence about the [names](Options::with_names) in the packets so far.
    #[must_use]
    pub fn evidence(&self) -> Arc<Evidence> {
        self.follower.evidence()
    }

    /// The next event, or `None` at the end of the last file.
    #[inline]
    pub fn next_event(&mut self) -> Option<Event<'_>> {
        let next = self.next_entry()?;
        self.follower.lend(self.packet, next)
    }

    /// Moves the next events to a batch until it is full or the file ends. Returns false at the end
    /// of the file.
    pub fn fill(&mut self, batch: &mut Batch) -> bool {
        while !batch.is_full() {
            let Some(next) = self.next_entry() else { return false };
            self.follower.copy(self.packet, next, batch);
        }
        true
    }

    /// The index of the next event in the follower's queue.
    #[inline]
    fn next_entry(&mut self) -> Option<usize> {
        loop {
            if let Some(next) = self.follower.next_entry(self.packet) {
                return Some(next);
            }
            match self.capture.next() {
                Some(Ok(packet)) => {
                    self.packet = packet.data;
                    self.follower.push_packet(&packet);
                }
                Some(Err(error)) => self.follower.push_damage(error),
                None if self.begin_next_file() => self.is_finished = false,
                None if self.is_finished => return None,
                None => {
                    self.is_finished = true;
                    self.follower.begin_to_finish();
                }
            }
        }
    }

    /// Continues with the next file, if there is one.
    fn begin_next_file(&mut self) -> bool {
        let Some(next) = self.next.pop_front() else { return false };
        self.before = self.position();
        self.capture = Capture { frames: self.capture.frames, ..next };
        true
    }
}

impl fmt::Debug for Messages<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Messages { capture, follower, .. } = self;
        debug_fields!(f, Messages { capture, follower, .. })
    }
}
