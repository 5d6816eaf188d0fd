#!/bin/bash
# Fills the corpora of the fuzz targets from recorded files and from the kept inputs: tests/fuzz/seed.sh
set -eu
cd "$(dirname "$0")"
for target in fuzz_targets/*.rs; do mkdir -p "corpus/$(basename "$target" .rs)"; done
for file in ../../corpus/captures/*.pcap*; do
	head -c 2000 "$file" >"corpus/capture/$(basename "$file")"
done
python3 - <<'PYTHON'
import glob
import gzip
import json
import struct

for kept in glob.glob("inputs/*"):
    for number, line in enumerate(open(kept)):
        with open(f"corpus/{kept.split('/')[1]}/kept_{number}", "wb") as file:
            file.write(bytes.fromhex(line))


def packets_of(name):
    """The packets of a pcapng file in little-endian byte order, with their link headers."""
    with open(f"../../corpus/captures/{name}.pcapng", "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:
            captured, = struct.unpack_from("<I", data, at + 20)
            yield data[at + 28:at + 28 + captured]
        at += length


n = 0
# The first byte of an input picks the dialect, the width of its reals, and what is compared.
for choice, folder in [(0, "godot3"), (2, "godot4"), (3, "godot4-double"), (6, "pandemonium5")]:
    for line in open(f"../../corpus/{folder}/values.ndjson", encoding="utf-8"):
        value = json.loads(line)
        n += 1
        with open(f"corpus/parse/{n}", "wb") as file:
            file.write(bytes([choice | n % 32 << 3]) + bytes.fromhex(value["hex"]))
        # In `values`, the second byte picks a dialect to convert to, and what is compared.
        with open(f"corpus/values/{n}", "wb") as file:
            file.write(bytes([choice, n % 32]) + bytes.fromhex(value["hex"]))
        if value["text"]:
            with open(f"corpus/text/{n}", "w", encoding="utf-8") as file:
                file.write(value["text"])

expressions = [
    ".value.hp < 50", "any(.[]; type == \"number\" and . > 2)", "[..] | length > 3",
    "if .x then .y[-1]? else \"a\" + \"b\" end // (.[] | test(\"^p\"; \"i\"))",
    "map(. * 2 % 7) | add >= -1.5e3 or contains([1])", "Game/Players/*", "10.0.0.0/8",
    "[::1]:7777", "2026-11-21T07:55:51Z", "1m30s", "5-9",
]
for number, expression in enumerate(expressions):
    state = bytes.fromhex("1b000000010000000400000002000000687000000200000057000000")
    with open(f"corpus/expression/{number}", "wb") as file:
        file.write(expression.encode() + b"\n" + state)


def frame(n):
    """A small message after its length."""
    value = bytes([2, 0, 0, 0, n, 0, 0, 0])
    return bytes([8, 0, 0, 0]) + value


def segment(flags, sequence, payload):
    return bytes([flags]) + (300 + sequence).to_bytes(2, "big") + bytes([len(payload)]) + payload


# The limits, then segments: flags, sequence number, length, payload.
syn = segment(1, 99, b"")
for name, order in [("in_order", [0, 1, 2, 3]), ("exchanged", [2, 0, 3, 1]), ("gap", [0, 2, 3]), ("twice", [0, 0, 1, 1])]:
    parts = [segment(0, 100 + 12 * n, frame(n)) for n in order]
    with open(f"corpus/tcp/{name}", "wb") as file:
        file.write(bytes([255, 255]) + syn + b"".join(parts))
    with open(f"corpus/tcp/{name}_middle", "wb") as file:
        file.write(bytes([255, 255]) + b"".join(parts) + segment(128, 400, b""))

upgrade = b"Upgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Accept: x\r\n\r\n"
masked = bytes.fromhex("8283 01020304 606060 0182 01020304 6060 8081 01020304 60 8980 01020304")
plain = bytes.fromhex("8203 616263 0102 6162 8001 63 8900 8802 03e8")
# "Hello" twice, the second time as a reference to the first, and fragmented.
deflated = bytes.fromhex("c107 f248cdc9c90700 4102 f200 8900 8003 110000 c200 c208 f348cdc9c9070000")
answer = b"HTTP/1.1 101 x\r\n"
sides = [("client", b"GET / HTTP/1.1\r\n", masked), ("server", answer, plain), ("deflate", answer, deflated)]
for name, head, frames in sides:
    for size, gap in [(0, 255), (40, 2), (200, 255)]:
        with open(f"corpus/websocket/{name}_{size}", "wb") as file:
            file.write(bytes([size, gap]) + head + upgrade + frames)
print(n, "values")

n = 0
# The first byte picks the packets' engine and the dialect, and others to write them in.
for choice, name in [(0, "godot3"), (5, "godot4"), (5, "godot4-three")]:
    for line in open(f"../../corpus/multiplayer/{name}.ndjson", encoding="utf-8"):
        n += 1
        with open(f"corpus/multiplayer/{n}", "wb") as file:
            file.write(bytes([choice | n % 16 << 4]) + bytes.fromhex(json.loads(line)["hex"]))
print(n, "packets")

# Packets of a session in their order, for a server and a client. The first byte picks the dialect and the
# end; each packet has two bytes before it.
for choice, name in [(0, "godot3"), (4, "godot4"), (4, "godot4-three")]:
    lines = [json.loads(line) for line in open(f"../../corpus/multiplayer/{name}.ndjson", encoding="utf-8")]
    for end, to in enumerate(["server", "client"]):
        packets = [bytes.fromhex(line["hex"]) for line in lines if line["to"] == to]
        if name == "godot3":
            head = struct.pack("<ii", 3, 1) if end == 0 else struct.pack("<ii", 1, 2)
            packets = [head + packet for packet in packets]
        packets = [packet for packet in packets if len(packet) < 256]
        for start in range(0, len(packets), 20):
            part = b"".join(bytes([4, len(packet)]) + packet for packet in packets[start:start + 20])
            for more in [0, 2]:
                with open(f"corpus/session/{name}-{end}-{start}-{more}", "wb") as file:
                    file.write(bytes([choice | end | more]) + part)
# Consecutive packets of a capture in the form that the fuzz targets `follower` and `outputs` read;
# the captures are pcapng files of IPv4 packets from the loopback interface.
pieces = {}
for name in [
    "godot3-udp", "godot3-tcp", "godot3-debugger", "godot3-enet", "godot3-enet-compressed", "godot3-websocket",
    "godot3-websocket-rpc", "godot3-rpc-three", "godot4-udp", "godot4-tcp", "godot4-enet",
    "godot4-enet-compressed", "godot4-websocket", "godot4-rpc-three",
]:
    packets = []
    starts = {}
    for packet in packets_of(name):
        ip = packet[14:]
        src, dst = struct.unpack_from(">HH", ip, 20)
        is_server = src in (7777, 7911)
        who = (7779 in (src, dst)) | is_server << 2
        if ip[9] == 17:
            payload = ip[28:]
            head = b""
            what = 0
        else:
            sequence, acknowledged, offset, bits = struct.unpack_from(">IIBB", ip, 24)
            payload = ip[20 + (offset >> 4) * 4:]
            start = starts.setdefault(src, sequence)
            other = starts.get(dst, acknowledged)
            head = struct.pack(">HH", sequence - start & 0xffff, acknowledged - other & 0xffff)
            what = 1 | (bits & 7) << 4 | (bits & 16) << 3
        packets.append(struct.pack("<BBBH", what, who, 1, len(payload)) + head + payload)
    pieces[name] = packets

# Whole packets from Ethernet: fragments and IPv6.
for name in ["godot4-udp-ipfrag", "godot4-udp-ipv6frag", "godot3-tcp-ipv6", "godot4-enet-ipv6"]:
    pieces[name] = [struct.pack("<BBBH", 3 | 16, 0, 1, len(packet)) + packet for packet in packets_of(name)]
# The third byte picks a comparison. Short pieces are read quickly, longer ones show more of a connection.
n = 0
for name, packets in pieces.items():
    for size in [3, 8]:
        for start in range(0, len(packets), size):
            for target in ["follower", "outputs"]:
                n += 1
                with open(f"corpus/{target}/{name}_{size}_{start}", "wb") as file:
                    file.write(bytes([0, 0, n // 2 % 20, 0]) + b"".join(packets[start:start + size]))
print(n // 2, "pieces of captures")

# The number of a recorded capture, the kind of change to its packets and how many there are, and
# alternately the numbers of packets that are kept and changed.
patterns = [("first", [0, 1]), ("start", [0, 9]), ("some", [5, 1, 20, 7] * 9), ("most", [1, 3] * 40)]
recordings = len(glob.glob("../../corpus/captures/*.pcap*"))
for recording in range(recordings):
    for how in range(32):
        name, runs = patterns[(recording + how) % 4]
        with open(f"corpus/dropped/{recording}_{how}_{name}", "wb") as file:
            file.write(bytes([recording, how, *runs]))

# Consecutive datagrams of a connection: the limit on held bytes, then for each datagram its sender,
# its length and its bytes. The captures are pcapng files of IPv4 packets from the loopback
# interface.
n = 0
for name in ["godot3-enet", "godot3-enet-compressed", "godot4-enet", "godot4-enet-compressed"]:
    datagrams = []
    for packet in packets_of(name):
        udp = packet[14 + 20:]
        port, = struct.unpack_from(">H", udp, 2)
        datagrams.append(struct.pack("<BH", port != 7777, len(udp) - 8) + udp[8:])
    for start in range(0, len(datagrams), 5):
        n += 1
        with open(f"corpus/enet/{n}", "wb") as file:
            file.write(b"\xff\xff" + b"".join(datagrams[start:start + 12]))
print(n, "pieces of connections")

# Content that the target compresses in the way that the first byte picks, and compressed streams.
with open("../../corpus/captures/godot4-rpc.pcapng", "rb") as file:
    content = file.read()[:1500]
for choice in range(3):
    for seed in [0, 7, 130, 255]:
        with open(f"corpus/decompress/{choice}_{seed}", "wb") as file:
            file.write(bytes([choice, seed]) + content)
stream = gzip.compress(content, mtime=0)
for name, data in [("one", stream), ("two", stream + stream), ("cut", stream[:300]), ("plain", content)]:
    with open(f"corpus/decompress/gzip_{name}", "wb") as file:
        file.write(bytes([9, 7]) + data)
for engine in ["godot3", "godot4"]:
    with open(f"../../corpus/saves/{engine}-zstd.sav", "rb") as file:
        data = file.read()
    _, size, total, first = struct.unpack_from("<IIII", data, 4)
    start = 16 + 4 * (total // size + 1)
    with open(f"corpus/decompress/zstd_{engine}", "wb") as file:
        file.write(bytes([9, 7]) + data[start:start + first])
with open("corpus/decompress/lz4", "wb") as file:
    # A frame with one block that is not compressed.
    file.write(bytes([9, 7]) + bytes.fromhex("04224d18 6040 82 03000080 616263 00000000"))

# Saves: the beginning of recorded ones. In compressed files, only the first block is kept.
for engine in ["godot3", "godot4"]:
    for mode, way in enumerate(["fastlz", "deflate", "zstd", "gzip", "pass", "key"]):
        with open(f"../../corpus/saves/{engine}-{way}.sav", "rb") as file:
            data = file.read()
        if mode > 3:
            with open(f"corpus/encrypted_save/{engine}-{way}", "wb") as file:
                file.write(b"\x02" + data[:1004 if engine == "godot4" else 1008])
            with open(f"corpus/encrypted_save/{engine}-{way}-content", "wb") as file:
                file.write(bytes([mode - 4]) + data[:50])
            continue
        _, size, total, first = struct.unpack_from("<IIII", data, 4)
        start = 16 + 4 * (total // size + 1)
        block = data[start:start + first]
        with open(f"corpus/compressed_save/{engine}-{way}", "wb") as file:
            file.write(bytes([mode, 0]) + b"GCPF" + struct.pack("<IIII", mode, size, size - 1, first) + block + b"GCPF")
        with open(f"corpus/compressed_save/{engine}-{way}-block", "wb") as file:
            file.write(bytes([130 + mode, size // 32 - 1]) + block)
        with open(f"corpus/compressed_save/{engine}-{way}-content", "wb") as file:
            file.write(bytes([65 + mode, 200]) + block[:200])

# Files of a project: for each one a byte that picks its name, then its text up to a zero byte.
def project(*files):
    return b"".join(bytes([name]) + text.encode() + b"\0" for name, text in files)


arena = "../../corpus/project/arena/"
texts = {path: open(arena + path, encoding="utf-8").read() for path in [
    "main.tscn", "actors/player.tscn", "actors/actor.gd", "actors/player.gd", "main.gd", "project.godot"]}
csharp = 'namespace A;\npartial class A : B {\n[Rpc(CallLocal = true)] void C() { RpcConfig(nameof(D), $"{x}"); }\n}\n'
for name, files in {
    "scenes": [(4, texts["main.tscn"]), (5, texts["actors/player.tscn"]), (7, texts["project.godot"])],
    "scripts": [(0, texts["actors/player.gd"].replace("actors/actor", "b")), (1, texts["actors/actor.gd"])],
    "main": [(0, texts["main.gd"])],
    "csharp": [(2, csharp), (3, csharp.replace("class A : B", "class B"))],
}.items():
    with open(f"corpus/project/{name}", "wb") as file:
        file.write(project(*files))
PYTHON
