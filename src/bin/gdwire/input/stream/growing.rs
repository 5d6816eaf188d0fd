//! `--follow`: a file that grows while it is read, as `tail -F` reads it.

use super::live::{Live, Piece};
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

/// How many bytes are read at once.
const CHUNK: usize = 64 << 10;

/// How often the file is checked. Notifications of the operating system would miss changes on
/// network drives.
const PAUSE: Duration = Duration::from_millis(100);

/// Reads a file, which need not exist yet, and everything that is added to it. If the file is
/// replaced or shortened, its new content follows.
pub(crate) fn follow(path: &Path) -> Live {
    let path = path.to_owned();
    Live::new(move |pieces| {
        // Sending fails only if the receiver is gone.
        if let Err(error) = send_all(&path, &pieces) {
            pieces.send(Piece::Failed(error)).ok();
        }
    })
}

/// Sends the content until the receiver is dropped.
fn send_all(path: &Path, pieces: &SyncSender<Piece>) -> io::Result<()> {
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
            position = position.saturating_add(read as u64);
            bytes.truncate(read);
            if pieces.send(Piece::Bytes(bytes)).is_err() {
                return Ok(());
            }
            continue;
        }
        let metadata = file.metadata()?;
        // After a file is removed, opening it fails until the new one is created.
        let replaced = File::open(path)
            .ok()
            .filter(|new| new.metadata().is_ok_and(|new| identity(&new) != identity(&metadata)));
        if let Some(new) = replaced {
            file = new;
        } else if metadata.len() < position {
            file = File::open(path)?;
        } else {
            thread::sleep(PAUSE);
            continue;
        }
        position = 0;
        if pieces.send(Piece::Restart).is_err() {
            return Ok(());
        }
    }
}

/// Distinguishes a file from another one that later has the same path.
#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(metadata: &Metadata) -> Option<std::time::SystemTime> {
    metadata.created().ok()
}
