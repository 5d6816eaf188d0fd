#!/bin/bash
# Runs the benchmarks and prints the tables of src/docs/benchmarks.rs: benches/table.sh
set -eu
cd "$(dirname "$0")/.."
cargo bench --features capture,serde --quiet >&2
python3 - <<'PYTHON'
import json


def result(bench, file):
    with open(f"target/criterion/{bench}/new/{file}.json", encoding="utf-8") as file:
        return json.load(file)


def median(bench):
    """The median of the last run, in nanoseconds."""
    return result(bench, "estimates")["median"]["point_estimate"]


def shown(nanoseconds):
    for unit, size in (("ms", 1e6), ("µs", 1e3), ("ns", 1)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.2g} ns"


FASTER, SLOWER = "{:.1f} × as fast", "{:.2f} × as long"
ROWS = [
    ("parse and walk a dictionary of 208 bytes, in one pass", "dictionary/events",
     "`godot-binary-serialization` decodes it", "dictionary/godot-binary-serialization", FASTER),
    ("", "dictionary/events", "`serde_json` reads the same as JSON into `Value`", "dictionary/serde_json", FASTER),
    ("parse it, then walk it", "dictionary/parse, walk",
     "`godot-binary-serialization`", "dictionary/godot-binary-serialization", FASTER),
    ("", "dictionary/parse, walk", "`serde_json`", "dictionary/serde_json", FASTER),
    ("read a struct from the dictionary, with serde", "serde/from_slice",
     "`serde_json` from the same as JSON", "serde/serde_json from_slice", FASTER),
    ("", "serde/from_slice", "`rmp-serde` from the same as MessagePack", "serde/rmp-serde from_slice", FASTER),
    ("write it into a buffer", "serde/to_slice", "`serde_json`", "serde/serde_json to_writer", FASTER),
    ("", "serde/to_slice", "`rmp-serde`", "serde/rmp-serde write", FASTER),
    ("write it into a new vector", "serde/to_vec", "`serde_json`", "serde/serde_json to_vec", FASTER),
    ("", "serde/to_vec", "`rmp-serde`", "serde/rmp-serde to_vec", FASTER),
    ("parse an array of 1,000,000 floats", "packed array/parse/1000000", "of 10", "packed array/parse/10", SLOWER),
    ("walk 1 MiB nested 1,000 deep", "1 MiB/walk/1000 deep", "1 MiB flat", "1 MiB/walk/flat", SLOWER),
    ("scan 1 MiB in pieces of 1 KiB", "scan_1 MiB/in pieces of 1 KiB", "in one piece", "scan_1 MiB/in one piece", SLOWER),
    ("decode every value of a UDP capture", "capture/decode values",
     "walk its packets", "capture/walk packets", SLOWER),
    ("encode an array of 131,072 vectors", "encode_1.5 MiB/PackedVector3Array",
     "`memcpy`", "encode_1.5 MiB/memcpy", SLOWER),
]
print("| what | takes | compared with | takes | result |")
print("|---|---|---|---|---|")
for what, bench, beside, other, form in ROWS:
    mine, others = median(bench), median(other)
    ratio = others / mine if form is FASTER else mine / others
    print(f"| {what} | {shown(mine)} | {beside} | {shown(others)} | {form.format(ratio)} |")

print()
print("| messages of 208 bytes over | messages per second | bytes of capture per second | time relative to walking the packets |")
print("|---|---|---|---|")
TRANSPORTS = {"udp": "UDP", "tcp": "TCP", "enet": "ENet", "websocket": "WebSocket", "enet calls": "ENet, as calls"}
for name, title in TRANSPORTS.items():
    reading = f"transports_{name}/read messages"
    amount = result(reading, "benchmark")["throughput"]["ElementsAndBytes"]
    seconds = median(reading) / 1e9
    messages, size = amount["elements"] / seconds / 1e6, amount["bytes"] / seconds / 1e6
    ratio = median(reading) / median(f"transports_{name}/walk packets")
    print(f"| {title} | {messages:.1f} million | {size:.0f} MB | {ratio:.1f} × |")
PYTHON
