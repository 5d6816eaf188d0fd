//! From Python objects to bytes.

use crate::errors::encode_error;
use crate::packed::{NumberType, PackedArray};
use crate::types::{Types, components};
use gdwire::encode::{Builder, Encode};
use gdwire::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D, Vector2,
    Vector3, Vector4,
};
use gdwire::owned::{RealArray, RealValue};
use gdwire::view::{ElementTypeRef, segment};
use gdwire::{
    Dialect, ElementType, EncodeError, F32Le, F64Le, I32Le, I64Le, Kind, NodePath, Variant,
};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyMemoryView, PyString, PyTuple,
};
use std::ptr;

/// Writes one value.
pub fn encode(py: Python<'_>, dialect: Dialect, value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let builder = Builder::new(dialect, Vec::with_capacity(256));
    let mut writer = Writer { types: Types::get(py)?, builder, path: Vec::new() };
    let written = writer.value(value);
    let Writer { builder, mut path, .. } = writer;
    let finished = match written {
        Ok(()) => builder.finish().map_err(Failure::Encode),
        Err(failure) => Err(failure),
    };
    finished.map_err(|failure| {
        path.reverse();
        let path: String = path.iter().flat_map(|part| ["/", part]).collect();
        match failure {
            Failure::Encode(error) => encode_error(py, &error.problem().to_string(), &path),
            Failure::Python(error) if error.is_instance_of::<PyOverflowError>(py) => {
                encode_error(py, "the number does not fit its type", &path)
            }
            Failure::Python(error)
                if error.is_instance_of::<PyTypeError>(py)
                    || error.is_instance_of::<PyValueError>(py) =>
            {
                encode_error(py, &error.value(py).to_string(), &path)
            }
            Failure::Python(error) => error,
        }
    })
}

enum Failure {
    Encode(EncodeError),
    Python(PyErr),
}

impl From<EncodeError> for Failure {
    fn from(error: EncodeError) -> Failure {
        Failure::Encode(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Failure {
        Failure::Python(error)
    }
}

type Written = Result<(), Failure>;

struct Writer {
    types: &'static Types,
    builder: Builder<Vec<u8>>,
    /// After an error: the place of the value, from the innermost container on.
    path: Vec<String>,
}

impl Writer {
    fn value(&mut self, value: &Bound<'_, PyAny>) -> Written {
        // SAFETY: the object is alive, and every object has a type.
        let class = unsafe { ffi::Py_TYPE(value.as_ptr()) };
        // The most common types, by identity.
        if let Ok(text) = value.cast_exact::<PyString>() {
            return Ok(self.builder.string(text.to_str()?)?);
        }
        if let Ok(number) = value.cast_exact::<PyInt>() {
            return Ok(self.builder.int(int(number)?)?);
        }
        if let Ok(number) = value.cast_exact::<PyFloat>() {
            return Ok(self.builder.float(number.value())?);
        }
        if let Ok(dict) = value.cast_exact::<PyDict>() {
            return self.dict(dict);
        }
        if let Ok(list) = value.cast_exact::<PyList>() {
            return self.elements(list.len(), list.iter());
        }
        if value.is_none() {
            return Ok(self.builder.nil()?);
        }
        if let Ok(value) = value.cast_exact::<PyBool>() {
            return Ok(self.builder.bool(value.is_true())?);
        }
        if let Some(kind) = self.types.kind_of(class) {
            return self.of_kind(kind, value);
        }
        if class.cast() == self.types.object_id.as_ptr() {
            return Ok(self.builder.object_id(value.getattr("id")?.extract()?)?);
        }
        if let Ok(array) = value.cast::<PackedArray>() {
            return self.packed(value.py(), array.get());
        }
        self.other(value)
    }

    /// A value of a class that is not ours.
    fn other(&mut self, value: &Bound<'_, PyAny>) -> Written {
        if let Ok(tuple) = value.cast::<PyTuple>() {
            return self.elements(tuple.len(), tuple.iter());
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Ok(self.builder.byte_array(bytes.as_bytes())?);
        }
        if value.is_instance_of::<PyByteArray>() || value.is_instance_of::<PyMemoryView>() {
            let array = PackedArray::create(value.py(), "PackedByteArray", value, false)?;
            return self.packed(value.py(), &array);
        }
        // Subclasses, such as those of enum and of NumPy.
        if let Ok(dict) = value.cast::<PyDict>() {
            return self.dict(dict);
        }
        if let Ok(list) = value.cast::<PyList>() {
            return self.elements(list.len(), list.iter());
        }
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(self.builder.string(text.to_str()?)?);
        }
        if let Ok(number) = value.cast::<PyFloat>() {
            return Ok(self.builder.float(number.value())?);
        }
        let is_index = value.hasattr("__index__")? && !value.hasattr("__len__")?;
        if is_index || value.is_instance_of::<PyInt>() {
            return Ok(self.builder.int(int(value)?)?);
        }
        let class = value.get_type().fully_qualified_name()?.to_string();
        // No base class says that NumPy's bool is one.
        if matches!(class.as_str(), "numpy.bool" | "numpy.bool_") {
            return Ok(self.builder.bool(value.is_truthy()?)?);
        }
        // NumPy's float32, for example. A fraction may be more than a float can hold.
        let real = value.py().import("numbers")?.getattr("Real")?;
        if value.is_instance(&real)?
            && let Ok(number) = value.extract::<f64>()
            && (number.is_nan() || value.eq(number)?)
        {
            return Ok(self.builder.float(number)?);
        }
        let advice = match class.as_str() {
            "numpy.ndarray" => "; name its kind, as in PackedArray(\"PackedVector3Array\", array)",
            _ => "",
        };
        Err(PyTypeError::new_err(format!("no Variant corresponds to the type {class}{advice}"))
            .into())
    }

    fn dict(&mut self, dict: &Bound<'_, PyDict>) -> Written {
        self.builder.begin_dictionary(dict.len())?;
        let (mut at, mut key, mut value) = (0, ptr::null_mut(), ptr::null_mut());
        // Not pyo3's iterator: it panics if the code of a value in the dictionary changes it meanwhile. Then
        // the number of entries is not the announced one, which the builder says.
        // SAFETY: the dictionary is alive; what it lends is alive until other code runs, and is owned before.
        while unsafe { ffi::PyDict_Next(dict.as_ptr(), &mut at, &mut key, &mut value) } != 0 {
            let [key, value] =
                [key, value].map(|it| unsafe { Bound::from_borrowed_ptr(dict.py(), it) });
            self.entry(&key, &value)?;
        }
        Ok(self.builder.end()?)
    }

    fn entry(&mut self, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> Written {
        let written = match self.value(key) {
            Ok(()) => self.value(value),
            failed => failed,
        };
        written.inspect_err(|_| {
            let key = key.str().map(|key| key.to_string()).unwrap_or_default();
            self.path.push(segment(&key.chars().take(40).collect::<String>()).to_string());
        })
    }

    fn elements<'py>(
        &mut self,
        len: usize,
        elements: impl Iterator<Item = Bound<'py, PyAny>>,
    ) -> Written {
        self.builder.begin_array(len)?;
        self.items(elements)?;
        Ok(self.builder.end()?)
    }

    fn items<'py>(&mut self, elements: impl Iterator<Item = Bound<'py, PyAny>>) -> Written {
        for (place, element) in elements.enumerate() {
            if let Err(failure) = self.value(&element) {
                self.path.push(place.to_string());
                return Err(failure);
            }
        }
        Ok(())
    }

    fn of_kind(&mut self, kind: Kind, value: &Bound<'_, PyAny>) -> Written {
        match kind {
            Kind::StringName => {
                let text = value.cast::<PyString>().map_err(PyErr::from)?;
                Ok(self.builder.string_name(text.to_str()?)?)
            }
            Kind::NodePath => {
                let parts = "a NodePath is made of tuples of names, such as (\"Main\", \"World\")";
                let (names, subnames, is_absolute) = extract(value, parts)?;
                let path = NodePath { names, subnames, is_absolute };
                Ok(Variant::NodePath(Box::new(path)).encode(&mut self.builder)?)
            }
            Kind::Rid => Ok(self.builder.rid(value.getattr("id")?.extract()?)?),
            Kind::Callable => Ok(self.builder.callable()?),
            Kind::Signal => {
                let (name, id): (String, u64) = value.extract()?;
                Ok(self.builder.signal(&name, id)?)
            }
            Kind::Object => {
                let class: String = value.getattr("class_name")?.extract()?;
                let properties: Vec<(String, Bound<'_, PyAny>)> = extract(
                    &value.getattr("properties")?,
                    "the properties of an Object are pairs of a name and a value",
                )?;
                self.builder.begin_object(&class, properties.len())?;
                for (name, value) in &properties {
                    self.builder.property(name)?;
                    self.value(value).inspect_err(|_| self.path.push(segment(name).to_string()))?;
                }
                Ok(self.builder.end()?)
            }
            Kind::Dictionary => {
                let entries = value.getattr("entries")?;
                let entries = entries.cast::<PyList>().map_err(PyErr::from)?;
                let keys = element_type(&value.getattr("key_type")?)?;
                let values = element_type(&value.getattr("value_type")?)?;
                self.builder.begin_dictionary_of(keys.as_ref(), values.as_ref(), entries.len())?;
                for entry in entries {
                    let pairs = "the entries of a Dictionary are pairs of a key and a value";
                    let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
                        extract(&entry, pairs)?;
                    self.entry(&key, &value)?;
                }
                Ok(self.builder.end()?)
            }
            Kind::Array => {
                let list = value.cast::<PyList>().map_err(PyErr::from)?;
                let name: String = value.getattr("kind")?.extract()?;
                let kind = Kind::from_name(&name).filter(|kind| {
                    matches!(kind, Kind::Array | Kind::TypedArray | Kind::PackedTypedArray)
                });
                let kind = kind.ok_or_else(|| {
                    PyValueError::new_err(format!("no kind of array is called {name:?}"))
                })?;
                let of = element_type(&value.getattr("element_type")?)?;
                let of: ElementTypeRef<'_> = of.as_ref();
                self.builder.begin_array_of(kind, of, list.len())?;
                self.items(list.iter())?;
                Ok(self.builder.end()?)
            }
            Kind::PackedStringArray => {
                let texts: Vec<String> = value.extract()?;
                Ok(self.builder.string_array(&texts)?)
            }
            _ => self.math(kind, value),
        }
    }

    fn math(&mut self, kind: Kind, value: &Bound<'_, PyAny>) -> Written {
        let (mut numbers, mut count) = ([0.0; 16], 0);
        flatten(value, &mut numbers, &mut count, 4)?;
        let needed = components(kind).unwrap_or(0);
        if count != needed {
            let message = format!("{} has {needed} numbers, not {count}", kind.name());
            return Err(PyValueError::new_err(message).into());
        }
        let reals = numbers.get(..needed).unwrap_or(&[]);
        let whole = |number: &f64| -> PyResult<i32> {
            let whole = *number as i32;
            match f64::from(whole) == *number {
                true => Ok(whole),
                false => Err(PyValueError::new_err(format!(
                    "{} takes 32-bit integers, not {number}",
                    kind.name()
                ))),
            }
        };
        macro_rules! variants {
            ($($real:ident)* | $($boxed:ident)* | $($integer:ident $type:ident)*) => {
                match kind {
                    $(Kind::$real => Variant::$real(RealValue::decimal(*bytemuck::from_bytes::<$real<f64>>(bytemuck::cast_slice(reals)))),)*
                    $(Kind::$boxed => Variant::$boxed(Box::new(RealValue::decimal(
                        *bytemuck::from_bytes::<$boxed<f64>>(bytemuck::cast_slice(reals)),
                    ))),)*
                    $(Kind::$integer => {
                        let numbers: Vec<i32> = reals.iter().map(whole).collect::<PyResult<_>>()?;
                        Variant::$integer(*bytemuck::from_bytes::<$type<i32>>(bytemuck::cast_slice(&numbers)))
                    })*
                    _ => Variant::Nil,
                }
            };
        }
        let variant = variants! {
            Vector2 Vector3 Vector4 Rect2 Plane Quaternion Color
            | Transform2D Aabb Basis Transform3D Projection
            | Vector2i Vector2 Vector3i Vector3 Vector4i Vector4 Rect2i Rect2
        };
        Ok(variant.encode(&mut self.builder)?)
    }

    fn packed(&mut self, py: Python<'_>, array: &PackedArray) -> Written {
        let numbers = array.numbers(py);
        macro_rules! arrays {
            ($($real:ident $type:ident $method:ident)* | $($plain:ident $cell:ty, $plain_method:ident)*) => {
                match array.kind {
                    $(Kind::$real if array.cell == NumberType::F64 => {
                        let wide: &[$type<F64Le>] = bytemuck::cast_slice(numbers);
                        let wide = wide.iter().map(|value| value.to::<f64>()).collect();
                        let reals = if array.was_wide { RealArray::double(wide) } else { RealArray::decimal(wide) };
                        Variant::$real(reals).encode(&mut self.builder)?;
                    }
                    Kind::$real => self.builder.$method::<F32Le>(bytemuck::cast_slice(numbers))?,)*
                    $(Kind::$plain => self.builder.$plain_method(bytemuck::cast_slice::<_, $cell>(numbers))?,)*
                    _ => self.builder.byte_array(numbers)?,
                }
            };
        }
        arrays! {
            PackedVector2Array Vector2 vector2_array
            PackedVector3Array Vector3 vector3_array
            PackedVector4Array Vector4 vector4_array
            PackedColorArray Color color_array
            | PackedInt32Array I32Le, int32_array
            PackedInt64Array I64Le, int64_array
            PackedFloat32Array F32Le, float32_array
            PackedFloat64Array F64Le, float64_array
            PackedVector2iArray Vector2<I32Le>, vector2i_array
            PackedVector3iArray Vector3<I32Le>, vector3i_array
            PackedVector4iArray Vector4<I32Le>, vector4i_array
        }
        Ok(())
    }
}

/// An int of Python, of any size, as an int of the engines.
fn int(number: &Bound<'_, PyAny>) -> PyResult<i64> {
    number.extract().map_err(|error: PyErr| {
        match error.is_instance_of::<PyOverflowError>(number.py()) {
            true => PyValueError::new_err("an int has 64 bits: it is from -2**63 to 2**63 - 1"),
            false => error,
        }
    })
}

/// The parts of an object; if it has others, the error says what it should have.
fn extract<'py, T: FromPyObjectOwned<'py>>(
    value: &Bound<'py, PyAny>,
    parts: &'static str,
) -> PyResult<T> {
    value.extract().map_err(|_| PyTypeError::new_err(parts))
}

/// Collects the numbers of a vector, a matrix and the like.
fn flatten(
    value: &Bound<'_, PyAny>,
    numbers: &mut [f64; 16],
    count: &mut usize,
    depth: u8,
) -> PyResult<()> {
    match value.cast::<PyTuple>() {
        Ok(tuple) if depth > 0 => {
            tuple.iter().try_for_each(|item| flatten(&item, numbers, count, depth - 1))
        }
        _ => {
            let number = value.extract()?;
            match numbers.get_mut(*count) {
                Some(place) => *place = number,
                None => return Err(PyValueError::new_err("too many numbers")),
            }
            *count += 1;
            Ok(())
        }
    }
}

fn element_type(of: &Bound<'_, PyAny>) -> PyResult<ElementType> {
    if of.is_none() {
        return Ok(ElementType::Any);
    }
    let (form, name): (String, String) = of.extract()?;
    match form.as_str() {
        "class" => Ok(ElementType::Class(name)),
        "script" => Ok(ElementType::Script(name)),
        "kind" => match Kind::from_name(&name) {
            Some(kind) => Ok(ElementType::Kind(kind)),
            None => Err(PyValueError::new_err(format!("no kind is called {name:?}"))),
        },
        _ => Err(PyValueError::new_err(format!(
            "the form of an element type is not {form:?}, but kind, class or script"
        ))),
    }
}
