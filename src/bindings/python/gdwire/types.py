"""The types of values that Python itself does not have, named as Godot 4 names them.

Vectors and the like are named tuples: they unpack, compare, hash and pickle as tuples do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

__all__ = [
    "AABB", "Array", "Basis", "Callable", "Color", "Dictionary", "ElementType", "NodePath", "Object",
    "ObjectID", "PackedStringArray", "Plane", "Projection", "Quaternion", "RID", "Rect2", "Rect2i",
    "Signal", "StringName", "Transform2D", "Transform3D", "Vector2", "Vector2i", "Vector3",
    "Vector3i", "Vector4", "Vector4i",
]


class Vector2(NamedTuple):
    x: float
    y: float


class Vector2i(NamedTuple):
    x: int
    y: int


class Vector3(NamedTuple):
    x: float
    y: float
    z: float


class Vector3i(NamedTuple):
    x: int
    y: int
    z: int


class Vector4(NamedTuple):
    x: float
    y: float
    z: float
    w: float


class Vector4i(NamedTuple):
    x: int
    y: int
    z: int
    w: int


class Rect2(NamedTuple):
    position: Vector2
    size: Vector2


class Rect2i(NamedTuple):
    position: Vector2i
    size: Vector2i


class Transform2D(NamedTuple):
    x: Vector2
    y: Vector2
    origin: Vector2


class Plane(NamedTuple):
    normal: Vector3
    d: float


class Quaternion(NamedTuple):
    x: float
    y: float
    z: float
    w: float


class AABB(NamedTuple):
    position: Vector3
    size: Vector3


class Basis(NamedTuple):
    """A matrix, as it is sent: by rows. The axes are its columns."""

    rows: tuple[Vector3, Vector3, Vector3]


class Transform3D(NamedTuple):
    basis: Basis
    origin: Vector3


class Projection(NamedTuple):
    x: Vector4
    y: Vector4
    z: Vector4
    w: Vector4


class Color(NamedTuple):
    r: float
    g: float
    b: float
    a: float


class RID(NamedTuple):
    id: int


class ObjectID(NamedTuple):
    """An object that was sent as its id in the process that sent it."""

    id: int


class Signal(NamedTuple):
    name: str
    object_id: int


class NodePath(NamedTuple):
    """A path in the scene tree: names, then subnames that lead into a node's properties."""

    names: tuple[str, ...]
    subnames: tuple[str, ...] = ()
    is_absolute: bool = False

    def __str__(self) -> str:
        start = "/" if self.is_absolute else ""
        return start + "/".join(self.names) + "".join(f":{name}" for name in self.subnames)


class Object(NamedTuple):
    """An object with its properties. Without a class, it is the object null."""

    class_name: str = ""
    properties: tuple[tuple[str, Any], ...] = ()


class ElementType(NamedTuple):
    """The declared type of a container's elements.

    `form` is "kind" (and `name` such as "int"), "class" (a class of the engine) or "script" (the path
    of a script).
    """

    form: str
    name: str


class Callable:
    """A function to call, of which the engines send only that it is one."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Callable)

    def __hash__(self) -> int:
        return hash(Callable)

    def __repr__(self) -> str:
        return "Callable()"


class StringName(str):
    """A string that the engine keeps in memory only once. It equals a `str` of the same text."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"StringName({super().__repr__()})"


class PackedStringArray(list[str]):
    """A packed array of strings. A `list` becomes an `Array` instead."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"PackedStringArray({super().__repr__()})"


class Array(list[Any]):
    """An array whose elements have a declared type. Arrays without one are `list`.

    `kind` is "Array", or in Pandemonium 5 "TypedArray" or "PackedTypedArray".
    """

    __slots__ = ("element_type", "kind")

    def __init__(
        self,
        elements: Iterable[Any] = (),
        element_type: ElementType | None = None,
        kind: str = "Array",
    ) -> None:
        super().__init__(elements)
        self.element_type = element_type
        self.kind = kind

    def __repr__(self) -> str:
        return f"Array({super().__repr__()}, {self.element_type!r}, {self.kind!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Array, (list(self), self.element_type, self.kind))


class Dictionary:
    """A dictionary that Python's `dict` cannot hold, as its entries in their order.

    Its keys are of a declared type, or are such that Python cannot use them (an array), or would
    be the same key in Python (`1`, `1.0` and `True`; a `StringName` and a `str`).
    """

    __slots__ = ("entries", "key_type", "value_type")

    def __init__(
        self,
        entries: Iterable[tuple[Any, Any]] = (),
        key_type: ElementType | None = None,
        value_type: ElementType | None = None,
    ) -> None:
        self.entries = list(entries)
        self.key_type = key_type
        self.value_type = value_type

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())

    def __getitem__(self, key: Any) -> Any:
        """The value of the first key that is equal and has the same type."""
        for candidate, value in self.entries:
            if type(candidate) is type(key) and candidate == key:
                return value
        raise KeyError(key)

    def __contains__(self, key: Any) -> bool:
        return any(type(candidate) is type(key) and candidate == key for candidate in self)

    def keys(self) -> list[Any]:
        return [key for key, _ in self.entries]

    def values(self) -> list[Any]:
        return [value for _, value in self.entries]

    def items(self) -> list[tuple[Any, Any]]:
        return list(self.entries)

    def get(self, key: Any, default: Any = None) -> Any:
        try:
            return self[key]
        except KeyError:
            return default

    def _parts(self) -> tuple[Any, Any, Any]:
        return (self.entries, self.key_type, self.value_type)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dictionary) and self._parts() == other._parts()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Dictionary({self.entries!r}, {self.key_type!r}, {self.value_type!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Dictionary, self._parts())
