//! The exceptions of `gdwire/errors.py`.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Creates an exception of `gdwire.errors`. If that fails, the exception is the failure.
pub fn exception<'py>(
    py: Python<'py>,
    class: &str,
    arguments: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyErr {
    let arguments = arguments.into_pyobject(py);
    let made =
        py.import("gdwire.errors").and_then(|errors| errors.getattr(class)?.call1(arguments?));
    made.map_or_else(|error| error, PyErr::from_value)
}

pub fn decode_error(py: Python<'_>, error: &gdwire::Error, path: &str) -> PyErr {
    let message = match path {
        "" => error.to_string(),
        path => format!("{path}: {error}"),
    };
    exception(py, "DecodeError", (message, error.offset, path))
}

pub fn encode_error(py: Python<'_>, problem: &str, path: &str) -> PyErr {
    let message = match path {
        "" => problem.to_owned(),
        path => format!("{path}: {problem}"),
    };
    exception(py, "EncodeError", (message, path))
}

pub fn capture_error(py: Python<'_>, file: &str, problem: &str, offset: Option<u64>) -> PyErr {
    exception(py, "CaptureError", (format!("{file}: {problem}"), file, offset))
}
