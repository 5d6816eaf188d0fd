//! The options of `gdwire convert`.

use crate::args::dialect::{DialectChoice, DialectParser};
use crate::args::{Filters, InputArgs, NewKeyArgs, OutputArgs, SaveArgs, Threads, VerbosityArgs};
use clap::Args;

/// The help of `--kind`, which has no effect on remote calls here.
const CONVERTED_KIND: &str =
    "Convert only values of this type, such as Vector2 or 'Pool*' (repeatable)";

#[derive(Args)]
#[command(mut_arg("kind", |arg| arg.help(CONVERTED_KIND).long_help(CONVERTED_KIND)))]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) saves: SaveArgs,
    #[command(flatten)]
    pub(crate) filters: Filters,
    /// The engine that will read the bytes [default: the engine that wrote the values]
    #[arg(long, value_parser = DialectParser { has_auto: false }, value_name = "DIALECT")]
    pub(crate) to: Option<DialectChoice>,
    /// Write the nearest value where the target engine cannot express the original
    #[arg(long)]
    pub(crate) lossy: bool,
    /// Write math types with 8-byte numbers, for engines built with precision=double [default: as
    /// read, or 4-byte numbers if --to changes the engine]
    #[arg(long)]
    pub(crate) to_double: bool,
    #[command(flatten)]
    pub(crate) threads: Threads,
    #[command(flatten)]
    pub(crate) new_keys: NewKeyArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}
