"""Code that type checkers have to accept, and code that they have to refuse: `mypy --strict` checks this file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, assert_type

import gdwire
from gdwire import PackedArray, Transform3D, Vector2, Vector3


def values(data: bytes, shared: memoryview) -> None:
    assert_type(gdwire.dumps({"at": Vector2(1, 2)}, "godot3", double=True), bytes)
    assert_type(gdwire.loads(data, max_depth=4), Any)
    gdwire.loads(shared)
    assert_type(gdwire.to_json(bytearray(data), native=False), str)
    assert_type(gdwire.from_json("{}"), bytes)
    assert_type(gdwire.DIALECTS, tuple[str, ...])


def types(place: Transform3D, packed: PackedArray) -> Vector3:
    x, y = Vector2(1, 2)
    assert_type(x + y, float)
    assert_type(place.origin.z, float)
    assert_type(packed.kind, str)
    assert_type(memoryview(packed).shape, tuple[int, ...] | None)
    assert_type(len(packed), int)
    assert_type(packed[1:], list[Any])
    assert_type(packed.index(1) + packed.count(1), int)
    return place.basis.rows[0]


def captures(path: Path) -> None:
    assert_type(gdwire.messages(path, project="game", values="native"), Iterator[dict[str, Any]])
    assert_type(gdwire.stats("game.pcapng", interval=0.5), dict[str, Any])
    assert_type(gdwire.read(path, table="losses", columns=["frame"]).columns, list[str])


def errors() -> None:
    try:
        gdwire.loads(b"")
    except gdwire.DecodeError as error:
        assert_type(error.offset, int)
        assert_type(error.path, str)
    except gdwire.EncodeError as error:
        assert_type(error.path, str)


def refused(path: Path) -> None:
    gdwire.loads("text")  # type: ignore[arg-type]
    gdwire.loads(b"", "godot4", True)  # type: ignore[call-arg]
    Vector2(1)  # type: ignore[call-arg]
    gdwire.read(path, table="states")
    gdwire.read(path, table="calls")  # type: ignore[arg-type]
    PackedArray("PackedByteArray", 5)  # type: ignore[arg-type]
