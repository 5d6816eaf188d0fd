#!/bin/bash
# Fills the fuzzers' corpora from what was recorded: tests/fuzz/seed.sh
set -eu
cd "$(dirname "$0")"
mkdir -p corpus/capture corpus/parse corpus/text
for file in ../../corpus/captures/*.pcap*; do
	head -c 2000 "$file" >"corpus/capture/$(basename "$file")"
done
python3 - <<'PYTHON'
import json

n = 0
for folder in ["godot3"]:
    for line in open(f"../../corpus/{folder}/values.ndjson", encoding="utf-8"):
        value = json.loads(line)
        n += 1
        with open(f"corpus/parse/{n}", "wb") as file:
            file.write(b"\0" + bytes.fromhex(value["hex"]))
        if value["text"]:
            with open(f"corpus/text/{n}", "w", encoding="utf-8") as file:
                file.write(value["text"])
print(n, "values")
PYTHON
