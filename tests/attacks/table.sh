#!/bin/bash
# Prints what each case of hostile traffic costs for each byte of its packets, at two sizes:
# instructions, where valgrind is installed, and memory. The first case of each carrier is benign,
# and "times" compares the instructions with it. Fails if a case takes more than 20 times as many.
# This takes some minutes.
#
#   tests/attacks/table.sh         the table
#   tests/attacks/table.sh many    a million connections in turn, 70,000 at once, a million fragments
set -eu
cd "$(dirname "$0")/../.."
cargo build --release --quiet --features capture --example attacks
ATTACKS=${CARGO_TARGET_DIR:-target}/release/examples/attacks
if [ "${1:-}" = many ]; then
    exec "$ATTACKS" many
fi
export ATTACKS
python3 - <<'PYTHON'
import os
import re
import shutil
import subprocess
import sys

PROGRAM = os.environ["ATTACKS"]
SIZES = (500_000, 1_000_000)
MOST_TIMES = 20
CALLGRIND = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*meter*follow*"]


def run(*command):
    return subprocess.run(command, capture_output=True, check=True, text=True)


def measured(carrier, case, size):
    """Packet bytes, peak, allocated, losses and instructions."""
    arguments = (PROGRAM, carrier, case, str(size))
    numbers = [int(number) for number in run(*arguments).stdout.split()]
    if not shutil.which("valgrind"):
        return *numbers, None
    counted = run(*CALLGRIND, *arguments).stderr
    return *numbers, int(re.search(r"Collected : (\d+)", counted)[1])


print("| carrier | case | instructions a byte | times | peak a byte | allocated a byte | losses |")
print("|---|---|--:|--:|--:|--:|--:|")
benign, excessive = {}, []
for line in run(PROGRAM).stdout.splitlines():
    carrier, case = line.split()
    cells = [[], [], [], [], []]
    for size in SIZES:
        count, peak, allocated, lost, instructions = measured(carrier, case, size)
        each = instructions / count if instructions else None
        if each:
            if each > MOST_TIMES * benign.setdefault((carrier, size), each):
                excessive.append(f"{carrier} {case}")
        cells[0].append(f"{each:.0f}" if each else "–")
        cells[1].append(f"{each / benign[carrier, size]:.1f}" if each else "–")
        cells[2].append(f"{peak / count:.1f}")
        cells[3].append(f"{allocated / count:.1f}")
        cells[4].append(str(lost))
    print("|", carrier, "|", case, "|", " | ".join(", ".join(cell) for cell in cells), "|", flush=True)
if excessive:
    sys.exit(f"more than {MOST_TIMES} times the instructions of benign traffic: {', '.join(excessive)}")
PYTHON
