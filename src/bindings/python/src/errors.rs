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
    exception(py, "DecodeError", (located(&error.to_string(), path), error.offset, path))
}

pub fn encode_error(py: Python<'_>, problem: &str, path: &str) -> PyErr {
    exception(py, "EncodeError", (located(problem, path), path))
}

/// The text of an error with the place in the value. Of the path of a deeply nested one, for example in a list
/// that contains itself, both ends are shown.
fn located(problem: &str, path: &str) -> String {
    const OUTER: usize = 12;
    let steps: Vec<usize> = path.match_indices('/').map(|(at, _)| at).collect();
    match steps[..] {
        [] => problem.to_owned(),
        [.., inner, _, _, _] if steps.len() > OUTER + 4 => {
            format!("{}/…{}: {problem}", &path[..steps[OUTER]], &path[inner..])
        }
        _ => format!("{path}: {problem}"),
    }
}

pub fn capture_error(py: Python<'_>, file: &str, problem: &str, offset: Option<u64>) -> PyErr {
    exception(py, "CaptureError", (format!("{file}: {problem}"), file, offset))
}
