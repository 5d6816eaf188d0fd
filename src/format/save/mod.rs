//! Compressed and encrypted save files.
//!
//! Games write them with `FileAccess.open_compressed`, `open_encrypted_with_pass` and
//! `open_encrypted` (in Godot 3, with `File`). [`unpack`] gives the bytes that the game wrote into
//! the file; for values that it wrote with `store_var`, these are framed values.
//!
//! ```
//! use gdwire::Dialect;
//! use gdwire::save::{Encryption, EncryptionKey, PackOptions, UnpackOptions, pack, unpack};
//! use gdwire::stream::encode_frame;
//!
//! // As store_var writes values: each after its length, which get_var reads.
//! let mut frames = Vec::new();
//! encode_frame(Dialect::GODOT_4, &gdwire::variant!({"hp": 87}), &mut frames)?;
//! encode_frame(Dialect::GODOT_4, "level 3", &mut frames)?;
//! let key = EncryptionKey::from_password("correct horse");
//! // Takes 16 random bytes from a crate such as getrandom.
//! # let random = || [7; 16];
//! let encryption = Encryption::of(Dialect::GODOT_4, random());
//! let file = pack(&frames, PackOptions::new().with_encryption(&key, encryption))?;
//!
//! let options = UnpackOptions::new().with_key(&key).with_max_len(1 << 20);
//! assert_eq!(unpack(&file, options)?, frames);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`read`] and [`write()`] do the same with files and other streams.
//!
//! # Memory
//!
//! Nothing in a file decides how much memory is used. If the header says that the content is longer
//! than [`UnpackOptions::with_max_len`], that is an error before anything is decompressed; and a block
//! that decompresses to more than the header says is an error at that point. So at most the content,
//! that of one container inside the other, and the file itself are in memory.
//!
//! # One container inside the other
//!
//! No function of the engines writes a file that is both compressed and encrypted, but games make
//! them: they read one file as bytes and write these into another. [`unpack`] reads both orders.
//! [`pack`] compresses first, as encrypted bytes do not compress. The game then decrypts the file,
//! writes what it gets to another file, and opens that with `open_compressed`.

mod compressed;
mod encrypted;

pub use compressed::Compression;
pub use encrypted::{Encryption, EncryptionKey};

use alloc::string::String;
use alloc::vec::Vec;
use std::io::{self, Read, Write};

/// The packing of a file: whether it is compressed or encrypted.
///
/// ```
/// use gdwire::save::Packing;
///
/// assert_eq!(Packing::of(b"GDEC\x2a"), Some(Packing::Encrypted));
/// assert_eq!(Packing::of(b"plain"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Packing {
    /// Compressed: the file begins with `GCPF`.
    Compressed,
    /// Encrypted: the file begins with `GDEC`.
    Encrypted,
}

impl Packing {
    /// How a file is packed, by its first four bytes. None if it is not packed.
    #[must_use]
    pub fn of(file: &[u8]) -> Option<Packing> {
        match file.get(..4)? {
            magic if magic == compressed::MAGIC => Some(Packing::Compressed),
            magic if magic == encrypted::MAGIC => Some(Packing::Encrypted),
            _ => None,
        }
    }
}

/// Options for unpacking a file.
#[derive(Clone, Copy, Debug)]
pub struct UnpackOptions<'k> {
    key: Option<&'k EncryptionKey>,
    max_len: usize,
}

impl<'k> UnpackOptions<'k> {
    /// Options without a key, for content of at most 256 MiB.
    #[must_use]
    pub const fn new() -> UnpackOptions<'k> {
        UnpackOptions { key: None, max_len: 256 << 20 }
    }

    /// Decrypts with this key.
    #[must_use]
    pub const fn with_key(self, key: &'k EncryptionKey) -> UnpackOptions<'k> {
        UnpackOptions { key: Some(key), ..self }
    }

    /// Limits the length of the content, in bytes.
    #[must_use]
    pub const fn with_max_len(self, max_len: usize) -> UnpackOptions<'k> {
        UnpackOptions { max_len, ..self }
    }
}

impl Default for UnpackOptions<'_> {
    fn default() -> Self {
        UnpackOptions::new()
    }
}

/// Options for packing a file.
#[derive(Clone, Copy, Default, Debug)]
pub struct PackOptions<'k> {
    compression: Option<Compression>,
    encryption: Option<(&'k EncryptionKey, Encryption)>,
}

impl<'k> PackOptions<'k> {
    /// Options that neither compress nor encrypt.
    #[must_use]
    pub const fn new() -> PackOptions<'k> {
        PackOptions { compression: None, encryption: None }
    }

    /// Compresses the content.
    #[must_use]
    pub const fn with_compression(self, compression: Compression) -> PackOptions<'k> {
        PackOptions { compression: Some(compression), ..self }
    }

    /// Encrypts the content with this key.
    #[must_use]
    pub const fn with_encryption(
        self,
        key: &'k EncryptionKey,
        encryption: Encryption,
    ) -> PackOptions<'k> {
        PackOptions { encryption: Some((key, encryption)), ..self }
    }
}

/// How many containers may be inside each other.
const DEPTH: usize = 8;

/// Decompresses and decrypts a file, until its content is neither.
///
/// # Errors
///
/// If the file is not packed, is damaged or cut off, is encrypted with another key, or has more
/// content than [`UnpackOptions::with_max_len`].
pub fn unpack(file: &[u8], options: UnpackOptions<'_>) -> Result<Vec<u8>, Error> {
    unpack_layers(file, options).map(|(content, _)| content)
}

/// Decompresses and decrypts a file as [`unpack`] does, and returns its layers too, from the outermost
/// on. [`pack_layers`] packs changed content in the same way.
///
/// ```
/// use gdwire::save::{Compression, Layer, UnpackOptions, compress, pack_layers, unpack_layers};
///
/// let file = compress(b"content", Compression::Zstandard)?;
/// let (content, layers) = unpack_layers(&file, UnpackOptions::new())?;
/// assert_eq!(layers, [Layer::Compressed(Compression::Zstandard)]);
/// assert_eq!(pack_layers(&content, &layers, None)?, file);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Those of [`unpack`].
pub fn unpack_layers(
    file: &[u8],
    options: UnpackOptions<'_>,
) -> Result<(Vec<u8>, Vec<Layer>), Error> {
    let (mut content, layer) = unpack_once(file, options)?;
    let mut layers = alloc::vec![layer];
    while Packing::of(&content).is_some() {
        if layers.len() == DEPTH {
            return Err(Error::at(0, Problem::TooDeep { limit: DEPTH }));
        }
        let (inner, layer) = unpack_once(&content, options)?;
        layers.push(layer);
        content = inner;
    }
    Ok((content, layers))
}

/// One compression or encryption of a save file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Layer {
    /// Compressed in this mode.
    Compressed(Compression),
    /// Encrypted in this layout.
    Encrypted(Encryption),
}

/// Compresses and encrypts content in these layers, of which the first is the outermost. Other content
/// needs another initialization vector: write a random one into each encrypted layer.
///
/// # Errors
///
/// Those of [`compress`]. Without a key, encrypted layers are an error of the kind
/// [`InvalidInput`](io::ErrorKind::InvalidInput).
pub fn pack_layers(
    content: &[u8],
    layers: &[Layer],
    key: Option<&EncryptionKey>,
) -> io::Result<Vec<u8>> {
    let mut file = content.to_vec();
    for layer in layers.iter().rev() {
        file = match layer {
            Layer::Compressed(compression) => compress(&file, *compression)?,
            Layer::Encrypted(encryption) => {
                let no_key = || io::Error::new(io::ErrorKind::InvalidInput, Problem::NoKey);
                encrypt(&file, key.ok_or_else(no_key)?, *encryption)
            }
        };
    }
    Ok(file)
}

fn unpack_once(file: &[u8], options: UnpackOptions<'_>) -> Result<(Vec<u8>, Layer), Error> {
    match Packing::of(file) {
        None => Err(Error::at(0, Problem::NotPacked)),
        Some(Packing::Compressed) => compressed::read(file, options.max_len)
            .map(|(content, compression)| (content, Layer::Compressed(compression))),
        Some(Packing::Encrypted) => {
            let key = options.key.ok_or_else(|| Error::at(0, Problem::NoKey))?;
            encrypted::read(file, key, options.max_len)
                .map(|(content, encryption)| (content, Layer::Encrypted(encryption)))
        }
    }
}

/// Reads a whole file and [unpacks](unpack) it.
///
/// # Errors
///
/// If reading fails, or the file cannot be unpacked: then the error has the kind
/// [`InvalidData`](io::ErrorKind::InvalidData) and an [`Error`] as its source. A file that is longer than
/// the longest content, by more than an eighth and 64 KiB, is not read to its end.
pub fn read(input: impl Read, options: UnpackOptions<'_>) -> io::Result<Vec<u8>> {
    let limit = options.max_len.saturating_add(options.max_len / 8).saturating_add(64 << 10) as u64;
    let mut file = Vec::new();
    input.take(limit.saturating_add(1)).read_to_end(&mut file)?;
    if file.len() as u64 > limit {
        return Err(Error::at(0, Problem::FileTooLong { limit }).into());
    }
    Ok(unpack(&file, options)?)
}

/// [Packs](pack) content and writes the file.
///
/// # Errors
///
/// Those of [`pack`], and those of `out`.
pub fn write(mut out: impl Write, content: &[u8], options: PackOptions<'_>) -> io::Result<()> {
    out.write_all(&pack(content, options)?)
}

/// Compresses and encrypts content, as `options` say. With both, the content is compressed first.
///
/// # Errors
///
/// Those of [`compress`].
pub fn pack(content: &[u8], options: PackOptions<'_>) -> io::Result<Vec<u8>> {
    let file = match options.compression {
        Some(compression) => compress(content, compression)?,
        None => content.to_vec(),
    };
    Ok(match options.encryption {
        Some((key, encryption)) => encrypt(&file, key, encryption),
        None => file,
    })
}

/// Compresses content as `FileAccess.open_compressed` does, in blocks of 4096 bytes.
///
/// # Errors
///
/// If the content has 4 GiB or more, or for Brotli, which the engines do not write either.
pub fn compress(content: &[u8], compression: Compression) -> io::Result<Vec<u8>> {
    compressed::write(content, compression)
}

/// Encrypts content as `FileAccess.open_encrypted` does.
#[must_use]
pub fn encrypt(content: &[u8], key: &EncryptionKey, encryption: Encryption) -> Vec<u8> {
    encrypted::write(content, key, encryption)
}

/// A file, and how far it has been read.
struct FileBytes<'f> {
    file: &'f [u8],
    at: usize,
}

impl<'f> FileBytes<'f> {
    const fn new(file: &'f [u8]) -> FileBytes<'f> {
        FileBytes { file, at: 0 }
    }

    fn left(&self) -> usize {
        self.file.len().saturating_sub(self.at)
    }

    fn take(&mut self, len: usize) -> Result<&'f [u8], Error> {
        let end = self.at.checked_add(len);
        let taken = end.and_then(|end| self.file.get(self.at..end)).ok_or_else(|| {
            let (needed, available) = (len as u64, self.left() as u64);
            Error::at(self.at, Problem::UnexpectedEnd { needed, available })
        })?;
        self.at += len;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let taken = self.take(N)?;
        Ok(taken.first_chunk().copied().unwrap_or([0; N]))
    }

    fn u32(&mut self) -> Result<u32, Error> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, Error> {
        self.array().map(u64::from_le_bytes)
    }
}

/// Why a save file cannot be unpacked, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[error("byte {offset}: {problem}")]
pub struct Error {
    /// The offset in bytes, from the start of the compressed or encrypted data that is wrong. If one
    /// is inside the other, that is an offset in the content of the outer one.
    pub offset: u64,
    /// The kind of error at that offset.
    pub problem: Problem,
}

/// A problem in a save file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file does not begin with `GCPF` or `GDEC`.
    #[error("the file is neither compressed (GCPF) nor encrypted (GDEC)")]
    NotPacked,
    /// The file ends too early.
    #[error("the file is cut off: {needed} bytes are needed, {available} are left")]
    UnexpectedEnd {
        /// How many bytes are needed at the offset.
        needed: u64,
        /// How many bytes are left.
        available: u64,
    },
    /// The number of the compression is unknown.
    #[error("compression mode {0} is unknown")]
    UnknownCompression(u32),
    /// The block size is 0.
    #[error("the size of a block is 0")]
    NoBlocks,
    /// A block cannot be decompressed.
    #[error("block {block} of {blocks} cannot be decompressed ({compression}): {reason}")]
    Block {
        /// The number of the block, from 1.
        block: u64,
        /// The number of blocks.
        blocks: u64,
        /// The name of the compression.
        compression: &'static str,
        /// The message of the decompressor.
        reason: String,
    },
    /// A block has less content than the header says.
    #[error("block {block} of {blocks} has {len} bytes of content, but should have {expected}")]
    ShortBlock {
        /// The number of the block, from 1.
        block: u64,
        /// The number of blocks.
        blocks: u64,
        /// How many bytes of content the block has.
        len: u64,
        /// How many bytes of content it should have.
        expected: u64,
    },
    /// A compressed file does not end with `GCPF`.
    #[error("the compressed file does not end with GCPF")]
    NoEnd,
    /// The content is longer than the limit.
    #[error("the content has {len} bytes, more than the limit of {limit}")]
    TooLong {
        /// The length in the header, in bytes.
        len: u64,
        /// The limit.
        limit: u64,
    },
    /// The file is much longer than the longest content that is allowed. Only [`read`]
    /// returns this.
    #[error("the file has more than {limit} bytes")]
    FileTooLong {
        /// How many bytes are read at most.
        limit: u64,
    },
    /// More containers are inside each other than in the files of any game.
    #[error("more than {limit} compressed or encrypted files are inside each other")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// The file is encrypted, and there is no key.
    #[error("the file is encrypted: a password or a key is needed")]
    NoKey,
    /// The MD5 of the content differs from the one in the header.
    #[error("the password or key is wrong, or the file is damaged: the MD5 of the content differs")]
    WrongKey,
    /// The layout is that of neither engine.
    #[error("the file is cut off, or it has neither the layout of Godot 3 nor that of Godot 4")]
    UnknownLayout,
}

impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}

impl Error {
    fn at(offset: usize, problem: Problem) -> Error {
        Error { offset: u64::try_from(offset).unwrap_or(u64::MAX), problem }
    }
}
