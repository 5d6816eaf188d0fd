#!/bin/bash
# Fills the fuzzers' corpora from what was recorded: tests/fuzz/seed.sh
set -eu
cd "$(dirname "$0")"
mkdir -p corpus/capture corpus/multiplayer corpus/parse corpus/text
for file in ../../corpus/captures/*.pcap*; do
	head -c 2000 "$file" >"corpus/capture/$(basename "$file")"
done
python3 - <<'PYTHON'
import json

n = 0
# The first byte of an input picks the dialect and the width of its reals.
for choice, folder in [(0, "godot3"), (2, "godot4"), (3, "godot4-double"), (6, "pandemonium5")]:
    for line in open(f"../../corpus/{folder}/values.ndjson", encoding="utf-8"):
        value = json.loads(line)
        n += 1
        with open(f"corpus/parse/{n}", "wb") as file:
            file.write(bytes([choice]) + bytes.fromhex(value["hex"]))
        if value["text"]:
            with open(f"corpus/text/{n}", "w", encoding="utf-8") as file:
                file.write(value["text"])
print(n, "values")

n = 0
# The first byte picks the packets' engine and the dialect.
for choice, name in [(0, "godot3"), (3, "godot4"), (3, "godot4-three")]:
    for line in open(f"../../corpus/multiplayer/{name}.ndjson", encoding="utf-8"):
        n += 1
        with open(f"corpus/multiplayer/{n}", "wb") as file:
            file.write(bytes([choice]) + bytes.fromhex(json.loads(line)["hex"]))
print(n, "packets")
PYTHON
