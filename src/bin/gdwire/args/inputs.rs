//! The files to read, or the interface to capture from.

use super::reading::ReadingArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The files to read and how to read them.
#[derive(Args)]
pub(crate) struct InputArgs {
    /// Captures, save files or files with hex; - is standard input
    ///
    /// Files that are compressed with gzip, Zstandard or LZ4 are unpacked while they are read.
    #[arg(required_unless_present = "interface", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The format of the files
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) input: Input,
    /// Capture live from this network interface, with dumpcap or tcpdump
    ///
    /// gdwire starts dumpcap or tcpdump, whichever is installed, and lets it capture only packets that
    /// match --port and --host. Press Ctrl-C to end the capture.
    #[arg(long, short, value_name = "NAME", conflicts_with_all = ["files", "recursive", "input"])]
    pub(crate) interface: Option<String>,
    /// Capture with this filter, such as 'udp and net 10.0.0.0/8', instead of one made from --port and --host (which still select what is shown)
    #[arg(long, value_name = "FILTER")]
    pub(crate) capture_filter: Option<String>,
    /// At the end of the file, wait for more, as 'tail -F' does
    ///
    /// If the file is replaced or shortened, gdwire continues with its new content. The file need
    /// not exist yet. Press Ctrl-C to end.
    #[arg(long, conflicts_with_all = ["recursive", "interface", "join"])]
    pub(crate) follow: bool,
    /// Read the captures as one, in the given order: connections continue from file to file
    ///
    /// Use this for the files of a ring buffer, as dumpcap and tcpdump write them. Name the
    /// oldest file first: gdwire does not sort them. Frame numbers continue from file to file, as
    /// after 'mergecap -a'.
    #[arg(long, conflicts_with = "interface")]
    pub(crate) join: bool,
    /// Search directories for captures, at any depth
    #[arg(long, short)]
    pub(crate) recursive: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Input {
    /// Detect from the first bytes: a capture, hex, framed or raw values
    #[default]
    Auto,
    /// A pcap or pcapng file
    Capture,
    /// Values, each after its length, as store_var writes them
    Framed,
    /// Values one after the other, without lengths
    Raw,
    /// Hexadecimal digits, one value per line
    Hex,
    /// Base64, one value per line
    Base64,
}
