#!/bin/bash
# Fills the fuzzers' corpora from what was recorded: tests/fuzz/seed.sh
set -eu
cd "$(dirname "$0")"
mkdir -p corpus/capture corpus/enet corpus/parse corpus/text
for file in ../../corpus/captures/*.pcap*; do
	head -c 2000 "$file" >"corpus/capture/$(basename "$file")"
done
python3 - <<'PYTHON'
import json
import struct

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

# Datagrams of a connection, some in a row: the limit of what is held, then for each one who sent
# it, its length, its bytes. The captures are pcapng from the loopback interface, IPv4.
n = 0
for name in ["godot3-enet", "godot3-enet-compressed", "godot4-enet", "godot4-enet-compressed"]:
    with open(f"../../corpus/captures/{name}.pcapng", "rb") as file:
        data = file.read()
    datagrams = []
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:
            captured, = struct.unpack_from("<I", data, at + 20)
            udp = data[at + 28 + 14 + 20:at + 28 + captured]
            port, = struct.unpack_from(">H", udp, 2)
            datagrams.append(struct.pack("<BH", port != 7777, len(udp) - 8) + udp[8:])
        at += length
    for start in range(0, len(datagrams), 5):
        n += 1
        with open(f"corpus/enet/{n}", "wb") as file:
            file.write(b"\xff\xff" + b"".join(datagrams[start:start + 12]))
print(n, "pieces of connections")
PYTHON
