#!/bin/bash
# Runs the benchmarks and prints the tables of src/docs/benchmarks.rs: benches/table.sh
#
# Times vary from run to run. Where valgrind is installed, the number of instructions stands beside
# those of the benches `encode`, `parse` and `stream`.
set -eu
cd "$(dirname "$0")/.."
cargo bench --features capture,serde --quiet >&2
python3 - <<'PYTHON'
import functools
import json
import os
import shutil
import subprocess
import tempfile


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


def executables():
    """The executables of the benches, by name."""
    command = ["cargo", "bench", "--features", "capture,serde", "--no-run", "--message-format=json", "--quiet"]
    lines = subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines()
    built = [message for message in map(json.loads, lines) if message.get("executable")]
    return {message["target"]["name"]: message["executable"] for message in built}


COUNTED = executables() if shutil.which("valgrind") else {}


@functools.cache
def instructions(bench):
    """The instructions of one run of a bench; None where it cannot be counted."""
    counts = []
    for times in (2, 12):
        total = 0
        for name in COUNTED.keys() & {"encode", "parse", "stream"}:
            with tempfile.NamedTemporaryFile() as out:
                subprocess.run(
                    ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", COUNTED[name], "--bench"],
                    env={**os.environ, "GDWIRE_COUNT": f"{bench}:{times}"}, capture_output=True, check=True)
                total += next(int(line.split()[1]) for line in open(out.name) if line.startswith("totals:"))
        counts.append(total)
    return (counts[1] - counts[0]) // 10 or None


def measured(bench):
    count = instructions(bench)
    return shown(median(bench)) + (f", {count:,} instructions" if count else "")


FASTER, SLOWER = "{:.1f} × as fast", "{:.2f} × as long"
ROWS = [
    ("check and visit a state of 208 bytes, in one pass", "state/fused",
     "`godot-binary-serialization` decodes it", "state/godot-binary-serialization", FASTER),
    ("", "state/fused", "`serde_json` reads the same as JSON into `Value`", "state/serde_json", FASTER),
    ("parse it", "state/parse", "check and visit it", "state/fused", SLOWER),
    ("walk it after that", "state/walk", "check and visit it", "state/fused", SLOWER),
    ("iterate over its entries", "state/iterate", "parse it", "state/parse", SLOWER),
    ("get its last key", "state/get last", "parse it", "state/parse", SLOWER),
    ("get a key that it has not", "state/get none", "parse it", "state/parse", SLOWER),
    ("check and visit 8,000 ints", "ints/fused", "`serde_json`", "ints/serde_json", FASTER),
    ("index them and get each", "ints/index, get all", "iterate over them", "ints/iterate", SLOWER),
    ("check and visit a save of 100 kB", "save/fused",
     "`godot-binary-serialization`", "save/godot-binary-serialization", FASTER),
    ("", "save/fused", "`serde_json`", "save/serde_json", FASTER),
    ("check and visit 400 short texts in ASCII", "text, ascii, short/fused",
     "`serde_json`", "text, ascii, short/serde_json", FASTER),
    ("400 short texts beyond ASCII", "text, beyond ascii, short/fused",
     "`serde_json`", "text, beyond ascii, short/serde_json", FASTER),
    ("one long text beyond ASCII", "text, beyond ascii, long/fused",
     "`serde_json`", "text, beyond ascii, long/serde_json", FASTER),
    ("read a struct from the dictionary, with serde", "serde/from_slice",
     "`serde_json` from the same as JSON", "serde/serde_json from_slice", FASTER),
    ("", "serde/from_slice", "`rmp-serde` from the same as MessagePack", "serde/rmp-serde from_slice", FASTER),
    ("write it into a buffer", "serde/to_slice", "`serde_json`", "serde/serde_json to_writer", FASTER),
    ("", "serde/to_slice", "`rmp-serde`", "serde/rmp-serde write", FASTER),
    ("write it into a new vector", "serde/to_vec", "`serde_json`", "serde/serde_json to_vec", FASTER),
    ("", "serde/to_vec", "`rmp-serde`", "serde/rmp-serde to_vec", FASTER),
    ("parse an array of 1,000,000 floats", "packed array/parse 1000000", "of 10", "packed array/parse 10", SLOWER),
    ("walk 1 MiB nested 1,000 deep", "1 MiB 1000 deep/walk", "1 MiB flat", "1 MiB flat/walk", SLOWER),
    ("scan 1 MiB in pieces of 1 KiB", "scan 1 MiB/in pieces of 1 KiB", "in one piece", "scan 1 MiB/in one piece", SLOWER),
    ("scan 1 MiB nested 1,000 deep, byte by byte", "scan 1 MiB 1000 deep/byte by byte",
     "1 MiB flat", "scan 1 MiB flat/byte by byte", SLOWER),
    ("decode every value of a UDP capture", "capture/decode values",
     "walk its packets", "capture/walk packets", SLOWER),
    ("encode an array of 131,072 vectors", "encode 1.5 MiB/PackedVector3Array",
     "`memcpy`", "encode 1.5 MiB/memcpy", SLOWER),
    ("encode an owned state", "encode state/owned",
     "`godot-binary-serialization`", "encode state/godot-binary-serialization", FASTER),
    ("", "encode state/owned", "`serde_json`", "encode state/serde_json", FASTER),
    ("change one field of a packet with `patch`", "encode one field/patch",
     "through an owned tree", "encode one field/through a tree", FASTER),
]
print("| what | takes | compared with | takes | result |")
print("|---|---|---|---|---|")
for what, bench, beside, other, form in ROWS:
    mine, others = median(bench), median(other)
    ratio = others / mine if form is FASTER else mine / others
    print(f"| {what} | {measured(bench)} | {beside} | {measured(other)} | {form.format(ratio)} |")

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
