//! gdwire for Python: values, captures and tables. The crate `gdwire` does the work.

mod cache;
mod capture;
mod decode;
mod encode;
mod errors;
mod items;
mod locked;
mod objects;
mod packed;
mod shapes;
mod types;

use errors::{decode_error, encode_error};
use gdwire::{Dialect, ReadOptions, json, parse};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

/// The dialect of this name.
fn dialect_of(name: &str, is_double: bool) -> PyResult<Dialect> {
    let dialect = Dialect::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
        PyValueError::new_err(format!(
            "no dialect is called {name:?}; there are {}",
            names.join(", ")
        ))
    })?;
    Ok(if is_double { dialect.with_double_reals() } else { dialect })
}

/// The input as an object that does not change.
fn bytes_of<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(bytes) = data.cast_exact::<PyBytes>() {
        return Ok(bytes.clone());
    }
    let view = data.py().import("builtins")?.getattr("memoryview")?.call1((data,))?;
    Ok(view.call_method0("tobytes")?.cast_into::<PyBytes>()?)
}

/// Reads one value from bytes. Raises DecodeError.
///
/// `dialect` is one of `DIALECTS`. `double` is for engines that were built with double precision. `max_depth` is
/// how many containers may be nested.
#[pyfunction]
#[pyo3(signature = (data, dialect = "godot4", *, double = false, max_depth = None))]
fn loads<'py>(
    data: &Bound<'py, PyAny>,
    dialect: &str,
    double: bool,
    max_depth: Option<u16>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut options = ReadOptions::new(dialect_of(dialect, double)?);
    if let Some(depth) = max_depth {
        options = options.with_max_depth(depth);
    }
    decode::decode(data.py(), options, &bytes_of(data)?)
}

/// Writes one value as bytes, as an engine of the dialect writes it. Raises EncodeError.
///
/// `dialect` is one of `DIALECTS`. `double` is for engines that were built with double precision.
#[pyfunction]
#[pyo3(signature = (value, dialect = "godot4", *, double = false))]
fn dumps<'py>(
    value: &Bound<'py, PyAny>,
    dialect: &str,
    double: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = value.py();
    Ok(PyBytes::new(py, &encode::encode(py, dialect_of(dialect, double)?, value)?))
}

/// Spells the value in bytes as JSON: lossless as Godot 4's JSON.from_native, or plain.
#[pyfunction]
#[pyo3(signature = (data, dialect = "godot4", *, double = false, native = true))]
fn to_json(data: &Bound<'_, PyAny>, dialect: &str, double: bool, native: bool) -> PyResult<String> {
    let (py, dialect, bytes) = (data.py(), dialect_of(dialect, double)?, bytes_of(data)?);
    let bytes = bytes.as_bytes();
    let spelled = py.detach(|| {
        parse(dialect, bytes)
            .map(|value| if native { json::to_string(value) } else { json::to_plain_string(value) })
    });
    spelled.map_err(|error| decode_error(py, &error, ""))
}

/// Writes the value that native JSON spells as bytes.
#[pyfunction]
#[pyo3(signature = (text, dialect = "godot4", *, double = false))]
fn from_json<'py>(
    py: Python<'py>,
    text: &str,
    dialect: &str,
    double: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let dialect = dialect_of(dialect, double)?;
    let written =
        py.detach(|| json::parse_for(dialect, text).map(|value| gdwire::encode(dialect, &value)));
    let bytes = written.map_err(|error| encode_error(py, &error.to_string(), ""))?;
    let bytes =
        bytes.map_err(|error| encode_error(py, &error.problem().to_string(), error.path()))?;
    Ok(PyBytes::new(py, &bytes))
}

#[pymodule]
fn _gdwire(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    let dialects: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
    module.add("DIALECTS", PyTuple::new(module.py(), dialects)?)?;
    module.add_class::<packed::PackedArray>()?;
    module.add_class::<capture::CaptureTable>()?;
    module.add_class::<capture::Lines>()?;
    module.add_function(wrap_pyfunction!(loads, module)?)?;
    module.add_function(wrap_pyfunction!(dumps, module)?)?;
    module.add_function(wrap_pyfunction!(to_json, module)?)?;
    module.add_function(wrap_pyfunction!(from_json, module)?)?;
    module.add_function(wrap_pyfunction!(capture::lines, module)?)?;
    module.add_function(wrap_pyfunction!(capture::stats, module)?)?;
    module.add_function(wrap_pyfunction!(capture::diagnose, module)?)?;
    module.add_function(wrap_pyfunction!(capture::read, module)?)
}
