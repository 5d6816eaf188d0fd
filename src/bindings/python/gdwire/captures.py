"""Network captures: pcap and pcapng files, also compressed with gzip, Zstandard or LZ4."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias

from . import _gdwire
from ._gdwire import CaptureTable

__all__ = ["diagnose", "messages", "read", "stats"]

Path: TypeAlias = str | os.PathLike[str]


def _options(
    path: Path,
    project: Path | None,
    methods: Path | None,
    dialect: str | None,
    double: bool,
    transport: str | None,
) -> dict[str, Any]:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"a capture is named by its path, not by {type(path).__name__}")
    return {
        "path": path,
        "project": project,
        "methods": methods,
        "dialect": dialect,
        "double": double,
        "transport": transport,
    }


def messages(
    path: Path,
    *,
    project: Path | None = None,
    methods: Path | None = None,
    dialect: str | None = None,
    double: bool = False,
    transport: str | None = None,
    values: Literal["plain", "native"] = "plain",
    losses: bool = True,
) -> Iterator[dict[str, Any]]:
    """The messages of a capture, as `gdwire decode --format ndjson` writes them.

    What was lost is a message, too: it has the key "lost". If the file is cut off or damaged, one
    message has the key "damaged" and no "time"; after it come only losses. `project` is the folder
    of the game's project, from which names are read; `methods` a file that lists methods. What is
    not given is detected.
    """
    if values not in ("plain", "native"):
        raise ValueError(f"values are plain or native, not {values!r}")
    options = _options(path, project, methods, dialect, double, transport)
    return map(json.loads, _gdwire.lines(options, values == "native", losses))


def stats(
    path: Path,
    *,
    project: Path | None = None,
    methods: Path | None = None,
    dialect: str | None = None,
    double: bool = False,
    transport: str | None = None,
    interval: float | None = None,
) -> dict[str, Any]:
    """The counts of a capture, as `gdwire stats --format json` writes them.

    With `interval`, it also counts per interval of this many seconds.
    """
    options = _options(path, project, methods, dialect, double, transport)
    counts: dict[str, Any] = json.loads(_gdwire.stats(options, interval))
    return counts


def diagnose(
    path: Path,
    *,
    project: Path | None = None,
    methods: Path | None = None,
    dialect: str | None = None,
    double: bool = False,
    transport: str | None = None,
) -> dict[str, Any]:
    """The problems in a capture, as `gdwire diagnose --format json` writes them."""
    options = _options(path, project, methods, dialect, double, transport)
    findings: dict[str, Any] = json.loads(_gdwire.diagnose(options))
    return findings


def read(
    path: Path,
    *,
    project: Path | None = None,
    methods: Path | None = None,
    dialect: str | None = None,
    double: bool = False,
    transport: str | None = None,
    table: Literal["messages", "states", "losses", "connections"] = "messages",
    columns: Sequence[str] | None = None,
) -> CaptureTable:
    """A table of a capture, for everything that takes an Arrow stream.

    Such as `pandas.DataFrame.from_arrow(read(path))`, `polars.DataFrame(read(path))`,
    `pyarrow.table(read(path))` and DuckDB.
    """
    options = _options(path, project, methods, dialect, double, transport)
    return _gdwire.read(options, table, None if columns is None else list(columns))
