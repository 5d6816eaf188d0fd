//! From bytes to Python objects, in one pass.

use crate::cache::StringCache;
use crate::errors::decode_error;
use crate::packed::PackedArray;
use crate::shapes::Shapes;
use crate::types::{Types, components};
use gdwire::view::{ElementTypeRef, ObjectRef, segment};
use gdwire::walk::{self, Container, Event, Slot, WalkStack};
use gdwire::{Kind, ReadOptions, VariantRef, View, parse};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::ptr;

/// From this size on, other threads run while the bytes are checked.
const LARGE: usize = 64 << 10;

/// Strings of keys and names.
static KEYS: StringCache = StringCache::new();
static STRING_NAMES: StringCache = StringCache::new();
static SHAPES: Shapes = Shapes::new();

/// Memory that is used again for the next value.
struct Scratch {
    walk: WalkStack,
    items: Vec<*mut ffi::PyObject>,
    open: Vec<(usize, Container<'static>)>,
}

impl Scratch {
    /// More objects than this are forgotten.
    const KEPT: usize = 1024;

    const fn new() -> Scratch {
        Scratch { walk: WalkStack::new(), items: Vec::new(), open: Vec::new() }
    }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = const { RefCell::new(Scratch::new()) };
}

/// The empty list in the same memory.
fn emptied<'a>(mut open: Vec<(usize, Container<'_>)>) -> Vec<(usize, Container<'a>)> {
    open.clear();
    open.into_iter().filter_map(|_| None).collect()
}

/// Reads one value that takes the whole of `bytes`.
pub fn decode<'py>(
    py: Python<'py>,
    options: ReadOptions,
    bytes: &Bound<'py, PyBytes>,
) -> PyResult<Bound<'py, PyAny>> {
    SCRATCH.with(|kept| {
        // Python's garbage collector may run code that decodes, while a value is being decoded.
        let (mut own, mut kept) = (None, kept.try_borrow_mut().ok());
        let scratch = match &mut kept {
            Some(scratch) => &mut **scratch,
            None => own.insert(Scratch::new()),
        };
        let mut tree = Tree {
            py,
            types: Types::get(py)?,
            input: bytes,
            items: Items(std::mem::take(&mut scratch.items)),
            open: emptied(std::mem::take(&mut scratch.open)),
        };
        let read = tree.read(options, &mut scratch.walk);
        tree.items.cut(0);
        if tree.items.0.capacity() <= Scratch::KEPT {
            scratch.items = std::mem::take(&mut tree.items.0);
            scratch.open = emptied(tree.open);
        }
        read
    })
}

/// Objects that are complete, and the containers that are open.
struct Tree<'a, 'py> {
    py: Python<'py>,
    types: &'static Types,
    /// The input, which packed arrays keep alive.
    input: &'a Bound<'py, PyBytes>,
    items: Items,
    open: Vec<(usize, Container<'a>)>,
}

/// References that this owns.
struct Items(Vec<*mut ffi::PyObject>);

impl Drop for Items {
    fn drop(&mut self) {
        self.cut(0);
    }
}

impl Items {
    /// Drops the references from that place on.
    fn cut(&mut self, start: usize) {
        for item in self.0.drain(start.min(self.0.len())..) {
            // SAFETY: the vector owned the reference, and the lock is held wherever it lives.
            unsafe { ffi::Py_XDECREF(item) };
        }
    }
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
        let root = self.items.0.pop().unwrap_or(ptr::null_mut());
        // SAFETY: the reference was owned by the stack, and is not in it any more.
        unsafe { Bound::from_owned_ptr_or_err(self.py, root) }
    }

    /// The path to the value that was read last.
    fn path(&self) -> String {
        let ends = self.open.iter().skip(1).map(|(start, _)| *start).chain([self.items.0.len()]);
        let mut path = String::new();
        for ((start, container), end) in self.open.iter().zip(ends) {
            let items = self.items.0.get(*start..end).unwrap_or(&[]);
            path.push('/');
            match (container.kind(), items.last()) {
                (Kind::Dictionary | Kind::Object, Some(key)) if items.len() % 2 == 1 => {
                    // SAFETY: the stack owns the key, which is an object.
                    let key = unsafe { Bound::from_borrowed_ptr(self.py, *key) };
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
                    self.open.push((self.items.0.len(), container));
                    return Flow::Continue(());
                }
                Event::End(_) => self.container(),
                _ => ptr::null_mut(),
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
    unsafe fn leaf(&mut self, value: VariantRef<'a>) -> *mut ffi::PyObject {
        // SAFETY: the caller holds the lock.
        unsafe {
            match value.view() {
                View::Nil => {
                    ffi::Py_INCREF(ffi::Py_None());
                    ffi::Py_None()
                }
                View::Bool(value) => ffi::PyBool_FromLong(value.into()),
                View::Int(value) => ffi::PyLong_FromLongLong(value),
                View::Float(value) => ffi::PyFloat_FromDouble(value),
                View::String(text) => string(text),
                _ => self.rare(value),
            }
        }
    }

    #[inline(never)]
    unsafe fn rare(&mut self, value: VariantRef<'a>) -> *mut ffi::PyObject {
        let kind = value.kind();
        // SAFETY: the caller holds the lock.
        unsafe {
            if components(kind).is_some() {
                let bytes = value.as_bytes().get(4..).unwrap_or(&[]);
                let cell = match kind {
                    Kind::Vector2i | Kind::Vector3i | Kind::Vector4i | Kind::Rect2i => Cell::I32,
                    _ if value.is_wide() => Cell::F64,
                    _ => Cell::F32,
                };
                return self.math(kind, cell, bytes);
            }
            match value.view() {
                View::StringName(text) => {
                    let class = self.types.of(Kind::StringName);
                    STRING_NAMES.get(text, |text| call(class, [string(text)]))
                }
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
    unsafe fn math(&self, kind: Kind, cell: Cell, bytes: &[u8]) -> *mut ffi::PyObject {
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
                    self.tuple(class, [plain_tuple(rows)])
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
        cell: Cell,
        bytes: &[u8],
    ) -> *mut ffi::PyObject {
        // SAFETY: the caller holds the lock.
        unsafe {
            let number = |at: usize| cell.number(bytes.get(at * cell.size()..).unwrap_or(&[]));
            self.tuple(class, std::array::from_fn::<_, N, _>(number))
        }
    }

    /// An instance of a named tuple. It takes the items over; if one of them is null, so is the result.
    unsafe fn tuple<const N: usize>(
        &self,
        class: *mut ffi::PyObject,
        items: [*mut ffi::PyObject; N],
    ) -> *mut ffi::PyObject {
        if !self.types.has_simple_tuples {
            // SAFETY: the caller holds the lock.
            return unsafe { call(class, items) };
        }
        // SAFETY: the classes are subclasses of `tuple` without fields of their own, so the general
        // allocator makes a tuple of them that is filled like a plain one.
        unsafe {
            let is_complete = items.iter().all(|item| !item.is_null());
            let tuple = match is_complete {
                true => ffi::PyType_GenericAlloc(class.cast(), N as isize),
                false => ptr::null_mut(),
            };
            filled_tuple(tuple, items)
        }
    }

    /// The object of the container that ends, made of the items on the stack.
    #[inline(always)]
    unsafe fn container(&mut self) -> *mut ffi::PyObject {
        let Some((start, container)) = self.open.pop() else { return ptr::null_mut() };
        let is_plain = !container.is_typed();
        // SAFETY: the caller holds the lock.
        unsafe {
            match container.kind() {
                Kind::Dictionary if is_plain => {
                    let (entries, _) = self.items.0.get(start..).unwrap_or(&[]).as_chunks::<2>();
                    let dict = SHAPES.dict(entries);
                    if !dict.is_null() {
                        self.items.cut(start);
                        return dict;
                    }
                    ffi::PyErr_Clear();
                    self.typed(start, container)
                }
                Kind::Array if is_plain => self.list(start),
                _ => self.typed(start, container),
            }
        }
    }

    /// A list of the items from that place on, which it takes from the stack.
    unsafe fn list(&mut self, start: usize) -> *mut ffi::PyObject {
        // SAFETY: the caller holds the lock, and the stack owns a reference to each item.
        unsafe { list_of(self.items.0.drain(start..)) }
    }

    #[inline(never)]
    unsafe fn typed(&mut self, start: usize, container: Container<'a>) -> *mut ffi::PyObject {
        let kind = container.kind();
        // SAFETY: the caller holds the lock.
        unsafe {
            if matches!(kind, Kind::Array | Kind::TypedArray | Kind::PackedTypedArray) {
                let [element_type, _] = container.element_types();
                let element_type = self.element_type(element_type);
                return call(
                    self.types.of(Kind::Array),
                    [self.list(start), element_type, string(kind.name())],
                );
            }
            let items = self.items.0.split_off(start);
            let pairs = list_of(items.as_chunks::<2>().0.iter().map(|pair| plain_tuple(*pair)));
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
            _ => {
                // SAFETY: the caller holds the lock.
                return unsafe {
                    ffi::Py_INCREF(ffi::Py_None());
                    ffi::Py_None()
                };
            }
        };
        // SAFETY: the same.
        unsafe { self.tuple(self.types.element_type.as_ptr(), [string(form), string(name)]) }
    }
}

/// The numbers of a math value.
#[derive(Clone, Copy)]
enum Cell {
    F32,
    F64,
    I32,
}

impl Cell {
    const fn size(self) -> usize {
        match self {
            Cell::F32 | Cell::I32 => 4,
            Cell::F64 => 8,
        }
    }

    /// The number at the front of the bytes.
    #[inline]
    unsafe fn number(self, bytes: &[u8]) -> *mut ffi::PyObject {
        let word = bytes.first_chunk().copied().unwrap_or_default();
        // SAFETY: the caller holds the lock.
        unsafe {
            match self {
                Cell::F32 => ffi::PyFloat_FromDouble(f32::from_le_bytes(word).into()),
                Cell::I32 => ffi::PyLong_FromLongLong(i32::from_le_bytes(word).into()),
                Cell::F64 => {
                    let wide = bytes.first_chunk().copied().unwrap_or_default();
                    ffi::PyFloat_FromDouble(f64::from_le_bytes(wide))
                }
            }
        }
    }
}

/// A new string; null if Python has set an exception.
#[inline]
unsafe fn string(text: &str) -> *mut ffi::PyObject {
    // SAFETY: the caller holds the lock.
    unsafe { ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), text.len() as isize) }
}

unsafe fn strings<'t>(texts: impl Iterator<Item = &'t str>) -> *mut ffi::PyObject {
    // SAFETY: the caller holds the lock.
    unsafe {
        let list = list_of(texts.map(|text| string(text)));
        let tuple = if list.is_null() { list } else { ffi::PySequence_Tuple(list) };
        ffi::Py_XDECREF(list);
        tuple
    }
}

/// A list that takes the items over; null if one of them is null.
unsafe fn list_of(items: impl Iterator<Item = *mut ffi::PyObject>) -> *mut ffi::PyObject {
    // SAFETY: the caller holds the lock. Each place is filled before anyone sees the list.
    unsafe {
        let (len, _) = items.size_hint();
        let mut list = ffi::PyList_New(len as isize);
        for (place, item) in items.enumerate() {
            if item.is_null() || list.is_null() {
                ffi::Py_XDECREF(item);
                ffi::Py_XDECREF(list);
                list = ptr::null_mut();
            } else if place < len {
                ffi::PyList_SetItem(list, place as isize, item);
            } else {
                ffi::PyList_Append(list, item);
                ffi::Py_DECREF(item);
            }
        }
        list
    }
}

/// Puts items into a new tuple, which may be null. It takes both over.
unsafe fn filled_tuple<const N: usize>(
    tuple: *mut ffi::PyObject,
    items: [*mut ffi::PyObject; N],
) -> *mut ffi::PyObject {
    for (place, item) in (0..).zip(items) {
        // SAFETY: the caller holds the lock, and nobody else has seen the tuple.
        unsafe {
            if tuple.is_null() {
                ffi::Py_XDECREF(item);
            } else {
                ffi::PyTuple_SetItem(tuple, place, item);
            }
        }
    }
    tuple
}

/// A tuple of items, which it takes over; null if one of them is null.
unsafe fn plain_tuple<const N: usize>(items: [*mut ffi::PyObject; N]) -> *mut ffi::PyObject {
    let is_complete = items.iter().all(|item| !item.is_null());
    // SAFETY: the caller holds the lock.
    unsafe {
        let tuple = if is_complete { ffi::PyTuple_New(N as isize) } else { ptr::null_mut() };
        filled_tuple(tuple, items)
    }
}

/// Calls a class with arguments, which it takes over; null if one of them is null.
unsafe fn call<const N: usize>(
    class: *mut ffi::PyObject,
    arguments: [*mut ffi::PyObject; N],
) -> *mut ffi::PyObject {
    // SAFETY: the caller holds the lock.
    unsafe {
        let tuple = plain_tuple(arguments);
        if tuple.is_null() {
            return tuple;
        }
        let made = ffi::PyObject_Call(class, tuple, ptr::null_mut());
        ffi::Py_DECREF(tuple);
        made
    }
}
