//! Live streams: pipes, terminals, interfaces and growing files, which are read as their data
//! arrives.

use crate::{diagnostics, interrupt};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How many bytes are read at once.
const CHUNK: usize = 64 << 10;

/// The number of unused pieces after which the reading thread waits.
const PIECES: usize = 16;

/// The longest wait between two checks for Ctrl-C.
const STEP: Duration = Duration::from_millis(50);

/// After Ctrl-C: how long a stream may be silent before it counts as ended, and the longest time
/// that it is still read.
const SILENCE: Duration = Duration::from_millis(250);
const GRACE: Duration = Duration::from_secs(2);

/// A part of a live stream.
pub enum LivePiece {
    Bytes(Vec<u8>),
    /// The file was replaced or shortened. Its new content follows.
    Restart,
    Failed(io::Error),
}

/// A stream that another thread reads. Reading from it never blocks: if nothing has arrived, it
/// returns the error [`ErrorKind::WouldBlock`].
pub struct Live {
    pieces: Receiver<LivePiece>,
    /// The piece that is being used, and the number of its used bytes.
    piece: Vec<u8>,
    used: usize,
    /// Whether the content ended, and new content follows.
    is_restarted: bool,
    failed: Option<io::Error>,
    /// Ends the source after Ctrl-C.
    stop: Box<dyn FnMut()>,
    /// When Ctrl-C was noticed, and when data last arrived or, if later, Ctrl-C was noticed.
    stopped: Option<Instant>,
    arrived: Instant,
}

impl Live {
    /// A stream that is read to its end.
    pub fn of(mut stream: impl Read + Send + 'static) -> Live {
        Live::new(move |pieces| {
            loop {
                let mut bytes = vec![0; CHUNK];
                let piece = match stream.read(&mut bytes) {
                    Ok(0) => return,
                    Ok(read) => {
                        bytes.truncate(read);
                        LivePiece::Bytes(bytes)
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) => LivePiece::Failed(error),
                };
                let is_last = matches!(piece, LivePiece::Failed(_));
                if pieces.send(piece).is_err() || is_last {
                    return;
                }
            }
        })
    }

    /// A stream whose pieces `send` sends, on its own thread.
    pub fn new(send: impl FnOnce(SyncSender<LivePiece>) + Send + 'static) -> Live {
        let (sender, pieces) = sync_channel(PIECES);
        thread::spawn(move || send(sender));
        Live {
            pieces,
            piece: Vec::new(),
            used: 0,
            is_restarted: false,
            failed: None,
            stop: Box::new(|| {}),
            stopped: None,
            arrived: Instant::now(),
        }
    }

    /// Calls this function when the user presses Ctrl-C.
    pub fn with_stop(self, stop: impl FnMut() + 'static) -> Live {
        Live { stop: Box::new(stop), ..self }
    }

    /// Waits briefly until something arrives. Returns false if there is nothing to wait for,
    /// because the user pressed Ctrl-C.
    pub fn wait(&mut self) -> bool {
        diagnostics::flush();
        if self.is_overdue() || self.stopped.is_some() && self.arrived.elapsed() > SILENCE {
            return false;
        }
        // The error is ignored: after a timeout and at the end of the stream, the caller reads again.
        if let Ok(piece) = self.pieces.recv_timeout(STEP) {
            self.take(piece);
        }
        true
    }

    /// Whether Ctrl-C was pressed so long ago that the stream is no longer read, or the user has seen
    /// enough.
    fn is_overdue(&mut self) -> bool {
        if self.stopped.is_none() && interrupt::is_requested() {
            (self.stop)();
            self.arrived = Instant::now();
            self.stopped = Some(self.arrived);
        }
        self.stopped.is_some_and(|at| interrupt::has_quit() || at.elapsed() > GRACE)
    }

    /// Continues with the new content of a file that was replaced or shortened. Returns false if
    /// there is none.
    pub fn restart(&mut self) -> bool {
        std::mem::take(&mut self.is_restarted)
    }

    fn take(&mut self, piece: LivePiece) {
        self.arrived = Instant::now();
        match piece {
            LivePiece::Bytes(bytes) => (self.piece, self.used) = (bytes, 0),
            LivePiece::Restart => self.is_restarted = true,
            LivePiece::Failed(error) => self.failed = Some(error),
        }
    }
}

impl Read for Live {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.is_overdue() {
            return Err(ErrorKind::WouldBlock.into());
        }
        if self.used == self.piece.len() && !self.is_restarted && self.failed.is_none() {
            match self.pieces.try_recv() {
                Ok(piece) => self.take(piece),
                Err(TryRecvError::Empty) => return Err(ErrorKind::WouldBlock.into()),
                Err(TryRecvError::Disconnected) => return Ok(0),
            }
        }
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let read = self.piece.get(self.used..).unwrap_or(&[]).read(into)?;
        self.used = self.used.saturating_add(read);
        Ok(read)
    }
}

/// How often the file is checked. Notifications of the operating system would miss changes on
/// network drives.
const PAUSE: Duration = Duration::from_millis(100);

/// Reads a file, which need not exist yet, and everything that is added to it. If the file is
/// replaced or shortened, its new content follows.
pub fn follow(path: &Path) -> Live {
    let path = path.to_owned();
    Live::new(move |pieces| {
        // Sending fails only if the receiver is gone.
        if let Err(error) = send_all(&path, &pieces) {
            pieces.send(LivePiece::Failed(error)).ok();
        }
    })
}

/// Sends the content until the receiver is dropped.
fn send_all(path: &Path, pieces: &SyncSender<LivePiece>) -> io::Result<()> {
    let mut file = loop {
        match File::open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => thread::sleep(PAUSE),
            file => break file?,
        }
    };
    let mut position = 0_u64;
    loop {
        let mut bytes = vec![0; CHUNK];
        let read = match file.read(&mut bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read?,
        };
        if read > 0 {
            position += read as u64;
            bytes.truncate(read);
            if pieces.send(LivePiece::Bytes(bytes)).is_err() {
                return Ok(());
            }
            continue;
        }
        // After a file is removed, opening it fails until the new one is created.
        let new = File::open(path).ok();
        let replaced =
            new.filter(|new| identity(new).is_some_and(|it| Some(it) != identity(&file)));
        if let Some(new) = replaced {
            file = new;
        } else if file.metadata()?.len() < position {
            file = File::open(path)?;
        } else {
            thread::sleep(PAUSE);
            continue;
        }
        position = 0;
        if pieces.send(LivePiece::Restart).is_err() {
            return Ok(());
        }
    }
}

/// Distinguishes a file from another one that later has the same path.
#[cfg(unix)]
fn identity(file: &File) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let metadata = file.metadata().ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(windows)]
fn identity(file: &File) -> Option<(u64, u64)> {
    let information = winapi_util::file::information(file).ok()?;
    Some((information.volume_serial_number(), information.file_index()))
}
