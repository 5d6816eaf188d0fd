//! From bytes to Python objects, in one pass.

use crate::cache::{Lent, Texts};
use crate::errors::decode_error;
use crate::items::{Item, Items};
use crate::locked::Locked;
use crate::objects::{call, list_of, none, string, strings, tuple};
use crate::packed::PackedArray;
use crate::shapes::Shapes;
use crate::types::{Types, components};
use gdwire::view::{ElementTypeRef, ObjectRef, segment};
use gdwire::walk::{self, Container, Ended, Event, Slot, WalkStack};
use gdwire::{Kind, ReadOptions, VariantRef, View, parse};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ops::ControlFlow;
use std::ptr;

/// From this size on, other threads run while the bytes are checked.
const LARGE: usize = 64 << 10;

/// Strings of keys and names, and short strings of values.
static KEYS: Texts = Texts::new();
static STRING_NAMES: Texts = Texts::new();
static VALUES: Texts = Texts::new();
static SHAPES: Shapes = Shapes::new();

/// The longest string of a value that is looked up: longer ones seldom repeat.
const SHORT: usize = 12;

/// Memory that is used again for the next value.
struct Scratch {
    walk: WalkStack,
    items: Vec<Item>,
    open: Vec<(usize, Kind)>,
}

impl Scratch {
    /// More objects than this are forgotten.
    const KEPT: usize = 16 << 10;
}

/// `None` while a value is being decoded. In this time, Python's garbage collector or another thread may
/// decode another value.
static SCRATCH: Locked<Option<Box<Scratch>>> = Locked::new(None);

/// Reads one value that takes the whole of `bytes`.
pub fn decode<'py>(
    py: Python<'py>,
    options: ReadOptions,
    bytes: &Bound<'py, PyBytes>,
) -> PyResult<Bound<'py, PyAny>> {
    let types = Types::get(py)?;
    // SAFETY: the lock is held, as `py` shows.
    let (_lent, kept) = unsafe { (Lent::new(), SCRATCH.get().take()) };
    let mut scratch = kept.unwrap_or_else(|| {
        Box::new(Scratch { walk: WalkStack::new(), items: Vec::new(), open: Vec::new() })
    });
    let mut tree = Tree {
        py,
        types,
        input: bytes,
        items: Items(std::mem::take(&mut scratch.items)),
        open: std::mem::take(&mut scratch.open),
        rare: Vec::new(),
    };
    let read = tree.read(options, &mut scratch.walk);
    tree.items.cut(0);
    if tree.items.0.capacity() <= Scratch::KEPT {
        scratch.items = std::mem::take(&mut tree.items.0);
        scratch.open = std::mem::take(&mut tree.open);
        scratch.open.clear();
        // SAFETY: the same.
        unsafe { *SCRATCH.get() = Some(scratch) };
    }
    read
}

/// Objects that are complete, and the containers that are open.
struct Tree<'a, 'py> {
    py: Python<'py>,
    types: &'static Types,
    /// The input, which packed arrays keep alive.
    input: &'a Bound<'py, PyBytes>,
    items: Items,
    /// The kinds of the open containers, and where their items begin.
    open: Vec<(usize, Kind)>,
    /// The open containers that are not plain arrays or dictionaries.
    rare: Vec<Container<'a>>,
}

type Flow = ControlFlow<()>;

impl<'a, 'py> Tree<'a, 'py> {
    fn read(&mut self, options: ReadOptions, stack: &mut WalkStack) -> PyResult<Bound<'py, PyAny>> {
        let (py, input) = (self.py, self.input.as_bytes());
        // If the bytes are not valid, the walk below finds the place of the problem.
        if input.len() >= LARGE
            && let Ok(value) = py.detach(|| parse(options, input))
        {
            let stopped = value.visit(stack, |event| self.add(event));
            return self.finish(stopped.is_break());
        }
        match walk::visit(options, input, stack, |event| self.add(event)) {
            Ok(ControlFlow::Break(())) => self.finish(true),
            Ok(ControlFlow::Continue([])) => self.finish(false),
            Ok(ControlFlow::Continue(_)) => match parse(options, input) {
                Ok(_) => self.finish(false),
                Err(error) => Err(decode_error(py, &error, "")),
            },
            Err(error) => Err(decode_error(py, &error, &self.path())),
        }
    }

    /// The object, or the exception that Python has set.
    fn finish(&mut self, has_failed: bool) -> PyResult<Bound<'py, PyAny>> {
        if has_failed {
            return Err(PyErr::fetch(self.py));
        }
        let root = self.items.0.pop().unwrap_or(Item::owned(ptr::null_mut()));
        // SAFETY: the item is not on the stack any more.
        unsafe { Bound::from_owned_ptr_or_err(self.py, root.into_owned()) }
    }

    /// The path to the value that was read last.
    fn path(&self) -> String {
        let ends = self.open.iter().skip(1).map(|(start, _)| *start).chain([self.items.0.len()]);
        let mut path = String::new();
        for ((start, kind), end) in self.open.iter().zip(ends) {
            let items = self.items.0.get(*start..end).unwrap_or(&[]);
            path.push('/');
            match (kind, items.last()) {
                (Kind::Dictionary | Kind::Object, Some(key)) if items.len() % 2 == 1 => {
                    // SAFETY: the stack owns the key, which is an object.
                    let key = unsafe { Bound::from_borrowed_ptr(self.py, key.object()) };
                    let key = key.str().map(|key| key.to_string()).unwrap_or_default();
                    path += &segment(&key.chars().take(40).collect::<String>()).to_string();
                }
                (Kind::Dictionary | Kind::Object, _) => {
                    path += &format!("<key {}>", items.len() / 2)
                }
                _ => path += &items.len().to_string(),
            }
        }
        path
    }

    #[inline(always)]
    fn add(&mut self, event: Event<'a>) -> Flow {
        // SAFETY: the lock is held, as `py` shows.
        let made = unsafe {
            match event {
                Event::Value(Slot::Key, value) => match value.view() {
                    View::String(text) => KEYS.get(text, |text| string(text)),
                    _ => self.leaf(value),
                },
                Event::Value(_, value) => self.leaf(value),
                Event::Property(name) => KEYS.get(name, |text| string(text)),
                Event::Begin(_, container) => {
                    let kind = container.kind();
                    if !is_plain(kind, container.is_typed()) {
                        self.rare.push(container);
                    }
                    self.open.push((self.items.0.len(), kind));
                    return Flow::Continue(());
                }
                Event::End(ended) => Item::owned(self.container(ended)),
                _ => Item::owned(ptr::null_mut()),
            }
        };
        if made.is_null() {
            return Flow::Break(());
        }
        self.items.0.push(made);
        Flow::Continue(())
    }

    /// The object of a value that is not a container; null if Python has set an exception.
    #[inline(always)]
    unsafe fn leaf(&mut self, value: VariantRef<'a>) -> Item {
        // SAFETY: the caller holds the lock.
        unsafe {
            if let Some(number) = short_int(value) {
                return Item::owned(ffi::PyLong_FromLong(number.into()));
            }
            Item::owned(match value.view() {
                View::Nil => return Item::lent(ffi::Py_None()),
                View::Bool(true) => return Item::lent(ffi::Py_True()),
                View::Bool(false) => return Item::lent(ffi::Py_False()),
                View::Int(value) => ffi::PyLong_FromLongLong(value),
                View::Float(value) => ffi::PyFloat_FromDouble(value),
                View::String(text) if text.len() <= SHORT => {
                    return VALUES.get(text, |text| string(text));
                }
                View::String(text) => string(text),
                View::Vector2(_) if !value.is_wide() => self.reals::<2>(value),
                View::Vector3(_) if !value.is_wide() => self.reals::<3>(value),
                View::StringName(text) => {
                    let class = self.types.of(Kind::StringName);
                    return STRING_NAMES.get(text, |text| call(class, [string(text)]));
                }
                _ => self.rare(value),
            })
        }
    }

    /// A vector of reals with four bytes.
    #[inline(never)]
    unsafe fn reals<const N: usize>(&self, value: VariantRef<'a>) -> *mut ffi::PyObject {
        let bytes = value.as_bytes().get(4..).unwrap_or(&[]);
        // SAFETY: the caller holds the lock.
        unsafe { self.numbers::<N>(self.types.of(value.kind()), MathNumber::F32, bytes) }
    }

    #[inline(never)]
    unsafe fn rare(&mut self, value: VariantRef<'a>) -> *mut ffi::PyObject {
        let kind = value.kind();
        // SAFETY: the caller holds the lock.
        unsafe {
            if components(kind).is_some() {
                let bytes = value.as_bytes().get(4..).unwrap_or(&[]);
                let cell = match kind {
                    Kind::Vector2i | Kind::Vector3i | Kind::Vector4i | Kind::Rect2i => {
                        MathNumber::I32
                    }
                    _ if value.is_wide() => MathNumber::F64,
                    _ => MathNumber::F32,
                };
                return self.math(kind, cell, bytes);
            }
            match value.view() {
                View::NodePath(path) => {
                    let names = strings(path.names());
                    let subnames = strings(path.subnames());
                    let is_absolute = ffi::PyBool_FromLong(path.is_absolute().into());
                    self.tuple(self.types.of(Kind::NodePath), [names, subnames, is_absolute])
                }
                View::Rid(id) => {
                    self.tuple(self.types.of(Kind::Rid), [ffi::PyLong_FromUnsignedLongLong(id)])
                }
                View::Object(ObjectRef::Id(id)) => {
                    let class = self.types.object_id.as_ptr();
                    self.tuple(class, [ffi::PyLong_FromUnsignedLongLong(id)])
                }
                View::Object(_) => call(self.types.of(Kind::Object), []),
                View::Callable => call(self.types.of(Kind::Callable), []),
                View::Signal(signal) => {
                    let id = ffi::PyLong_FromUnsignedLongLong(signal.object_id());
                    self.tuple(self.types.of(Kind::Signal), [string(signal.name()), id])
                }
                View::PackedStringArray(texts) => {
                    let list = list_of(texts.iter().map(|text| string(text)));
                    call(self.types.of(Kind::PackedStringArray), [list])
                }
                _ => match PackedArray::of_view(self.py, self.input, value) {
                    Ok(array) => array.into_ptr(),
                    Err(error) => {
                        error.restore(self.py);
                        ptr::null_mut()
                    }
                },
            }
        }
    }

    /// A math value of the numbers at the front of `bytes`.
    unsafe fn math(&self, kind: Kind, cell: MathNumber, bytes: &[u8]) -> *mut ffi::PyObject {
        let class = self.types.of(kind);
        let at = |number: usize| bytes.get(number * cell.size()..).unwrap_or(&[]);
        // SAFETY: the caller holds the lock.
        unsafe {
            let part = |kind, number| self.math(kind, cell, at(number));
            match kind {
                Kind::Rect2 => self.tuple(class, [0, 2].map(|at| part(Kind::Vector2, at))),
                Kind::Rect2i => self.tuple(class, [0, 2].map(|at| part(Kind::Vector2i, at))),
                Kind::Transform2D => self.tuple(class, [0, 2, 4].map(|at| part(Kind::Vector2, at))),
                Kind::Aabb => self.tuple(class, [0, 3].map(|at| part(Kind::Vector3, at))),
                Kind::Plane => self.tuple(class, [part(Kind::Vector3, 0), cell.number(at(3))]),
                Kind::Basis => {
                    let rows = [0, 3, 6].map(|at| part(Kind::Vector3, at));
                    self.tuple(class, [tuple(rows)])
                }
                Kind::Transform3D => {
                    self.tuple(class, [part(Kind::Basis, 0), part(Kind::Vector3, 9)])
                }
                Kind::Projection => {
                    self.tuple(class, [0, 4, 8, 12].map(|at| part(Kind::Vector4, at)))
                }
                Kind::Vector2 | Kind::Vector2i => self.numbers::<2>(class, cell, bytes),
                Kind::Vector3 | Kind::Vector3i => self.numbers::<3>(class, cell, bytes),
                _ => self.numbers::<4>(class, cell, bytes),
            }
        }
    }

    unsafe fn numbers<const N: usize>(
        &self,
        class: *mut ffi::PyObject,
        cell: MathNumber,
        bytes: &[u8],
    ) -> *mut ffi::PyObject {
        // SAFETY: the caller holds the lock.
        unsafe {
            let number = |at: usize| cell.number(bytes.get(at * cell.size()..).unwrap_or(&[]));
            self.tuple(class, std::array::from_fn::<_, N, _>(number))
        }
    }

    /// An instance of a named tuple.
    #[inline(always)]
    unsafe fn tuple<const N: usize>(
        &self,
        class: *mut ffi::PyObject,
        items: [*mut ffi::PyObject; N],
    ) -> *mut ffi::PyObject {
        // SAFETY: the caller holds the lock. The classes are subclasses of `tuple` without fields of their
        // own.
        unsafe { self.types.layout.instance(class, items) }
    }

    /// The object of the container that ends, made of the items on the stack.
    #[inline(never)]
    unsafe fn container(&mut self, ended: Ended) -> *mut ffi::PyObject {
        let Some((start, _)) = self.open.pop() else { return ptr::null_mut() };
        let kind = ended.kind();
        // SAFETY: the caller holds the lock.
        unsafe {
            if !is_plain(kind, ended.is_typed()) {
                return match self.rare.pop() {
                    Some(container) => self.rare_container(start, container),
                    None => ptr::null_mut(),
                };
            }
            if kind == Kind::Array {
                return self.types.layout.list(&mut self.items, start);
            }
            let (entries, _) = self.items.0.get(start..).unwrap_or(&[]).as_chunks::<2>();
            let dict = SHAPES.dict(entries);
            if dict.is_null() {
                return self.entries(start);
            }
            self.items.cut(start);
            dict
        }
    }

    /// The object of a plain dictionary that Python's dictionaries cannot hold.
    #[inline(never)]
    unsafe fn entries(&mut self, start: usize) -> *mut ffi::PyObject {
        // SAFETY: the caller holds the lock.
        unsafe {
            ffi::PyErr_Clear();
            call(self.types.of(Kind::Dictionary), [self.pairs(start), none(), none()])
        }
    }

    /// A list of the pairs of items from that place on, which it takes from the stack.
    unsafe fn pairs(&mut self, start: usize) -> *mut ffi::PyObject {
        // SAFETY: the caller holds the lock.
        unsafe {
            let items = self.items.take(start);
            list_of(items.as_chunks::<2>().0.iter().map(|pair| tuple(*pair)))
        }
    }

    #[inline(never)]
    unsafe fn rare_container(
        &mut self,
        start: usize,
        container: Container<'a>,
    ) -> *mut ffi::PyObject {
        let kind = container.kind();
        // SAFETY: the caller holds the lock.
        unsafe {
            if matches!(kind, Kind::Array | Kind::TypedArray | Kind::PackedTypedArray) {
                let [element_type, _] = container.element_types();
                let element_type = self.element_type(element_type);
                let list = self.types.layout.list(&mut self.items, start);
                return call(self.types.of(Kind::Array), [list, element_type, string(kind.name())]);
            }
            let pairs = self.pairs(start);
            if kind == Kind::Dictionary {
                let [keys, values] = container.element_types().map(|of| self.element_type(of));
                return call(self.types.of(kind), [pairs, keys, values]);
            }
            let properties = ffi::PySequence_Tuple(pairs);
            ffi::Py_XDECREF(pairs);
            call(self.types.of(Kind::Object), [string(container.class()), properties])
        }
    }

    unsafe fn element_type(&self, of: ElementTypeRef<'_>) -> *mut ffi::PyObject {
        let (form, name) = match of {
            ElementTypeRef::Kind(kind) => ("kind", kind.name()),
            ElementTypeRef::Class(name) => ("class", name),
            ElementTypeRef::Script(path) => ("script", path),
            // SAFETY: the caller holds the lock.
            _ => return unsafe { none() },
        };
        // SAFETY: the same.
        unsafe { self.tuple(self.types.element_type.as_ptr(), [string(form), string(name)]) }
    }
}

/// An int of four bytes. Ints have the same number in all dialects, and are common: this finds them without
/// a look at the table of kinds.
#[inline(always)]
fn short_int(value: VariantRef<'_>) -> Option<i32> {
    let (words, _) = value.as_bytes().as_chunks::<4>();
    match words {
        [header, number] if *header == (Kind::Int as u32).to_le_bytes() => {
            Some(i32::from_le_bytes(*number))
        }
        _ => None,
    }
}

/// Whether the container becomes a list or a dictionary of Python.
#[inline(always)]
fn is_plain(kind: Kind, is_typed: bool) -> bool {
    matches!(kind, Kind::Array | Kind::Dictionary) && !is_typed
}

/// The numbers of a math value.
#[derive(Clone, Copy)]
enum MathNumber {
    F32,
    F64,
    I32,
}

impl MathNumber {
    const fn size(self) -> usize {
        match self {
            MathNumber::F32 | MathNumber::I32 => 4,
            MathNumber::F64 => 8,
        }
    }

    /// The number at the front of the bytes.
    #[inline]
    unsafe fn number(self, bytes: &[u8]) -> *mut ffi::PyObject {
        let word = bytes.first_chunk().copied().unwrap_or_default();
        // SAFETY: the caller holds the lock.
        unsafe {
            match self {
                MathNumber::F32 => ffi::PyFloat_FromDouble(f32::from_le_bytes(word).into()),
                MathNumber::I32 => ffi::PyLong_FromLongLong(i32::from_le_bytes(word).into()),
                MathNumber::F64 => {
                    let wide = bytes.first_chunk().copied().unwrap_or_default();
                    ffi::PyFloat_FromDouble(f64::from_le_bytes(wide))
                }
            }
        }
    }
}
