//! The output for encoded values and its form.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use gdwire::save::Compression;
use std::path::PathBuf;

/// The output for encoded values and its form.
#[derive(Args)]
pub(crate) struct OutputArgs {
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output: Framing,
    /// Write a compressed save, as open_compressed does (needs --output framed or raw)
    #[arg(long, value_parser = compression(), value_name = "MODE")]
    pub(crate) compress: Option<Compression>,
    /// Write an encrypted save, as open_encrypted does (needs --output framed or raw)
    ///
    /// With --compress, the compressed save is encrypted.
    #[arg(long)]
    pub(crate) encrypt: bool,
    /// Write to this file instead of standard output
    ///
    /// The file is replaced after all values were written. If there was an error, it stays as it
    /// was: see --skip-errors.
    #[arg(short = 'o', value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Write the file of -o although some values have errors, without these values
    ///
    /// A game that reads the file would take the next value for the missing one. Of a damaged file,
    /// the values that can be read are written. If an input cannot be opened, if reading it fails or
    /// is interrupted, the file is not written even so.
    #[arg(long)]
    pub(crate) skip_errors: bool,
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

/// The compressions of saves that are written, each with its description.
const COMPRESSIONS: [(Compression, &str); 4] = [
    (Compression::FastLz, "FastLZ, the default of the engines"),
    (Compression::Deflate, "Deflate, in the zlib format"),
    (Compression::Zstandard, "Zstandard"),
    (Compression::Gzip, "Deflate, in the gzip format"),
];

/// Parses the name of a compression.
fn compression() -> impl TypedValueParser<Value = Compression> {
    let values = COMPRESSIONS.map(|(it, help)| PossibleValue::new(it.name()).help(help));
    PossibleValuesParser::new(values).try_map(|name| {
        let found = COMPRESSIONS.into_iter().find(|(it, _)| it.name() == name);
        found.map(|(it, _)| it).ok_or("not a compression")
    })
}
