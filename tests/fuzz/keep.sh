#!/bin/bash
# Keeps few short inputs of each corpus in tests/fuzz/inputs, which together reach as much of the code as all
# inputs: tests/fuzz/keep.sh [TARGET…]
#
# Run it after soak.sh, which builds the targets and fills the corpora.
set -euo pipefail
cd "$(dirname "$0")"

programs=target/$(rustc +nightly --print host-tuple)/release
targets=("$@")
if [ $# = 0 ]; then mapfile -t targets < <(cargo +nightly fuzz list --fuzz-dir .); fi
mkdir -p inputs
for target in "${targets[@]}"; do
	few=target/few/$target
	rm -rf "$few"
	mkdir -p "$few"
	# Longer inputs are cut.
	"$programs/$target" -set_cover_merge=1 -use_counters=0 -max_len=400 "$few" "corpus/$target" 2>"target/few/$target.log"
	python3 - "$few" >"inputs/$target" <<'PYTHON'
import pathlib
import sys

# Each target has a share of the bytes that the repository spends on inputs. The shortest come first.
left = 8000
for data in sorted((file.read_bytes() for file in pathlib.Path(sys.argv[1]).iterdir()), key=lambda it: (len(it), it)):
    left -= len(data)
    if data and left >= 0:
        print(data.hex())
PYTHON
done
wc -lc inputs/*
