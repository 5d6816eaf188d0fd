#!/bin/bash
# Prints what is compared with which engine, and how much of it: the tables of src/docs/engines.rs.
#
#   tests/engine/table.sh
#
# Runs all tests with engines, and counts the recordings in corpus/. Each count follows from the tests
# that passed; a few differ a little from run to run, because networks lose unreliable messages.
set -euo pipefail
cd "$(dirname "$0")/../.."
GDWIRE_CHECKED=$(mktemp)
export GDWIRE_CHECKED GDWIRE_ENGINE_TESTS=required
trap 'rm "$GDWIRE_CHECKED"' EXIT
cargo test --quiet --all-features --test engines >&2
cargo build --quiet --all-features --bin gdwire
python3 - "$GDWIRE_CHECKED" <<'PYTHON'
import collections
import glob
import json
import os
import subprocess
import sys


def table(title, columns, rows):
    print(f"# {title}\n")
    print("|".join(["", " what ", *(f" {column} " for column in columns), ""]))
    print("|---" * (len(columns) + 1) + "|")
    for what, cells in sorted(rows.items()):
        print("|".join(["", f" {what} ", *(f" {cells[column]:,} " if column in cells else " " for column in columns), ""]))
    print()


rows = collections.defaultdict(collections.Counter)
for line in open(sys.argv[1], encoding="utf-8"):
    engine, what, count = line.rstrip("\n").split("\t")
    rows[what][engine] += int(count)
RUNNING = {
    "Godot 3": "Godot 3.2.3",
    "Godot 3.6": "Godot 3.6.2",
    "Godot 4": "Godot 4.6.3",
    "Godot 4 in a browser": "Godot 4.6 in a browser",
}
running = {what: {RUNNING[engine]: count for engine, count in counts.items()} for what, counts in rows.items()}
table("Engines that the tests run", list(RUNNING.values()), running)

RECORDED = {
    "godot3": "Godot 3.2.3",
    "godot4": "Godot 4.6-dev",
    "godot4-double": "Godot 4.6-dev, double precision",
    "official": "Godot 4.6 in a browser",
    "pandemonium4": "Pandemonium 4.9",
    "pandemonium5": "Pandemonium 5.3-dev",
}
recorded = collections.defaultdict(collections.Counter)


def lines(file):
    with open(file, encoding="utf-8") as lines:
        return sum(1 for _ in lines)


for folder, engine in RECORDED.items():
    for file in glob.glob(f"corpus/{folder}/*.ndjson"):
        recorded[os.path.basename(file).removesuffix(".ndjson")][engine] += lines(file)
    for file in glob.glob(f"corpus/saves/{folder}-*"):
        recorded["compressed and encrypted saves"][engine] += 1
    for file in glob.glob(f"corpus/captures/{folder}-*.pcap*"):
        printed = subprocess.run(["target/debug/gdwire", "stats", "--format", "json", file], capture_output=True, check=False).stdout
        for flow in json.loads(printed)["flows"]:
            transport = {"udp": "UDP", "tcp": "TCP", "enet": "ENet", "websocket": "WebSocket"}.get(flow.get("transport"))
            if transport:
                recorded[f"captured messages, {transport}"][engine] += flow["messages"]
table("Recordings that the tests read", list(RECORDED.values()), recorded)
PYTHON
