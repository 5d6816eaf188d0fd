//! `gdwire export` and the tables of the library.

mod agreement;
mod dataset;
mod hostile;
mod live;
mod schema;
mod states;

use crate::common;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef};
use arrow_ipc::reader::StreamReader;
use arrow_schema::DataType;
use arrow_select::concat::concat_batches;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs the command.
fn gdwire(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gdwire")).args(arguments).output().unwrap()
}

/// A directory of its own for a test.
fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export").join(test);
    fs::remove_dir_all(&path).ok();
    fs::create_dir_all(&path).unwrap();
    path
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The recorded captures.
fn captures() -> Vec<PathBuf> {
    let folder = common::corpus("captures");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_capture = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "pcap" || extension == "pcapng")
    };
    let mut files = files.filter(is_capture).collect::<Vec<_>>();
    files.sort();
    assert!(files.len() > 40);
    files
}

/// The batches of an Arrow stream.
fn stream(bytes: &[u8]) -> Vec<RecordBatch> {
    StreamReader::try_new(bytes, None).unwrap().map(Result::unwrap).collect()
}

/// All rows of a stream, however it divides them into batches. Comparing these takes much less time than
/// comparing their [`rows`].
fn whole(bytes: &[u8]) -> RecordBatch {
    let batches = stream(bytes);
    concat_batches(&batches[0].schema(), &batches).unwrap()
}

/// The rows of a Parquet file.
fn parquet(path: &Path) -> Vec<RecordBatch> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    reader.build().unwrap().map(Result::unwrap).collect()
}

/// The files below a directory, in order.
fn files_in(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let Ok(entries) = fs::read_dir(directory) else { return files };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_in(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

/// The rows of batches as JSON objects.
fn rows(batches: &[RecordBatch]) -> Vec<Value> {
    let mut rows = Vec::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            let schema = batch.schema();
            let cells = schema.fields().iter().zip(batch.columns());
            let cells = cells.map(|(field, column)| (field.name().clone(), cell(column, row)));
            rows.push(Value::Object(cells.collect()));
        }
    }
    rows
}

fn cell(column: &ArrayRef, row: usize) -> Value {
    if column.is_null(row) {
        return Value::Null;
    }
    match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).into(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into(),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).into(),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).into(),
        DataType::Boolean => column.as_boolean().value(row).into(),
        DataType::Timestamp(..) => {
            column.as_primitive::<TimestampMicrosecondType>().value(row).into()
        }
        DataType::Binary => common::hex(column.as_binary::<i32>().value(row)).into(),
        other => panic!("{other}"),
    }
}
