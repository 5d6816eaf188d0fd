//! Packed arrays: numbers in the bytes that were decoded, lent through the buffer protocol.

use crate::types::Types;
use gdwire::{Kind, VariantRef};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyIndexError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyIterator, PyList, PyMemoryView, PySlice};
use std::ffi::{CStr, c_int};
use std::ptr;

/// The type of the numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NumberType {
    Byte,
    I32,
    I64,
    F32,
    F64,
}

impl NumberType {
    const fn size(self) -> usize {
        match self {
            NumberType::Byte => 1,
            NumberType::I32 | NumberType::F32 => 4,
            NumberType::I64 | NumberType::F64 => 8,
        }
    }

    /// The format in Python's module `struct`.
    const fn format(self) -> &'static CStr {
        match self {
            NumberType::Byte => c"B",
            NumberType::I32 => c"<i",
            NumberType::I64 => c"<q",
            NumberType::F32 => c"<f",
            NumberType::F64 => c"<d",
        }
    }
}

/// The numbers of a packed array: their type, if its reals have four bytes, and how many numbers each
/// element has.
fn cells(kind: Kind) -> Option<(NumberType, usize, Option<Kind>)> {
    Some(match kind {
        Kind::PackedByteArray => (NumberType::Byte, 1, None),
        Kind::PackedInt32Array => (NumberType::I32, 1, None),
        Kind::PackedInt64Array => (NumberType::I64, 1, None),
        Kind::PackedFloat32Array => (NumberType::F32, 1, None),
        Kind::PackedFloat64Array => (NumberType::F64, 1, None),
        Kind::PackedVector2Array => (NumberType::F32, 2, Some(Kind::Vector2)),
        Kind::PackedVector2iArray => (NumberType::I32, 2, Some(Kind::Vector2i)),
        Kind::PackedVector3Array => (NumberType::F32, 3, Some(Kind::Vector3)),
        Kind::PackedVector3iArray => (NumberType::I32, 3, Some(Kind::Vector3i)),
        Kind::PackedVector4Array => (NumberType::F32, 4, Some(Kind::Vector4)),
        Kind::PackedVector4iArray => (NumberType::I32, 4, Some(Kind::Vector4i)),
        Kind::PackedColorArray => (NumberType::F32, 4, Some(Kind::Color)),
        _ => return None,
    })
}

/// A packed array of numbers, vectors or colours. It lends its numbers without a copy:
/// `numpy.asarray(packed)` has one row for each vector.
///
/// `data` is an iterable of elements, an array of numbers, or bytes as on the wire. With `wide`, the numbers
/// of vectors have eight bytes each.
#[pyclass(frozen, module = "gdwire", sequence)]
pub struct PackedArray {
    bytes: Py<PyBytes>,
    start: usize,
    len: usize,
    pub kind: Kind,
    pub cell: NumberType,
    element: Option<Kind>,
    /// Whether the reals had eight bytes on the wire.
    pub was_wide: bool,
    /// How many elements there are, and how many numbers each has.
    shape: [ffi::Py_ssize_t; 2],
    strides: [ffi::Py_ssize_t; 2],
}

impl PackedArray {
    fn new(
        kind: Kind,
        bytes: Py<PyBytes>,
        start: usize,
        len: usize,
        cell: NumberType,
        was_wide: bool,
    ) -> PackedArray {
        let (_, each, element) = cells(kind).unwrap_or((cell, 1, None));
        let row = each * cell.size();
        let shape = [len / row, each].map(|count| count as ffi::Py_ssize_t);
        let strides = [row, cell.size()].map(|count| count as ffi::Py_ssize_t);
        PackedArray { bytes, start, len, kind, cell, element, was_wide, shape, strides }
    }

    /// The array that a view shows, which must be part of the input.
    pub fn of_view<'py>(
        py: Python<'py>,
        input: &Bound<'py, PyBytes>,
        value: VariantRef<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kind = value.kind();
        let Some((narrow, each, element)) = cells(kind) else {
            return Err(PyTypeError::new_err(format!("{kind} has no Python type")));
        };
        let is_wide = value.is_wide() && element.is_some() && narrow == NumberType::F32;
        let cell = if is_wide { NumberType::F64 } else { narrow };
        let bytes = value.as_bytes();
        let count = bytes.get(4..8).and_then(|count| count.first_chunk()).copied();
        let count = u32::from_le_bytes(count.unwrap_or_default()) as usize;
        let content = bytes.get(8..).unwrap_or(&[]);
        let len = (count * each * cell.size()).min(content.len());
        let start = (content.as_ptr() as usize).saturating_sub(input.as_bytes().as_ptr() as usize);
        let array = PackedArray::new(kind, input.clone().unbind(), start, len, cell, is_wide);
        Ok(Bound::new(py, array)?.into_any())
    }

    /// The numbers, as on the wire.
    pub fn numbers<'a>(&'a self, py: Python<'a>) -> &'a [u8] {
        self.bytes.as_bytes(py).get(self.start..self.start + self.len).unwrap_or(&[])
    }

    fn row(&self) -> usize {
        self.strides[0] as usize
    }

    /// The element of these bytes.
    fn element<'py>(&self, py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let numbers: Vec<_> = bytes
            .chunks_exact(self.cell.size())
            .map(|bytes| number(py, self.cell, bytes))
            .collect::<PyResult<_>>()?;
        match self.element {
            None => numbers.into_iter().next().ok_or_else(|| PyIndexError::new_err("empty")),
            Some(kind) => {
                let class = Types::get(py)?.of(kind);
                // SAFETY: every kind of vector has a class.
                let class = unsafe { Bound::from_borrowed_ptr(py, class) };
                class.call1(pyo3::types::PyTuple::new(py, numbers)?)
            }
        }
    }
}

fn number<'py>(py: Python<'py>, cell: NumberType, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let (four, eight) = (bytes.first_chunk(), bytes.first_chunk());
    let (four, eight) = (four.copied().unwrap_or_default(), eight.copied().unwrap_or_default());
    Ok(match cell {
        NumberType::Byte => bytes.first().copied().into_pyobject(py)?.into_any(),
        NumberType::I32 => i32::from_le_bytes(four).into_pyobject(py)?.into_any(),
        NumberType::I64 => i64::from_le_bytes(eight).into_pyobject(py)?.into_any(),
        NumberType::F32 => f64::from(f32::from_le_bytes(four)).into_pyobject(py)?.into_any(),
        NumberType::F64 => f64::from_le_bytes(eight).into_pyobject(py)?.into_any(),
    })
}

#[pymethods]
impl PackedArray {
    #[new]
    #[pyo3(signature = (kind, data, *, wide = false))]
    pub fn create(
        py: Python<'_>,
        kind: &str,
        data: &Bound<'_, PyAny>,
        wide: bool,
    ) -> PyResult<PackedArray> {
        let found = Kind::from_name(kind).and_then(|kind| Some((kind, cells(kind)?)));
        let Some((kind, (narrow, each, element))) = found else {
            return Err(PyValueError::new_err(format!(
                "no packed array of numbers is called {kind:?}"
            )));
        };
        let has_reals =
            narrow == NumberType::F32 && element.is_some() && kind != Kind::PackedColorArray;
        let mut cell = if wide && has_reals { NumberType::F64 } else { narrow };
        let bytes = match PyUntypedBuffer::get(data) {
            Ok(buffer) => {
                let format = buffer.format().to_bytes();
                let found =
                    match format.strip_prefix(b"<").or(format.strip_prefix(b"=")).unwrap_or(format)
                    {
                        b"B" | b"c" => Some(NumberType::Byte),
                        b"i" | b"l" if buffer.item_size() == 4 => Some(NumberType::I32),
                        b"q" | b"l" if buffer.item_size() == 8 => Some(NumberType::I64),
                        b"f" => Some(NumberType::F32),
                        b"d" => Some(NumberType::F64),
                        _ => None,
                    };
                // Bytes are the numbers as on the wire; an array of bytes is no array of other numbers.
                let is_raw =
                    [data.is_instance_of::<PyBytes>(), data.is_instance_of::<PyByteArray>()];
                let is_raw = is_raw.contains(&true) || data.is_instance_of::<PyMemoryView>();
                match found {
                    Some(NumberType::Byte) if is_raw => {}
                    Some(NumberType::F64) if has_reals => cell = NumberType::F64,
                    Some(found) if found == cell => {}
                    _ => {
                        let (need, found) =
                            (cell.format().to_string_lossy(), buffer.format().to_string_lossy());
                        let message =
                            format!("{kind} consists of numbers of the format {need}, not {found}");
                        return Err(PyTypeError::new_err(message));
                    }
                }
                if let [_, columns @ ..] = buffer.shape()
                    && !columns.is_empty()
                    && *columns != [each]
                {
                    let message =
                        format!("an element of {kind} has {each} numbers, not {columns:?}");
                    return Err(PyValueError::new_err(message));
                }
                let contiguous = py.import("builtins")?.getattr("memoryview")?.call1((data,))?;
                contiguous.call_method0("tobytes")?.cast_into::<PyBytes>()?
            }
            Err(_) => {
                let mut numbers = Vec::new();
                let mut reals = Vec::new();
                for item in data.try_iter()? {
                    let item = item?;
                    let parts = match element {
                        None => vec![item],
                        Some(_) => item.try_iter()?.collect::<PyResult<Vec<_>>>()?,
                    };
                    if parts.len() != each {
                        return Err(PyValueError::new_err(format!(
                            "an element of {kind} has {each} numbers"
                        )));
                    }
                    for part in parts {
                        match cell {
                            NumberType::Byte => numbers.extend(part.extract::<u8>()?.to_le_bytes()),
                            NumberType::I32 => numbers.extend(part.extract::<i32>()?.to_le_bytes()),
                            NumberType::I64 => numbers.extend(part.extract::<i64>()?.to_le_bytes()),
                            NumberType::F32 | NumberType::F64 => reals.push(part.extract::<f64>()?),
                        }
                    }
                }
                let is_exact =
                    |number: &f64| number.is_nan() || f64::from(*number as f32) == *number;
                if has_reals && !reals.iter().all(is_exact) {
                    cell = NumberType::F64;
                }
                let is_infinite = |real: &&f64| real.is_finite() && (**real as f32).is_infinite();
                if cell == NumberType::F32
                    && let Some(real) = reals.iter().find(is_infinite)
                {
                    return Err(PyValueError::new_err(format!(
                        "{real:e} becomes infinite in {kind}, whose numbers have four bytes"
                    )));
                }
                match cell {
                    NumberType::F32 => {
                        numbers.extend(reals.iter().flat_map(|real| (*real as f32).to_le_bytes()))
                    }
                    _ => numbers.extend(reals.iter().flat_map(|real| real.to_le_bytes())),
                }
                PyBytes::new(py, &numbers)
            }
        };
        let len = bytes.as_bytes().len();
        if len % (each * cell.size()) != 0 {
            return Err(PyValueError::new_err(format!(
                "{len} bytes are no whole number of elements of {kind}"
            )));
        }
        Ok(PackedArray::new(kind, bytes.unbind(), 0, len, cell, wide && cell == NumberType::F64))
    }

    /// The kind, such as "PackedVector3Array".
    #[getter]
    fn kind(&self) -> &'static str {
        self.kind.name()
    }

    fn __len__(&self) -> usize {
        self.shape[0] as usize
    }

    /// An element, or for a slice a list of elements.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if index.is_instance_of::<PySlice>() {
            return self.tolist(py)?.as_any().get_item(index);
        }
        let index: isize = index.extract()?;
        let len = self.shape[0];
        let index = if index < 0 { index + len } else { index };
        let row = usize::try_from(index).ok().filter(|_| index < len);
        let bytes =
            row.and_then(|row| self.numbers(py).get(row * self.row()..(row + 1) * self.row()));
        self.element(py, bytes.ok_or_else(|| PyIndexError::new_err("index out of range"))?)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.tolist(py)?.try_iter()
    }

    /// The place of the first element that is equal. Raises ValueError if there is none.
    #[pyo3(signature = (value, start = 0, stop = isize::MAX))]
    fn index<'py>(
        &self,
        py: Python<'py>,
        value: Bound<'py, PyAny>,
        start: isize,
        stop: isize,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.tolist(py)?.call_method1("index", (value, start, stop))
    }

    /// How many elements are equal.
    fn count<'py>(&self, py: Python<'py>, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.tolist(py)?.call_method1("count", (value,))
    }

    /// The elements as a list of numbers, vectors or colours.
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = self.numbers(py).chunks_exact(self.row());
        let elements: Vec<_> = rows.map(|row| self.element(py, row)).collect::<PyResult<_>>()?;
        PyList::new(py, elements)
    }

    /// The numbers as bytes, as they are sent.
    fn tobytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.numbers(py))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PackedArray>().is_ok_and(|other| {
            let other = other.get();
            other.kind == self.kind
                && other.cell == self.cell
                && other.numbers(py) == self.numbers(py)
        })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        const SHOWN: usize = 8;
        let rows = self.numbers(py).chunks_exact(self.row());
        let more = if rows.len() > SHOWN { ", ..." } else { "" };
        let shown: Vec<String> = rows
            .take(SHOWN)
            .map(|row| Ok(self.element(py, row)?.repr()?.to_string()))
            .collect::<PyResult<_>>()?;
        Ok(format!("PackedArray('{}', [{}{more}])", self.kind.name(), shown.join(", ")))
    }

    fn __reduce__<'py>(slf: &Bound<'py, PackedArray>) -> PyResult<Bound<'py, PyAny>> {
        let (py, array) = (slf.py(), slf.get());
        let make = py.import("gdwire")?.getattr("_packed")?;
        let arguments =
            (array.kind.name(), array.tobytes(py), array.cell == NumberType::F64, array.was_wide);
        Ok((make, arguments).into_pyobject(py)?.into_any())
    }

    /// # Safety
    ///
    /// Python calls it with a buffer to fill.
    unsafe fn __getbuffer__(
        slf: Bound<'_, PackedArray>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if view.is_null() || flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
            return Err(PyBufferError::new_err("a packed array cannot be written"));
        }
        let array = slf.get();
        let (py, has) = (slf.py(), |flag| flags & flag == flag);
        let has_shape = has(ffi::PyBUF_ND);
        // SAFETY: the buffer is writable for this call. The numbers that it points to belong to the
        // array, which does not change and is kept by `obj`.
        unsafe {
            (*view).buf = array.numbers(py).as_ptr().cast_mut().cast();
            (*view).len = array.len as ffi::Py_ssize_t;
            (*view).readonly = 1;
            (*view).itemsize =
                if has(ffi::PyBUF_FORMAT) || has_shape { array.cell.size() as isize } else { 1 };
            (*view).format = match has(ffi::PyBUF_FORMAT) {
                true => array.cell.format().as_ptr().cast_mut(),
                false => ptr::null_mut(),
            };
            (*view).ndim = match (has_shape, array.element) {
                (true, Some(_)) => 2,
                _ => 1,
            };
            (*view).shape =
                if has_shape { array.shape.as_ptr().cast_mut() } else { ptr::null_mut() };
            (*view).strides = match has(ffi::PyBUF_STRIDES) {
                true => array.strides.as_ptr().cast_mut(),
                false => ptr::null_mut(),
            };
            (*view).suboffsets = ptr::null_mut();
            (*view).internal = ptr::null_mut();
            (*view).obj = slf.into_any().into_ptr();
        }
        Ok(())
    }
}
