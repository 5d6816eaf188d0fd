//! From a tape to bytes. The tape is that of `decode`, but its offsets are those in the shared heap,
//! and numbers of math values are on the tape itself, with eight bytes each.

use crate::{dialect, failure, shared};
use gdwire::encode::{Builder, Encode};
use gdwire::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D, Vector2,
    Vector3, Vector4,
};
use gdwire::owned::{RealArray, RealValue};
use gdwire::view::{ElementTypeRef, segment};
use gdwire::{EncodeError, F32Le, F64Le, I32Le, I64Le, Kind, NodePath, Variant};
use wasm_bindgen::prelude::*;

/// Writes the value on the tape of the shared words between two places. Its texts and arrays are among
/// the first bytes of the shared heap.
#[wasm_bindgen]
pub fn encode(number: u32, start: usize, end: usize, bytes: usize) -> Result<Vec<u8>, JsValue> {
    let written = shared(|shared| {
        let words = shared.words.get(start..end).unwrap_or(&[]);
        let bytes = shared.heap.get(..bytes).unwrap_or(&[]);
        // Texts and arrays are on the heap, and most other words become as many bytes as they have.
        let builder =
            Builder::new(dialect(number), Vec::with_capacity(bytes.len() + 4 * words.len()));
        let mut reader = Reader { words, bytes, builder, path: Vec::new() };
        let written = reader.value();
        let Reader { builder, mut path, .. } = reader;
        path.reverse();
        let path: String = path.iter().flat_map(|part| ["/", part]).collect();
        written.and_then(|()| builder.finish()).map_err(|error| (error, path))
    });
    written.map_err(|(error, path)| {
        let problem = error.problem();
        let message =
            if path.is_empty() { problem.to_string() } else { format!("{path}: {problem}") };
        failure(message, None, &path)
    })
}

type Written = Result<(), EncodeError>;

struct Reader<'t> {
    words: &'t [u32],
    bytes: &'t [u8],
    builder: Builder<Vec<u8>>,
    /// After an error: the place of the value, from the innermost container on.
    path: Vec<String>,
}

impl<'t> Reader<'t> {
    fn word(&mut self) -> u32 {
        let Some((word, rest)) = self.words.split_first() else { return 0 };
        self.words = rest;
        *word
    }

    fn wide(&mut self) -> u64 {
        u64::from(self.word()) | u64::from(self.word()) << 32
    }

    fn bytes(&mut self) -> &'t [u8] {
        let (start, len) = (self.word() as usize, self.word() as usize);
        self.bytes.get(start..start.saturating_add(len)).unwrap_or(&[])
    }

    fn text(&mut self) -> &'t str {
        str::from_utf8(self.bytes()).unwrap_or_default()
    }

    /// The kind and the flags at the front.
    fn kind(&mut self) -> (Kind, u32) {
        let word = self.word();
        (Kind::ALL.get(word as usize & 0xFF).copied().unwrap_or(Kind::Nil), word >> 8)
    }

    fn value(&mut self) -> Written {
        let (kind, flags) = self.kind();
        match kind {
            Kind::Nil => self.builder.nil(),
            Kind::Bool => {
                let value = self.word() != 0;
                self.builder.bool(value)
            }
            Kind::Int => {
                let value = self.wide() as i64;
                self.builder.int(value)
            }
            Kind::Float => {
                let value = f64::from_bits(self.wide());
                self.builder.float(value)
            }
            Kind::String => {
                let text = self.text();
                self.builder.string(text)
            }
            Kind::StringName => {
                let text = self.text();
                self.builder.string_name(text)
            }
            Kind::NodePath => {
                let is_absolute = self.word() != 0;
                let (names, subnames) = (self.word(), self.word());
                let names = (0..names).map(|_| self.text().to_owned()).collect();
                let subnames = (0..subnames).map(|_| self.text().to_owned()).collect();
                let path = NodePath { names, subnames, is_absolute };
                Variant::NodePath(Box::new(path)).encode(&mut self.builder)
            }
            Kind::Rid => {
                let id = self.wide();
                self.builder.rid(id)
            }
            Kind::Callable => self.builder.callable(),
            Kind::Signal => {
                let name = self.text();
                let id = self.wide();
                self.builder.signal(name, id)
            }
            Kind::Object => self.object(flags),
            Kind::Dictionary => {
                let count = self.word();
                let types = self.element_types(flags);
                self.builder.begin_dictionary_of(types[0], types[1], count as usize)?;
                for place in 0..count {
                    let key = self.key(place);
                    let written = self.value().and_then(|()| self.value());
                    written.inspect_err(|_| self.path.push(key()))?;
                }
                self.builder.end()
            }
            Kind::Array | Kind::TypedArray | Kind::PackedTypedArray => {
                let count = self.word();
                let types = self.element_types(flags);
                self.builder.begin_array_of(kind, types[0], count as usize)?;
                for place in 0..count {
                    self.value().inspect_err(|_| self.path.push(place.to_string()))?;
                }
                self.builder.end()
            }
            Kind::PackedStringArray => {
                let count = self.word();
                let texts: Vec<&str> = (0..count).map(|_| self.text()).collect();
                self.builder.string_array(&texts)
            }
            _ => self.numbers(kind, flags),
        }
    }

    fn object(&mut self, flags: u32) -> Written {
        match flags {
            0 => {
                self.builder.begin_object("", 0)?;
                self.builder.end()
            }
            1 => {
                let id = self.wide();
                self.builder.object_id(id)
            }
            _ => {
                let count = self.word();
                let class = self.text();
                self.builder.begin_object(class, count as usize)?;
                for _ in 0..count {
                    let name = self.text();
                    self.builder.property(name)?;
                    self.value().inspect_err(|_| self.path.push(segment(name).to_string()))?;
                }
                self.builder.end()
            }
        }
    }

    /// Makes a segment of a path of the key that is next.
    fn key(&self, place: u32) -> impl Fn() -> String + use<> {
        let text = match *self.words {
            [kind, start, len, ..]
                if matches!(
                    Kind::ALL.get(kind as usize),
                    Some(Kind::String | Kind::StringName)
                ) =>
            {
                let bytes = self.bytes.get(start as usize..start.saturating_add(len) as usize);
                bytes
                    .and_then(|bytes| str::from_utf8(bytes).ok())
                    .map(|text| text.chars().take(40).collect::<String>())
            }
            _ => None,
        };
        move || {
            text.as_ref().map_or_else(|| format!("<key {place}>"), |text| segment(text).to_string())
        }
    }

    fn element_types(&mut self, flags: u32) -> [ElementTypeRef<'t>; 2] {
        if flags == 0 {
            return [ElementTypeRef::Any; 2];
        }
        [(); 2].map(|()| {
            let form = self.word();
            match form {
                1 => {
                    let kind = self.kind().0;
                    self.word();
                    ElementTypeRef::Kind(kind)
                }
                2 => ElementTypeRef::Class(self.text()),
                3 => ElementTypeRef::Script(self.text()),
                _ => {
                    self.wide();
                    ElementTypeRef::Any
                }
            }
        })
    }

    /// A math value or a packed array of numbers.
    fn numbers(&mut self, kind: Kind, flags: u32) -> Written {
        /// From the wire, with eight bytes.
        const WIDE: u32 = 1;
        /// From numbers of JavaScript, which have eight bytes and are rounded to those of the dialect.
        const DECIMAL: u32 = 2;
        macro_rules! kinds {
            (
                $($real:ident $len:literal)* | $($boxed:ident $boxed_len:literal)*
                | $($integer:ident $type:ident $integer_len:literal)*
                | $($reals:ident $element:ident $method:ident)* | $($plain:ident $cell:ty, $plain_method:ident)*
            ) => {
                match kind {
                    $(Kind::$real => {
                        let value = *bytemuck::from_bytes::<$real<f64>>(bytemuck::cast_slice(&self.reals::<$len>()));
                        let value = if flags == WIDE { RealValue::double(value) } else { RealValue::decimal(value) };
                        Variant::$real(value).encode(&mut self.builder)
                    })*
                    $(Kind::$boxed => {
                        let value = *bytemuck::from_bytes::<$boxed<f64>>(bytemuck::cast_slice(&self.reals::<$boxed_len>()));
                        let value = if flags == WIDE { RealValue::double(value) } else { RealValue::decimal(value) };
                        Variant::$boxed(Box::new(value)).encode(&mut self.builder)
                    })*
                    $(Kind::$integer => {
                        let numbers = self.reals::<$integer_len>().map(|number| number as i32);
                        let value = *bytemuck::from_bytes::<$type<i32>>(bytemuck::cast_slice(&numbers));
                        Variant::$integer(value).encode(&mut self.builder)
                    })*
                    $(Kind::$reals if flags & (WIDE | DECIMAL) != 0 => {
                        let wide: &[$element<F64Le>] = bytemuck::try_cast_slice(self.bytes()).unwrap_or(&[]);
                        let wide = wide.iter().map(|value| value.to::<f64>()).collect();
                        let reals = if flags == WIDE { RealArray::double(wide) } else { RealArray::decimal(wide) };
                        Variant::$reals(reals).encode(&mut self.builder)
                    }
                    Kind::$reals => {
                        let numbers: &[$element<F32Le>] = bytemuck::try_cast_slice(self.bytes()).unwrap_or(&[]);
                        self.builder.$method(numbers)
                    })*
                    $(Kind::$plain => {
                        let numbers: &[$cell] = bytemuck::try_cast_slice(self.bytes()).unwrap_or(&[]);
                        self.builder.$plain_method(numbers)
                    })*
                    _ => {
                        let bytes = self.bytes();
                        self.builder.byte_array(bytes)
                    }
                }
            };
        }
        kinds! {
            Vector2 2 Vector3 3 Vector4 4 Rect2 4 Plane 4 Quaternion 4 Color 4
            | Transform2D 6 Aabb 6 Basis 9 Transform3D 12 Projection 16
            | Vector2i Vector2 2 Vector3i Vector3 3 Vector4i Vector4 4 Rect2i Rect2 4
            | PackedVector2Array Vector2 vector2_array PackedVector3Array Vector3 vector3_array
            PackedVector4Array Vector4 vector4_array PackedColorArray Color color_array
            | PackedInt32Array I32Le, int32_array PackedInt64Array I64Le, int64_array
            PackedFloat32Array F32Le, float32_array PackedFloat64Array F64Le, float64_array
            PackedVector2iArray Vector2<I32Le>, vector2i_array PackedVector3iArray Vector3<I32Le>, vector3i_array
            PackedVector4iArray Vector4<I32Le>, vector4i_array
        }
    }

    fn reals<const N: usize>(&mut self) -> [f64; N] {
        std::array::from_fn(|_| f64::from_bits(self.wide()))
    }
}
