//! The output for encoded values and its form.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The output for encoded values and its form.
#[derive(Args)]
pub(crate) struct OutputArgs {
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output: Framing,
    /// Write a compressed save, as open_compressed does (needs --output framed or raw)
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) compress: Option<CompressionChoice>,
    /// Write an encrypted save, as open_encrypted does (needs --output framed or raw)
    ///
    /// With --compress, the compressed save is encrypted.
    #[arg(long)]
    pub(crate) encrypt: bool,
    /// Write to this file instead of standard output
    ///
    /// The file is replaced after all inputs were read. If an input file cannot be read, the
    /// output file stays as it was. Values with errors are left out.
    #[arg(short = 'o', value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Framing {
    /// Values, each after its length, as store_var writes them
    #[default]
    Framed,
    /// Values one after the other, without lengths
    Raw,
    /// Hexadecimal digits, one value per line
    Hex,
    /// Base64, one value per line
    Base64,
}

/// How the output is compressed.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum CompressionChoice {
    /// FastLZ, the default of the engines
    Fastlz,
    /// Deflate, in the zlib format
    Deflate,
    /// Zstandard
    Zstd,
    /// Deflate, in the gzip format
    Gzip,
}
