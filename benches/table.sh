#!/bin/bash
# Runs the benchmarks and prints the tables of src/docs/benchmarks.rs.
#
# Each time is that of the fastest sample: other programs on the machine can only make a sample
# slower. Where valgrind is installed, the tables also compare the numbers of instructions.
set -eu
cd "$(dirname "$0")/.."
python3 - <<'PYTHON'
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile


# How users build their programs. The first is Cargo's default.
PROFILES = {
    "default": {},
    "`codegen-units = 1`": {"CARGO_PROFILE_BENCH_CODEGEN_UNITS": "1"},
    "`lto = \"thin\"`": {"CARGO_PROFILE_BENCH_LTO": "thin"},
    "`lto = \"fat\"`, `codegen-units = 1`": {"CARGO_PROFILE_BENCH_LTO": "fat", "CARGO_PROFILE_BENCH_CODEGEN_UNITS": "1"},
}


class Benches:
    """The benches, built with one profile."""

    def __init__(self, target, profile, *arguments):
        self.target = target
        self.environment = {**os.environ, **profile, "CARGO_TARGET_DIR": target}
        self.command = ["cargo", "bench", "--quiet", *arguments]
        self.executables = self.built() if shutil.which("valgrind") else []

    def time(self, *names):
        """Runs the benches whose names contain this; without it, all."""
        subprocess.run([*self.command, "--", *names], env=self.environment, check=True, stdout=sys.stderr)

    def built(self):
        command = [*self.command, "--no-run", "--message-format=json"]
        lines = subprocess.run(command, env=self.environment, capture_output=True, check=True, text=True).stdout.splitlines()
        built = [message for message in map(json.loads, lines) if message.get("executable")]
        return [message["executable"] for message in built if "bench" in message["target"]["kind"]]

    def result(self, bench, file):
        # Criterion replaces slashes in the name of a group.
        group, name = bench.rsplit("/", 1)
        with open(f"{self.target}/criterion/{group.replace('/', '_')}/{name}/new/{file}.json", encoding="utf-8") as file:
            return json.load(file)

    @functools.cache
    def fastest(self, bench):
        """The time of one run of a bench in the fastest sample, in nanoseconds."""
        sample = self.result(bench, "sample")
        return min(time / runs for time, runs in zip(sample["times"], sample["iters"]))

    def run(self, bench, times, command):
        """Runs a bench a number of times, and nothing else. The number has two digits, because all benches read it."""
        environment = {**os.environ, "GDWIRE_COUNT": f"{bench}:{times:02}"}
        return subprocess.run([*command, "--bench"], env=environment, capture_output=True, check=True, text=True).stdout

    @functools.cache
    def instructions(self, bench):
        """The instructions of one run of a bench; None without valgrind."""
        found = [executable for executable in self.executables if "counted" in self.run(bench, 0, [executable])]
        if not found:
            return None
        # In the first runs, the allocator also sorts what was freed before them.
        few, many = (2, 12) if self.fastest(bench) < 1e5 else (3, 5)
        counts = []
        for times in (few, many):
            with tempfile.NamedTemporaryFile() as out:
                self.run(bench, times, ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", found[0]])
                counts.append(next(int(line.split()[1]) for line in open(out.name) if line.startswith("totals:")))
        return (counts[1] - counts[0]) // (many - few)


BENCHES = Benches("target", {}, "--features", "capture,json,serde")
BENCHES.time()
result, fastest, instructions = BENCHES.result, BENCHES.fastest, BENCHES.instructions


def measured(bench):
    count, time = instructions(bench), f"{fastest(bench):.2g} ns"
    for unit, size in (("ms", 1e6), ("µs", 1e3), ("ns", 1)):
        if fastest(bench) >= size:
            time = f"{fastest(bench) / size:.3g} {unit}"
            break
    return time + (f", {count:,} instructions" if count else "")


FASTER, SLOWER = "times as fast", "times as long"


def ratios(bench, other, form):
    """A bench compared with another one: by time, and by instructions."""
    pairs = [(fastest(bench), fastest(other)), (instructions(bench), instructions(other))]
    quotients = [others / mine if form is FASTER else mine / others for mine, others in pairs if mine and others]
    texts = [f"{quotient:.1f}" if form is FASTER else f"{quotient:.2f}" for quotient in quotients]
    return texts + ["not counted"] * (2 - len(texts))


ROWS = [
    ("parse a dictionary of 208 bytes and walk it (visit everything in it), in one pass", "state/fused",
     "`godot-binary-serialization` decodes it", "state/godot-binary-serialization", FASTER, "at least 28"),
    ("the same", "state/fused", "`serde_json` reads the same data from JSON into `Value`", "state/serde_json", FASTER, "at least 16"),
    ("only parse it", "state/parse", "parse and walk it in one pass", "state/fused", SLOWER, "at most 0.8"),
    ("only walk it, already parsed", "state/walk", "parse and walk it in one pass", "state/fused", SLOWER, "at most 0.8"),
    ("only iterate over its top-level entries, already parsed", "state/iterate", "parse it", "state/parse", SLOWER, "at most 0.8"),
    ("only find its last key, already parsed", "state/get last", "parse it", "state/parse", SLOWER, "at most 1.0"),
    ("only find a key that it lacks, already parsed", "state/get none", "parse it", "state/parse", SLOWER, "at most 1.0"),
    ("parse and walk 8,000 ints", "ints/fused", "`serde_json`", "ints/serde_json", FASTER),
    ("index them and get each", "ints/index, get all", "iterate over them", "ints/iterate", SLOWER),
    ("parse and walk a save of 100 kB", "save/fused",
     "`godot-binary-serialization`", "save/godot-binary-serialization", FASTER),
    ("parse and walk a save of 100 kB", "save/fused", "`serde_json`", "save/serde_json", FASTER),
    ("parse and walk 400 short texts in ASCII", "text, ascii, short/fused",
     "`serde_json`", "text, ascii, short/serde_json", FASTER),
    ("400 short texts beyond ASCII", "text, beyond ascii, short/fused",
     "`serde_json`", "text, beyond ascii, short/serde_json", FASTER),
    ("one long text beyond ASCII", "text, beyond ascii, long/fused",
     "`serde_json`", "text, beyond ascii, long/serde_json", FASTER),
    ("read a struct from the dictionary, with serde", "serde/from_slice",
     "`serde_json` from the same as JSON", "serde/serde_json from_slice", FASTER),
    ("read a struct from the dictionary, with serde", "serde/from_slice", "`rmp-serde` from the same as MessagePack", "serde/rmp-serde from_slice", FASTER),
    ("write it into a buffer", "serde/to_slice", "`serde_json`", "serde/serde_json to_writer", FASTER),
    ("write it into a buffer", "serde/to_slice", "`rmp-serde`", "serde/rmp-serde write", FASTER),
    ("write it into a new vector", "serde/to_vec", "`serde_json`", "serde/serde_json to_vec", FASTER),
    ("write it into a new vector", "serde/to_vec", "`rmp-serde`", "serde/rmp-serde to_vec", FASTER),
    ("write it as lossless JSON, already parsed", "write state/native",
     "`serde_json` writes the same document", "write state/serde_json, native", SLOWER, "at most 1.0"),
    ("write it as plain JSON, already parsed", "write state/plain",
     "`serde_json` writes the same document", "write state/serde_json, plain", SLOWER),
    ("write it as a literal, already parsed", "write state/literal",
     "as lossless JSON", "write state/native", SLOWER, "at most 1.0"),
    ("parse a packed array of 1,000,000 floats", "packed array/parse 1000000", "parse a packed array of 10 floats", "packed array/parse 10", SLOWER, "about 1.0"),
    ("walk 1 MiB nested 1,000 deep", "1 MiB 1000 deep/walk", "1 MiB flat", "1 MiB flat/walk", SLOWER, "at most 1.8"),
    ("find the end of a value of 1 MiB that arrives in pieces of 1 KiB", "scan 1 MiB/in pieces of 1 KiB", "in one piece", "scan 1 MiB/in one piece", SLOWER, "at most 1.2"),
    ("scan 1 MiB nested 1,000 deep, byte by byte", "scan 1 MiB 1000 deep/byte by byte",
     "1 MiB flat", "scan 1 MiB flat/byte by byte", SLOWER),
    ("decode all messages of a UDP capture", "capture/decode values",
     "read only the headers of its packets", "capture/walk packets", SLOWER),
    ("encode an array of 131,072 vectors", "encode 1.5 MiB/PackedVector3Array",
     "`memcpy`", "encode 1.5 MiB/memcpy", SLOWER),
    ("encode an owned state", "encode state/owned",
     "`godot-binary-serialization`", "encode state/godot-binary-serialization", FASTER),
    ("encode an owned state", "encode state/owned", "`serde_json`", "encode state/serde_json", FASTER),
    ("change one field of a packet with `patch`", "encode one field/patch",
     "through an owned tree", "encode one field/through a tree", FASTER),
]

# The goal is for the instructions of a message beyond the parse of its value.
TRANSPORTS = {
    "udp": ("UDP", 1_050), "tcp": ("TCP", 460), "enet": ("ENet", 1_750),
    "websocket": ("WebSocket", 700), "enet calls": ("ENet, as calls", None)}

print("| task of gdwire | compared with | goal | measured, by time | measured, by instructions |")
print("|---|---|---|---|---|")
for what, bench, beside, other, form, *goal in ROWS:
    if goal:
        by_time, by_instructions = ratios(bench, other, form)
        print(f"| {what} | {beside} | {goal[0]} {form} | {by_time} | {by_instructions} |")
for name, (title, goal) in TRANSPORTS.items():
    bench = f"transports/{name}/read messages"
    if goal and (count := instructions(bench)):
        messages = result(bench, "benchmark")["throughput"]["ElementsAndBytes"]["elements"]
        more = count // messages - instructions("state/parse")
        print(f"| read a message over {title} | parse its value | at most {goal:,} instructions more | | {more:,} more |")

print()
print("| what | takes | compared with | takes | by time | by instructions |")
print("|---|---|---|---|---|---|")
for what, bench, beside, other, form, *_ in ROWS:
    by_time, by_instructions = ratios(bench, other, form)
    print(f"| {what} | {measured(bench)} | {beside} | {measured(other)} | {by_time} {form} | {by_instructions} |")

# The goals for the state, which hold in each profile: what is divided by what.
STATE = [
    ("fused pass", "state/godot-binary-serialization", "state/fused", "at least 28"),
    ("fused pass, `serde_json`", "state/serde_json", "state/fused", "at least 16"),
    ("parse", "state/parse", "state/fused", "at most 0.8"),
    ("walk", "state/walk", "state/fused", "at most 0.8"),
    ("find the last key", "state/get last", "state/parse", "at most 1.0"),
    ("find a missing key", "state/get none", "state/parse", "at most 1.0"),
    ("iterate", "state/iterate", "state/parse", "at most 0.8"),
]
print()
print("| profile | fused pass | parse | " + " | ".join(f"{what}: {goal}" for what, _, _, goal in STATE) + " |")
print("|---" * (len(STATE) + 3) + "|")
for at, (name, profile) in enumerate(PROFILES.items()):
    benches = Benches(f"target/profiles/{at}", profile, "--bench", "parse")
    benches.time("state")
    cells = [f"{benches.fastest(bench):.1f} ns, {benches.instructions(bench) or 'not counted'}" for bench in ("state/fused", "state/parse")]
    for _, over, under, _ in STATE:
        cell = f"{benches.fastest(over) / benches.fastest(under):.2f}"
        if benches.executables:
            cell += f", {benches.instructions(over) / benches.instructions(under):.2f}"
        cells.append(cell)
    print(f"| {name} | {' | '.join(cells)} |", flush=True)

print()
print("| messages of 208 bytes over | messages per second | bytes of capture per second | times as long as walking | instructions per message | of which walking takes |")
print("|---|---|---|---|---|---|")
for name, (title, _) in TRANSPORTS.items():
    reading, walking = f"transports/{name}/read messages", f"transports/{name}/walk packets"
    amount = result(reading, "benchmark")["throughput"]["ElementsAndBytes"]
    seconds = fastest(reading) / 1e9
    messages, size = amount["elements"] / seconds / 1e6, amount["bytes"] / seconds / 1e6
    ratio, _ = ratios(reading, walking, SLOWER)
    counts = [instructions(bench) for bench in (reading, walking)]
    shares = [f"{count // amount['elements']:,}" if count else "not counted" for count in counts]
    print(f"| {title} | {messages:.1f} million | {size:.0f} MB | {ratio} | {' | '.join(shares)} |")
PYTHON
