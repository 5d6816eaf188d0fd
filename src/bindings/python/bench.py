#!/usr/bin/env python3
"""Compares `loads` with decoding by hand in Python, with orjson on the same data as JSON, and with `marshal`,
which Python itself uses for compiled modules: it is written in C and has little to do but make the objects.

    python -P bench.py            prints a table for the package that is installed; needs orjson
    python -P bench.py --check    exits with 1 if a goal is missed: 20 times faster than by hand, and no slower than orjson
"""

import json
import marshal
import struct
import sys
import timeit

import orjson

import gdwire


def by_hand(data: bytes, at: int = 0) -> tuple[object, int]:
    """Decodes the kinds that the data below has, as hand-written decoders do: with `struct`."""
    header = struct.unpack_from("<I", data, at)[0]
    kind, wide = header & 0xFFFF, header & 0x10000
    at += 4
    if kind == 1:
        return struct.unpack_from("<I", data, at)[0] != 0, at + 4
    if kind == 2:
        return (struct.unpack_from("<q", data, at)[0], at + 8) if wide else (struct.unpack_from("<i", data, at)[0], at + 4)
    if kind == 3:
        return (struct.unpack_from("<d", data, at)[0], at + 8) if wide else (struct.unpack_from("<f", data, at)[0], at + 4)
    if kind == 4:
        length = struct.unpack_from("<I", data, at)[0]
        at += 4
        return data[at : at + length].decode(), at + (length + 3) // 4 * 4
    if kind == 5:
        return struct.unpack_from("<2f", data, at), at + 8
    if kind == 9:
        return struct.unpack_from("<3f", data, at), at + 12
    if kind == 27:
        count = struct.unpack_from("<I", data, at)[0] & 0x7FFFFFFF
        at += 4
        entries = {}
        for _ in range(count):
            key, at = by_hand(data, at)
            entries[key], at = by_hand(data, at)
        return entries, at
    if kind == 28:
        count = struct.unpack_from("<I", data, at)[0] & 0x7FFFFFFF
        at += 4
        elements = []
        for _ in range(count):
            element, at = by_hand(data, at)
            elements.append(element)
        return elements, at
    if kind == 36:
        count = struct.unpack_from("<I", data, at)[0]
        numbers = struct.unpack_from(f"<{3 * count}f", data, at + 4)
        return [numbers[3 * row : 3 * row + 3] for row in range(count)], at + 4 + 12 * count
    raise ValueError(f"type {kind}")


STATE = {
    "id": 7, "name": "player_one", "pos": gdwire.Vector3(1.0, 2.0, 3.0), "vel": gdwire.Vector3(1.0, 2.0, 3.0),
    "hp": 87.5, "alive": True, "score": 409, "aim": gdwire.Vector2(1.0, 2.0),
}
SAVE = {
    f"player_{player}": {
        "level": player, "position": gdwire.Vector3(player, 2.0, 3.0), "guild": "the old tower",
        "inventory": {f"slot_{item}": {"item": "sword", "count": item} for item in range(12)},
    }
    for player in range(100)
}
CASES = {
    "state of a player": STATE,
    "save of 100 kB": SAVE,
    "8,000 ints": list(range(8000)),
    "1,000 texts": [f"text number {number}" for number in range(1000)],
    "10,000 vectors, packed": gdwire.PackedArray("PackedVector3Array", [(n + 0.5, 2.25, 3.125) for n in range(10_000)]),
}


def plain(value: object) -> object:
    """The value without classes of the package, which `marshal` does not know."""
    match value:
        case dict():
            return {key: plain(item) for key, item in value.items()}
        case list():
            return [plain(item) for item in value]
        case tuple():
            return tuple(value)
        case gdwire.PackedArray():
            return value.tobytes()
    return value


def fastest(work: str, names: dict[str, object]) -> float:
    """Nanoseconds of one call: the best of many short runs, which other programs seldom interrupt."""
    timer = timeit.Timer(work, globals=names)
    timer.timeit(2)
    count = max(1, int(0.001 / max(timer.timeit(3) / 3, 1e-7)))
    return min(timer.repeat(100, count)) / count * 1e9


def main() -> int:
    missed = 0
    print(f"{'':24}{'gdwire':>12}{'by hand':>12}{'orjson':>12}{'marshal':>12}{'dumps':>12}")
    for name, value in CASES.items():
        data = gdwire.dumps(value)
        text = gdwire.to_json(data, native=False).encode()
        names = {
            "data": data, "text": text, "value": value, "code": marshal.dumps(plain(value)), "loads": gdwire.loads,
            "dumps": gdwire.dumps, "by_hand": by_hand, "orjson": orjson.loads, "marshal": marshal.loads,
        }
        assert json.loads(text) == orjson.loads(text)
        ours, hand, other, python, out = (
            fastest(work, names)
            for work in ("loads(data)", "by_hand(data)", "orjson(text)", "marshal(code)", "dumps(value)")
        )
        print(
            f"{name:24}{ours:9,.0f} ns{hand / ours:10.1f} x{other / ours:10.2f} x{python / ours:10.2f} x{out:9,.0f} ns"
        )
        missed += hand < 20 * ours or other < ours
    return 1 if missed and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
