//! The options of `gdwire export`.

use crate::args::units::{size, time};
use crate::args::{InputArgs, NamesArgs, SaveArgs, SelectionArgs, Threads, VerbosityArgs};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum, ValueHint};
use gdwire::export::{Partition, Table};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) saves: SaveArgs,
    #[command(flatten)]
    pub(crate) names: NamesArgs,
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: ExportFormat,
    /// Write Parquet files to this folder, which is made if it does not exist; for Arrow, write to this file instead of standard output
    #[arg(short = 'o', long, value_name = "DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) output: Option<PathBuf>,
    /// The table of an Arrow stream: messages, losses or connections [default: messages]
    #[arg(long, value_name = "TABLE", value_parser = PossibleValuesParser::new(Table::ALL.iter().map(|it| it.name())))]
    pub(crate) table: Option<String>,
    /// Write only these columns of the messages or of --table, such as time,path,method,len
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = PossibleValuesParser::new(column_names()), hide_possible_values = true)]
    pub(crate) columns: Vec<String>,
    /// Divide the rows into folders by these columns, such as date,transport
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = PossibleValuesParser::new(Partition::ALL.iter().map(|it| it.name())))]
    pub(crate) partition: Vec<String>,
    /// Complete a file when it has this size, such as 64M or 1G [default: 128M]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) roll_size: Option<usize>,
    /// Complete a file when it is this old, such as 1m [default: 1m with --follow and --interface]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) roll_time: Option<Duration>,
    /// Add files to a folder that has a data set already
    #[arg(long)]
    pub(crate) append: bool,
    /// Also note unrecognized packets and unreadable messages in the table of losses
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) threads: Threads,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}

/// The format of the output.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ExportFormat {
    /// A folder of Parquet files, for DuckDB, Polars, Spark and others
    #[default]
    Parquet,
    /// One Arrow IPC stream, for a program that reads it as it arrives
    Arrow,
}

/// The names of the columns of all tables.
fn column_names() -> BTreeSet<&'static str> {
    Table::ALL.iter().flat_map(|table| table.columns()).map(|column| column.name).collect()
}

impl ExportArgs {
    /// The partitions that were named.
    pub(super) fn partitions(&self) -> Vec<Partition> {
        let find = |name: &String| Partition::ALL.iter().copied().find(|it| it.name() == name);
        self.partition.iter().filter_map(find).collect()
    }

    /// The table of an Arrow stream.
    pub(super) fn table(&self) -> Table {
        let named = |table: &&Table| Some(table.name()) == self.table.as_deref();
        Table::ALL.iter().find(named).copied().unwrap_or(Table::Messages)
    }
}
