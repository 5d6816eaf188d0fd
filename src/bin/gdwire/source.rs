//! Files, directories and standard input.

use crate::diagnostics::Diagnostics;
use gdwire::capture::Capture;
use gdwire::multiplayer::Methods;
use memmap2::Mmap;
use std::collections::VecDeque;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// The most that is read into memory of what cannot be mapped.
const BUFFER_LIMIT: u64 = 1 << 30;

/// What a file holds.
pub(crate) enum Content {
    /// A regular file, mapped.
    Mapped(Mmap),
    /// Standard input, a pipe or a device.
    Stream(Box<dyn BufRead>),
}

impl Content {
    pub(crate) fn open(path: &Path) -> io::Result<Content> {
        if is_stdin(path) {
            return Ok(Content::Stream(Box::new(io::stdin().lock())));
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        // What has no length may have content nevertheless, in /proc for one.
        if metadata.is_file() && metadata.len() > 0 {
            return map(&file).map(Content::Mapped);
        }
        Ok(Content::Stream(Box::new(BufReader::new(file))))
    }

    /// All of it.
    pub(crate) fn whole(self) -> io::Result<Bytes> {
        match self {
            Content::Mapped(bytes) => Ok(Bytes::Mapped(bytes)),
            Content::Stream(mut stream) => read_all(&mut *stream).map(Bytes::Read),
        }
    }
}

/// The bytes of a whole file.
pub(crate) enum Bytes {
    Mapped(Mmap),
    Read(Vec<u8>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(bytes) => bytes,
            Bytes::Read(bytes) => bytes,
        }
    }
}

/// Maps a file into memory.
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the bytes are only read, and all that is made of them is checked or may be any
    // bytes. What no program can rule out is that another one changes or shortens the file
    // meanwhile: then a result may be wrong, or the system ends this process, as with every tool
    // that maps its input. The library, which could be part of a server, maps nothing.
    #[expect(unsafe_code, reason = "reading a large capture into memory instead has no bound")]
    unsafe {
        Mmap::map(file)
    }
}

/// Reads a stream to its end.
pub(crate) fn read_all(stream: &mut dyn BufRead) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.take(BUFFER_LIMIT).read_to_end(&mut bytes)?;
    if stream.fill_buf()?.is_empty() {
        return Ok(bytes);
    }
    let problem = "more than 1 GiB; name it as a file, of which nothing is held in memory";
    Err(io::Error::new(ErrorKind::FileTooLarge, problem))
}

pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// What a file is called in messages: without what could do something to a terminal, as a name
/// that was found in a directory may have it.
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) {
        return "stdin".to_owned();
    }
    plain(&path.display().to_string())
}

/// A line without what could do something to a terminal.
pub(crate) fn plain(line: &str) -> String {
    let mut plain = String::new();
    for character in line.chars() {
        match character {
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                plain.extend(character.escape_default());
            }
            _ if character.is_control() => plain.extend(character.escape_default()),
            _ => plain.push(character),
        }
    }
    plain
}

/// The files to read. With `is_recursive`, a directory stands for the captures somewhere in it, by
/// name; what cannot be read is reported.
pub(crate) fn expand(
    paths: &[PathBuf],
    is_recursive: bool,
    diagnostics: &mut Diagnostics,
) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        if is_stdin(path) || !path.is_dir() {
            files.push(path.clone());
        } else if is_recursive {
            captures_in(path, &mut files, diagnostics);
        } else {
            let problem = "is a directory; --recursive reads the captures in it";
            diagnostics.unreadable(&name(path), &problem);
        }
    }
    files
}

/// Reads the names of remote methods.
pub(crate) fn read_methods(path: &Path) -> Result<Methods, String> {
    let named = |problem: &dyn Display| format!("{}: {problem}", name(path));
    let bytes = fs::read(path).map_err(|error| named(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
        let line = valid.filter(|byte| **byte == b'\n').count() + 1;
        named(&format!("line {line}: not UTF-8; save the file in this encoding"))
    })?;
    Methods::parse(&text).map_err(|error| named(&error))
}

fn captures_in(directory: &Path, files: &mut Vec<PathBuf>, diagnostics: &mut Diagnostics) {
    let mut directories = VecDeque::from([directory.to_owned()]);
    while let Some(directory) = directories.pop_front() {
        let entries = fs::read_dir(&directory).and_then(|entries| {
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()
        });
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                diagnostics.unreadable(&name(&directory), &error);
                continue;
            }
        };
        entries.sort();
        for path in entries {
            // A link to a directory could lead back here.
            match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_dir() => directories.push_back(path),
                Ok(_) if path.is_file() => match is_capture(&path) {
                    Ok(true) => files.push(path),
                    Ok(false) => {}
                    Err(error) => diagnostics.unreadable(&name(&path), &error),
                },
                Ok(_) => {}
                Err(error) => diagnostics.unreadable(&name(&path), &error),
            }
        }
    }
}

fn is_capture(path: &Path) -> io::Result<bool> {
    let mut magic = Vec::new();
    File::open(path)?.take(4).read_to_end(&mut magic)?;
    Ok(Capture::recognizes(&magic))
}
