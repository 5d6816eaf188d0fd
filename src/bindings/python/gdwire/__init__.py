"""Reads and writes the values and the network traffic of Godot games.

>>> import gdwire
>>> packet = gdwire.dumps({"hp": 87, "position": gdwire.Vector2(1, 2)})
>>> gdwire.loads(packet)
{'hp': 87, 'position': Vector2(x=1.0, y=2.0)}
"""

from collections.abc import Sequence

from . import types
from ._gdwire import DIALECTS, PackedArray, __version__, dumps, from_json, loads, to_json
from .captures import diagnose, messages, read, stats
from .errors import CaptureError, DecodeError, EncodeError, Error
from .types import *  # noqa: F403

# Names in full, because not every type checker follows those of other modules.
__all__ = [
    "CaptureError", "DIALECTS", "DecodeError", "EncodeError", "Error", "PackedArray", "__version__",
    "diagnose", "dumps", "from_json", "loads", "messages", "read", "stats", "to_json",
]
__all__ += types.__all__

Sequence.register(PackedArray)


def _packed(kind: str, data: bytes, has_doubles: bool, was_wide: bool) -> PackedArray:
    """Makes a packed array again that was pickled."""
    numbers = memoryview(data).cast("d") if has_doubles and not was_wide else data
    return PackedArray(kind, numbers, wide=was_wide)
