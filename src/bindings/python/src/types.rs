//! The Python classes of values, from `gdwire/types.py`.

use crate::objects::Layout;
use gdwire::Kind;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// One class for each kind that has one.
const CLASSES: &[(Kind, &str)] = &[
    (Kind::Vector2, "Vector2"),
    (Kind::Vector2i, "Vector2i"),
    (Kind::Rect2, "Rect2"),
    (Kind::Rect2i, "Rect2i"),
    (Kind::Vector3, "Vector3"),
    (Kind::Vector3i, "Vector3i"),
    (Kind::Transform2D, "Transform2D"),
    (Kind::Vector4, "Vector4"),
    (Kind::Vector4i, "Vector4i"),
    (Kind::Plane, "Plane"),
    (Kind::Quaternion, "Quaternion"),
    (Kind::Aabb, "AABB"),
    (Kind::Basis, "Basis"),
    (Kind::Transform3D, "Transform3D"),
    (Kind::Projection, "Projection"),
    (Kind::Color, "Color"),
    (Kind::StringName, "StringName"),
    (Kind::NodePath, "NodePath"),
    (Kind::Rid, "RID"),
    (Kind::Object, "Object"),
    (Kind::Callable, "Callable"),
    (Kind::Signal, "Signal"),
    (Kind::Dictionary, "Dictionary"),
    (Kind::Array, "Array"),
    (Kind::PackedStringArray, "PackedStringArray"),
];

/// More than there are kinds.
const KINDS: usize = 64;

/// The classes.
pub struct Types {
    by_kind: [Option<Py<PyType>>; KINDS],
    pub object_id: Py<PyType>,
    pub element_type: Py<PyType>,
    pub layout: Layout,
}

static TYPES: PyOnceLock<Types> = PyOnceLock::new();

impl Types {
    /// The classes. They are looked up once.
    pub fn get(py: Python<'_>) -> PyResult<&'static Types> {
        let types = TYPES.get_or_try_init(py, || {
            let module = py.import("gdwire.types")?;
            let class = |name: &str| -> PyResult<Py<PyType>> {
                Ok(module.getattr(name)?.cast_into::<PyType>()?.unbind())
            };
            let mut by_kind = [const { None }; KINDS];
            for (kind, name) in CLASSES {
                if let Some(place) = by_kind.get_mut(*kind as usize) {
                    *place = Some(class(name)?);
                }
            }
            let (object_id, element_type) = (class("ObjectID")?, class("ElementType")?);
            let layout = Layout::probe(py)?;
            PyResult::Ok(Types { by_kind, object_id, element_type, layout })
        })?;
        // SAFETY: a cell that is filled once, in a static.
        Ok(unsafe { &*std::ptr::from_ref(types) })
    }

    /// The class of a kind; null if it has none.
    pub fn of(&self, kind: Kind) -> *mut ffi::PyObject {
        match self.by_kind.get(kind as usize) {
            Some(Some(class)) => class.as_ptr(),
            _ => std::ptr::null_mut(),
        }
    }

    /// The kind of a class.
    pub fn kind_of(&self, class: *mut ffi::PyTypeObject) -> Option<Kind> {
        let is_it = |kind: &Kind| self.of(*kind) == class.cast();
        CLASSES.iter().map(|(kind, _)| *kind).find(is_it)
    }
}

/// How many numbers a math type has; none for other kinds.
pub const fn components(kind: Kind) -> Option<usize> {
    Some(match kind {
        Kind::Vector2 | Kind::Vector2i => 2,
        Kind::Vector3 | Kind::Vector3i => 3,
        Kind::Rect2 | Kind::Rect2i | Kind::Vector4 | Kind::Vector4i => 4,
        Kind::Plane | Kind::Quaternion | Kind::Color => 4,
        Kind::Transform2D | Kind::Aabb => 6,
        Kind::Basis => 9,
        Kind::Transform3D => 12,
        Kind::Projection => 16,
        _ => return None,
    })
}
