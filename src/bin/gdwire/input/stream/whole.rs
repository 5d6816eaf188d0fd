//! Files that are read as a whole, and changes to them during that time.

use crate::diagnostics::Diagnostics;
use memmap2::Mmap;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::ops::Deref;

/// The largest file that is read into memory; larger ones are mapped if they are needed whole.
const MEMORY_LIMIT: u64 = 64 << 20;

/// A regular file, and its metadata from when it was opened.
pub(crate) struct RegularFile {
    file: File,
    opened: Metadata,
}

impl RegularFile {
    pub(super) const fn new(file: File, opened: Metadata) -> RegularFile {
        RegularFile { file, opened }
    }

    /// Whether the file is read into memory if it is needed whole; otherwise it is mapped.
    pub(crate) fn is_small(&self) -> bool {
        self.opened.len() <= MEMORY_LIMIT
    }

    /// The file as a stream.
    pub(crate) fn stream(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// All bytes of the file, read into memory.
    pub(crate) fn read(&self) -> io::Result<Vec<u8>> {
        let length = self.opened.len();
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        (&self.file).take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    pub(super) fn whole(self) -> io::Result<Bytes> {
        if self.is_small() {
            return self.read().map(Bytes::Read);
        }
        Bytes::mapped(self)
    }

    /// The changes to the file since it was opened.
    fn change(&self) -> Change {
        let Ok(now) = self.file.metadata() else { return Change::None };
        if now.len() > self.opened.len() {
            Change::Grown
        } else if now.len() < self.opened.len()
            || matches!(
                (now.modified(), self.opened.modified()),
                (Ok(now), Ok(opened)) if now != opened
            )
        {
            Change::Written
        } else {
            Change::None
        }
    }
}

/// The bytes of a whole file.
pub(crate) enum Bytes {
    Mapped { map: Mmap, file: RegularFile },
    Read(Vec<u8>),
}

/// How another program changed a file while it was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// No change that its metadata shows.
    None,
    /// It added bytes.
    Grown,
    /// It overwrote or removed bytes.
    Written,
}

impl Bytes {
    /// All bytes of a file, mapped.
    pub(crate) fn mapped(file: RegularFile) -> io::Result<Bytes> {
        Ok(Bytes::Mapped { map: map(&file.file)?, file })
    }

    /// Whether another program changed the bytes while they were read. Bytes in memory are safe
    /// from that.
    fn change(&self) -> Change {
        match self {
            Bytes::Mapped { file, .. } => file.change(),
            Bytes::Read(_) => Change::None,
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped { map, .. } => map,
            Bytes::Read(bytes) => bytes,
        }
    }
}

/// Reports that another program changed a file while it was read.
pub(crate) fn report_change(bytes: &Bytes, name: &str, diagnostics: &mut Diagnostics) {
    match bytes.change() {
        Change::None => {}
        Change::Grown => {
            let problem = "the file grew while it was read; the added bytes were not read";
            diagnostics.warning(name, &problem);
        }
        Change::Written => {
            let problem = "the file was changed while it was read, so the results may be wrong; \
                           read a copy of it";
            diagnostics.failure(name, &problem);
        }
    }
}

/// Maps a file into memory.
///
/// This is for captures, files of raw values and texts to encode above [`MEMORY_LIMIT`]. They are
/// needed as one slice, and reading a capture of gigabytes into memory would have no bound.
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the mapped bytes must not change while they are borrowed. No program can enforce
    // this: another process may write to the file. What happens then:
    // - Bytes are added at the end, as by a running capture: nothing, they are not in the map.
    // - The file is shortened: on Unix, reading the bytes that are gone ends this process with
    //   SIGBUS; Windows does not let a mapped file be shortened.
    // - Bytes are overwritten: the library checks a value once and relies on the result. Text that
    //   is no longer UTF-8 after the check is undefined behaviour: results may be wrong, or the
    //   process may crash. This program makes that rare and reports it: it reads small files into
    //   memory, and after a mapped file it checks with `RegularFile::change` whether the file was
    //   written to, and reports that as an error. The library itself maps nothing.
    #[expect(unsafe_code, reason = "reading a large capture into memory has no bound")]
    unsafe {
        Mmap::map(file)
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, RegularFile};
    use std::fs::{self, File};
    use std::path::{Path, PathBuf};
    use std::time::{Duration, SystemTime};

    /// Creates a file for one test and opens it.
    fn opened(name: &str, content: &[u8]) -> (PathBuf, RegularFile) {
        let path = std::env::temp_dir().join(format!("gdwire-{}-{name}", std::process::id()));
        fs::write(&path, content).unwrap();
        (path.clone(), regular(&path))
    }

    fn regular(path: &Path) -> RegularFile {
        let file = File::open(path).unwrap();
        let opened = file.metadata().unwrap();
        RegularFile::new(file, opened)
    }

    #[test]
    fn a_change_of_the_file_is_detected() {
        let (path, file) = opened("change", b"1234");
        assert_eq!(file.change(), Change::None);
        fs::write(&path, b"12345").unwrap();
        assert_eq!(file.change(), Change::Grown);
        fs::write(&path, b"123").unwrap();
        assert_eq!(file.change(), Change::Written);
        // The same length, but another time of modification.
        fs::write(&path, b"4321").unwrap();
        let later = SystemTime::now() + Duration::from_secs(7);
        File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        assert_eq!(file.change(), Change::Written);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_small_file_is_read_and_does_not_change() {
        let (path, file) = opened("small", b"1234");
        let bytes = file.whole().unwrap();
        fs::write(&path, b"").unwrap();
        assert_eq!((&*bytes, bytes.change()), (&b"1234"[..], Change::None));
        fs::remove_file(path).unwrap();
    }
}
