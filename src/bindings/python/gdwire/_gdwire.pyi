from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, final, overload

from typing_extensions import Buffer

__all__ = [
    "CaptureTable", "DIALECTS", "Lines", "PackedArray", "__version__", "diagnose", "dumps", "from_json",
    "lines", "loads", "read", "stats", "to_json",
]

__version__: Final[str]
DIALECTS: Final[tuple[str, ...]]

@final
class PackedArray(Sequence[Any]):
    """A packed array of numbers, vectors or colours. It lends its numbers without a copy.

    `data` is an iterable of elements, an array of numbers, or bytes as on the wire. With `wide`,
    the numbers of vectors have eight bytes each.
    """

    def __new__(cls, kind: str, data: Buffer | Iterable[Any], *, wide: bool = False) -> PackedArray: ...
    @property
    def kind(self) -> str: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int, /) -> Any: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...
    def index(self, value: Any, start: int = 0, stop: int = ...) -> int: ...
    def count(self, value: Any) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def tolist(self) -> list[Any]: ...
    def tobytes(self) -> bytes: ...

@final
class CaptureTable:
    """A table of a capture. Everything that takes Arrow streams reads it."""

    @property
    def columns(self) -> list[str]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Lines(Iterator[bytes]):
    def __iter__(self) -> Lines: ...
    def __next__(self) -> bytes: ...

def loads(
    data: Buffer, dialect: str = "godot4", *, double: bool = False, max_depth: int | None = None
) -> Any:
    """Reads one value from bytes. Raises DecodeError.

    `dialect` is one of `DIALECTS`. `double` is for engines that were built with double precision.
    `max_depth` is how many containers may be nested.
    """

def dumps(value: Any, dialect: str = "godot4", *, double: bool = False) -> bytes:
    """Writes one value as bytes, as an engine of the dialect writes it. Raises EncodeError.

    `dialect` is one of `DIALECTS`. `double` is for engines that were built with double precision.
    """

def to_json(
    data: Buffer, dialect: str = "godot4", *, double: bool = False, native: bool = True
) -> str:
    """Spells the value in bytes as JSON: lossless as Godot 4's JSON.from_native, or plain."""

def from_json(text: str, dialect: str = "godot4", *, double: bool = False) -> bytes:
    """Writes the value that native JSON spells as bytes."""

def lines(options: dict[str, Any], native: bool, losses: bool) -> Lines: ...
def stats(options: dict[str, Any], interval: float | None) -> bytes: ...
def diagnose(options: dict[str, Any]) -> bytes: ...
def read(options: dict[str, Any], table: str, columns: list[str] | None) -> CaptureTable: ...
