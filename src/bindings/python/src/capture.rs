//! Captures: their messages, their statistics, what is wrong in them, and their tables.

use crate::dialect_of;
use crate::errors::capture_error;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use gdwire::capture::{JsonLine, PacketReader, ReadError};
use gdwire::compression::{self, Decompressor};
use gdwire::diagnose::Diagnosis;
use gdwire::export::{Rows, Table};
use gdwire::follow::{Event, Follower, Options, Transport};
use gdwire::json::Spelling;
use gdwire::multiplayer::{Evidence, Methods, Names};
use gdwire::packet::Error;
use gdwire::project::Project;
use gdwire::stats::Stats;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};
use std::collections::VecDeque;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// How many packets are read before Python may interrupt.
const PACKETS: usize = 10_000;

/// How many bytes of rows are made before Python gets them.
const ROW_BYTES: usize = 16 << 20;

/// The file that is read, and the options for reading it.
#[derive(Clone)]
struct Source {
    path: PathBuf,
    name: String,
    names: Option<Arc<Names>>,
    evidence: Option<Arc<Evidence>>,
    dialect: Option<gdwire::Dialect>,
    transport: Option<Transport>,
    is_double: bool,
    is_measuring: bool,
}

/// Why a file cannot be read.
enum Failure {
    Io(std::io::Error),
    Capture(Error),
}

impl Failure {
    fn raise(self, py: Python<'_>, name: &str) -> PyErr {
        match self {
            Failure::Io(error) => match error.raw_os_error() {
                Some(code) => {
                    let text = error.to_string();
                    // Python shows the number itself.
                    let text = text.strip_suffix(&format!(" (os error {code})")).unwrap_or(&text);
                    PyOSError::new_err((code, text.to_owned(), name.to_owned()))
                }
                None => capture_error(py, name, &error.to_string(), None),
            },
            Failure::Capture(error) => {
                capture_error(py, name, &error.to_string(), Some(error.offset))
            }
        }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Failure {
        match error {
            ReadError::Io(error) => Failure::Io(error),
            ReadError::Damaged(error) => Failure::Capture(error),
            error => Failure::Io(std::io::Error::other(error)),
        }
    }
}

/// The options that all functions about captures have.
#[derive(FromPyObject)]
pub struct CaptureOptions {
    #[pyo3(item)]
    path: PathBuf,
    #[pyo3(item)]
    project: Option<PathBuf>,
    #[pyo3(item)]
    methods: Option<PathBuf>,
    #[pyo3(item)]
    dialect: Option<String>,
    #[pyo3(item)]
    double: bool,
    #[pyo3(item)]
    transport: Option<String>,
}

impl CaptureOptions {
    /// Reads the names. If there are any, reads the file once to see which of them its packets
    /// contradict, unless it is a pipe.
    fn source(self, py: Python<'_>, is_measuring: bool) -> PyResult<Source> {
        let CaptureOptions { path, project, methods, dialect, double, transport } = self;
        let name = path.display().to_string();
        let dialect = dialect.map(|name| dialect_of(&name, double)).transpose()?;
        let transport = transport
            .map(|name| {
                let unknown = || PyValueError::new_err(format!("no transport is called {name:?}"));
                Transport::from_name(&name).ok_or_else(unknown)
            })
            .transpose()?;
        let mut names = (project.is_some() || methods.is_some()).then(Names::new);
        if let Some(file) = methods {
            let wrong = |problem: &dyn Display| {
                capture_error(py, &file.display().to_string(), &problem.to_string(), None)
            };
            let text = fs::read_to_string(&file)
                .map_err(|error| Failure::Io(error).raise(py, &file.display().to_string()))?;
            let methods = Methods::parse(&text).map_err(|error| wrong(&error))?;
            names = names.map(|names| names.with_methods(methods));
        }
        if let Some(folder) = project {
            let project = py.detach(|| Project::open(&folder));
            // A folder is a project if this file is in it.
            let file = folder.join("project.godot").display().to_string();
            let project = project.map_err(|error| Failure::Io(error).raise(py, &file))?;
            names = names.map(|names| names.with_project(project));
        }
        let names = names.map(Arc::new);
        let is_double = double;
        let mut source = Source {
            path,
            name,
            names,
            evidence: None,
            dialect,
            transport,
            is_double,
            is_measuring,
        };
        if source.names.is_some() && source.can_be_repeated() {
            source.evidence = Some(source.each(py, |_| ())?.follower.evidence());
        }
        Ok(source)
    }
}

impl Source {
    /// Whether the file can be read twice, as a pipe cannot.
    fn can_be_repeated(&self) -> bool {
        fs::metadata(&self.path).map_or(true, |file| file.is_file() || file.is_dir())
    }

    /// Opens the file while other threads run: they may be those that write a pipe.
    fn open(&self, py: Python<'_>) -> PyResult<Reader> {
        py.detach(|| self.reader()).map_err(|failure| failure.raise(py, &self.name))
    }

    fn reader(&self) -> Result<Reader, Failure> {
        let mut options = Options::new();
        if let Some(names) = &self.names {
            options = options.with_names(names.clone());
        }
        if let Some(evidence) = &self.evidence {
            options = options.with_evidence(evidence.clone());
        }
        if let Some(dialect) = self.dialect {
            options = options.with_dialect(dialect);
        }
        if self.is_double && self.dialect.is_none() {
            options = options.with_double_reals();
        }
        if let Some(transport) = self.transport {
            options = options.with_transport(transport);
        }
        if self.is_measuring {
            options = options.with_measures();
        }
        let file = BufReader::new(File::open(&self.path).map_err(Failure::Io)?);
        let packets = PacketReader::new(Decompressor::new(file));
        let follower = Follower::with_options(options);
        Ok(Reader { packets, follower, damage: None, is_finished: false })
    }

    /// Passes all events to a function, while other threads run. Ctrl-C ends it.
    fn each(&self, py: Python<'_>, mut take: impl FnMut(&Event<'_>) + Send) -> PyResult<Reader> {
        let mut reader = self.open(py)?;
        while !reader.is_finished {
            let read =
                py.detach(|| (0..PACKETS).try_for_each(|_| reader.step(&mut take).map(drop)));
            read.map_err(|failure| failure.raise(py, &self.name))?;
            py.check_signals()?;
        }
        Ok(reader)
    }
}

struct Reader {
    packets: PacketReader<Decompressor<BufReader<File>>>,
    follower: Follower<'static>,
    /// The error at which a compressed capture ended early.
    damage: Option<compression::Error>,
    is_finished: bool,
}

impl Reader {
    /// Passes the events of the next packet to a function. Returns false after the last.
    fn step(&mut self, mut take: impl FnMut(&Event<'_>)) -> Result<bool, Failure> {
        if self.is_finished {
            return Ok(false);
        }
        match self.packets.next_packet() {
            Ok(Some(packet)) => {
                self.follower.packet(&packet).for_each(|event| take(&event));
                return Ok(true);
            }
            Ok(None) => {}
            // A file whose first header is wrong is another file. Other damage ends the capture.
            Err(ReadError::Damaged(error)) if error.frame.is_some() => take(&Event::Damaged(error)),
            Err(error) => {
                self.is_finished = true;
                self.damage = Some(compressed_damage(error)?);
            }
        }
        self.is_finished = true;
        self.follower.finish().for_each(|event| take(&event));
        Ok(false)
    }
}

/// The damage in compressed data that ends a capture. Everything else is a failure.
fn compressed_damage(error: ReadError) -> Result<compression::Error, Failure> {
    match error {
        ReadError::Io(error) => error.downcast().map_err(Failure::Io),
        error => Err(error.into()),
    }
}

/// The lines of `gdwire decode --format ndjson`, as bytes of JSON.
#[pyclass(frozen, module = "gdwire")]
pub struct Lines {
    source: Source,
    values: Spelling,
    has_losses: bool,
    state: Mutex<LinesState>,
}

struct LinesState {
    reader: Reader,
    lines: VecDeque<Vec<u8>>,
    failure: Option<Failure>,
}

impl LinesState {
    /// Reads on until there are lines, the file ends, or Python may interrupt.
    fn fill(&mut self, values: Spelling, has_losses: bool) {
        for _ in 0..PACKETS {
            let lines = &mut self.lines;
            let step = self.reader.step(|event| {
                let is_line = match event {
                    Event::Message(_) => true,
                    Event::Lost(_) | Event::Damaged(_) => has_losses,
                    _ => false,
                };
                if is_line {
                    let mut line = JsonLine::new(values);
                    // Writing to memory does not fail.
                    if line.event(event).is_ok() {
                        lines.push_back(line.finish());
                    }
                }
            });
            match step {
                Ok(true) if self.lines.is_empty() => {}
                Ok(_) => {
                    let damage = self.reader.damage.take().filter(|_| has_losses);
                    self.lines.extend(damage.and_then(|damage| {
                        let mut line = JsonLine::new(values);
                        line.damaged(None, damage.decompressed, damage).ok()?;
                        Some(line.finish())
                    }));
                    return;
                }
                Err(failure) => {
                    self.failure = Some(failure);
                    return;
                }
            }
        }
    }
}

#[pymethods]
impl Lines {
    fn __iter__(slf: Bound<'_, Lines>) -> Bound<'_, Lines> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        loop {
            let (next, is_finished) = py.detach(|| {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                if state.lines.is_empty() {
                    state.fill(self.values, self.has_losses);
                }
                let next = state.lines.pop_front().map(Ok);
                let next = next.or_else(|| state.failure.take().map(Err));
                (next, state.reader.is_finished)
            });
            match next {
                Some(Ok(line)) => return Ok(Some(PyBytes::new(py, &line))),
                Some(Err(failure)) => return Err(failure.raise(py, &self.source.name)),
                None if is_finished => return Ok(None),
                None => py.check_signals()?,
            }
        }
    }
}

/// Reads the messages of a capture.
#[pyfunction]
pub fn lines(
    py: Python<'_>,
    options: CaptureOptions,
    native: bool,
    losses: bool,
) -> PyResult<Lines> {
    let source = options.source(py, false)?;
    let reader = source.open(py)?;
    let values = if native { Spelling::Native } else { Spelling::Plain };
    let state = LinesState { reader, lines: VecDeque::new(), failure: None };
    Ok(Lines { source, values, has_losses: losses, state: Mutex::new(state) })
}

/// Counts what a capture contains, as JSON.
#[pyfunction]
pub fn stats<'py>(
    py: Python<'py>,
    options: CaptureOptions,
    interval: Option<f64>,
) -> PyResult<Bound<'py, PyBytes>> {
    let source = options.source(py, true)?;
    let mut stats = Stats::new();
    if let Some(seconds) = interval {
        let length = Duration::try_from_secs_f64(seconds).ok().filter(|length| !length.is_zero());
        let wrong = || {
            PyValueError::new_err(format!("{seconds} is not the length of an interval in seconds"))
        };
        stats = stats.with_intervals(length.ok_or_else(wrong)?);
    }
    if source.each(py, |event| stats.event(event))?.damage.is_some() {
        stats.error("damaged file");
    }
    let mut json = Vec::new();
    stats.write_json(&source.name, &mut json)?;
    Ok(PyBytes::new(py, &json))
}

/// Finds what is wrong in a capture, as JSON.
#[pyfunction]
pub fn diagnose<'py>(py: Python<'py>, options: CaptureOptions) -> PyResult<Bound<'py, PyBytes>> {
    let source = options.source(py, true)?;
    let mut diagnosis = Diagnosis::new();
    source.each(py, |event| diagnosis.event(event))?;
    let mut json = Vec::new();
    diagnosis.write_json(&source.name, &mut json)?;
    Ok(PyBytes::new(py, &json))
}

/// A table of a capture. Everything that takes Arrow streams reads it.
#[pyclass(frozen, module = "gdwire")]
pub struct CaptureTable {
    source: Source,
    table: Table,
    columns: Option<Vec<String>>,
}

impl CaptureTable {
    fn rows(&self) -> PyResult<Rows> {
        let mut rows = Rows::new();
        if let Some(columns) = &self.columns {
            let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
            let selected = rows.with_columns(self.table, &columns);
            rows = selected.map_err(|error| PyValueError::new_err(error.to_string()))?;
        }
        rows.begin(&self.source.name);
        Ok(rows)
    }
}

#[pymethods]
impl CaptureTable {
    /// The rows as a stream of Arrow. Each call reads the file again.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Consumers that want other types cast the columns themselves, as the interface allows.
        drop(requested_schema);
        let rows = self.rows()?;
        let reader = self.source.open(py)?;
        let (name, table) = (self.source.name.clone(), self.table);
        let thread = thread::current().id();
        let batches = Batches { reader, rows, table, name, thread, is_finished: false };
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> PyResult<Vec<String>> {
        let rows = self.rows()?;
        Ok(rows.schema(self.table).fields().iter().map(|field| field.name().clone()).collect())
    }

    fn __repr__(&self) -> String {
        format!("<{} of {}>", self.table.name(), self.source.name)
    }
}

/// The rows of a table, in parts.
struct Batches {
    reader: Reader,
    rows: Rows,
    table: Table,
    name: String,
    /// The thread that asked for the stream. Only this one may wait for Python: another may be one
    /// that Python waits for.
    thread: ThreadId,
    is_finished: bool,
}

impl Batches {
    /// Whether Ctrl-C was pressed.
    fn is_interrupted(&self) -> bool {
        let is_raised = |py: Python<'_>| py.check_signals().is_err();
        thread::current().id() == self.thread && Python::try_attach(is_raised) == Some(true)
    }

    /// Reads packets until the rows are enough for a part, or the capture ends.
    fn fill(&mut self) -> Result<(), String> {
        let mut packets = 0_usize;
        while self.rows.heap_bytes() < ROW_BYTES {
            if packets.is_multiple_of(PACKETS) && self.is_interrupted() {
                return Err("reading was interrupted".to_owned());
            }
            packets += 1;
            let rows = &mut self.rows;
            match self.reader.step(|event| rows.event(event)) {
                Ok(true) => {}
                Ok(false) => {
                    self.is_finished = true;
                    if let Some(damage) = &self.reader.damage {
                        rows.damaged(None, damage.decompressed, damage);
                    }
                    break;
                }
                Err(Failure::Io(error)) => return Err(error.to_string()),
                Err(Failure::Capture(error)) => return Err(error.to_string()),
            }
        }
        Ok(())
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_finished {
            return None;
        }
        if let Err(problem) = self.fill() {
            self.is_finished = true;
            let problem = format!("{}: {problem}", self.name);
            return Some(Err(ArrowError::ExternalError(problem.into())));
        }
        for other in Table::ALL.iter().filter(|other| **other != self.table) {
            // Rows of the other tables are not wanted.
            if let Err(error) = self.rows.take(*other) {
                return Some(Err(error));
            }
        }
        Some(self.rows.take(self.table))
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        let schema = self.rows.schema(self.table);
        Arc::new(Schema::clone(schema))
    }
}

/// Reads a table of a capture.
#[pyfunction]
pub fn read(
    py: Python<'_>,
    options: CaptureOptions,
    table: &str,
    columns: Option<Vec<String>>,
) -> PyResult<CaptureTable> {
    let found = Table::ALL.iter().copied().find(|candidate| candidate.name() == table);
    let table = found.ok_or_else(|| {
        let names: Vec<&str> = Table::ALL.iter().map(|table| table.name()).collect();
        PyValueError::new_err(format!(
            "no table is called {table:?}; there are {}",
            names.join(", ")
        ))
    })?;
    let source = options.source(py, true)?;
    // Fails early if the file cannot be opened, or a column does not exist.
    if source.can_be_repeated() {
        source.open(py)?;
    }
    let table = CaptureTable { source, table, columns };
    table.rows()?;
    Ok(table)
}
