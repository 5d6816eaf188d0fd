//! A problem in a save file.

use alloc::string::String;
use std::io;

/// Why a save file cannot be unpacked, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[error("byte {offset}: {problem}")]
pub struct Error {
    /// The offset in bytes, from the start of the compressed or encrypted data that is wrong. If one
    /// is inside the other, that is an offset in the content of the outer one.
    pub offset: u64,
    /// What is wrong there.
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
    /// The file is much longer than the longest content that is allowed. Only [`read`](super::read)
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
    pub(super) fn at(offset: usize, problem: Problem) -> Error {
        Error { offset: u64::try_from(offset).unwrap_or(u64::MAX), problem }
    }
}
