//! The errors of damaged capture files.

use core::fmt;

/// The error for a capture file: the problem and its place. Nothing after that place can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("byte {offset}{}: {problem}", InFrame(*.frame))]
#[non_exhaustive]
pub struct Error {
    /// The number of the file, from 0, if several files are read as one capture.
    pub file: u32,
    /// The offset of the damaged part in the file, in bytes.
    pub offset: u64,
    /// The number that the damaged packet would have had; none if the file's first header is wrong.
    pub frame: Option<u64>,
    /// What is wrong there.
    pub problem: Problem,
}

impl Error {
    pub(crate) const fn new(file: u32, offset: u64, frame: Option<u64>, problem: Problem) -> Error {
        Error { file, offset, frame, problem }
    }
}

/// A problem in a capture file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The file starts like neither a pcap nor a pcapng file.
    UnknownFormat,
    /// The file ends within a packet or block.
    Cut {
        /// How many bytes are missing, at least.
        missing: usize,
        /// How many bytes the file has from the offset on.
        available: usize,
    },
    /// The lengths at the start and at the end of a block are impossible or differ.
    BlockLength {
        /// The length at the start, in bytes.
        len: u32,
    },
    /// A section header has an unknown byte-order mark.
    SectionHeader,
    /// A block is too short for its type.
    BlockTooShort {
        /// The number of its type.
        block_type: u32,
        /// Its length, in bytes.
        len: u32,
    },
    /// A packet is longer than its block.
    PacketTooLong {
        /// The packet's length, in bytes.
        len: u32,
        /// How many bytes the block has for it.
        available: usize,
    },
    /// A packet or block of a stream is longer than the limit of what is read into memory.
    TooLong {
        /// Its length, in bytes, at least.
        len: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// A packet refers to an interface that the file does not describe.
    UnknownInterface {
        /// The interface's number.
        interface: u32,
    },
}

struct InFrame(Option<u64>);

impl fmt::Display for InFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(frame) => write!(f, " (frame {frame})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Problem::UnknownFormat => f.write_str("neither a pcap nor a pcapng file"),
            Problem::Cut { missing, available } => {
                write!(
                    f,
                    "the file is cut off: {available} bytes are left, {missing} more are needed"
                )
            }
            Problem::BlockLength { len } => {
                write!(f, "a block has an impossible length of {len} bytes")
            }
            Problem::SectionHeader => {
                f.write_str("a section header has an unknown byte-order mark")
            }
            Problem::BlockTooShort { block_type, len } => {
                write!(f, "{len} bytes are too short for a block of type {block_type}")
            }
            Problem::PacketTooLong { len, available } => {
                write!(f, "a packet of {len} bytes is in a block with room for {available}")
            }
            Problem::TooLong { len, limit } => {
                write!(f, "a packet or block of {len} bytes; the limit is {limit}")
            }
            Problem::UnknownInterface { interface } => {
                write!(
                    f,
                    "a packet refers to interface {interface}, which the file does not describe"
                )
            }
        }
    }
}
